//! `toolgate inspect`: what a component is made of and asks for, without loading it as a tool.

use std::fmt::Write;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use toolgate::{Anatomy, Contract, MAX_FILE, contract_of, one_line};

use crate::args::InspectArguments;
use crate::files;
use crate::screen::{Outcome, Screen};

/// Prints what the file says; a contract that stands in no section is asked of the guest, with nothing granted.
pub(crate) async fn run(arguments: InspectArguments, screen: &mut Screen<'_>) -> Result<Outcome> {
    let file = arguments.file.display().to_string();
    let bytes = files::read(&arguments.file, MAX_FILE)?;
    let (text, packed) = contract_text(&file, &bytes).await?;
    let anatomy = Anatomy::read(&bytes).with_context(|| file.clone())?;
    let contract = Contract::parse(text.as_bytes()).with_context(|| file.clone())?;
    match arguments.json {
        true => screen.data(&as_json(&file, &anatomy, &contract, packed)?)?,
        false => screen.text(as_text(&file, &anatomy, &contract, packed).trim_end())?,
    }
    Ok(Outcome::Good)
}

/// The contract and whether it stands in the component's own section.
async fn contract_text(file: &str, bytes: &[u8]) -> Result<(String, bool)> {
    if let Ok(anatomy) = Anatomy::read(bytes)
        && let [section] = anatomy.contract_sections.as_slice()
    {
        let text = String::from_utf8(section.clone()).with_context(|| format!("{file}: the contract is not UTF-8"))?;
        return Ok((text, true));
    }
    Ok((contract_of(file, bytes).await?, false))
}

fn as_json(file: &str, anatomy: &Anatomy, contract: &Contract, packed: bool) -> Result<String> {
    let value: Value = json!({
        "file": file,
        "size_bytes": anatomy.size.get(),
        "sha256": anatomy.digest,
        "packed": packed,
        "pure": contract.capabilities.are_none(),
        "imports": anatomy.imports,
        "exports": anatomy.exports,
        "contract": contract,
    });
    Ok(serde_json::to_string_pretty(&value)?)
}

fn as_text(file: &str, anatomy: &Anatomy, contract: &Contract, packed: bool) -> String {
    let mut out = String::new();
    let mut row = |key: &str, value: &str| {
        writeln!(out, "{key:<12} {value}").expect("writing to a String cannot fail");
    };
    row("file", &one_line(file, 200));
    row("size", &anatomy.size.to_string());
    row("sha256", &anatomy.digest);
    row("packed", if packed { "yes" } else { "no: the contract is read by running `contract()`" });
    row("name", contract.name.as_str());
    row("version", &contract.version);
    row("description", &one_line(&contract.description, 1024));
    row(
        "effects",
        match contract.effects {
            toolgate::DeclaredEffects::Read => "read",
            toolgate::DeclaredEffects::Write => "write",
        },
    );
    let pure = contract.capabilities.are_none();
    row("pure", if pure { "yes: the same call gives the same bytes" } else { "no: it asks for something outside" });
    for directory in &contract.capabilities.fs {
        let reason =
            directory.reason.as_deref().map_or_else(String::new, |reason| format!(": {}", one_line(reason, 200)));
        row("asks for", &format!("directory {} ({}){reason}", directory.path, directory.access));
    }
    for capability in contract.capabilities.not_grantable() {
        row("asks for", &format!("{capability}, which this version cannot grant"));
    }
    let limits = contract.limits;
    for (key, asked) in [
        ("fuel", limits.fuel),
        ("time_ms", limits.time_ms),
        ("memory_bytes", limits.memory_bytes),
        ("result_bytes", limits.result_bytes),
    ] {
        if let Some(asked) = asked {
            row("asks for", &format!("{key} = {asked}"));
        }
    }
    for relation in &contract.relations {
        row("promises", &relation.to_string());
    }
    for import in &anatomy.imports {
        row("imports", import);
    }
    if anatomy.imports.is_empty() {
        row("imports", "nothing");
    }
    row("input", contract.input.get());
    row("output", contract.output.get());
    out
}

//! `toolgate tools`: what is loaded, for a person, for a program or for a provider.

use anyhow::Result;
use serde::Serialize;
use serde_json::value::RawValue;
use toolgate::{Access, Host, Mode, Provider, Relation, Tool, documentation, one_line};

use crate::args::{ToolsArguments, ToolsFormat};
use crate::screen::{Outcome, Screen};
use crate::{sources, table};

/// Most characters of a description in the table; the declarations carry all of it.
const MAX_DESCRIPTION: usize = 60;

/// Prints the declarations or the list.
pub(crate) async fn run(arguments: ToolsArguments, screen: &mut Screen<'_>) -> Result<Outcome> {
    let loaded = sources::load(&arguments.tools, screen).await?.seen_by(&arguments.caller)?;
    match (arguments.provider, arguments.format.unwrap_or(ToolsFormat::Table)) {
        (Some(provider), _) => declare(provider, arguments.mode(), &loaded.host, screen)?,
        (None, ToolsFormat::Table) => screen.text(&as_table(loaded.host.tools()))?,
        (None, ToolsFormat::Json) => screen.data(&as_json(loaded.host.tools())?)?,
        (None, ToolsFormat::Markdown) => screen.text(documentation(loaded.host.tools()).trim_end())?,
    }
    loaded.close(screen)?;
    Ok(Outcome::Good)
}

fn declare(provider: Provider, mode: Mode, host: &Host, screen: &mut Screen<'_>) -> Result<()> {
    let declared = provider.declare(host.tools().map(Tool::contract), mode);
    for warning in &declared.warnings {
        screen.say(&format!("warning: {warning}"))?;
    }
    screen.data(&declared.json)?;
    Ok(())
}

fn effects(tool: &Tool) -> &'static str {
    if tool.writes() { "write" } else { "read" }
}

fn as_table<'t>(tools: impl Iterator<Item = &'t Tool>) -> String {
    let head = ["name", "version", "effects", "granted", "description"].map(str::to_owned);
    let rows = tools.map(|tool| {
        let contract = tool.contract();
        let granted = tool.grants().directories().iter().map(|grant| format!("{} ({})", grant.guest, grant.access));
        [
            tool.name().to_owned(),
            contract.version.clone(),
            effects(tool).to_owned(),
            granted.collect::<Vec<_>>().join(", "),
            one_line(&contract.description, MAX_DESCRIPTION),
        ]
    });
    table::plain(head, rows, None)
}

/// What is known of a tool, for a program. What is really behind a granted directory is the operator's own.
#[derive(Serialize)]
struct Listed<'t> {
    name: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'t str>,
    version: &'t str,
    description: &'t str,
    effects: &'static str,
    repeatable: bool,
    granted: Vec<GrantedDirectory<'t>>,
    limits: GivenLimits,
    may_be_empty: &'t [String],
    relations: &'t [Relation],
    raw_results: bool,
    input: &'t RawValue,
    output: &'t RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    stricter_output: Option<Box<RawValue>>,
    file: &'t str,
    sha256: &'t str,
}

#[derive(Serialize)]
struct GrantedDirectory<'t> {
    path: &'t str,
    access: Access,
}

#[derive(Serialize)]
struct GivenLimits {
    fuel: u64,
    time_ms: u64,
    memory_bytes: u64,
    result_bytes: u64,
}

fn as_json<'t>(tools: impl Iterator<Item = &'t Tool>) -> Result<String> {
    let listed = tools.map(listed).collect::<Result<Vec<Listed<'_>>>>()?;
    Ok(serde_json::to_string_pretty(&listed)?)
}

fn listed(tool: &Tool) -> Result<Listed<'_>> {
    let (contract, limits) = (tool.contract(), tool.limits());
    let granted = tool.grants().directories().iter();
    let stricter = tool.stricter_output().map(|text| RawValue::from_string(text.to_owned()));
    Ok(Listed {
        name: tool.name(),
        title: contract.title.as_deref(),
        version: &contract.version,
        description: &contract.description,
        effects: effects(tool),
        repeatable: contract.repeatable,
        granted: granted.map(|grant| GrantedDirectory { path: &grant.guest, access: grant.access }).collect(),
        limits: GivenLimits {
            fuel: limits.fuel,
            time_ms: u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX),
            memory_bytes: limits.memory.get(),
            result_bytes: limits.result.get(),
        },
        may_be_empty: &contract.may_be_empty,
        relations: &contract.relations,
        raw_results: tool.has_raw_results(),
        input: &contract.input,
        output: &contract.output,
        stricter_output: stricter.transpose()?,
        file: tool.file(),
        sha256: tool.digest(),
    })
}

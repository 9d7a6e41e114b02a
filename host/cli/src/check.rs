//! `toolgate check`: would a host load this component, does it say what it carries, and what has to be granted?

use anyhow::{Context, Result};
use tempfile::TempDir;
use toolgate::{
    AskedDirectory, Contract, DirectoryGrant, Host, LimitSettings, Limits, MAX_FILE, Tool, ToolSource, contract_of,
};

use crate::args::CheckArguments;
use crate::screen::{Outcome, Screen};
use crate::{files, sources};

/// Loads the component, beside what the options name, with everything it asks for granted on empty directories, and reports.
pub(crate) async fn run(arguments: CheckArguments, screen: &mut Screen<'_>) -> Result<Outcome> {
    let file = arguments.file.display().to_string();
    let bytes = files::read(&arguments.file, MAX_FILE)?;
    let said = contract_of(&file, &bytes).await?;
    if !says_what_it_carries(&said, &bytes)? {
        screen.text(&format!(
            "{file}: its contract section differs from what `contract()` gives, and hosts believe the section\n\
             hint: run `toolgate pack` on it again"
        ))?;
        return Ok(Outcome::Bad);
    }
    let asked = Contract::parse(said.as_bytes()).with_context(|| file.clone())?;
    let empty = TempDir::new().context("cannot make a temporary directory")?;
    let mut source = ToolSource::new(&file, bytes.clone());
    source.directories = asked.capabilities.fs.iter().map(|directory| stand_in(directory, &empty)).collect();
    let beside = sources::gather(&arguments.beside, None)?;
    let builder = Host::builder().tools(beside.sources).tool(source).defaults(beside.defaults);
    let builder = builder.allocation(beside.allocation);
    let host = builder.repair(beside.repair).callers(beside.callers).rules(beside.rules).build().await?;
    let tool = host.tools().find(|tool| tool.file() == file).context("the host has not loaded it")?;
    screen.text(&format!("{file}: {} {} loads", tool.name(), tool.contract().version))?;
    screen.text(match tool.packed() {
        true => "contract: packed, and the same as `contract()` gives",
        false => "contract: not packed; hosts run `contract()` to read it (`toolgate pack` changes that)",
    })?;
    report_needs(tool, screen)?;
    Ok(Outcome::Good)
}

fn stand_in(asked: &AskedDirectory, empty: &TempDir) -> DirectoryGrant {
    DirectoryGrant { guest: asked.path.clone(), host: empty.path().to_owned(), access: asked.access }
}

/// Whether a packed contract and the one that `contract()` gives are the same bytes. What is not packed cannot differ.
fn says_what_it_carries(said: &str, bytes: &[u8]) -> Result<bool> {
    Ok(toolgate::Anatomy::read(bytes)?.contract_sections.iter().all(|section| section == said.as_bytes()))
}

/// What an operator has to give for this tool to run as it wishes.
fn report_needs(tool: &Tool, screen: &mut Screen<'_>) -> Result<()> {
    for directory in &tool.contract().capabilities.fs {
        screen.text(&format!("needs granted: directory {} ({})", directory.path, directory.access))?;
    }
    let asked = tool.contract().limits;
    let given = Limits::effective(&asked, &LimitSettings::default());
    let millis = u64::try_from(given.time.as_millis()).unwrap_or(u64::MAX);
    for (key, asked, given) in [
        ("fuel", asked.fuel, given.fuel),
        ("time_ms", asked.time_ms, millis),
        ("memory_bytes", asked.memory_bytes, given.memory.get()),
        ("result_bytes", asked.result_bytes, given.result.get()),
    ] {
        if let Some(asked) = asked.filter(|asked| *asked > given) {
            screen.text(&format!("asks for {key} = {asked}, gets {given} unless `limits.{key}` is set"))?;
        }
    }
    Ok(())
}

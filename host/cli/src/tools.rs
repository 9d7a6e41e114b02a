//! `toolgate tools`: what is loaded, for a person or for a provider.

use anyhow::Result;
use toolgate::{Tool, one_line};

use crate::args::ToolsArguments;
use crate::screen::{Outcome, Screen};
use crate::{sources, table};

/// Most characters of a description in the table; the declarations carry all of it.
const MAX_DESCRIPTION: usize = 60;

/// Prints the table or the declarations.
pub(crate) async fn run(arguments: ToolsArguments, screen: &mut Screen<'_>) -> Result<Outcome> {
    let loaded = sources::load(&arguments.tools, screen).await?;
    match arguments.dialect {
        Some(dialect) => screen.data(&dialect.declarations(&loaded.host))?,
        None => screen.text(&as_table(loaded.host.tools()))?,
    }
    loaded.close(screen)?;
    Ok(Outcome::Good)
}

fn as_table<'t>(tools: impl Iterator<Item = &'t Tool>) -> String {
    let head = ["name", "version", "effects", "granted", "description"].map(str::to_owned);
    let rows = tools.map(|tool| {
        let contract = tool.contract();
        let granted = tool.grants().directories().iter().map(|grant| format!("{} ({})", grant.guest, grant.access));
        [
            tool.name().to_owned(),
            contract.version.clone(),
            if tool.writes() { "write" } else { "read" }.to_owned(),
            granted.collect::<Vec<_>>().join(", "),
            one_line(&contract.description, MAX_DESCRIPTION),
        ]
    });
    table::plain(head, rows, None)
}

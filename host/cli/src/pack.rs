//! `toolgate pack`: a component with its contract in the one section that hosts read without running guest code.

use anyhow::{Context, Result};
use toolgate::{Contract, MAX_FILE, Schema, contract_of, with_contract};

use crate::args::PackArguments;
use crate::files;
use crate::screen::{Outcome, Screen};

/// Asks the component for its contract once, in an empty sandbox, and appends it. A contract that does not read or whose
/// schemas do not compile is not packed; `toolgate check` holds the rest of it to account.
pub(crate) async fn run(arguments: PackArguments, screen: &mut Screen<'_>) -> Result<Outcome> {
    let file = arguments.file.display().to_string();
    let bytes = files::read(&arguments.file, MAX_FILE)?;
    let text = contract_of(&file, &bytes).await?;
    let contract = Contract::parse(text.as_bytes()).with_context(|| file.clone())?;
    Schema::of_object(contract.input.get()).with_context(|| format!("{file}: the input schema"))?;
    Schema::compile(contract.output.get()).with_context(|| format!("{file}: the output schema"))?;
    let packed = with_contract(&bytes, &text).with_context(|| file.clone())?;
    std::fs::write(&arguments.output, packed)
        .with_context(|| format!("cannot write `{}`", arguments.output.display()))?;
    screen.say(&format!(
        "packed {} {} into {} ({} of contract)",
        contract.name,
        contract.version,
        arguments.output.display(),
        toolgate::ByteCount::of(text.as_bytes()),
    ))?;
    Ok(Outcome::Good)
}

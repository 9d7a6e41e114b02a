//! `toolgate call`: one call from the command line, on the same line as a model's.

use anyhow::Result;
use toolgate::{DEFAULT_ARGUMENTS, RawCall};

use crate::args::CallArguments;
use crate::screen::{Outcome, Screen};
use crate::{explain, files, sources};

/// Prints the result, or the refusal or failure on stderr.
pub(crate) async fn run(arguments: CallArguments, screen: &mut Screen<'_>) -> Result<Outcome> {
    let text = match arguments.arguments.as_str() {
        "-" => String::from_utf8_lossy(&files::read_bounded(&mut *screen.stdin, DEFAULT_ARGUMENTS)?).into_owned(),
        given => given.to_owned(),
    };
    let loaded = sources::load(&arguments.tools, screen).await?;
    let reply = loaded.host.call(RawCall::new(&arguments.name, text)).await;
    let outcome = if reply.is_done() {
        screen.data(&reply.text())?;
        Outcome::Good
    } else {
        screen.say(&reply.text())?;
        Outcome::Bad
    };
    explain::print(std::slice::from_ref(&reply), &arguments.explain, screen)?;
    loaded.close(screen)?;
    Ok(outcome)
}

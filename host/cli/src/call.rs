//! `toolgate call`: one call from the command line, on the same line as a model's.

use anyhow::Result;
use toolgate::{Arguments, DEFAULT_ARGUMENTS, RawCall};

use crate::args::CallArguments;
use crate::screen::{Outcome, Screen};
use crate::{explain, files, interrupt, sources};

/// Prints the result, or the refusal or failure on stderr.
pub(crate) async fn run(arguments: CallArguments, screen: &mut Screen<'_>) -> Result<Outcome> {
    let given = match arguments.arguments.as_str() {
        "-" => read_arguments(screen)?,
        text => Arguments::Text(text.to_owned()),
    };
    let loaded = sources::load(&arguments.tools, screen).await?;
    let call = RawCall { id: String::new(), tool: arguments.name, arguments: given, cut: false, recorded: Vec::new() };
    let reply = loaded.host.call_until(call, interrupt::pressed()).await;
    // Before the answer: what was written must be found again, also where nobody reads the answer.
    loaded.close(screen)?;
    explain::tell_operator(std::slice::from_ref(&reply), screen)?;
    let outcome = if reply.is_done() {
        screen.data(&reply.text())?;
        Outcome::Good
    } else {
        screen.say(&reply.text())?;
        Outcome::Bad
    };
    explain::print(std::slice::from_ref(&reply), &arguments.explain, screen)?;
    Ok(interrupt::or_else(std::slice::from_ref(&reply), outcome))
}

/// Arguments from standard input, not mended: bytes that are no text are refused like a model's.
fn read_arguments(screen: &mut Screen<'_>) -> Result<Arguments> {
    let bytes = files::read_bounded(&mut *screen.stdin, DEFAULT_ARGUMENTS)?;
    Ok(String::from_utf8(bytes).map_or(Arguments::NotUnicode, Arguments::Text))
}

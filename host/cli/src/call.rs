//! `toolgate call`: one call from the command line, on the same line as a model's.

use anyhow::Result;
use toolgate::{MAX_ARGUMENTS, RawCall};

use crate::args::CallArguments;
use crate::screen::{Outcome, Screen};
use crate::{explain, files, interrupt, log, session, sources};

/// Prints the result, or the refusal or failure on stderr.
pub(crate) async fn run(arguments: CallArguments, screen: &mut Screen<'_>) -> Result<Outcome> {
    let given = match arguments.arguments.as_str() {
        "-" => files::read_bounded(&mut *screen.stdin, MAX_ARGUMENTS)?,
        text => text.as_bytes().to_vec(),
    };
    let call = RawCall::from_bytes(arguments.name, given);
    let log = log::Turn::begin(&arguments.log, std::slice::from_ref(&call))?;
    let loaded = sources::load_to_call(&arguments.tools, &arguments.reading, screen).await?;
    let loaded = loaded.seen_by(&arguments.caller)?;
    let reply = match session::with_values(None, &loaded, arguments.values) {
        Some(mut session) => session.call_until(call, interrupt::pressed()).await.0,
        None => loaded.host.call_until(call, interrupt::pressed()).await,
    };
    log.end(std::slice::from_ref(&reply), &loaded.host, screen)?;
    // Before the answer: what was written must be found again, also where nobody reads the answer.
    loaded.close(screen)?;
    explain::tell_operator(std::slice::from_ref(&reply), screen)?;
    // A result is the JSON that it is, for whatever reads it; what a model is told beside it goes to the person.
    let outcome = match reply.result() {
        Some(result) => {
            screen.data(result)?;
            reply.note().map_or(Ok(()), |note| screen.say(&format!("note: {note}")))?;
            Outcome::Good
        }
        None => {
            screen.say(&reply.text())?;
            Outcome::Bad
        }
    };
    explain::print(std::slice::from_ref(&reply), &arguments.explain, screen)?;
    Ok(interrupt::or_else(std::slice::from_ref(&reply), outcome))
}

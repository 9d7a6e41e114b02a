//! `toolgate answer`: a provider's message in, the answered message out.

use std::path::Path;

use anyhow::{Context, Result};
use toolgate::{MAX_MESSAGE, Turn};

use crate::args::AnswerArguments;
use crate::screen::{Outcome, Screen};
use crate::session::{self, SessionFile};
use crate::{explain, files, interrupt, log, sources};

/// Answers every call of the message; done as soon as the turn is answered, however its calls ended. At Ctrl-C what is not
/// done is answered as cancelled, and the whole turn is printed.
pub(crate) async fn run(arguments: AnswerArguments, screen: &mut Screen<'_>) -> Result<Outcome> {
    let body = match arguments.file == Path::new("-") {
        true => files::read_bounded(&mut *screen.stdin, MAX_MESSAGE)?,
        false => files::read(&arguments.file, MAX_MESSAGE)?,
    };
    let dialect = arguments.dialect.0;
    let turn = Turn::read(&body, dialect).with_context(|| {
        let file = match arguments.file == Path::new("-") {
            true => String::new(),
            false => format!("in `{}`: ", arguments.file.display()),
        };
        let read_as = dialect.map_or_else(String::new, |dialect| format!(", read as `--dialect {dialect}`"));
        format!("{file}no turn{read_as}")
    })?;
    hand_back(&turn, arguments.assistant_out.as_deref(), screen)?;
    let mut log = log::Turn::begin(&arguments.log, &turn.calls)?;
    let file = arguments.session.as_deref().map(SessionFile::open).transpose()?;
    let loaded = sources::load_to_call(&arguments.tools, &arguments.reading, screen).await?;
    let loaded = loaded.seen_by(&arguments.caller)?;
    if let Some(file) = &arguments.session {
        log.belongs_to(file, &loaded.session);
    }
    let session = file.as_ref().map(|file| file.resume(&loaded.host, loaded.session)).transpose()?;
    let (answer, kept) = match session::with_values(session, &loaded, arguments.values) {
        Some(mut session) => {
            let answer = session.answer_until(turn, interrupt::pressed()).await;
            (answer, file.map_or(Ok(()), |file| file.keep(&session)))
        }
        None => (loaded.host.answer_until(turn, interrupt::pressed()).await, Ok(())),
    };
    log.end(&answer.replies, &loaded.host, screen)?;
    // Before the answer: what was written must be found again, also where nobody reads the answer.
    loaded.close(screen)?;
    explain::tell_operator(&answer.replies, screen)?;
    screen.data(&answer.message)?;
    explain::print(&answer.replies, &arguments.explain, screen)?;
    // Last of all: a session that cannot be kept is an error, and no reason to keep the answer back.
    kept?;
    let Some(stop) = &answer.stop else {
        return Ok(interrupt::or_else(&answer.replies, Outcome::Good));
    };
    screen.say(&stop.to_string())?;
    Ok(interrupt::or_else(&answer.replies, Outcome::Stopped))
}

/// Gives back the assistant message where that was asked for, and says so where it had to change. Before any tool runs: a
/// file that cannot be written must not cost the answer.
fn hand_back(turn: &Turn, out: Option<&Path>, screen: &mut Screen<'_>) -> Result<()> {
    if let Some(out) = out {
        files::write(out, format!("{}\n", turn.assistant()).as_bytes())?;
    }
    if turn.is_mended() {
        let where_it_is = match out {
            Some(out) => format!("send the one in `{}`", out.display()),
            None => "`--assistant-out FILE` writes the one to send".to_owned(),
        };
        let dialect = turn.dialect;
        screen.say(&format!("the assistant message had to change for `{dialect}` to take it back: {where_it_is}"))?;
    }
    Ok(())
}

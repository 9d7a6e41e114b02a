//! Screen: the three streams, and how an outcome becomes an exit code.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use toolgate::clean;

/// Where the program reads and writes.
pub struct Screen<'s> {
    /// Standard input.
    pub stdin: &'s mut dyn Read,
    /// Data.
    pub stdout: &'s mut dyn Write,
    /// Everything that is not data.
    pub stderr: &'s mut dyn Write,
    /// Whether a person watches `stderr`: long work says so then.
    pub interactive: bool,
}

impl std::fmt::Debug for Screen<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").field("interactive", &self.interactive).finish_non_exhaustive()
    }
}

/// How a command ended that could do what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything is well.
    Good,
    /// A call was refused or failed, or a check found a fault.
    Bad,
    /// The turn was answered, and the session is better stopped.
    Stopped,
    /// A call was cancelled from the keyboard.
    Interrupted,
}

/// A turn that was answered in a session that is better stopped.
const STOPPED: u8 = 3;

/// What a shell takes for "ended by Ctrl-C": 128 and the number of the signal.
pub(crate) const INTERRUPTED: u8 = 130;

impl Screen<'_> {
    /// Writes JSON, and ends the line: whoever reads it gets every value as it is. What could move a cursor stands in strings,
    /// where JSON has an escape for it.
    pub(crate) fn data(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.stdout, "{}", toolgate::escape_in_json(text))?;
        self.stdout.flush()
    }

    /// Writes an answer for a person. Names of files and tools are foreign text: nothing in it moves the cursor.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.stdout, "{}", clean(text).0)?;
        self.stdout.flush()
    }

    /// Writes JSON that is not an answer. What could move a cursor stands in strings, where JSON has an escape for it.
    pub(crate) fn say_json(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.stderr, "{}", toolgate::escape_in_json(text))
    }

    /// Writes something that is not an answer, for a person.
    pub(crate) fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.stderr, "{}", clean(text).0)
    }

    /// Prints a usage error, or the help or version that was asked for.
    pub(crate) fn usage(&mut self, usage: &clap::Error) -> ExitCode {
        let text = usage.render().to_string();
        let text = clean(&text).0;
        let printed = if usage.use_stderr() { write!(self.stderr, "{text}") } else { write!(self.stdout, "{text}") };
        match printed {
            Ok(()) => ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2)),
            Err(_closed) => ExitCode::from(2),
        }
    }

    /// Maps an outcome to an exit code, with the error and its causes on stderr.
    pub(crate) fn end(&mut self, outcome: anyhow::Result<Outcome>) -> ExitCode {
        let error = match outcome {
            Ok(Outcome::Good) => return ExitCode::SUCCESS,
            Ok(Outcome::Bad) => return ExitCode::from(1),
            Ok(Outcome::Stopped) => return ExitCode::from(STOPPED),
            Ok(Outcome::Interrupted) => return ExitCode::from(INTERRUPTED),
            Err(error) => error,
        };
        let broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
            cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        };
        // Whoever reads our output has seen enough, as `head` has; that is no error of ours.
        if error.chain().any(broken_pipe) {
            return ExitCode::SUCCESS;
        }
        match self.say(&format!("error: {error:#}")) {
            Ok(()) | Err(_) => ExitCode::from(2),
        }
    }
}

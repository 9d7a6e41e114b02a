//! Screen: the three streams, and how an outcome becomes an exit code.

use std::io::{self, Read, Write};
use std::process::ExitCode;

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
}

impl Screen<'_> {
    /// Writes data and ends the line.
    pub(crate) fn data(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.stdout, "{text}")?;
        self.stdout.flush()
    }

    /// Writes something that is not data.
    pub(crate) fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.stderr, "{text}")
    }

    /// Prints a usage error, or the help or version that was asked for.
    pub(crate) fn usage(&mut self, usage: &clap::Error) -> ExitCode {
        let printed = if usage.use_stderr() {
            write!(self.stderr, "{}", usage.render())
        } else {
            write!(self.stdout, "{}", usage.render())
        };
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
            Err(error) => error,
        };
        let broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
            cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        };
        // Whoever reads our output has seen enough, as `head` has; that is no error of ours.
        if error.chain().any(broken_pipe) {
            return ExitCode::SUCCESS;
        }
        match writeln!(self.stderr, "error: {error:#}") {
            Ok(()) | Err(_) => ExitCode::from(2),
        }
    }
}

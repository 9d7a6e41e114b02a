//! The program `toolgate` as a library: arguments and streams in, an exit code out.
//!
//! The edge of the project: the only place that opens the files an operator names and speaks to a terminal. What a call is
//! and what becomes of it is the crate `toolgate`'s.

mod answer;
mod args;
mod bundled;
mod call;
mod check;
mod explain;
mod files;
mod inspect;
mod interrupt;
mod log;
mod pack;
mod report;
mod screen;
mod session;
mod sources;
mod table;
mod tools;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use self::args::{Arguments, Command};
use self::screen::Outcome;
pub use self::screen::Screen;

/// Runs the program once: data on stdout, everything else on stderr.
///
/// The exit code is 0 where the work was done, 1 where a call was refused or failed or a check found a fault, 2 where the
/// program could not do what it was asked, 3 where a session is better stopped, 130 where Ctrl-C cancelled a call: its reply says so, and is printed like any other.
pub fn run(arguments: impl IntoIterator<Item = OsString>, screen: &mut Screen<'_>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(usage) => return screen.usage(&usage),
    };
    let outcome = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            let outcome = runtime.block_on(command(arguments.command, screen));
            // Every call is answered. What may be left is a thread in a file operation that does not come back.
            runtime.shutdown_background();
            outcome
        }
        Err(error) => Err(error.into()),
    };
    screen.end(outcome)
}

async fn command(command: Command, screen: &mut Screen<'_>) -> anyhow::Result<Outcome> {
    match command {
        Command::Answer(arguments) => answer::run(arguments, screen).await,
        Command::Call(arguments) => call::run(arguments, screen).await,
        Command::Tools(arguments) => tools::run(arguments, screen).await,
        Command::Inspect(arguments) => inspect::run(arguments, screen).await,
        Command::Pack(arguments) => pack::run(arguments, screen).await,
        Command::Check(arguments) => check::run(arguments, screen).await,
        Command::Report(arguments) => report::run(arguments, screen).await,
    }
}

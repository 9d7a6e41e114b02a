//! The program `toolgate`. Everything is in the library, so that tests run it without a process.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut screen = toolgate_cli::Screen {
        stdin: &mut io::stdin().lock(),
        stdout: &mut io::stdout().lock(),
        stderr: &mut io::stderr(),
        interactive: io::stderr().is_terminal(),
    };
    toolgate_cli::run(std::env::args_os(), &mut screen)
}

//! Prints to both streams what would move a terminal's cursor, and answers.

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(print, probe("probe_output_prints"));

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "what this probe is for")]
fn print(_: Nothing) -> Result<Text, Failure> {
    println!("to stdout: \u{1b}[2J\u{202e}");
    eprintln!("to stderr: \u{1b}]0;owned\u{7}");
    println!("to stdout again");
    Ok(Text::new("it is printed"))
}

fn main() {}

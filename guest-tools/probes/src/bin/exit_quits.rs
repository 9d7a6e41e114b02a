//! Ends the program from inside a call, with the status of success. That is no answer.

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(quit, probe("probe_exit_quits"));

#[expect(clippy::exit, clippy::disallowed_methods, reason = "what this probe is for")]
fn quit(_: Nothing) -> Result<Text, Failure> {
    std::process::exit(0)
}

fn main() {}

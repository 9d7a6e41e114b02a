//! Answers with 100 KiB of text that its schema allows: more than a tool may return that did not ask for it.

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(answer, probe("probe_result_over_its_cap"));

fn answer(_: Nothing) -> Result<Text, Failure> {
    Ok(Text::new("x".repeat(100 << 10)))
}

fn main() {}

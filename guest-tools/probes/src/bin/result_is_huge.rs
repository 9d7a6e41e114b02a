//! Answers with 5 MiB of text that its schema allows: more than any tool may ask to return.

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(answer, probe("probe_result_is_huge"));

fn answer(_: Nothing) -> Result<Text, Failure> {
    Ok(Text::new("x".repeat(5 << 20)))
}

fn main() {}

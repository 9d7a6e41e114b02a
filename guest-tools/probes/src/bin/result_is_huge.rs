//! Answers with as many MiB of text as it is asked for, which its schema allows: more than any tool may ask to return.

use probes::{Text, probe};
use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_sdk::Failure;

toolgate_sdk::tool!(answer, probe("probe_result_is_huge"));

#[derive(Deserialize, JsonSchema)]
struct Input {
    mib: usize,
}

fn answer(input: Input) -> Result<Text, Failure> {
    Ok(Text::new("x".repeat(input.mib << 20)))
}

fn main() {}

//! Hands the host as many MiB in one call as it is asked for: more than a host takes.

use probes::{Text, probe};
use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_sdk::{Failure, Level, log};

toolgate_sdk::tool!(pass, probe("probe_log_passes_too_much"));

#[derive(Deserialize, JsonSchema)]
struct Input {
    mib: usize,
}

fn pass(input: Input) -> Result<Text, Failure> {
    log(Level::Info, &"x".repeat(input.mib << 20));
    Ok(Text::new("it is passed"))
}

fn main() {}

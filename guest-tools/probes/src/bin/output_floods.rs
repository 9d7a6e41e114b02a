//! Prints as many KiB as it is asked for, then answers as if nothing had been.

use std::io::{self, Write};

use probes::{Text, probe};
use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_sdk::Failure;

toolgate_sdk::tool!(flood, probe("probe_output_floods"));

#[derive(Deserialize, JsonSchema)]
struct Input {
    kib: u64,
}

fn flood(input: Input) -> Result<Text, Failure> {
    let line = [b'x'; 1 << 10];
    for _ in 0..input.kib {
        io::stdout().write_all(&line).map_err(|error| Failure::failed(error.to_string()))?;
    }
    Ok(Text::new("it is printed"))
}

fn main() {}

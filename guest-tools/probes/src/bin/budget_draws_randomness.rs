//! Draws randomness: more at once than any memory holds, or one byte at a time without end.

use std::hint::black_box;

use probes::{Text, probe};
use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_sdk::Failure;
use wasip2::random::random::get_random_bytes;

toolgate_sdk::tool!(draw, probe("probe_budget_draws_randomness"));

#[derive(Deserialize, JsonSchema)]
struct Input {
    how: How,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum How {
    AtOnce,
    ByByte,
    AsMuchAsIsGiven,
}

fn draw(input: Input) -> Result<Text, Failure> {
    match input.how {
        How::AtOnce => Ok(Text::new(get_random_bytes(1 << 63).len().to_string())),
        How::ByByte => loop {
            black_box(get_random_bytes(1));
        },
        How::AsMuchAsIsGiven => Ok(Text::new(get_random_bytes(64 << 10).len().to_string())),
    }
}

fn main() {}

//! Has no answer, for the reason that it is asked for.

use probes::{Text, probe};
use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_sdk::Failure;

toolgate_sdk::tool!(fail, probe("probe_fails_by_kind"));

#[derive(Deserialize, JsonSchema)]
struct Input {
    kind: Kind,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    NotFound,
    Refused,
    Unavailable,
    Failed,
    /// With text that a terminal would obey and a reader would not see.
    HidesText,
}

fn fail(input: Input) -> Result<Text, Failure> {
    Err(match input.kind {
        Kind::NotFound => Failure::not_found("the probe did not find it"),
        Kind::Refused => Failure::refused("the probe refuses"),
        Kind::Unavailable => Failure::unavailable("the probe cannot reach it now"),
        Kind::Failed => Failure::failed("the probe failed"),
        Kind::HidesText => Failure::failed("\u{1b}[2Jthe\u{202e} probe\u{200b}\u{e0041} failed"),
    })
}

fn main() {}

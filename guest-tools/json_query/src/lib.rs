//! `json_query`: runs a jq filter over a JSON value.
//!
//! The language is jaq's. Leaves out what would need the world (`now`, `env`, local time) and modules. What a filter may
//! cost is the host's business; only the number of results is bounded here, since a filter can have endlessly many and the
//! model should hear what to write instead.

mod filter;
mod number;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_sdk::{Declaration, Failure};

/// Most results of one filter. Beyond it a model would rather have them narrowed than read them, and without it
/// `repeat(1)` would run until its fuel is gone and tell nobody why.
const MOST_RESULTS: usize = 1000;

toolgate_sdk::tool!(
    json_query,
    Declaration {
        name: "json_query",
        version: "1.0.0",
        title: Some("Query JSON"),
        description: "Runs a jq filter over a JSON value and gives back its results, in order. At most 1000 results.",
        may_be_empty: &["/results"],
        ..Declaration::read()
    }
);

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The value that the filter reads: any JSON.
    input: Value,
    /// A jq filter, for example `.orders[] | select(.total > 100) | .id`.
    #[schemars(length(min = 1, max = 4096))]
    filter: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The filter's results; empty if it has none.
    #[schemars(length(max = 1000))]
    results: Vec<Value>,
}

fn json_query(input: Input) -> Result<Output, Failure> {
    let results = filter::run(&input.filter, input.input, MOST_RESULTS)?;
    Ok(Output { results })
}

#[cfg(test)]
mod tests;

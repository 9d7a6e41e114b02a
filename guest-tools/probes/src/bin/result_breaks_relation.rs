//! Promises to keep to its arguments and does not, in the way that it is asked for.

use probes::probe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::{Declaration, Failure, Relation};

toolgate_sdk::tool!(
    answer,
    Declaration {
        relations: &[Relation::max_items("/rows", "/limit"), Relation::equals("/sku", "/sku")],
        ..probe("probe_result_breaks_relation")
    }
);

#[derive(Deserialize, JsonSchema)]
struct Input {
    how: How,
    /// The article.
    sku: String,
    /// Most rows to answer with.
    limit: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum How {
    /// Ignores the limit, as an old version does.
    TwentyRows,
    /// Answers about another article.
    AnotherSku,
    /// Keeps both promises.
    NotAtAll,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    sku: String,
    rows: Vec<u32>,
}

fn answer(input: Input) -> Result<Output, Failure> {
    let Input { how, sku, limit } = input;
    let n_rows = if matches!(how, How::TwentyRows) { 20 } else { limit.unwrap_or(3) };
    let sku = if matches!(how, How::AnotherSku) { "XX-000".to_owned() } else { sku };
    Ok(Output { sku, rows: (0..n_rows).collect() })
}

fn main() {}

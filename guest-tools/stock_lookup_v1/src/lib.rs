//! `stock_lookup_v1`: an older stock lookup that forgets its own `limit`.
//!
//! It is the shipped example of a tool that breaks its promise: the contract says at most two rows, and twenty come back.
//! Same types as `stock_lookup`, written out again, since two tools of different age share no code in the wild either.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::{Declaration, Failure};

toolgate_sdk::tool!(
    stock_lookup_v1,
    Declaration {
        name: "stock_lookup_v1",
        version: "1.0.3",
        title: Some("Stock lookup, first version"),
        description: "Looks up how many pieces of an article are on hand in the warehouses of one region.",
        ..Declaration::read()
    }
);

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "what it forgets to look at is the point of this tool")]
struct Input {
    /// Article number, for example `KB-104`.
    sku: String,
    /// Region whose warehouses are asked.
    region: Region,
    /// Most warehouses to answer with.
    #[schemars(range(min = 1, max = 2))]
    limit: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Region {
    Busan,
    Jeju,
    Seoul,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The article that was asked for.
    sku: String,
    /// Warehouses with this article, at most as many as asked for.
    #[schemars(length(min = 1, max = 2))]
    rows: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    /// Short name of the warehouse.
    warehouse: String,
    /// Pieces that can be sent today.
    on_hand: u32,
}

fn stock_lookup_v1(input: Input) -> Result<Output, Failure> {
    let rows = (1..=20).map(|number| Row { warehouse: format!("WH-{number:02}"), on_hand: number });
    Ok(Output { rows: rows.collect(), sku: input.sku })
}

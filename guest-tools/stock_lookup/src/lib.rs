//! `stock_lookup`: how many pieces of an article lie in a region's warehouses.
//!
//! Leaves out reserving and moving stock. An article that is listed and lies nowhere gives an empty list, on purpose not
//! declared as an answer: the host turns it into `result:empty:rows`, and the model hears that nothing is known.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_sdk::{Declaration, Failure, Relation};

toolgate_sdk::tool!(
    stock_lookup,
    Declaration {
        name: "stock_lookup",
        version: "1.2.0",
        title: Some("Stock lookup"),
        description: "Looks up how many pieces of an article are on hand in the warehouses of one region.",
        relations: &[Relation::max_items("/rows", "/limit"), Relation::equals("/sku", "/sku")],
        ..Declaration::read()
    }
);

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Article number, for example `KB-104`.
    sku: String,
    /// Region whose warehouses are asked.
    region: Region,
    /// Most warehouses to answer with.
    #[schemars(range(min = 1, max = 2))]
    limit: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
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

/// One line of the embedded table.
#[derive(Deserialize)]
struct Stored {
    region: Region,
    warehouse: String,
    on_hand: u32,
}

/// Reads the one article that is asked for; of the others only the names, which is most of the time saved.
fn article(sku: &str) -> serde_json::Result<Result<Vec<Stored>, Vec<&'static str>>> {
    let stock: BTreeMap<&str, &RawValue> = serde_json::from_str(include_str!("../data/stock.json"))?;
    match stock.get(sku) {
        Some(rows) => serde_json::from_str(rows.get()).map(Ok),
        None => Ok(Err(stock.into_keys().collect())),
    }
}

fn stock_lookup(input: Input) -> Result<Output, Failure> {
    let found = article(&input.sku).map_err(|error| Failure::failed(format!("the stock table is damaged: {error}")))?;
    let stored = found.map_err(|known| {
        Failure::not_found(format!("no article `{}`; articles are {}", input.sku, known.join(", ")))
    })?;
    let here = stored.into_iter().filter(|row| row.region == input.region);
    let rows = here.take(input.limit.into()).map(|Stored { warehouse, on_hand, .. }| Row { warehouse, on_hand });
    Ok(Output { rows: rows.collect(), sku: input.sku })
}

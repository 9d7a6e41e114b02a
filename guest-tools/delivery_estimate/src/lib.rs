//! `delivery_estimate`: in how many days an order will arrive.
//!
//! It is the shipped example of a unit error: one carrier's record is in hours, and the tool hands the number on without
//! looking at the unit. Only the bound in the contract keeps the 720 "days" of order 5531 from the customer.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::{Declaration, Failure};

toolgate_sdk::tool!(
    delivery_estimate,
    Declaration {
        name: "delivery_estimate",
        version: "1.0.0",
        title: Some("Estimate a delivery"),
        description: "Says in how many days an order will arrive. Nothing is delivered later than after two weeks.",
        ..Declaration::read()
    }
);

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Order number, for example `5531`.
    order_id: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    order_id: String,
    /// Days from today, 0 if it is there already.
    #[schemars(range(min = 0, max = 14))]
    days: u32,
}

/// What a carrier says about a parcel.
#[derive(Deserialize)]
struct Record {
    value: u32,
}

fn delivery_estimate(input: Input) -> Result<Output, Failure> {
    let mut records: BTreeMap<String, Record> = serde_json::from_str(include_str!("../data/deliveries.json"))
        .map_err(|error| Failure::failed(format!("the carriers' records are damaged: {error}")))?;
    let record = records
        .remove(&input.order_id)
        .ok_or_else(|| Failure::not_found(format!("no parcel for order `{}`", input.order_id)))?;
    Ok(Output { days: record.value, order_id: input.order_id })
}

//! `search_orders`: the orders of one customer, all of them or those in one state.
//!
//! Leaves out searching across customers: an agent that serves one of them has no business in the orders of another. No
//! order is an answer here and is declared as one; an unknown customer is not.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::{Declaration, Failure};

toolgate_sdk::tool!(
    search_orders,
    Declaration {
        name: "search_orders",
        version: "1.0.0",
        title: Some("Search orders"),
        description: "Lists the orders of one customer, newest first, with state, total and items. Amounts are in cents.",
        may_be_empty: &["/orders"],
        ..Declaration::read()
    }
);

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Customer number, for example `cus_8812`.
    #[schemars(regex(pattern = r"^cus_[a-zA-Z0-9]+$"))]
    customer_id: String,
    /// Only orders in this state. All orders if left out.
    status: Option<Status>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Open,
    Shipped,
    Delivered,
    Refunded,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// Orders that fit; empty if there are none.
    orders: Vec<Order>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Order {
    order_id: String,
    status: Status,
    /// Day of the order.
    #[schemars(extend("format" = "date"))]
    placed_on: String,
    /// Sum over all items.
    total_cents: u32,
    items: Vec<Item>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Item {
    sku: String,
    #[schemars(range(min = 1))]
    quantity: u32,
    /// Price of one piece.
    unit_cents: u32,
}

fn search_orders(input: Input) -> Result<Output, Failure> {
    let mut customers: BTreeMap<String, Vec<Order>> = serde_json::from_str(include_str!("../data/orders.json"))
        .map_err(|error| Failure::failed(format!("the order table is damaged: {error}")))?;
    let mut orders = customers.remove(&input.customer_id).ok_or_else(|| {
        Failure::not_found(format!("no customer `{}`; check the number with the customer", input.customer_id))
    })?;
    orders.retain(|order| input.status.is_none_or(|status| order.status == status));
    Ok(Output { orders })
}

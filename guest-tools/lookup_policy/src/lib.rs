//! `lookup_policy`: what the shop promises its customers, one topic at a time.
//!
//! Leaves out judging a case by it. The text is the shop's own and is handed on word for word.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::{Declaration, Failure};

toolgate_sdk::tool!(
    lookup_policy,
    Declaration {
        name: "lookup_policy",
        version: "1.0.0",
        title: Some("Look up a policy"),
        description: "Gives the shop's policy on one topic, word for word. Look it up before promising a customer anything.",
        ..Declaration::read()
    }
);

#[derive(Deserialize, JsonSchema)]
struct Input {
    topic: Topic,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Topic {
    /// Sending goods back.
    Returns,
    /// Paying money back.
    Refunds,
    /// Times and costs of delivery.
    Shipping,
    /// What happens when goods fail later.
    Warranty,
    /// What happens when goods arrive broken.
    DamagedGoods,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    topic: Topic,
    /// The policy, word for word.
    #[schemars(length(min = 1))]
    policy: String,
}

fn lookup_policy(input: Input) -> Result<Output, Failure> {
    let mut policies: BTreeMap<Topic, String> = serde_json::from_str(include_str!("../data/policies.json"))
        .map_err(|error| Failure::failed(format!("the policies are damaged: {error}")))?;
    let policy = policies.remove(&input.topic).ok_or_else(|| Failure::failed("this topic has no text yet"))?;
    Ok(Output { topic: input.topic, policy })
}

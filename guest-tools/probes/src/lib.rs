//! What most probes share, so that each file holds little more than its misdeed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::Declaration;

/// Arguments of a probe that needs none: a closed, empty object.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Nothing {}

/// A result, or an argument, of one text.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Text {
    /// Any text at all.
    pub text: String,
}

impl Text {
    /// The text as a result.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

/// The declaration of a probe that asks for nothing and says that it only reads.
pub const fn probe(name: &'static str) -> Declaration {
    Declaration { name, version: "0.0.1", description: "A probe of the host, for tests only.", ..Declaration::read() }
}

/// The contract of a probe whose call does not go through the SDK.
pub fn contract<I: JsonSchema, O: JsonSchema>(name: &'static str) -> serde_json::Value {
    toolgate_sdk::document::<I, O>(&probe(name)).unwrap_or_default()
}

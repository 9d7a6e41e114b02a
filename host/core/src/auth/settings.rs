//! Settings: who may call, and what has to hold of a call, as an operator's file says it.
//!
//! Data only. What of it cannot be meant is refused by `auth::caller` and `auth::rule`, with the tools before them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Somebody on whose behalf a model calls tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallerSettings {
    /// The name: 1 to 64 letters, digits and `_`, `-`, `.`, `@`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_.@-]{1,64}$"))]
    pub name: String,
    /// The tools that there are for it, by name; left out, all that are loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// What rules may ask of it, as `caller.KEY`: texts, numbers, `true` or `false`, or lists of those.
    #[serde(default)]
    pub attributes: BTreeMap<String, Value>,
}

impl CallerSettings {
    /// A caller with all tools and without attributes.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same with these tools only.
    #[must_use]
    pub fn tools<'t>(mut self, tools: impl IntoIterator<Item = &'t str>) -> Self {
        self.tools = Some(tools.into_iter().map(str::to_owned).collect());
        self
    }

    /// The same with an attribute more.
    #[must_use]
    pub fn attribute(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.attributes.insert(key.into(), value.into());
        self
    }
}

/// What has to hold of a call before its tool runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleSettings {
    /// The name in the operator's log; left out, the rule's number in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tools that it concerns, by name; left out, all that are loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// A condition in CEL over `session`, `caller`, `tool` and `args`: a call goes on where it is `true`, and nowhere else.
    pub allow: String,
}

impl RuleSettings {
    /// A rule for all tools.
    pub fn new(allow: impl Into<String>) -> Self {
        Self { allow: allow.into(), ..Self::default() }
    }

    /// The same under a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The same for these tools only.
    #[must_use]
    pub fn tools<'t>(mut self, tools: impl IntoIterator<Item = &'t str>) -> Self {
        self.tools = Some(tools.into_iter().map(str::to_owned).collect());
        self
    }
}

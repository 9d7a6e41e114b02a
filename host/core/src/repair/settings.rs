//! Settings: the operator's rules for calls that came to no answer, as `toolgate.toml` has them under `[repair]`.
//!
//! Words and numbers only. Whether a rule can ever apply is for `repair::rule` to say, which knows the tools.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How often one call is tried, the first time included. What two changes do not mend, a third one only hides.
pub const DEFAULT_ATTEMPTS: u32 = 3;

/// Most tries that an operator can set.
pub const MAX_ATTEMPTS: u32 = 10;

/// Time from the beginning of a call after which no further try of it goes on: as much as a tool may take by itself, once for
/// each of them.
pub const DEFAULT_REPAIR_TIME: Duration = Duration::from_secs(15);

/// The longest that an operator can set.
pub const MAX_REPAIR_TIME: Duration = Duration::from_mins(10);

/// First wait before a call is tried again as it is; each one after it is twice as long.
pub const DEFAULT_WAIT: Duration = Duration::from_millis(100);

/// Most rules. Each is looked at for every call that fails.
pub const MAX_REPAIR_RULES: usize = 100;

/// What may be repaired, how often, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RepairSettings {
    /// How often one call is tried, the first time included: 1 to 10, 3 unless it is said.
    #[serde(default)]
    pub attempts: Option<u32>,
    /// Milliseconds from the beginning of a call after which no further try of it goes on: 1 to 600000, 15000 unless it is said.
    #[serde(default)]
    pub deadline_ms: Option<u64>,
    /// The only reasons that are repaired, such as `args:allowed` or `result:*`; every one that can be, unless it is said.
    #[serde(default)]
    pub fixable: Option<Vec<String>>,
    /// The rules. The first one that applies is followed.
    #[serde(default)]
    pub rules: Vec<RepairRule>,
}

/// What to do about calls that end by one reason: exactly one of `set`, `switch` and `retry`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RepairRule {
    /// What replies and logs call it.
    pub name: String,
    /// The tools whose calls it is for; all, unless it is said. Arguments of a tool that writes are only ever changed by a
    /// rule that names the tool.
    #[serde(default)]
    pub tools: Option<Vec<String>>,
    /// A code (`args:allowed`), a code with its place (`args:allowed:region`, `args:range:rows.*.qty`), or all codes of a
    /// stage (`args:*`).
    pub reason: String,
    /// Set an argument.
    #[serde(default)]
    pub set: Option<SetArgument>,
    /// Ask another tool.
    #[serde(default)]
    pub switch: Option<SwitchTool>,
    /// Ask again as it is.
    #[serde(default)]
    pub retry: Option<Retry>,
}

/// An argument and what to set it to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetArgument {
    /// The argument, as a JSON Pointer (RFC 6901) such as `/region`; the one that the reason is about, unless it is said.
    #[serde(default)]
    pub argument: Option<String>,
    /// What to set it to.
    pub to: SetTo,
}

/// What an argument is set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SetTo {
    /// This value.
    Constant(Value),
    /// The `default` of the schema.
    Default,
    /// The nearest number that the schema's bounds let through.
    Clamp,
    /// The nearest of the permitted values.
    Nearest,
}

/// Another tool and what to ask it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchTool {
    /// Its name.
    pub to: String,
    /// Its arguments by JSON Pointer, each from an argument of the call or constant; all arguments as they are, unless it is
    /// said.
    #[serde(default)]
    pub arguments: Option<BTreeMap<String, Source>>,
}

/// Where an argument of the other tool comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Source {
    /// This argument of the call, as a JSON Pointer; left out where the call has none.
    From(String),
    /// This value.
    Constant(Value),
}

/// How to ask again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// Milliseconds before the first time, twice as many before each further one, of each a random part of at least a half:
    /// 1 to 60000, 100 unless it is said.
    #[serde(default)]
    pub wait_ms: Option<u64>,
}

/// The longest first wait.
const MAX_WAIT_MS: u64 = 60_000;

impl RepairSettings {
    /// How often a call is tried.
    pub fn attempts(&self) -> u32 {
        self.attempts.unwrap_or(DEFAULT_ATTEMPTS)
    }

    /// The time after which no further try goes on.
    pub fn deadline(&self) -> Duration {
        self.deadline_ms.map_or(DEFAULT_REPAIR_TIME, Duration::from_millis)
    }

    /// The first number out of its bounds: its key, and the most.
    pub(crate) fn beyond_maximum(&self) -> Option<(String, u64)> {
        let most_ms = u64::try_from(MAX_REPAIR_TIME.as_millis()).unwrap_or(u64::MAX);
        let own = [
            ("attempts".to_owned(), self.attempts.map(u64::from), u64::from(MAX_ATTEMPTS)),
            ("deadline_ms".to_owned(), self.deadline_ms, most_ms),
        ];
        let waits = self.rules.iter().enumerate().map(|(idx, rule)| {
            (format!("rules[{idx}].retry.wait_ms"), rule.retry.and_then(|retry| retry.wait_ms), MAX_WAIT_MS)
        });
        let out = own.into_iter().chain(waits).find(|(_, set, max)| set.is_some_and(|set| set == 0 || set > *max));
        out.map(|(key, _, max)| (key, max))
    }
}

impl Retry {
    /// The wait before the first time.
    pub fn wait(self) -> Duration {
        self.wait_ms.map_or(DEFAULT_WAIT, Duration::from_millis)
    }
}

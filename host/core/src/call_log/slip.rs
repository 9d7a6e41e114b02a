//! Slip: what a refused call got wrong, as values that can be counted.
//!
//! Names of keys are kept, cut and cleaned: they are what a declaration can be mended by. Values are kept as their kind and
//! their digest. What belongs there comes from the contract, which is no secret.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Keep;
use crate::digest;
use crate::json::{Item, Kind};
use crate::refusal::Rejection;
use crate::registry::RegistryRejection;
use crate::reply::{Reply, Verdict};
use crate::schema::{Misfit, Wants};
use crate::text;

/// Most characters of a key or of a declared value.
const MAX_WORD: usize = 64;

/// What a refused call got wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Slip {
    /// There is no tool of that name.
    UnknownTool {
        /// The name that is probably meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
    },
    /// A required key is not there.
    MissingKey {
        /// The key.
        key: String,
        /// The undeclared key that came in its place, where one looks like it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sent: Option<String>,
    },
    /// A key is not declared.
    UndeclaredKey {
        /// The key that came.
        key: String,
        /// The declared key that is nearest to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
    },
    /// A value is of another type.
    WrongType {
        /// The declared types, by their names in JSON Schema.
        wants: Vec<String>,
        /// What came.
        got: ValueKind,
    },
    /// A value of the right type is out of bounds, or none of the permitted ones.
    WrongValue {
        /// What came.
        got: ValueKind,
        /// How many values are permitted, where they are listed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        n_permitted: Option<u64>,
        /// The permitted value that is nearest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
        /// The start of the value's SHA-256, for a value that is neither list nor object. It hides only what cannot be guessed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
        /// The value, cut, where the operator wants arguments in the log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValueKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A text.
    String,
    /// A list.
    Array,
    /// An object.
    Object,
}

impl ValueKind {
    /// The word for a person.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "a list",
            Self::Object => "an object",
        }
    }

    const fn of(kind: &Kind<'_>) -> Self {
        match kind {
            Kind::Null => Self::Null,
            Kind::Bool(_) => Self::Boolean,
            Kind::Number(_) => Self::Number,
            Kind::Text(_) => Self::String,
            Kind::List(_) => Self::Array,
            Kind::Object(_) => Self::Object,
        }
    }
}

impl Slip {
    /// What a call that was refused for its name or its values got wrong, or would have been if it had not been repaired. What
    /// is wrong with the text of the arguments is said by the code alone.
    pub(super) fn of(reply: &Reply, keep: Keep) -> Option<Self> {
        let rejection = match &reply.verdict {
            Verdict::Refused(rejection) => Some(rejection),
            Verdict::Done(_) | Verdict::Failed(_) => reply.mended.as_deref(),
        };
        match rejection? {
            Rejection::Registry(RegistryRejection::UnknownTool(unknown)) => {
                Some(Self::UnknownTool { nearest: unknown.nearest().map(str::to_owned) })
            }
            Rejection::Registry(RegistryRejection::Arguments(misfit)) => Some(Self::of_misfit(misfit, keep)),
            Rejection::Call(_)
            | Rejection::TooManyCalls(_)
            | Rejection::Denied(_)
            | Rejection::Registry(RegistryRejection::TooManyValues { n: _, max: _ }) => None,
        }
    }

    fn of_misfit(misfit: &Misfit, keep: Keep) -> Self {
        let violation = misfit.violation();
        let key = || violation.at.last_key().map(|key| text::one_line(key, MAX_WORD)).unwrap_or_default();
        let got = misfit.got();
        let value = |n_permitted, nearest: Option<&String>| Self::WrongValue {
            got: ValueKind::of(&got.kind()),
            n_permitted,
            nearest: nearest.map(|near| text::one_line(near, MAX_WORD)),
            digest: digest_of(got),
            value: (keep == Keep::Arguments).then(|| text::quote(&got)),
        };
        match &violation.wants {
            Wants::Key { holds: _, misspelt } => Self::MissingKey { key: key(), sent: misspelt.clone() },
            Wants::DeclaredKeys { keys: _, nearest } => Self::UndeclaredKey { key: key(), nearest: nearest.clone() },
            Wants::Type(names) => Self::WrongType {
                wants: names.iter().map(|name| (*name).to_owned()).collect(),
                got: ValueKind::of(&got.kind()),
            },
            Wants::OneOf { values, n_more, nearest, in_another_case: _ } => {
                let n = values.len().saturating_add(*n_more);
                value(Some(u64::try_from(n).unwrap_or(u64::MAX)), nearest.as_ref())
            }
            Wants::Bound(_) | Wants::Pattern(_) | Wants::Format(_) | Wants::Rule(_) => value(None, None),
        }
    }
}

/// The digest of a value that is neither list nor object: those have as many forms as there are calls.
fn digest_of(value: Item<'_>) -> Option<String> {
    match value.kind() {
        Kind::List(_) | Kind::Object(_) => None,
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => {
            serde_json::to_vec(&value).ok().map(|json| digest::short(&json))
        }
    }
}

//! Errors of a document that is no schema this host enforces: the place, the rule, and the code a load ends with.

use super::lint;
use crate::units::{ByteCount, Depth};

/// Why a document is no schema that this host enforces. A place is a JSON Pointer (RFC 6901), `/` for the root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// No JSON, or JSON that says one thing and means another, such as a repeated key.
    #[error("it does not read: {0}")]
    Unreadable(String),
    /// It is not an object with `"type": "object"` at the root where one is due.
    #[error("the root must say `\"type\": \"object\"`, as every provider wants")]
    RootNotObject,
    /// An object schema that says nothing about undeclared keys.
    #[error(
        "the object at `{at}` is left open by silence: say `\"additionalProperties\": false`, or `true` on purpose"
    )]
    OpenObject {
        /// Its place.
        at: String,
    },
    /// More bytes than are looked at.
    #[error("it has {size}, the most is {max}")]
    TooLarge {
        /// Its size.
        size: ByteCount,
        /// The most.
        max: ByteCount,
    },
    /// Nesting beyond what is walked.
    #[error("it is nested deeper than {max}")]
    TooDeep {
        /// The most.
        max: Depth,
    },
    /// A keyword that means nothing in 2020-12, or that this host does not enforce.
    #[error("`{keyword}` at `{at}` is no keyword that is enforced{}", or_empty(.nearest))]
    UnknownKeyword {
        /// The keyword.
        keyword: String,
        /// The place of the schema it stands in.
        at: String,
        /// The keyword that is probably meant.
        nearest: Option<String>,
    },
    /// A format that this host does not check.
    #[error("the format `{format}` at `{at}` is none that is checked: the formats are {}", lint::FORMATS.join(", "))]
    UnknownFormat {
        /// The format.
        format: String,
        /// The place of the schema it stands in.
        at: String,
    },
    /// A reference that leaves the document, moves its base or points nowhere, or another dialect.
    #[error("`{keyword}` at `{at}` is `{target}`: {rule}")]
    Reference {
        /// `$ref`, `$id`, `$dynamicRef` …
        keyword: &'static str,
        /// The place of the schema it stands in.
        at: String,
        /// What it says.
        target: String,
        /// What would be right.
        rule: &'static str,
    },
    /// A keyword that holds what it cannot hold, or can never be met.
    #[error("`{keyword}` at `{at}` {problem}")]
    Keyword {
        /// The keyword.
        keyword: String,
        /// The place of the schema it stands in.
        at: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A pattern that is not enforced.
    #[error("the pattern `{pattern}` {problem}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Checking a value against it could cost more than a call is given.
    #[error("checking a value against it costs too much: {problem} at `{at}`")]
    Cost {
        /// The place where it grows.
        at: String,
        /// What grows.
        problem: String,
    },
    /// A text that hides something; it would reach the model.
    #[error("it holds control or invisible characters in `{0}`")]
    HiddenText(String),
    /// The validator turns it down all the same; the text says why.
    #[error("it does not compile: {0}")]
    Invalid(String),
    /// An output schema that values of every type fit.
    #[error("a value of any type fits it, so it promises nothing: say the `type` of the result")]
    PromisesNothing,
    /// Any value fits a schema that is to be stricter than another.
    #[error("any value fits it, so it asks for nothing beyond the tool's own")]
    AsksNothing,
    /// A schema that is to be stricter than another names a key that the other never lets stand.
    #[error("it names `{0}`, a key that the tool's own output schema does not let stand")]
    Stranger(String),
    /// `may_be_empty` names a place that is no list of the result's top level.
    #[error("`may_be_empty` names `{0}`, which is no list in the top level of the output")]
    NoSuchList(String),
}

impl SchemaError {
    /// The stable code of the load that ends with it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Reference { keyword: _, at: _, target: _, rule: _ } => "load:schema_ref",
            Self::UnknownKeyword { keyword: _, at: _, nearest: _ } | Self::UnknownFormat { format: _, at: _ } => {
                "load:schema_keyword"
            }
            Self::Cost { at: _, problem: _ } => "load:schema_cost",
            Self::Pattern { pattern: _, problem: _ } => "load:pattern",
            Self::OpenObject { at: _ } => "load:open_object",
            Self::HiddenText(_) => "load:text",
            Self::Unreadable(_)
            | Self::RootNotObject
            | Self::TooLarge { size: _, max: _ }
            | Self::TooDeep { max: _ }
            | Self::Keyword { keyword: _, at: _, problem: _ }
            | Self::Invalid(_)
            | Self::PromisesNothing
            | Self::AsksNothing
            | Self::Stranger(_)
            | Self::NoSuchList(_) => "load:schema",
        }
    }
}

fn or_empty(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

//! Violation: one way in which a value does not fit a schema. `reply` words it.

use std::sync::Arc;

use super::Schema;
use super::explain::{Broken, Found};
use super::wants::{declared_range, wants};
use crate::field_path::FieldPath;
use crate::json::{Item, Json};
use crate::text;

/// What kind of rule broke, in the order in which violations are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keyword {
    /// `required`, `dependentRequired`: a key is not there.
    Required,
    /// A key that is not declared.
    Undeclared,
    /// `type`.
    Type,
    /// `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`.
    NumberRange,
    /// `minItems`, `minLength`, `minProperties`.
    TooFew,
    /// `maxItems`, `maxLength`, `maxProperties`.
    TooMany,
    /// `enum`, `const`.
    Enum,
    /// `pattern`.
    Pattern,
    /// `format`.
    Format,
    /// Combinators and what is left.
    Schema,
}

impl Keyword {
    /// The place in the fixed order: missing, unexpected, type, range, allowed, shape.
    pub(super) const fn order(self) -> u8 {
        match self {
            Self::Required => 0,
            Self::Undeclared => 1,
            Self::Type => 2,
            Self::NumberRange | Self::TooFew | Self::TooMany => 3,
            Self::Enum | Self::Pattern | Self::Format => 4,
            Self::Schema => 5,
        }
    }
}

/// What the schema wants at the place of a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wants {
    /// A key that is missing: what it holds in a few words, and an undeclared key beside it that looks like it.
    Key {
        /// Such as `an integer from 1 to 2`.
        holds: String,
        /// The misspelling, where there is one.
        misspelt: Option<String>,
    },
    /// One of the declared keys instead of this one.
    DeclaredKeys {
        /// The declared keys, sorted, cut to a readable number.
        keys: Vec<String>,
        /// The nearest of them.
        nearest: Option<String>,
    },
    /// One of these types, by their names in JSON Schema.
    Type(Vec<&'static str>),
    /// A bound, as the rest of a sentence: `must be at most 100`.
    Bound(String),
    /// One of these values, as JSON.
    OneOf {
        /// The permitted values, cut to a readable number.
        values: Vec<String>,
        /// How many more there are.
        n_more: usize,
        /// The nearest permitted value.
        nearest: Option<String>,
        /// The one permitted text that differs in letter case only, where there is exactly one.
        in_another_case: Option<String>,
    },
    /// A text that matches this regular expression.
    Pattern(String),
    /// A text in this format.
    Format(String),
    /// Something else, as the rest of a sentence.
    Rule(String),
}

/// One way in which a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The kind of rule.
    pub keyword: Keyword,
    /// The place in the value.
    pub at: FieldPath,
    /// What belongs there.
    pub wants: Wants,
    /// What came, as JSON cut to 120 characters.
    pub got: Option<String>,
}

/// A document that does not fit its schema, and where. What is said of it is made when somebody reads it: a program that
/// only wants the code pays for no words.
#[derive(Clone, Debug)]
pub struct Misfit {
    schema: Arc<Schema>,
    json: Json,
    /// `None` where the explainer ran out of steps before it found anything.
    found: Option<Found>,
}

impl Misfit {
    pub(super) const fn new(schema: Arc<Schema>, json: Json, found: Option<Found>) -> Self {
        Self { schema, json, found }
    }

    /// The kind of rule that broke.
    pub fn keyword(&self) -> Keyword {
        self.found.as_ref().map_or(Keyword::Schema, |found| found.keyword)
    }

    /// The place in the value.
    pub fn at(&self) -> FieldPath {
        let path = self.found.iter().flat_map(|found| &found.path);
        FieldPath::from_segments(path.map(|step| step.segment(&self.json)).collect())
    }

    /// The violation in full.
    pub fn violation(&self) -> Violation {
        violation(&self.schema, &self.json, self.found.as_ref())
    }

    /// The declared bounds of a number that is out of them, where there are two: `from 1 to 14`.
    pub(crate) fn declared_range(&self) -> Option<String> {
        self.found.as_ref().and_then(|found| declared_range(&self.schema.program, &found.broken))
    }

    /// Whether the schema lets no value stand there.
    pub(crate) fn is_out_of_place(&self) -> bool {
        self.found.as_ref().is_some_and(|found| matches!(found.broken, Broken::Never))
    }

    /// The value that breaks the rule, or the whole.
    pub(crate) fn got(&self) -> Item<'_> {
        self.json.item(self.found.as_ref().map_or(0, |found| found.got))
    }
}

impl PartialEq for Misfit {
    fn eq(&self, other: &Self) -> bool {
        self.violation() == other.violation()
    }
}

impl Eq for Misfit {}

/// What was found, in words. Where nothing was, the root's shape is it.
pub(super) fn violation(schema: &Schema, json: &Json, found: Option<&Found>) -> Violation {
    let Some(found) = found else {
        return Violation {
            keyword: Keyword::Schema,
            at: FieldPath::root(),
            wants: Wants::Rule("must fit the schema as a whole".to_owned()),
            got: Some(text::quote(&json.root())),
        };
    };
    let got = json.item(found.got);
    Violation {
        keyword: found.keyword,
        at: FieldPath::from_segments(found.path.iter().map(|step| step.segment(json)).collect()),
        wants: wants(&schema.program, json, &found.broken, got),
        got: Some(text::quote(&got)),
    }
}

//! Check: does what came back have the promised shape, is it non-empty, small enough, in range?
//!
//! The last stage that can fail a call. Trusts nothing a guest says: the text is read by the same strict reader as a
//! model's, and what it hides is made visible before anybody sees it.

use serde_json::Value;

use crate::field_path::{FieldPath, pointer_step};
use crate::gate::DEFAULT_DEPTH;
use crate::json::{self, Fault};
use crate::sandbox::{Output, Said};
use crate::schema::{Keyword, Violation};
use crate::text;
use crate::tool::Tool;
use crate::units::{ByteCount, Depth};

/// Why what came back is no answer. The tool has finished all the same: whatever it changed stays changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultFailure {
    /// It is not the JSON that was promised.
    NotJson {
        /// What is wrong, in words.
        problem: String,
        /// Where, as far as that is known.
        at: FieldPath,
    },
    /// It does not have the declared shape.
    Shape(Box<Violation>),
    /// Nothing came where something was promised.
    Empty {
        /// Where.
        at: FieldPath,
    },
    /// More items, characters or keys than promised.
    TooMany(Box<Violation>),
    /// More bytes than the tool may return.
    TooLarge {
        /// The most.
        max: ByteCount,
    },
    /// Deeper than anybody reads.
    TooDeep {
        /// The most.
        max: Depth,
    },
    /// A number outside its declared bounds.
    Range(Box<Violation>),
    /// A number that cannot be held.
    Inexact {
        /// Where.
        at: FieldPath,
    },
}

/// A result that keeps every promise. Made only by the stage `check`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    value: Value,
    text: String,
    n_sanitised: usize,
}

impl Checked {
    /// The result.
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// The result as compact JSON.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many control or invisible characters were made visible.
    pub const fn n_sanitised(&self) -> usize {
        self.n_sanitised
    }
}

/// Believes a guest's output, or says which promise it breaks.
pub(crate) fn accept(output: Output) -> Result<Checked, ResultFailure> {
    let (tool, said) = output.into_parts();
    let max = tool.limits.result;
    let text = match said {
        Said::Text(text) if ByteCount::of(text.as_bytes()) <= max => text,
        Said::Text(_) | Said::TooMuch => return Err(ResultFailure::TooLarge { max }),
    };
    let mut value = read(&text)?;
    if !tool.output.accepts(&value) {
        return Err(broken_promise(tool.output.explain(&value), &value));
    }
    if let Some(at) = empty_list(&tool, &value) {
        return Err(ResultFailure::Empty { at });
    }
    let n_sanitised = text::clean_value(&mut value);
    let text = serde_json::to_string(&value).expect("a `Value` has text keys only, and writing to memory cannot fail");
    // Escapes are longer than what they show.
    if ByteCount::of(text.as_bytes()) > max {
        return Err(ResultFailure::TooLarge { max });
    }
    Ok(Checked { value, text, n_sanitised })
}

fn read(text: &str) -> Result<Value, ResultFailure> {
    if text.trim_ascii().is_empty() {
        return Err(ResultFailure::Empty { at: FieldPath::root() });
    }
    json::read(text.as_bytes(), DEFAULT_DEPTH).map_err(|fault| {
        let problem = fault.to_string();
        match fault {
            Fault::TooDeep { max } => ResultFailure::TooDeep { max },
            Fault::InexactNumber { at } => ResultFailure::Inexact { at },
            Fault::DuplicateKey { at } => ResultFailure::NotJson { problem, at },
            Fault::Truncated | Fault::BadText | Fault::Syntax { at: _, problem: _ } => {
                ResultFailure::NotJson { problem, at: FieldPath::root() }
            }
        }
    })
}

/// The four kinds of broken promise told apart, since each is somebody else's to mend.
fn broken_promise(violation: Violation, value: &Value) -> ResultFailure {
    let violation = Box::new(violation);
    match violation.keyword {
        Keyword::TooMany => ResultFailure::TooMany(violation),
        Keyword::NumberRange => ResultFailure::Range(violation),
        Keyword::TooFew | Keyword::Type if is_nothing(violation.at.find(value)) => {
            ResultFailure::Empty { at: violation.at }
        }
        Keyword::TooFew
        | Keyword::Type
        | Keyword::Required
        | Keyword::Undeclared
        | Keyword::Enum
        | Keyword::Pattern
        | Keyword::Format
        | Keyword::Schema => ResultFailure::Shape(violation),
    }
}

fn is_nothing(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Null) | None => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(members)) => members.is_empty(),
        Some(Value::Bool(_) | Value::Number(_)) => false,
    }
}

/// The first list of the top level that came back with nothing and may not.
fn empty_list(tool: &Tool, value: &Value) -> Option<FieldPath> {
    let may_be_empty = |pointer: &str| tool.contract.may_be_empty.iter().any(|declared| declared == pointer);
    match value {
        Value::Array(items) => (items.is_empty() && !may_be_empty("")).then(FieldPath::root),
        Value::Object(members) => members
            .iter()
            .filter(|(_, member)| member.as_array().is_some_and(Vec::is_empty))
            .find(|(key, _)| !may_be_empty(&format!("/{}", pointer_step(key))))
            .map(|(key, _)| FieldPath::root().key(key)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

//! Check: does what came back have the promised shape, is it non-empty, small enough, in range?
//!
//! The last stage that can fail a call. Trusts nothing a guest says: the text is read by the same strict reader as a
//! model's, and what it hides is made visible before anybody sees it.

use serde_json::Value;

use crate::field_path::{FieldPath, pointer_step};
use crate::gate::DEFAULT_DEPTH;
use crate::json::{self, Fault, Item, Json, JsonLimits, Kind};
use crate::sandbox::{Output, Said};
use crate::schema::{Keyword, Misfit};
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
    Shape(Box<Misfit>),
    /// Nothing came where something was promised.
    Empty {
        /// Where.
        at: FieldPath,
    },
    /// More items, characters or keys than promised.
    TooMany(Box<Misfit>),
    /// More bytes than the tool may return.
    TooLarge {
        /// The most.
        max: ByteCount,
    },
    /// More values and keys than can be checked in time.
    TooManyValues {
        /// The most.
        max: u64,
    },
    /// Deeper than anybody reads.
    TooDeep {
        /// The most.
        max: Depth,
    },
    /// A number outside its declared bounds.
    Range(Box<Misfit>),
    /// A number that cannot be held.
    Inexact {
        /// Where.
        at: FieldPath,
    },
}

/// A result that keeps every promise. Made only by the stage `check`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    text: String,
    n_sanitised: usize,
}

impl Checked {
    /// A result that was checked before and kept as text since. None where it cannot be one: then it was changed meanwhile.
    pub(crate) fn kept(text: String, n_sanitised: usize) -> Option<Self> {
        let (text, n_hidden) = clean(&read(text).ok()?);
        (n_hidden == 0).then_some(Self { text, n_sanitised })
    }

    /// The result as a value, read from its text.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.text).expect("the text was printed from what a stricter reader took")
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
    let json = read(text)?;
    if u64::try_from(json.n_nodes()).unwrap_or(u64::MAX) > tool.output.most_values() {
        return Err(ResultFailure::TooManyValues { max: tool.output.most_values() });
    }
    if !tool.output.admits(&json) {
        return Err(broken_promise(tool.output.misfit(json)));
    }
    if let Some(at) = empty_list(&tool, &json) {
        return Err(ResultFailure::Empty { at });
    }
    let (text, n_sanitised) = clean(&json);
    // Escapes are longer than what they show.
    if ByteCount::of(text.as_bytes()) > max {
        return Err(ResultFailure::TooLarge { max });
    }
    Ok(Checked { text, n_sanitised })
}

/// The result as compact JSON, with every hidden character made visible; nearly always there is none.
fn clean(json: &Json) -> (String, usize) {
    let is_clean = text::is_clean(json.unescaped()) && json.text().split(['\n', '\t', '\r']).all(text::is_clean);
    if is_clean {
        return (json.print(), 0);
    }
    let mut value = json.root().to_value();
    let n_sanitised = text::clean_value(&mut value);
    (value.to_string(), n_sanitised)
}

fn read(text: String) -> Result<Json, ResultFailure> {
    if text.trim_ascii().is_empty() {
        return Err(ResultFailure::Empty { at: FieldPath::root() });
    }
    let (json, _) = json::read(text, &JsonLimits::deep(DEFAULT_DEPTH)).map_err(|fault| {
        let problem = fault.to_string();
        match fault {
            Fault::TooDeep { byte: _, max } => ResultFailure::TooDeep { max },
            Fault::TooMany { byte: _, max } => {
                ResultFailure::TooManyValues { max: u64::try_from(max).unwrap_or(u64::MAX) }
            }
            Fault::LongString { byte: _, max } => ResultFailure::TooLarge { max },
            Fault::InexactNumber { byte: _, at } => ResultFailure::Inexact { at },
            Fault::LongNumber { byte: _, max: _ } => ResultFailure::Inexact { at: FieldPath::root() },
            Fault::DuplicateKey { byte: _, at } | Fault::BadText { byte: _, at, what: _ } => {
                ResultFailure::NotJson { problem, at }
            }
            Fault::Truncated { byte: _ } | Fault::Trailing { byte: _ } | Fault::Syntax { byte: _, problem: _ } => {
                ResultFailure::NotJson { problem, at: FieldPath::root() }
            }
        }
    })?;
    Ok(json)
}

/// The four kinds of broken promise told apart, since each is somebody else's to mend.
fn broken_promise(misfit: Misfit) -> ResultFailure {
    let misfit = Box::new(misfit);
    match misfit.keyword() {
        Keyword::TooMany => ResultFailure::TooMany(misfit),
        Keyword::NumberRange => ResultFailure::Range(misfit),
        Keyword::TooFew | Keyword::Type if is_nothing(misfit.got()) => ResultFailure::Empty { at: misfit.at() },
        Keyword::TooFew
        | Keyword::Type
        | Keyword::Required
        | Keyword::Undeclared
        | Keyword::Enum
        | Keyword::Pattern
        | Keyword::Format
        | Keyword::Schema => ResultFailure::Shape(misfit),
    }
}

fn is_nothing(item: Item<'_>) -> bool {
    match item.kind() {
        Kind::Null => true,
        Kind::Text(text) => text.is_empty(),
        Kind::List(list) => list.len() == 0,
        Kind::Object(object) => object.len() == 0,
        Kind::Bool(_) | Kind::Number(_) => false,
    }
}

/// The first list of the top level that came back with nothing and may not.
fn empty_list(tool: &Tool, json: &Json) -> Option<FieldPath> {
    let may_be_empty = |pointer: &str| tool.contract.may_be_empty.iter().any(|declared| declared == pointer);
    match json.root().kind() {
        Kind::List(list) => (list.len() == 0 && !may_be_empty("")).then(FieldPath::root),
        Kind::Object(object) => object
            .members()
            .filter(|(_, member)| member.as_list().is_some_and(|list| list.len() == 0))
            .filter_map(|(key, _)| key.as_text())
            .find(|key| !may_be_empty(&format!("/{}", pointer_step(key))))
            .map(|key| FieldPath::root().key(key)),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => None,
    }
}

//! Check: does what came back have the promised shape, is it non-empty, small enough, in range?
//!
//! The last stage that can fail a call. Trusts nothing a guest says: the text is read by the same strict reader as a
//! model's, and what it hides is made visible before anybody sees it.

mod relations;

use std::sync::Arc;

use serde_json::Value;

use crate::amendment::Amendment;
use crate::field_path::{FieldPath, pointer_step};
use crate::gate::DEFAULT_DEPTH;
use crate::json::{self, Fault, Item, Json, JsonLimits, Kind};
use crate::sandbox::{Output, Said};
use crate::schema::{Keyword, Misfit, Schema};
use crate::text;
use crate::tool::Tool;
use crate::units::{ByteCount, Depth};

pub use self::relations::BrokenRelation;

/// Most amendments of one result that are named. A result may hold a hundred thousand of them, and a reply is no copy of it.
const MAX_RECORDED: usize = 8;

/// Whose word a result breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The tool's own, in its contract.
    Contract,
    /// The operator's, laid over it.
    Operator,
}

impl Promise {
    /// The word in the operator's copy.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contract => "contract",
            Self::Operator => "operator",
        }
    }
}

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
    Shape {
        /// Where and how.
        misfit: Box<Misfit>,
        /// Whose schema it does not fit.
        promise: Promise,
    },
    /// Nothing came where something was promised.
    Empty {
        /// Where.
        at: FieldPath,
        /// Who promised it.
        promise: Promise,
    },
    /// More items, characters or keys than promised.
    TooMany {
        /// Where and how many.
        misfit: Box<Misfit>,
        /// Whose schema it does not fit.
        promise: Promise,
    },
    /// More bytes than the tool may return.
    TooLarge {
        /// How many came, where that is known.
        size: Option<ByteCount>,
        /// The most.
        max: ByteCount,
    },
    /// More values and keys than can be checked in time.
    TooManyValues {
        /// How many came, where that is known.
        n: Option<usize>,
        /// The most.
        max: u64,
    },
    /// Deeper than anybody reads.
    TooDeep {
        /// The most.
        max: Depth,
    },
    /// A number outside its declared bounds.
    Range {
        /// Where and how far.
        misfit: Box<Misfit>,
        /// Whose schema it does not fit.
        promise: Promise,
    },
    /// A number that cannot be held.
    Inexact {
        /// Where.
        at: FieldPath,
    },
    /// It does not keep what it promises about the arguments.
    Relation(Box<BrokenRelation>),
}

impl ResultFailure {
    /// Whose word it breaks, where it is not the host's own bound.
    pub const fn promise(&self) -> Option<Promise> {
        match self {
            Self::Shape { misfit: _, promise }
            | Self::Empty { at: _, promise }
            | Self::TooMany { misfit: _, promise }
            | Self::Range { misfit: _, promise } => Some(*promise),
            Self::NotJson { problem: _, at: _ } | Self::Relation(_) => Some(Promise::Contract),
            Self::TooLarge { size: _, max: _ }
            | Self::TooManyValues { n: _, max: _ }
            | Self::TooDeep { max: _ }
            | Self::Inexact { at: _ } => None,
        }
    }

    /// The place and the kind of the schema rule that it breaks.
    pub(crate) const fn misfit(&self) -> Option<&Misfit> {
        match self {
            Self::Shape { misfit, promise: _ }
            | Self::TooMany { misfit, promise: _ }
            | Self::Range { misfit, promise: _ } => Some(misfit),
            Self::Empty { at: _, promise: _ }
            | Self::NotJson { problem: _, at: _ }
            | Self::Relation(_)
            | Self::TooLarge { size: _, max: _ }
            | Self::TooManyValues { n: _, max: _ }
            | Self::TooDeep { max: _ }
            | Self::Inexact { at: _ } => None,
        }
    }
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
        let (text, n_hidden) = clean(read(text, &mut Vec::new()).ok()?);
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

    /// How many control or invisible characters were made visible; 0 for a tool whose results are handed on raw.
    pub const fn n_sanitised(&self) -> usize {
        self.n_sanitised
    }
}

/// Believes a guest's output, or says which promise it breaks.
pub(crate) fn accept(output: Output, recorded: &mut Vec<Amendment>) -> Result<Checked, ResultFailure> {
    let (tool, arguments, said) = output.into_parts();
    let max = tool.limits.result;
    let text = match said {
        Said::Text(text) => within(max, text)?,
        Said::TooMuch => return Err(ResultFailure::TooLarge { size: None, max }),
    };
    let json = fitting(&tool.output, Promise::Contract, read(text, recorded)?)?;
    let json = match &tool.stricter {
        Some(schema) => fitting(schema, Promise::Operator, json)?,
        None => json,
    };
    if let Some(at) = empty_list(&tool, &json) {
        return Err(ResultFailure::Empty { at, promise: Promise::Contract });
    }
    if let Some(broken) = relations::first_broken(&tool.relations, &arguments, &json) {
        return Err(ResultFailure::Relation(Box::new(broken)));
    }
    let (text, n_sanitised) = if tool.raw_results { (json.into_printed(), 0) } else { clean(json) };
    // Escapes are longer than what they show.
    Ok(Checked { text: within(max, text)?, n_sanitised })
}

/// A text of at most so many bytes.
fn within(max: ByteCount, text: String) -> Result<String, ResultFailure> {
    let size = ByteCount::of(text.as_bytes());
    if size <= max { Ok(text) } else { Err(ResultFailure::TooLarge { size: Some(size), max }) }
}

/// A document that fits a schema.
fn fitting(schema: &Arc<Schema>, promise: Promise, json: Json) -> Result<Json, ResultFailure> {
    let (n, max) = (json.n_nodes(), schema.most_values());
    if u64::try_from(n).unwrap_or(u64::MAX) > max {
        return Err(ResultFailure::TooManyValues { n: Some(n), max });
    }
    if schema.admits(&json) { Ok(json) } else { Err(broken_promise(schema.misfit(json), promise)) }
}

/// The result as compact JSON, with every hidden character made visible; nearly always there is none.
fn clean(json: Json) -> (String, usize) {
    // Only between its parts can a document have what is no clean text and yet no harm.
    let is_clean = |written: &str| text::is_clean(written) || written.split(['\n', '\t', '\r']).all(text::is_clean);
    if text::is_clean(json.unescaped()) && is_clean(json.text()) {
        return (json.into_printed(), 0);
    }
    let mut value = json.root().to_value();
    let n_sanitised = text::clean_value(&mut value);
    (value.to_string(), n_sanitised)
}

fn read(text: String, recorded: &mut Vec<Amendment>) -> Result<Json, ResultFailure> {
    if text.trim_ascii().is_empty() {
        return Err(ResultFailure::Empty { at: FieldPath::root(), promise: Promise::Contract });
    }
    let (json, mended) = json::read(text, &JsonLimits::deep(DEFAULT_DEPTH)).map_err(|fault| {
        let problem = fault.to_string();
        match fault {
            Fault::TooDeep { byte: _, max } => ResultFailure::TooDeep { max },
            Fault::TooMany { byte: _, max } => {
                ResultFailure::TooManyValues { n: None, max: u64::try_from(max).unwrap_or(u64::MAX) }
            }
            Fault::LongString { byte: _, max } => ResultFailure::TooLarge { size: None, max },
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
    recorded.extend(mended.negative_zeros.into_iter().take(MAX_RECORDED).map(Amendment::NegativeZeroInResult));
    Ok(json)
}

/// The four kinds of broken promise told apart, since each is somebody else's to mend.
fn broken_promise(misfit: Misfit, promise: Promise) -> ResultFailure {
    if is_met_by_nothing(&misfit) {
        return ResultFailure::Empty { at: misfit.at(), promise };
    }
    let misfit = Box::new(misfit);
    match misfit.keyword() {
        Keyword::TooMany => ResultFailure::TooMany { misfit, promise },
        Keyword::NumberRange => ResultFailure::Range { misfit, promise },
        Keyword::TooFew
        | Keyword::Type
        | Keyword::Required
        | Keyword::Undeclared
        | Keyword::Enum
        | Keyword::Pattern
        | Keyword::Format
        | Keyword::Schema => ResultFailure::Shape { misfit, promise },
    }
}

/// Whether a rule is broken by `null`, an empty text, list or object where something else was promised. A key that is
/// missing is a broken shape, also in an object without any.
fn is_met_by_nothing(misfit: &Misfit) -> bool {
    match misfit.keyword() {
        Keyword::TooFew | Keyword::Type | Keyword::Enum | Keyword::Pattern | Keyword::Format | Keyword::Schema => {
            is_nothing(misfit.got()) && !misfit.is_out_of_place()
        }
        Keyword::Required | Keyword::Undeclared | Keyword::NumberRange | Keyword::TooMany => false,
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

/// The first list of the top level that came back with nothing and may not: without items, or as `null` where that is
/// declared beside the list.
fn empty_list(tool: &Tool, json: &Json) -> Option<FieldPath> {
    let may_be_empty = |pointer: &str| tool.contract.may_be_empty.iter().any(|declared| declared == pointer);
    let is_empty = |key: Option<&str>, item: Item<'_>| match item.kind() {
        Kind::List(list) => list.len() == 0,
        Kind::Null => tool.output.is_list(key),
        Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Object(_) => false,
    };
    let root = json.root();
    match root.as_object() {
        None => (is_empty(None, root) && !may_be_empty("")).then(FieldPath::root),
        Some(object) => object
            .members()
            .filter_map(|(key, member)| key.as_text().map(|key| (key, member)))
            .filter(|(key, member)| is_empty(Some(key), *member))
            .find(|(key, _)| !may_be_empty(&format!("/{}", pointer_step(key))))
            .map(|(key, _)| FieldPath::root().key(key)),
    }
}

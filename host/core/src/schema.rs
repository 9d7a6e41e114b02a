//! Schema: one JSON Schema 2020-12 document, compiled once, that says yes or no and names the first violation.
//!
//! The only file that knows the `jsonschema` crate, whose `is_valid` is the verdict. `schema::explain` finds what to say
//! about a value the verdict turned down, `schema::closed` refuses objects left open by silence. Knows neither calls nor
//! results: the codes are given in `registry` and `check`.

mod closed;
mod explain;
mod refs;

use std::collections::BTreeMap;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value, json};

pub(crate) use self::explain::nearest;
pub use self::explain::{Keyword, Violation, Wants};
use crate::field_path::{FieldPath, pointer_step};
use crate::json::{self, Fault};
use crate::text;
use crate::units::Depth;

/// Deepest nesting of a schema. It is walked recursively at load, so without a cap a schema could exhaust the stack.
const MAX_SCHEMA_DEPTH: Depth = Depth::new(32);

/// Most bytes a compiled pattern may take, and its cache. Patterns come from tools; the engine is linear in the text, and
/// this bounds what compiling `.{0,404600}` costs.
const PATTERN_BYTES: usize = 256 << 10;

/// Most different patterns of one schema. Each may take [`PATTERN_BYTES`], twice over.
const MAX_PATTERNS: usize = 64;

/// Why a document is no schema that this host enforces.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// It is not an object with `"type": "object"` at the root where one is due.
    #[error("the root must say `\"type\": \"object\"`, as every provider wants")]
    RootNotObject,
    /// An object schema that says nothing about undeclared keys.
    #[error(
        "the object at `{at}` is left open by silence: say `\"additionalProperties\": false`, or `true` on purpose"
    )]
    OpenObject {
        /// Its place, as a JSON Pointer.
        at: String,
    },
    /// A reference that leaves the document, moves its base or points nowhere.
    #[error("`{keyword}` at `{at}` is `{target}`: only `#` and `#/…` inside the same document are followed")]
    Reference {
        /// `$ref`, `$id`, `$dynamicRef` …
        keyword: &'static str,
        /// Its place, as a JSON Pointer.
        at: String,
        /// What it says.
        target: String,
    },
    /// Nesting beyond what is walked.
    #[error("it is nested deeper than {MAX_SCHEMA_DEPTH}")]
    TooDeep,
    /// Schemas that refer to each other for one and the same value, for ever or nearly.
    #[error("too many schemas are applied in one place at `{at}`, or they refer to each other in a circle")]
    TooManyInPlace {
        /// The place, as a JSON Pointer.
        at: String,
    },
    /// A text that hides something; it would reach the model.
    #[error("it holds control or invisible characters in `{0}`")]
    HiddenText(String),
    /// More patterns than are compiled.
    #[error("it has more than {MAX_PATTERNS} patterns")]
    TooManyPatterns,
    /// It does not compile; the text says why.
    #[error("it does not compile: {0}")]
    Invalid(String),
    /// `may_be_empty` names a place that is no list of the result's top level.
    #[error("`may_be_empty` names `{0}`, which is no list in the top level of the output")]
    NoSuchList(String),
}

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    text: Box<str>,
    root: Value,
    validator: Validator,
    patterns: Leaves,
    formats: Leaves,
}

/// Validators of one assertion each, by what it says.
type Leaves = BTreeMap<String, Validator>;

impl Schema {
    /// Compiles a schema whose root is an object: arguments are one, and providers take nothing else.
    ///
    /// # Errors
    /// See [`SchemaError`].
    pub fn of_object(text: &str) -> Result<Self, SchemaError> {
        let schema = Self::compile(text)?;
        if schema.root.get("type").and_then(Value::as_str) == Some("object") {
            return Ok(schema);
        }
        Err(SchemaError::RootNotObject)
    }

    /// Compiles a schema.
    ///
    /// # Errors
    /// See [`SchemaError`]; nothing outside the document is ever opened.
    pub fn compile(text: &str) -> Result<Self, SchemaError> {
        let invalid = |said: String| SchemaError::Invalid(text::one_line(&said, 300));
        // A repeated key would be shown to the model and not enforced, so schemas pass the strict reader too.
        let root = json::read(text.as_bytes(), MAX_SCHEMA_DEPTH).map_err(|fault| match fault {
            Fault::TooDeep { max: _ } => SchemaError::TooDeep,
            other => invalid(other.to_string()),
        })?;
        if let Some(hidden) = text::first_hidden(&root) {
            return Err(SchemaError::HiddenText(text::one_line(hidden, 80)));
        }
        refs::check(&root)?;
        closed::check(&root)?;
        let (mut patterns, mut formats) = (Leaves::new(), Leaves::new());
        compile_leaves(&root, &mut patterns, &mut formats)?;
        let validator = build(&root).map_err(|error| invalid(format!("{error}")))?;
        Ok(Self { text: text.into(), root, validator, patterns, formats })
    }

    /// The document, byte for byte as it was declared.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The verdict.
    pub fn accepts(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    /// The first violation of a value that [`Schema::accepts`] turned down, in the order missing, unexpected, type, range,
    /// allowed, shape, and by path inside one of them. Where the bounded explainer finds none, the root's shape is it.
    pub fn explain(&self, value: &Value) -> Violation {
        explain::first_violation(self, value).unwrap_or_else(|| Violation {
            keyword: Keyword::Schema,
            at: FieldPath::root(),
            wants: Wants::Rule("must fit the schema as a whole"),
            got: Some(text::quote(value)),
        })
    }

    /// Checks that each of these JSON Pointers names a list that is declared in the top level.
    pub(crate) fn has_lists(&self, pointers: &[String]) -> Result<(), SchemaError> {
        let is_list = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("array");
        let properties = self.root.get("properties").and_then(Value::as_object);
        let is_top_list = |pointer: &str| match pointer.strip_prefix('/') {
            None => pointer.is_empty() && is_list(&self.root),
            Some(step) => {
                properties.into_iter().flatten().any(|(key, held)| pointer_step(key) == step && is_list(held))
            }
        };
        match pointers.iter().find(|pointer| !is_top_list(pointer)) {
            Some(pointer) => Err(SchemaError::NoSuchList(text::one_line(pointer, 80))),
            None => Ok(()),
        }
    }

    /// Whether a text matches a pattern of this schema, as the validator crate matches it.
    fn matches(&self, pattern: &str, text: &str) -> bool {
        self.patterns.get(pattern).is_none_or(|validator| validator.is_valid(&Value::String(text.to_owned())))
    }

    /// Whether a text has a format that this schema names.
    fn has_format(&self, format: &str, text: &Value) -> bool {
        self.formats.get(format).is_none_or(|validator| validator.is_valid(text))
    }
}

fn build(schema: &Value) -> Result<Validator, Box<jsonschema::ValidationError<'static>>> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES))
        .offline()
        .build(schema)
        .map_err(Box::new)
}

/// Compiles each distinct pattern and format on its own, so that the explainer agrees with the validator about them.
fn compile_leaves(schema: &Value, patterns: &mut Leaves, formats: &mut Leaves) -> Result<(), SchemaError> {
    match schema {
        Value::Object(members) => {
            let text = |key: &str| members.get(key).and_then(Value::as_str);
            let keys = members.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
            for pattern in text("pattern").into_iter().chain(keys.map(String::as_str)) {
                compile_leaf(patterns, pattern, "pattern")?;
            }
            if let Some(format) = text("format") {
                compile_leaf(formats, format, "format")?;
            }
            members.values().try_for_each(|member| compile_leaves(member, patterns, formats))
        }
        Value::Array(items) => items.iter().try_for_each(|item| compile_leaves(item, patterns, formats)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn compile_leaf(leaves: &mut Leaves, said: &str, keyword: &str) -> Result<(), SchemaError> {
    if leaves.contains_key(said) {
        return Ok(());
    }
    if leaves.len() >= MAX_PATTERNS {
        return Err(SchemaError::TooManyPatterns);
    }
    let validator = build(&json!({ keyword: said })).map_err(|_cause| {
        SchemaError::Invalid(format!(
            "{keyword} `{}` is none that is enforced: it has to compile, to at most {PATTERN_BYTES} bytes, for an engine that \
             runs in linear time (no look-around, no back-references)",
            text::one_line(said, 120)
        ))
    })?;
    leaves.insert(said.to_owned(), validator);
    Ok(())
}

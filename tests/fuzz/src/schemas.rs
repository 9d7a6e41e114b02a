//! Schemas: what is compiled is enforced, the same by the verdict, by the explainer and by the crate the verdict comes from.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value};
use toolgate::{Keyword, Schema, SchemaError};

use crate::grammar::Source;

/// Most bytes of one compiled pattern, as the library has it.
const PATTERN_BYTES: usize = 256 << 10;

/// Most values that one schema is held against.
const MAX_INSTANCES: usize = 24;

/// Most bytes of what is said about a schema.
const MAX_SAID: usize = 1024;

/// Takes bytes for a schema: it compiles or is refused with a code and one line, and what compiles is enforced, for its own
/// parts as values and for values that are made to nearly fit it.
///
/// # Panics
/// Where that does not hold.
pub fn linter(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let open = Schema::compile_open(text);
    for stricter in [Schema::compile(text), Schema::of_object(text)] {
        match stricter {
            Ok(schema) => assert!(open.is_ok(), "{text} compiles as closed only: {:?}", schema.text()),
            Err(error) => refused(text, &error),
        }
    }
    match open {
        Ok(schema) => {
            let held = Held::new(schema);
            let mut source = Source::new(bytes);
            parts(&held.document).into_iter().take(MAX_INSTANCES).for_each(|part| held.against(part));
            (0..4).for_each(|_| held.against(&source.instance(&held.document)));
        }
        Err(error) => refused(text, &error),
    }
}

/// Makes a schema and values of the bytes, by a grammar over every keyword that is enforced, references and circles
/// included, and holds the three against each other.
///
/// # Panics
/// Where they do not agree.
pub fn explainer(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    let document = source.schema();
    let text = document.to_string();
    match Schema::compile_open(&text) {
        Ok(schema) => {
            let held = Held::new(schema);
            (0..6).for_each(|_| held.against(&source.instance(&document)));
        }
        Err(error) => refused(&text, &error),
    }
}

fn refused(text: &str, error: &SchemaError) {
    let (code, said) = (error.code(), error.to_string());
    assert!(code.starts_with("load:"), "{text} is refused with {code}");
    let is_one_line = said.len() <= MAX_SAID && !said.chars().any(char::is_control);
    assert!(is_one_line, "{text} is refused with {} bytes: {said:?}", said.len());
    assert!(!matches!(error, SchemaError::Invalid(_)), "{text} passes every rule and does not compile: {said}");
}

/// Everything inside a value, itself first.
fn parts(value: &Value) -> Vec<&Value> {
    let mut parts = vec![value];
    let mut next = 0;
    while let Some(part) = parts.get(next).copied() {
        next = next.saturating_add(1);
        match part {
            Value::Array(items) => parts.extend(items),
            Value::Object(members) => parts.extend(members.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    parts
}

/// A schema, and the crate's own validator for it.
struct Held {
    schema: Schema,
    document: Value,
    plain: Validator,
}

impl Held {
    fn new(schema: Schema) -> Self {
        let document: Value = serde_json::from_str(schema.text()).expect("what compiles is JSON");
        let plain = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES))
            .build(&document)
            .expect("what compiles for our documents compiles for theirs");
        Self { schema, document, plain }
    }

    fn against(&self, value: &Value) {
        if u64::try_from(n_values(value)).unwrap_or(u64::MAX) > self.schema.most_values() {
            return;
        }
        let plain = self.plain.is_valid(value);
        let verdict = self.schema.accepts(value);
        assert_eq!(verdict, plain, "{} and {value}: ours, and the crate's own", self.schema.text());
        let found = self.schema.find_violation(value);
        assert_eq!(found.is_none(), verdict, "{} and {value}: explained {found:?}", self.schema.text());
        let Some(violation) = found else { return };
        let is_there = violation.keyword == Keyword::Required || violation.at.find(value).is_some();
        assert!(is_there, "{} and {value}: {violation:?} is nowhere", self.schema.text());
    }
}

/// Values and keys, as a document counts them.
fn n_values(value: &Value) -> usize {
    let inside =
        |members: &Map<String, Value>| members.values().map(n_values).fold(members.len(), usize::saturating_add);
    match value {
        Value::Array(items) => items.iter().map(n_values).fold(1, usize::saturating_add),
        Value::Object(members) => inside(members).saturating_add(1),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

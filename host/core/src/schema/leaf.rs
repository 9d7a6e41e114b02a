//! Leaves: the assertions that the validator crate checks for the explainer too, each compiled on its own, so that the two
//! cannot disagree about a pattern, a format or a fraction.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Value, json};

use super::SchemaError;
use super::instance::Documents;
use super::program::{LeafId, LeafText, Program};
use crate::json::{Item, Json};
use crate::text;

/// Most bytes a compiled pattern may take, and its cache. Patterns come from tools; the engine is linear in the text, and
/// this bounds what compiling `.{0,404600}` costs.
const PATTERN_BYTES: usize = 256 << 10;

/// One validator per assertion.
#[derive(Debug)]
pub(super) struct Leaves(Vec<Validator<Documents>>);

impl Leaves {
    /// Compiles every assertion of a program that was measured.
    pub(super) fn of(program: &Program) -> Result<Self, SchemaError> {
        program.leaves.iter().map(compile).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a value meets the assertion; where it is about another type, it does.
    pub(super) fn fits(&self, leaf: LeafId, item: Item<'_>) -> bool {
        self.0.get(leaf).is_none_or(|validator| validator.is_valid(item))
    }

    /// Whether a key matches a pattern.
    pub(super) fn matches(&self, pattern: LeafId, key: &str) -> bool {
        let mut name = Json::default();
        name.set_string(key);
        self.fits(pattern, name.root())
    }
}

fn compile(leaf: &LeafText) -> Result<Validator<Documents>, SchemaError> {
    let LeafText { keyword, held } = leaf;
    build(&json!({ *keyword: held })).map_err(|cause| match (*keyword, held) {
        ("pattern", Value::String(pattern)) => SchemaError::Pattern {
            pattern: text::one_line(pattern, 120),
            problem: format!(
                "is none that is enforced: it has to compile, to at most {PATTERN_BYTES} bytes, for an engine that runs in \
                 linear time (no look-around, no back-references)"
            ),
        },
        _ => SchemaError::Invalid(text::one_line(&cause, 300)),
    })
}

/// A validator that opens nothing, matches in linear time and checks formats.
pub(super) fn build(schema: &Value) -> Result<Validator<Documents>, String> {
    jsonschema::options_for::<Documents>()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES))
        .offline()
        .build(schema)
        .map_err(|error| error.to_string())
}

//! Leaves: the assertions that the validator crate checks for the explainer too, each compiled on its own, so that the two
//! cannot disagree about a pattern, a format or a fraction.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Value, json};

use super::SchemaError;
use super::instance::Documents;
use super::program::{LeafId, LeafText, Program};
use crate::json::{Item, Json};
use crate::text;

/// Most bytes that the compiled patterns of a schema may take together, and the cache of each. Patterns come from tools; the
/// engine is linear in the text, and this bounds what compiling `^(a.{0,999}b){999}$` costs, or a hundred of its kind.
const PATTERN_BYTES: usize = 256 << 10;

/// What is tried for one pattern, and then four times as much as before: the engine says only whether a pattern fits.
/// Most fit the least, and a hundred of those fit the whole.
const LEAST_PATTERN_BYTES: usize = 2 << 10;

/// One validator per assertion.
#[derive(Debug)]
pub(super) struct Leaves(Vec<Validator<Documents>>);

impl Leaves {
    /// Compiles every assertion of a program that was measured.
    pub(super) fn of(program: &Program) -> Result<Self, SchemaError> {
        let mut left = PATTERN_BYTES;
        program.leaves.iter().map(|leaf| compile(leaf, &mut left)).collect::<Result<_, _>>().map(Self)
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

/// Compiles one assertion; a pattern takes what it needs of what is `left` for all.
fn compile(leaf: &LeafText, left: &mut usize) -> Result<Validator<Documents>, SchemaError> {
    let LeafText { keyword, held } = leaf;
    let schema = json!({ *keyword: held });
    let (Value::String(pattern), true) = (held, *keyword == "pattern") else {
        return build(&schema).map_err(|cause| SchemaError::Invalid(text::one_line(&cause, 300)));
    };
    let mut bytes = LEAST_PATTERN_BYTES;
    while bytes <= *left {
        if let Ok(validator) = build_within(&schema, bytes) {
            *left = left.saturating_sub(bytes);
            return Ok(validator);
        }
        bytes = if bytes < *left { bytes.saturating_mul(4).min(*left) } else { usize::MAX };
    }
    Err(SchemaError::Pattern {
        pattern: text::one_line(pattern, 120),
        problem: format!(
            "is none that is enforced: it has to compile, with the others of the schema to at most {PATTERN_BYTES} bytes, for \
             an engine that runs in linear time (no look-around, no back-references)"
        ),
    })
}

/// A validator that opens nothing, matches in linear time and checks formats.
pub(super) fn build(schema: &Value) -> Result<Validator<Documents>, String> {
    build_within(schema, PATTERN_BYTES)
}

/// As above, with this many bytes for one compiled pattern.
fn build_within(schema: &Value, bytes: usize) -> Result<Validator<Documents>, String> {
    jsonschema::options_for::<Documents>()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex().size_limit(bytes).dfa_size_limit(PATTERN_BYTES))
        .offline()
        .build(schema)
        .map_err(|error| error.to_string())
}

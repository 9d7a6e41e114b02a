//! Relation: a promise that ties a place of the result to an argument, held against both schemas at load.
//!
//! A promise that could never be looked at (a place that no schema declares, a count that is a text) is refused with its
//! rule, so that nobody relies on it. Whether a result keeps one is for `check` to say.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::Pointer;
use crate::schema::{Schema, Types, type_in_words};
use crate::text;

/// Most relations of one contract. Each may compare a value as large as the arguments, so their number bounds what a check
/// costs; tools promise one or two.
const MAX_RELATIONS: usize = 16;

/// A promise that ties a place of the result to an argument: exactly one of `max_items` and `equals`. It says nothing about
/// a call in which one of the two places is absent, or in which the argument is `null`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// The place in the result, as a JSON Pointer (RFC 6901).
    pub at: String,
    /// The argument that says how many items the list there has at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<String>,
    /// The argument that the value there equals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<String>,
}

/// Why a relation is no promise that can be held: the relation as it is written, and the rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the relation `{relation}` {problem}")]
pub struct RelationError {
    /// The relation.
    pub relation: String,
    /// The rule it breaks, as the rest of a sentence.
    pub problem: String,
}

/// How the two places are tied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The list has at most so many items.
    MaxItems,
    /// The values are equal.
    Equals,
}

impl Tie {
    /// The key in the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxItems => "max_items",
            Self::Equals => "equals",
        }
    }
}

/// A relation whose places both schemas declare. Made only by [`held`].
#[derive(Clone, Debug)]
pub(crate) struct HeldRelation {
    pub(crate) at: Pointer,
    pub(crate) tie: Tie,
    pub(crate) argument: Pointer,
}

/// Checks what can be said without a schema.
pub(super) fn check(relations: &[Relation]) -> Result<(), RelationError> {
    match relations.get(MAX_RELATIONS) {
        Some(relation) => Err(error(relation, format!("is one too many: the most is {MAX_RELATIONS}"))),
        None => relations.iter().try_for_each(|relation| parse(relation).map(drop)),
    }
}

/// Holds the relations against the schemas of both sides.
pub(crate) fn held(
    relations: &[Relation],
    input: &Schema,
    output: &Schema,
) -> Result<Box<[HeldRelation]>, RelationError> {
    let hold = |relation| {
        let held = parse(relation)?;
        let result = kinds(relation, output, &held.at, &relation.at, "output")?;
        let argument = kinds(relation, input, &held.argument, written(relation), "input")?;
        match held.tie {
            Tie::MaxItems => {
                check_kinds(relation, result, Types::ARRAY, &relation.at, "output", "a list")?;
                check_kinds(relation, argument, Types::INTEGER, written(relation), "input", "an integer")?;
            }
            Tie::Equals if result.and(argument).without(Types::NULL).is_empty() => {
                return Err(error(
                    relation,
                    format!("compares {} with {}, which are never equal", in_words(result), in_words(argument)),
                ));
            }
            Tie::Equals => {}
        }
        Ok(held)
    };
    relations.iter().map(hold).collect()
}

fn parse(relation: &Relation) -> Result<HeldRelation, RelationError> {
    let tie = match (&relation.max_items, &relation.equals) {
        (Some(_), None) => Tie::MaxItems,
        (None, Some(_)) => Tie::Equals,
        (Some(_), Some(_)) | (None, None) => {
            return Err(error(relation, "needs exactly one of `max_items` and `equals`"));
        }
    };
    let pointer = |text: &str| {
        let problem = || format!("names `{}`, which is no JSON Pointer such as `/rows`", text::one_line(text, 80));
        Pointer::parse(text).ok_or_else(|| error(relation, problem()))
    };
    Ok(HeldRelation { at: pointer(&relation.at)?, tie, argument: pointer(written(relation))? })
}

/// The argument's place as it is written.
fn written(relation: &Relation) -> &str {
    relation.max_items.as_ref().or(relation.equals.as_ref()).map_or("", String::as_str)
}

fn kinds(
    relation: &Relation,
    schema: &Schema,
    place: &Pointer,
    written: &str,
    side: &str,
) -> Result<Types, RelationError> {
    let problem = || format!("names `{}`, which the {side} schema does not declare", text::one_line(written, 80));
    schema.kinds_at(place).ok_or_else(|| error(relation, problem()))
}

/// The place is always of this type, or `null`.
fn check_kinds(
    relation: &Relation,
    kinds: Types,
    wanted: Types,
    written: &str,
    side: &str,
    words: &str,
) -> Result<(), RelationError> {
    if kinds.without(Types::NULL) == wanted {
        return Ok(());
    }
    let written = text::one_line(written, 80);
    Err(error(relation, format!("wants {words} at `{written}` of the {side}, where {} is declared", in_words(kinds))))
}

fn in_words(kinds: Types) -> String {
    match kinds.names().as_slice() {
        [] => "nothing".to_owned(),
        _ if kinds == Types::ALL => "anything".to_owned(),
        names => names.iter().map(|name| type_in_words(name)).collect::<Vec<_>>().join(" or "),
    }
}

fn error(relation: &Relation, problem: impl Into<String>) -> RelationError {
    RelationError { relation: relation.to_string(), problem: problem.into() }
}

impl fmt::Display for Relation {
    /// As JSON, on one line and cut.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::quote(self))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Relation, check, held};
    use crate::schema::Schema;

    fn relation(text: &str) -> Relation {
        serde_json::from_str(text).expect(text)
    }

    /// What holding a relation against both schemas says.
    fn said(text: &str) -> String {
        let input = json!({"type": "object", "additionalProperties": false, "properties": {
            "limit": {"type": ["integer", "null"]}, "share": {"type": "number"}, "sku": {"type": "string"},
            "page": {"$ref": "#/$defs/page"}},
            "$defs": {"page": {"type": "object", "additionalProperties": false, "properties": {"size": {"enum": [10, 20]}}}}});
        let output = json!({"type": "object", "additionalProperties": {"type": "array"}, "properties": {
            "rows": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "sku": {"type": "string"}, "value": true}});
        let schema = |value: serde_json::Value| Schema::compile(&value.to_string()).expect("compiles");
        let relations = [relation(text)];
        let ended = check(&relations).and_then(|()| held(&relations, &schema(input), &schema(output)).map(drop));
        ended.map_or_else(|error| error.to_string(), |()| "held".to_owned())
    }

    #[test]
    fn a_relation_is_held_or_refused_by_its_rule() {
        for (text, part) in [
            (r#"{"at":"/rows","max_items":"/limit"}"#, "held"),
            (r#"{"at":"/rows","max_items":"/page/size"}"#, "held"),
            (r#"{"at":"/rows/0","equals":"/sku"}"#, "held"),
            (r#"{"at":"/value","equals":"/share"}"#, "held"),
            (r#"{"at":"/rows"}"#, "needs exactly one of"),
            (r#"{"at":"/rows","max_items":"/limit","equals":"/sku"}"#, "needs exactly one of"),
            (r#"{"at":"rows","max_items":"/limit"}"#, "names `rows`, which is no JSON Pointer"),
            (r#"{"at":"/rows","max_items":"/limit~"}"#, "names `/limit~`, which is no JSON Pointer"),
            (r#"{"at":"/row","max_items":"/limit"}"#, "names `/row`, which the output schema does not declare"),
            (r#"{"at":"/rows","max_items":"/limits"}"#, "names `/limits`, which the input schema does not declare"),
            (
                r#"{"at":"/sku","max_items":"/limit"}"#,
                "wants a list at `/sku` of the output, where a string is declared",
            ),
            (r#"{"at":"/value","max_items":"/limit"}"#, "wants a list at `/value`"),
            (r#"{"at":"/rows","max_items":"/share"}"#, "wants an integer at `/share` of the input"),
            (r#"{"at":"/sku","equals":"/limit"}"#, "compares a string with an integer or null"),
        ] {
            let said = said(text);
            assert!(said.contains(part), "{text}: {said}");
            assert!(said == "held" || said.contains(&format!("`{text}`")), "it names the relation: {said}");
        }
        let many = vec![relation(r#"{"at":"/rows","max_items":"/limit"}"#); 17];
        assert!(check(&many).expect_err("too many").to_string().contains("the most is 16"));
        let unknown =
            serde_json::from_str::<Relation>(r#"{"at":"/rows","max_item":"/limit"}"#).expect_err("unknown key");
        assert!(unknown.to_string().contains("unknown field `max_item`"), "{unknown}");
    }
}

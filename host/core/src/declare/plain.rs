//! Plain: a schema as it is declared, for providers that read everything below its root as a hint.
//!
//! A schema that needs no change is given as the very text the host enforces. What fails a request at the root is merged into
//! one object, what is for people only goes, and parts that have to be said are said. Changes nothing else.

use serde_json::{Map, Value};

use super::facts::{Facts, Rest, Source};
use super::lower::Refusal;
use super::profile::AsDeclared;
use super::words::{Constraints, Words};
use super::{Loss, parts};

/// A declared schema, with what its root had to lose.
#[derive(Debug)]
pub(super) struct Plain {
    pub(super) schema: Value,
    pub(super) words: Words,
}

/// Constraints that speak of what was declared before its alternatives were merged; beside the merged ones they would say
/// more than they did.
const ONLY_SAID: [&str; 3] = ["anyOf", "oneOf", "unevaluatedProperties"];

/// Declares a schema.
///
/// # Errors
/// A key at the root that the provider takes no request with.
pub(super) fn declare(declared: &Value, column: &AsDeclared) -> Result<Plain, Refusal> {
    let (mut schema, words) = match column.root_refuses.iter().any(|keyword| declared.get(keyword).is_some()) {
        true => merged(declared, column),
        false => (declared.clone(), Words::default()),
    };
    parts::strip_annotations(&mut schema);
    if column.parts_are_said {
        parts::say_items(&mut schema);
        if let Value::Object(root) = &mut schema {
            root.entry("properties").or_insert_with(|| Map::new().into());
        }
    }
    for key in schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        if let Some(rule) = column.names.broken_by(key, true) {
            return Err(Refusal { at: String::new(), why: Loss::Name { key: key.clone(), rule } });
        }
    }
    Ok(Plain { schema, words })
}

/// The root as one object without alternatives. What its parts say stays as it is declared.
fn merged(declared: &Value, column: &AsDeclared) -> (Value, Words) {
    let source = Source::new(declared);
    let around = ["#".to_owned()];
    let facts = source.flat(source.facts(declared, &around), &around);
    let (mut root, said) = written(facts, column);
    if let Some(definitions) = declared.get("$defs") {
        root.insert("$defs".to_owned(), definitions.clone());
    }
    (with_references(Value::Object(root), declared), Words::of(said))
}

fn written(facts: Facts, column: &AsDeclared) -> (Map<String, Value>, Constraints) {
    let mut root = Map::new();
    let mut said = Vec::new();
    root.insert("type".to_owned(), "object".into());
    root.insert("properties".to_owned(), Value::Object(facts.properties.into_iter().collect()));
    let rest = match facts.rest {
        Rest::Silent => None,
        Rest::Open => Some(Value::Bool(true)),
        Rest::Closed => Some(Value::Bool(false)),
        Rest::Schema(schema) => Some(schema),
    };
    root.extend(rest.map(|rest| ("additionalProperties".to_owned(), rest)));
    if !facts.required.is_empty() {
        root.insert("required".to_owned(), facts.required.into());
    }
    root.extend(facts.description.map(|description| ("description".to_owned(), description.into())));
    root.extend(facts.asserted.into_iter().map(|(keyword, asserted)| (keyword.to_owned(), asserted)));
    let values = facts.values.map(|values| ("enum", Value::Array(values)));
    for (keyword, constraint) in facts.set_aside.into_iter().chain(values) {
        let refused = column.root_refuses.contains(&keyword) || ONLY_SAID.contains(&keyword);
        match (keyword, constraint) {
            (keyword, constraint) if refused || root.contains_key(keyword) => said.push((keyword, constraint)),
            ("if", Value::Object(parts)) => root.extend(parts),
            (keyword, constraint) => {
                root.insert(keyword.to_owned(), constraint);
            }
        }
    }
    (root, said)
}

/// The merged root with every reference leading to what it led to: where merging has moved or changed that, the declared
/// schema stands whole among the definitions.
fn with_references(mut root: Value, declared: &Value) -> Value {
    let name = ["declared", "declared_", "declared__"]
        .into_iter()
        .find(|name| declared.get("$defs").is_none_or(|definitions| definitions.get(name).is_none()))
        .unwrap_or("declared___");
    let moved = |target: &str| format!("#/$defs/{name}{}", target.trim_start_matches('#'));
    let is_same = |root: &Value, target: &str| {
        let there = Source::new(root).resolve(target);
        there.is_some() && there == Source::new(declared).resolve(target)
    };
    let is_moved = std::cell::Cell::new(false);
    let before = root.clone();
    parts::map_references(&mut root, &|target| {
        if is_same(&before, target) {
            return None;
        }
        is_moved.set(true);
        Some(moved(target))
    });
    if !is_moved.get() {
        return root;
    }
    let mut whole = declared.clone();
    parts::map_references(&mut whole, &|target| Some(moved(target)));
    if let Value::Object(members) = &mut root
        && let Value::Object(definitions) = members.entry("$defs").or_insert_with(|| Map::new().into())
    {
        definitions.insert(name.to_owned(), whole);
    }
    root
}

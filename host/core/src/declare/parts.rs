//! Parts: where schemas stand inside a schema, and what in them is for people and tools only.
//!
//! A property named `title` is no title and a value in an `enum` is no schema, so whoever changes schemas walks them here.

use serde_json::{Map, Value};

/// Keywords that hold one schema.
const ONE: [&str; 11] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords that hold a list of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// Keywords that hold schemas by name.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Keywords that constrain nothing and that no provider wants to see.
const ANNOTATIONS: [&str; 5] = ["$comment", "$id", "$schema", "examples", "title"];

/// Shows every schema that stands directly in this one.
pub(super) fn each(members: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    for (keyword, held) in members {
        let keyword = keyword.as_str();
        match held {
            held if ONE.contains(&keyword) => visit(held),
            Value::Array(schemas) if LISTS.contains(&keyword) => schemas.iter_mut().for_each(&mut *visit),
            Value::Object(schemas) if NAMED.contains(&keyword) => schemas.values_mut().for_each(&mut *visit),
            _ => {}
        }
    }
}

/// Removes what is for people and tools only, from a schema and everything in it.
pub(super) fn strip_annotations(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    members.retain(|keyword, _| !ANNOTATIONS.contains(&keyword.as_str()));
    each(members, &mut strip_annotations);
}

/// What a keyword holds, without annotations in the schemas that may be in it.
pub(super) fn without_annotations(keyword: &str, held: &Value) -> Value {
    let mut alone = Map::new();
    alone.insert(keyword.to_owned(), held.clone());
    each(&mut alone, &mut strip_annotations);
    alone.remove(keyword).unwrap_or_default()
}

/// Says what a schema without it only implies: `items` at every list.
pub(super) fn say_items(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    let is_list = match members.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "array"),
        Some(kind) => kind == "array",
        None => false,
    };
    if is_list {
        members.entry("items").or_insert_with(|| Map::new().into());
    }
    each(members, &mut say_items);
}

/// Rewrites every reference of a schema.
pub(super) fn map_references(schema: &mut Value, map: &dyn Fn(&str) -> Option<String>) {
    let Value::Object(members) = schema else { return };
    if let Some(Value::String(target)) = members.get_mut("$ref")
        && let Some(moved) = map(target)
    {
        *target = moved;
    }
    each(members, &mut |part| map_references(part, map));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{say_items, strip_annotations};

    #[test]
    fn annotations_go_and_properties_of_their_names_stay() {
        let mut schema = json!({
            "title": "T", "$schema": "x", "type": "object", "const": {"title": "data"},
            "properties": {"title": {"title": "t", "type": "string"}, "examples": {"examples": [1], "enum": [{"title": 1}]}},
            "anyOf": [{"$comment": "c"}],
        });
        strip_annotations(&mut schema);
        let left = json!({
            "type": "object", "const": {"title": "data"},
            "properties": {"title": {"type": "string"}, "examples": {"enum": [{"title": 1}]}},
            "anyOf": [{}],
        });
        assert_eq!(schema, left);
    }

    #[test]
    fn every_list_says_its_items() {
        let mut schema =
            json!({"type": ["array", "null"], "anyOf": [{"type": "array", "items": false}, {"type": "array"}]});
        say_items(&mut schema);
        let said = json!({
            "type": ["array", "null"], "items": {},
            "anyOf": [{"type": "array", "items": false}, {"type": "array", "items": {}}],
        });
        assert_eq!(schema, said);
    }
}

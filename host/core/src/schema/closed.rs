//! Closed objects: an object schema says what happens to undeclared keys, or it is a load error.
//!
//! Follows references to see each definition where it is used: a branch may stay open where the whole is closed.

use serde_json::{Map, Value};

use super::{SchemaError, refs};
use crate::field_path::pointer_step;
use crate::text;

/// In-place applicators: what they hold is applied to the very value the schema around them is applied to.
const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const CONSEQUENCES: [&str; 2] = ["then", "else"];

/// Keywords that hold one schema for a part of the value.
const PARTS: [&str; 5] = ["additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems", "contains"];

/// Keywords that hold several schemas for parts of the value, in an object or a list.
const PART_GROUPS: [&str; 3] = ["properties", "patternProperties", "prefixItems"];

/// Finds the first object left open by silence.
pub(super) fn check(root: &Value) -> Result<(), SchemaError> {
    Walk { root, seen: Vec::new() }.visit(root, false, "")
}

struct Walk<'s> {
    root: &'s Value,
    /// Definitions already looked at, with whether they stood inside a closed whole.
    seen: Vec<(*const Value, bool)>,
}

impl<'s> Walk<'s> {
    fn visit(&mut self, schema: &'s Value, in_closed: bool, at: &str) -> Result<(), SchemaError> {
        let Value::Object(members) = schema else { return Ok(()) };
        if self.seen.contains(&(std::ptr::from_ref(schema), in_closed)) {
            return Ok(());
        }
        self.seen.push((std::ptr::from_ref(schema), in_closed));
        let closed = is_closed(self.root, schema, &mut Vec::new());
        if is_about_objects(members) && !closed && !in_closed {
            return Err(SchemaError::OpenObject { at: text::one_line(if at.is_empty() { "/" } else { at }, 200) });
        }
        self.visit_same_place(members, closed || in_closed, at)?;
        for key in PARTS {
            if let Some(part) = members.get(key) {
                self.visit(part, false, &format!("{at}/{key}"))?;
            }
        }
        for key in PART_GROUPS {
            for (step, part) in children(members.get(key)) {
                self.visit(part, false, &format!("{at}/{key}/{step}"))?;
            }
        }
        Ok(())
    }

    fn visit_same_place(
        &mut self,
        members: &'s Map<String, Value>,
        in_closed: bool,
        at: &str,
    ) -> Result<(), SchemaError> {
        if let Some(Value::String(target)) = members.get("$ref")
            && let Some(definition) = refs::resolve(self.root, target)
        {
            self.visit(definition, in_closed, target)?;
        }
        for key in BRANCHES.into_iter().chain(["dependentSchemas"]) {
            for (step, branch) in children(members.get(key)) {
                self.visit(branch, in_closed, &format!("{at}/{key}/{step}"))?;
            }
        }
        for key in CONSEQUENCES {
            if let Some(consequence) = members.get(key) {
                self.visit(consequence, in_closed, &format!("{at}/{key}"))?;
            }
        }
        Ok(())
    }
}

/// The members of an object or the items of a list, with their step in a pointer.
fn children(group: Option<&Value>) -> Vec<(String, &Value)> {
    match group {
        Some(Value::Object(members)) => members.iter().map(|(key, member)| (pointer_step(key), member)).collect(),
        Some(Value::Array(items)) => items.iter().enumerate().map(|(idx, item)| (idx.to_string(), item)).collect(),
        _ => Vec::new(),
    }
}

/// Whether a schema speaks of an object's keys.
fn is_about_objects(members: &Map<String, Value>) -> bool {
    let typed = match members.get("type") {
        Some(Value::String(one)) => one == "object",
        Some(Value::Array(several)) => several.iter().any(|one| one == "object"),
        _ => false,
    };
    typed || ["properties", "patternProperties", "required"].iter().any(|key| members.contains_key(*key))
}

/// Whether a schema says what happens to undeclared keys, itself or through everything it is made of.
fn is_closed<'s>(root: &'s Value, schema: &'s Value, open: &mut Vec<*const Value>) -> bool {
    let Value::Object(members) = schema else { return false };
    if open.contains(&std::ptr::from_ref(schema)) {
        return false;
    }
    open.push(std::ptr::from_ref(schema));
    let group = |key: &str| members.get(key).and_then(Value::as_array).filter(|branches| !branches.is_empty());
    let closed = members.contains_key("additionalProperties")
        || members.contains_key("unevaluatedProperties")
        || members
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|target| refs::resolve(root, target))
            .is_some_and(|definition| is_closed(root, definition, open))
        || group("allOf").is_some_and(|branches| branches.iter().any(|branch| is_closed(root, branch, open)))
        || ["anyOf", "oneOf"]
            .iter()
            .any(|key| group(key).is_some_and(|branches| branches.iter().all(|branch| is_closed(root, branch, open))));
    open.pop();
    closed
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check;

    #[test]
    fn an_object_open_by_silence_is_named_by_its_place() {
        let rows: [(Value, &str); 6] = [
            (json!({"type": "object"}), "`/`"),
            (json!({"properties": {"a": {"type": "string"}}}), "`/`"),
            (
                json!({"type": "object", "additionalProperties": false, "properties": {"a": {"type": ["object", "null"]}}}),
                "`/properties/a`",
            ),
            (json!({"type": "array", "items": {"type": "object"}}), "`/items`"),
            (
                json!({"type": "array", "items": {"$ref": "#/$defs/row"}, "$defs": {"row": {"type": "object"}}}),
                "`#/$defs/row`",
            ),
            (json!({"anyOf": [{"type": "object", "additionalProperties": false}, {"type": "object"}]}), "`/anyOf/1`"),
        ];
        for (schema, place) in rows {
            let said = check(&schema).expect_err("is refused").to_string();
            assert!(said.contains(place), "{said}");
        }
    }

    #[test]
    fn an_object_closed_or_opened_on_purpose_passes() {
        for schema in [
            json!({"type": "object", "additionalProperties": false}),
            json!({"type": "object", "additionalProperties": true}),
            json!({"type": "object", "unevaluatedProperties": false, "allOf": [{"properties": {"a": true}}, {"$ref": "#/$defs/b"}], "$defs": {"b": {"type": "object"}}}),
            json!({"oneOf": [{"type": "object", "additionalProperties": false}, {"type": "string"}]}),
            json!({"properties": {"next": {"$ref": "#"}}, "additionalProperties": false}),
            json!({"not": {"required": ["a"]}, "type": "string"}),
            json!({}),
        ] {
            assert_eq!(check(&schema), Ok(()), "{schema}");
        }
    }
}

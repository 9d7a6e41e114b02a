//! References: every `$ref` stays inside its document, and following them ends.

use std::collections::HashMap;

use serde_json::Value;

use super::SchemaError;
use crate::field_path::pointer_step;
use crate::text;

/// Keywords that would move a document's base or resolve by name: a reader could not tell what is enforced.
const UNSUPPORTED: [&str; 6] = ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"];

/// The one dialect that is enforced.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Most schemas applied in place to one and the same value, one inside the other (`$ref` to `allOf` to `$ref` …). Each is a
/// stack frame per level of the value, and a chain of references costs a tool 25 bytes a link. The shipped ones need two.
const MAX_IN_PLACE: usize = 8;

/// Most schemas applied in place to one value in all. Arms of references multiply: three layers of sixty arms are 216 000
/// schemas in 4 KB, and everything that walks them pays for each.
const MAX_APPLIED: u64 = 1_000;

/// Most values of one `enum`. Each is held against each value that is checked.
const MAX_ENUM: usize = 1_000;

/// Keywords that apply what they hold to the very value the schema around them is applied to.
const IN_PLACE: [&str; 9] = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

/// Checks every reference of a document, and how many schemas meet in one place.
pub(super) fn check(root: &Value) -> Result<(), SchemaError> {
    Walk { root, seen: HashMap::new() }.visit(root, &mut String::new())
}

struct Walk<'s> {
    root: &'s Value,
    /// What is applied in place below each schema that was looked at, so that each is looked at once.
    seen: HashMap<*const Value, InPlace>,
}

/// The schemas applied to one and the same value below one of them.
#[derive(Clone, Copy)]
struct InPlace {
    /// How many stand one inside the other at most.
    depth: usize,
    /// How many there are, each counted as often as it is applied.
    n_applied: u64,
}

impl<'s> Walk<'s> {
    fn visit(&mut self, value: &'s Value, at: &mut String) -> Result<(), SchemaError> {
        let children: Vec<(String, &Value)> = match value {
            Value::Object(members) => members.iter().map(|(key, member)| (pointer_step(key), member)).collect(),
            Value::Array(items) => items.iter().enumerate().map(|(idx, item)| (idx.to_string(), item)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Ok(()),
        };
        if let Value::Object(members) = value {
            check_keywords(self.root, members, at)?;
            if self.in_place(value, MAX_IN_PLACE).is_none_or(|in_place| in_place.n_applied > MAX_APPLIED) {
                let at = if at.is_empty() { "/" } else { at.as_str() };
                return Err(SchemaError::TooManyInPlace { at: text::one_line(at, 200) });
            }
        }
        for (step, child) in children {
            let len = at.len();
            at.push('/');
            at.push_str(&step);
            self.visit(child, at)?;
            at.truncate(len);
        }
        Ok(())
    }

    /// What is applied in place below this one; `None` where more than `room` stand one inside the other, which a circle
    /// always does.
    fn in_place(&mut self, schema: &'s Value, room: usize) -> Option<InPlace> {
        if let Some(seen) = self.seen.get(&std::ptr::from_ref(schema)) {
            return (seen.depth <= room).then_some(*seen);
        }
        let mut sum = InPlace { depth: 0, n_applied: 0 };
        for inner in applied_in_place(self.root, schema) {
            let below = self.in_place(inner, room.checked_sub(1)?)?;
            sum.depth = sum.depth.max(below.depth.saturating_add(1));
            sum.n_applied = sum.n_applied.saturating_add(below.n_applied).saturating_add(1);
        }
        self.seen.insert(std::ptr::from_ref(schema), sum);
        Some(sum)
    }
}

/// The schemas applied to the very value that this one is applied to.
fn applied_in_place<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Value> {
    let Value::Object(members) = schema else {
        return Vec::new();
    };
    let held = IN_PLACE.iter().filter_map(|key| members.get(*key).map(|held| (*key, held)));
    let schemas = held.flat_map(|(key, held)| match held {
        Value::String(target) if key == "$ref" => resolve(root, target).into_iter().collect(),
        Value::Array(arms) => arms.iter().collect(),
        Value::Object(named) if key == "dependentSchemas" => named.values().collect(),
        held => vec![held],
    });
    schemas.collect()
}

/// A keyword whose value is not text is data (a property named `$ref` declares a schema, not a reference).
fn check_keywords(root: &Value, members: &serde_json::Map<String, Value>, at: &str) -> Result<(), SchemaError> {
    let error = |keyword, target: &str| {
        Err(SchemaError::Reference { keyword, at: text::one_line(at, 200), target: text::one_line(target, 120) })
    };
    for keyword in UNSUPPORTED {
        if let Some(Value::String(target)) = members.get(keyword) {
            return error(keyword, target);
        }
    }
    if let Some(Value::String(dialect)) = members.get("$schema")
        && dialect.trim_end_matches('#') != DIALECT
    {
        return error("$schema", dialect);
    }
    if let Some(Value::Array(values)) = members.get("enum")
        && values.len() > MAX_ENUM
    {
        return Err(SchemaError::Invalid(format!("an `enum` has {} values, the most is {MAX_ENUM}", values.len())));
    }
    match members.get("$ref") {
        Some(Value::String(target)) if resolve(root, target).is_none() => error("$ref", target),
        _ => Ok(()),
    }
}

/// The schema that a local reference points at.
pub(super) fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let pointer = reference.strip_prefix('#')?;
    root.pointer(&pointer.replace("%25", "%").replace("%22", "\""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::check;

    #[test]
    fn only_references_inside_the_document_pass() {
        let good = json!({"$defs": {"a": {"type": "string"}}, "properties": {"x": {"$ref": "#/$defs/a"}, "$ref": {"type": "string"}}});
        assert_eq!(check(&good), Ok(()));
        for target in ["http://x/y", "file:///etc/passwd", "other.json", "urn:x:y", "#/$defs/none", "#name"] {
            let bad = json!({"$defs": {}, "items": {"$ref": target}});
            let said = check(&bad).expect_err(target).to_string();
            assert!(said.contains("/items") && said.contains(target), "{said}");
        }
        assert!(check(&json!({"$id": "http://x/"})).is_err());
        assert!(check(&json!({"$schema": "http://json-schema.org/draft-04/schema#"})).is_err());
    }

    #[test]
    fn a_circle_of_references_in_one_place_is_refused_and_one_through_a_property_is_not() {
        for circle in [
            json!({"$ref": "#"}),
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}),
            json!({"not": {"$ref": "#"}}),
            json!({"if": {"allOf": [{"$ref": "#"}]}}),
        ] {
            let said = check(&circle).expect_err("is refused").to_string();
            assert!(said.contains("in one place"), "{said}");
        }
        assert_eq!(check(&json!({"properties": {"next": {"$ref": "#"}}})), Ok(()));
    }

    #[test]
    fn a_long_chain_of_references_is_refused() {
        let mut definitions = serde_json::Map::new();
        for link in 0..2_000 {
            definitions.insert(format!("d{link}"), json!({"$ref": format!("#/$defs/d{}", link + 1)}));
        }
        definitions.insert("d2000".to_owned(), json!({"type": "string"}));
        assert!(check(&json!({"$defs": definitions, "$ref": "#/$defs/d0"})).is_err());
    }

    /// Layers of references, each to as many of the next.
    fn layers(n_layers: usize, n_arms: usize) -> serde_json::Value {
        let mut definitions = serde_json::Map::new();
        for (layer, next) in (0..n_layers).zip(1..) {
            let arms = vec![json!({"$ref": format!("#/$defs/d{next}")}); n_arms];
            definitions.insert(format!("d{layer}"), json!({ "allOf": arms }));
        }
        definitions.insert(format!("d{n_layers}"), json!({"type": "string"}));
        json!({"$defs": definitions, "$ref": "#/$defs/d0"})
    }

    #[test]
    fn arms_that_multiply_are_counted_without_being_walked() {
        assert_eq!(check(&layers(2, 10)), Ok(()));
        assert!(check(&layers(3, 60)).is_err());
        assert!(check(&layers(3, 400)).is_err());
    }

    #[test]
    fn an_enum_of_thousands_is_refused() {
        assert!(check(&json!({"enum": (0..1_001).collect::<Vec<_>>()})).is_err());
    }
}

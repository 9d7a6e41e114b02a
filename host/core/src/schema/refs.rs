//! References: every `$ref` stays inside its document, and nesting is bounded before anything recurses into it.

use serde_json::Value;

use super::SchemaError;
use crate::text;

/// Keywords that would move a document's base or resolve by name: a reader could not tell what is enforced.
const UNSUPPORTED: [&str; 6] = [
    "$id",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "$recursiveAnchor",
];

/// The one dialect that is enforced.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Checks every reference and the depth of a document.
pub(super) fn check(root: &Value, max_depth: u32) -> Result<(), SchemaError> {
    walk(root, root, &mut String::new(), max_depth)
}

fn walk(root: &Value, value: &Value, at: &mut String, room: u32) -> Result<(), SchemaError> {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(key, member)| (escape(key), member)).collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(idx, item)| (idx.to_string(), item))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Ok(()),
    };
    let Some(room) = room.checked_sub(1) else {
        return Err(SchemaError::TooDeep {
            at: text::one_line(at, 200),
        });
    };
    if let Value::Object(members) = value {
        check_keywords(root, members, at)?;
    }
    for (step, child) in children {
        let len = at.len();
        at.push('/');
        at.push_str(&step);
        walk(root, child, at, room)?;
        at.truncate(len);
    }
    Ok(())
}

/// A keyword whose value is not text is data (a property named `$ref` declares a schema, not a reference).
fn check_keywords(root: &Value, members: &serde_json::Map<String, Value>, at: &str) -> Result<(), SchemaError> {
    let error = |keyword, target: &str| {
        Err(SchemaError::Reference {
            keyword,
            at: text::one_line(at, 200),
            target: text::one_line(target, 120),
        })
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

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::check;

    #[test]
    fn only_references_inside_the_document_pass() {
        let good = json!({"$defs": {"a": {"type": "string"}}, "properties": {"x": {"$ref": "#/$defs/a"}, "$ref": {"type": "string"}}});
        assert_eq!(check(&good, 32), Ok(()));
        for target in [
            "http://x/y",
            "file:///etc/passwd",
            "other.json",
            "urn:x:y",
            "#/$defs/none",
            "#name",
        ] {
            let bad = json!({"$defs": {}, "items": {"$ref": target}});
            let said = check(&bad, 32).expect_err(target).to_string();
            assert!(said.contains("/items") && said.contains(target), "{said}");
        }
        assert!(check(&json!({"$id": "http://x/"}), 32).is_err());
        assert!(check(&json!({"$schema": "http://json-schema.org/draft-04/schema#"}), 32).is_err());
    }

    #[test]
    fn deep_nesting_is_refused_before_it_is_walked() {
        let mut deep = json!(true);
        for _ in 0..100 {
            deep = json!({ "not": deep });
        }
        assert!(
            check(&deep, 32)
                .expect_err("is refused")
                .to_string()
                .contains("nested deeper")
        );
    }
}

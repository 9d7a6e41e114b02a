//! References: every `$ref` stays inside its document.

use serde_json::Value;

use super::SchemaError;
use crate::text;

/// Keywords that would move a document's base or resolve by name: a reader could not tell what is enforced.
const UNSUPPORTED: [&str; 6] = ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"];

/// The one dialect that is enforced.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Holds one keyword of the schema at `at` to the rules for references. Nothing outside the document is ever opened: MCP
/// 2026-07-28 (SEP-2106) forbids it too.
pub(super) fn check_keyword(root: &Value, keyword: &str, held: &Value, at: &str) -> Result<(), SchemaError> {
    let error = |keyword, rule| {
        let target = held.as_str().map_or_else(|| text::quote(held), |target| text::one_line(target, 120));
        Err(SchemaError::Reference { keyword, at: at.to_owned(), target, rule })
    };
    if let Some(keyword) = UNSUPPORTED.into_iter().find(|unsupported| *unsupported == keyword) {
        return error(keyword, "a schema is one document with one base; use `$ref` with `#/$defs/…`");
    }
    match (keyword, held) {
        ("$schema", Value::String(dialect)) if dialect.trim_end_matches('#') != DIALECT => {
            error("$schema", "the dialect that is enforced is https://json-schema.org/draft/2020-12/schema")
        }
        ("$ref", Value::String(target)) if resolve(root, target).is_none() => {
            error("$ref", "only `#` and `#/…` to a place inside the same document are followed")
        }
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
    use serde_json::{Value, json};

    use super::{check_keyword, resolve};

    fn check(keyword: &str, held: Value) -> Result<(), super::SchemaError> {
        let root = json!({"$defs": {"a": {"type": "string"}, "b/c": {}}});
        check_keyword(&root, keyword, &held, "/items")
    }

    #[test]
    fn only_references_inside_the_document_pass() {
        for target in ["#", "#/$defs/a", "#/$defs/b~1c"] {
            assert_eq!(check("$ref", target.into()), Ok(()), "{target}");
        }
        for target in ["http://x/y", "file:///etc/passwd", "other.json", "urn:x:y", "#/$defs/none", "#name", ""] {
            let said = check("$ref", target.into()).expect_err(target);
            assert_eq!(said.code(), "load:schema_ref");
            assert!(said.to_string().contains("/items") && said.to_string().contains(target), "{said}");
        }
    }

    #[test]
    fn another_base_and_another_dialect_are_refused() {
        for keyword in ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"] {
            assert!(check(keyword, "#x".into()).is_err(), "{keyword}");
        }
        assert!(check("$schema", "http://json-schema.org/draft-04/schema#".into()).is_err());
        assert_eq!(check("$schema", "https://json-schema.org/draft/2020-12/schema".into()), Ok(()));
    }

    #[test]
    fn a_percent_sign_and_a_quote_are_read_as_in_an_address() {
        let root = json!({"$defs": {"a%b": 1, "c\"d": 2}});
        assert_eq!(resolve(&root, "#/$defs/a%25b"), Some(&json!(1)));
        assert_eq!(resolve(&root, "#/$defs/c%22d"), Some(&json!(2)));
    }
}

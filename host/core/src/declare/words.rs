//! Words: constraints that a provider's schema cannot carry, said in a description in one fixed form.
//!
//! `(minimum 1, maximum 2)`: keyword and value as JSON, in a fixed order of keywords, behind what the author wrote.

use serde_json::{Map, Value};

use crate::text;

/// Most characters of one value. A constraint that takes more than this to say guides no model.
const MAX_VALUE: usize = 400;

/// The order in which keywords are said.
const ORDER: [&str; 28] = [
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "enum",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "required",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "patternProperties",
    "unevaluatedProperties",
    "dependentRequired",
    "dependentSchemas",
    "anyOf",
    "oneOf",
];

/// Constraints by keyword.
pub(super) type Constraints = Vec<(&'static str, Value)>;

/// Constraints in words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    said: Vec<String>,
    /// Keywords whose values are too long to be said.
    pub(super) unsaid: Vec<&'static str>,
}

impl Words {
    /// Says these constraints.
    pub(super) fn of(mut constraints: Constraints) -> Self {
        let rank = |keyword: &str| ORDER.iter().position(|known| *known == keyword).unwrap_or(ORDER.len());
        constraints.sort_by_key(|(keyword, _)| rank(keyword));
        let mut words = Self::default();
        for (keyword, value) in constraints {
            let said = match (keyword, &value) {
                ("if", Value::Object(parts)) => conditional(parts),
                _ => format!("{keyword} {value}"),
            };
            if said.chars().count() > MAX_VALUE {
                words.unsaid.push(keyword);
            } else if !words.said.contains(&said) {
                words.said.push(said);
            }
        }
        words
    }

    /// Whether nothing is said.
    pub(super) fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// Each constraint.
    pub(super) fn said(&self) -> &[String] {
        &self.said
    }

    /// Behind a description, in at most `room` characters; as many as fit, and whether that is all of them.
    pub(super) fn behind(&self, description: Option<&str>, room: usize) -> (String, bool) {
        let mut n_said = self.said.len();
        loop {
            let said = self.said.get(..n_said).unwrap_or_default();
            let parts = description.map(str::to_owned).into_iter();
            let parts = parts.chain((!said.is_empty()).then(|| format!("({})", said.join(", "))));
            let whole = parts.collect::<Vec<_>>().join(" ");
            if n_said == 0 || whole.chars().count() <= room {
                return (text::clean(&whole).0.into_owned(), n_said == self.said.len());
            }
            n_said = n_said.saturating_sub(1);
        }
    }
}

/// `if` with what follows from it, as one constraint.
fn conditional(parts: &Map<String, Value>) -> String {
    let said =
        ["if", "then", "else"].into_iter().filter_map(|keyword| Some(format!("{keyword} {}", parts.get(keyword)?)));
    said.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Words;

    #[test]
    fn constraints_are_said_in_one_order_and_form() {
        let words = Words::of(vec![
            ("maximum", json!(2)),
            ("if", json!({"then": false, "if": {"minimum": 1}})),
            ("minimum", json!(1)),
            ("pattern", json!("^a\\b")),
            ("not", json!({"const": "x".repeat(500)})),
        ]);
        assert_eq!(words.unsaid, ["not"]);
        let (said, whole) = words.behind(None, 1024);
        assert_eq!(said, r#"(minimum 1, maximum 2, pattern "^a\\b", if {"minimum":1} then false)"#);
        assert!(whole);
        assert_eq!(words.behind(Some("How many."), 40), ("How many. (minimum 1, maximum 2)".to_owned(), false));
        assert_eq!(words.behind(Some("How many."), 3), ("How many.".to_owned(), false));
    }
}

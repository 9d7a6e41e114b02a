//! Lint: every rule about a schema that needs no validator, held before one is built.
//!
//! Keywords come from a fixed list, each with what it may hold. A keyword that is not on it is an error and not ignored: a
//! typo in `required` would switch a check off, and nobody would hear of it.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::{SchemaError, refs};
use crate::field_path::pointer_step;
use crate::near::nearest;
use crate::text;
use crate::units::{ByteCount, Depth};

/// Most bytes of one schema. It is walked several times at load and shown to the model with every request.
pub(super) const MAX_SCHEMA: ByteCount = ByteCount::kib(64);

/// Deepest nesting of a schema. It is walked recursively, so without a cap a schema could exhaust the stack.
pub(super) const MAX_SCHEMA_DEPTH: Depth = Depth::new(32);

/// Most schemas in one document.
const MAX_SUBSCHEMAS: usize = 2_000;

/// Most properties of one object.
const MAX_PROPERTIES: usize = 500;

/// Most values of one `enum`. Each is held against each value that is checked.
const MAX_ENUM: usize = 1_000;

/// Most references. Each may be followed for every value that is checked.
const MAX_REFERENCES: usize = 500;

/// Most different `multipleOf`. Each is compiled by itself; prices and sizes need a few.
const MAX_STEPS: usize = 100;

/// Most patterns, and most bytes of one. Compiling one costs its length times the counts in it.
const MAX_PATTERNS: usize = 100;
const MAX_PATTERN: ByteCount = ByteCount::kib(1);

/// The largest bound of a length or count: beyond 2^53 readers in other languages would round it.
const MAX_COUNT: u64 = 1 << 53;

/// The smallest `multipleOf`. Below, a double cannot say whether a number is a multiple.
const MIN_STEP: f64 = 1e-9;

/// Formats that are checked, after JSON Schema Validation 2020-12 §7.3; the international ones are not among them, since
/// their tables are larger than everything else in the validator.
pub(super) const FORMATS: [&str; 17] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// What a keyword may hold.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// One schema; `false` where that closes something.
    Schema {
        may_be_false: bool,
    },
    /// At least one schema, in a list.
    Schemas,
    /// Schemas by name.
    NamedSchemas,
    Text,
    Flag,
    Number,
    /// A number above [`MIN_STEP`].
    Step,
    /// A whole number from 0 on.
    Count,
    /// Different texts, in a list.
    Names,
    /// Lists of different texts by name.
    NamedNames,
    /// A type or a list of them.
    Types,
    /// At least one value, in a list.
    Values,
    /// Any value.
    Anything,
    /// A list of any values.
    Examples,
}

/// Every keyword that is enforced, or that only explains. JSON Schema Core and Validation, 2020-12.
const KEYWORDS: [(&str, Holds); 51] = [
    ("$comment", Holds::Text),
    ("$defs", Holds::NamedSchemas),
    ("$ref", Holds::Text),
    ("$schema", Holds::Text),
    ("additionalProperties", Holds::Schema { may_be_false: true }),
    ("allOf", Holds::Schemas),
    ("anyOf", Holds::Schemas),
    ("const", Holds::Anything),
    ("contains", Holds::Schema { may_be_false: false }),
    ("default", Holds::Anything),
    ("dependentRequired", Holds::NamedNames),
    ("dependentSchemas", Holds::NamedSchemas),
    ("deprecated", Holds::Flag),
    ("description", Holds::Text),
    ("else", Holds::Schema { may_be_false: false }),
    ("enum", Holds::Values),
    ("examples", Holds::Examples),
    ("exclusiveMaximum", Holds::Number),
    ("exclusiveMinimum", Holds::Number),
    ("format", Holds::Text),
    ("if", Holds::Schema { may_be_false: false }),
    ("items", Holds::Schema { may_be_false: true }),
    ("maxContains", Holds::Count),
    ("maxItems", Holds::Count),
    ("maxLength", Holds::Count),
    ("maxProperties", Holds::Count),
    ("maximum", Holds::Number),
    ("minContains", Holds::Count),
    ("minItems", Holds::Count),
    ("minLength", Holds::Count),
    ("minProperties", Holds::Count),
    ("minimum", Holds::Number),
    ("multipleOf", Holds::Step),
    ("not", Holds::Schema { may_be_false: false }),
    ("oneOf", Holds::Schemas),
    ("pattern", Holds::Text),
    ("patternProperties", Holds::NamedSchemas),
    ("prefixItems", Holds::Schemas),
    ("properties", Holds::NamedSchemas),
    ("propertyNames", Holds::Schema { may_be_false: false }),
    ("readOnly", Holds::Flag),
    ("required", Holds::Names),
    ("then", Holds::Schema { may_be_false: false }),
    ("title", Holds::Text),
    ("type", Holds::Types),
    ("unevaluatedItems", Holds::Schema { may_be_false: true }),
    ("unevaluatedProperties", Holds::Schema { may_be_false: true }),
    ("uniqueItems", Holds::Flag),
    ("writeOnly", Holds::Flag),
    // Two that move a document's base or resolve by name; `refs` says what is wrong with them.
    ("$anchor", Holds::Text),
    ("$id", Holds::Text),
];

/// Bounds that belong together: where the first is above the second, nothing fits.
const PAIRS: [(&str, &str); 5] = [
    ("minContains", "maxContains"),
    ("minItems", "maxItems"),
    ("minLength", "maxLength"),
    ("minProperties", "maxProperties"),
    ("minimum", "maximum"),
];

/// Holds a document to every rule, in the order of the walk.
pub(super) fn check(root: &Value) -> Result<(), SchemaError> {
    let (schemas, references, steps) = (HashSet::new(), Vec::new(), BTreeSet::new());
    let mut lint = Lint { root, at: String::new(), schemas, references, n_patterns: 0, steps };
    lint.visit(root, false)?;
    lint.check_references()
}

struct Lint<'s> {
    root: &'s Value,
    at: String,
    /// The schemas that were walked.
    schemas: HashSet<*const Value>,
    /// Every reference, with the place it stands at.
    references: Vec<(String, &'s str)>,
    n_patterns: usize,
    steps: BTreeSet<String>,
}

impl<'s> Lint<'s> {
    fn visit(&mut self, schema: &'s Value, may_be_false: bool) -> Result<(), SchemaError> {
        self.schemas.insert(std::ptr::from_ref(schema));
        if self.schemas.len() > MAX_SUBSCHEMAS {
            return Err(self.keyword("$defs", format!("makes it more than {MAX_SUBSCHEMAS} schemas")));
        }
        match schema {
            Value::Bool(true) => Ok(()),
            Value::Bool(false) if may_be_false => Ok(()),
            Value::Bool(false) => Err(self
                .keyword("false", "lets nothing through: leave the key undeclared, or say what it must not be".into())),
            Value::Object(members) => {
                for (keyword, held) in members {
                    self.visit_keyword(keyword, held)?;
                }
                self.check_together(members)
            }
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                let problem = format!("is no schema but {}", text::quote(schema));
                Err(self.keyword("schema", problem))
            }
        }
    }

    fn visit_keyword(&mut self, keyword: &'s str, held: &'s Value) -> Result<(), SchemaError> {
        refs::check_keyword(self.root, keyword, held, &self.place())?;
        let Some((_, holds)) = KEYWORDS.iter().find(|(known, _)| *known == keyword) else {
            let known = KEYWORDS.iter().map(|(known, _)| *known);
            let nearest = nearest(keyword, known).map(str::to_owned);
            return Err(SchemaError::UnknownKeyword {
                keyword: text::one_line(keyword, 64),
                at: self.place(),
                nearest,
            });
        };
        self.check_held(keyword, held, *holds)?;
        self.check_limits(keyword, held)?;
        match (holds, held) {
            (Holds::Schema { may_be_false }, held) => self.step(keyword, |lint| lint.visit(held, *may_be_false)),
            (Holds::Schemas, Value::Array(schemas)) => self.step(keyword, |lint| {
                schemas
                    .iter()
                    .enumerate()
                    .try_for_each(|(nth, schema)| lint.step(&nth.to_string(), |lint| lint.visit(schema, false)))
            }),
            (Holds::NamedSchemas, Value::Object(schemas)) => self.step(keyword, |lint| {
                schemas
                    .iter()
                    .try_for_each(|(name, schema)| lint.step(&pointer_step(name), |lint| lint.visit(schema, false)))
            }),
            _ => Ok(()),
        }
    }

    /// Goes on one step further down.
    fn step(
        &mut self,
        step: &str,
        go_on: impl FnOnce(&mut Self) -> Result<(), SchemaError>,
    ) -> Result<(), SchemaError> {
        let len = self.at.len();
        self.at.push('/');
        self.at.push_str(step);
        let outcome = go_on(self);
        self.at.truncate(len);
        outcome
    }

    fn check_held(&self, keyword: &str, held: &Value, holds: Holds) -> Result<(), SchemaError> {
        let (fits, due) = match holds {
            Holds::Schema { may_be_false: _ } => (held.is_object() || held.is_boolean(), "a schema"),
            Holds::Schemas => (held.as_array().is_some_and(|list| !list.is_empty()), "a list of schemas, at least one"),
            Holds::NamedSchemas => (held.is_object(), "an object of schemas"),
            Holds::Text => (held.is_string(), "a text"),
            Holds::Flag => (held.is_boolean(), "true or false"),
            Holds::Number => (held.is_number(), "a number"),
            Holds::Step => (held.as_f64().is_some_and(|step| step >= MIN_STEP), "a number of at least 1e-9"),
            Holds::Count => (count(held).is_some_and(|n| n <= MAX_COUNT), "a whole number from 0 to 2^53"),
            Holds::Names => (are_names(held), "a list of different texts"),
            Holds::NamedNames => (
                held.as_object().is_some_and(|map| map.values().all(are_names)),
                "an object of lists of different texts",
            ),
            Holds::Types => {
                (are_types(held), "a type, or a list of different types, of the seven that JSON Schema has")
            }
            Holds::Values => (held.as_array().is_some_and(|list| !list.is_empty()), "a list of at least one value"),
            Holds::Anything => (true, ""),
            Holds::Examples => (held.is_array(), "a list"),
        };
        if fits { Ok(()) } else { Err(self.keyword(keyword, format!("must hold {due}, not {}", text::quote(held)))) }
    }

    fn check_limits(&mut self, keyword: &str, held: &'s Value) -> Result<(), SchemaError> {
        match (keyword, held) {
            ("$ref", Value::String(target)) => {
                self.references.push((self.place(), target));
                self.check_count(keyword, self.references.len(), MAX_REFERENCES, "references in all")
            }
            ("enum", Value::Array(values)) => self.check_count(keyword, values.len(), MAX_ENUM, "values"),
            ("properties", Value::Object(map)) => self.check_count(keyword, map.len(), MAX_PROPERTIES, "properties"),
            ("format", Value::String(format)) if !FORMATS.contains(&format.as_str()) => {
                Err(SchemaError::UnknownFormat { format: text::one_line(format, 64), at: self.place() })
            }
            ("multipleOf", Value::Number(step)) => {
                self.steps.insert(step.to_string());
                self.check_count(keyword, self.steps.len(), MAX_STEPS, "different values in all")
            }
            ("pattern", Value::String(pattern)) => self.check_pattern(pattern),
            ("patternProperties", Value::Object(map)) => map.keys().try_for_each(|pattern| self.check_pattern(pattern)),
            _ => Ok(()),
        }
    }

    fn check_count(&self, keyword: &str, n: usize, max: usize, what: &str) -> Result<(), SchemaError> {
        if n > max { Err(self.keyword(keyword, format!("has {n} {what}, the most is {max}"))) } else { Ok(()) }
    }

    fn check_pattern(&mut self, pattern: &str) -> Result<(), SchemaError> {
        self.n_patterns = self.n_patterns.saturating_add(1);
        let error = |problem: String| Err(SchemaError::Pattern { pattern: text::one_line(pattern, 120), problem });
        if self.n_patterns > MAX_PATTERNS {
            return error(format!("is one too many: a schema has at most {MAX_PATTERNS} patterns"));
        }
        let size = ByteCount::of(pattern.as_bytes());
        if size > MAX_PATTERN {
            return error(format!("has {size}, the most is {MAX_PATTERN}"));
        }
        Ok(())
    }

    /// A reference points at a schema that was walked, not into a `default` or an `enum`.
    fn check_references(&self) -> Result<(), SchemaError> {
        let is_schema = |target: &str| {
            refs::resolve(self.root, target).is_some_and(|found| self.schemas.contains(&std::ptr::from_ref(found)))
        };
        match self.references.iter().find(|(_, target)| !is_schema(target)) {
            None => Ok(()),
            Some((at, target)) => Err(SchemaError::Reference {
                keyword: "$ref",
                at: at.clone(),
                target: text::one_line(target, 120),
                rule: "no schema stands at that place",
            }),
        }
    }

    /// Keywords that no value can meet together.
    fn check_together(&self, members: &Map<String, Value>) -> Result<(), SchemaError> {
        for (low, high) in PAIRS {
            if let (Some(min), Some(max)) =
                (members.get(low).and_then(Value::as_f64), members.get(high).and_then(Value::as_f64))
                && min > max
            {
                return Err(self.keyword(low, format!("is above `{high}`, so nothing fits")));
            }
        }
        if let (Some(types), Some(Value::Array(values))) = (members.get("type"), members.get("enum"))
            && !values.iter().any(|value| has_type(types, value))
        {
            return Err(self.keyword("enum", "has no value of the declared `type`, so nothing fits".to_owned()));
        }
        self.check_required(members)
    }

    fn check_required(&self, members: &Map<String, Value>) -> Result<(), SchemaError> {
        let is_closed = members.get("additionalProperties") == Some(&Value::Bool(false))
            && !members.contains_key("patternProperties");
        let declared = members.get("properties").and_then(Value::as_object);
        let names = members.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for name in names.filter(|_| is_closed) {
            if !declared.is_some_and(|declared| declared.contains_key(name)) {
                let name = text::one_line(name, 64);
                return Err(
                    self.keyword("required", format!("names `{name}`, which the closed object does not declare"))
                );
            }
        }
        Ok(())
    }

    fn place(&self) -> String {
        text::one_line(if self.at.is_empty() { "/" } else { &self.at }, 200)
    }

    fn keyword(&self, keyword: &str, problem: String) -> SchemaError {
        SchemaError::Keyword { keyword: text::one_line(keyword, 64), at: self.place(), problem }
    }
}

/// A length or count, which may be written `2.0`.
pub(super) fn count(held: &Value) -> Option<u64> {
    held.as_u64().or_else(|| {
        let float = held.as_f64().filter(|float| float.fract() == 0.0 && (0.0..=9.1e15).contains(float))?;
        format!("{float:.0}").parse().ok()
    })
}

fn are_names(held: &Value) -> bool {
    held.as_array().is_some_and(|list| {
        let names: BTreeSet<&str> = list.iter().filter_map(Value::as_str).collect();
        names.len() == list.len()
    })
}

fn are_types(held: &Value) -> bool {
    const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
    match held {
        Value::String(one) => TYPES.contains(&one.as_str()),
        Value::Array(several) => {
            let known = several.iter().filter_map(Value::as_str).all(|one| TYPES.contains(&one));
            known && !several.is_empty() && are_names(held)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn has_type(types: &Value, value: &Value) -> bool {
    let is_a = |name: &str| match (name, value) {
        ("null", Value::Null) | ("boolean", Value::Bool(_)) | ("number", Value::Number(_)) => true,
        ("string", Value::String(_)) | ("array", Value::Array(_)) | ("object", Value::Object(_)) => true,
        ("integer", Value::Number(number)) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    };
    match types {
        Value::String(one) => is_a(one),
        Value::Array(several) => several.iter().filter_map(Value::as_str).any(is_a),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{KEYWORDS, check};

    #[test]
    fn the_table_is_sorted_but_for_what_is_always_refused() {
        let names: Vec<&str> = KEYWORDS.iter().map(|(name, _)| *name).take(KEYWORDS.len() - 2).collect();
        assert!(names.is_sorted(), "{names:?}");
    }

    fn code(schema: &Value) -> &'static str {
        check(schema).map_or_else(|error| error.code(), |()| "good")
    }

    #[test]
    fn a_keyword_that_is_not_enforced_is_named_with_what_is_probably_meant() {
        let said = check(&json!({"type": "object", "properties": {"a": {"requierd": ["b"]}}})).expect_err("refused");
        assert_eq!(said.code(), "load:schema_keyword");
        assert_eq!(
            said.to_string(),
            "`requierd` at `/properties/a` is no keyword that is enforced; did you mean `required`?"
        );
        for keyword in ["definitions", "dependencies", "contentEncoding", "x-mcp-header", "nullable", "id"] {
            assert_eq!(code(&json!({ keyword: {} })), "load:schema_keyword", "{keyword}");
        }
        assert_eq!(code(&json!({"format": "idn-email"})), "load:schema_keyword");
        assert_eq!(code(&json!({"properties": {"requierd": true, "format": {"const": {"requierd": 1}}}})), "good");
    }

    #[test]
    fn a_keyword_that_holds_what_it_cannot_hold_is_named_by_its_place() {
        for (schema, place) in [
            (json!({"minimum": "1"}), "`minimum` at `/`"),
            (json!({"items": {"maxLength": -1}}), "`maxLength` at `/items`"),
            (json!({"maxLength": 1e308}), "2^53"),
            (json!({"multipleOf": 1e-308}), "1e-9"),
            (json!({"multipleOf": 0}), "1e-9"),
            (json!({"type": "strin"}), "`type`"),
            (json!({"type": ["string", "string"]}), "different types"),
            (json!({"enum": []}), "at least one value"),
            (json!({"required": ["a", "a"]}), "different texts"),
            (json!({"anyOf": []}), "at least one"),
            (json!({"anyOf": [1]}), "`schema` at `/anyOf/0` is no schema"),
            (json!({"properties": {"a": false}}), "`false` at `/properties/a`"),
            (json!({"minimum": 2, "maximum": 1}), "nothing fits"),
            (json!({"type": "string", "enum": [1]}), "nothing fits"),
            (json!({"additionalProperties": false, "required": ["a"]}), "names `a`"),
            (json!({"uniqueItems": 1}), "true or false"),
        ] {
            let said = check(&schema).expect_err("is refused");
            assert_eq!(said.code(), "load:schema", "{schema}");
            assert!(said.to_string().contains(place), "{said}");
        }
    }

    #[test]
    fn what_there_is_too_much_of_is_refused() {
        let many = |n: usize| (0..n).map(|nth| (format!("k{nth}"), json!(true))).collect::<Map<_, _>>();
        assert_eq!(code(&json!({"enum": (0..1_001).collect::<Vec<_>>()})), "load:schema");
        assert_eq!(code(&json!({"properties": many(501)})), "load:schema");
        assert_eq!(code(&json!({"anyOf": vec![json!(true); 2_001]})), "load:schema");
        assert_eq!(code(&json!({"$defs": {}, "anyOf": vec![json!({"$ref": "#/$defs"}); 501]})), "load:schema");
        assert_eq!(
            code(&json!({"anyOf": (0..101).map(|n| json!({"pattern": format!("a{n}")})).collect::<Vec<_>>()})),
            "load:pattern"
        );
        assert_eq!(code(&json!({"pattern": "a".repeat(1_025)})), "load:pattern");
        let steps = |n: u32| json!({"anyOf": (1..=n).map(|n| json!({"multipleOf": n})).collect::<Vec<_>>()});
        assert_eq!((code(&steps(100)), code(&steps(101))), ("good", "load:schema"));
        assert_eq!(code(&json!({"anyOf": vec![json!({"multipleOf": 0.01}); 200]})), "good");
    }

    #[test]
    fn what_closes_may_be_false() {
        for keyword in ["additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems"] {
            assert_eq!(code(&json!({ keyword: false })), "good", "{keyword}");
        }
    }
}

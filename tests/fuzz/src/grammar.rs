//! Grammar: bytes to a schema over every keyword that is enforced, and to values that nearly fit one.
//!
//! Names, texts and numbers come from short lists, so that a value often meets the rule that is about it: corners are where
//! readers and validators differ, and a random string is never in one.

use arbitrary::Unstructured;
use serde_json::{Map, Value, json};

/// Deepest nesting of a schema that is made.
const MAX_DEPTH: usize = 4;

/// Deepest nesting of a value that is made.
const MAX_VALUE_DEPTH: usize = 4;

const KEYS: [&str; 7] = ["a", "b", "", "é", "ab", "$ref", "a/b~c%d"];

const DEFINITIONS: [&str; 3] = ["x", "y", "z"];

const REFERENCES: [&str; 7] =
    ["#/$defs/x", "#/$defs/y", "#/$defs/z", "#", "#/properties/a", "#/$defs/x/properties/a", "#/items"];

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

const TEXTS: [&str; 13] = [
    "",
    "a",
    "b",
    "ab",
    "aab",
    "é",
    "e\u{301}",
    "😀",
    "1",
    "2024-02-29",
    "::1",
    "a/b~c%d",
    "01234567-89ab-cdef-0123-456789abcdef",
];

const PATTERNS: [&str; 12] =
    ["^a", "b$", "^.{2}$", "é", "", "\\d+", "^[^a]*$", "\\p{L}", "^\\S+$", "^(a|ab)(b|)$", "^$", "[\\w-]"];

const FORMATS: [&str; 9] = ["date", "date-time", "duration", "email", "ipv6", "json-pointer", "regex", "uri", "uuid"];

/// What a keyword holds, as the grammar makes it.
#[derive(Clone, Copy)]
enum Makes {
    Schema,
    Closing,
    Schemas,
    Named,
    Patterned,
    Types,
    Values,
    Value,
    Number,
    Step,
    Count,
    Names,
    NamedNames,
    Pattern,
    Format,
    Flag,
    Reference,
}

const KEYWORDS: [(&str, Makes); 39] = [
    ("$ref", Makes::Reference),
    ("additionalProperties", Makes::Closing),
    ("allOf", Makes::Schemas),
    ("anyOf", Makes::Schemas),
    ("const", Makes::Value),
    ("contains", Makes::Schema),
    ("dependentRequired", Makes::NamedNames),
    ("dependentSchemas", Makes::Named),
    ("else", Makes::Schema),
    ("enum", Makes::Values),
    ("exclusiveMaximum", Makes::Number),
    ("exclusiveMinimum", Makes::Number),
    ("format", Makes::Format),
    ("if", Makes::Schema),
    ("items", Makes::Closing),
    ("maxContains", Makes::Count),
    ("maxItems", Makes::Count),
    ("maxLength", Makes::Count),
    ("maxProperties", Makes::Count),
    ("maximum", Makes::Number),
    ("minContains", Makes::Count),
    ("minItems", Makes::Count),
    ("minLength", Makes::Count),
    ("minProperties", Makes::Count),
    ("minimum", Makes::Number),
    ("multipleOf", Makes::Step),
    ("not", Makes::Schema),
    ("oneOf", Makes::Schemas),
    ("pattern", Makes::Pattern),
    ("patternProperties", Makes::Patterned),
    ("prefixItems", Makes::Schemas),
    ("properties", Makes::Named),
    ("propertyNames", Makes::Schema),
    ("required", Makes::Names),
    ("then", Makes::Schema),
    ("type", Makes::Types),
    ("unevaluatedItems", Makes::Closing),
    ("unevaluatedProperties", Makes::Closing),
    ("uniqueItems", Makes::Flag),
];

/// Bytes, as a source of choices. Where they run out, every choice is the first.
pub(crate) struct Source<'b> {
    bytes: Unstructured<'b>,
}

impl<'b> Source<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes: Unstructured::new(bytes) }
    }

    /// A document with definitions.
    pub(crate) fn schema(&mut self) -> Value {
        let mut root = self.members(MAX_DEPTH);
        let mut definitions = Map::new();
        for name in DEFINITIONS {
            definitions.insert(name.to_owned(), Value::Object(self.members(MAX_DEPTH.saturating_sub(1))));
        }
        root.insert("$defs".to_owned(), Value::Object(definitions));
        Value::Object(root)
    }

    /// A value that a schema may take, or nearly.
    pub(crate) fn instance(&mut self, document: &Value) -> Value {
        self.like(document, document, MAX_VALUE_DEPTH)
    }

    /// A number below `n`, and 0 where there is none.
    fn below(&mut self, n: usize) -> usize {
        self.bytes.int_in_range(0..=n.saturating_sub(1)).unwrap_or_default()
    }

    /// Once in `n` times.
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 1
    }

    fn one_of<T: Copy>(&mut self, list: &[T], otherwise: T) -> T {
        let at = self.below(list.len());
        list.get(at).copied().unwrap_or(otherwise)
    }

    fn key(&mut self) -> String {
        self.one_of(&KEYS, "a").to_owned()
    }

    fn members(&mut self, depth: usize) -> Map<String, Value> {
        let n_keywords = self.below(5);
        let mut members = Map::new();
        for _ in 0..n_keywords {
            let (keyword, makes) = self.one_of(&KEYWORDS, ("type", Makes::Types));
            if let Some(held) = self.held(makes, depth) {
                members.insert(keyword.to_owned(), held);
            }
        }
        members
    }

    fn schema_at(&mut self, depth: usize) -> Value {
        if depth == 0 || self.once_in(12) {
            return Value::Bool(true);
        }
        Value::Object(self.members(depth.saturating_sub(1)))
    }

    fn held(&mut self, makes: Makes, depth: usize) -> Option<Value> {
        let inner = depth.checked_sub(1);
        Some(match makes {
            Makes::Schema => self.schema_at(inner?),
            Makes::Closing if self.once_in(2) => Value::Bool(false),
            Makes::Closing => self.schema_at(inner?),
            Makes::Schemas => {
                let n = self.below(3).saturating_add(1);
                let inner = inner?;
                (0..n).map(|_| self.schema_at(inner)).collect()
            }
            Makes::Named => self.named(inner?, Self::key),
            Makes::Patterned => self.named(inner?, |source| source.one_of(&PATTERNS, "").to_owned()),
            Makes::Types => match self.below(3) {
                2 => json!(self.several(3, |source| source.one_of(&TYPES, "null").into())),
                _ => self.one_of(&TYPES, "object").into(),
            },
            Makes::Values => json!(self.several(4, |source| source.value(2))),
            Makes::Value => self.value(2),
            Makes::Number => self.number(),
            Makes::Step => {
                let steps = [
                    json!(1),
                    json!(2),
                    json!(3),
                    json!(0.1),
                    json!(0.01),
                    json!(0.5),
                    json!(3.3),
                    json!(1e10),
                    json!(1e-9),
                ];
                steps.get(self.below(steps.len())).cloned()?
            }
            Makes::Count if self.once_in(8) => json!(2.0),
            Makes::Count => json!(self.below(4)),
            Makes::Names => json!(self.several(3, |source| source.key().into())),
            Makes::NamedNames => {
                let n = self.below(3);
                (0..n).map(|_| (self.key(), json!(self.several(2, |source| source.key().into())))).collect()
            }
            Makes::Pattern => self.one_of(&PATTERNS, "").into(),
            Makes::Format => self.one_of(&FORMATS, "date").into(),
            Makes::Flag => Value::Bool(!self.once_in(4)),
            Makes::Reference => self.one_of(&REFERENCES, "#").into(),
        })
    }

    fn named(&mut self, depth: usize, name: impl Fn(&mut Self) -> String) -> Value {
        let n = self.below(4);
        (0..n).map(|_| (name(self), self.schema_at(depth))).collect::<Map<_, _>>().into()
    }

    /// At least one, and at most so many, all different.
    fn several(&mut self, most: usize, make: impl Fn(&mut Self) -> Value) -> Vec<Value> {
        let n = self.below(most).saturating_add(1);
        let mut list = Vec::new();
        for _ in 0..n {
            let made = make(self);
            if !list.contains(&made) {
                list.push(made);
            }
        }
        list
    }

    fn number(&mut self) -> Value {
        let numbers = [
            json!(0),
            json!(1),
            json!(-1),
            json!(2),
            json!(3),
            json!(1.0),
            json!(1.5),
            json!(0.3),
            json!(3.3),
            json!(-0.5),
            json!(100),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(9_007_199_254_740_993_u64),
            json!(9_007_199_254_740_992.0),
            json!(18_446_744_073_709_551_616.0),
            json!(1e300),
            json!(1e-300),
            json!(-1e300),
        ];
        numbers.get(self.below(numbers.len())).cloned().unwrap_or_default()
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => Value::Bool(self.once_in(2)),
            2 | 3 => self.number(),
            4 => self.one_of(&TEXTS, "").into(),
            5 => {
                let n = self.below(4);
                (0..n).map(|_| self.value(depth.saturating_sub(1))).collect()
            }
            _ => {
                let n = self.below(4);
                (0..n).map(|_| (self.key(), self.value(depth.saturating_sub(1)))).collect::<Map<_, _>>().into()
            }
        }
    }

    /// A value made after the schema at this place; every fifth is made after nothing.
    fn like(&mut self, document: &Value, schema: &Value, depth: usize) -> Value {
        let (Value::Object(members), Some(inner)) = (schema, depth.checked_sub(1)) else {
            return self.value(depth.min(1));
        };
        if self.once_in(5) {
            return self.value(depth);
        }
        let mut ways: Vec<&Value> = Vec::new();
        let target = members.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        ways.extend(target.and_then(|pointer| document.pointer(pointer)));
        for arms in ["allOf", "anyOf", "oneOf"] {
            ways.extend(members.get(arms).and_then(Value::as_array).into_iter().flatten());
        }
        ways.extend(["if", "then", "else"].iter().filter_map(|keyword| members.get(*keyword)));
        if !ways.is_empty() && self.once_in(2) {
            let at = self.below(ways.len());
            return ways.get(at).map_or(Value::Null, |way| self.like(document, way, inner));
        }
        let permitted =
            members.get("const").into_iter().chain(members.get("enum").and_then(Value::as_array).into_iter().flatten());
        let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
        let permitted: Vec<&Value> = permitted.chain(bounds.iter().filter_map(|bound| members.get(*bound))).collect();
        if !permitted.is_empty() && !self.once_in(4) {
            let at = self.below(permitted.len());
            return permitted.get(at).map_or(Value::Null, |value| (*value).clone());
        }
        let of = |one: &str| members.get("type").is_some_and(|types| types == one);
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| members.contains_key(*keyword));
        let about_objects = [
            "properties",
            "required",
            "patternProperties",
            "additionalProperties",
            "propertyNames",
            "dependentSchemas",
            "unevaluatedProperties",
            "dependentRequired",
        ];
        if of("object") || (!members.contains_key("type") && has(&about_objects)) {
            return self.object_like(document, members, inner);
        }
        if of("array")
            || (!members.contains_key("type")
                && has(&["items", "prefixItems", "contains", "uniqueItems", "unevaluatedItems"]))
        {
            return self.list_like(document, members, inner);
        }
        match members.get("type").and_then(Value::as_str) {
            Some("string") => self.one_of(&TEXTS, "").into(),
            Some("number" | "integer") => self.number(),
            Some("boolean") => Value::Bool(self.once_in(2)),
            Some("null") => Value::Null,
            _ if has(&["pattern", "format", "minLength", "maxLength"]) => self.one_of(&TEXTS, "").into(),
            _ => self.value(depth),
        }
    }

    fn object_like(&mut self, document: &Value, members: &Map<String, Value>, depth: usize) -> Value {
        let mut object = Map::new();
        for (key, schema) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if !self.once_in(4) {
                object.insert(key.clone(), self.like(document, schema, depth));
            }
        }
        for key in members.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(key) && !self.once_in(4) {
                object.insert(key.to_owned(), self.value(1));
            }
        }
        for _ in 0..self.below(3) {
            let rest = members.get("additionalProperties").unwrap_or(&Value::Null);
            object.insert(self.key(), self.like(document, rest, depth));
        }
        Value::Object(object)
    }

    fn list_like(&mut self, document: &Value, members: &Map<String, Value>, depth: usize) -> Value {
        let prefix = members.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let n = self.below(prefix.len().saturating_add(4));
        let rest = members.get("items").or_else(|| members.get("contains")).unwrap_or(&Value::Null);
        (0..n).map(|nth| self.like(document, prefix.get(nth).unwrap_or(rest), depth)).collect()
    }
}

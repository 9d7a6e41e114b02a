//! Explainer: the one violation to say about a value that the verdict turned down.
//!
//! Walks schema and value together with a budget of steps, so that an error never costs more than a bounded multiple of
//! the check. Keeps only the first violation in the fixed order: a list of eleven would be eleven things to read and one to
//! mend. Never decides: a value is refused because `Schema::accepts` said no.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::{Leaf, Schema, refs};
use crate::field_path::{FieldPath, Segment};
use crate::text;

/// Most steps of one walk, a step being one schema object looked at for one value. Recursive alternatives multiply, so
/// without a budget 165 bytes of schema could cost a second of explaining.
const MAX_STEPS: u32 = 200_000;

/// Deepest recursion of one walk. A value has 64 levels at most, and a few schemas meet at each.
const MAX_DEPTH: u32 = 256;

/// Most values or keys that a text names. A model corrects a slip with the list in front of it; beyond this the list is
/// cut and the nearest value stays.
const MAX_LISTED: usize = 20;

/// What kind of rule broke, in the order in which violations are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keyword {
    /// `required`, `dependentRequired`: a key is not there.
    Required,
    /// A key that is not declared.
    Undeclared,
    /// `type`.
    Type,
    /// `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`.
    NumberRange,
    /// `minItems`, `minLength`, `minProperties`.
    TooFew,
    /// `maxItems`, `maxLength`, `maxProperties`.
    TooMany,
    /// `enum`, `const`.
    Enum,
    /// `pattern`.
    Pattern,
    /// `format`.
    Format,
    /// Combinators and what is left.
    Schema,
}

impl Keyword {
    /// The place in the fixed order: missing, unexpected, type, range, allowed, shape.
    const fn order(self) -> u8 {
        match self {
            Self::Required => 0,
            Self::Undeclared => 1,
            Self::Type => 2,
            Self::NumberRange | Self::TooFew | Self::TooMany => 3,
            Self::Enum | Self::Pattern | Self::Format => 4,
            Self::Schema => 5,
        }
    }
}

/// What the schema wants at the place of a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wants {
    /// A key that is missing: what it holds in a few words, and an undeclared key beside it that looks like it.
    Key {
        /// Such as `an integer from 1 to 2`.
        holds: String,
        /// The misspelling, where there is one.
        misspelt: Option<String>,
    },
    /// One of the declared keys instead of this one.
    DeclaredKeys {
        /// The declared keys, sorted, cut to a readable number.
        keys: Vec<String>,
        /// The nearest of them.
        nearest: Option<String>,
    },
    /// A type, in words: `an integer`, `a string or null`.
    Type(String),
    /// A bound, as the rest of a sentence: `must be at most 100`.
    Bound(String),
    /// One of these values, as JSON.
    OneOf {
        /// The permitted values, cut to a readable number.
        values: Vec<String>,
        /// How many more there are.
        n_more: usize,
        /// The nearest permitted value.
        nearest: Option<String>,
    },
    /// A text that matches this regular expression.
    Pattern(String),
    /// A text in this format.
    Format(String),
    /// Something else, as the rest of a sentence.
    Rule(&'static str),
}

/// One way in which a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The kind of rule.
    pub keyword: Keyword,
    /// The place in the value.
    pub at: FieldPath,
    /// What belongs there.
    pub wants: Wants,
    /// What came, as JSON cut to 120 characters.
    pub got: Option<String>,
}

/// The first violation, or `None` where the walk found none within its budget.
pub(super) fn first_violation(schema: &Schema, value: &Value) -> Option<Violation> {
    let mut steps = MAX_STEPS;
    let mut walk = Walk { schema, steps: &mut steps, room: MAX_DEPTH, path: Vec::new(), best: None };
    walk.visit(&schema.root, value);
    let best = walk.best;
    if steps == 0 { None } else { best }
}

/// A step of the path while walking, borrowed from the value.
#[derive(Clone, Copy)]
enum Step<'v> {
    Key(&'v str),
    Index(usize),
}

struct Walk<'w, 'v> {
    schema: &'w Schema,
    steps: &'w mut u32,
    room: u32,
    path: Vec<Step<'v>>,
    best: Option<Violation>,
}

impl<'w, 'v> Walk<'w, 'v> {
    fn visit(&mut self, schema: &'w Value, value: &'v Value) {
        let (Some(steps), Some(room)) = (self.steps.checked_sub(1), self.room.checked_sub(1)) else {
            *self.steps = 0;
            return;
        };
        *self.steps = steps;
        self.room = room;
        self.visit_inside(schema, value);
        self.room = room.saturating_add(1);
    }

    fn visit_inside(&mut self, schema: &'w Value, value: &'v Value) {
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(false) => return self.found(Keyword::Schema, value, || Wants::Rule("must not be there")),
            _ => return,
        };
        self.check_any(members, value);
        match value {
            Value::Object(object) => self.check_object(members, object, value),
            Value::Array(items) => self.check_array(members, items, value),
            Value::String(said) => self.check_string(members, said, value),
            Value::Number(number) => self.check_number(members, number, value),
            Value::Null | Value::Bool(_) => {}
        }
        self.check_combinators(members, value);
    }

    /// Notes a violation at the current place where it comes before the best so far.
    fn found(&mut self, keyword: Keyword, got: &Value, wants: impl FnOnce() -> Wants) {
        let path = self.here(None);
        self.found_at(keyword, path, got, wants);
    }

    fn found_at(&mut self, keyword: Keyword, at: FieldPath, got: &Value, wants: impl FnOnce() -> Wants) {
        let earlier = self.best.as_ref().is_none_or(|best| {
            let by_rule = keyword.order().cmp(&best.keyword.order());
            by_rule.then_with(|| at.to_string().cmp(&best.at.to_string())) == Ordering::Less
        });
        if earlier {
            self.best = Some(Violation { keyword, at, wants: wants(), got: Some(text::quote(got)) });
        }
    }

    fn here(&self, key: Option<&str>) -> FieldPath {
        let segments = self.path.iter().map(|step| match step {
            Step::Key(key) => Segment::Key((*key).to_owned()),
            Step::Index(index) => Segment::Index(*index),
        });
        FieldPath::from_segments(segments.chain(key.map(|key| Segment::Key(key.to_owned()))).collect())
    }

    fn visit_part(&mut self, step: Step<'v>, schema: &'w Value, value: &'v Value) {
        self.path.push(step);
        self.visit(schema, value);
        self.path.pop();
    }

    /// Whether a value fits, as far as this walk can tell; used for the arms of combinators.
    fn fits(&mut self, schema: &'w Value, value: &'v Value) -> bool {
        let mut inner = Walk { schema: self.schema, steps: self.steps, room: self.room, path: Vec::new(), best: None };
        inner.visit(schema, value);
        inner.best.is_none()
    }

    fn check_any(&mut self, members: &'w Map<String, Value>, value: &'v Value) {
        if let Some(types) = members.get("type")
            && !has_type(types, value)
        {
            self.found(Keyword::Type, value, || Wants::Type(type_in_words(types)));
        }
        let permitted = match (members.get("enum"), members.get("const")) {
            (Some(Value::Array(values)), _) if !values.iter().any(|one| equal(one, value)) => values.as_slice(),
            (_, Some(one)) if !equal(one, value) => std::slice::from_ref(one),
            _ => return,
        };
        self.found(Keyword::Enum, value, || one_of(permitted, value));
    }

    fn check_object(&mut self, members: &'w Map<String, Value>, object: &'v Map<String, Value>, value: &'v Value) {
        self.check_required(members, object, value);
        let properties = members.get("properties").and_then(Value::as_object);
        let patterns = members.get("patternProperties").and_then(Value::as_object);
        for (key, member) in object {
            let mut declared = false;
            if let Some(schema) = properties.and_then(|map| map.get(key)) {
                declared = true;
                self.visit_part(Step::Key(key), schema, member);
            }
            for (pattern, schema) in patterns.into_iter().flatten() {
                if self.schema.fits_leaf(Leaf::Pattern, pattern, &Value::String(key.clone())) == Some(true) {
                    declared = true;
                    self.visit_part(Step::Key(key), schema, member);
                }
            }
            if !declared {
                self.check_undeclared(members, key, member);
            }
        }
        let n_keys = object.len();
        self.check_count(members, ("minProperties", "maxProperties"), n_keys, "keys", value);
        if let Some(names) = members.get("propertyNames") {
            for key in object.keys() {
                if !self.name_fits(names, key) {
                    self.found(Keyword::Schema, value, || Wants::Rule("has a key whose name is not allowed"));
                }
            }
        }
    }

    /// Whether a key fits `propertyNames`; its steps count like all others.
    fn name_fits(&mut self, names: &Value, key: &str) -> bool {
        let name = Value::String(key.to_owned());
        let mut inner = Walk { schema: self.schema, steps: self.steps, room: self.room, path: Vec::new(), best: None };
        inner.visit(names, &name);
        inner.best.is_none()
    }

    fn check_required(&mut self, members: &'w Map<String, Value>, object: &'v Map<String, Value>, value: &'v Value) {
        let required = members.get("required").and_then(Value::as_array).into_iter().flatten();
        let dependent = members.get("dependentRequired").and_then(Value::as_object).into_iter().flatten();
        let dependent = dependent.filter(|(key, _)| object.contains_key(*key));
        let keys = required.chain(dependent.flat_map(|(_, keys)| keys.as_array().into_iter().flatten()));
        for key in keys.filter_map(Value::as_str).filter(|key| !object.contains_key(*key)) {
            let at = self.here(Some(key));
            let declared = members.get("properties").and_then(Value::as_object);
            self.found_at(Keyword::Required, at, value, || Wants::Key {
                holds: declared.and_then(|map| map.get(key)).map_or_else(String::new, describe),
                misspelt: undeclared_like(key, declared, object),
            });
        }
    }

    fn check_undeclared(&mut self, members: &'w Map<String, Value>, key: &'v str, member: &'v Value) {
        match members.get("additionalProperties") {
            Some(Value::Bool(false)) => {}
            Some(schema) => return self.visit_part(Step::Key(key), schema, member),
            None => match members.get("unevaluatedProperties") {
                Some(Value::Bool(false)) if !declared_anywhere(&self.schema.root, members, key, MAX_IN_PLACE) => {}
                _ => return,
            },
        }
        let at = self.here(Some(key));
        self.found_at(Keyword::Undeclared, at, member, || {
            let mut keys = declared_keys(&self.schema.root, members, MAX_IN_PLACE);
            keys.sort_unstable();
            keys.dedup();
            let nearest = nearest(key, keys.iter().copied()).map(str::to_owned);
            Wants::DeclaredKeys { keys: keys.into_iter().take(MAX_LISTED).map(str::to_owned).collect(), nearest }
        });
    }

    fn check_array(&mut self, members: &'w Map<String, Value>, items: &'v [Value], value: &'v Value) {
        self.check_count(members, ("minItems", "maxItems"), items.len(), "items", value);
        let prefix = members.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (index, (schema, item)) in prefix.iter().zip(items).enumerate() {
            self.visit_part(Step::Index(index), schema, item);
        }
        if let Some(schema) = members.get("items") {
            for (index, item) in items.iter().enumerate().skip(prefix.len()) {
                self.visit_part(Step::Index(index), schema, item);
            }
        }
    }

    fn check_string(&mut self, members: &'w Map<String, Value>, said: &'v str, value: &'v Value) {
        self.check_count(members, ("minLength", "maxLength"), said.chars().count(), "characters", value);
        if let Some(Value::String(pattern)) = members.get("pattern")
            && self.schema.fits_leaf(Leaf::Pattern, pattern, value) == Some(false)
        {
            self.found(Keyword::Pattern, value, || Wants::Pattern(text::one_line(pattern, 200)));
        }
        if let Some(Value::String(format)) = members.get("format")
            && self.schema.fits_leaf(Leaf::Format, format, value) == Some(false)
        {
            self.found(Keyword::Format, value, || Wants::Format(text::one_line(format, 40)));
        }
    }

    fn check_number(&mut self, members: &'w Map<String, Value>, number: &'v Number, value: &'v Value) {
        const BOUNDS: [(&str, &str, [Ordering; 2]); 4] = [
            ("minimum", "must be at least", [Ordering::Greater, Ordering::Equal]),
            ("maximum", "must be at most", [Ordering::Less, Ordering::Equal]),
            ("exclusiveMinimum", "must be greater than", [Ordering::Greater, Ordering::Greater]),
            ("exclusiveMaximum", "must be less than", [Ordering::Less, Ordering::Less]),
        ];
        for (key, words, fine) in BOUNDS {
            if let Some(Value::Number(bound)) = members.get(key)
                && !compare(number, bound).is_none_or(|order| fine.contains(&order))
            {
                self.found(Keyword::NumberRange, value, || Wants::Bound(format!("{words} {bound}")));
            }
        }
        if let Some(Value::Number(step)) = members.get("multipleOf")
            && !is_multiple(number, step)
        {
            self.found(Keyword::NumberRange, value, || Wants::Bound(format!("must be a multiple of {step}")));
        }
    }

    fn check_count(
        &mut self,
        members: &'w Map<String, Value>,
        (min, max): (&str, &str),
        count: usize,
        what: &'static str,
        value: &'v Value,
    ) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let bound = |key: &str| members.get(key).and_then(whole_number);
        if let Some(min) = bound(min).filter(|min| count < *min) {
            self.found(Keyword::TooFew, value, || {
                Wants::Bound(format!("must have at least {min} {what}, has {count}"))
            });
        }
        if let Some(max) = bound(max).filter(|max| count > *max) {
            self.found(Keyword::TooMany, value, || {
                Wants::Bound(format!("must have at most {max} {what}, has {count}"))
            });
        }
    }

    fn check_combinators(&mut self, members: &'w Map<String, Value>, value: &'v Value) {
        if let Some(Value::String(target)) = members.get("$ref")
            && let Some(definition) = refs::resolve(&self.schema.root, target)
        {
            self.visit(definition, value);
        }
        let group = |key: &str| members.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for arm in group("allOf") {
            self.visit(arm, value);
        }
        if let arms @ [_, ..] = group("anyOf")
            && !arms.iter().any(|arm| self.fits(arm, value))
        {
            self.found(Keyword::Schema, value, || Wants::Rule("must fit one of the declared alternatives"));
        }
        if let arms @ [_, ..] = group("oneOf") {
            match arms.iter().filter(|arm| self.fits(arm, value)).count() {
                1 => {}
                0 => self.found(Keyword::Schema, value, || Wants::Rule("must fit one of the declared alternatives")),
                _ => self.found(Keyword::Schema, value, || Wants::Rule("must fit exactly one of the alternatives")),
            }
        }
        if let Some(condition) = members.get("if") {
            let branch = if self.fits(condition, value) { "then" } else { "else" };
            if let Some(consequence) = members.get(branch) {
                self.visit(consequence, value);
            }
        }
        let dependent = members.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten();
        for (_, schema) in dependent.filter(|(key, _)| value.get(key.as_str()).is_some()) {
            self.visit(schema, value);
        }
    }
}

/// How many references deep declared keys are looked for; a bound on a cycle of references.
const MAX_IN_PLACE: u32 = 16;

/// The keys declared for a value by a schema and everything applied at the same place.
fn declared_keys<'s>(root: &'s Value, members: &'s Map<String, Value>, room: u32) -> Vec<&'s str> {
    let Some(room) = room.checked_sub(1) else {
        return Vec::new();
    };
    let own = members.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let mut keys: Vec<&str> = own.map(String::as_str).collect();
    let referred = members.get("$ref").and_then(Value::as_str).and_then(|target| refs::resolve(root, target));
    let arms = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| members.get(key)?.as_array()).flatten();
    for in_place in arms.chain(referred).filter_map(Value::as_object) {
        keys.extend(declared_keys(root, in_place, room));
    }
    keys
}

fn declared_anywhere(root: &Value, members: &Map<String, Value>, key: &str, room: u32) -> bool {
    declared_keys(root, members, room).contains(&key)
}

/// The undeclared key in a value that a missing key was probably written as.
fn undeclared_like(
    missing: &str,
    declared: Option<&Map<String, Value>>,
    object: &Map<String, Value>,
) -> Option<String> {
    let undeclared =
        object.keys().map(String::as_str).filter(|key| !declared.is_some_and(|map| map.contains_key(*key)));
    nearest(missing, undeclared).map(|key| text::one_line(key, 64))
}

/// The candidate that is probably meant: near by edit distance, or one inside the other (`sku` and `sku_id`).
pub(crate) fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    // Edit distance costs the product of both lengths, and the word is a model's: beyond this nothing is near.
    const MAX_WORD: usize = 200;
    if word.is_empty() || word.len() > MAX_WORD {
        return None;
    }
    let folded = word.to_ascii_lowercase();
    candidates
        .filter(|candidate| !candidate.is_empty() && candidate.len() <= MAX_WORD)
        .filter_map(|candidate| {
            let other = candidate.to_ascii_lowercase();
            let distance = strsim::osa_distance(&folded, &other);
            let inside = folded.len().min(other.len()) >= 3 && (folded.contains(&other) || other.contains(&folded));
            let near =
                distance.saturating_mul(5) <= folded.chars().count().max(other.chars().count()).saturating_mul(2);
            (near || inside).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

fn one_of(permitted: &[Value], value: &Value) -> Wants {
    let values = permitted.iter().take(MAX_LISTED).map(text::quote).collect();
    let texts = permitted.iter().filter_map(Value::as_str);
    let nearest = value.as_str().and_then(|said| nearest(said, texts));
    Wants::OneOf {
        values,
        n_more: permitted.len().saturating_sub(MAX_LISTED),
        nearest: nearest.map(|near| text::one_line(near, text::MAX_QUOTED)),
    }
}

fn has_type(types: &Value, value: &Value) -> bool {
    match types {
        Value::String(one) => is_a(one, value),
        Value::Array(several) => several.iter().filter_map(Value::as_str).any(|one| is_a(one, value)),
        _ => true,
    }
}

fn is_a(name: &str, value: &Value) -> bool {
    match (name, value) {
        ("null", Value::Null) | ("boolean", Value::Bool(_)) | ("number", Value::Number(_)) => true,
        ("string", Value::String(_)) | ("array", Value::Array(_)) | ("object", Value::Object(_)) => true,
        ("integer", Value::Number(number)) => is_whole(number),
        _ => false,
    }
}

fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// A bound such as `maxItems`, which may be written `2.0`.
fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let float = value.as_f64().filter(|float| float.fract() == 0.0 && (0.0..9e15).contains(float))?;
        format!("{float:.0}").parse().ok()
    })
}

/// Compares numbers exactly where both are integers, as floats otherwise.
fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn is_multiple(number: &Number, step: &Number) -> bool {
    match (number.as_i128(), step.as_i128()) {
        (Some(number), Some(step)) => number.checked_rem(step).is_none_or(|rest| rest == 0),
        _ => match (number.as_f64(), step.as_f64()) {
            (Some(number), Some(step)) if step != 0.0 => (number / step).fract() == 0.0,
            _ => true,
        },
    }
}

/// Equality as JSON Schema has it: `1` and `1.0` are one number.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b) == Some(Ordering::Equal),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        (Value::Null | Value::Bool(_) | Value::String(_), _)
        | (Value::Number(_) | Value::Array(_) | Value::Object(_), _) => a == b,
    }
}

fn type_in_words(types: &Value) -> String {
    let word = |name: &str| match name {
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "boolean" => "true or false",
        "object" => "an object",
        "array" => "a list",
        "null" => "null",
        _ => "of a declared type",
    };
    match types {
        Value::String(one) => word(one).to_owned(),
        Value::Array(several) => several.iter().filter_map(Value::as_str).map(word).collect::<Vec<_>>().join(" or "),
        _ => word("").to_owned(),
    }
}

/// What a schema holds, in a few words for a hint: `one of "low", "high"`, `an integer from 1 to 2`. Empty where there is
/// nothing short to say.
pub(crate) fn describe(schema: &Value) -> String {
    if let Some(Value::Array(values)) = schema.get("enum") {
        let mut listed = values.iter().take(MAX_LISTED).map(text::quote).collect::<Vec<_>>().join(", ");
        if values.len() > MAX_LISTED {
            listed.push_str(", …");
        }
        return format!("one of {listed}");
    }
    if let Some(one) = schema.get("const") {
        return text::quote(one);
    }
    let Some(types) = schema.get("type") else {
        return String::new();
    };
    let mut words = type_in_words(types);
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(min), Some(max)) => words.push_str(&format!(" from {min} to {max}")),
        (Some(min), None) => words.push_str(&format!(", at least {min}")),
        (None, Some(max)) => words.push_str(&format!(", at most {max}")),
        (None, None) => {}
    }
    if let Some(Value::String(pattern)) = schema.get("pattern") {
        words.push_str(&format!(" that matches `{}`", text::one_line(pattern, 80)));
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Keyword, Wants, nearest};
    use crate::schema::Schema;

    fn explained(schema: Value, value: Value) -> (Keyword, String, Wants) {
        let schema = Schema::compile(&schema.to_string()).expect("compiles");
        assert!(!schema.accepts(&value), "{value} is refused");
        let violation = schema.explain(&value);
        (violation.keyword, violation.at.to_string(), violation.wants)
    }

    fn order() -> Value {
        json!({
            "type": "object", "additionalProperties": false, "required": ["rows", "sku"],
            "properties": {
                "sku": {"type": "string", "pattern": "^[A-Z]", "maxLength": 5},
                "state": {"enum": ["open", "shipped", "1"]},
                "rows": {"type": "array", "minItems": 1, "maxItems": 2, "items": {
                    "type": "object", "additionalProperties": false, "required": ["qty"],
                    "properties": {"qty": {"type": "integer", "minimum": 1, "maximum": 100, "multipleOf": 5}}}},
                "when": {"type": "string", "format": "date"}
            }
        })
    }

    #[test]
    fn the_first_violation_is_the_one_that_is_said() {
        let rows: [(Value, Keyword, &str); 13] = [
            (json!({"sku": "A", "extra": 1}), Keyword::Required, "rows"),
            (json!({"extra": 1}), Keyword::Required, "rows"),
            (json!({"sku": 1, "rows": [], "extra": 1, "alpha": 1}), Keyword::Undeclared, "alpha"),
            (json!({"sku": 1, "rows": []}), Keyword::Type, "sku"),
            (json!({"sku": "A", "rows": []}), Keyword::TooFew, "rows"),
            (json!({"sku": "A", "rows": [{"qty": 5}, {"qty": 5}, {"qty": 5}]}), Keyword::TooMany, "rows"),
            (json!({"sku": "A", "rows": [{"qty": 5}, {"qty": 250}]}), Keyword::NumberRange, "rows.1.qty"),
            (json!({"sku": "A", "rows": [{"qty": 7}]}), Keyword::NumberRange, "rows.0.qty"),
            (json!({"sku": "A", "rows": [{"qty": true}]}), Keyword::Type, "rows.0.qty"),
            (json!({"sku": "A", "rows": [{"qty": 5}], "state": "Open"}), Keyword::Enum, "state"),
            (json!({"sku": "abc", "rows": [{"qty": 5}], "state": "Open"}), Keyword::Pattern, "sku"),
            (json!({"sku": "A", "rows": [{"qty": 5}], "when": "2026-13-01"}), Keyword::Format, "when"),
            (json!([]), Keyword::Type, ""),
        ];
        for (value, keyword, at) in rows {
            let (found, path, _) = explained(order(), value.clone());
            assert_eq!((found, path.as_str()), (keyword, at), "{value}");
        }
    }

    #[test]
    fn a_misspelt_key_and_a_near_value_are_named() {
        let (_, _, wants) = explained(order(), json!({"sku_id": "A", "rows": [{"qty": 5}]}));
        assert_eq!(
            wants,
            Wants::Key { holds: "a string that matches `^[A-Z]`".into(), misspelt: Some("sku_id".into()) }
        );
        let (_, _, wants) = explained(order(), json!({"sku": "A", "rows": [{"qty": 5}], "stat": "open"}));
        assert!(matches!(wants, Wants::DeclaredKeys { nearest: Some(near), keys: _ } if near == "state"));
        let (_, _, wants) = explained(order(), json!({"sku": "A", "rows": [{"qty": 5}], "state": "opne"}));
        assert!(matches!(wants, Wants::OneOf { nearest: Some(near), values: _, n_more: 0 } if near == "open"));
        assert_eq!(
            nearest("functions.stock_lookup", ["stock_lookup", "create_ticket"].into_iter()),
            Some("stock_lookup")
        );
        assert_eq!(nearest("zzz", ["stock_lookup", "create_ticket"].into_iter()), None);
    }

    #[test]
    fn combinators_are_a_shape_and_references_are_followed() {
        let schema = json!({"$defs": {"n": {"type": "integer", "minimum": 1}}, "oneOf": [{"$ref": "#/$defs/n"}, {"type": "string"}]});
        let (keyword, at, _) = explained(schema, json!(0));
        assert_eq!((keyword, at.as_str()), (Keyword::Schema, ""));
        let flattened = json!({"type": "object", "unevaluatedProperties": false, "properties": {"a": true},
            "allOf": [{"properties": {"b": {"type": "string"}}, "required": ["b"]}]});
        let (keyword, at, _) = explained(flattened.clone(), json!({"b": "x", "c": 1}));
        assert_eq!((keyword, at.as_str()), (Keyword::Undeclared, "c"));
        let (keyword, at, _) = explained(flattened, json!({"a": 1}));
        assert_eq!((keyword, at.as_str()), (Keyword::Required, "b"));
    }

    #[test]
    fn recursive_alternatives_cost_a_bounded_number_of_steps() {
        let schema = json!({"anyOf": [
            {"type": "object", "additionalProperties": false, "properties": {"a": {"$ref": "#"}}},
            {"type": "object", "additionalProperties": false, "properties": {"a": {"$ref": "#"}, "b": true}}]});
        let mut value = json!(1);
        for _ in 0..30 {
            value = json!({ "a": value });
        }
        let schema = Schema::compile(&schema.to_string()).expect("compiles");
        assert_eq!(schema.explain(&value).keyword, Keyword::Schema);
    }
}

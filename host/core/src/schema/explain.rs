//! Explainer: the one violation to say about a value that the verdict turned down.
//!
//! Walks schema and value together with a budget of steps, so that an error never costs more than a bounded multiple of
//! the check. Keeps only the first violation in the fixed order: a list of eleven would be eleven things to read and one to
//! mend. Never decides: a value is refused because `Schema::accepts` said no.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::{Schema, refs};
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
    walk.best.map(|found| found.said(&schema.root))
}

/// A violation as it is found, with what its text is made of. The text itself is made once, of the first one: names that
/// look like each other cost more to find than violations.
struct Found<'w, 'v> {
    keyword: Keyword,
    at: FieldPath,
    got: &'v Value,
    broken: Broken<'w, 'v>,
}

/// The part of the schema that a value breaks.
enum Broken<'w, 'v> {
    Required { key: &'w str, members: &'w Map<String, Value>, object: &'v Map<String, Value> },
    Undeclared { key: &'v str, members: &'w Map<String, Value> },
    Type(&'w Value),
    Permitted(&'w [Value]),
    Bound(String),
    Pattern(&'w str),
    Format(&'w str),
    Rule(&'static str),
}

impl Found<'_, '_> {
    fn said(self, root: &Value) -> Violation {
        let wants = match self.broken {
            Broken::Required { key, members, object } => missing_key(key, members, object),
            Broken::Undeclared { key, members } => declared_instead(root, key, members),
            Broken::Type(types) => Wants::Type(type_in_words(types)),
            Broken::Permitted(permitted) => one_of(permitted, self.got),
            Broken::Bound(words) => Wants::Bound(words),
            Broken::Pattern(pattern) => Wants::Pattern(text::one_line(pattern, 200)),
            Broken::Format(format) => Wants::Format(text::one_line(format, 40)),
            Broken::Rule(words) => Wants::Rule(words),
        };
        Violation { keyword: self.keyword, at: self.at, wants, got: Some(text::quote(self.got)) }
    }
}

fn missing_key(key: &str, members: &Map<String, Value>, object: &Map<String, Value>) -> Wants {
    let declared = members.get("properties").and_then(Value::as_object);
    // Beside an open object, or in an arm of a larger one, an unknown key may well be meant.
    let closed = members.get("additionalProperties") == Some(&Value::Bool(false));
    let misspelt = if closed { undeclared_like(key, declared, object) } else { None };
    Wants::Key { holds: declared.and_then(|map| map.get(key)).map_or_else(String::new, describe), misspelt }
}

fn declared_instead(root: &Value, key: &str, members: &Map<String, Value>) -> Wants {
    let mut keys = declared_keys(root, members, MAX_IN_PLACE).unwrap_or_default();
    keys.sort_unstable();
    keys.dedup();
    let nearest = nearest(key, keys.iter().copied()).map(str::to_owned);
    Wants::DeclaredKeys { keys: keys.into_iter().take(MAX_LISTED).map(str::to_owned).collect(), nearest }
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
    best: Option<Found<'w, 'v>>,
}

impl<'w, 'v> Walk<'w, 'v> {
    /// Counts work that is more than one look; nothing more is looked at once it was too much.
    fn spend(&mut self, n_steps: usize) {
        *self.steps = self.steps.saturating_sub(u32::try_from(n_steps).unwrap_or(u32::MAX));
    }

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
        match schema {
            Value::Object(members) => {
                for (keyword, held) in members {
                    self.check(keyword, held, members, value);
                }
            }
            Value::Bool(false) => self.found(Keyword::Schema, value, Broken::Rule("must not be there")),
            Value::Bool(true) | Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {}
        }
    }

    /// Holds a value against one keyword of a schema; `members` are the keywords beside it.
    #[expect(clippy::too_many_lines, reason = "one arm per keyword; split, the table could not be read at a glance")]
    fn check(&mut self, keyword: &'w str, held: &'w Value, members: &'w Map<String, Value>, value: &'v Value) {
        match (keyword, value) {
            ("type", _) if !has_type(held, value) => {
                self.found(Keyword::Type, value, Broken::Type(held));
            }
            ("enum", _) => self.check_permitted(list(held), value),
            ("const", _) => self.check_permitted(std::slice::from_ref(held), value),

            ("required", Value::Object(object)) => self.check_required(list(held), members, object, value),
            ("dependentRequired", Value::Object(object)) => {
                for (_, keys) in group(held).filter(|(key, _)| object.contains_key(*key)) {
                    self.check_required(list(keys), members, object, value);
                }
            }
            ("properties", Value::Object(object)) => {
                for (key, schema) in group(held) {
                    if let Some((key, member)) = object.get_key_value(key) {
                        self.visit_part(Step::Key(key), schema, member);
                    }
                }
            }
            ("patternProperties", Value::Object(object)) => {
                for (pattern, schema) in group(held) {
                    for (key, member) in object.iter().filter(|(key, _)| self.schema.matches(pattern, key)) {
                        self.visit_part(Step::Key(key), schema, member);
                    }
                }
            }
            ("additionalProperties", Value::Object(object)) => {
                for (key, member) in object.iter().filter(|(key, _)| !is_declared(self.schema, members, key)) {
                    self.check_undeclared(held, members, key, member);
                }
            }
            ("unevaluatedProperties", Value::Object(object)) => {
                self.spend(object.len());
                // Where it is not plain which keys are declared, there is nothing to say about any of them.
                let declared = declared_keys(&self.schema.root, members, MAX_IN_PLACE);
                let undeclared = |key: &str| declared.as_ref().is_some_and(|declared| !declared.contains(&key));
                for (key, member) in object.iter().filter(|(key, _)| undeclared(key)) {
                    self.check_undeclared(held, members, key, member);
                }
            }
            ("propertyNames", Value::Object(object)) if !object.keys().all(|key| self.name_fits(held, key)) => {
                self.found(Keyword::Schema, value, Broken::Rule("has a key whose name is not allowed"));
            }
            ("minProperties" | "maxProperties", Value::Object(object)) => {
                self.check_count(keyword, held, object.len(), "keys", value);
            }
            ("dependentSchemas", Value::Object(object)) => {
                for (_, schema) in group(held).filter(|(key, _)| object.contains_key(*key)) {
                    self.visit(schema, value);
                }
            }

            ("prefixItems", Value::Array(items)) => {
                for (index, (schema, item)) in list(held).iter().zip(items).enumerate() {
                    self.visit_part(Step::Index(index), schema, item);
                }
            }
            ("items", Value::Array(items)) => {
                let n_before = members.get("prefixItems").map_or(0, |prefix| list(prefix).len());
                for (index, item) in items.iter().enumerate().skip(n_before) {
                    self.visit_part(Step::Index(index), held, item);
                }
            }
            ("minItems" | "maxItems", Value::Array(items)) => {
                self.check_count(keyword, held, items.len(), "items", value);
            }

            ("minLength" | "maxLength", Value::String(said)) => {
                self.check_count(keyword, held, said.chars().count(), "characters", value);
            }
            ("pattern", Value::String(said)) => {
                if let Some(pattern) = held.as_str().filter(|pattern| !self.schema.matches(pattern, said)) {
                    self.found(Keyword::Pattern, value, Broken::Pattern(pattern));
                }
            }
            ("format", Value::String(_)) => {
                if let Some(format) = held.as_str().filter(|format| !self.schema.has_format(format, value)) {
                    self.found(Keyword::Format, value, Broken::Format(format));
                }
            }

            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf", Value::Number(number)) => {
                self.check_number(keyword, held, number, value);
            }

            ("$ref", _) => {
                let definition = held.as_str().and_then(|target| refs::resolve(&self.schema.root, target));
                if let Some(definition) = definition {
                    self.visit(definition, value);
                }
            }
            ("allOf", _) => list(held).iter().for_each(|arm| self.visit(arm, value)),
            ("anyOf", _) if !list(held).iter().any(|arm| self.fits(arm, value)) => {
                self.found(Keyword::Schema, value, Broken::Rule("must fit one of the declared alternatives"));
            }
            ("oneOf", _) => match list(held).iter().filter(|arm| self.fits(arm, value)).count() {
                1 => {}
                0 => self.found(Keyword::Schema, value, Broken::Rule("must fit one of the declared alternatives")),
                _ => self.found(Keyword::Schema, value, Broken::Rule("must fit exactly one of the alternatives")),
            },
            ("if", _) if is_understood(held) => {
                let branch = if self.fits(held, value) { "then" } else { "else" };
                if let Some(consequence) = members.get(branch) {
                    self.visit(consequence, value);
                }
            }
            // What is left (`not`, `contains`, `uniqueItems` …) has no violation to say but that of the whole.
            _ => {}
        }
    }

    /// Notes a violation at the current place where it comes before the best so far.
    fn found(&mut self, keyword: Keyword, got: &'v Value, broken: Broken<'w, 'v>) {
        self.found_at(keyword, None, got, broken);
    }

    /// As above, at a key of the current place.
    fn found_at(&mut self, keyword: Keyword, key: Option<&str>, got: &'v Value, broken: Broken<'w, 'v>) {
        let by_rule = self.best.as_ref().map(|best| keyword.order().cmp(&best.keyword.order()));
        if by_rule == Some(Ordering::Greater) {
            return;
        }
        let at = self.here(key);
        let by_path = self.best.as_ref().map(|best| at.to_string().cmp(&best.at.to_string()));
        if by_rule == Some(Ordering::Equal) && by_path != Some(Ordering::Less) {
            return;
        }
        self.best = Some(Found { keyword, at, got, broken });
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

    /// Whether a key fits `propertyNames`; its steps count like all others.
    fn name_fits(&mut self, names: &Value, key: &str) -> bool {
        let name = Value::String(key.to_owned());
        let mut inner = Walk { schema: self.schema, steps: self.steps, room: self.room, path: Vec::new(), best: None };
        inner.visit(names, &name);
        inner.best.is_none()
    }

    fn check_permitted(&mut self, permitted: &'w [Value], value: &'v Value) {
        self.spend(permitted.len());
        if !permitted.iter().any(|one| equal(one, value)) {
            self.found(Keyword::Enum, value, Broken::Permitted(permitted));
        }
    }

    fn check_required(
        &mut self,
        keys: &'w [Value],
        members: &'w Map<String, Value>,
        object: &'v Map<String, Value>,
        value: &'v Value,
    ) {
        self.spend(keys.len());
        for key in keys.iter().filter_map(Value::as_str).filter(|key| !object.contains_key(*key)) {
            self.found_at(Keyword::Required, Some(key), value, Broken::Required { key, members, object });
        }
    }

    fn check_undeclared(&mut self, held: &'w Value, members: &'w Map<String, Value>, key: &'v str, member: &'v Value) {
        if *held != Value::Bool(false) {
            return self.visit_part(Step::Key(key), held, member);
        }
        self.found_at(Keyword::Undeclared, Some(key), member, Broken::Undeclared { key, members });
    }

    fn check_number(&mut self, keyword: &str, held: &Value, number: &Number, value: &'v Value) {
        let Value::Number(bound) = held else { return };
        let order = compare(number, bound);
        let (fits, words) = match keyword {
            "minimum" => (order != Some(Ordering::Less), "at least"),
            "maximum" => (order != Some(Ordering::Greater), "at most"),
            "exclusiveMinimum" => (order == Some(Ordering::Greater), "greater than"),
            "exclusiveMaximum" => (order == Some(Ordering::Less), "less than"),
            _ => (is_multiple(number, bound), "a multiple of"),
        };
        if !fits {
            self.found(Keyword::NumberRange, value, Broken::Bound(format!("must be {words} {bound}")));
        }
    }

    fn check_count(&mut self, keyword: &str, held: &Value, count: usize, what: &'static str, value: &'v Value) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let Some(bound) = whole_number(held) else { return };
        if keyword.starts_with("min") && count < bound {
            let words = Broken::Bound(format!("must have at least {bound} {what}, has {count}"));
            self.found(Keyword::TooFew, value, words);
        }
        if keyword.starts_with("max") && count > bound {
            let words = Broken::Bound(format!("must have at most {bound} {what}, has {count}"));
            self.found(Keyword::TooMany, value, words);
        }
    }
}

/// What a keyword holds where it holds a list; nothing where it does not, which did not compile.
fn list(held: &Value) -> &[Value] {
    held.as_array().map_or(&[][..], Vec::as_slice)
}

/// As above, where it holds something by name.
fn group(held: &Value) -> impl Iterator<Item = (&str, &Value)> {
    held.as_object().into_iter().flatten().map(|(key, schema)| (key.as_str(), schema))
}

/// Whether `additionalProperties` leaves a key alone: one of its siblings declares it.
fn is_declared(schema: &Schema, members: &Map<String, Value>, key: &str) -> bool {
    let by_name = members.get("properties").and_then(Value::as_object).is_some_and(|map| map.contains_key(key));
    by_name || members.get("patternProperties").is_some_and(|held| group(held).any(|(p, _)| schema.matches(p, key)))
}

/// How many references deep declared keys are looked for; a bound on a cycle of references.
const MAX_IN_PLACE: u32 = 16;

/// The keys declared for a value by a schema and everything applied at the same place; `None` where a keyword takes part
/// whose keys are not plain to see.
fn declared_keys<'s>(root: &'s Value, members: &'s Map<String, Value>, room: u32) -> Option<Vec<&'s str>> {
    const NOT_PLAIN: [&str; 6] = ["patternProperties", "if", "then", "else", "dependentSchemas", "not"];
    let room = room.checked_sub(1)?;
    let opens = members.get("additionalProperties").is_some_and(|held| *held != Value::Bool(false));
    if opens || NOT_PLAIN.iter().any(|keyword| members.contains_key(*keyword)) {
        return None;
    }
    let own = members.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let mut keys: Vec<&str> = own.map(String::as_str).collect();
    let referred = members.get("$ref").and_then(Value::as_str).and_then(|target| refs::resolve(root, target));
    let arms = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| members.get(key)?.as_array()).flatten();
    for in_place in arms.chain(referred).filter_map(Value::as_object) {
        keys.extend(declared_keys(root, in_place, room)?);
    }
    Some(keys)
}

/// Whether the walk can tell for certain that a value does not fit: a condition with a keyword it does not know would send
/// it down the wrong branch.
fn is_understood(schema: &Value) -> bool {
    const UNKNOWN: [&str; 7] =
        ["not", "contains", "uniqueItems", "unevaluatedItems", "unevaluatedProperties", "$ref", "if"];
    match schema {
        Value::Object(members) => {
            !UNKNOWN.iter().any(|keyword| members.contains_key(*keyword)) && members.values().all(is_understood)
        }
        Value::Array(items) => items.iter().all(is_understood),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
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
    const MAX_CANDIDATES: usize = 200;
    if word.is_empty() || word.len() > MAX_WORD {
        return None;
    }
    let folded = word.to_ascii_lowercase();
    candidates
        .filter(|candidate| !candidate.is_empty() && candidate.len() <= MAX_WORD)
        .take(MAX_CANDIDATES)
        .filter_map(|candidate| distance(&folded, candidate).map(|distance| (distance, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The edit distance to a candidate that is near: at most two changes in five characters, or contained.
fn distance(folded: &str, candidate: &str) -> Option<usize> {
    let other = candidate.to_ascii_lowercase();
    let longer = folded.len().max(other.len());
    let most = longer.saturating_mul(2).div_euclid(5);
    let contained = folded.len().min(other.len()) >= 3 && (folded.contains(&other) || other.contains(folded));
    // The difference in length is the least there can be, and costs nothing to know.
    if !contained && folded.len().abs_diff(other.len()) > most {
        return None;
    }
    let distance = strsim::osa_distance(folded, &other);
    (contained || distance <= most).then_some(distance)
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

/// Whether a whole number is a multiple of another. Fractions are left to the verdict: `0.3` is a multiple of `0.1`, and the
/// float that is written so is none of the float that is written so.
fn is_multiple(number: &Number, step: &Number) -> bool {
    match (number.as_i128(), step.as_i128()) {
        (Some(number), Some(step)) => number.checked_rem(step).is_none_or(|rest| rest == 0),
        _ => true,
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
    fn nothing_false_is_said_where_a_keyword_is_not_understood() {
        let fault = json!({"n": {"type": "integer"}});
        let rows: [(Value, Value); 4] = [
            (
                json!({"type": "object", "unevaluatedProperties": false, "patternProperties": {"^x-": true}, "properties": fault}),
                json!({"x-a": 1, "n": "s"}),
            ),
            (
                json!({"type": "object", "additionalProperties": true, "properties": fault, "if": {"not": {"required": ["a"]}}, "then": {"required": ["b"]}}),
                json!({"a": 1, "n": "s"}),
            ),
            (
                json!({"type": "object", "additionalProperties": false, "properties": {"n": {"type": "integer"}, "p": {"multipleOf": 0.1}}}),
                json!({"p": 0.3, "n": "s"}),
            ),
            (
                json!({"type": "object", "additionalProperties": true, "properties": fault, "uniqueItems": true}),
                json!({"n": "s"}),
            ),
        ];
        for (schema, value) in rows {
            let (keyword, at, _) = explained(schema, value.clone());
            assert_eq!((keyword, at.as_str()), (Keyword::Type, "n"), "{value}");
        }
        let open = json!({"type": "object", "additionalProperties": true, "required": ["sku"]});
        let (_, _, wants) = explained(open, json!({"sku_id": 1}));
        assert_eq!(wants, Wants::Key { holds: String::new(), misspelt: None });
    }

    #[test]
    fn a_violation_that_was_found_is_said_where_the_steps_run_out() {
        let schema = json!({"type": "object", "additionalProperties": false, "required": ["filter"],
            "properties": {"filter": true, "rows": {"type": "array", "items": {"type": "integer"}}}});
        let (keyword, at, _) = explained(schema, json!({"rows": vec![1; 250_000]}));
        assert_eq!((keyword, at.as_str()), (Keyword::Required, "filter"));
    }

    #[test]
    fn names_are_compared_for_the_violation_that_is_said_only() {
        let keys: Vec<String> = (0..300).rev().map(|nth| format!("{nth:03}{}", "k".repeat(190))).collect();
        let schema = json!({"type": "object", "additionalProperties": false, "required": keys, "properties": {}});
        let members = (0..5_000).map(|nth| (format!("{nth:04}{}", "q".repeat(190)), Value::Null)).collect();
        let (keyword, at, _) = explained(schema, Value::Object(members));
        assert_eq!(keyword, Keyword::Required);
        assert!(at.starts_with("000k"), "{at}");
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

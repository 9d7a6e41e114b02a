//! Facts: everything that a schema says about one value, as one flat record.
//!
//! A reference and every arm of an `allOf` speak of the very value the schema around them speaks of, so they are merged into
//! it; what cannot be merged is set aside in words. Merging may loosen and never tightens: each value that fits the schema
//! fits the facts. Knows no provider.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::parts;
use super::words::Constraints;

/// Most schemas merged one inside the other. A loaded schema has far fewer; a document that was never loaded ends here.
const MAX_IN_PLACE: usize = 64;

/// Assertions about plain values, which two schemas of one value merge into the stricter of both.
const ASSERTIONS: [&str; 15] = [
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "propertyNames",
];

/// Constraints that no provider's strict form takes and no merge understands: they are said in words.
const SET_ASIDE: [&str; 8] = [
    "contains",
    "minContains",
    "maxContains",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
    "not",
    "unevaluatedItems",
];

/// Keywords whose schemas may speak of further keys of the same object.
const MAY_OPEN: [&str; 4] = ["if", "then", "else", "dependentSchemas"];

/// A type of JSON value, in the order that lists of types are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
    Null,
}

impl Kind {
    const ALL: [Self; 7] =
        [Self::String, Self::Integer, Self::Number, Self::Boolean, Self::Array, Self::Object, Self::Null];

    /// The name in a schema.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
            Self::Null => "null",
        }
    }

    fn of_name(name: &Value) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| name == kind.name())
    }

    /// The narrowest type of a value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => Self::Integer,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Whether every value of this type is one of the other.
    fn is_within(self, other: Self) -> bool {
        self == other || (self == Self::Integer && other == Self::Number)
    }
}

/// Types, none of which is within another.
pub(super) type Kinds = BTreeSet<Kind>;

fn kinds(kinds: impl IntoIterator<Item = Kind>) -> Kinds {
    let mut kinds: Kinds = kinds.into_iter().collect();
    if kinds.contains(&Kind::Number) {
        kinds.remove(&Kind::Integer);
    }
    kinds
}

/// What an object says about the keys it does not declare.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Rest {
    /// Nothing.
    #[default]
    Silent,
    /// They may hold anything.
    Open,
    /// There are none.
    Closed,
    /// They fit this schema.
    Schema(Value),
}

impl Rest {
    fn of(schema: &Value) -> Self {
        match schema {
            Value::Bool(false) => Self::Closed,
            Value::Bool(true) => Self::Open,
            Value::Object(members) if members.is_empty() => Self::Open,
            schema => Self::Schema(schema.clone()),
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Closed, _) | (_, Self::Closed) => Self::Closed,
            (Self::Schema(one), Self::Schema(other)) => Self::Schema(all_of(one, other)),
            (Self::Schema(one), _) | (_, Self::Schema(one)) => Self::Schema(one),
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            (Self::Silent, Self::Silent) => Self::Silent,
        }
    }

    /// What a key that is not declared here adds to the schema it has elsewhere; `None` where it may not be there.
    fn and_schema(&self, declared: &Value) -> Option<Value> {
        match self {
            Self::Silent | Self::Open => Some(declared.clone()),
            Self::Closed => None,
            Self::Schema(schema) => Some(all_of(declared.clone(), schema.clone())),
        }
    }
}

/// Alternatives for the value the schema around them speaks of.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// Whether exactly one of them fits (`oneOf`), not at least one.
    pub(super) exclusive: bool,
    /// The schemas.
    pub(super) arms: Vec<Value>,
}

/// Everything that is said about one value. Schemas of its parts are kept as they are declared.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The types; any where there are none.
    pub(super) kinds: Option<Kinds>,
    /// `enum` and `const`.
    pub(super) values: Option<Vec<Value>>,
    /// Assertions by keyword.
    pub(super) asserted: BTreeMap<&'static str, Value>,
    /// Keys that have to be there, in the order they are declared.
    pub(super) required: Vec<String>,
    /// Declared keys.
    pub(super) properties: BTreeMap<String, Value>,
    /// Undeclared keys.
    pub(super) rest: Rest,
    /// `unevaluatedProperties`, while alternatives that may declare keys are still open.
    pub(super) unevaluated: Option<Rest>,
    /// Whether something that was set aside may declare keys too.
    pub(super) opens: bool,
    /// Places of a list that have a schema of their own.
    pub(super) prefix: Vec<Value>,
    /// The other places of a list.
    pub(super) items: Option<Value>,
    /// Alternatives.
    pub(super) choices: Vec<Choice>,
    /// Constraints that are said in words only, by keyword.
    pub(super) set_aside: Constraints,
    /// What it says to a reader.
    pub(super) description: Option<String>,
    /// The reference that leads back to a schema this one is part of.
    pub(super) recursive: Option<String>,
    /// References that were followed.
    pub(super) via: Vec<String>,
    /// Whether no value fits.
    pub(super) impossible: bool,
}

/// A document, to follow references in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'s> {
    root: &'s Value,
}

impl<'s> Source<'s> {
    pub(super) const fn new(root: &'s Value) -> Self {
        Self { root }
    }

    /// The schema that a local reference points at, the way the host's own check follows it.
    pub(super) fn resolve(self, reference: &str) -> Option<&'s Value> {
        let pointer = reference.strip_prefix('#')?;
        self.root.pointer(&pointer.replace("%25", "%").replace("%22", "\""))
    }

    /// What a schema says, with its references and `allOf` merged in. References in `around` lead back to a schema this one
    /// is part of.
    pub(super) fn facts(self, schema: &Value, around: &[String]) -> Facts {
        self.gather(schema, around, MAX_IN_PLACE)
    }

    fn gather(self, schema: &Value, around: &[String], room: usize) -> Facts {
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(false) => return Facts { impossible: true, ..Facts::default() },
            _ => return Facts::default(),
        };
        let Some(room) = room.checked_sub(1) else { return Facts::default() };
        let mut facts = own(members);
        if let Some(Value::String(target)) = members.get("$ref") {
            if around.contains(target) {
                facts.recursive = Some(target.clone());
            } else if let Some(definition) = self.resolve(target) {
                let around: Vec<String> = around.iter().chain([target]).cloned().collect();
                let mut said = self.gather(definition, &around, room);
                said.via.push(target.clone());
                facts = facts.and(self.settled(said, &around, room));
            }
        }
        for arm in list(members, "allOf") {
            facts = facts.and(self.settled(self.gather(arm, around, room), around, room));
        }
        facts.close();
        facts
    }

    /// Facts that say nothing any more about keys that others may declare, so that others may be merged into them.
    fn settled(self, facts: Facts, around: &[String], room: usize) -> Facts {
        if facts.unevaluated.is_some() { self.flattened(facts, around, room) } else { facts }
    }

    /// What an alternative adds to what is said around it.
    pub(super) fn with_arm(self, around_it: &Facts, arm: &Value, around: &[String]) -> Facts {
        let said = self.gather(arm, around, MAX_IN_PLACE);
        if around_it.is_blank() {
            return said;
        }
        let mut both = around_it.clone().and(self.settled(said, around, MAX_IN_PLACE));
        both.close();
        both
    }

    /// The facts with every alternative merged into one: a key takes what any alternative takes of it and is required where
    /// all of them require it. What that loses is set aside.
    pub(super) fn flat(self, facts: Facts, around: &[String]) -> Facts {
        self.flattened(facts, around, MAX_IN_PLACE)
    }

    fn flattened(self, mut facts: Facts, around: &[String], room: usize) -> Facts {
        let choices = std::mem::take(&mut facts.choices);
        // With one choice alone it is known who declares a key: an arm, or what stands around it.
        let is_open_to_it = choices.len() <= 1 && !facts.opens && facts.rest == Rest::Silent;
        let closing = facts.unevaluated.clone().filter(|_| is_open_to_it);
        for choice in choices {
            let said = choice.arms.iter().map(|arm| {
                let said = self.gather(arm, around, room.saturating_sub(1));
                if said.choices.is_empty() || room == 0 {
                    return said;
                }
                self.flattened(said, around, room.saturating_sub(1))
            });
            let arms: Vec<Facts> = said.filter(|arm| !arm.impossible).collect();
            let keyword = if choice.exclusive { "oneOf" } else { "anyOf" };
            let merged = if room == 0 { Facts::default() } else { any_of_facts(arms, &facts, closing.as_ref()) };
            facts = facts.and(merged);
            facts.set_aside.push((keyword, parts::without_annotations(keyword, &Value::Array(choice.arms))));
        }
        facts.close();
        facts
    }
}

/// The value of a keyword that is a list.
fn list<'m>(members: &'m Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'m Value> {
    members.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

/// What the members of one schema say, without its references and `allOf`.
fn own(members: &Map<String, Value>) -> Facts {
    let mut facts = Facts {
        description: members.get("description").and_then(Value::as_str).map(str::to_owned),
        opens: MAY_OPEN.iter().any(|keyword| members.contains_key(*keyword)),
        required: list(members, "required").filter_map(Value::as_str).map(str::to_owned).collect(),
        prefix: list(members, "prefixItems").cloned().collect(),
        ..Facts::default()
    };
    facts.kinds = match members.get("type") {
        Some(Value::Array(names)) => Some(kinds(names.iter().filter_map(Kind::of_name))),
        Some(name) => Kind::of_name(name).map(|kind| kinds([kind])),
        None => None,
    };
    for keyword in ASSERTIONS {
        if let Some(asserted) = members.get(keyword) {
            facts.asserted.insert(keyword, asserted.clone());
        }
    }
    facts.values = members.get("enum").and_then(Value::as_array).cloned();
    if let Some(only) = members.get("const") {
        facts.keep_values(vec![only.clone()]);
    }
    own_keys(members, &mut facts);
    match members.get("items") {
        Some(Value::Bool(false)) => facts.assert("maxItems", facts.prefix.len().into()),
        items => facts.items = items.cloned(),
    }
    for (keyword, exclusive) in [("anyOf", false), ("oneOf", true)] {
        let arms: Vec<Value> = list(members, keyword).cloned().collect();
        if !arms.is_empty() {
            facts.choices.push(Choice { exclusive, arms });
        }
    }
    for keyword in SET_ASIDE {
        if let Some(said) = members.get(keyword) {
            facts.set_aside.push((keyword, parts::without_annotations(keyword, said)));
        }
    }
    if let Some(condition) = members.get("if") {
        let parts = ["if", "then", "else"].into_iter().filter_map(|keyword| {
            let part = if keyword == "if" { Some(condition) } else { members.get(keyword) };
            part.map(|part| (keyword.to_owned(), parts::without_annotations(keyword, part)))
        });
        facts.set_aside.push(("if", Value::Object(parts.collect())));
    }
    facts
}

/// What a schema says about keys. A pattern of keys widens the rest: which keys it speaks of is not looked at.
fn own_keys(members: &Map<String, Value>, facts: &mut Facts) {
    for (key, schema) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
        facts.properties.insert(key.clone(), schema.clone());
    }
    facts.rest = members.get("additionalProperties").map(Rest::of).unwrap_or_default();
    facts.unevaluated = members.get("unevaluatedProperties").map(Rest::of);
    let by_pattern: Vec<Value> = members
        .get("patternProperties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::values)
        .cloned()
        .collect();
    if by_pattern.is_empty() {
        return;
    }
    facts.rest = match std::mem::take(&mut facts.rest) {
        Rest::Silent => {
            facts.opens = true;
            Rest::Silent
        }
        Rest::Open => Rest::Open,
        Rest::Closed => Rest::of(&any_of(by_pattern)),
        Rest::Schema(rest) => Rest::of(&any_of(by_pattern.into_iter().chain([rest]).collect())),
    };
}

impl Facts {
    /// Whether nothing is said that an alternative would have to be merged with.
    pub(super) fn is_blank(&self) -> bool {
        self.kinds.is_none()
            && self.values.is_none()
            && self.asserted.is_empty()
            && self.required.is_empty()
            && self.properties.is_empty()
            && self.rest == Rest::Silent
            && self.unevaluated.is_none()
            && self.prefix.is_empty()
            && self.items.is_none()
            && self.choices.is_empty()
            && self.recursive.is_none()
    }

    /// Whether alternatives can only be merged into one: a closure that speaks of the keys of all that fit cannot be given to
    /// each of them apart.
    pub(super) fn has_joint_closure(&self) -> bool {
        self.unevaluated.is_some() && self.choices.iter().any(|choice| !choice.exclusive)
    }

    /// Gives what `unevaluatedProperties` says to the keys that are not declared, once no alternative is open any more.
    fn close(&mut self) {
        if !self.choices.is_empty() {
            return;
        }
        if let Some(closure) = self.unevaluated.take()
            && self.rest == Rest::Silent
        {
            if self.opens && closure == Rest::Closed {
                self.set_aside.push(("unevaluatedProperties", Value::Bool(false)));
            }
            self.rest = if self.opens { Rest::Open } else { closure };
        }
    }

    /// These facts and the others.
    fn and(mut self, other: Self) -> Self {
        self.kinds = match (self.kinds.take(), other.kinds) {
            (Some(one), Some(other)) => Some(common(&one, &other)),
            (one, other) => one.or(other),
        };
        if let Some(values) = other.values {
            self.keep_values(values);
        }
        for (keyword, asserted) in other.asserted {
            self.assert(keyword, asserted);
        }
        for key in other.required {
            if !self.required.contains(&key) {
                self.required.push(key);
            }
        }
        let mut properties = BTreeMap::new();
        for (key, schema) in &self.properties {
            let both = match other.properties.get(key) {
                Some(theirs) => Some(all_of(schema.clone(), theirs.clone())),
                None => other.rest.and_schema(schema),
            };
            properties.extend(both.map(|both| (key.clone(), both)));
        }
        for (key, schema) in other.properties.iter().filter(|(key, _)| !self.properties.contains_key(*key)) {
            properties.extend(self.rest.and_schema(schema).map(|both| (key.clone(), both)));
        }
        self.properties = properties;
        self.rest = std::mem::take(&mut self.rest).and(other.rest);
        self.opens |= other.opens;
        let n_places = self.prefix.len().max(other.prefix.len());
        let at = |prefix: &[Value], items: &Option<Value>, idx: usize| {
            prefix.get(idx).or(items.as_ref()).cloned().unwrap_or(Value::Bool(true))
        };
        self.prefix = (0..n_places)
            .map(|idx| all_of(at(&self.prefix, &self.items, idx), at(&other.prefix, &other.items, idx)))
            .collect();
        self.items = match (self.items.take(), other.items) {
            (Some(one), Some(other)) => Some(all_of(one, other)),
            (one, other) => one.or(other),
        };
        self.choices.extend(other.choices);
        self.set_aside.extend(other.set_aside);
        self.description = self.description.or(other.description);
        self.recursive = self.recursive.or(other.recursive);
        self.via.extend(other.via);
        self.impossible |= other.impossible;
        self
    }

    /// Leaves the values that are in both lists. Where none is, the list stays: no value fits, and any list says so.
    fn keep_values(&mut self, others: Vec<Value>) {
        let Some(values) = &mut self.values else {
            self.values = Some(others);
            return;
        };
        let common: Vec<Value> =
            values.iter().filter(|value| others.iter().any(|other| is_equal(value, other))).cloned().collect();
        if !common.is_empty() {
            *values = common;
        }
    }

    /// Adds an assertion; of two with one keyword the stricter stays, or the other one is said in words.
    pub(super) fn assert(&mut self, keyword: &'static str, asserted: Value) {
        let Some(there) = self.asserted.get_mut(keyword) else {
            self.asserted.insert(keyword, asserted);
            return;
        };
        if *there == asserted {
            return;
        }
        let stricter = match keyword {
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => is_less(there, &asserted),
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => is_less(&asserted, there),
            "uniqueItems" => asserted == true,
            _ => {
                self.set_aside.push((keyword, asserted));
                return;
            }
        };
        if stricter {
            *there = asserted;
        }
    }
}

/// What at least one of several alternatives says, seen from what stands `around` them. `closing` is what
/// `unevaluatedProperties` around them says.
fn any_of_facts(arms: Vec<Facts>, around: &Facts, closing: Option<&Rest>) -> Facts {
    // What leads back to a schema around it may declare any key.
    let unknown = || Facts { opens: true, ..Facts::default() };
    let arms: Vec<Facts> = arms.into_iter().map(|arm| if arm.recursive.is_some() { unknown() } else { arm }).collect();
    let Some(first) = arms.first() else { return Facts { impossible: true, ..Facts::default() } };
    let all_agree = |same: &dyn Fn(&Facts) -> bool| arms.iter().all(same);
    let mut merged = Facts {
        kinds: arms
            .iter()
            .map(|arm| arm.kinds.clone())
            .collect::<Option<Vec<_>>>()
            .map(|all| kinds(all.into_iter().flatten())),
        values: arms.iter().map(|arm| arm.values.clone()).collect::<Option<Vec<_>>>().map(|all| distinct(all.concat())),
        opens: arms.iter().any(|arm| arm.opens),
        via: arms.iter().flat_map(|arm| arm.via.iter().cloned()).collect(),
        ..Facts::default()
    };
    for (keyword, asserted) in &first.asserted {
        if all_agree(&|arm| arm.asserted.get(keyword) == Some(asserted)) {
            merged.asserted.insert(keyword, asserted.clone());
        }
    }
    merged.required =
        first.required.iter().filter(|key| all_agree(&|arm| arm.required.contains(key))).cloned().collect();
    if all_agree(&|arm| arm.prefix == first.prefix && arm.items == first.items) {
        (merged.prefix, merged.items) = (first.prefix.clone(), first.items.clone());
    }
    // A closure leaves the keys alone that stand around, so what the arms say of those is asked one by one.
    let around_it = around.properties.keys().filter(|_| closing.is_some());
    let keys: BTreeSet<&String> = arms.iter().flat_map(|arm| arm.properties.keys()).chain(around_it).collect();
    for key in keys {
        let closing = closing.filter(|_| !around.properties.contains_key(key));
        let said = arms.iter().filter_map(|arm| match arm.properties.get(key) {
            Some(schema) => Some(schema.clone()),
            None => rest_of(arm, closing).and_schema(&Value::Bool(true)),
        });
        let said: Vec<Value> = said.collect();
        if !said.is_empty() {
            merged.properties.insert(key.clone(), any_of(said));
        }
    }
    merged.rest = any_rest(&arms, closing);
    // An arm that speaks of every key leaves nothing for a closure around it.
    merged.opens |= merged.rest == Rest::Silent && arms.iter().any(|arm| arm.rest != Rest::Silent);
    merged
}

/// What an alternative says about keys it does not declare, under a closure around it.
fn rest_of<'r>(arm: &'r Facts, closing: Option<&'r Rest>) -> &'r Rest {
    match (&arm.rest, closing) {
        (Rest::Silent, Some(closing)) if !arm.opens => closing,
        (rest, _) => rest,
    }
}

fn any_rest(arms: &[Facts], closing: Option<&Rest>) -> Rest {
    if arms.iter().all(|arm| arm.rest == Rest::Silent) {
        return Rest::Silent;
    }
    let mut schemas = Vec::new();
    for arm in arms {
        match rest_of(arm, closing) {
            Rest::Silent => return Rest::Silent,
            Rest::Open => return Rest::Open,
            Rest::Closed => {}
            Rest::Schema(schema) => schemas.push(schema.clone()),
        }
    }
    if schemas.is_empty() { Rest::Closed } else { Rest::of(&any_of(schemas)) }
}

/// The types that are in both; where none is, the first ones: no value fits, and any type says so.
fn common(one: &Kinds, other: &Kinds) -> Kinds {
    let both = one.iter().flat_map(|a| other.iter().map(move |b| (*a, *b)));
    let narrower = both.filter_map(|(a, b)| match () {
        () if a.is_within(b) => Some(a),
        () if b.is_within(a) => Some(b),
        () => None,
    });
    let common = kinds(narrower);
    if common.is_empty() { one.clone() } else { common }
}

/// A schema for what fits both.
pub(super) fn all_of(one: Value, other: Value) -> Value {
    match (is_anything(&one), is_anything(&other)) {
        (_, true) => one,
        (true, false) => other,
        (false, false) if one == other => one,
        (false, false) => json!({ "allOf": [one, other] }),
    }
}

/// A schema for what fits any of these. Alternatives that are nothing but values become one list of them.
pub(super) fn any_of(schemas: Vec<Value>) -> Value {
    let schemas = distinct(schemas);
    if schemas.iter().any(is_anything) {
        return Value::Bool(true);
    }
    let listed: Option<Vec<Vec<Value>>> = schemas.iter().map(values_of).collect();
    match (listed, schemas.as_slice()) {
        (_, []) => Value::Bool(false),
        (_, [only]) => only.clone(),
        (Some(values), _) => json!({ "enum": distinct(values.concat()) }),
        (None, _) => json!({ "anyOf": schemas }),
    }
}

fn is_anything(schema: &Value) -> bool {
    match schema {
        Value::Bool(anything) => *anything,
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// The values of a schema that is nothing but a list of them.
fn values_of(schema: &Value) -> Option<Vec<Value>> {
    let members = schema.as_object()?;
    if !members.keys().all(|key| matches!(key.as_str(), "const" | "enum" | "type" | "description" | "title")) {
        return None;
    }
    match (members.get("const"), members.get("enum")) {
        (Some(only), None) => Some(vec![only.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    }
}

/// The values without those that were there before.
pub(super) fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

/// Whether two values are one JSON value: `1` and `1.0` are.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_equal(a, b)))
        }
        (one, other) => one == other,
    }
}

/// Whether one bound is below another. Bounds that only differ beyond what a float keeps count as equal: either may stay.
pub(super) fn is_less(one: &Value, other: &Value) -> bool {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => one < other,
        _ => one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| one < other),
    }
}

impl Facts {
    /// Whether a value has one of the types.
    pub(super) fn takes_kind_of(&self, value: &Value) -> bool {
        let kind = Kind::of(value);
        self.kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|taken| kind.is_within(*taken)))
    }

    /// Whether no value fits: none is permitted, or none of those that are has a permitted type.
    pub(super) fn takes_nothing(&self) -> bool {
        let listed = self.values.as_ref();
        self.impossible || listed.is_some_and(|values| !values.iter().any(|value| self.takes_kind_of(value)))
    }

    /// The types, those of the values where only they are said, and of both the ones that a value has.
    pub(super) fn kinds_or_of_values(&self) -> Option<Kinds> {
        let Some(values) = &self.values else { return self.kinds.clone() };
        let Some(said) = &self.kinds else { return Some(kinds(values.iter().map(Kind::of))) };
        let met = said.iter().filter(|kind| values.iter().any(|value| Kind::of(value).is_within(**kind)));
        let met: Kinds = met.copied().collect();
        Some(if met.is_empty() { said.clone() } else { met })
    }
}

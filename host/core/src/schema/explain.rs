//! Explainer: the one violation to say about a value that the verdict turned down.
//!
//! Walks schema and value together with a budget of steps, so that an error never costs more than a bounded multiple of
//! the check. Keeps only the first violation in the fixed order: a list of eleven would be eleven things to read and one to
//! mend. Never decides, and agrees with the verdict on every keyword that `lint` lets through; a test holds it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;
use smallvec::SmallVec;

use super::leaf::Leaves;
use super::program::{
    Bound, Condition, InPlace, LeafId, ListRules, NodeId, NumberRule, ObjectRules, Program, Range, Rules, TextRules,
    Types,
};
use super::violation::Keyword;
use crate::field_path::Segment;
use crate::json::{Item, Json, Kind, List, Num, Object};

/// Most steps of one walk, a step being one schema looked at for one value. What a check may cost, and what is compared.
const MAX_STEPS: u64 = 4_000_000;

/// Deepest recursion of one walk: each level of a value with itself and the eight schemas that `cost` lets stand in place.
const MAX_DEPTH: u32 = 64 * 9;

/// What a walk needs of a schema.
#[derive(Clone, Copy)]
pub(super) struct Parts<'w> {
    pub(super) program: &'w Program,
    pub(super) leaves: &'w Leaves,
}

/// The first violation, or `None` where the walk found none within its budget.
pub(super) fn first_violation(parts: Parts<'_>, item: Item<'_>) -> Option<Found> {
    let mut walk = Walk::new(parts, item.json(), Asks::First(None));
    walk.visit(0, item);
    match walk.asks {
        Asks::First(found) => found,
        Asks::Whether { is_broken: _ } => None,
    }
}

/// Whether a value fits one schema of a document.
pub(super) fn fits(parts: Parts<'_>, node: NodeId, item: Item<'_>) -> bool {
    Walk::new(parts, item.json(), Asks::Whether { is_broken: false }).fits(node, item)
}

/// A violation as it is found: places in the schema and in the value. Words are made of it when somebody reads them, and of
/// the first one only: names that look like each other cost more to find than violations.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) keyword: Keyword,
    pub(super) path: Path,
    /// The place of the value that breaks the rule.
    pub(super) got: usize,
    pub(super) broken: Broken,
}

/// The part of a schema that a value breaks. Keys and objects of the value by their place.
#[derive(Clone, Debug)]
pub(super) enum Broken {
    Required {
        key: Arc<str>,
        node: NodeId,
        object: usize,
    },
    Undeclared {
        key: usize,
        node: NodeId,
    },
    Type(Types),
    Permitted {
        node: NodeId,
        nth: usize,
    },
    Number {
        node: NodeId,
        nth: usize,
    },
    Count {
        range: Range,
        n: usize,
        what: &'static str,
    },
    Contained {
        range: Range,
        n: usize,
    },
    Pattern(LeafId),
    Format(LeafId),
    Name(usize),
    /// The schema `false`.
    Never,
    Rule(&'static str),
}

/// The way to a value; most are short.
type Path = SmallVec<[Step; 4]>;

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// To the member with the key at this place.
    Key(usize),
    /// To a member that is not there.
    Absent(Arc<str>),
    /// To this item.
    Index(usize),
}

impl Step {
    /// The step as others say it.
    pub(super) fn segment(&self, json: &Json) -> Segment {
        match self {
            Self::Key(place) => Segment::Key(json.item(*place).as_text().unwrap_or_default().to_owned()),
            Self::Absent(key) => Segment::Key((**key).to_owned()),
            Self::Index(index) => Segment::Index(*index),
        }
    }

    /// In the alphabetical order of what a path shows.
    fn compare(&self, other: &Self, json: &Json) -> Ordering {
        match (self, other) {
            (Self::Index(a), Self::Index(b)) => a.to_string().cmp(&b.to_string()),
            (a, b) => a.text(json).cmp(&b.text(json)),
        }
    }

    fn text<'s>(&'s self, json: &'s Json) -> Cow<'s, str> {
        match self {
            Self::Key(place) => Cow::Borrowed(json.item(*place).as_text().unwrap_or_default()),
            Self::Absent(key) => Cow::Borrowed(key),
            Self::Index(index) => Cow::Owned(index.to_string()),
        }
    }
}

fn compare_paths<'s>(a: impl Iterator<Item = &'s Step>, b: &[Step], json: &Json) -> Ordering {
    let mut b = b.iter();
    for a in a {
        let Some(b) = b.next() else { return Ordering::Greater };
        let order = if a == b { Ordering::Equal } else { a.compare(b, json) };
        if order != Ordering::Equal {
            return order;
        }
    }
    if b.next().is_some() { Ordering::Less } else { Ordering::Equal }
}

/// What a walk is asked.
enum Asks {
    /// Which violation comes first.
    First(Option<Found>),
    /// Whether there is one; the walk ends at the first.
    Whether { is_broken: bool },
}

struct Walk<'w> {
    parts: Parts<'w>,
    json: &'w Json,
    asks: Asks,
    steps: u64,
    room: u32,
    path: Path,
    /// What is known of schemas that were asked about: the arms of combinators, which may be asked again.
    known: HashMap<(NodeId, usize), bool>,
}

impl<'w> Walk<'w> {
    fn new(parts: Parts<'w>, json: &'w Json, asks: Asks) -> Self {
        Self { parts, json, asks, steps: MAX_STEPS, room: MAX_DEPTH, path: Path::new(), known: HashMap::new() }
    }

    /// Counts work that is more than one look; nothing more is looked at once it was too much.
    fn spend(&mut self, n_steps: usize) {
        self.steps = self.steps.saturating_sub(u64::try_from(n_steps).unwrap_or(u64::MAX));
    }

    fn is_settled(&self) -> bool {
        matches!(self.asks, Asks::Whether { is_broken: true })
    }

    /// Whether a violation of this kind could come first, wherever it is.
    fn matters(&self, keyword: Keyword) -> bool {
        match &self.asks {
            Asks::First(Some(first)) => keyword.order() <= first.keyword.order(),
            Asks::First(None) => true,
            Asks::Whether { is_broken } => !is_broken,
        }
    }

    fn visit(&mut self, node: NodeId, item: Item<'w>) {
        // What comes first of a value that holds no others is its type.
        if self.is_settled() || (!item.is_container() && !self.matters(Keyword::Type)) {
            return;
        }
        let Some(rules) = self.parts.program.rules(node) else { return };
        let (Some(steps), Some(room)) = (self.steps.checked_sub(1), self.room.checked_sub(1)) else {
            self.steps = 0;
            return;
        };
        self.steps = steps;
        self.room = room;
        self.check(node, rules, item);
        self.room = room.saturating_add(1);
    }

    fn visit_part(&mut self, step: Step, node: NodeId, item: Item<'w>) {
        self.path.push(step);
        self.visit(node, item);
        self.path.pop();
    }

    /// Whether a value fits a schema; used for the arms of combinators.
    fn fits(&mut self, node: NodeId, item: Item<'w>) -> bool {
        if let Some(known) = self.known.get(&(node, item.place())) {
            return *known;
        }
        let outer = std::mem::replace(&mut self.asks, Asks::Whether { is_broken: false });
        self.visit(node, item);
        let inner = std::mem::replace(&mut self.asks, outer);
        let fits = !matches!(inner, Asks::Whether { is_broken: true });
        self.known.insert((node, item.place()), fits);
        fits
    }

    /// Notes a violation at the current place, or one step further, where it comes before the first so far.
    fn found(&mut self, keyword: Keyword, step: Option<Step>, got: Item<'w>, broken: Broken) {
        let first = match &mut self.asks {
            Asks::Whether { is_broken } => {
                *is_broken = true;
                return;
            }
            Asks::First(first) => first,
        };
        if let Some(first) = first {
            let here = self.path.iter().chain(&step);
            let order = keyword.order().cmp(&first.keyword.order());
            if order.then_with(|| compare_paths(here, &first.path, self.json)) != Ordering::Less {
                return;
            }
        }
        let path = self.path.iter().cloned().chain(step).collect();
        *first = Some(Found { keyword, path, got: got.place(), broken });
    }

    fn check(&mut self, node: NodeId, rules: &'w Rules, item: Item<'w>) {
        if rules.is_never {
            self.found(Keyword::Schema, None, item, Broken::Never);
        }
        if let Some(types) = rules.types.filter(|types| !is_of(*types, item)) {
            self.found(Keyword::Type, None, item, Broken::Type(types));
        }
        if self.is_settled() {
            return;
        }
        if self.matters(Keyword::Enum) {
            self.check_permitted(node, &rules.permitted, item);
        }
        match item.kind() {
            Kind::Number(number) if self.matters(Keyword::NumberRange) => {
                for (nth, rule) in rules.numbers.iter().enumerate() {
                    if !self.is_in_bound(rule, number, item) {
                        self.found(Keyword::NumberRange, None, item, Broken::Number { node, nth });
                    }
                }
            }
            Kind::Text(said) => {
                if let Some(held) = rules.text.as_ref().filter(|_| self.matters(Keyword::TooFew)) {
                    self.check_text(held, said, item);
                }
            }
            Kind::List(list) => {
                if let Some(held) = &rules.list {
                    self.check_list(node, held, list, item);
                }
            }
            Kind::Object(object) => {
                if let Some(held) = &rules.object {
                    self.check_object(node, held, object, item);
                }
            }
            Kind::Null | Kind::Bool(_) | Kind::Number(_) => {}
        }
        if let Some(in_place) = rules.in_place.as_ref().filter(|_| !self.is_settled()) {
            self.check_in_place(in_place, item);
        }
    }

    fn check_permitted(&mut self, node: NodeId, permitted: &'w [Vec<Value>], item: Item<'w>) {
        for (nth, permitted) in permitted.iter().enumerate() {
            self.spend(permitted.len());
            if !permitted.iter().any(|one| item.equals(one)) {
                self.found(Keyword::Enum, None, item, Broken::Permitted { node, nth });
            }
        }
    }

    fn is_in_bound(&self, rule: &NumberRule, number: Num, item: Item<'_>) -> bool {
        let order = number.compare(rule.bound);
        match rule.kind {
            Bound::Least => order != Ordering::Less,
            Bound::Most => order != Ordering::Greater,
            Bound::Above => order == Ordering::Greater,
            Bound::Below => order == Ordering::Less,
            Bound::Step => rule.leaf.is_none_or(|leaf| self.parts.leaves.fits(leaf, item)),
        }
    }

    fn check_text(&mut self, rules: &TextRules, said: &str, item: Item<'w>) {
        // Bytes are an upper bound of characters, so short texts need no counting.
        if rules.length.least.is_some() || rules.length.most.is_some_and(|most| !is_at_most(said.len(), most)) {
            self.check_count(rules.length, said.chars().count(), "characters", item);
        }
        if let Some(pattern) = rules.pattern.filter(|pattern| !self.parts.leaves.fits(*pattern, item)) {
            self.found(Keyword::Pattern, None, item, Broken::Pattern(pattern));
        }
        if let Some(format) = rules.format.filter(|format| !self.parts.leaves.fits(*format, item)) {
            self.found(Keyword::Format, None, item, Broken::Format(format));
        }
    }

    fn check_count(&mut self, range: Range, n: usize, what: &'static str, item: Item<'w>) {
        if range.least.is_some_and(|least| !is_at_least(n, least)) {
            self.found(Keyword::TooFew, None, item, Broken::Count { range, n, what });
        } else if range.most.is_some_and(|most| !is_at_most(n, most)) {
            self.found(Keyword::TooMany, None, item, Broken::Count { range, n, what });
        }
    }

    fn check_list(&mut self, node: NodeId, rules: &'w ListRules, list: List<'w>, item: Item<'w>) {
        self.check_count(rules.length, list.len(), "items", item);
        for (nth, part) in list.items().enumerate() {
            if let Some(schema) = rules.prefix.get(nth).copied().or(rules.items) {
                self.visit_part(Step::Index(nth), schema, part);
            }
        }
        if let Some(schema) = rules.contains {
            self.check_contained(schema, rules.contained, list, item);
        }
        if rules.is_set && !self.is_set(list) {
            self.found(Keyword::Schema, None, item, Broken::Rule("must not hold the same item twice"));
        }
        if let Some(schema) = rules.unevaluated {
            let mut evaluated = vec![false; list.len()];
            self.mark_items(node, item, list, &mut evaluated, false);
            for (nth, part) in list.items().enumerate().filter(|(nth, _)| evaluated.get(*nth) == Some(&false)) {
                self.visit_part(Step::Index(nth), schema, part);
            }
        }
    }

    fn check_contained(&mut self, schema: NodeId, range: Range, list: List<'w>, item: Item<'w>) {
        let n = list.items().filter(|part| self.fits(schema, *part)).count();
        let least = range.least.unwrap_or(1);
        if !is_at_least(n, least) || range.most.is_some_and(|most| !is_at_most(n, most)) {
            let range = Range { least: Some(least), most: range.most };
            self.found(Keyword::Schema, None, item, Broken::Contained { range, n });
        }
    }

    /// Whether no two items are equal. Numbers are equal by value, so each is compared in one written form.
    fn is_set(&mut self, list: List<'w>) -> bool {
        let mut seen = HashSet::new();
        list.items().all(|part| {
            let form = canonical(part);
            self.spend(form.len());
            seen.insert(form)
        })
    }

    fn check_object(&mut self, node: NodeId, rules: &'w ObjectRules, object: Object<'w>, item: Item<'w>) {
        self.check_required(node, &rules.required, object, item);
        for (_, keys) in rules.dependent_required.iter().filter(|(key, _)| object.get(key).is_some()) {
            self.check_required(node, keys, object, item);
        }
        self.check_count(rules.length, object.len(), "keys", item);
        for (name, value) in object.members() {
            // A key that is missing comes before all that this one could break, unless it holds an object that misses one.
            if !value.is_container() && !self.matters(Keyword::Undeclared) {
                continue;
            }
            let key = name.as_text().unwrap_or_default();
            let mut is_declared = false;
            if let Some(schema) = rules.property(key) {
                is_declared = true;
                self.visit_part(Step::Key(name.place()), schema, value);
            }
            for (pattern, schema) in &rules.patterns {
                if self.parts.leaves.fits(*pattern, name) {
                    is_declared = true;
                    self.visit_part(Step::Key(name.place()), *schema, value);
                }
            }
            if let Some(schema) = rules.additional.filter(|_| !is_declared) {
                self.check_undeclared(node, schema, name, value);
            }
            if rules.names.is_some_and(|names| !self.fits(names, name)) {
                self.found(Keyword::Schema, None, item, Broken::Name(name.place()));
            }
        }
        if let Some(schema) = rules.unevaluated {
            let mut evaluated = vec![false; object.len()];
            self.mark_keys(node, item, object, &mut evaluated, false);
            for ((name, value), _) in object.members().zip(evaluated).filter(|(_, evaluated)| !evaluated) {
                self.check_undeclared(node, schema, name, value);
            }
        }
    }

    fn check_required(&mut self, node: NodeId, keys: &[Arc<str>], object: Object<'w>, item: Item<'w>) {
        self.spend(keys.len());
        for key in keys.iter().filter(|key| object.get(key).is_none()) {
            let broken = Broken::Required { key: Arc::clone(key), node, object: item.place() };
            self.found(Keyword::Required, Some(Step::Absent(Arc::clone(key))), item, broken);
        }
    }

    fn check_undeclared(&mut self, node: NodeId, schema: NodeId, name: Item<'w>, value: Item<'w>) {
        let step = Step::Key(name.place());
        if !self.parts.program.is_never(Some(schema)) {
            return self.visit_part(step, schema, value);
        }
        self.found(Keyword::Undeclared, Some(step), value, Broken::Undeclared { key: name.place(), node });
    }

    fn check_in_place(&mut self, in_place: &'w InPlace, item: Item<'w>) {
        for schema in in_place.reference.iter().chain(&in_place.all) {
            self.visit(*schema, item);
        }
        if !in_place.any.is_empty() && !in_place.any.iter().any(|arm| self.fits(*arm, item)) {
            self.no_arm(&in_place.any, item);
        }
        if !in_place.one.is_empty() {
            match in_place.one.iter().filter(|arm| self.fits(**arm, item)).count() {
                1 => {}
                0 => self.no_arm(&in_place.one, item),
                _ => {
                    let rule = Broken::Rule("must fit exactly one of the declared alternatives, and fits several");
                    self.found(Keyword::Schema, None, item, rule);
                }
            }
        }
        if in_place.not.is_some_and(|schema| self.fits(schema, item)) {
            self.found(Keyword::Schema, None, item, Broken::Rule("must not be what is declared under `not`"));
        }
        if let Some(Condition { test, then, otherwise }) = in_place.condition {
            let consequence = if self.fits(test, item) { then } else { otherwise };
            if let Some(schema) = consequence {
                self.visit(schema, item);
            }
        }
        if let Some(object) = item.as_object() {
            for (_, schema) in in_place.dependent.iter().filter(|(key, _)| object.get(key).is_some()) {
                self.visit(*schema, item);
            }
        }
    }

    /// No arm fits. Where only one can be meant, by type and by its constants, what is wrong with that one is said.
    fn no_arm(&mut self, arms: &'w [NodeId], item: Item<'w>) {
        let mut meant = arms.iter().filter(|arm| self.may_be_meant(**arm, item));
        match (meant.next(), meant.next()) {
            (Some(arm), None) if arms.len() > 1 => self.visit(*arm, item),
            _ => self.found(Keyword::Schema, None, item, Broken::Rule("must fit one of the declared alternatives")),
        }
    }

    fn may_be_meant(&self, arm: NodeId, item: Item<'_>) -> bool {
        let program = self.parts.program;
        let Some(rules) = program.rules(arm) else { return false };
        if let Some(reference) = rules.in_place.as_ref().and_then(|held| held.reference) {
            return self.may_be_meant(reference, item);
        }
        let has_type = rules.types.is_none_or(|types| is_of(types, item));
        let Some(object) = item.as_object() else { return has_type };
        let has_tags = rules.object.iter().flat_map(|held| &held.properties).all(|(key, schema)| {
            let permitted = program.rules(*schema).map_or(&[][..], |rules| &rules.permitted);
            let value = object.get(key);
            value.is_none_or(|value| permitted.iter().all(|permitted| permitted.iter().any(|one| value.equals(one))))
        });
        has_type && has_tags
    }

    /// Marks the members that a schema and everything in its place declares (2020-12 Core §11.3). A branch that fails is
    /// counted with its declarations: what is wrong with it is said anyway, and its keys are not strangers for that.
    fn mark_keys(&mut self, node: NodeId, item: Item<'w>, object: Object<'w>, marks: &mut [bool], is_inner: bool) {
        let Some(rules) = self.parts.program.rules(node) else { return };
        self.spend(object.len());
        if let Some(held) = &rules.object {
            let takes_all = held.additional.is_some() || (is_inner && held.unevaluated.is_some());
            for ((name, _), mark) in object.members().zip(marks.iter_mut()) {
                let declared = held.property(name.as_text().unwrap_or_default()).is_some();
                let matches = |pattern: &LeafId| self.parts.leaves.fits(*pattern, name);
                *mark |= takes_all || declared || held.patterns.iter().any(|(pattern, _)| matches(pattern));
            }
        }
        for inner in self.evaluated_in_place(rules, item) {
            self.mark_keys(inner, item, object, marks, true);
        }
    }

    /// As above, the items.
    fn mark_items(&mut self, node: NodeId, item: Item<'w>, list: List<'w>, marks: &mut [bool], is_inner: bool) {
        let Some(rules) = self.parts.program.rules(node) else { return };
        self.spend(list.len());
        if let Some(held) = &rules.list {
            let takes_all = held.items.is_some() || (is_inner && held.unevaluated.is_some());
            for ((nth, part), mark) in list.items().enumerate().zip(marks.iter_mut()) {
                let is_contained = held.contains.is_some_and(|schema| self.fits(schema, part));
                *mark |= takes_all || nth < held.prefix.len() || is_contained;
            }
        }
        for inner in self.evaluated_in_place(rules, item) {
            self.mark_items(inner, item, list, marks, true);
        }
    }

    /// The schemas in place that say what is declared for a value.
    fn evaluated_in_place(&mut self, rules: &'w Rules, item: Item<'w>) -> Vec<NodeId> {
        let Some(in_place) = &rules.in_place else { return Vec::new() };
        let mut inner: Vec<NodeId> = in_place.reference.iter().chain(&in_place.all).copied().collect();
        for arms in [&in_place.any, &in_place.one] {
            let fitting: Vec<NodeId> = arms.iter().copied().filter(|arm| self.fits(*arm, item)).collect();
            inner.extend(if fitting.is_empty() { arms } else { &fitting });
        }
        if let Some(Condition { test, then, otherwise }) = in_place.condition {
            match self.fits(test, item) {
                true => inner.extend([Some(test), then].into_iter().flatten()),
                false => inner.extend(otherwise),
            }
        }
        let object = item.as_object();
        let is_there = |key: &str| object.is_some_and(|object| object.get(key).is_some());
        inner.extend(in_place.dependent.iter().filter(|(key, _)| is_there(key)).map(|(_, schema)| *schema));
        inner
    }
}

fn is_at_least(n: usize, least: u64) -> bool {
    u64::try_from(n).unwrap_or(u64::MAX) >= least
}

fn is_at_most(n: usize, most: u64) -> bool {
    u64::try_from(n).unwrap_or(u64::MAX) <= most
}

/// Whether a value is of one of these types; a whole number is an integer, however it is written.
fn is_of(types: Types, item: Item<'_>) -> bool {
    match item.kind() {
        Kind::Null => types.has(Types::NULL),
        Kind::Bool(_) => types.has(Types::BOOLEAN),
        Kind::Number(number) => types.has(Types::NUMBER) || (types.has(Types::INTEGER) && number.is_whole()),
        Kind::Text(_) => types.has(Types::STRING),
        Kind::List(_) => types.has(Types::ARRAY),
        Kind::Object(_) => types.has(Types::OBJECT),
    }
}

/// A value in the one form in which equal values are equal text: members sorted, whole numbers without a fraction.
fn canonical(item: Item<'_>) -> String {
    match item.kind() {
        Kind::Number(Num::Double(number)) if number.fract() == 0.0 => format!("{number:.0}"),
        Kind::List(list) => {
            let parts: Vec<String> = list.items().map(canonical).collect();
            format!("[{}]", parts.join(","))
        }
        Kind::Object(object) => {
            let mut members: Vec<(&str, String)> =
                object.members().map(|(key, value)| (key.as_text().unwrap_or_default(), canonical(value))).collect();
            members.sort_unstable();
            // Braces of its own: an empty object is no empty list.
            format!("{{{members:?}}}")
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => item.to_value().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use crate::schema::{Keyword, Schema, Wants};

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
        let lines = json!({"type": "object", "additionalProperties": false, "properties": {"a\nhint: b": true}});
        let (_, _, wants) = explained(lines, json!({"a\nhint: c": 1}));
        let shown = r"a\nhint: b".to_owned();
        assert_eq!(wants, Wants::DeclaredKeys { keys: vec![shown.clone()], nearest: Some(shown) });
        let (_, _, wants) = explained(order(), json!({"sku": "A", "rows": [{"qty": 5}], "state": "Open"}));
        let Wants::OneOf { values: _, n_more: 0, nearest, in_another_case } = wants else { panic!("{wants:?}") };
        assert_eq!((nearest.as_deref(), in_another_case.as_deref()), (Some("open"), Some("open")));
        let open = json!({"type": "object", "additionalProperties": true, "required": ["sku"]});
        let (_, _, wants) = explained(open, json!({"sku_id": 1}));
        assert_eq!(wants, Wants::Key { holds: String::new(), misspelt: None });
    }

    #[test]
    fn an_arm_that_only_one_type_or_constant_can_mean_is_explained_and_others_are_a_shape() {
        let closed = |kind: &str, key: &str| {
            json!({"type": "object", "additionalProperties": false, "required": ["kind", key],
            "properties": {"kind": {"const": kind}, key: {"type": "integer"}}})
        };
        let either =
            json!({"anyOf": [{"type": "integer", "maximum": 9}, {"type": "null"}, closed("a", "x"), closed("b", "y")]});
        for (value, keyword, at) in [
            (json!(10), Keyword::NumberRange, ""),
            (json!("x"), Keyword::Schema, ""),
            (json!({"kind": "b", "y": "1"}), Keyword::Type, "y"),
            (json!({"kind": "b"}), Keyword::Required, "y"),
            (json!({"kind": "c"}), Keyword::Schema, ""),
        ] {
            let (found, path, _) = explained(either.clone(), value.clone());
            assert_eq!((found, path.as_str()), (keyword, at), "{value}");
        }
    }

    #[test]
    fn references_are_followed_and_keys_declared_in_place_are_declared() {
        let schema = json!({"$defs": {"n": {"type": "integer", "minimum": 1}}, "oneOf": [{"$ref": "#/$defs/n"}, {"type": "string"}]});
        assert_eq!(explained(schema, json!(0)).0, Keyword::NumberRange);
        let flattened = json!({"type": "object", "unevaluatedProperties": false, "properties": {"a": true},
            "allOf": [{"properties": {"b": {"type": "string"}}, "required": ["b"]}]});
        for (value, keyword, at) in [
            (json!({"b": "x", "c": 1}), Keyword::Undeclared, "c"),
            (json!({"a": 1}), Keyword::Required, "b"),
            (json!({"b": 1}), Keyword::Type, "b"),
        ] {
            let (found, path, _) = explained(flattened.clone(), value.clone());
            assert_eq!((found, path.as_str()), (keyword, at), "{value}");
        }
    }

    #[test]
    fn an_empty_list_and_an_empty_object_are_two_items() {
        let schema = Schema::compile(r#"{"uniqueItems":true}"#).expect("compiles");
        assert_eq!(schema.find_violation(&json!([[], {}, "", null, [[]], [{}]])), None);
        for twice in
            [json!([[], {}, []]), json!([{}, {}]), json!([1, 1.0]), json!([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}])]
        {
            assert!(schema.find_violation(&twice).is_some(), "{twice}");
        }
    }

    #[test]
    fn names_are_compared_for_the_violation_that_is_said_only() {
        let keys: Vec<String> = (0..100).rev().map(|nth| format!("{nth:03}{}", "k".repeat(190))).collect();
        let properties: Map<_, _> = keys.iter().map(|key| (key.clone(), json!(true))).collect();
        let schema =
            json!({"type": "object", "additionalProperties": false, "required": keys, "properties": properties});
        let members = (0..5_000).map(|nth| (format!("{nth:04}{}", "q".repeat(190)), Value::Null)).collect();
        let (keyword, at, _) = explained(schema, Value::Object(members));
        assert_eq!(keyword, Keyword::Required);
        assert!(at.starts_with("000k"), "{at}");
    }

    #[test]
    fn terms_told_apart_by_a_constant_are_explained_however_deep_they_stand() {
        let closed = |op: &str| {
            json!({"type": "object", "additionalProperties": false, "required": ["op"],
            "properties": {"op": {"const": op}, "args": {"type": "array", "items": {"$ref": "#"}}}})
        };
        let schema = json!({"oneOf": [closed("and"), closed("or"), closed("not")]});
        let mut value = json!({"op": "leaf"});
        for nth in 0..28 {
            value = json!({"op": if nth % 2 == 0 { "and" } else { "or" }, "args": [value]});
        }
        let (keyword, at, _) = explained(schema, value);
        assert_eq!((keyword, at.matches("args.0").count()), (Keyword::Schema, 28));
    }
}

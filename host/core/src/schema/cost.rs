//! Cost: what checking a value against a schema can cost, told before anything is built.
//!
//! Three ways to multiply are looked for: schemas that meet in one place, schemas that are reached twice for one part of a
//! value and so once more at every level below it, and schemas that are held against many values, or long texts. The figures
//! come from measurements of the validator: a step takes 3 to 5 ns, and two kilobytes of schema can ask for 2^30 of them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::SchemaError;
use super::leaf::Leaves;
use super::program::{LeafId, NodeId, Program, Rules};
use crate::text;

/// Most schemas applied in place to one and the same value, one inside the other (`$ref` to `allOf` to `$ref` …). Each is a
/// stack frame per level of the value, and a chain of references costs a tool 25 bytes a link. The shipped ones need two.
pub(super) const MAX_IN_PLACE: usize = 8;

/// Most schemas applied in place to one value in all. Arms of references multiply: three layers of sixty arms are 216 000
/// schemas in 4 KB, and everything that walks them pays for each.
const MAX_APPLIED: u64 = 1_000;

/// Most schemas that one value can be held against, each counted as often as it is referred to.
const MAX_COST: u64 = 10_000;

/// Most steps of one check: cost of what is held against each value, times values. 5 to 10 ms.
const MAX_STEPS: u64 = 2_000_000;

/// Most patterns and formats that one text is held against. Each reads the whole text, at some nanoseconds a byte: a megabyte
/// against the 450 that else fit into a schema would take seconds.
const MAX_TEXT_RULES: usize = 20;

/// What an item of a list costs whose items are all different: it is hashed, and the hash looked up.
const DISTINCT_COST: u64 = 20;

/// What a key costs that is held against a pattern.
const PATTERN_COST: u64 = 20;

/// What a check can cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// Once per document.
    root: u64,
    /// Once per value at most: everything that is held against each item or each member of one list or object.
    per_value: u64,
}

impl Cost {
    /// How many values and keys a document may have, to be checked in time.
    pub(super) const fn most_values(self) -> u64 {
        let left = MAX_STEPS.saturating_sub(self.root);
        if self.per_value == 0 { u64::MAX } else { left.div_euclid(self.per_value) }
    }
}

/// How a schema is reached from another one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Edge<'p> {
    /// For the very same value.
    InPlace,
    /// For the member of this name.
    Key(&'p str),
    /// For members whose names match this pattern.
    Pattern(LeafId),
    /// For members that this node does not declare.
    Rest(NodeId),
    /// For members that nothing in place declares.
    UnevaluatedKeys,
    /// For names of members.
    Names,
    /// For the item at this index.
    Index(usize),
    /// For items from this index on.
    Items(usize),
    /// For all items.
    EveryItem,
}

/// One part of a value that schemas name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part<'p> {
    Key(&'p str),
    Index(usize),
}

/// Measures a program, or says where it can grow out of all proportion.
pub(super) fn measure(program: &Program) -> Result<Cost, SchemaError> {
    check_in_place(program)?;
    let groups = circles(program);
    let mut members: HashMap<usize, Vec<NodeId>> = HashMap::new();
    for (node, group) in groups.iter().enumerate() {
        members.entry(*group).or_default().push(node);
    }
    let mut measure = Measure { program, groups: &groups, members, known: HashMap::new(), begun: HashSet::new() };
    let root = measure.cost(0);
    if root > MAX_COST {
        return Err(error(program, 0, format!("one value can be held against more than {MAX_COST} schemas")));
    }
    Ok(Cost { root, per_value: measure.per_value(&[0])? })
}

fn error(program: &Program, node: NodeId, problem: String) -> SchemaError {
    let at = program.rules(node).map_or("", |rules| rules.at.as_str());
    SchemaError::Cost { at: text::one_line(if at.is_empty() { "/" } else { at }, 200), problem }
}

/// The schemas that each node reaches in one step, in a fixed order.
fn edges(program: &Program, node: NodeId) -> Vec<(Edge<'_>, NodeId)> {
    let Some(rules) = program.rules(node) else { return Vec::new() };
    let in_place = rules.in_place.iter().flat_map(|held| held.each()).map(|inner| (Edge::InPlace, inner));
    in_place.chain(parts(node, rules)).collect()
}

fn parts(node: NodeId, rules: &Rules) -> impl Iterator<Item = (Edge<'_>, NodeId)> {
    let members = rules.object.iter().flat_map(move |object| {
        let named = object.properties.iter().map(|(key, inner)| (Edge::Key(key), *inner));
        let matched = object.patterns.iter().map(|(pattern, inner)| (Edge::Pattern(*pattern), *inner));
        let rest = object.additional.map(|inner| (Edge::Rest(node), inner));
        let unevaluated = object.unevaluated.map(|inner| (Edge::UnevaluatedKeys, inner));
        let names = object.names.map(|inner| (Edge::Names, inner));
        named.chain(matched).chain(rest).chain(unevaluated).chain(names)
    });
    let items = rules.list.iter().flat_map(|list| {
        let prefix = list.prefix.iter().enumerate().map(|(nth, inner)| (Edge::Index(nth), *inner));
        let rest = list.items.map(|inner| (Edge::Items(list.prefix.len()), inner));
        let every = list.contains.into_iter().chain(list.unevaluated).map(|inner| (Edge::EveryItem, inner));
        prefix.chain(rest).chain(every)
    });
    members.chain(items)
}

/// What is applied to one and the same value below a schema.
#[derive(Clone, Copy)]
struct Applied {
    /// How many stand one inside the other at most.
    depth: usize,
    /// How many there are, each counted as often as it is applied.
    n: u64,
}

fn check_in_place(program: &Program) -> Result<(), SchemaError> {
    let mut known = HashMap::new();
    for node in 0..program.nodes.len() {
        if applied(program, node, MAX_IN_PLACE, &mut known).is_none_or(|applied| applied.n > MAX_APPLIED) {
            let problem =
                "too many schemas are applied in one place, or they refer to each other in a circle,".to_owned();
            return Err(error(program, node, problem));
        }
    }
    Ok(())
}

/// `None` where more than `room` stand one inside the other, which a circle always does.
fn applied(program: &Program, node: NodeId, room: usize, known: &mut HashMap<NodeId, Applied>) -> Option<Applied> {
    if let Some(known) = known.get(&node) {
        return (known.depth <= room).then_some(*known);
    }
    let mut sum = Applied { depth: 0, n: 0 };
    let in_place: Vec<NodeId> = program.rules(node)?.in_place.iter().flat_map(|held| held.each()).collect();
    for inner in in_place {
        let below = applied(program, inner, room.checked_sub(1)?, known)?;
        sum.depth = sum.depth.max(below.depth.saturating_add(1));
        sum.n = sum.n.saturating_add(below.n).saturating_add(1);
    }
    known.insert(node, sum);
    Some(sum)
}

/// For each node the number of its circle: nodes have one number if each reaches the other (Tarjan 1972).
fn circles(program: &Program) -> Vec<usize> {
    let mut search = Search { program, next: 0, marks: vec![Mark::default(); program.nodes.len()], path: Vec::new() };
    for node in 0..program.nodes.len() {
        if search.mark(node).order.is_none() {
            search.visit(node);
        }
    }
    search.marks.iter().map(|mark| mark.group.unwrap_or(usize::MAX)).collect()
}

#[derive(Clone, Copy, Default)]
struct Mark {
    order: Option<usize>,
    lowest: usize,
    group: Option<usize>,
}

struct Search<'p> {
    program: &'p Program,
    next: usize,
    marks: Vec<Mark>,
    path: Vec<NodeId>,
}

/// A node whose edges are being followed.
struct Visit {
    node: NodeId,
    targets: std::vec::IntoIter<NodeId>,
}

impl Search<'_> {
    fn mark(&self, node: NodeId) -> Mark {
        self.marks.get(node).copied().unwrap_or_default()
    }

    fn set(&mut self, node: NodeId, change: impl FnOnce(&mut Mark)) {
        if let Some(mark) = self.marks.get_mut(node) {
            change(mark);
        }
    }

    fn begin(&mut self, node: NodeId) -> Visit {
        let order = self.next;
        self.next = self.next.saturating_add(1);
        self.set(node, |mark| (mark.order, mark.lowest) = (Some(order), order));
        self.path.push(node);
        let targets: Vec<NodeId> = edges(self.program, node).into_iter().map(|(_, target)| target).collect();
        Visit { node, targets: targets.into_iter() }
    }

    /// Follows every edge from a node, with a stack of its own: references can stand 500 one behind the other.
    fn visit(&mut self, node: NodeId) {
        let mut visits = vec![self.begin(node)];
        while let Some(visit) = visits.last_mut() {
            let node = visit.node;
            match visit.targets.next() {
                Some(target) => match (self.mark(target).order, self.mark(target).group) {
                    (None, _) => visits.push(self.begin(target)),
                    (Some(order), None) => self.set(node, |mark| mark.lowest = mark.lowest.min(order)),
                    (Some(_), Some(_)) => {}
                },
                None => {
                    self.end(node);
                    visits.pop();
                    let lowest = self.mark(node).lowest;
                    if let Some(outer) = visits.last() {
                        let outer = outer.node;
                        self.set(outer, |mark| mark.lowest = mark.lowest.min(lowest));
                    }
                }
            }
        }
    }

    /// Where nothing below leads further up, everything from here on is one circle.
    fn end(&mut self, node: NodeId) {
        let mark = self.mark(node);
        if mark.order != Some(mark.lowest) {
            return;
        }
        while let Some(member) = self.path.pop() {
            self.set(member, |mark| mark.group = Some(node));
            if member == node {
                return;
            }
        }
    }
}

/// Adds up, each node once.
struct Measure<'p> {
    program: &'p Program,
    groups: &'p [usize],
    members: HashMap<usize, Vec<NodeId>>,
    known: HashMap<usize, u64>,
    /// The nodes at which a circle was entered.
    begun: HashSet<NodeId>,
}

impl<'p> Measure<'p> {
    /// What is held against each value below one that all of these are applied to. Schemas that are reached by several ways
    /// for one part meet there: ten arms with `items` each are ten schemas for each item. Takes a step for each of the
    /// schemas that `cost` counts.
    fn per_value(&mut self, applied: &[NodeId]) -> Result<u64, SchemaError> {
        let Some(first) = applied.first().copied() else { return Ok(0) };
        let mut all = Vec::new();
        applied.iter().for_each(|node| self.gather_in_place(*node, &mut all));
        self.check_texts(first, &all)?;
        let mut repeated = Vec::new();
        let mut named: HashMap<Part<'p>, Vec<NodeId>> = HashMap::new();
        let mut circle = Vec::new();
        let mut sum: u64 = 0;
        for (node, rules) in &all {
            if rules.list.as_ref().is_some_and(|list| list.is_set) {
                sum = sum.saturating_add(DISTINCT_COST);
            }
            for (edge, inner) in parts(*node, rules) {
                match edge {
                    _ if self.is_same_circle(*node, inner) => circle.push(inner),
                    Edge::Key(key) => named.entry(Part::Key(key)).or_default().push(inner),
                    Edge::Index(nth) => named.entry(Part::Index(nth)).or_default().push(inner),
                    Edge::Pattern(_) => {
                        sum = sum.saturating_add(PATTERN_COST);
                        repeated.push(inner);
                    }
                    _ => repeated.push(inner),
                }
            }
        }
        sum = repeated.iter().fold(sum, |sum, inner| sum.saturating_add(self.cost(*inner)));
        // No two edges of a circle lead to one part (`check_overlaps`), so one of them counts.
        sum = sum.saturating_add(circle.iter().map(|inner| self.cost(*inner)).max().unwrap_or_default());
        let mut below = 0;
        for together in named.values() {
            below = self.per_value(together)?.max(below);
        }
        let mut most = sum.saturating_add(below).max(self.per_value(&repeated)?);
        for inner in circle {
            let inner = self.referred_to(inner);
            if self.begun.insert(inner) {
                most = self.per_value(&[inner])?.max(most);
            }
        }
        Ok(most)
    }

    fn gather_in_place(&self, node: NodeId, all: &mut Vec<(NodeId, &'p Rules)>) {
        let Some(rules) = self.program.rules(node) else { return };
        all.push((node, rules));
        rules.in_place.iter().flat_map(|held| held.each()).for_each(|inner| self.gather_in_place(inner, all));
    }

    fn check_texts(&self, node: NodeId, all: &[(NodeId, &Rules)]) -> Result<(), SchemaError> {
        let texts = all.iter().filter_map(|(_, rules)| rules.text.as_ref());
        let n_rules = texts.flat_map(|text| [text.pattern, text.format]).flatten().count();
        if n_rules > MAX_TEXT_RULES {
            let problem =
                format!("one text is held against {n_rules} patterns and formats, the most is {MAX_TEXT_RULES},");
            return Err(error(self.program, node, problem));
        }
        Ok(())
    }

    /// What a schema that is nothing but a reference stands for.
    fn referred_to(&self, node: NodeId) -> NodeId {
        let rules = self.program.rules(node).filter(|rules| rules.list.is_none() && rules.object.is_none());
        match rules.and_then(|rules| rules.in_place.as_ref()) {
            // Ends because no circle is in place.
            Some(in_place) if in_place.each().count() == 1 => {
                in_place.reference.map_or(node, |inner| self.referred_to(inner))
            }
            Some(_) | None => node,
        }
    }

    fn is_same_circle(&self, a: NodeId, b: NodeId) -> bool {
        self.groups.get(a) == self.groups.get(b)
    }

    /// A node and everything below it outside its circle; a circle goes round once per level of the value, which is counted
    /// per value.
    fn cost(&mut self, node: NodeId) -> u64 {
        let group = self.groups.get(node).copied().unwrap_or(usize::MAX);
        if let Some(known) = self.known.get(&group) {
            return *known;
        }
        let mut sum: u64 = 0;
        for member in self.members.get(&group).cloned().unwrap_or_default() {
            sum = sum.saturating_add(self.program.rules(member).map_or(1, own_cost));
            for (_, inner) in edges(self.program, member) {
                if !self.is_same_circle(member, inner) {
                    sum = sum.saturating_add(self.cost(inner));
                }
            }
        }
        self.known.insert(group, sum);
        sum
    }
}

/// A node's own steps: one, the values it compares with, and what is dearer than a comparison.
fn own_cost(rules: &Rules) -> u64 {
    let n_values: usize = rules.permitted.iter().flatten().map(size).fold(0, usize::saturating_add);
    let is_set = rules.list.as_ref().is_some_and(|list| list.is_set);
    let n_patterns = rules.object.as_ref().map_or(0, |object| object.patterns.len());
    let of_patterns = u64::try_from(n_patterns).unwrap_or(u64::MAX).saturating_mul(PATTERN_COST);
    let of_values = u64::try_from(n_values >> 3).unwrap_or(u64::MAX);
    let of_set = if is_set { DISTINCT_COST } else { 0 };
    of_values.saturating_add(of_patterns).saturating_add(of_set).saturating_add(1)
}

fn size(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Array(items) => items.iter().map(size).fold(8, usize::saturating_add),
        serde_json::Value::Object(members) => members.values().map(size).fold(8, usize::saturating_add),
        _ => 1,
    }
}

/// Refuses a schema that is reached twice for one and the same part of a value, from everything that is applied in one
/// place: it would be walked twice at every level below, 2^64 times in all. Looking at the arms of one applicator is not
/// enough: `properties` and `patternProperties` beside each other do it in 99 bytes.
pub(super) fn check_overlaps(program: &Program, leaves: &Leaves) -> Result<(), SchemaError> {
    let groups = circles(program);
    let mut overlaps = Overlaps { program, groups: &groups, leaves, known: HashMap::new(), matches: HashMap::new() };
    for node in 0..program.nodes.len() {
        if overlaps.taken(node).is_none() {
            let problem =
                "schemas that refer to each other reach one part of a value twice, and so once more at each level,";
            return Err(error(program, node, problem.to_owned()));
        }
    }
    Ok(())
}

/// Whatever is asked twice is remembered: 500 references to one object with 500 keys are 25 KB, and 10^8 comparisons to
/// whoever looks at the object once per reference.
struct Overlaps<'p> {
    program: &'p Program,
    groups: &'p [usize],
    leaves: &'p Leaves,
    known: HashMap<NodeId, Option<Rc<Taken<'p>>>>,
    matches: HashMap<(LeafId, &'p str), bool>,
}

/// Edges, no two of which can be taken for one part.
#[derive(Default)]
struct Taken<'p> {
    keys: HashSet<&'p str>,
    indices: HashSet<usize>,
    /// Those that are taken for more than one part: a handful, since most of them overlap each other.
    others: Vec<Edge<'p>>,
}

impl<'p> Taken<'p> {
    fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.indices.is_empty() && self.others.is_empty()
    }

    fn edges(&self) -> impl Iterator<Item = Edge<'p>> {
        let keys = self.keys.iter().map(|key| Edge::Key(key));
        keys.chain(self.indices.iter().map(|nth| Edge::Index(*nth))).chain(self.others.iter().copied())
    }

    /// Whether it was not there before.
    fn insert(&mut self, edge: Edge<'p>) -> bool {
        match edge {
            Edge::Key(key) => self.keys.insert(key),
            Edge::Index(nth) => self.indices.insert(nth),
            other if self.others.contains(&other) => false,
            other => {
                self.others.push(other);
                true
            }
        }
    }
}

impl<'p> Overlaps<'p> {
    fn is_same_circle(&self, a: NodeId, b: NodeId) -> bool {
        self.groups.get(a) == self.groups.get(b)
    }

    /// The edges back into the circle of `node` that everything applied in its place takes, or `None` where two of them can be
    /// taken for one part. What is applied in its place and not of its circle leads back into no circle of it. Ends because
    /// no circle is in place.
    fn taken(&mut self, node: NodeId) -> Option<Rc<Taken<'p>>> {
        if let Some(known) = self.known.get(&node) {
            return known.clone();
        }
        let taken = self.find_taken(node);
        self.known.insert(node, taken.clone());
        taken
    }

    fn find_taken(&mut self, node: NodeId) -> Option<Rc<Taken<'p>>> {
        let rules = self.program.rules(node)?;
        let mut own = Taken::default();
        for (edge, inner) in parts(node, rules) {
            if self.is_same_circle(node, inner) {
                self.add(&mut own, edge)?;
            }
        }
        let mut all = vec![Rc::new(own)];
        if let Some(in_place) = &rules.in_place {
            let listed: HashSet<NodeId> = in_place.any.iter().chain(&in_place.one).copied().collect();
            for arms in [&in_place.any, &in_place.one] {
                all.push(self.taken_by_arms(node, arms)?);
            }
            for inner in in_place.each().filter(|inner| !listed.contains(inner)) {
                all.push(self.taken_by_arms(node, &[inner])?);
            }
        }
        self.merge(all)
    }

    /// The edges of arms, those of which only one can go on counted once.
    fn taken_by_arms(&mut self, node: NodeId, arms: &[NodeId]) -> Option<Rc<Taken<'p>>> {
        let mut all = Vec::new();
        for arm in arms {
            if self.is_same_circle(node, *arm) {
                all.push(self.taken(*arm)?);
            }
        }
        all.retain(|taken| !taken.is_empty());
        if all.len() < 2 || !self.are_exclusive(arms) {
            return self.merge(all);
        }
        let mut either = Taken::default();
        for edge in all.iter().flat_map(|taken| taken.edges()) {
            either.insert(edge);
        }
        Some(Rc::new(either))
    }

    /// All of these together.
    fn merge(&mut self, mut all: Vec<Rc<Taken<'p>>>) -> Option<Rc<Taken<'p>>> {
        all.retain(|taken| !taken.is_empty());
        if let [one] = all.as_slice() {
            return Some(Rc::clone(one));
        }
        let mut merged = Taken::default();
        for edge in all.iter().flat_map(|taken| taken.edges()) {
            self.add(&mut merged, edge)?;
        }
        Some(Rc::new(merged))
    }

    /// Whether arms are told apart by one required property with another `const` in each.
    fn are_exclusive(&self, arms: &[NodeId]) -> bool {
        let tags: Vec<HashMap<&str, &serde_json::Value>> = arms.iter().map(|arm| self.tags(*arm)).collect();
        let Some(first) = tags.first() else { return false };
        first.keys().any(|key| {
            let values: Option<Vec<&serde_json::Value>> = tags.iter().map(|tags| tags.get(key).copied()).collect();
            values.is_some_and(|values| {
                values
                    .iter()
                    .enumerate()
                    .all(|(nth, value)| !values.iter().skip(nth.saturating_add(1)).any(|other| other == value))
            })
        })
    }

    /// The required properties of a schema that hold one constant.
    fn tags(&self, node: NodeId) -> HashMap<&'p str, &'p serde_json::Value> {
        let Some(rules) = self.program.rules(node) else { return HashMap::new() };
        if let Some(reference) = rules.in_place.as_ref().and_then(|held| held.reference) {
            return self.tags(reference);
        }
        let Some(object) = &rules.object else { return HashMap::new() };
        let required: HashSet<&str> = object.required.iter().map(|key| &**key).collect();
        let required = object.properties.iter().filter(|(key, _)| required.contains(&**key));
        required
            .filter_map(|(key, inner)| match self.program.rules(*inner)?.permitted.as_slice() {
                [permitted] => match permitted.as_slice() {
                    [one] => Some((&**key, one)),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    fn add(&mut self, taken: &mut Taken<'p>, edge: Edge<'p>) -> Option<()> {
        let overlaps = match edge {
            // Of two keys, or two indices, those overlap that are equal.
            Edge::Key(_) | Edge::Index(_) => taken.others.iter().any(|other| self.overlap(*other, edge)),
            _ => taken.edges().any(|other| self.overlap(other, edge)),
        };
        (!overlaps && taken.insert(edge)).then_some(())
    }

    /// Whether one part of a value can be reached by both.
    fn overlap(&mut self, a: Edge<'p>, b: Edge<'p>) -> bool {
        match (a, b) {
            (Edge::Key(a), Edge::Key(b)) => a == b,
            (Edge::Key(key), Edge::Pattern(pattern)) | (Edge::Pattern(pattern), Edge::Key(key)) => {
                self.matches(pattern, key)
            }
            (Edge::Key(key), Edge::Rest(node)) | (Edge::Rest(node), Edge::Key(key)) => !self.declares(node, key),
            (Edge::Pattern(pattern), Edge::Rest(node)) | (Edge::Rest(node), Edge::Pattern(pattern)) => {
                !self.has_pattern(node, pattern)
            }
            (Edge::Index(a), Edge::Index(b)) => a == b,
            (Edge::Index(nth), Edge::Items(from)) | (Edge::Items(from), Edge::Index(nth)) => nth >= from,
            (Edge::Names, Edge::Names) => true,
            (Edge::Names, _) | (_, Edge::Names) | (Edge::InPlace, _) | (_, Edge::InPlace) => false,
            (a, b) => is_about_items(a) == is_about_items(b),
        }
    }

    fn matches(&mut self, pattern: LeafId, key: &'p str) -> bool {
        *self.matches.entry((pattern, key)).or_insert_with(|| self.leaves.matches(pattern, key))
    }

    fn declares(&mut self, node: NodeId, key: &'p str) -> bool {
        let object = self.program.rules(node).and_then(|rules| rules.object.as_ref());
        object.is_some_and(|object| {
            object.property(key).is_some() || object.patterns.iter().any(|(pattern, _)| self.matches(*pattern, key))
        })
    }

    fn has_pattern(&self, node: NodeId, pattern: LeafId) -> bool {
        let object = self.program.rules(node).and_then(|rules| rules.object.as_ref());
        object.is_some_and(|object| object.patterns.iter().any(|(own, _)| *own == pattern))
    }
}

const fn is_about_items(edge: Edge<'_>) -> bool {
    matches!(edge, Edge::Index(_) | Edge::Items(_) | Edge::EveryItem)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::schema::Schema;

    fn code(schema: &Value) -> &'static str {
        Schema::compile(&schema.to_string()).map_or_else(|error| error.code(), |_| "good")
    }

    /// Layers of references, each to as many of the next.
    fn layers(n_layers: usize, n_arms: usize) -> Value {
        let mut definitions = serde_json::Map::new();
        for (layer, next) in (0..n_layers).zip(1..) {
            let arms = vec![json!({"$ref": format!("#/$defs/d{next}")}); n_arms];
            definitions.insert(format!("d{layer}"), json!({ "allOf": arms }));
        }
        definitions.insert(format!("d{n_layers}"), json!({"type": "string"}));
        json!({"$defs": definitions, "$ref": "#/$defs/d0"})
    }

    #[test]
    fn schemas_that_multiply_in_one_place_are_counted_without_being_walked() {
        assert_eq!(code(&layers(2, 10)), "good");
        for (n_layers, n_arms) in [(3, 60), (30, 2), (8, 1)] {
            assert_eq!(code(&layers(n_layers, n_arms)), "load:schema_cost", "{n_layers} {n_arms}");
        }
    }

    #[test]
    fn a_circle_in_one_place_is_refused_and_one_through_a_property_is_not() {
        for circle in [
            json!({"$ref": "#"}),
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}),
            json!({"not": {"$ref": "#"}}),
            json!({"if": {"allOf": [{"$ref": "#"}]}}),
        ] {
            assert_eq!(code(&circle), "load:schema_cost", "{circle}");
        }
        assert_eq!(
            code(&json!({"type": "object", "additionalProperties": false, "properties": {"next": {"$ref": "#"}}})),
            "good"
        );
    }

    #[test]
    fn what_reaches_one_part_twice_and_refers_back_is_refused() {
        let open = |rest: Value| {
            let mut schema = json!({"type": "object", "additionalProperties": true});
            rest.as_object()
                .into_iter()
                .flatten()
                .for_each(|(key, held)| drop(schema.as_object_mut().map(|s| s.insert(key.clone(), held.clone()))));
            schema
        };
        let a = || json!({"a": {"$ref": "#"}});
        for schema in [
            open(json!({"properties": a(), "patternProperties": {"^a": {"$ref": "#"}}})),
            open(json!({"anyOf": [{"properties": a()}, {"properties": a()}]})),
            open(json!({"properties": a(), "allOf": [{"properties": a()}]})),
            open(
                json!({"properties": a(), "$defs": {"x": {"properties": a(), "type": "object", "additionalProperties": true}}, "$ref": "#/$defs/x"}),
            ),
            open(
                json!({"properties": a(), "anyOf": [{"type": "object", "additionalProperties": {"$ref": "#"}}, true]}),
            ),
            json!({"items": {"$ref": "#"}, "contains": {"$ref": "#"}}),
            json!({"prefixItems": [{"$ref": "#"}], "unevaluatedItems": {"$ref": "#"}}),
        ] {
            assert_eq!(code(&schema), "load:schema_cost", "{schema}");
        }
    }

    #[test]
    fn what_reaches_one_part_twice_is_found_through_what_was_looked_at_before() {
        let closed =
            |properties: Value| json!({"type": "object", "additionalProperties": false, "properties": properties});
        let twice = json!({"$defs": {"n": closed(json!({"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/both"}})),
            "both": {"allOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}, "$ref": "#/$defs/n"});
        assert_eq!(code(&twice), "load:schema_cost");
        let keys: serde_json::Map<_, _> = (0..490).map(|nth| (format!("k{nth}"), json!({"$ref": "#"}))).collect();
        assert_eq!(code(&closed(keys.into())), "good");
    }

    #[test]
    fn ordinary_recursion_is_taken() {
        let closed = |properties: Value, required: Value| json!({"type": "object", "additionalProperties": false, "properties": properties, "required": required});
        let tree = closed(json!({"left": {"$ref": "#"}, "right": {"$ref": "#"}}), json!([]));
        let list = json!({"prefixItems": [{"type": "string"}], "items": {"$ref": "#"}});
        let terms = json!({"oneOf": [
            closed(json!({"op": {"const": "and"}, "args": {"type": "array", "items": {"$ref": "#"}}}), json!(["op"])),
            closed(json!({"op": {"const": "or"}, "args": {"type": "array", "items": {"$ref": "#"}}}), json!(["op"])),
            closed(json!({"op": {"const": "leaf"}}), json!(["op"])),
        ]});
        for schema in [tree, list, terms] {
            assert_eq!(code(&schema), "good", "{schema}");
        }
    }

    #[test]
    fn a_large_schema_for_many_values_is_measured() {
        let item = json!({"anyOf": (0..900).map(|n| json!({"const": n})).collect::<Vec<_>>()});
        let schema = Schema::compile(&json!({"type": "array", "items": item}).to_string()).expect("compiles");
        assert!((1_000..4_000).contains(&schema.most_values()), "{}", schema.most_values());
        let small =
            Schema::compile(&json!({"type": "array", "items": {"type": "string"}}).to_string()).expect("compiles");
        assert!(small.most_values() > 1_000_000);
    }

    #[test]
    fn what_meets_at_one_part_is_added_up_however_it_is_reached() {
        let items = json!({"type": "array", "items": {"type": "integer"}});
        let most = |schema: Value| Schema::compile_open(&schema.to_string()).expect("compiles").most_values();
        let arms = most(json!({"allOf": vec![items.clone(); 400]}));
        assert!((4_000..6_000).contains(&arms), "{arms}");
        let by_a_key = most(json!({"allOf": vec![json!({"properties": {"a": items}}); 400]}));
        assert!((4_000..6_000).contains(&by_a_key), "{by_a_key}");
        let apart: serde_json::Map<_, _> = (0..400).map(|nth| (format!("k{nth}"), items.clone())).collect();
        assert!(most(json!({ "properties": apart })) > 1_000_000);
        let distinct = most(json!({"allOf": vec![json!({"uniqueItems": true}); 400]}));
        assert!(distinct < 300, "{distinct}");
        assert!(most(json!({"uniqueItems": true})) > 90_000);
    }

    #[test]
    fn one_text_is_held_against_a_few_patterns_only() {
        let text = json!({"$defs": {"t": {"pattern": "^a"}}, "allOf": vec![json!({"$ref": "#/$defs/t"}); 21]});
        assert_eq!(code(&text), "load:schema_cost");
        let arm = json!({"properties": {"k": {"format": "date"}}, "additionalProperties": true});
        assert_eq!(code(&json!({"items": {"allOf": vec![arm.clone(); 21]}})), "load:schema_cost");
        assert_eq!(code(&json!({"items": {"allOf": vec![arm; 20]}})), "good");
        let apart: serde_json::Map<_, _> = (0..60).map(|nth| (format!("k{nth}"), json!({"pattern": "^a"}))).collect();
        assert_eq!(code(&json!({"properties": apart, "additionalProperties": false})), "good");
    }
}

//! Cost: what checking a value against a schema can cost, told before anything is built.
//!
//! Three ways to multiply are looked for: schemas that meet in one place, schemas that are reached twice for one part of a
//! value and so once more at every level below it, and a large schema held against many values. The figures come from
//! measurements of the validator: a step takes 3 to 5 ns, and two kilobytes of schema can ask for 2^30 of them.

use std::collections::HashMap;

use super::SchemaError;
use super::leaf::Leaves;
use super::program::{InPlace, LeafId, NodeId, Program, Rules};
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

/// What a check can cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// Once per document.
    root: u64,
    /// Once per value at most: the largest schema that is held against each item or each member.
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

impl Edge<'_> {
    /// Whether it is taken for any number of values.
    const fn is_repeated(self) -> bool {
        !matches!(self, Self::InPlace | Self::Key(_) | Self::Index(_))
    }
}

/// Measures a program, or says where it can grow out of all proportion.
pub(super) fn measure(program: &Program) -> Result<Cost, SchemaError> {
    check_in_place(program)?;
    let groups = circles(program);
    let mut members: HashMap<usize, Vec<NodeId>> = HashMap::new();
    for (node, group) in groups.iter().enumerate() {
        members.entry(*group).or_default().push(node);
    }
    let cost = Measure { program, groups: &groups, members, known: HashMap::new() }.measure();
    if cost.root > MAX_COST {
        return Err(error(program, 0, format!("one value can be held against more than {MAX_COST} schemas")));
    }
    Ok(cost)
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
}

impl Measure<'_> {
    fn measure(mut self) -> Cost {
        let root = self.cost(0);
        let mut per_value = 0;
        for node in 0..self.program.nodes.len() {
            for (edge, inner) in edges(self.program, node) {
                if edge.is_repeated() || self.is_same_circle(node, inner) {
                    per_value = self.cost(inner).max(per_value);
                }
            }
        }
        Cost { root, per_value }
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

/// A node's own steps: one, and the values it compares with.
fn own_cost(rules: &Rules) -> u64 {
    let n_values: usize = rules.permitted.iter().flatten().map(size).fold(0, usize::saturating_add);
    u64::try_from(n_values >> 3).unwrap_or(u64::MAX).saturating_add(1)
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
    let overlaps = Overlaps { program, groups: &groups, leaves };
    for node in 0..program.nodes.len() {
        if overlaps.taken_by(node).is_none() {
            let problem =
                "schemas that refer to each other reach one part of a value twice, and so once more at each level,";
            return Err(error(program, node, problem.to_owned()));
        }
    }
    Ok(())
}

struct Overlaps<'p> {
    program: &'p Program,
    groups: &'p [usize],
    leaves: &'p Leaves,
}

impl<'p> Overlaps<'p> {
    fn is_same_circle(&self, a: NodeId, b: NodeId) -> bool {
        self.groups.get(a) == self.groups.get(b)
    }

    /// The edges back into the circle of `node` that everything applied in its place takes, or `None` where two of them can be
    /// taken for one part. Ends because no circle is in place.
    fn taken_by(&self, node: NodeId) -> Option<Vec<Edge<'p>>> {
        self.taken(node, node)
    }

    fn taken(&self, circle_of: NodeId, node: NodeId) -> Option<Vec<Edge<'p>>> {
        let rules = self.program.rules(node)?;
        let mut taken = Vec::new();
        for (edge, _) in parts(node, rules).filter(|(_, inner)| self.is_same_circle(circle_of, *inner)) {
            self.add(&mut taken, edge)?;
        }
        let Some(in_place) = &rules.in_place else { return Some(taken) };
        for arms in self.groups_of_arms(in_place) {
            let mut of_arms: Vec<Edge<'p>> = Vec::new();
            for arm in arms.nodes {
                let edges = self.taken(circle_of, arm)?;
                if arms.are_exclusive {
                    of_arms.extend(edges.into_iter().filter(|edge| !of_arms.contains(edge)).collect::<Vec<_>>());
                } else {
                    edges.into_iter().try_for_each(|edge| self.add(&mut of_arms, edge))?;
                }
            }
            of_arms.into_iter().try_for_each(|edge| self.add(&mut taken, edge))?;
        }
        Some(taken)
    }

    /// The schemas in place, those of which only one can go on counted as one.
    fn groups_of_arms(&self, in_place: &InPlace) -> Vec<Arms> {
        let lists = [&in_place.any, &in_place.one]
            .map(|list| Arms { nodes: list.clone(), are_exclusive: self.are_exclusive(list) });
        let listed = |node: &NodeId| in_place.any.contains(node) || in_place.one.contains(node);
        let others =
            in_place.each().filter(|node| !listed(node)).map(|node| Arms { nodes: vec![node], are_exclusive: false });
        lists.into_iter().chain(others).collect()
    }

    /// Whether arms are told apart by one required property with another `const` in each.
    fn are_exclusive(&self, arms: &[NodeId]) -> bool {
        let tags: Vec<Vec<(&str, &serde_json::Value)>> = arms.iter().map(|arm| self.tags(*arm)).collect();
        let Some(first) = tags.first() else { return false };
        first.iter().any(|(key, _)| {
            let values: Option<Vec<&serde_json::Value>> =
                tags.iter().map(|tags| tags.iter().find(|(other, _)| other == key).map(|(_, value)| *value)).collect();
            values.is_some_and(|values| {
                values
                    .iter()
                    .enumerate()
                    .all(|(nth, value)| !values.iter().skip(nth.saturating_add(1)).any(|other| other == value))
            })
        })
    }

    /// The required properties of a schema that hold one constant.
    fn tags(&self, node: NodeId) -> Vec<(&'p str, &'p serde_json::Value)> {
        let Some(rules) = self.program.rules(node) else { return Vec::new() };
        if let Some(reference) = rules.in_place.as_ref().and_then(|held| held.reference) {
            return self.tags(reference);
        }
        let Some(object) = &rules.object else { return Vec::new() };
        let required = object.properties.iter().filter(|(key, _)| object.required.contains(key));
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

    fn add(&self, taken: &mut Vec<Edge<'p>>, edge: Edge<'p>) -> Option<()> {
        if taken.iter().any(|other| self.overlap(*other, edge)) {
            return None;
        }
        taken.push(edge);
        Some(())
    }

    /// Whether one part of a value can be reached by both.
    fn overlap(&self, a: Edge<'p>, b: Edge<'p>) -> bool {
        match (a, b) {
            (Edge::Key(a), Edge::Key(b)) => a == b,
            (Edge::Key(key), Edge::Pattern(pattern)) | (Edge::Pattern(pattern), Edge::Key(key)) => {
                self.leaves.matches(pattern, key)
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

    fn declares(&self, node: NodeId, key: &str) -> bool {
        let object = self.program.rules(node).and_then(|rules| rules.object.as_ref());
        object.is_some_and(|object| {
            object.property(key).is_some()
                || object.patterns.iter().any(|(pattern, _)| self.leaves.matches(*pattern, key))
        })
    }

    fn has_pattern(&self, node: NodeId, pattern: LeafId) -> bool {
        let object = self.program.rules(node).and_then(|rules| rules.object.as_ref());
        object.is_some_and(|object| object.patterns.iter().any(|(own, _)| *own == pattern))
    }
}

struct Arms {
    nodes: Vec<NodeId>,
    are_exclusive: bool,
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
}

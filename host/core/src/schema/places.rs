//! Places: of which types the values at a place of a document are, as far as its schema says.
//!
//! For promises that name places: they have to be declared by name, since what a schema merely lets pass is no promise.
//! Types are told from above: what is left out can never be there, what is said may be.

use std::collections::HashMap;

use serde_json::Value;

use super::program::{InPlace, NodeId, Program, Rules, Types};
use crate::json::{Num, Pointer, index};

impl Program {
    /// The types that a value of this schema may have. Ends because no circle is in place.
    pub(super) fn kinds(&self, node: NodeId) -> Types {
        let Some(rules) = self.rules(node) else { return Types::ALL };
        if rules.is_never {
            return Types::default();
        }
        let own = rules.types.map_or(Types::ALL, Types::with_whole_numbers);
        let own = rules.permitted.iter().fold(own, |kinds, permitted| kinds.and(kinds_of(permitted)));
        let Some(in_place) = &rules.in_place else { return own };
        let own = conjuncts(in_place).fold(own, |kinds, node| kinds.and(self.kinds(node)));
        [&in_place.any, &in_place.one].into_iter().filter(|arms| !arms.is_empty()).fold(own, |kinds, arms| {
            kinds.and(arms.iter().fold(Types::default(), |either, arm| either.or(self.kinds(*arm))))
        })
    }

    /// The types of the values at a place; nothing where it is not declared by name.
    pub(super) fn kinds_at(&self, place: &Pointer) -> Option<Types> {
        Search { program: self, steps: place.steps(), is_open: false, known: HashMap::new() }.at(0, 0)
    }

    /// Whether a value can stand at a place, declared by name or let in by a schema that is there for keys without one.
    pub(super) fn lets(&self, place: &Pointer) -> bool {
        let search = Search { program: self, steps: place.steps(), is_open: true, known: HashMap::new() }.at(0, 0);
        search.is_some_and(|kinds| !kinds.is_empty())
    }
}

/// The schemas in place that hold whatever the value is.
fn conjuncts(in_place: &InPlace) -> impl Iterator<Item = NodeId> {
    in_place.reference.into_iter().chain(in_place.all.iter().copied())
}

struct Search<'s> {
    program: &'s Program,
    steps: &'s [String],
    /// Whether keys without a name count.
    is_open: bool,
    /// What is known of a schema and a step: definitions may be used in several places.
    known: HashMap<(NodeId, usize), Option<Types>>,
}

impl Search<'_> {
    /// What is at the steps from `nth` on, in values of this schema.
    fn at(&mut self, node: NodeId, nth: usize) -> Option<Types> {
        let Some(step) = self.steps.get(nth) else { return Some(self.program.kinds(node)) };
        if let Some(known) = self.known.get(&(node, nth)) {
            return *known;
        }
        let rules = self.program.rules(node)?;
        if self.is_open && rules.say_nothing() {
            return Some(Types::ALL);
        }
        let unnamed = || unnamed(rules).filter(|node| self.is_open && !self.program.is_never(Some(*node)));
        let next = part(rules, step).or_else(unnamed);
        let mut found = next.and_then(|part| self.at(part, nth.saturating_add(1)));
        if let Some(in_place) = &rules.in_place {
            for inner in conjuncts(in_place) {
                found = both(found, self.at(inner, nth));
            }
            for arms in [&in_place.any, &in_place.one] {
                found = both(found, self.either(arms.iter().copied(), nth));
            }
            // What holds under a condition narrows nothing for all values, but it declares.
            let condition = in_place.condition.as_ref().into_iter().flat_map(|held| [held.then, held.otherwise]);
            let dependent = in_place.dependent.iter().map(|(_, node)| *node);
            found = found.or(self.either(condition.flatten().chain(dependent), nth));
        }
        self.known.insert((node, nth), found);
        found
    }

    fn either(&mut self, arms: impl Iterator<Item = NodeId>, nth: usize) -> Option<Types> {
        arms.filter_map(|arm| self.at(arm, nth)).reduce(Types::or)
    }
}

fn both(a: Option<Types>, b: Option<Types>) -> Option<Types> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.and(b)),
        (a, b) => a.or(b),
    }
}

/// The schema of a property or an item.
fn part(rules: &Rules, step: &str) -> Option<NodeId> {
    let property = rules.object.as_ref().and_then(|object| object.property(step));
    property.or_else(|| {
        let (list, nth) = (rules.list.as_ref()?, index(step)?);
        list.prefix.get(nth).copied().or(list.items)
    })
}

/// The schema of properties that no name is declared for, where there is one for some of them.
fn unnamed(rules: &Rules) -> Option<NodeId> {
    let object = rules.object.as_ref()?;
    let patterns = object.patterns.iter().map(|(_, node)| *node);
    patterns.chain(object.additional).chain(object.unevaluated).next()
}

fn kinds_of(permitted: &[Value]) -> Types {
    permitted.iter().fold(Types::default(), |kinds, value| kinds.or(Types::of_value(value)))
}

impl Types {
    /// The type of a value; a whole number is an integer, however it is written.
    pub(crate) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if Num::of_number(number).is_whole() => Self::INTEGER,
            Value::Number(_) => Self::NUMBER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::json::Pointer;
    use crate::schema::Schema;

    fn names(schema: &Value, place: &str) -> Option<Vec<&'static str>> {
        let schema = Schema::compile_open(&schema.to_string()).expect("compiles");
        schema.kinds_at(&Pointer::parse(place).expect("reads")).map(|kinds| kinds.names())
    }

    #[test]
    fn a_place_is_found_through_references_alternatives_and_lists() {
        let schema = json!({
            "$ref": "#/$defs/page",
            "$defs": {
                "page": {
                    "properties": {
                        "rows": {"$ref": "#/$defs/rows"},
                        "either": {"anyOf": [{"$ref": "#/$defs/rows"}, {"type": "null"}]},
                        "limit": {"type": ["integer", "string"], "enum": [1, 2]},
                        "next": {"$ref": "#/$defs/page"},
                        "a/b": {"const": 1.5}
                    },
                    "allOf": [{"properties": {"limit": {"type": "number"}, "more": {"type": "boolean"}}}],
                    "additionalProperties": {"type": "string"}
                },
                "rows": {"type": "array", "prefixItems": [{"type": "null"}], "items": {"properties": {"sku": {"type": "string"}}}}
            }
        });
        for (place, kinds) in [
            ("/rows", Some(vec!["array"])),
            ("/either", Some(vec!["array", "null"])),
            ("/limit", Some(vec!["integer"])),
            ("/more", Some(vec!["boolean"])),
            ("/a~1b", Some(vec!["number"])),
            ("/next/next/rows", Some(vec!["array"])),
            ("/rows/0", Some(vec!["null"])),
            ("/rows/7/sku", Some(vec!["string"])),
            ("/rows/x", None),
            ("/other", None),
            ("/limit/x", None),
        ] {
            assert_eq!(names(&schema, place), kinds, "{place}");
        }
        assert_eq!(names(&schema, "").map(|kinds| kinds.len()), Some(7));
    }

    #[test]
    fn a_value_can_stand_where_it_is_declared_or_where_an_object_is_open() {
        let schema = json!({
            "properties": {
                "labels": {"additionalProperties": {"type": "string"}},
                "any": true,
                "closed": {"properties": {"a": {"type": "string"}}, "additionalProperties": false},
                "patterned": {"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}
            },
            "allOf": [{"properties": {"more": {"type": "boolean"}}}],
            "unevaluatedProperties": false
        });
        let schema = Schema::compile_open(&schema.to_string()).expect("compiles");
        for (place, stands) in [
            ("/labels/team", true),
            ("/labels/team/x", false),
            ("/any/thing/at/all", true),
            ("/closed/a", true),
            ("/closed/b", false),
            ("/patterned/x-1", true),
            ("/more", true),
            ("/less", false),
        ] {
            assert_eq!(schema.lets(&Pointer::parse(place).expect("reads")), stands, "{place}");
        }
    }

    #[test]
    fn definitions_that_multiply_are_looked_at_once() {
        let mut definitions = serde_json::Map::new();
        for (layer, next) in (0..30).zip(1..) {
            let arm = json!({"properties": {"a": {"$ref": format!("#/$defs/d{next}")}}});
            definitions.insert(format!("d{layer}"), json!({"anyOf": [arm, arm]}));
        }
        definitions.insert("d30".to_owned(), json!({"type": "string"}));
        let schema = json!({"$defs": definitions, "$ref": "#/$defs/d0"});
        if let Ok(schema) = Schema::compile_open(&schema.to_string()) {
            let place = Pointer::parse(&"/a".repeat(30)).expect("reads");
            assert_eq!(schema.kinds_at(&place).map(|kinds| kinds.names()), Some(vec!["string"]));
        }
    }
}

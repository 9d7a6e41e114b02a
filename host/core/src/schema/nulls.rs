//! Nulls: the keys that came as `null` because a strict declaration wants every key.
//!
//! A provider's strict mode has no optional keys, so a lowered schema requires all of them and lets the optional ones be
//! `null`. Only where the tool's own schema refuses `null` does it stand for an absent key.

use std::collections::BTreeSet;

use super::explain::{Parts, fits};
use super::program::{NodeId, ObjectRules};
use crate::field_path::{FieldPath, Segment};
use crate::json::{Item, Kind, Object};

/// Most keys that are left out. A strict declaration has a few dozen optional keys for each of a few rows.
const MAX_NULLS: usize = 10_000;

/// The places of optional keys that are `null` where the schema refuses it.
pub(super) fn refused(parts: Parts<'_>, item: Item<'_>) -> Vec<FieldPath> {
    let mut search = Search { parts, path: Vec::new(), found: Vec::new(), places: BTreeSet::new() };
    search.visit(0, item);
    search.found
}

struct Search<'s> {
    parts: Parts<'s>,
    path: Vec<Segment>,
    found: Vec<FieldPath>,
    places: BTreeSet<usize>,
}

impl Search<'_> {
    fn visit(&mut self, node: NodeId, item: Item<'_>) {
        let Some(rules) = self.parts.program.rules(node) else { return };
        match (item.kind(), &rules.object, &rules.list) {
            (Kind::Object(object), Some(held), _) => self.visit_members(held, object),
            (Kind::List(list), _, Some(held)) => {
                for (nth, part) in list.items().enumerate() {
                    if let Some(schema) = held.prefix.get(nth).copied().or(held.items) {
                        self.visit_part(Segment::Index(nth), schema, part);
                    }
                }
            }
            _ => {}
        }
        let inner: Vec<NodeId> = rules.in_place.iter().flat_map(|in_place| in_place.each()).collect();
        inner.into_iter().for_each(|schema| self.visit(schema, item));
    }

    fn visit_members(&mut self, held: &ObjectRules, object: Object<'_>) {
        for (name, value) in object.members() {
            let key = name.as_text().unwrap_or_default();
            let Some(schema) = held.property(key) else { continue };
            let is_optional = !held.required.iter().any(|required| **required == *key);
            if !matches!(value.kind(), Kind::Null) {
                self.visit_part(Segment::Key(key.to_owned()), schema, value);
            } else if is_optional && self.found.len() < MAX_NULLS && !fits(self.parts, schema, value) {
                self.note(key, value.place());
            }
        }
    }

    fn visit_part(&mut self, step: Segment, schema: NodeId, item: Item<'_>) {
        self.path.push(step);
        self.visit(schema, item);
        self.path.pop();
    }

    /// Two schemas in one place may both declare the key.
    fn note(&mut self, key: &str, place: usize) {
        if self.places.insert(place) {
            let here = self.path.iter().cloned().chain([Segment::Key(key.to_owned())]);
            self.found.push(FieldPath::from_segments(here.collect()));
        }
    }
}

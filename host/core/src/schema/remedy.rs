//! Remedy: what a schema itself offers in place of a value: its default, the nearest number in bounds, the nearest permitted
//! value.
//!
//! Offers only. Whether the whole fits with it is for the verdict to say, and whether anybody wants it is not known here.

use std::cmp::Ordering;

use serde_json::Value;

use super::explain::Broken;
use super::program::{Bound, Rules, Types};
use super::violation::Misfit;
use super::{Schema, refs};
use crate::json::{Item, Kind, Num, Pointer, index};
use crate::near::nearest;

impl Misfit {
    /// The nearest number that the broken bounds let through; nothing where another rule is broken, or where there is no
    /// nearest one (above a fraction there is always a nearer one).
    pub(crate) fn clamped(&self) -> Option<Value> {
        let (rules, Kind::Number(got)) = (self.broken_number()?, self.got().kind()) else { return None };
        rules.numbers.iter().find_map(|rule| {
            let bound = match (rule.kind, got.compare(rule.bound)) {
                (Bound::Least, Ordering::Less) | (Bound::Most, Ordering::Greater) => Some(rule.bound),
                (Bound::Above, Ordering::Less | Ordering::Equal) => beside(rules, rule.bound, 1),
                (Bound::Below, Ordering::Greater | Ordering::Equal) => beside(rules, rule.bound, -1),
                (Bound::Least | Bound::Most | Bound::Above | Bound::Below | Bound::Step, _) => None,
            };
            bound.map(|bound| Value::Number(bound.to_number()))
        })
    }

    /// The permitted value nearest to what came: of texts the one that was probably meant, of numbers the one with the least
    /// difference. Nothing where another rule is broken, or none is near.
    pub(crate) fn nearest_permitted(&self) -> Option<Value> {
        let Some(Broken::Permitted { node, nth }) = self.broken() else { return None };
        let permitted = self.schema().program.rules(*node)?.permitted.get(*nth)?;
        near_value(permitted, self.got())
    }

    fn broken_number(&self) -> Option<&Rules> {
        match self.broken() {
            Some(Broken::Number { node, nth: _ }) => self.schema().program.rules(*node),
            _ => None,
        }
    }
}

/// The integer next to a bound that is itself out; only among integers there is one.
fn beside(rules: &Rules, bound: Num, step: i128) -> Option<Num> {
    let is_integer = rules.types == Some(Types::INTEGER);
    let next = bound.as_i128().filter(|_| is_integer)?.checked_add(step)?;
    u64::try_from(next).map(Num::Whole).or_else(|_| i64::try_from(next).map(Num::Negative)).ok()
}

fn near_value(permitted: &[Value], got: Item<'_>) -> Option<Value> {
    match got.kind() {
        Kind::Text(said) => {
            let texts = permitted.iter().filter_map(Value::as_str);
            nearest(said, texts).map(Value::from)
        }
        Kind::Number(number) => {
            let off = |value: &Value| (value.as_f64().unwrap_or_default() - number.as_f64()).abs();
            permitted.iter().filter(|value| value.is_number()).min_by(|a, b| off(a).total_cmp(&off(b))).cloned()
        }
        Kind::Null | Kind::Bool(_) | Kind::List(_) | Kind::Object(_) => None,
    }
}

impl Schema {
    /// The `default` that the schema has for a place; nothing where it has none.
    pub(crate) fn default_at(&self, place: &Pointer) -> Option<Value> {
        let root: Value = serde_json::from_str(self.text()).ok()?;
        let mut looked_at = Vec::new();
        default_in(&root, &root, place.steps(), &mut looked_at).cloned()
    }
}

/// Looks in a schema, and in those that are applied to the very value it is applied to. Ends because each is looked at once
/// with the same steps left.
fn default_in<'v>(
    root: &'v Value,
    schema: &'v Value,
    steps: &[String],
    looked_at: &mut Vec<(*const Value, usize)>,
) -> Option<&'v Value> {
    let key = (std::ptr::from_ref(schema), steps.len());
    if looked_at.contains(&key) {
        return None;
    }
    looked_at.push(key);
    let own = match steps.split_first() {
        None => schema.get("default"),
        Some((step, rest)) => part(schema, step).and_then(|part| default_in(root, part, rest, looked_at)),
    };
    let reference = || schema.get("$ref").and_then(Value::as_str).and_then(|to| refs::resolve(root, to));
    let mut found = own.or_else(|| default_in(root, reference()?, steps, looked_at));
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for arm in schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            found = found.or_else(|| default_in(root, arm, steps, looked_at));
        }
    }
    found
}

/// The schema of a property or an item.
fn part<'v>(schema: &'v Value, step: &str) -> Option<&'v Value> {
    let property = schema.get("properties").and_then(|properties| properties.get(step));
    property.or_else(|| {
        let nth = index(step)?;
        schema.get("prefixItems").and_then(|items| items.get(nth)).or_else(|| schema.get("items"))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use crate::json::{Json, Pointer};
    use crate::schema::{Misfit, Schema};

    fn misfit(schema: &Value, value: &Value) -> Misfit {
        let schema = Arc::new(Schema::compile_open(&schema.to_string()).expect("compiles"));
        assert!(!schema.accepts(value), "{value} does not fit");
        schema.misfit(Json::of_value(value))
    }

    #[test]
    fn a_number_is_clamped_to_the_bound_that_it_breaks() {
        let integer = json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 10});
        for (value, clamped) in [(json!(0), Some(json!(1))), (json!(-7), Some(json!(1))), (json!(10), Some(json!(9)))] {
            assert_eq!(misfit(&integer, &value).clamped(), clamped, "{value}");
        }
        let number = json!({"type": "number", "minimum": 0.5, "exclusiveMaximum": 10, "multipleOf": 0.25});
        for (value, clamped) in [(json!(0.25), Some(json!(0.5))), (json!(11), None), (json!(0.6), None)] {
            assert_eq!(misfit(&number, &value).clamped(), clamped, "{value}");
        }
        let largest = json!({"type": "integer", "minimum": u64::MAX});
        assert_eq!(misfit(&largest, &json!(3)).clamped(), Some(json!(u64::MAX)));
        assert_eq!(misfit(&integer, &json!("x")).clamped(), None);
    }

    #[test]
    fn the_nearest_permitted_value_is_one_that_was_probably_meant() {
        let names = json!({"enum": ["busan", "jeju", "seoul", 3, null]});
        for (value, near) in [
            (json!("Seuol"), Some(json!("seoul"))),
            (json!("atlantis"), None),
            (json!(5), Some(json!(3))),
            (json!([]), None),
        ] {
            assert_eq!(misfit(&names, &value).nearest_permitted(), near, "{value}");
        }
        assert_eq!(misfit(&json!({"minimum": 1}), &json!(0)).nearest_permitted(), None);
    }

    #[test]
    fn a_default_is_found_through_references_and_alternatives() {
        let schema = json!({
            "type": "object",
            "properties": {
                "region": {"$ref": "#/$defs/region"},
                "limit": {"anyOf": [{"type": "integer", "default": 2}, {"type": "null"}]},
                "none": {"type": "string"},
                "rows": {"type": "array", "items": {"type": "object", "properties": {"qty": {"type": "integer", "default": 1}}}},
                "next": {"$ref": "#"}
            },
            "$defs": {"region": {"type": "string", "default": "seoul"}}
        });
        let schema = Schema::compile_open(&schema.to_string()).expect("compiles");
        for (place, default) in [
            ("/region", Some(json!("seoul"))),
            ("/limit", Some(json!(2))),
            ("/rows/4/qty", Some(json!(1))),
            ("/next/next/limit", Some(json!(2))),
            ("/none", None),
            ("/other", None),
            ("", None),
        ] {
            assert_eq!(schema.default_at(&Pointer::parse(place).expect("reads")), default, "{place}");
        }
    }
}

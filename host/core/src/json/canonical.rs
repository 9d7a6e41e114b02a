//! Canonical: one text per value, so that two calls can be told to be the same.
//!
//! Keys stand in the byte order of their UTF-8, integers digit for digit, fractions in the shortest form that is read back as
//! the same double, texts as they are: nothing is normalised, and only what JSON must escape is escaped. When in doubt two
//! values differ (`1` and `1.0` do): a needless difference is slow, a wrong sameness is incorrect. RFC 8785 is not enough
//! for that, since its numbers are doubles and `9007199254740993` would be its neighbour.

use std::io::Write;

use super::{Item, Json, Kind, Num};

impl Json {
    /// The document's value, written the one way it has.
    pub(crate) fn canonical(&self) -> String {
        let mut out = Vec::with_capacity(self.text.len());
        print(self.root(), &mut out);
        String::from_utf8(out).expect("JSON is written to it, and nothing else")
    }
}

/// Recursive, as everything that walks a value: what reads documents bounds their depth.
fn print(item: Item<'_>, out: &mut Vec<u8>) {
    match item.kind() {
        Kind::Null => out.extend(b"null"),
        Kind::Bool(said) => out.extend_from_slice(if said { b"true" } else { b"false" }),
        Kind::Number(number) => print_number(number, out),
        Kind::Text(text) => print_text(text, out),
        Kind::List(list) => {
            out.push(b'[');
            for (idx, item) in list.items().enumerate() {
                separate(idx, out);
                print(item, out);
            }
            out.push(b']');
        }
        Kind::Object(object) => {
            let mut members: Vec<(&str, Item<'_>)> =
                object.members().map(|(key, value)| (key.as_text().unwrap_or_default(), value)).collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            out.push(b'{');
            for (idx, (key, value)) in members.into_iter().enumerate() {
                separate(idx, out);
                print_text(key, out);
                out.push(b':');
                print(value, out);
            }
            out.push(b'}');
        }
    }
}

fn separate(idx: usize, out: &mut Vec<u8>) {
    if idx > 0 {
        out.push(b',');
    }
}

fn print_number(number: Num, out: &mut Vec<u8>) {
    // Adding zero turns -0 into 0 and leaves every other double as it is.
    let number = match number {
        Num::Double(double) => Num::Double(double + 0.0),
        Num::Negative(_) | Num::Whole(_) => number,
    };
    write!(out, "{}", number.to_number()).expect("writing to memory cannot fail");
}

fn print_text(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("text is written to memory");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use crate::gate::DEFAULT_DEPTH;
    use crate::json::{Json, JsonLimits, read};

    fn canonical(text: &str) -> String {
        let (json, _) = read(text.to_owned(), &JsonLimits::deep(DEFAULT_DEPTH)).expect(text);
        json.canonical()
    }

    #[test]
    fn what_differs_for_anybody_differs() {
        for (one, other) in [
            ("1", "1.0"),
            ("9007199254740992", "9007199254740993"),
            ("18446744073709551615", "18446744073709551614"),
            ("1.5", "1.4999999999999998"),
            ("\"\u{e9}\"", "\"e\u{301}\""),
            ("{}", r#"{"a":null}"#),
            (r#"["ab","c"]"#, r#"["a","bc"]"#),
            ("[1,2]", "[2,1]"),
            ("[]", "{}"),
            ("\"1\"", "1"),
            ("null", "\"null\""),
            ("true", "\"true\""),
            (r#"{"a":{"b":1}}"#, r#"{"a":{},"b":1}"#),
            (r#"{"a\":1,\"b":2}"#, r#"{"a":1,"b":2}"#),
        ] {
            assert_ne!(canonical(one), canonical(other), "{one} and {other}");
        }
    }

    #[test]
    fn what_is_only_written_differently_agrees() {
        for (one, other) in [
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
            (r#"{"a":[1,{"c":1,"b":2}]}"#, " { \"a\" : [ 1 , {\"b\":2,\n\"c\":1} ] } "),
            (r#""\/""#, r#""/""#),
            (r#""\u0061""#, r#""a""#),
            (r#""\ud83d\ude00""#, "\"\u{1f600}\""),
            ("1.50", "1.5"),
            ("1e2", "100.0"),
            ("-0", "0"),
            ("-0.0", "0.0"),
            ("0.1", "1e-1"),
        ] {
            assert_eq!(canonical(one), canonical(other), "{one} and {other}");
        }
        assert_eq!(canonical(r#"{"é":1,"z":2,"a":3}"#), r#"{"a":3,"z":2,"é":1}"#, "bytes, not letters");
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (0_u64..4).prop_map(Value::from),
            (-4_i32..4).prop_map(|halves| json!(f64::from(halves) / 2.0)),
            any::<f64>().prop_filter("a number of JSON", |double| double.is_finite()).prop_map(Value::from),
            "[ab\\\\\"é\u{1}]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[ab]{0,2}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    /// The value as text, its keys the other way round and white space between its parts.
    fn backwards(value: &Value) -> String {
        match value {
            Value::Array(items) => format!("[ {} ]", items.iter().map(backwards).collect::<Vec<_>>().join(" ,")),
            Value::Object(members) => {
                let member = |(key, value): (&String, &Value)| format!("{} : {}", json!(key), backwards(value));
                format!("{{ {} }}", members.iter().rev().map(member).collect::<Vec<_>>().join("\n,"))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
        }
    }

    /// Whether two values are the same for us: numbers by kind and value, members in any order.
    fn same(one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Number(a), Value::Number(b)) => a.is_f64() == b.is_f64() && a == b,
            (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
            }
            _ => one == other,
        }
    }

    #[test]
    fn one_value_has_one_text_and_one_text_has_one_value() {
        let config = ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(one in any_value(), other in any_value())| {
            let text = Json::of_value(&one).canonical();
            let again: Value = serde_json::from_str(&text).expect("canonical text is JSON");
            prop_assert!(same(&one, &again), "{} and {}", one, again);
            prop_assert_eq!(same(&one, &other), text == Json::of_value(&other).canonical());
            if let Ok((json, _)) = read(backwards(&one), &JsonLimits::deep(DEFAULT_DEPTH)) {
                prop_assert_eq!(&json.canonical(), &text);
            }
        });
    }
}

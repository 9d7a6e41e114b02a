//! JSON: the strict reader in front of everything a model or a guest sends as text.
//!
//! Builds a `serde_json::Value` in one pass and turns away what a lenient reader would quietly change: a repeated key
//! (the last would win), nesting deep enough to exhaust a stack, text that is not Unicode. Knows neither calls nor
//! results: `gate` and `check` give its faults their codes.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::field_path::{FieldPath, Segment};
use crate::units::Depth;

/// What is wrong with a text that should be one JSON value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// It ends inside a value.
    #[error("it ends inside a value")]
    Truncated,
    /// It breaks the grammar.
    #[error("{problem} at byte {at}")]
    Syntax {
        /// Where, in bytes from the start.
        at: usize,
        /// The rule, in the words of the parser.
        problem: String,
    },
    /// Arrays and objects stand deeper inside each other than allowed.
    #[error("it is nested deeper than {max}")]
    TooDeep {
        /// The most allowed.
        max: Depth,
    },
    /// An object has one key twice.
    #[error("`{at}` stands twice in one object")]
    DuplicateKey {
        /// The path of the key.
        at: FieldPath,
    },
    /// A number that no 64-bit integer or float can hold.
    #[error("the number at `{at}` cannot be held")]
    InexactNumber {
        /// The path of the number.
        at: FieldPath,
    },
    /// A lone surrogate or bytes that are not UTF-8.
    #[error("it holds text that is not Unicode")]
    BadText,
}

/// Reads exactly one value.
///
/// Agrees with `serde_json::from_slice::<Value>` on everything it accepts.
///
/// # Errors
/// The first fault in reading order.
pub(crate) fn read(text: &[u8], max_depth: Depth) -> Result<Value, Fault> {
    let mut trail = Trail { found: None, outward: Vec::new() };
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let seed = ValueSeed { trail: &mut trail, room: max_depth.get(), max_depth };
    match seed.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value)) {
        Ok(value) => Ok(value),
        Err(error) => Err(trail.into_fault(text, &error)),
    }
}

/// What a failed read leaves behind: the fault where the reader named one, and the way from it to the root.
struct Trail {
    found: Option<Found>,
    outward: Vec<Segment>,
}

/// A fault the reader saw itself, before the path to it is known.
enum Found {
    TooDeep(Depth),
    DuplicateKey,
}

impl Trail {
    fn into_fault(mut self, text: &[u8], error: &serde_json::Error) -> Fault {
        self.outward.reverse();
        let at = FieldPath::from_segments(self.outward);
        match self.found {
            Some(Found::TooDeep(max)) => Fault::TooDeep { max },
            Some(Found::DuplicateKey) => Fault::DuplicateKey { at },
            None if error.is_eof() => Fault::Truncated,
            None => by_message(text, error, at),
        }
    }
}

/// The parser has no public error kinds, so its messages are read here, in one place, and pinned by a test.
fn by_message(text: &[u8], error: &serde_json::Error, at: FieldPath) -> Fault {
    let said = error.to_string();
    let problem = said.split(" at line ").next().unwrap_or(&said).to_owned();
    match problem.as_str() {
        "number out of range" => Fault::InexactNumber { at },
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" | "invalid unicode code point" => {
            Fault::BadText
        }
        _ => Fault::Syntax { at: byte_offset(text, error.line(), error.column()), problem },
    }
}

/// The parser counts lines from 1 and columns in bytes; a caller wants bytes from the start.
fn byte_offset(text: &[u8], line: usize, column: usize) -> usize {
    let lines_before = line.saturating_sub(1);
    let start = match lines_before.checked_sub(1) {
        None => 0,
        Some(nth) => text
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .nth(nth)
            .map_or(0, |(at, _)| at.saturating_add(1)),
    };
    start.saturating_add(column).saturating_sub(1).min(text.len())
}

/// Builds one value with `room` levels left below it.
struct ValueSeed<'t> {
    trail: &'t mut Trail,
    room: u32,
    max_depth: Depth,
}

impl ValueSeed<'_> {
    /// The seed for what stands inside an array or object, or the fault of standing too deep.
    fn inside<E: serde::de::Error>(&mut self) -> Result<u32, E> {
        self.room.checked_sub(1).ok_or_else(|| {
            self.trail.found = Some(Found::TooDeep(self.max_depth));
            E::custom("too deep")
        })
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Value, A::Error> {
        let room = self.inside()?;
        let mut items = Vec::new();
        loop {
            let seed = ValueSeed { trail: self.trail, room, max_depth: self.max_depth };
            match seq.next_element_seed(seed) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => return Ok(Value::Array(items)),
                Err(error) => {
                    self.trail.outward.push(Segment::Index(items.len()));
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Value, A::Error> {
        let room = self.inside()?;
        let mut members = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let seed = ValueSeed { trail: self.trail, room, max_depth: self.max_depth };
            let value = match map.next_value_seed(seed) {
                Ok(value) => value,
                Err(error) => {
                    self.trail.outward.push(Segment::Key(key));
                    return Err(error);
                }
            };
            match members.entry(key) {
                serde_json::map::Entry::Vacant(free) => {
                    free.insert(value);
                }
                serde_json::map::Entry::Occupied(taken) => {
                    self.trail.found = Some(Found::DuplicateKey);
                    self.trail.outward.push(Segment::Key(taken.key().clone()));
                    return Err(A::Error::custom("duplicate key"));
                }
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Fault, read};
    use crate::units::Depth;

    fn fault(text: &[u8]) -> Fault {
        read(text, Depth::new(4)).expect_err("is refused")
    }

    #[test]
    fn it_reads_what_serde_json_reads() {
        for text in
            [r#"{"a":[1,-2,3.5,true,null,"xA\n"]}"#, "18446744073709551615", "-9223372036854775808", " [] ", "1e3"]
        {
            assert_eq!(read(text.as_bytes(), Depth::new(4)), Ok(serde_json::from_str::<Value>(text).expect("reads")));
        }
        assert_eq!(read(b"[[[[1]]]]", Depth::new(4)), Ok(json!([[[[1]]]])));
    }

    #[test]
    fn every_fault_is_told_apart_with_its_place() {
        assert_eq!(fault(br#"{"a":[1,{"b":2"#), Fault::Truncated);
        assert_eq!(fault(b"\"abc"), Fault::Truncated);
        assert_eq!(fault(b"[[[[[1]]]]]"), Fault::TooDeep { max: Depth::new(4) });
        let duplicate = fault(br#"{"rows":[{"q":1},{"q":1,"\u0071":2}]}"#);
        assert!(matches!(&duplicate, Fault::DuplicateKey { at } if at.to_string() == "rows.1.q"), "{duplicate:?}");
        let inexact = fault(br#"{"a":{"b":1e400}}"#);
        assert!(matches!(&inexact, Fault::InexactNumber { at } if at.to_string() == "a.b"), "{inexact:?}");
        for text in [br#"{"a":"\ud800"}"#.as_slice(), br#"{"a":"\ud800x"}"#, br#"{"a":"\udc00"}"#, b"{\"a\":\"\xff\"}"]
        {
            assert_eq!(fault(text), Fault::BadText, "{}", String::from_utf8_lossy(text));
        }
        for (text, offset) in [("{\"a\":1,}", 7), ("{\n\"a\": 01}", 8), ("nul", 3), ("{'a':1}", 1), ("{} {}", 3)] {
            match fault(text.as_bytes()) {
                Fault::Syntax { at, problem: _ } => assert_eq!(at, offset, "{text}"),
                Fault::Truncated if text == "nul" => {}
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn depth_far_beyond_the_bound_neither_overflows_nor_waits() {
        let text = "[".repeat(1_000_000);
        assert_eq!(fault(text.as_bytes()), Fault::TooDeep { max: Depth::new(4) });
    }
}

//! Rules: what the strict reader turns away of what `serde_json` takes, found in another way than the reader finds it.
//!
//! Goes down a document with `RawValue`s and compares numbers digit by digit. Slow, and nothing here is shared with the
//! library but the bounds.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use toolgate::{DEFAULT_DEPTH, MAX_NODES, MAX_NUMBER, MAX_STRING};

/// The first rule that a text breaks, if it breaks any. Only for a text that `serde_json` reads.
pub(crate) fn broken(text: &str) -> Option<&'static str> {
    let root: &RawValue = serde_json::from_str(text).ok()?;
    Look { n_nodes: 0 }.at(root, 0).err()
}

struct Look {
    n_nodes: usize,
}

impl Look {
    fn at(&mut self, value: &RawValue, depth: u32) -> Result<(), &'static str> {
        self.count()?;
        let inner = depth.saturating_add(1);
        match value.get().bytes().next() {
            Some(b'{') => {
                check_depth(inner)?;
                let Members(members) = part(value)?;
                let mut keys = BTreeSet::new();
                for (key, member) in members {
                    self.count()?;
                    check_text(&key)?;
                    if !keys.insert(key) {
                        return Err("one key twice");
                    }
                    self.at(member, inner)?;
                }
                Ok(())
            }
            Some(b'[') => {
                check_depth(inner)?;
                let items: Vec<&RawValue> = part(value)?;
                items.into_iter().try_for_each(|item| self.at(item, inner))
            }
            Some(b'"') => check_text(&part::<Cow<'_, str>>(value)?),
            Some(b'-' | b'0'..=b'9') => check_number(value.get()),
            _ => Ok(()),
        }
    }

    fn count(&mut self) -> Result<(), &'static str> {
        self.n_nodes = self.n_nodes.saturating_add(1);
        if self.n_nodes > MAX_NODES { Err("too many values") } else { Ok(()) }
    }
}

/// A part of a text that was read as a whole before.
fn part<'v, T: Deserialize<'v>>(value: &'v RawValue) -> Result<T, &'static str> {
    serde_json::from_str(value.get()).map_err(|_fault| "a part that does not read by itself")
}

fn check_depth(depth: u32) -> Result<(), &'static str> {
    if depth > DEFAULT_DEPTH.get() { Err("too deep") } else { Ok(()) }
}

fn check_text(text: &str) -> Result<(), &'static str> {
    if text.len() > MAX_STRING.as_usize() {
        return Err("a long text");
    }
    if text.contains('\0') { Err("U+0000") } else { Ok(()) }
}

/// The members of an object with every repetition.
struct Members<'v>(Vec<(String, &'v RawValue)>);

impl<'v> Deserialize<'v> for Members<'v> {
    fn deserialize<D: Deserializer<'v>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EveryMember)
    }
}

struct EveryMember;

impl<'v> Visitor<'v> for EveryMember {
    type Value = Members<'v>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'v>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

fn check_number(literal: &str) -> Result<(), &'static str> {
    if literal.len() > MAX_NUMBER {
        return Err("a long number");
    }
    if is_held(literal) { Ok(()) } else { Err("a number that is rounded") }
}

/// Whether a number keeps what was written: an integer of 64 bits, a fraction that is still one, or a whole number of which the double still
/// says every digit, in its shortest form or in full. What is not zero stays so.
fn is_held(literal: &str) -> bool {
    if !literal.contains(['.', 'e', 'E']) {
        return literal.parse::<u64>().is_ok() || literal.parse::<i64>().is_ok();
    }
    let Ok(double) = literal.parse::<f64>() else { return false };
    let written = Decimal::of(literal);
    if double == 0.0 || written.digits.is_empty() {
        return double == 0.0 && written.digits.is_empty();
    }
    let shortest = serde_json::to_string(&double).unwrap_or_default();
    let is_fraction = written.exponent < 0 && double.fract() != 0.0;
    double.is_finite() && (is_fraction || written == Decimal::of(&shortest) || written == in_full(double))
}

/// The digits of a number without zeros at either end, times ten to an exponent; the sign left out.
#[derive(PartialEq)]
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn new(mut digits: Vec<u8>, mut exponent: i64) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
            exponent = exponent.saturating_add(1);
        }
        let n_leading = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..n_leading);
        Self { digits, exponent }
    }

    fn of(literal: &str) -> Self {
        let mut digits = Vec::new();
        let mut n_behind_the_point: i64 = 0;
        let mut is_behind = false;
        let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
        for byte in mantissa.bytes() {
            match byte {
                b'.' => is_behind = true,
                b'0'..=b'9' => {
                    digits.push(byte.wrapping_sub(b'0'));
                    n_behind_the_point = n_behind_the_point.saturating_add(i64::from(is_behind));
                }
                _ => {}
            }
        }
        let beyond = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let exponent: i64 = exponent.parse().unwrap_or(beyond);
        Self::new(digits, exponent.saturating_sub(n_behind_the_point))
    }
}

/// All digits of a double that is a whole number: its 53 bits, doubled as often as its exponent says.
fn in_full(double: f64) -> Decimal {
    let bits = double.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let exponent = (bits >> 52) & 0x7ff;
    let n_doublings = exponent.saturating_sub(1075);
    let n_halvings = 1075_u64.saturating_sub(exponent).min(63);
    let mut digits: Vec<u8> =
        ((fraction | (1 << 52)) >> n_halvings).to_string().bytes().map(|b| b.wrapping_sub(b'0')).collect();
    for _ in 0..n_doublings {
        let mut carry = 0;
        for digit in digits.iter_mut().rev() {
            let doubled = digit.wrapping_mul(2).wrapping_add(carry);
            (*digit, carry) = (doubled.rem_euclid(10), doubled.div_euclid(10));
        }
        if carry > 0 {
            digits.insert(0, carry);
        }
    }
    Decimal::new(digits, 0)
}

//! What a cell means: a decimal number if it is written as one, text if not.
//!
//! Exact on purpose: with binary floating point 0.10 + 0.20 is not 0.30, and a sum of money would be wrong.

use std::cmp::Ordering;

use rust_decimal::Decimal;

use crate::{Operand, Operator};

/// The number that a text is, if it is one: digits with a sign and a point, nothing else. `1e3`, `1_000` and `1,000` are
/// text, since what writes them so may mean something else.
pub(crate) fn number(text: &str) -> Option<Decimal> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'));
    if plain { Decimal::from_str_exact(text).ok() } else { None }
}

/// A total order for sorting: numbers by size, before all texts by their bytes.
pub(crate) fn order(left: &str, right: &str) -> Ordering {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

/// Whether a cell fits a condition.
pub(crate) fn fits(cell: &str, op: Operator, operand: &Operand) -> bool {
    let text = match operand {
        Operand::Text(text) => text.clone(),
        Operand::Number(number) => number.to_string(),
    };
    let order = match (number(cell), number(&text)) {
        (Some(cell), Some(value)) => Some(cell.cmp(&value)),
        // A cell that is no number is neither below nor above one.
        (None, Some(_)) => None,
        _ => Some(cell.cmp(text.as_str())),
    };
    match op {
        Operator::Eq => order == Some(Ordering::Equal),
        Operator::Ne => order != Some(Ordering::Equal),
        Operator::Lt => order.is_some_and(Ordering::is_lt),
        Operator::Le => order.is_some_and(Ordering::is_le),
        Operator::Gt => order.is_some_and(Ordering::is_gt),
        Operator::Ge => order.is_some_and(Ordering::is_ge),
        Operator::Contains => cell.contains(&text),
    }
}

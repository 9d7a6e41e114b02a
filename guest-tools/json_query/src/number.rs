//! Numbers on their way out: exact, or not at all.

use jaq_json::Num;
use serde_json::{Number, Value};
use toolgate_sdk::Failure;

/// A number as JSON. As in jq, what is not a number is `null`.
pub(crate) fn json(number: &Num) -> Result<Value, Failure> {
    match number {
        Num::Float(float) if float.is_nan() => Ok(Value::Null),
        Num::Float(float) => Number::from_f64(*float).map(Value::Number).ok_or_else(|| inexact(number)),
        Num::Dec(text) => text.parse().map(Value::Number).map_err(|_infinite| inexact(number)),
        Num::Int(_) | Num::BigInt(_) => integer(number),
    }
}

fn integer(number: &Num) -> Result<Value, Failure> {
    let text = number.to_string();
    if let Ok(integer) = text.parse::<i64>() {
        return Ok(integer.into());
    }
    // Readers of JSON would round it without a word.
    text.parse::<u64>().map(Value::from).map_err(|_too_long| inexact(number))
}

fn inexact(number: &Num) -> Failure {
    Failure::failed(format!("a result is the number {number}, which JSON readers do not keep; use `tostring`"))
}

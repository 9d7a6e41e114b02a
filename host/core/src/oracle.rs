//! Oracle: what the strict reader makes of a text, as a `Value`, for tests and fuzzers that hold it against other readers.

use serde_json::Value;

use crate::amendment::Coercion;
use crate::call::RawCall;
use crate::gate::{CallRejection, DEFAULT_DEPTH, Gate, GateLimits};
use crate::json::{self, JsonLimits};

/// Reads one JSON value, whatever it is, as arguments and results are read.
///
/// # Errors
/// What is wrong with it, in words.
pub fn read(text: &str) -> Result<Value, String> {
    let read = json::read(text.to_owned(), &JsonLimits::deep(DEFAULT_DEPTH));
    read.map(|(json, _)| json.root().to_value()).map_err(|fault| fault.to_string())
}

/// Admits arguments as the gate does; the text that a tool would get, and what was amended.
///
/// # Errors
/// Why it is no call.
pub fn admit(call: RawCall, coercion: Coercion) -> Result<(String, Vec<String>), CallRejection> {
    let mut recorded = Vec::new();
    let admitted = Gate::new(GateLimits::default(), coercion).admit(call, &mut recorded)?;
    Ok((admitted.arguments().text().to_owned(), recorded.iter().map(ToString::to_string).collect()))
}

//! Answers with text that some reader of JSON lets pass and another does not, in the shape that it is asked for.

use probes::contract;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_sdk::Failure;
use toolgate_sdk::raw::Guest;

#[derive(Deserialize, JsonSchema)]
struct Input {
    shape: Shape,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Shape {
    /// A number that no float holds.
    TooLargeNumber,
    /// A number that no float holds exactly.
    InexactNumber,
    /// A number that JSON has no word for.
    NotANumber,
    /// Ten thousand lists inside each other.
    Deep,
    /// One key with two values.
    DuplicateKey,
    /// Half of a pair that makes one character.
    LoneSurrogate,
    /// Two documents.
    Trailing,
    /// The mark that some editors put before the text.
    ByteOrderMark,
    /// No text at all.
    Nothing,
    /// A value of another shape than promised.
    NoObject,
    /// 10 MiB of zeros.
    TenMebibytes,
}

/// Anything, so that what is refused is refused for how it is written.
#[derive(Serialize, JsonSchema)]
struct Output {
    value: Value,
}

struct Probe;

impl Guest for Probe {
    fn contract() -> String {
        contract::<Input, Output>("probe_result_is_odd").to_string()
    }

    fn call(arguments: String) -> Result<String, Failure> {
        let input: Input = serde_json::from_str(&arguments).map_err(|error| Failure::failed(error.to_string()))?;
        Ok(match input.shape {
            Shape::TooLargeNumber => r#"{"value": 1e400}"#.to_owned(),
            Shape::InexactNumber => r#"{"value": 9007199254740993.5}"#.to_owned(),
            Shape::NotANumber => r#"{"value": NaN}"#.to_owned(),
            Shape::Deep => format!(r#"{{"value": {}{}}}"#, "[".repeat(10_000), "]".repeat(10_000)),
            Shape::DuplicateKey => r#"{"value": 1, "value": 2}"#.to_owned(),
            Shape::LoneSurrogate => r#"{"value": "\ud800"}"#.to_owned(),
            Shape::Trailing => r#"{"value": 1} {"value": 2}"#.to_owned(),
            Shape::ByteOrderMark => "\u{feff}{\"value\": 1}".to_owned(),
            Shape::Nothing => String::new(),
            Shape::NoObject => "[1]".to_owned(),
            Shape::TenMebibytes => format!(r#"{{"value": [0{}]}}"#, ",0".repeat(5 << 20)),
        })
    }
}

toolgate_sdk::raw::export!(Probe);

fn main() {}

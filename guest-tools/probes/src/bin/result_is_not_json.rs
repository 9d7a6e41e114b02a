//! Answers with text that is no JSON.

use probes::{Nothing, Text, contract};
use toolgate_sdk::Failure;
use toolgate_sdk::raw::Guest;

struct Probe;

impl Guest for Probe {
    fn contract() -> String {
        contract::<Nothing, Text>("probe_result_is_not_json").to_string()
    }

    fn call(_arguments: String) -> Result<String, Failure> {
        Ok("all went well".to_owned())
    }
}

toolgate_sdk::raw::export!(Probe);

fn main() {}

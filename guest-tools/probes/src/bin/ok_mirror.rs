//! Answers with the very text of its arguments, so that a test sees what a tool is handed.

use probes::{Nothing, contract};
use toolgate_sdk::Failure;
use toolgate_sdk::raw::Guest;

struct Mirror;

impl Guest for Mirror {
    fn contract() -> String {
        contract::<Nothing, Nothing>("probe_ok_mirror").to_string()
    }

    fn call(arguments: String) -> Result<String, Failure> {
        Ok(arguments)
    }
}

toolgate_sdk::raw::export!(Mirror);

fn main() {}

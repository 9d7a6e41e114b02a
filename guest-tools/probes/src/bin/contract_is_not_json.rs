//! Has a contract that is no JSON, so there is nothing to load.

use toolgate_sdk::Failure;
use toolgate_sdk::raw::Guest;

struct Probe;

impl Guest for Probe {
    fn contract() -> String {
        "name: probe_contract_is_not_json".to_owned()
    }

    fn call(_arguments: String) -> Result<String, Failure> {
        Ok("{}".to_owned())
    }
}

toolgate_sdk::raw::export!(Probe);

fn main() {}

//! Has an input schema with a type that JSON does not know.

use probes::{Text, contract};
use toolgate_sdk::Failure;
use toolgate_sdk::raw::Guest;

struct Probe;

impl Guest for Probe {
    fn contract() -> String {
        let mut contract = contract::<Text, Text>("probe_contract_bad_schema");
        if let Some(name) = contract.pointer_mut("/input/properties/text/type") {
            *name = "strin".into();
        }
        contract.to_string()
    }

    fn call(_arguments: String) -> Result<String, Failure> {
        Ok("{}".to_owned())
    }
}

toolgate_sdk::raw::export!(Probe);

fn main() {}

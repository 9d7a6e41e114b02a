//! Has an input schema that does not say whether undeclared keys are welcome.

use probes::{Text, contract};
use toolgate_sdk::Failure;
use toolgate_sdk::raw::Guest;

struct Probe;

impl Guest for Probe {
    fn contract() -> String {
        let mut contract = contract::<Text, Text>("probe_contract_leaves_object_open");
        if let Some(input) = contract.pointer_mut("/input").and_then(|input| input.as_object_mut()) {
            input.remove("additionalProperties");
        }
        contract.to_string()
    }

    fn call(_arguments: String) -> Result<String, Failure> {
        Ok("{}".to_owned())
    }
}

toolgate_sdk::raw::export!(Probe);

fn main() {}

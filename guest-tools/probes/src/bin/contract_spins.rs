//! Never says what its contract is. It has to be stopped at load, where no caller waits for it.

use toolgate_sdk::Failure;
use toolgate_sdk::raw::Guest;

struct Probe;

impl Guest for Probe {
    fn contract() -> String {
        loop {
            std::hint::spin_loop();
        }
    }

    fn call(_arguments: String) -> Result<String, Failure> {
        Ok("{}".to_owned())
    }
}

toolgate_sdk::raw::export!(Probe);

fn main() {}

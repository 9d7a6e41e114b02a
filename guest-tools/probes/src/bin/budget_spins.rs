//! Never answers and never waits: ends by fuel, or by its deadline where fuel is plenty.

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(spin, probe("probe_spin"));

fn spin(_: Nothing) -> Result<Text, Failure> {
    loop {
        std::hint::spin_loop();
    }
}

fn main() {}

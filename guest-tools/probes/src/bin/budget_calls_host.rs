//! Logs nothing, for ever: the one call into the host that every guest has.

use probes::{Nothing, Text, probe};
use toolgate_sdk::{Failure, Level, log};

toolgate_sdk::tool!(call, probe("probe_budget_calls_host"));

fn call(_: Nothing) -> Result<Text, Failure> {
    loop {
        log(Level::Debug, "");
    }
}

fn main() {}

//! Sleeps until the end of time, which no timer can be set to.

use std::time::Duration;

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(sleep, probe("probe_budget_sleeps_for_ever"));

fn sleep(_: Nothing) -> Result<Text, Failure> {
    std::thread::sleep(Duration::MAX);
    Ok(Text::new("time has ended"))
}

fn main() {}

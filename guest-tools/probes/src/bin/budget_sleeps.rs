//! Sleeps for an hour: it spends no fuel and never looks at an epoch, so only the clock around the call can end it.

use std::time::Duration;

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(sleep, probe("probe_budget_sleeps"));

fn sleep(_: Nothing) -> Result<Text, Failure> {
    std::thread::sleep(Duration::from_secs(3_600));
    Ok(Text::new("an hour has passed"))
}

fn main() {}

//! Holds a million timers and waits for all of them at once.

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;
use wasip2::clocks::monotonic_clock::subscribe_duration;
use wasip2::io::poll::poll;

toolgate_sdk::tool!(hold, probe("probe_budget_polls_many"));

fn hold(_: Nothing) -> Result<Text, Failure> {
    let timers: Vec<_> = (0..1_000_000).map(|_| subscribe_duration(u64::MAX)).collect();
    let ready = poll(&timers.iter().collect::<Vec<_>>());
    Ok(Text::new(format!("{} are ready", ready.len())))
}

fn main() {}

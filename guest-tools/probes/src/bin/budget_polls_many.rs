//! Waits at once for a million timers of its own, or for one timer a hundred thousand times.

use probes::{Text, probe};
use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_sdk::Failure;
use wasip2::clocks::monotonic_clock::subscribe_duration;
use wasip2::io::poll::poll;

toolgate_sdk::tool!(wait, probe("probe_budget_polls_many"));

#[derive(Deserialize, JsonSchema)]
struct Input {
    timers: usize,
    times: usize,
}

fn wait(input: Input) -> Result<Text, Failure> {
    let timers: Vec<_> = (0..input.timers).map(|_| subscribe_duration(u64::MAX)).collect();
    let waited_for: Vec<_> = timers.iter().cycle().take(input.times).collect();
    let ready = poll(&waited_for);
    Ok(Text::new(format!("{} are ready", ready.len())))
}

fn main() {}

//! Looks at everything that could differ from call to call: clocks, randomness, the order of a map, the environment.

use std::collections::HashMap;
use std::env;
use std::hint::black_box;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use probes::probe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::Failure;
use wasip2::clocks::monotonic_clock::now;
use wasip2::random::insecure::get_insecure_random_u64;
use wasip2::random::random::get_random_u64;

toolgate_sdk::tool!(look, probe("probe_pure_looks_around"));

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Makes one call another call.
    n: u32,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    n: u32,
    started_ns: u64,
    passed_ns: u64,
    year_2000_ms: u64,
    random: String,
    order: String,
    variables: usize,
}

#[expect(clippy::disallowed_methods, reason = "what this probe is for")]
fn look(input: Input) -> Result<Output, Failure> {
    let started_ns = now();
    let mut work: u64 = 1;
    for _ in 0..10_000 {
        work = black_box(work.wrapping_mul(3));
    }
    let passed_ns = now().saturating_sub(started_ns);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let since = since.saturating_sub(Duration::from_secs(946_684_800)).as_millis();
    let map: HashMap<u32, ()> = (0..20).map(|key| (key, ())).collect();
    Ok(Output {
        n: input.n,
        started_ns,
        passed_ns,
        year_2000_ms: u64::try_from(since).unwrap_or(u64::MAX),
        random: format!("{:x}-{:x}", get_random_u64(), get_insecure_random_u64()),
        order: map.keys().map(ToString::to_string).collect::<Vec<_>>().join(","),
        variables: env::vars_os().count(),
    })
}

fn main() {}

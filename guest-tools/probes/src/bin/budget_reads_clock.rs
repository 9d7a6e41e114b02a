//! Reads the clock for ever: next to nothing for the guest, a call into the host each time.

use std::hint::black_box;
use std::time::SystemTime;

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(read, probe("probe_budget_reads_clock"));

#[expect(clippy::disallowed_methods, reason = "what this probe is for")]
fn read(_: Nothing) -> Result<Text, Failure> {
    loop {
        black_box(SystemTime::now());
    }
}

fn main() {}

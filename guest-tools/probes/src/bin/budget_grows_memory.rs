//! Takes memory until it is refused, then aborts, as a program out of memory does.

use std::hint::black_box;

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(grow, probe("probe_budget_grows_memory"));

fn grow(_: Nothing) -> Result<Text, Failure> {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    loop {
        let mut block = Vec::new();
        if block.try_reserve_exact(1 << 20).is_err() {
            std::process::abort();
        }
        // Without this the optimiser would take nothing and count on having taken it.
        hoard.push(black_box(block));
    }
}

fn main() {}

//! Calls itself without end. Its frames are empty, so it is the call stack that overflows and not the guest's own memory.

use std::hint::black_box;

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(recurse, probe("probe_trap_recurses"));

fn recurse(_: Nothing) -> Result<Text, Failure> {
    Ok(Text::new(deeper(black_box(u64::MAX)).to_string()))
}

/// What is done after the inner call depends on the order, so the optimiser cannot make a loop of it.
#[inline(never)]
fn deeper(left: u64) -> u64 {
    if left == 0 { 0 } else { deeper(left.wrapping_sub(1)).rotate_left(1) ^ left }
}

fn main() {}

//! Reaches the instruction that must not be reached: what is left of a crash in any language.

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(fall, probe("probe_trap_unreachable"));

fn fall(_: Nothing) -> Result<Text, Failure> {
    std::process::abort()
}

fn main() {}

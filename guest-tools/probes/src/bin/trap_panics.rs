//! Panics with a message. The message has to reach the operator's log and nobody else.

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(fall, probe("probe_panic"));

#[expect(clippy::panic, reason = "what this probe is for")]
fn fall(_: Nothing) -> Result<Text, Failure> {
    panic!("the probe panics on purpose");
}

fn main() {}

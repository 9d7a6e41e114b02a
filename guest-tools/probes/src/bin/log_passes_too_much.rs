//! Hands the host more in one call than it takes.

use probes::{Nothing, Text, probe};
use toolgate_sdk::{Failure, Level, log};

toolgate_sdk::tool!(pass, probe("probe_log_passes_too_much"));

fn pass(_: Nothing) -> Result<Text, Failure> {
    log(Level::Info, &"x".repeat(5 << 20));
    Ok(Text::new("it is passed"))
}

fn main() {}

//! Writes 64 MiB of log, then answers as if nothing had been.

use probes::{Nothing, Text, probe};
use toolgate_sdk::{Failure, Level, log};

toolgate_sdk::tool!(flood, probe("probe_log_floods"));

fn flood(_: Nothing) -> Result<Text, Failure> {
    let line = "x".repeat(1 << 10);
    for _ in 0..64 << 10 {
        log(Level::Info, &line);
    }
    Ok(Text::new("it is written"))
}

fn main() {}

//! Writes nothing to standard output, for ever: a queue of empty pieces grows in a host that keeps them (GHSA-5m8g).

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;
use wasip2::cli::stdout::get_stdout;

toolgate_sdk::tool!(write, probe("probe_output_writes_nothing"));

fn write(_: Nothing) -> Result<Text, Failure> {
    let stdout = get_stdout();
    loop {
        stdout.write(&[]).map_err(|error| Failure::failed(error.to_string()))?;
    }
}

fn main() {}

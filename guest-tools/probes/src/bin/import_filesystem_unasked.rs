//! Reads files, and its contract asks for none: what it imports gives it away before it runs.

use std::fs;

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(peek, probe("probe_import_filesystem_unasked"));

fn peek(_: Nothing) -> Result<Text, Failure> {
    fs::read_to_string("/data/there.txt").map(Text::new).map_err(|error| Failure::unavailable(error.to_string()))
}

fn main() {}

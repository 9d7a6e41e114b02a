//! Answers with what it was given: the good guest among the others.

use probes::{Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(echo, probe("echo"));

fn echo(input: Text) -> Result<Text, Failure> {
    Ok(input)
}

fn main() {}

//! Asks to read a directory and tries every way to change it. What it gets is its answer.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};

use probes::{Nothing, probe};
use schemars::JsonSchema;
use serde::Serialize;
use toolgate_sdk::{Access, Capabilities, Declaration, Directory, Failure};

toolgate_sdk::tool!(
    write,
    Declaration {
        capabilities: Capabilities {
            fs: &[Directory { path: "/data", access: Access::ReadOnly, reason: "to read it, as it says" }],
        },
        ..probe("probe_grant_writes_readonly")
    }
);

#[derive(Serialize, JsonSchema)]
struct Output {
    attempts: Vec<Attempt>,
}

#[derive(Serialize, JsonSchema)]
struct Attempt {
    what: &'static str,
    outcome: String,
}

/// `there.txt` is for the test to put there.
fn write(_: Nothing) -> Result<Output, Failure> {
    let attempts = [
        ("create", fs::write("/data/new.txt", "x")),
        ("append", append("/data/there.txt")),
        ("truncate", fs::write("/data/there.txt", "")),
        ("rename", fs::rename("/data/there.txt", "/data/gone.txt")),
        ("hard_link", fs::hard_link("/data/there.txt", "/data/twin.txt")),
        ("create_dir", fs::create_dir("/data/folder")),
        ("remove", fs::remove_file("/data/there.txt")),
    ];
    let attempts = attempts.into_iter().map(|(what, outcome)| Attempt {
        what,
        outcome: outcome.map_or_else(|error| error.to_string(), |()| "done".to_owned()),
    });
    Ok(Output { attempts: attempts.collect() })
}

fn append(path: &str) -> io::Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(b"x")
}

fn main() {}

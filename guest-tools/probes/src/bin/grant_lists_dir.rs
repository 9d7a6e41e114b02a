//! Lists the directory that it asked for, and tries every door out of it. What it gets is its answer.

use std::fs;
use std::io;

use probes::{Nothing, probe};
use schemars::JsonSchema;
use serde::Serialize;
use toolgate_sdk::{Access, Capabilities, Declaration, Directory, Failure};

toolgate_sdk::tool!(
    list,
    Declaration {
        capabilities: Capabilities {
            fs: &[Directory { path: "/data", access: Access::ReadOnly, reason: "to list it" }],
        },
        may_be_empty: &["/entries"],
        ..probe("probe_grant_lists_dir")
    }
);

#[derive(Serialize, JsonSchema)]
struct Output {
    /// Names in the directory.
    entries: Vec<String>,
    /// What came of each attempt to get out.
    escapes: Vec<Attempt>,
}

#[derive(Serialize, JsonSchema)]
struct Attempt {
    path: String,
    outcome: String,
}

/// `link` is for the test to lay: a symbolic link that leads out.
const DOORS: [&str; 6] = ["/data/../etc/passwd", "/data/..", "/etc/passwd", "/", "../../etc/passwd", "/data/link"];

fn list(_: Nothing) -> Result<Output, Failure> {
    let entries = names("/data").map_err(|error| Failure::unavailable(error.to_string()))?;
    let escapes = DOORS.iter().map(|path| Attempt { path: (*path).to_owned(), outcome: outcome(path) });
    Ok(Output { entries, escapes: escapes.collect() })
}

fn names(path: &str) -> io::Result<Vec<String>> {
    let mut names = fs::read_dir(path)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

fn outcome(path: &str) -> String {
    match (fs::read(path), names(path)) {
        (Ok(bytes), _) => format!("read {} bytes", bytes.len()),
        (_, Ok(names)) => format!("listed {} names", names.len()),
        (Err(error), Err(_)) => error.to_string(),
    }
}

fn main() {}

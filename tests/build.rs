//! Builds every guest and hands the tests one constant per component.
//!
//! The constants stand in a module that denies dead code: a probe that no test runs does not compile.

use std::error::Error;
use std::path::PathBuf;

use toolgate_guest_build::{Guest, build_all, constants, or_explain};

/// The suites: the first word of a probe's file name, and what its probes attack.
const SUITES: [(&str, &str); 13] = [
    ("budget", "fuel, time and memory"),
    ("contract", "the reading of a contract at load"),
    ("exit", "ending the program instead of answering"),
    ("fails", "a tool's own failures"),
    ("grant", "what lies outside a grant"),
    ("import", "imports that nobody granted"),
    ("init", "code that runs before the call"),
    ("log", "the operator's log"),
    ("ok", "nothing: good tools to stand beside the bad"),
    ("output", "what a tool prints"),
    ("pure", "that the same call gets the same answer"),
    ("result", "what comes back"),
    ("trap", "the rules of the machine"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let guests = or_explain(build_all());
    for probe in guests.iter().filter(|guest| guest.is_probe) {
        check_suite(probe)?;
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("guests.rs");
    std::fs::write(out, constants(&guests))?;
    Ok(())
}

fn check_suite(probe: &Guest) -> Result<(), String> {
    let prefix = probe.name.split('_').next().unwrap_or_default();
    if SUITES.iter().any(|(suite, _)| *suite == prefix) {
        return Ok(());
    }
    let suites: Vec<String> = SUITES.iter().map(|(suite, attacks)| format!("  {suite}_  {attacks}")).collect();
    Err(format!(
        "the probe `{}` belongs to no suite: name it after what it attacks, or add a suite in tests/build.rs\n{}",
        probe.name,
        suites.join("\n")
    ))
}

//! Deadlines: how far a spinning guest gets beyond its deadline, and what a good call waits for beside spinning ones.
//!
//! A guest is stopped at a tick, so a deadline is kept to two ticks and the longest step that cannot be interrupted. Measured
//! alone and beside a further spinner on each worker, together with what the machine itself was late by in the same seconds:
//! what no thread of a program could have done better is not the host's.
//!
//! ```text
//! cargo bench --bench deadlines [-- --spins 1000] [--json]
//! ```

#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

/// How late the machine was.
mod machine;
/// Guests that spin, and what is measured beside them.
mod measure;
/// What is printed.
mod report;

mod guests {
    //! One constant per component, made by the build script.
    #![expect(dead_code, reason = "most guests are hostile, and the tests run them")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

use anyhow::{Context, Result, bail};

use crate::measure::{Bench, WORKERS};
use crate::report::Report;

/// What the command line asks for.
struct Asked {
    n_spins: usize,
    json: bool,
}

fn main() -> Result<()> {
    let asked = Asked::read(std::env::args().skip(1))?;
    let bench = Bench::new()?;
    let mut report = Report::default();
    for n_spinners in [0, WORKERS] {
        report.overruns.push(bench.overruns(n_spinners, asked.n_spins)?);
    }
    let own = bench.good_calls(0)?;
    for n_spinners in [1, WORKERS, WORKERS.saturating_mul(2)] {
        report.good_calls.push(bench.good_calls(n_spinners)?.beside(&own, n_spinners));
    }
    report.good_calls.insert(0, own);
    if asked.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        println!("{}", report.render());
    }
    Ok(())
}

impl Asked {
    /// Cargo adds `--bench`, which is not for us.
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let mut asked = Self { n_spins: 1_000, json: false };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--bench" => {}
                "--json" => asked.json = true,
                "--spins" => asked.n_spins = words.next().context("--spins takes a number")?.parse()?,
                _ => bail!("`{word}` is no option: --spins NUMBER, --json"),
            }
        }
        Ok(asked)
    }
}

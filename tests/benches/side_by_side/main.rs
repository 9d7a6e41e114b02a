//! The two designs, side by side: what a hand-parsed loop and Toolgate do with the same 500 labelled turns.
//!
//! Prints tables, or JSON with `--json`. Where a design ends a turn otherwise than it is labelled, says so on stderr and ends
//! with 1. Counts, and times nothing; the work is in `toolgate_tests::side_by_side`, which a test runs too.
//!
//! ```text
//! cargo bench --bench side_by_side
//! cargo bench --bench side_by_side -- --json
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for a person at a terminal")]

mod guests {
    //! One constant per component, made by the build script.
    #![expect(dead_code, reason = "one guest is enough here: the one that answers with its arguments")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

use std::process::ExitCode;

use toolgate_tests::side_by_side::compare;

fn main() -> anyhow::Result<ExitCode> {
    // Cargo adds `--bench`, which is not for us.
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let json = match asked.as_slice() {
        [] => false,
        [option] if option == "--json" => true,
        other => anyhow::bail!("`{}` is no option: --json, or nothing", other.join(" ")),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let comparison = runtime.block_on(compare(guests::OK_MIRROR))?;
    if json {
        println!("{}", comparison.json()?);
    } else {
        print!("{comparison}");
    }
    for disagreement in comparison.disagreements() {
        eprintln!("{disagreement}");
    }
    Ok(if comparison.disagreements().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

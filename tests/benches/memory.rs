//! Memory: that a host does not grow, over a million calls.
//!
//! Says what the process holds after a tenth, half and all of them. What one hostile call may add is for the tests.
//!
//! ```text
//! cargo bench --bench memory [-- --calls 1000000]
//! ```

#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

mod guests {
    //! One constant per component, made by the build script.
    #![expect(dead_code, reason = "most guests are hostile, and the tests run them")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use toolgate::{Host, RawCall, ToolSource};

fn main() -> Result<()> {
    let n_calls = n_calls(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let host = runtime.block_on(Host::builder().tool(ToolSource::new("ok_echo.wasm", guests::OK_ECHO)).build())?;
    let call = RawCall::new("echo", r#"{"text":"two boxes of tea, please"}"#).with_id("call_1");
    println!("{:>9} calls  {:>7} KiB", 0, resident()?);
    let mut first = None;
    let mut made = 0_u64;
    for share in [10, 2, 1] {
        let until = n_calls.checked_div(share).unwrap_or(n_calls);
        while made < until {
            ensure!(runtime.block_on(host.call(call.clone())).is_done(), "the call is answered");
            made = made.saturating_add(1);
        }
        let held = resident()?;
        let grown = held.saturating_sub(*first.get_or_insert(held));
        println!("{made:>9} calls  {held:>7} KiB  {grown:>5} KiB more than after the first tenth");
    }
    println!("goal: nothing more");
    Ok(())
}

/// Cargo adds `--bench`, which is not for us.
fn n_calls(mut words: impl Iterator<Item = String>) -> Result<u64> {
    let mut n_calls = 1_000_000;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bench" => {}
            "--calls" => n_calls = words.next().context("--calls takes a number")?.parse()?,
            _ => bail!("`{word}` is no option: --calls NUMBER"),
        }
    }
    Ok(n_calls)
}

/// What the system counts as resident of this process, in KiB.
fn resident() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("only Linux tells what a process holds")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("there is a line for it")?;
    Ok(line.split_whitespace().next().context("with a number")?.parse()?)
}

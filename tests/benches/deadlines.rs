//! Deadlines: how far a spinning guest gets beyond its deadline, and what a good call waits for beside spinning ones.
//!
//! A guest is stopped at a tick, so a deadline is kept to two ticks and the longest step that cannot be interrupted; the
//! machine's own lateness is measured beside it, by a thread that sleeps as long at the same time.
//!
//! ```text
//! cargo bench --bench deadlines [-- --spins 1000]
//! ```

#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

mod guests {
    //! One constant per component, made by the build script.
    #![expect(dead_code, reason = "most guests are hostile, and the tests run them")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use toolgate::{Host, LimitSettings, MAX_FUEL, RawCall, TICK, ToolSource};

/// The deadline of the guests that are measured.
const DEADLINE: Duration = Duration::from_millis(100);

/// Workers of the runtime.
const WORKERS: usize = 2;

/// Good calls of one row.
const GOOD_CALLS: usize = 300;

const SPINS: &str = "probe_spin";

fn main() -> Result<()> {
    let n_spins = n_spins(std::env::args().skip(1))?.div_euclid(2);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
    let spinning = runtime.block_on(spinner(Duration::from_secs(600)))?;
    let measured = runtime.block_on(spinner(DEADLINE))?;
    let good = runtime.block_on(Host::builder().tool(ToolSource::new("ok_echo.wasm", guests::OK_ECHO)).build())?;

    println!("a deadline of {DEADLINE:?}, ticks of {TICK:?}; milliseconds: median, 99th percentile, longest");
    for (load, n_spinners) in [("alone", 0), ("beside a spinner on each worker", WORKERS)] {
        let spinners = Spinners::start(&runtime, &spinning, n_spinners);
        let (guests, sleeps) = overruns(&runtime, &measured, n_spins)?;
        drop(spinners);
        let beyond = guests.iter().zip(&sleeps).map(|(guest, sleep)| guest.saturating_sub(*sleep)).collect();
        println!("{:<45} {} ({n_spins} spins)", format!("overrun {load}"), row(guests));
        println!("{:<45} {}", "  a thread that only slept, at the same time", row(sleeps));
        println!("{:<45} {}", "  the guest beyond that thread", row(beyond));
    }
    println!("goal: 99th percentile at most {:?} and the longest uninterruptible step\n", TICK.saturating_mul(2));

    for n_spinners in [0, 1, WORKERS, WORKERS.saturating_mul(2)] {
        let spinners = Spinners::start(&runtime, &spinning, n_spinners);
        let times = good_calls(&runtime, &good)?;
        drop(spinners);
        println!("{:<45} {}", format!("a good call beside {n_spinners} spinners"), row(times));
    }
    println!("goal: its own time and two ticks per spinner");
    Ok(())
}

/// Cargo adds `--bench`, which is not for us.
fn n_spins(mut words: impl Iterator<Item = String>) -> Result<usize> {
    let mut n_spins = 1_000;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bench" => {}
            "--spins" => n_spins = words.next().context("--spins takes a number")?.parse()?,
            _ => bail!("`{word}` is no option: --spins NUMBER"),
        }
    }
    Ok(n_spins)
}

/// A host with a guest that spins until its time is over.
async fn spinner(time: Duration) -> Result<Host> {
    let time_ms = Some(u64::try_from(time.as_millis())?);
    let limits = LimitSettings { time_ms, fuel: Some(MAX_FUEL), ..LimitSettings::default() };
    Ok(Host::builder().tool(ToolSource::new("budget_spins.wasm", guests::BUDGET_SPINS).limits(limits)).build().await?)
}

/// Guests that spin until this is dropped.
struct Spinners(Vec<JoinHandle<()>>);

impl Spinners {
    fn start(runtime: &Runtime, host: &Host, n: usize) -> Self {
        let spin = |host: Host| async move {
            loop {
                drop(host.call(RawCall::new(SPINS, "{}")).await);
            }
        };
        Self((0..n).map(|_| runtime.spawn(spin(host.clone()))).collect())
    }
}

impl Drop for Spinners {
    fn drop(&mut self) {
        for spinner in &self.0 {
            spinner.abort();
        }
    }
}

/// How much later than their deadline the guests ended, and a thread's sleep of the same length.
fn overruns(runtime: &Runtime, host: &Host, n_spins: usize) -> Result<(Vec<Duration>, Vec<Duration>)> {
    let (mut guests, mut sleeps) = (Vec::new(), Vec::new());
    for _ in 0..n_spins {
        let sleeper = thread::spawn(|| timed(|| thread::sleep(DEADLINE)).1);
        let host = host.clone();
        // On a worker, as a server's calls are; the thread that waits here is none.
        let call = runtime.spawn(async move { host.call(RawCall::new(SPINS, "{}")).await });
        let (reply, time) = timed(|| runtime.block_on(call));
        let code = reply?.code().map(|code| code.to_string()).unwrap_or_default();
        ensure!(code == "tool:timeout", "{code} instead of tool:timeout");
        guests.push(time.saturating_sub(DEADLINE));
        let slept = sleeper.join().expect("a thread that sleeps does not panic");
        sleeps.push(slept.saturating_sub(DEADLINE));
    }
    Ok((guests, sleeps))
}

fn good_calls(runtime: &Runtime, host: &Host) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for _ in 0..GOOD_CALLS {
        let host = host.clone();
        let call = runtime.spawn(async move { host.call(RawCall::new("echo", r#"{"text":"tea"}"#)).await });
        let (reply, time) = timed(|| runtime.block_on(call));
        ensure!(reply?.is_done(), "the good call is answered");
        times.push(time);
    }
    Ok(times)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is about the real clock")]
fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = run();
    (done, start.elapsed())
}

fn row(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let nth = |percent: usize| {
        let idx = times.len().saturating_mul(percent).div_euclid(100).min(times.len().saturating_sub(1));
        times.get(idx).copied().unwrap_or_default().as_secs_f64() * 1e3
    };
    format!("{:>9.3} {:>9.3} {:>9.3}", nth(50), nth(99), nth(100))
}

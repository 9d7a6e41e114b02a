//! Measure: guests that spin, and the calls that are timed beside them.
//!
//! A call is timed where it runs, from the moment it is asked for to its reply: a thread that only waits for the reply has to
//! be scheduled too, which is no part of the promise.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use toolgate::{Host, LimitSettings, MAX_FUEL, RawCall, Reply, Stage, TICK, ToolSource};

use crate::guests;
use crate::machine::Machine;
use crate::report::{GoodCalls, Overrun, Spread};

/// The deadline of the guests that are measured.
pub(crate) const DEADLINE: Duration = Duration::from_millis(100);

/// Workers of the runtime.
pub(crate) const WORKERS: usize = 2;

/// Good calls of one row.
const GOOD_CALLS: usize = 1_000;

const SPINS: &str = "probe_spin";

/// The runtime and the hosts.
pub(crate) struct Bench {
    runtime: Runtime,
    /// Its guests spin for as long as anything is measured.
    spinning: Host,
    /// Its guests spin until [`DEADLINE`].
    measured: Host,
    good: Host,
}

impl Bench {
    pub(crate) fn new() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("bench-worker")
            .enable_all()
            .build()?;
        let spinning = runtime.block_on(spinner(Duration::from_secs(600)))?;
        let measured = runtime.block_on(spinner(DEADLINE))?;
        let good = runtime.block_on(Host::builder().tool(ToolSource::new("ok_echo.wasm", guests::OK_ECHO)).build())?;
        Ok(Self { runtime, spinning, measured, good })
    }

    /// How much later than their deadline guests end, one after the other, beside so many spinners.
    pub(crate) fn overruns(&self, n_spinners: usize, n_spins: usize) -> Result<Overrun> {
        let spinners = Spinners::start(&self.runtime, &self.spinning, n_spinners);
        let machine = Machine::watch()?;
        let (mut overruns, mut to_a_worker) = (Vec::new(), Vec::new());
        for _ in 0..n_spins {
            let (reply, time) = self.timed(&self.measured, RawCall::new(SPINS, "{}"))?;
            let code = reply.code().map(|code| code.to_string()).unwrap_or_default();
            ensure!(code == "tool:timeout", "{code} instead of tool:timeout");
            let ran = reply.usage.stages.of(Stage::Sandbox).context("it came to the sandbox")?;
            overruns.push(ran.saturating_sub(DEADLINE));
            to_a_worker.push(time.saturating_sub(ran));
        }
        let machine = machine.ended()?;
        drop(spinners);
        Ok(Overrun {
            n_spinners,
            beyond_deadline: Spread::of(overruns),
            before_and_after: Spread::of(to_a_worker),
            machine,
        })
    }

    /// How long good calls take beside so many spinners.
    pub(crate) fn good_calls(&self, n_spinners: usize) -> Result<GoodCalls> {
        let spinners = Spinners::start(&self.runtime, &self.spinning, n_spinners);
        let machine = Machine::watch()?;
        let mut times = Vec::new();
        for idx in 0..GOOD_CALLS {
            thread::sleep(pause(idx));
            let (reply, time) = self.timed(&self.good, RawCall::new("echo", r#"{"text":"tea"}"#))?;
            ensure!(reply.is_done(), "{}", reply.operator_line());
            times.push(time);
        }
        let machine = machine.ended()?;
        drop(spinners);
        Ok(GoodCalls { n_spinners, time: Spread::of(times), added: None, machine })
    }

    /// A call on a worker, as a server's are, and the time until it has its reply.
    #[expect(clippy::disallowed_methods, reason = "a benchmark is about the real clock")]
    fn timed(&self, host: &Host, call: RawCall) -> Result<(Reply, Duration)> {
        let host = host.clone();
        let asked = Instant::now();
        let call = self.runtime.spawn(async move { (host.call(call).await, asked.elapsed()) });
        Ok(self.runtime.block_on(call)?)
    }
}

/// Calls come at any moment of a tick: one that follows upon a reply would find a worker that is just between two slices.
fn pause(idx: usize) -> Duration {
    let step = idx.wrapping_mul(7).rem_euclid(16);
    TICK.saturating_add(TICK.mul_f64(step as f64 / 16.0))
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

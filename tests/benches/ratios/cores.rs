//! Cores: what a second worker thread brings a host, against what it brings the bare runtime.
//!
//! As many callers as there are, each of them with call after call; one worker and two, host and raw, in turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::runtime::Runtime;
use toolgate::{Allocation, Host, RawCall, ToolSource};

use crate::accepted::said;
use crate::raw::RawTool;
use crate::rounds::quartiles;
use crate::{Anyhow, guests};

/// How long the callers go on in one sample.
const SAMPLE: Duration = Duration::from_millis(100);

/// Samples of each way. The machine has to have two free cores in them, which a busy one rarely has: hence many and short.
const ROUNDS: usize = 30;

/// Callers at once.
const CALLERS: usize = 8;

const ARGUMENTS: &str = r#"{"sku":"KB-104","region":"busan","limit":2}"#;

/// Calls per second, and what two workers bring.
#[derive(Serialize)]
pub(crate) struct Gains {
    host_per_second: [f64; 2],
    raw_per_second: [f64; 2],
    host_gain: f64,
    raw_gain: f64,
    /// Host's gain by raw's: lower quartile, median and upper quartile over rounds.
    gains_ratio: [f64; 3],
}

impl Gains {
    pub(crate) fn render(&self) -> String {
        let [low, ratio, high] = self.gains_ratio;
        let line = |name: &str, [one, two]: [f64; 2], gain: f64| {
            format!("{name:<10}  one worker {one:>8.0}/s  two workers {two:>8.0}/s  gain {gain:.2}\n")
        };
        format!(
            "two cores: calls of `stock_lookup` per second with {CALLERS} callers\n\
             goal: Host::call gains at least 0.95 of what raw gains\n{}{}ratio of the gains {ratio:.2} ({low:.2}–{high:.2})\n",
            line("Host::call", self.host_per_second, self.host_gain),
            line("raw", self.raw_per_second, self.raw_gain),
        )
    }
}

/// What is called again and again.
enum Subject {
    Host(Host),
    Raw(RawTool),
}

impl Subject {
    async fn call(&self) {
        match self {
            Self::Host(host) => drop(host.call(RawCall::new("stock_lookup", ARGUMENTS).with_id("call_1")).await),
            Self::Raw(raw) => drop(raw.call(ARGUMENTS).await),
        }
    }
}

/// The gains, where these words name them. Not to be called on a runtime: it makes its own.
pub(crate) fn all(words: &str) -> Anyhow<Option<Gains>> {
    if !"cores".contains(words) {
        return Ok(None);
    }
    let workers = [workers(1)?, workers(2)?];
    let [one, _] = &workers;
    let source = ToolSource::new("stock_lookup.wasm", guests::STOCK_LOOKUP);
    let host = one.block_on(Host::builder().tool(source).build())?;
    let raw = RawTool::new(guests::STOCK_LOOKUP, Allocation::Pooling).map_err(said)?;
    let subjects = [Arc::new(Subject::Host(host)), Arc::new(Subject::Raw(raw))];
    let mut rounds: Vec<[f64; 4]> = Vec::new();
    for _ in 0..ROUNDS {
        let [host, raw] = &subjects;
        let [one, two] = &workers;
        rounds
            .push([(host, one), (raw, one), (raw, two), (host, two)].map(|(subject, runtime)| rate(subject, runtime)));
    }
    Ok(Some(gains(&rounds)))
}

fn gains(rounds: &[[f64; 4]]) -> Gains {
    let median = |value: fn(&[f64; 4]) -> f64| quartiles(rounds.iter().map(value))[1];
    Gains {
        host_per_second: [median(|[host, ..]| *host), median(|[.., host]| *host)],
        raw_per_second: [median(|[_, raw, ..]| *raw), median(|[.., raw, _]| *raw)],
        host_gain: median(|[one, _, _, two]| two / one),
        raw_gain: median(|[_, one, two, _]| two / one),
        gains_ratio: quartiles(
            rounds.iter().map(|[host_one, raw_one, raw_two, host_two]| (host_two / host_one) / (raw_two / raw_one)),
        ),
    }
}

fn workers(n: usize) -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(n).enable_all().build()
}

/// Calls per second of one sample.
#[expect(clippy::disallowed_methods, reason = "a benchmark is about the real clock")]
fn rate(subject: &Arc<Subject>, runtime: &Runtime) -> f64 {
    let (ended, n_calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let start = Instant::now();
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| runtime.spawn(caller(Arc::clone(subject), Arc::clone(&ended), Arc::clone(&n_calls))))
        .collect();
    std::thread::sleep(SAMPLE);
    ended.store(true, Ordering::Relaxed);
    runtime.block_on(async {
        for caller in callers {
            caller.await.expect("a caller does not panic");
        }
    });
    n_calls.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

/// Calls until it is told to stop, and lets the next one have its turn after each.
async fn caller(subject: Arc<Subject>, ended: Arc<AtomicBool>, n_calls: Arc<AtomicU64>) {
    let mut mine = 0_u64;
    while !ended.load(Ordering::Relaxed) {
        subject.call().await;
        mine = mine.saturating_add(1);
        tokio::task::yield_now().await;
    }
    n_calls.fetch_add(mine, Ordering::Relaxed);
}

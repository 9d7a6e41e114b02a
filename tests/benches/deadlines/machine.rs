//! Machine: how late the machine itself was while something else was measured.
//!
//! Two plain threads that sleep again and again, one as long as the host's tick and one as long as a deadline, tell how late
//! a wake-up comes; the system tells how long this process's threads stood ready without a core, and what the machine below
//! took for others. Where a system tells none of this, it is left out.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;
use toolgate::TICK;

use crate::measure::DEADLINE;
use crate::report::Spread;

/// What the machine was late by.
#[derive(Serialize)]
pub(crate) struct Lateness {
    /// A plain thread that sleeps for a tick at a time, as the host's ticker does.
    pub(crate) of_a_tick: Spread,
    /// A plain thread that sleeps for a deadline at a time.
    pub(crate) of_a_sleep: Spread,
    /// Mean wait for a core of the tickers themselves, per tick, in milliseconds.
    pub(crate) tickers_waited_ms: Option<f64>,
    /// Share of the time in which the workers stood ready and had no core.
    pub(crate) workers_without_a_core: Option<f64>,
    /// Share of the machine's time that the machine below took for others.
    pub(crate) stolen: Option<f64>,
}

/// A running watch.
pub(crate) struct Machine {
    ended: Arc<AtomicBool>,
    ticks: JoinHandle<Vec<Duration>>,
    sleeps: JoinHandle<Vec<Duration>>,
    start: Instant,
    before: Counts,
}

impl Machine {
    #[expect(clippy::disallowed_methods, reason = "a benchmark is about the real clock")]
    pub(crate) fn watch() -> Result<Self> {
        let ended = Arc::new(AtomicBool::new(false));
        let ticks = sleeper("bench-tick", TICK, &ended)?;
        let sleeps = sleeper("bench-sleep", DEADLINE, &ended)?;
        Ok(Self { ended, ticks, sleeps, start: Instant::now(), before: Counts::now() })
    }

    pub(crate) fn ended(self) -> Result<Lateness> {
        let time = self.start.elapsed();
        let after = Counts::now();
        self.ended.store(true, Ordering::Relaxed);
        let of = |thread: JoinHandle<Vec<Duration>>| Spread::of(thread.join().expect("a sleeper does not panic"));
        let (tickers, workers) = (after.tickers.since(&self.before.tickers), after.workers.since(&self.before.workers));
        let stolen = after.steal.zip(self.before.steal).map(|(after, before)| after.since(&before));
        Ok(Lateness {
            of_a_tick: of(self.ticks),
            of_a_sleep: of(self.sleeps),
            tickers_waited_ms: (tickers.turns > 0).then(|| tickers.waited_ns as f64 / 1e6 / tickers.turns as f64),
            workers_without_a_core: (workers.threads > 0)
                .then(|| workers.waited_ns as f64 / 1e9 / time.as_secs_f64() / workers.threads as f64),
            stolen: stolen.filter(|stolen| stolen.all > 0).map(|stolen| stolen.stolen as f64 / stolen.all as f64),
        })
    }
}

/// Sleeps again and again, and notes by how much too long.
#[expect(clippy::disallowed_methods, reason = "a benchmark is about the real clock")]
fn sleeper(name: &str, time: Duration, ended: &Arc<AtomicBool>) -> std::io::Result<JoinHandle<Vec<Duration>>> {
    let ended = Arc::clone(ended);
    let sleep = move || {
        let mut late = Vec::new();
        while !ended.load(Ordering::Relaxed) {
            let start = Instant::now();
            thread::sleep(time);
            late.push(start.elapsed().saturating_sub(time));
        }
        late
    };
    thread::Builder::new().name(name.to_owned()).spawn(sleep)
}

/// What the system has counted so far.
struct Counts {
    tickers: Waits,
    workers: Waits,
    steal: Option<Steal>,
}

impl Counts {
    fn now() -> Self {
        Self { tickers: Waits::of("toolgate-ticker"), workers: Waits::of("bench-worker"), steal: Steal::now() }
    }
}

/// How long threads stood ready and had no core, and how often they got one.
#[derive(Default)]
struct Waits {
    threads: u64,
    waited_ns: u64,
    turns: u64,
}

impl Waits {
    /// Of all threads of this process with this name, of which the system keeps fifteen bytes.
    fn of(name: &str) -> Self {
        let mut sum = Self::default();
        for thread in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
            let read = |file: &str| fs::read_to_string(thread.path().join(file)).unwrap_or_default();
            if !name.starts_with(read("comm").trim_end()) {
                continue;
            }
            let counts = read("schedstat");
            let mut counts = counts.split_whitespace().skip(1).map(|count| count.parse().unwrap_or(0));
            if let (Some(waited_ns), Some(turns)) = (counts.next(), counts.next()) {
                sum.threads = sum.threads.saturating_add(1);
                sum.waited_ns = sum.waited_ns.saturating_add(waited_ns);
                sum.turns = sum.turns.saturating_add(turns);
            }
        }
        sum
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            threads: self.threads,
            waited_ns: self.waited_ns.saturating_sub(before.waited_ns),
            turns: self.turns.saturating_sub(before.turns),
        }
    }
}

/// The machine's time, in the system's own small steps.
#[derive(Clone, Copy)]
struct Steal {
    stolen: u64,
    all: u64,
}

impl Steal {
    fn now() -> Option<Self> {
        let stat = fs::read_to_string("/proc/stat").ok()?;
        // User, nice, system, idle, waiting for a disk, two kinds of interrupts, stolen; what follows is counted in the first.
        let times: Vec<u64> =
            stat.lines().next()?.split_whitespace().skip(1).take(8).filter_map(|time| time.parse().ok()).collect();
        Some(Self { stolen: *times.get(7)?, all: times.iter().fold(0, |sum, time| sum.saturating_add(*time)) })
    }

    fn since(&self, before: &Self) -> Self {
        Self { stolen: self.stolen.saturating_sub(before.stolen), all: self.all.saturating_sub(before.all) }
    }
}

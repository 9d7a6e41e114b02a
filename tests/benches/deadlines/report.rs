//! Report: what was measured, as people and programs read it. All times are milliseconds.

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;
use toolgate::TICK;

use crate::machine::Lateness;
use crate::measure::{DEADLINE, WORKERS};

/// Everything measured in one run.
#[derive(Default, Serialize)]
pub(crate) struct Report {
    pub(crate) overruns: Vec<Overrun>,
    pub(crate) good_calls: Vec<GoodCalls>,
}

/// How far guests got beyond their deadline.
#[derive(Serialize)]
pub(crate) struct Overrun {
    pub(crate) n_spinners: usize,
    /// From the start of the guest's store to its end, beyond the deadline.
    pub(crate) beyond_deadline: Spread,
    /// What the call took beside that: mostly until a worker began with it.
    pub(crate) before_and_after: Spread,
    pub(crate) machine: Lateness,
}

/// How long good calls took, from the asking.
#[derive(Serialize)]
pub(crate) struct GoodCalls {
    pub(crate) n_spinners: usize,
    pub(crate) time: Spread,
    /// What that is beyond the median without spinners.
    pub(crate) added: Option<Added>,
    pub(crate) machine: Lateness,
}

/// What spinners add to a good call.
#[derive(Serialize)]
pub(crate) struct Added {
    p50_ms: f64,
    p99_ms: f64,
    /// In units of a tick for each spinner, of which there may be two.
    p50_ticks: f64,
    p99_ticks: f64,
}

impl GoodCalls {
    /// The same, with what it is beyond the calls without spinners.
    pub(crate) fn beside(self, own: &Self, n_spinners: usize) -> Self {
        let [p50_ms, p99_ms] = [self.time.p50_ms, self.time.p99_ms].map(|time| rounded(time - own.time.p50_ms));
        let tick = TICK.as_secs_f64() * 1e3 * n_spinners as f64;
        let added =
            Some(Added { p50_ms, p99_ms, p50_ticks: rounded(p50_ms / tick), p99_ticks: rounded(p99_ms / tick) });
        Self { added, ..self }
    }
}

/// How times are spread.
#[derive(Serialize)]
pub(crate) struct Spread {
    n: usize,
    p50_ms: f64,
    p90_ms: f64,
    p99_ms: f64,
    max_ms: f64,
}

impl Spread {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let nth = |percent: usize| {
            let idx = times.len().saturating_mul(percent).div_euclid(100).min(times.len().saturating_sub(1));
            rounded(times.get(idx).copied().unwrap_or_default().as_secs_f64() * 1e3)
        };
        Self { n: times.len(), p50_ms: nth(50), p90_ms: nth(90), p99_ms: nth(99), max_ms: nth(100) }
    }

    fn row(&self, what: &str) -> String {
        let Self { n, p50_ms, p90_ms, p99_ms, max_ms } = self;
        format!("{what:<45} {n:>7} {p50_ms:>9.3} {p90_ms:>9.3} {p99_ms:>9.3} {max_ms:>9.3}\n")
    }
}

impl Report {
    /// Tables for a terminal.
    pub(crate) fn render(&self) -> String {
        let head = format!("{:<45} {:>7} {:>9} {:>9} {:>9} {:>9}\n", "milliseconds", "n", "p50", "p90", "p99", "max");
        let mut out = format!("{WORKERS} workers, a deadline of {DEADLINE:?}, ticks of {TICK:?}\n{head}");
        for Overrun { n_spinners, beyond_deadline, before_and_after, machine } in &self.overruns {
            out += &beyond_deadline.row(&format!("a spin beside {n_spinners} others, beyond its deadline"));
            out += &before_and_after.row("  until it began, and after its end");
            out += &machine.render();
        }
        let goal = TICK.saturating_mul(2);
        out += &format!("goal: p99 at most {goal:?} and the longest uninterruptible step\n\n{head}");
        for GoodCalls { n_spinners, time, added, machine } in &self.good_calls {
            out += &time.row(&format!("a good call beside {n_spinners} spinners"));
            if let Some(Added { p50_ms, p99_ms, p50_ticks, p99_ticks }) = added {
                writeln!(
                    out,
                    "  added: p50 {p50_ms} ms, p99 {p99_ms} ms; in ticks × spinners {p50_ticks}, {p99_ticks}"
                )
                .expect("writing to a String cannot fail");
            }
            out += &machine.render();
        }
        out += "goal: added at most 2 ticks × spinners\n";
        out
    }
}

impl Lateness {
    fn render(&self) -> String {
        let shares = [
            self.tickers_waited_ms.map(|ms| format!("the tickers waited {ms:.3} ms a tick")),
            self.workers_without_a_core.map(|share| format!("workers without a core {:.1} %", share * 100.0)),
            self.stolen.map(|share| format!("stolen {:.1} %", share * 100.0)),
        ];
        let shares: Vec<String> = shares.into_iter().flatten().collect();
        let (ticks, sleeps) = (
            self.of_a_tick.row("  a thread's tick came late by"),
            self.of_a_sleep.row("  a thread's sleep ended late by"),
        );
        format!("{ticks}{sleeps}  {}\n", shares.join(", "))
    }
}

/// To a microsecond.
fn rounded(ms: f64) -> f64 {
    (ms * 1e3).round() / 1e3
}

//! Rounds: several ways of doing one thing, timed in turn.
//!
//! Each round times every way once, and the one that went first goes last in the next. A ratio is the median over pairs
//! of neighbours, so that a machine that slows down for a second slows both sides of the pair.

use std::time::{Duration, Instant};

use futures_util::future::LocalBoxFuture;

use crate::allocations;

/// How long one sample should take: far longer than reading the clock, far shorter than a scheduler's time slice.
const SAMPLE: Duration = Duration::from_micros(100);

/// Most runs of one sample; their inputs are made beforehand and lie in memory.
const MAX_RUNS: usize = 256;

/// How long all samples of one comparison take together.
const COMPARISON: Duration = Duration::from_millis(1_200);

/// Fewest and most rounds of one comparison. A median over fewer wanders, more only cost time.
const ROUNDS: (u32, u32) = (60, 4_000);

/// Rounds that are thrown away: caches, branch predictors and the pool's slots are cold in them.
const WARM_UP: u32 = 20;

/// Time and allocations of a number of runs.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    ns: f64,
    allocations: f64,
}

/// A running measurement.
pub(crate) struct Watch {
    start: Instant,
    allocations: u64,
}

impl Watch {
    #[expect(clippy::disallowed_methods, reason = "a benchmark is about the real clock")]
    pub(crate) fn start() -> Self {
        let allocations = allocations::so_far();
        Self { start: Instant::now(), allocations }
    }

    /// What one of `n_runs` runs cost since the start.
    pub(crate) fn stop(self, n_runs: usize) -> Sample {
        let time = self.start.elapsed();
        let allocations = allocations::so_far().wrapping_sub(self.allocations);
        let n_runs = n_runs as f64;
        Sample { ns: time.as_secs_f64() * 1e9 / n_runs, allocations: allocations as f64 / n_runs }
    }
}

/// One way of doing it: the function runs it so many times and says what one run cost.
pub(crate) struct Way<'w> {
    run: Box<dyn Fn(usize) -> LocalBoxFuture<'w, Sample> + 'w>,
    samples: Vec<Sample>,
}

impl<'w> Way<'w> {
    pub(crate) fn new(run: impl Fn(usize) -> LocalBoxFuture<'w, Sample> + 'w) -> Self {
        Self { run: Box::new(run), samples: Vec::new() }
    }
}

/// What one way costs, alone and against the first.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) ns: f64,
    pub(crate) allocations: f64,
    /// Lower quartile, median and upper quartile.
    pub(crate) ratio: [f64; 3],
    pub(crate) more_ns: f64,
}

/// Times the ways in turn; the costs are in the order of the ways.
pub(crate) async fn in_turn(mut ways: Vec<Way<'_>>) -> Vec<Cost> {
    let mut round_ns = 0.0;
    let mut n_runs = 1;
    for _ in 0..WARM_UP {
        let mut slowest = 0.0_f64;
        round_ns = 0.0;
        for way in &ways {
            let sample = (way.run)(n_runs).await;
            slowest = slowest.max(sample.ns);
            round_ns += sample.ns * n_runs as f64;
        }
        n_runs = runs_for(slowest);
    }
    for _ in 0..rounds_for(round_ns * ways.len() as f64) {
        // As many turns as there are ways: each goes first once, and in the end they stand as they stood.
        for _ in 0..ways.len() {
            for way in &mut ways {
                let sample = (way.run)(n_runs).await;
                way.samples.push(sample);
            }
            ways.rotate_left(1);
        }
    }
    let Some(first) = ways.first() else { return Vec::new() };
    ways.iter().map(|way| cost(first, way)).collect()
}

/// So many runs of this length fill one sample.
fn runs_for(ns: f64) -> usize {
    let one = Duration::from_secs_f64(ns.max(1.0) / 1e9).as_nanos();
    let n_runs = SAMPLE.as_nanos().checked_div(one).unwrap_or(1);
    usize::try_from(n_runs).unwrap_or(MAX_RUNS).clamp(1, MAX_RUNS)
}

/// So many rounds of this length fill one comparison.
fn rounds_for(ns: f64) -> u32 {
    let one = Duration::from_secs_f64(ns.max(1.0) / 1e9).as_nanos();
    let (min, max) = ROUNDS;
    let rounds = COMPARISON.as_nanos().checked_div(one).unwrap_or(1);
    u32::try_from(rounds).unwrap_or(max).clamp(min, max)
}

fn cost(first: &Way<'_>, way: &Way<'_>) -> Cost {
    let pairs = || first.samples.iter().zip(&way.samples);
    let [_, ns, _] = quartiles(way.samples.iter().map(|sample| sample.ns));
    let [_, allocations, _] = quartiles(way.samples.iter().map(|sample| sample.allocations));
    let [_, more_ns, _] = quartiles(pairs().map(|(base, sample)| sample.ns - base.ns));
    let ratio = quartiles(pairs().map(|(base, sample)| sample.ns / base.ns));
    Cost { ns, allocations, ratio, more_ns }
}

fn quartiles(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    let quarter = values.len().div_euclid(4);
    [1_usize, 2, 3].map(|nth| values.get(quarter.saturating_mul(nth)).copied().unwrap_or(f64::NAN))
}

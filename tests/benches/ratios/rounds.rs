//! Rounds: two ways of doing one thing, timed as a pair.
//!
//! A round times both, each with the same number of runs, and the one that went first goes second in the next. A ratio is the
//! median over the rounds, so that a machine that slows down for a second slows both sides of a pair.

use std::time::{Duration, Instant};

use futures_util::future::LocalBoxFuture;

use crate::allocations;

/// How long a sample of the slower way should take: far longer than reading the clock, far shorter than a scheduler's slice.
const SAMPLE: Duration = Duration::from_micros(100);

/// Most runs of one sample; their inputs are made beforehand and lie in memory.
const MAX_RUNS: usize = 256;

/// How long all samples of one pair take together.
const COMPARISON: Duration = Duration::from_millis(1_200);

/// Fewest and most rounds of one pair. A median over fewer wanders, more only cost time.
const ROUNDS: (u32, u32) = (8, 4_000);

/// Samples that are thrown away: caches, branch predictors and the pool's slots are cold in them. What takes longer than
/// [`SLOW`] has nothing to warm up.
const WARM_UP: u32 = 20;
const SLOW: Duration = Duration::from_millis(1);

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

/// One way of doing it: runs it so many times and says what one run cost.
pub(crate) struct Way<'w>(Box<dyn Fn(usize) -> LocalBoxFuture<'w, Sample> + 'w>);

impl<'w> Way<'w> {
    pub(crate) fn new(run: impl Fn(usize) -> LocalBoxFuture<'w, Sample> + 'w) -> Self {
        Self(Box::new(run))
    }

    /// One sample. A run before it is not counted, so that no way pays for the caches that the other has filled.
    async fn sample(&self, n_runs: usize) -> Sample {
        (self.0)(1).await;
        (self.0)(n_runs).await
    }

    /// Runs it until it is warm, and says what one run takes, about: as little as it took while nothing came in between.
    async fn warm_up(&self) -> f64 {
        let mut least = (self.0)(1).await.ns;
        for _ in 0..WARM_UP {
            if least > nanos(SLOW) {
                break;
            }
            least = (self.0)(runs_for(least)).await.ns.min(least);
        }
        least
    }
}

/// What one way costs, alone and against another.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) base_ns: f64,
    pub(crate) ns: f64,
    pub(crate) base_allocations: f64,
    pub(crate) allocations: f64,
    /// Lower quartile, median and upper quartile.
    pub(crate) ratio: [f64; 3],
    pub(crate) more_ns: f64,
    /// Runs of each sample, and samples of each side.
    pub(crate) n_runs: usize,
    pub(crate) n_rounds: usize,
}

/// Times a way against another.
pub(crate) async fn against(base: &Way<'_>, way: &Way<'_>) -> Cost {
    let (base_ns, ns) = (base.warm_up().await, way.warm_up().await);
    let n_runs = runs_for(base_ns.max(ns));
    let n_rounds = rounds_for((base_ns + ns) * (n_runs as f64 + 1.0));
    let mut pairs = Vec::new();
    for round in 0..n_rounds {
        if round.is_multiple_of(2) {
            let first = base.sample(n_runs).await;
            pairs.push((first, way.sample(n_runs).await));
        } else {
            let first = way.sample(n_runs).await;
            pairs.push((base.sample(n_runs).await, first));
        }
    }
    cost(&pairs, n_runs)
}

fn nanos(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
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
    let rounds = COMPARISON.as_nanos().checked_div(one).unwrap_or(1);
    let (min, max) = ROUNDS;
    u32::try_from(rounds).unwrap_or(max).clamp(min, max)
}

fn cost(pairs: &[(Sample, Sample)], n_runs: usize) -> Cost {
    let quartiles_of = |value: fn(&(Sample, Sample)) -> f64| quartiles(pairs.iter().map(value));
    let median = |value| {
        let [_, median, _] = quartiles_of(value);
        median
    };
    Cost {
        base_ns: median(|(base, _)| base.ns),
        ns: median(|(_, sample)| sample.ns),
        base_allocations: median(|(base, _)| base.allocations),
        allocations: median(|(_, sample)| sample.allocations),
        ratio: quartiles_of(|(base, sample)| sample.ns / base.ns),
        more_ns: median(|(base, sample)| sample.ns - base.ns),
        n_runs,
        n_rounds: pairs.len(),
    }
}

/// Lower quartile, median and upper quartile.
pub(crate) fn quartiles(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    let nth = |n: usize| values.get(n).copied().unwrap_or(f64::NAN);
    [1_usize, 2, 3].map(|quarters| nth(quarters.saturating_mul(values.len()).div_euclid(4)))
}

//! Rounds: several ways of doing one thing, timed in turn.
//!
//! Each turn times every way once, the slow ones sit out most; the one that went first goes last in the next. A ratio is the median over pairs
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

/// What takes so long that it would take all the time for itself: it sits out most turns, unless all ways are as slow.
const SLOW: Duration = Duration::from_millis(1);

/// Fewest samples of a way that sits out most turns.
const RARE: u32 = 8;

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
    /// Runs of one sample.
    n_runs: usize,
    /// It is timed in each so-manieth turn.
    every: u32,
    /// With the number of the turn each was taken in.
    samples: Vec<(u32, Sample)>,
}

impl<'w> Way<'w> {
    pub(crate) fn new(run: impl Fn(usize) -> LocalBoxFuture<'w, Sample> + 'w) -> Self {
        Self { run: Box::new(run), n_runs: 1, every: 1, samples: Vec::new() }
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
    let mut sample_ns = Vec::new();
    for way in &mut ways {
        sample_ns.push(warm_up(way).await);
    }
    let rare = sample_ns.first().map_or(f64::INFINITY, |first| (4.0 * first).max(nanos(SLOW)));
    let often_ns: f64 = sample_ns.iter().filter(|ns| **ns <= rare).sum();
    let n_ways = u32::try_from(ways.len()).unwrap_or(u32::MAX);
    let n_turns = samples_for(often_ns * f64::from(n_ways), ROUNDS).saturating_mul(n_ways);
    for (way, ns) in ways.iter_mut().zip(sample_ns).filter(|(_, ns)| *ns > rare) {
        way.every = n_turns.div_euclid(samples_for(ns, (RARE, n_turns.max(RARE)))).max(1);
    }
    for turn in 0..n_turns {
        for way in ways.iter_mut().filter(|way| turn.checked_rem(way.every) == Some(0)) {
            let sample = (way.run)(way.n_runs).await;
            way.samples.push((turn, sample));
        }
        // Each goes first once, and after as many turns as there are ways they stand as they stood.
        ways.rotate_left(1);
    }
    let Some(first) = ways.first() else { return Vec::new() };
    ways.iter().map(|way| cost(first, way)).collect()
}

/// Runs it until it is warm, finds out how many runs fill a sample, and gives back what a sample takes, about. What takes
/// far longer than one has nothing to warm up.
async fn warm_up(way: &mut Way<'_>) -> f64 {
    let mut ns = (way.run)(1).await.ns;
    for _ in 0..WARM_UP {
        if ns > nanos(SLOW) {
            break;
        }
        way.n_runs = runs_for(ns);
        ns = (way.run)(way.n_runs).await.ns;
    }
    ns * way.n_runs as f64
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

/// So many samples of this length fill one comparison.
fn samples_for(ns: f64, (min, max): (u32, u32)) -> u32 {
    let one = Duration::from_secs_f64(ns.max(1.0) / 1e9).as_nanos();
    let samples = COMPARISON.as_nanos().checked_div(one).unwrap_or(1);
    u32::try_from(samples).unwrap_or(max).clamp(min, max)
}

/// Pairs the samples of a way with those of the first from the same turns.
fn cost(first: &Way<'_>, way: &Way<'_>) -> Cost {
    let base_of = |turn: u32| {
        let found = first.samples.binary_search_by_key(&turn, |(turn, _)| *turn).ok();
        found.and_then(|idx| first.samples.get(idx)).map(|(_, base)| base)
    };
    let pairs = || way.samples.iter().filter_map(|(turn, sample)| Some((base_of(*turn)?, sample)));
    let [_, ns, _] = quartiles(way.samples.iter().map(|(_, sample)| sample.ns));
    let [_, allocations, _] = quartiles(way.samples.iter().map(|(_, sample)| sample.allocations));
    let [_, more_ns, _] = quartiles(pairs().map(|(base, sample)| sample.ns - base.ns));
    let ratio = quartiles(pairs().map(|(base, sample)| sample.ns / base.ns));
    Cost { ns, allocations, ratio, more_ns }
}

/// Lower quartile, median and upper quartile.
pub(crate) fn quartiles(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    let nth = |n: usize| values.get(n).copied().unwrap_or(f64::NAN);
    [1_usize, 2, 3].map(|quarters| nth(quarters.saturating_mul(values.len()).div_euclid(4)))
}

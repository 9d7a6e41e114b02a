//! Outcomes: how calls ended and how long each stage took, counted without a lock.
//!
//! A call adds one to each of at most eight numbers, none of which it waits for: one for how it ended, one for its fuel,
//! one for each stage. Threads count in shards of their own, so that two cores do not pass one cache line to and fro. What is
//! held is bounded by what is loaded: tools times codes, and never by the names that models invent.

use std::iter;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::histogram::{self, BUCKETS, Histogram};
use crate::refusal::Rule;
use crate::usage::{Stage, Steps, Usage};

/// How many sets of numbers there are. More threads than this share them, which costs them a cache line's way and nothing
/// else; each has 20 KB for the stages and a little for each tool.
const SHARDS: usize = 8;

/// How a call can end: done, or by a rule.
const ENDS: usize = Rule::ALL.len() + 1;

/// How the calls of one tool ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolStats {
    /// Its name; `None` for all names together that no tool has.
    pub tool: Option<String>,
    /// Calls that were answered.
    pub done: u64,
    /// Calls that never ran, by rule, in the order of the line. A statement about requests, so about what is declared.
    pub refused: Vec<(Rule, u64)>,
    /// Calls without an answer to use, by rule. A statement about the tool and the world.
    pub failed: Vec<(Rule, u64)>,
    /// Units of work its guests spent, all calls together.
    pub fuel: u64,
}

/// How long calls took in one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageStats {
    /// The stage.
    pub stage: Stage,
    /// The times of every call that came to it, in nanoseconds.
    pub nanoseconds: Histogram,
}

/// The numbers.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    /// Sorted; a tool's place here is its place in every shard, and the place behind them all is no tool's.
    names: Box<[Box<str>]>,
    shards: Box<[Shard]>,
}

#[derive(Debug)]
struct Shard {
    /// [`ENDS`] for each tool.
    ends: Box<[AtomicU64]>,
    /// One for each tool.
    fuel: Box<[AtomicU64]>,
    /// [`BUCKETS`] for each stage.
    times: Box<[AtomicU64]>,
}

impl Outcomes {
    /// Numbers for these tools, which come sorted.
    pub(crate) fn of<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let names: Box<[Box<str>]> = names.map(Box::from).collect();
        let n_tools = names.len().saturating_add(1);
        Self { names, shards: iter::repeat_with(|| Shard::of(n_tools)).take(SHARDS).collect() }
    }

    /// Counts one call.
    pub(crate) fn count(&self, tool: Option<&str>, rule: Option<Rule>, usage: &Usage) {
        let Some(shard) = self.shards.get(mine()) else { return };
        let tool = tool.and_then(|tool| self.names.binary_search_by(|name| (**name).cmp(tool)).ok());
        let tool = tool.unwrap_or(self.names.len());
        add(&shard.ends, tool.saturating_mul(ENDS).saturating_add(end(rule)), 1);
        if usage.fuel > 0 {
            add(&shard.fuel, tool, usage.fuel);
        }
        for (stage, time) in usage.stages.iter() {
            let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            let bucket = histogram::bucket(nanoseconds);
            add(&shard.times, stage.place().saturating_mul(BUCKETS).saturating_add(bucket), 1);
        }
    }

    pub(super) fn tools(&self) -> Vec<ToolStats> {
        let names = self.names.iter().map(|name| Some(name.to_string())).chain([None]);
        let tools = names.enumerate().map(|(tool, name)| {
            let ended = |rule| self.sum(|shard| &shard.ends, tool.saturating_mul(ENDS).saturating_add(end(rule)));
            let by_rule = |refusals: bool| {
                let rules = Rule::ALL.iter().filter(|rule| rule.is_refusal() == refusals);
                rules.map(|rule| (*rule, ended(Some(*rule)))).filter(|(_, n)| *n > 0).collect()
            };
            ToolStats {
                tool: name,
                done: ended(None),
                refused: by_rule(true),
                failed: by_rule(false),
                fuel: self.sum(|shard| &shard.fuel, tool),
            }
        });
        tools.collect()
    }

    pub(super) fn stages(&self) -> Vec<StageStats> {
        let stages = Stage::ALL.into_iter().map(|stage| {
            let mut nanoseconds = Histogram::default();
            for bucket in 0..BUCKETS {
                let at = stage.place().saturating_mul(BUCKETS).saturating_add(bucket);
                nanoseconds.add_many(bucket, self.sum(|shard| &shard.times, at));
            }
            StageStats { stage, nanoseconds }
        });
        stages.collect()
    }

    fn sum<'s>(&'s self, numbers: impl Fn(&'s Shard) -> &'s [AtomicU64], at: usize) -> u64 {
        let one = |shard| numbers(shard).get(at).map_or(0, |number| number.load(Ordering::Relaxed));
        self.shards.iter().map(one).fold(0, u64::saturating_add)
    }
}

impl Shard {
    fn of(n_tools: usize) -> Self {
        let zeros = |n| iter::repeat_with(AtomicU64::default).take(n).collect();
        Self {
            ends: zeros(n_tools.saturating_mul(ENDS)),
            fuel: zeros(n_tools),
            times: zeros(Stage::ALL.len().saturating_mul(BUCKETS)),
        }
    }
}

fn add(numbers: &[AtomicU64], at: usize, n: u64) {
    if let Some(number) = numbers.get(at) {
        number.fetch_add(n, Ordering::Relaxed);
    }
}

/// The place of an end: done, and then every rule in the order of the line.
fn end(rule: Option<Rule>) -> usize {
    rule.map_or(0, |rule| (rule as usize).saturating_add(1))
}

/// The shard that this thread counts in. Threads take them in turn.
fn mine() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static MINE: usize = NEXT.fetch_add(1, Ordering::Relaxed).rem_euclid(SHARDS);
    }
    MINE.try_with(|mine| *mine).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::Outcomes;
    use crate::refusal::Rule;
    use crate::usage::{Stage, Usage};

    fn usage(fuel: u64, stages: &[Stage]) -> Usage {
        let stages = stages.iter().map(|stage| (*stage, Duration::from_micros(7))).collect();
        Usage { fuel, stages, ..Usage::default() }
    }

    #[test]
    fn refusals_and_failures_are_counted_apart_and_names_nobody_has_together() {
        let outcomes = Outcomes::of(["a", "b"].into_iter());
        let threads = 20;
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    outcomes.count(Some("b"), None, &usage(100, &Stage::ALL));
                    outcomes.count(Some("b"), Some(Rule::ArgsType), &usage(0, &[Stage::Gate, Stage::Registry]));
                    outcomes.count(Some("b"), Some(Rule::ToolFuel), &usage(50, &Stage::ALL[..4]));
                    outcomes.count(None, Some(Rule::CallUnknownTool), &usage(0, &[Stage::Gate, Stage::Registry]));
                    outcomes.count(Some("zzz"), Some(Rule::CallTruncated), &usage(0, &[Stage::Gate]));
                });
            }
        });
        let tools = outcomes.tools();
        let [a, b, unknown] = tools.as_slice() else { panic!("two tools and no tool: {tools:?}") };
        assert_eq!((a.tool.as_deref(), a.done, a.refused.len(), a.failed.len()), (Some("a"), 0, 0, 0));
        assert_eq!((b.done, b.fuel), (threads, threads * 150));
        assert_eq!(b.refused, [(Rule::ArgsType, threads)]);
        assert_eq!(b.failed, [(Rule::ToolFuel, threads)]);
        assert_eq!(unknown.tool, None);
        assert_eq!(unknown.refused, [(Rule::CallTruncated, threads), (Rule::CallUnknownTool, threads)]);
        let n: Vec<u64> = outcomes.stages().iter().map(|stage| stage.nanoseconds.n()).collect();
        assert_eq!(n, [threads * 5, threads * 4, threads * 2, threads * 2, threads]);
        assert!(outcomes.stages().iter().all(|stage| stage.nanoseconds.percentile(99) >= Some(7_000)));
    }
}

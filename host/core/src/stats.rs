//! Stats: counts over all calls of a host. Nothing here decides anything.
//!
//! Refusals and failures are counted apart: the first say what is wrong with the tools' declarations, the second with the
//! tools and what they stand on. What single calls were like is for the log (`call_log`), conclusions are for `report`.

mod outcomes;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use self::outcomes::Outcomes;
pub use self::outcomes::{StageStats, ToolStats};

/// A snapshot of a host's counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Stores made for calls. A refused call makes none.
    pub stores_created: u64,
    /// Of those, the ones that are still there.
    pub stores_alive: u64,
    /// Calls that wait for a place.
    pub calls_waiting: u64,
    /// Stores made at load, to read the contracts of unpacked components.
    pub stores_created_at_load: u64,
    /// How the calls of each tool ended, sorted by name; last of all those that no tool was found for, together.
    pub tools: Vec<ToolStats>,
    /// How long calls took in each stage, in the order of the line.
    pub stages: Vec<StageStats>,
}

/// Counts stores, and hands out a token per store that says when it is gone.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    created: AtomicU64,
    alive: AtomicU64,
}

impl Stores {
    pub(crate) fn created(&self) -> Alive<'_> {
        self.created.fetch_add(1, Ordering::Relaxed);
        self.alive.fetch_add(1, Ordering::Relaxed);
        Alive(self)
    }

    /// Stores that are there now.
    pub(crate) fn alive(&self) -> u64 {
        self.alive.load(Ordering::Relaxed)
    }
}

/// Lives as long as its store does.
#[derive(Debug)]
pub(crate) struct Alive<'s>(&'s Stores);

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All counts of a host.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) calls: Arc<Stores>,
    pub(crate) loads: Arc<Stores>,
    pub(crate) outcomes: Outcomes,
}

impl Counters {
    pub(crate) fn snapshot(&self, n_waiting: usize) -> Stats {
        Stats {
            calls_waiting: u64::try_from(n_waiting).unwrap_or(u64::MAX),
            stores_created: self.calls.created.load(Ordering::Relaxed),
            stores_alive: self.calls.alive(),
            stores_created_at_load: self.loads.created.load(Ordering::Relaxed),
            tools: self.outcomes.tools(),
            stages: self.outcomes.stages(),
        }
    }
}

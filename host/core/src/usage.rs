//! Usage: what a call cost, stage by stage, whether or not it came to an answer.
//!
//! Only adds up. Limits stand in `sandbox::budget`, sums over many calls in `stats`.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::units::ByteCount;

/// The stages a call passes on its way, in order. `wire` and `reply` work on whole messages and are not timed per call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Bytes to an object.
    Gate,
    /// The tool, and the arguments against its schema.
    Registry,
    /// Room and deadline.
    Dispatch,
    /// The guest.
    Sandbox,
    /// The result.
    Check,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Gate, Self::Registry, Self::Dispatch, Self::Sandbox, Self::Check];

    /// The stage's name, the same as its module's.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Registry => "registry",
            Self::Dispatch => "dispatch",
            Self::Sandbox => "sandbox",
            Self::Check => "check",
        }
    }
}

/// What one call cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Units of work the guest spent. Of one that was interrupted or cancelled while it computed: as far as it had told when
    /// it last called or left a function, since compiled code keeps the count to itself in between.
    pub fuel: u64,
    /// Most bytes of memories and tables at once.
    pub memory: ByteCount,
    /// Calls of the guest into its host. Each is charged to the fuel.
    pub host_calls: u64,
    /// Bytes the guest logged, printed or drew as randomness. Each is charged to the fuel.
    pub host_bytes: ByteCount,
    /// Bytes of the result the guest handed out, accepted or not.
    pub result: ByteCount,
    /// Bytes the guest wrote to its log and the host kept.
    pub log: ByteCount,
    /// Bytes of log beyond the limit, dropped.
    pub log_dropped: ByteCount,
    /// Bytes the guest printed and the host kept.
    pub output: ByteCount,
    /// Bytes printed beyond the limit, dropped.
    pub output_dropped: ByteCount,
    /// Time in each stage the call came to. Compiling is none of them: that was done at load.
    pub stages: Vec<(Stage, Duration)>,
}

impl Usage {
    /// Time in all stages together.
    pub fn total(&self) -> Duration {
        self.stages.iter().fold(Duration::ZERO, |sum, (_, time)| sum.saturating_add(*time))
    }
}

/// A stop-watch that goes from stage to stage.
#[derive(Debug)]
pub(crate) struct Laps {
    clock: Arc<dyn Clock>,
    last: Duration,
    pub(crate) usage: Usage,
}

impl Laps {
    /// A watch that has not been started: reading the clock is the first thing a call's own walk does.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            last: Duration::ZERO,
            usage: Usage { stages: Vec::with_capacity(Stage::ALL.len()), ..Usage::default() },
        }
    }

    pub(crate) fn start(&mut self) {
        self.last = self.clock.now();
    }

    /// Notes that a stage has just ended, however it ended, and hands its outcome on.
    pub(crate) fn passed<T>(&mut self, stage: Stage, outcome: T) -> T {
        let now = self.clock.now();
        self.usage.stages.push((stage, now.saturating_sub(self.last)));
        self.last = now;
        outcome
    }
}

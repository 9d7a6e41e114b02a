//! Usage: what a call cost, stage by stage, whether or not it came to an answer.
//!
//! Only adds up. Limits stand in `sandbox::budget`, sums over many calls in `stats`.

use std::marker::PhantomData;
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
    /// Whether the caller may make it, what a session remembers of it, room and deadline.
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

/// The steps of the stage `sandbox`, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// A store with every bound set.
    Store,
    /// The guest's memories, tables and start functions.
    Instantiate,
    /// The guest's own work, with its arguments going in and its answer coming out.
    Call,
    /// Everything given back.
    Drop,
}

impl Phase {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Store, Self::Instantiate, Self::Call, Self::Drop];

    /// The step's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Instantiate => "instantiate",
            Self::Call => "call",
            Self::Drop => "drop",
        }
    }
}

/// What is timed step by step.
pub trait Steps<const N: usize>: Copy + 'static {
    /// All of them, in the order in which a call passes them.
    const STEPS: [Self; N];

    /// Where in that order this one stands, from 0.
    fn place(self) -> usize;
}

impl Steps<5> for Stage {
    const STEPS: [Self; 5] = Self::ALL;

    fn place(self) -> usize {
        self as usize
    }
}

impl Steps<4> for Phase {
    const STEPS: [Self; 4] = Self::ALL;

    fn place(self) -> usize {
        self as usize
    }
}

/// Time in each of `N` steps, as far as a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times<S, const N: usize> {
    times: [Option<Duration>; N],
    of: PhantomData<S>,
}

impl<S, const N: usize> Default for Times<S, N> {
    fn default() -> Self {
        Self { times: [None; N], of: PhantomData }
    }
}

/// Each step with all its times.
impl<S: Steps<N>, const N: usize> FromIterator<(S, Duration)> for Times<S, N> {
    fn from_iter<I: IntoIterator<Item = (S, Duration)>>(steps: I) -> Self {
        let mut times = Self::default();
        steps.into_iter().for_each(|(step, time)| times.note(step, time));
        times
    }
}

impl<S: Steps<N>, const N: usize> Times<S, N> {
    /// The steps that the call came to and their times, in order.
    pub fn iter(&self) -> impl Iterator<Item = (S, Duration)> {
        S::STEPS.into_iter().zip(self.times).filter_map(|(step, time)| time.map(|time| (step, time)))
    }

    /// Time in this step; nothing where the call did not come to it.
    pub fn of(&self, step: S) -> Option<Duration> {
        self.times.get(step.place()).copied().flatten()
    }

    /// Adds what a step took; a call that is tried more than once comes to it again.
    fn note(&mut self, step: S, time: Duration) {
        if let Some(sum) = self.times.get_mut(step.place()) {
            *sum = Some(sum.map_or(time, |before| before.saturating_add(time)));
        }
    }

    /// Adds what another run took.
    pub(crate) fn add(&mut self, run: &Self) {
        run.iter().for_each(|(step, time)| self.note(step, time));
    }
}

/// What one call cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Units of work the guest spent. Of one that was interrupted or cancelled, or that the processor stopped (an access out of
    /// bounds, a division by zero), while it computed: as far as it had told when it last called or left a function, since
    /// compiled code keeps the count to itself in between.
    pub fuel: u64,
    /// Most bytes of memories and tables at once.
    pub memory: ByteCount,
    /// Calls of the guest into its host. Each is charged to the fuel.
    pub host_calls: u64,
    /// Bytes the guest logged, printed or drew as randomness. Each is charged to the fuel.
    pub host_bytes: ByteCount,
    /// Bytes of the result the guest handed out, accepted or not; 0 where it was more than is taken out of a guest at once.
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
    pub stages: Times<Stage, 5>,
    /// Time in each step of the stage `sandbox` the call came to.
    pub phases: Times<Phase, 4>,
}

impl Usage {
    /// Time in all stages together.
    pub fn total(&self) -> Duration {
        self.stages.iter().fold(Duration::ZERO, |sum, (_, time)| sum.saturating_add(time))
    }
}

/// A stop-watch that goes from step to step.
#[derive(Debug)]
pub(crate) struct Laps<'c, S, const N: usize> {
    clock: &'c dyn Clock,
    last: Duration,
    pub(crate) times: Times<S, N>,
}

impl<'c, S: Steps<N>, const N: usize> Laps<'c, S, N> {
    /// A watch that has not been started: reading the clock is the first thing a call's own walk does.
    pub(crate) fn new(clock: &'c dyn Clock) -> Self {
        Self::since(Duration::ZERO, clock)
    }

    /// A watch for the finer steps of something that began then.
    pub(crate) fn since(began: Duration, clock: &'c dyn Clock) -> Self {
        Self { clock, last: began, times: Times::default() }
    }

    /// Starts it.
    pub(crate) fn start(&mut self) {
        self.last = self.clock.now();
    }

    /// When the last step ended, or it was started.
    pub(crate) const fn last(&self) -> Duration {
        self.last
    }

    /// Notes that a step has just ended, however it ended, and hands its outcome on.
    pub(crate) fn passed<T>(&mut self, step: S, outcome: T) -> T {
        self.passed_at(self.clock.now(), step);
        outcome
    }

    /// Notes that a step ended then, however it ended.
    pub(crate) fn passed_at(&mut self, end: Duration, step: S) {
        self.times.note(step, end.saturating_sub(self.last));
        self.last = end;
    }
}

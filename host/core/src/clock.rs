//! Clock: the one place that asks what time it is.
//!
//! A call carries its host's clock, so tests drive time by hand and can make reading it fail. Guests never see it.

use std::fmt::Debug;
use std::time::{Duration, Instant};

/// A clock that only goes forward.
///
/// Laps of the stages and the deadlines of calls are read from it. The wall-clock timeout around a call and the ticker
/// that makes guests yield run on real time, so a clock that stands still cannot keep a guest alive.
pub trait Clock: Debug + Send + Sync {
    /// Time since a moment of the clock's own choosing.
    fn now(&self) -> Duration;
}

/// The operating system's monotonic clock.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that reads zero now.
    #[expect(clippy::disallowed_methods, reason = "the one reader of real time; everything else asks a `Clock`")]
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

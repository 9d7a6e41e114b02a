//! Deadline: when a guest's time is over, and the two that see to it.
//!
//! The ticker makes a guest that runs yield and look at its deadline; a timer ends one that waits. Neither does for the other:
//! compiled code hears no timer, and a guest that waits is at no tick.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use wasmtime::UpdateDeadline;

use crate::clock::Clock;

/// When a guest's time is over, kept where its ticks find it.
#[derive(Debug)]
pub(crate) struct Deadline {
    clock: Arc<dyn Clock>,
    at: Duration,
}

impl Deadline {
    pub(crate) const fn new(clock: Arc<dyn Clock>, at: Duration) -> Self {
        Self { clock, at }
    }

    /// At a tick a guest steps back, so that everything else on its thread is served first, and goes on until its deadline.
    pub(crate) fn at_tick(&self) -> UpdateDeadline {
        if self.clock.now() >= self.at {
            return UpdateDeadline::Interrupt;
        }
        // The runtime's own yield wakes itself at once; this one lets timers and input be looked at in between.
        UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now()))
    }
}

/// Does the work unless the time runs out first. A timer costs more than half a microsecond, and a call that neither waits nor
/// outlasts a tick is over at its first poll: one is set for the others only.
///
/// The work is polled once each time its task has its turn, or a guest's first yield would be none.
pub(crate) async fn within<T>(deadline: Duration, clock: &dyn Clock, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut timer = pin!(None::<tokio::time::Sleep>);
    poll_fn(|context| {
        // The time is looked at first: a guest whose deadline passed while others had its thread gets no further tick.
        if let Some(timer) = timer.as_mut().as_pin_mut()
            && timer.poll(context).is_ready()
        {
            return Poll::Ready(None);
        }
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Some(done));
        }
        if timer.is_none() {
            timer.set(Some(tokio::time::sleep(deadline.saturating_sub(clock.now()))));
            // Polled once, so that it wakes this task.
            return timer.as_mut().as_pin_mut().map_or(Poll::Pending, |timer| timer.poll(context).map(|()| None));
        }
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::within;
    use crate::clock::{Clock, SystemClock};

    const TIME: Duration = Duration::from_millis(20);

    /// How many slices a guest that steps back after each has had when another task of its thread gets its first turn, and in
    /// all, where that task holds the thread for so long.
    fn slices(held: Duration) -> (usize, usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("builds");
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let had = Arc::new(AtomicUsize::new(0));
        let other = {
            let (clock, had) = (Arc::clone(&clock), Arc::clone(&had));
            runtime.spawn(async move {
                let seen = had.load(Ordering::Relaxed);
                let until = clock.now().saturating_add(held);
                while clock.now() < until {}
                seen
            })
        };
        let guest = async {
            loop {
                had.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        };
        let ended: Option<()> = runtime.block_on(within(clock.now().saturating_add(TIME), clock.as_ref(), guest));
        assert_eq!(ended, None, "its time is over");
        (runtime.block_on(other).expect("it does not panic"), had.load(Ordering::Relaxed))
    }

    #[test]
    fn a_guest_that_steps_back_lets_others_have_their_turn_the_first_time_too() {
        let (before_others, in_all) = slices(Duration::ZERO);
        assert_eq!(before_others, 1);
        assert!(in_all > 1);
    }

    #[test]
    fn a_guest_whose_deadline_passed_while_others_had_its_thread_gets_no_further_slice() {
        assert_eq!(slices(TIME.saturating_mul(2)), (1, 1));
    }
}

//! Memory: results of reads, so that the same question is not run twice.
//!
//! Successes only, and only where the same call has the same answer: of pure tools, and of those that the operator marked.
//! A failure is never remembered, since limits and machines differ. Which calls come here is `session::past`'s to say.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{self, Either};
use moka::future::Cache;

use super::key::MemoKey;
use super::settings::SessionLimits;
use crate::cancel::Cancel;
use crate::check::Checked;
use crate::clock::Clock;
use crate::refusal::{Failure, HostFailure, NotDone};
use crate::reply::Origin;
use crate::units::ByteCount;

/// What an entry weighs beside its text: its key, and what the cache notes of it.
const ENTRY: u32 = 256;

/// What a session remembers of its reads.
#[derive(Debug)]
pub(crate) struct Memory {
    reads: Cache<MemoKey, Arc<Remembered>>,
    max_age: Duration,
    clock: Arc<dyn Clock>,
}

/// One read.
#[derive(Debug)]
struct Remembered {
    checked: Checked,
    at: Duration,
}

impl Memory {
    /// Nothing where nothing is to be remembered.
    pub(crate) fn new(limits: &SessionLimits, clock: Arc<dyn Clock>) -> Option<Self> {
        if limits.memory == ByteCount::default() {
            return None;
        }
        let reads = Cache::builder()
            .max_capacity(limits.memory.get())
            .weigher(|_, read: &Arc<Remembered>| {
                u32::try_from(read.checked.text().len()).unwrap_or(u32::MAX).saturating_add(ENTRY)
            })
            // What nobody asks for any more goes by real time; what is handed out is held against our own clock.
            .time_to_live(limits.memory_age)
            .build();
        Some(Self { reads, max_age: limits.memory_age, clock })
    }

    /// The answer that is remembered, or that an equal call is just finding, or else the one that `run` finds. `run` is
    /// begun only in the last case.
    pub(crate) async fn answer(
        &self,
        key: &MemoKey,
        cancel: &Cancel,
        run: impl Future<Output = Result<Checked, NotDone>>,
    ) -> (Result<Checked, NotDone>, Origin) {
        let mut run = pin!(run);
        let ran = AtomicBool::new(false);
        let mut cancelled = pin!(cancel.ended());
        loop {
            let find = self.reads.try_get_with_by_ref(key, async {
                ran.store(true, Ordering::Relaxed);
                let checked = run.as_mut().await?;
                Ok(Arc::new(Remembered { checked, at: self.clock.now() }))
            });
            let found: Result<_, Arc<NotDone>> = match future::select(pin!(find), cancelled.as_mut()).await {
                Either::Left((found, _)) => found,
                // A call that runs hears of it itself, and says what it may have done by then.
                Either::Right(((), find)) if ran.load(Ordering::Relaxed) => find.await,
                Either::Right(_) => {
                    return (Err(NotDone::Failed(Failure::Host(HostFailure::Cancelled { began: false }))), Origin::Run);
                }
            };
            let ran = ran.load(Ordering::Relaxed);
            match found {
                Ok(read) if ran => return (Ok(read.checked.clone()), Origin::Run),
                Ok(read) if self.is_young(&read) => {
                    return (Ok(read.checked.clone()), Origin::Memory);
                }
                Ok(_too_old) => self.reads.invalidate(key).await,
                Err(not_done) if ran => {
                    return (Err(Arc::unwrap_or_clone(not_done)), Origin::Run);
                }
                // Whoever ran it was cancelled, which is no answer to this call: the next one runs it.
                Err(not_done) if is_cancelled(&not_done) => {}
                Err(_of_another_call) => return (run.await, Origin::Run),
            }
        }
    }
}

impl Memory {
    /// The answer that is remembered, where nobody has to be waited for.
    pub(crate) fn find(&self, key: &MemoKey) -> Option<Checked> {
        let read = self.reads.get(key).now_or_never().flatten()?;
        self.is_young(&read).then(|| read.checked.clone())
    }

    fn is_young(&self, read: &Remembered) -> bool {
        self.clock.now().saturating_sub(read.at) <= self.max_age
    }
}

const fn is_cancelled(not_done: &NotDone) -> bool {
    matches!(not_done, NotDone::Failed(Failure::Host(HostFailure::Cancelled { began: _ })))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::{pending, ready};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use futures_util::future::join;
    use futures_util::{FutureExt, poll};

    use super::{Memory, Remembered};
    use crate::cancel::Cancel;
    use crate::check::Checked;
    use crate::clock::Clock;
    use crate::refusal::{Failure, HostFailure, NotDone};
    use crate::reply::Origin;
    use crate::sandbox::stop::ToolFailure;
    use crate::session::key::MemoKey;
    use crate::session::settings::SessionLimits;
    use crate::units::ByteCount;

    #[derive(Debug, Default)]
    struct Seconds(AtomicU64);

    impl Clock for Seconds {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.load(Ordering::Relaxed))
        }
    }

    const FAILED: NotDone = NotDone::Failed(Failure::Tool(ToolFailure::OutOfStack));
    const CANCELLED: NotDone = NotDone::Failed(Failure::Host(HostFailure::Cancelled { began: true }));

    fn memory(limits: SessionLimits) -> (Memory, Arc<Seconds>) {
        let clock = Arc::new(Seconds::default());
        (Memory::new(&limits, Arc::clone(&clock) as Arc<dyn Clock>).expect("something is remembered"), clock)
    }

    fn result(text: &str) -> Checked {
        Checked::kept(text.to_owned(), 0).expect("JSON")
    }

    fn on_one_thread<T>(test: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(test)
    }

    /// A run that is counted, waits for others once, and ends like this.
    async fn run(n_runs: &Cell<u32>, outcome: Result<Checked, NotDone>) -> Result<Checked, NotDone> {
        n_runs.set(n_runs.get().saturating_add(1));
        tokio::task::yield_now().await;
        outcome
    }

    #[test]
    fn two_equal_reads_at_once_run_once_and_a_later_one_not_at_all() {
        let (memory, _) = memory(SessionLimits::default());
        let (key, never, n_runs) = (MemoKey::plain("a"), Cancel::never(), Cell::new(0));
        let read = || memory.answer(&key, &never, run(&n_runs, Ok(result("1"))));
        on_one_thread(async {
            let (first, second) = join(read(), read()).await;
            assert_eq!((first, second), ((Ok(result("1")), Origin::Run), (Ok(result("1")), Origin::Memory)));
            assert_eq!(read().await.1, Origin::Memory);
            assert_eq!(n_runs.get(), 1);
            let other = MemoKey::plain("b");
            assert_eq!(
                memory.answer(&other, &never, run(&n_runs, Ok(result("2")))).await,
                (Ok(result("2")), Origin::Run)
            );
        });
    }

    #[test]
    fn a_failure_is_never_remembered_nor_shared() {
        let (memory, _) = memory(SessionLimits::default());
        let (key, never, n_runs) = (MemoKey::plain("a"), Cancel::never(), Cell::new(0));
        on_one_thread(async {
            let failing = memory.answer(&key, &never, run(&n_runs, Err(FAILED)));
            let good = memory.answer(&key, &never, run(&n_runs, Ok(result("1"))));
            assert_eq!(join(failing, good).await, ((Err(FAILED), Origin::Run), (Ok(result("1")), Origin::Run)));
            assert_eq!(memory.answer(&key, &never, run(&n_runs, Err(FAILED))).await.1, Origin::Run);
            assert_eq!(n_runs.get(), 3);
        });
    }

    #[test]
    fn a_cancelled_or_dropped_leader_leaves_its_followers() {
        let (memory, _) = memory(SessionLimits::default());
        let (never, n_runs) = (Cancel::never(), Cell::new(0));
        on_one_thread(async {
            let key = MemoKey::plain("cancelled");
            let leader = memory.answer(&key, &never, run(&n_runs, Err(CANCELLED)));
            let follower = memory.answer(&key, &never, run(&n_runs, Ok(result("1"))));
            assert_eq!(join(leader, follower).await, ((Err(CANCELLED), Origin::Run), (Ok(result("1")), Origin::Run)));
            let key = MemoKey::plain("dropped");
            let mut leader = Box::pin(memory.answer(&key, &never, pending()));
            let mut follower = Box::pin(memory.answer(&key, &never, run(&n_runs, Ok(result("1")))));
            assert!(poll!(leader.as_mut()).is_pending() && poll!(follower.as_mut()).is_pending());
            drop(leader);
            assert_eq!(follower.await, (Ok(result("1")), Origin::Run));
        });
    }

    #[test]
    fn a_cancelled_follower_leaves_its_leader() {
        let (memory, _) = memory(SessionLimits::default());
        let (key, never, n_runs) = (MemoKey::plain("a"), Cancel::never(), Cell::new(0));
        on_one_thread(async {
            let mut leader = Box::pin(memory.answer(&key, &never, run(&n_runs, Ok(result("1")))));
            assert!(poll!(leader.as_mut()).is_pending());
            let gone = Cancel::when(ready(()));
            let follower = memory.answer(&key, &gone, run(&n_runs, Ok(result("2")))).now_or_never();
            let cancelled = NotDone::Failed(Failure::Host(HostFailure::Cancelled { began: false }));
            assert_eq!(follower, Some((Err(cancelled), Origin::Run)));
            assert_eq!(leader.await, (Ok(result("1")), Origin::Run));
        });
        assert_eq!(n_runs.get(), 1);
    }

    #[test]
    fn what_is_too_old_is_read_again() {
        let (memory, clock) = memory(SessionLimits { memory_age: Duration::from_secs(60), ..SessionLimits::default() });
        let (key, never, n_runs) = (MemoKey::plain("a"), Cancel::never(), Cell::new(0));
        on_one_thread(async {
            for (now, origin) in [(0, Origin::Run), (60, Origin::Memory), (61, Origin::Run), (121, Origin::Memory)] {
                clock.0.store(now, Ordering::Relaxed);
                assert_eq!(memory.answer(&key, &never, run(&n_runs, Ok(result("1")))).await.1, origin, "at {now} s");
            }
        });
    }

    #[test]
    fn no_more_than_its_bytes_are_remembered_and_none_where_none_are_given() {
        let max = ByteCount::kib(64);
        let (memory, _) = memory(SessionLimits { memory: max, ..SessionLimits::default() });
        let (never, n_runs) = (Cancel::never(), Cell::new(0));
        let text = format!("\"{}\"", "x".repeat(4_000));
        on_one_thread(async {
            for nth in 0..100 {
                let read = run(&n_runs, Ok(result(&text)));
                assert_eq!(memory.answer(&MemoKey::plain(&nth.to_string()), &never, read).await.1, Origin::Run);
            }
            let reads = &memory.reads;
            reads.run_pending_tasks().await;
            assert!(reads.weighted_size() <= max.get() && reads.entry_count() > 1, "{}", reads.weighted_size());
        });
        let nothing = SessionLimits { memory: ByteCount::new(0), ..SessionLimits::default() };
        assert!(Memory::new(&nothing, Arc::new(Seconds::default())).is_none());
        assert!(size_of::<Remembered>() < 256, "an entry weighs what it is said to weigh");
    }
}

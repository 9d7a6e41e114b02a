//! Dispatch: is there room for the call, and may it wait until there is?
//!
//! The last stage before a guest exists: from here on a call costs a store. Holds the call's place until the store is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::auth::Authorised;
use crate::cancel::{Cancel, Cancelled};
use crate::clock::Clock;
use crate::engine::MAX_CALLS;
use crate::json::Json;
use crate::tool::Tool;

/// Most calls that wait for a place. Each holds its arguments in memory, so an endless queue would be a way to fill it.
pub const MAX_WAITING: usize = 1024;

/// Longest wait for a place; the caller is then told that the host is full, which is better than no answer.
pub const MAX_WAIT: Duration = Duration::from_secs(30);

/// Why a call that is in order was not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotPlaced {
    /// There was no room.
    Overloaded,
    /// Its caller did not wait for room.
    Cancelled,
}

/// Whether a call is answered beside others of its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Company {
    /// It is the only one, and runs where its caller waits.
    Alone,
    /// It has others beside it, and runs on a task of its own.
    Others,
}

/// On what terms a call is run.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) company: Company,
    pub(crate) cancel: Cancel,
    /// When all of it has to be over, by the host's clock, where that is not the call's own affair alone.
    pub(crate) until: Option<Duration>,
}

impl Terms {
    /// The time until then, where there is an end.
    pub(crate) fn time_left(&self, clock: &dyn Clock) -> Option<Duration> {
        self.until.map(|until| until.saturating_sub(clock.now()))
    }
}

/// A call with a place to run in. Made only by [`Dispatch::place`].
#[derive(Debug)]
pub(crate) struct Placed {
    authorised: Authorised,
    terms: Terms,
    /// Given back when the call's store is gone.
    _place: OwnedSemaphorePermit,
}

impl Placed {
    pub(crate) const fn tool(&self) -> &Arc<Tool> {
        self.authorised.tool()
    }

    pub(crate) fn arguments(&self) -> &str {
        self.authorised.arguments()
    }

    /// Gives the place back, and the arguments to whoever holds the result against them.
    pub(crate) fn into_arguments(self) -> Json {
        self.authorised.into_arguments()
    }

    pub(crate) const fn terms(&self) -> &Terms {
        &self.terms
    }
}

/// The stage that gives out places.
#[derive(Debug)]
pub(crate) struct Dispatch {
    places: Arc<Semaphore>,
    n_waiting: AtomicUsize,
}

impl Dispatch {
    /// As many places as the engine's pool has slots, so that a placed call always finds one.
    pub(crate) fn new() -> Self {
        Self { places: Arc::new(Semaphore::new(MAX_CALLS)), n_waiting: AtomicUsize::new(0) }
    }

    /// How many calls wait for a place now.
    pub(crate) fn n_waiting(&self) -> usize {
        self.n_waiting.load(Ordering::Relaxed)
    }

    /// Waits for a place, first come, first served, for as long as the caller does and there is time.
    pub(crate) async fn place(
        &self,
        authorised: Authorised,
        terms: Terms,
        clock: &dyn Clock,
    ) -> Result<Placed, NotPlaced> {
        let most = terms.time_left(clock).unwrap_or(MAX_WAIT).min(MAX_WAIT);
        let place = terms.cancel.or(self.find(most)).await.map_err(|Cancelled| NotPlaced::Cancelled)??;
        Ok(Placed { authorised, terms, _place: place })
    }

    async fn find(&self, most: Duration) -> Result<OwnedSemaphorePermit, NotPlaced> {
        match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => Ok(place),
            Err(_none_free) => self.wait(most).await,
        }
    }

    async fn wait(&self, most: Duration) -> Result<OwnedSemaphorePermit, NotPlaced> {
        let waiting = Waiting::join(&self.n_waiting)?;
        let place = tokio::time::timeout(most, Arc::clone(&self.places).acquire_owned()).await;
        drop(waiting);
        match place {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(NotPlaced::Overloaded),
        }
    }
}

/// One place in the queue, left when the wait ends in whatever way.
struct Waiting<'q>(&'q AtomicUsize);

impl<'q> Waiting<'q> {
    fn join(n_waiting: &'q AtomicUsize) -> Result<Self, NotPlaced> {
        let before = n_waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Self(n_waiting);
        if before < MAX_WAITING { Ok(waiting) } else { Err(NotPlaced::Overloaded) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

//! Cancel: a caller's word that it does not want its answers any more.
//!
//! Travels with a call and is listened to wherever the call waits or its guest runs. What a cancelled call is answered with
//! is for `refusal` and `reply` to say; a caller that drops the future instead is gone, and is not answered at all.

use std::fmt;
use std::future::Future;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};

/// The call was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cancelled;

/// When a call is to be cancelled. Cheap to clone, and nothing at all for a caller that never cancels.
#[derive(Clone)]
pub(crate) struct Cancel(Option<Shared<BoxFuture<'static, ()>>>);

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.0.is_some()).finish()
    }
}

impl Cancel {
    /// Never.
    pub(crate) const fn never() -> Self {
        Self(None)
    }

    /// When this future ends.
    pub(crate) fn when(future: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Some(future.boxed().shared()))
    }

    /// Ends when it is cancelled.
    pub(crate) async fn ended(&self) {
        match &self.0 {
            Some(cancelled) => cancelled.clone().await,
            None => std::future::pending().await,
        }
    }

    /// Does the work unless it is cancelled before; work that was begun is dropped where it stands.
    pub(crate) async fn or<T>(&self, work: impl Future<Output = T>) -> Result<T, Cancelled> {
        let Some(cancelled) = &self.0 else {
            return Ok(work.await);
        };
        // Cancellation is looked at first, so that nothing is begun once the caller has gone.
        tokio::select! {
            biased;
            () = cancelled.clone() => Err(Cancelled),
            done = work => Ok(done),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use futures_util::FutureExt;

    use super::{Cancel, Cancelled};

    #[test]
    fn nothing_is_begun_once_it_is_cancelled() {
        let mut began = false;
        let outcome = Cancel::when(ready(())).or(async { began = true }).now_or_never();
        assert_eq!(outcome, Some(Err(Cancelled)));
        assert!(!began);
        assert_eq!(Cancel::when(pending()).or(ready(1)).now_or_never(), Some(Ok(1)));
        assert_eq!(Cancel::never().or(ready(1)).now_or_never(), Some(Ok(1)));
    }
}

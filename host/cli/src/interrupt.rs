//! Interrupt: Ctrl-C cancels the calls and not the program, so that every call is still answered.
//!
//! While tools are loaded, before anything is called, it ends the program as everywhere else.

use std::future::pending;

use toolgate::{Failure, HostFailure, Reply, Verdict};

use crate::screen::Outcome;

/// Ends when Ctrl-C is pressed; never, where the system does not tell.
pub(crate) async fn pressed() {
    match tokio::signal::ctrl_c().await {
        Ok(()) => {}
        Err(_untold) => pending().await,
    }
}

/// That the calls were interrupted, if one of them was, or else what became of them.
pub(crate) fn or_else(replies: &[Reply], outcome: Outcome) -> Outcome {
    let is_cancelled =
        |reply: &Reply| matches!(reply.verdict, Verdict::Failed(Failure::Host(HostFailure::Cancelled { began: _ })));
    if replies.iter().any(is_cancelled) { Outcome::Interrupted } else { outcome }
}

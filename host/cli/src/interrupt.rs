//! Interrupt: Ctrl-C cancels the calls and not the program, so that every call is still answered.
//!
//! While tools are loaded, before anything is called, it ends the program as everywhere else; so it does when it is pressed
//! once more, as by somebody whose terminal is full or whose disk hangs.

use std::future::pending;

use toolgate::{Failure, HostFailure, Reply, Verdict};

use crate::screen::{INTERRUPTED, Outcome};

/// Ends when Ctrl-C is pressed; never, where the system does not tell.
pub(crate) async fn pressed() {
    match tokio::signal::ctrl_c().await {
        Ok(()) => drop(tokio::spawn(end_when_pressed_again())),
        Err(_untold) => pending().await,
    }
}

/// Ends the program where it stands. Whoever asks twice does not want the answer.
#[expect(clippy::exit, clippy::disallowed_methods, reason = "the thread that would return may be the one that hangs")]
async fn end_when_pressed_again() {
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(INTERRUPTED.into());
    }
}

/// That the calls were interrupted, if one of them was, or else what became of them.
pub(crate) fn or_else(replies: &[Reply], outcome: Outcome) -> Outcome {
    let is_cancelled =
        |reply: &Reply| matches!(reply.verdict, Verdict::Failed(Failure::Host(HostFailure::Cancelled { began: _ })));
    if replies.iter().any(is_cancelled) { Outcome::Interrupted } else { outcome }
}

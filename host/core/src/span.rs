//! Span: the `tracing` span around one call, and the event that ends it.
//!
//! A subscriber is the embedder's code. Whatever it panics at (a span made, entered, left or closed, an event) costs no call
//! its reply. Left out is the question whether it listens, which `tracing` asks under a lock of its own. Without a subscriber
//! nothing is made and nothing is hashed.

use std::panic::AssertUnwindSafe;

use tracing::{Level, Span};

use crate::call::RawCall;
use crate::digest;
use crate::reply::Reply;
use crate::text;

/// The target of the span and of the event.
const TARGET: &str = "toolgate::call";

/// Most characters of an id in the span. It is the provider's text, and every event inside repeats it.
const MAX_ID: usize = 80;

/// One call's span; nothing where nobody listens.
#[derive(Debug)]
pub(crate) struct CallSpan(Option<Box<Opened>>);

/// Boxed, since a turn holds the futures of all its calls.
#[derive(Debug)]
struct Opened {
    span: Span,
    arguments_sha256: Option<String>,
}

impl CallSpan {
    /// Opens the span, where somebody listens.
    pub(crate) fn open(id: &str, tool: &str, call: &RawCall) -> Self {
        let opened = quietly(|| {
            if !tracing::enabled!(target: TARGET, Level::INFO) {
                return None;
            }
            let span = tracing::info_span!(target: TARGET, "call", id = text::one_line(id, MAX_ID), tool);
            let arguments_sha256 = call.arguments.text().map(|text| digest::sha256(text.as_bytes()));
            Some(Box::new(Opened { span, arguments_sha256 }))
        });
        Self(opened.flatten())
    }

    /// Does something inside the span. What is done must not panic: then the span would not be left.
    pub(crate) fn around<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(Opened { span, arguments_sha256: _ }) = self.0.as_deref() else {
            return work();
        };
        let entered = quietly(|| span.with_subscriber(|(id, dispatch)| dispatch.enter(id))).is_some();
        let done = work();
        if entered {
            quietly(|| span.with_subscriber(|(id, dispatch)| dispatch.exit(id)));
        }
        done
    }

    /// Says what became of the call.
    pub(crate) fn tell(&self, reply: &Reply) {
        let digest = self.0.as_ref().and_then(|opened| opened.arguments_sha256.as_deref());
        let event = || match digest {
            Some(sha256) => tracing::info!(target: TARGET, arguments_sha256 = sha256, "{}", reply.operator_line()),
            None => tracing::info!(target: TARGET, "{}", reply.operator_line()),
        };
        self.around(|| quietly(event));
    }
}

impl Drop for CallSpan {
    fn drop(&mut self) {
        let opened = self.0.take();
        quietly(|| drop(opened));
    }
}

/// What the embedder's code gives, or nothing where it panics.
fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).ok()
}

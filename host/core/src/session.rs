//! Session: one conversation. It takes a provider's message and gives back the next one, as a host does, and remembers.
//!
//! What it adds to the host: when it is better to stop, a write that is not run twice, a read that is not run again, and how
//! many calls there may be. How one call walks the line is `host`'s, how a turn is answered `turn`'s.

mod counts;
mod document;
mod key;
mod memory;
pub(crate) mod past;
pub(crate) mod settings;
pub(crate) mod stop;
mod writes;

use std::collections::BTreeMap;
use std::future::Future;

use serde_json::Value;

use self::counts::{Counts, Seen};
use self::document::Document;
pub use self::document::{MAX_SESSION, SessionError};
pub(crate) use self::key::CallKey;
use self::past::Past;
use self::settings::SessionLimits;
use crate::cancel::Cancel;
use crate::host::Host;
use crate::turn::{Answer, Within};
use crate::wire::Turn;

/// One conversation with a model.
///
/// Nothing in it is shared with another session, so what one customer read is never another's answer.
#[derive(Debug)]
pub struct Session {
    host: Host,
    limits: SessionLimits,
    past: Past,
    counts: Counts,
    values: BTreeMap<String, Value>,
}

impl Session {
    /// A new one.
    pub fn new(host: &Host, limits: SessionLimits) -> Self {
        Self::of(host, limits, Document::default())
    }

    /// Goes on from what [`Session::document`] gave, in this process or another. What was remembered of reads is not in it.
    ///
    /// # Errors
    /// The document is no session, is of another version, or is damaged.
    pub fn resume(host: &Host, limits: SessionLimits, document: &str) -> Result<Self, SessionError> {
        Ok(Self::of(host, limits, Document::read(document)?))
    }

    fn of(host: &Host, limits: SessionLimits, document: Document) -> Self {
        let Document { values, counts, writes, .. } = document;
        let past = Past::new(writes, &limits, host.clock());
        Self { host: host.clone(), limits, past, counts, values }
    }

    /// The session as one JSON object: counts, values, and the writes that ran with their results.
    pub fn document(&self) -> String {
        Document::new(self.values.clone(), self.counts.clone(), self.past.writes().clone()).write()
    }

    /// Sets a value that the program around knows of this conversation, such as `customer_id`; gives back what it was. Nothing
    /// that a model writes ever comes here.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.values.insert(name.into(), value.into())
    }

    /// The values that were set.
    pub const fn values(&self) -> &BTreeMap<String, Value> {
        &self.values
    }

    /// Answers a turn as [`Host::answer`] does. Whatever is stopped or capped, every call has its reply; [`Answer::stop`] says
    /// whether it is better not to go on.
    pub async fn answer(&mut self, turn: Turn) -> Answer {
        self.answer_turn(turn, Cancel::never()).await
    }

    /// As [`Session::answer`], for as long as `cancel` has not ended; see [`Host::answer_until`].
    pub async fn answer_until(&mut self, turn: Turn, cancel: impl Future<Output = ()> + Send + 'static) -> Answer {
        self.answer_turn(turn, Cancel::when(cancel)).await
    }

    async fn answer_turn(&mut self, turn: Turn, cancel: Cancel) -> Answer {
        let within =
            Within { past: &self.past, limits: &self.limits, calls_left: self.counts.calls_left(&self.limits) };
        let (mut answer, keys) = self.host.answer_within(turn, cancel, within).await;
        let seen = answer.replies.iter().zip(&keys).map(|(reply, key)| {
            let tool = self.host.tool(&reply.tool);
            Seen {
                tool: tool.map(|tool| tool.name()),
                writes: tool.is_some_and(|tool| tool.writes()),
                key: key.as_ref(),
                reply,
            }
        });
        let seen: Vec<Seen<'_>> = seen.collect();
        answer.stop = self.counts.turn(&seen, &self.limits);
        answer
    }
}

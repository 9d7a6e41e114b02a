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
use self::stop::Stop;
use crate::call::RawCall;
use crate::cancel::Cancel;
use crate::host::Host;
use crate::json::Json;
use crate::reply::Reply;
use crate::turn::{Answer, Within};
use crate::wire::Turn;

/// What one call sees of the conversation that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conversation<'s> {
    pub(crate) past: &'s Past,
    pub(crate) values: &'s Json,
}

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
    /// The values, as rules see them.
    facts: Json,
}

impl Session {
    /// A new one, of the caller whose host it is.
    pub fn new(host: &Host, limits: SessionLimits) -> Self {
        Self::of(host, limits, Document::default())
    }

    /// Goes on from what [`Session::document`] gave, in this process or another. What was remembered of reads is not in it.
    ///
    /// # Errors
    /// The document is no session, is of another version, is another caller's, or is damaged.
    pub fn resume(host: &Host, limits: SessionLimits, document: &str) -> Result<Self, SessionError> {
        let document = Document::read(document)?;
        match host.caller() == document.caller.as_deref() {
            true => Ok(Self::of(host, limits, document)),
            false => Err(SessionError::OtherCaller { of: document.caller, here: host.caller().map(str::to_owned) }),
        }
    }

    fn of(host: &Host, limits: SessionLimits, document: Document) -> Self {
        let Document { values, counts, writes, .. } = document;
        let facts = facts(&values);
        let past = Past::new(writes, &limits, host.clock());
        Self { host: host.clone(), limits, past, counts, values, facts }
    }

    /// The session as one JSON object: counts, values, and the writes that ran with their results.
    pub fn document(&self) -> String {
        Document::new(self.host.caller(), self.values.clone(), self.counts.clone(), self.past.writes().clone()).write()
    }

    /// Sets a value that the program around knows of this conversation, such as `customer_id`; gives back what it was. The
    /// operator's rules see it as `session.NAME`. Nothing that a model writes ever comes here.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let before = self.values.insert(name.into(), value.into());
        self.facts = facts(&self.values);
        before
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

    /// Answers one call as a turn of its own, for a program that speaks no provider's dialect; and says why it is better not
    /// to go on, if it is.
    pub async fn call(&mut self, call: RawCall) -> (Reply, Option<Stop>) {
        self.call_alone(call, Cancel::never()).await
    }

    /// As [`Session::call`], for as long as `cancel` has not ended; see [`Host::call_until`].
    pub async fn call_until(
        &mut self,
        call: RawCall,
        cancel: impl Future<Output = ()> + Send + 'static,
    ) -> (Reply, Option<Stop>) {
        self.call_alone(call, Cancel::when(cancel)).await
    }

    async fn call_alone(&mut self, call: RawCall, cancel: Cancel) -> (Reply, Option<Stop>) {
        let (reply, key) = self.host.call_within(call, cancel, self.within()).await;
        let stop = self.count(std::slice::from_ref(&reply), &[key]);
        (reply, stop)
    }

    async fn answer_turn(&mut self, turn: Turn, cancel: Cancel) -> Answer {
        let (mut answer, keys) = self.host.answer_within(turn, cancel, self.within()).await;
        answer.stop = self.count(&answer.replies, &keys);
        answer
    }

    fn within(&self) -> Within<'_> {
        let conversation = Conversation { past: &self.past, values: &self.facts };
        Within { conversation, limits: &self.limits, calls_left: self.counts.calls_left(&self.limits) }
    }

    /// Counts a turn, and says why it is better to stop after it, if it is.
    fn count(&mut self, replies: &[Reply], keys: &[Option<CallKey>]) -> Option<Stop> {
        let seen = replies.iter().zip(keys).map(|(reply, key)| {
            let tool = self.host.tool(&reply.tool);
            Seen {
                tool: tool.map(|tool| tool.name()),
                writes: tool.is_some_and(|tool| tool.writes()),
                key: key.as_ref(),
                reply,
            }
        });
        let seen: Vec<Seen<'_>> = seen.collect();
        self.counts.turn(&seen, &self.limits)
    }
}

fn facts(values: &BTreeMap<String, Value>) -> Json {
    Json::of_value(&values.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
}

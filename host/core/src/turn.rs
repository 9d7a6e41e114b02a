//! Turn: every call of one message answered, each id with exactly one reply, in the order asked.
//!
//! Calls that only read run at once; writes run one after the other in the order given. How a message is read and written
//! is `wire`'s, how one call is answered `host`'s.

use std::future::Future;

use futures_util::StreamExt;
use futures_util::future::join;
use futures_util::stream;

use crate::call::RawCall;
use crate::cancel::Cancel;
use crate::dispatch::Company;
use crate::engine::MAX_CALLS;
use crate::host::Host;
use crate::refusal::{CallCap, Rejection};
use crate::reply::Reply;
use crate::session::settings::SessionLimits;
use crate::session::stop::Stop;
use crate::session::{CallKey, Conversation};
use crate::tool::Tool;
use crate::wire::Turn;

/// A turn, answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The next message or messages for the provider, as JSON.
    pub message: String,
    /// What goes into the next request before it in place of the turn itself, where the provider would refuse that: an id
    /// was made or replaced, arguments are no object, a name or a text is none that it takes. `None` where the turn goes
    /// back as it came.
    pub assistant: Option<String>,
    /// One reply per call, in the order asked.
    pub replies: Vec<Reply>,
    /// Why it is better not to go on; only a session ([`crate::Session`]) has reasons.
    pub stop: Option<Stop>,
}

/// The session that a turn is answered in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within<'s> {
    pub(crate) conversation: Conversation<'s>,
    pub(crate) limits: &'s SessionLimits,
    /// How many calls the session may still have.
    pub(crate) calls_left: u32,
}

impl Within<'_> {
    /// Why the call at this position is one too many, if it is.
    fn over(&self, at: usize) -> Option<Rejection> {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let cap = match (at >= self.calls_left, at >= self.limits.calls_per_turn) {
            (true, _) => CallCap::Session { max: self.limits.calls_per_session },
            (false, true) => CallCap::Turn { max: self.limits.calls_per_turn },
            (false, false) => return None,
        };
        Some(Rejection::TooManyCalls(cap))
    }
}

/// One call of a turn, answered.
struct Answered {
    at: usize,
    reply: Reply,
    key: Option<CallKey>,
}

impl Host {
    /// Answers a provider's turn. Never an error: what goes wrong with a call is its reply.
    pub async fn answer(&self, turn: Turn) -> Answer {
        self.answer_turn(turn, Cancel::never(), None).await.0
    }

    /// As [`Host::answer`], for as long as `cancel` has not ended: then every guest that still runs is stopped, and each call
    /// that has no reply yet gets `host:cancelled`, with what it may have changed by then. The turn is answered all the same,
    /// since a conversation in which a call has no result cannot go on.
    pub async fn answer_until(&self, turn: Turn, cancel: impl Future<Output = ()> + Send + 'static) -> Answer {
        self.answer_turn(turn, Cancel::when(cancel), None).await.0
    }

    /// As [`Host::answer`], in a session; and which call each of them is, if one tool takes it.
    pub(crate) async fn answer_within(
        &self,
        turn: Turn,
        cancel: Cancel,
        within: Within<'_>,
    ) -> (Answer, Vec<Option<CallKey>>) {
        self.answer_turn(turn, cancel, Some(within)).await
    }

    /// One call, in a session; and which call it is, if one tool takes it.
    pub(crate) async fn call_within(
        &self,
        call: RawCall,
        cancel: Cancel,
        within: Within<'_>,
    ) -> (Reply, Option<CallKey>) {
        let Answered { at: _, reply, key } = self.answer_at(0, call, Company::Alone, cancel, Some(within)).await;
        (reply, key)
    }

    async fn answer_turn(
        &self,
        mut turn: Turn,
        cancel: Cancel,
        within: Option<Within<'_>>,
    ) -> (Answer, Vec<Option<CallKey>>) {
        let calls = std::mem::take(&mut turn.calls);
        let company = if calls.len() > 1 { Company::Others } else { Company::Alone };
        let (writes, reads): (Vec<_>, Vec<_>) =
            calls.into_iter().enumerate().partition(|(_, call)| self.tool(&call.tool).is_some_and(Tool::writes));
        let reads = reads.into_iter().map(|(at, call)| self.answer_at(at, call, company, cancel.clone(), within));
        // More than there are places would only wait, and a message of a hundred thousand calls would hold a future for each.
        let reads = stream::iter(reads).buffer_unordered(MAX_CALLS).collect::<Vec<_>>();
        let writes = async {
            let mut replies = Vec::with_capacity(writes.len());
            for (at, call) in writes {
                replies.push(self.answer_at(at, call, company, cancel.clone(), within).await);
            }
            replies
        };
        let (reads, writes) = join(reads, writes).await;
        let mut answered: Vec<Answered> = reads.into_iter().chain(writes).collect();
        answered.sort_unstable_by_key(|answered| answered.at);
        let (replies, keys): (Vec<Reply>, _) =
            answered.into_iter().map(|answered| (answered.reply, answered.key)).unzip();
        (Answer { message: turn.write(&replies), assistant: turn.into_mended(), replies, stop: None }, keys)
    }

    async fn answer_at(
        &self,
        at: usize,
        call: RawCall,
        company: Company,
        cancel: Cancel,
        within: Option<Within<'_>>,
    ) -> Answered {
        if let Some(rejection) = within.and_then(|within| within.over(at)) {
            return Answered { at, reply: self.refuse(call, rejection), key: None };
        }
        let (reply, key) = self.answer_call(call, company, cancel, within.map(|within| within.conversation)).await;
        Answered { at, reply, key }
    }
}

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
use crate::reply::Reply;
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
}

impl Host {
    /// Answers a provider's turn. Never an error: what goes wrong with a call is its reply.
    pub async fn answer(&self, turn: Turn) -> Answer {
        self.answer_turn(turn, Cancel::never()).await
    }

    /// As [`Host::answer`], for as long as `cancel` has not ended: then every guest that still runs is stopped, and each call
    /// that has no reply yet gets `host:cancelled`, with what it may have changed by then. The turn is answered all the same,
    /// since a conversation in which a call has no result cannot go on.
    pub async fn answer_until(&self, turn: Turn, cancel: impl Future<Output = ()> + Send + 'static) -> Answer {
        self.answer_turn(turn, Cancel::when(cancel)).await
    }

    async fn answer_turn(&self, mut turn: Turn, cancel: Cancel) -> Answer {
        let calls = std::mem::take(&mut turn.calls);
        let company = if calls.len() > 1 { Company::Others } else { Company::Alone };
        let (writes, reads): (Vec<_>, Vec<_>) =
            calls.into_iter().enumerate().partition(|(_, call)| self.writes(&call.tool));
        let reads = reads.into_iter().map(|(at, call)| self.answer_at(at, call, company, cancel.clone()));
        // More than there are places would only wait, and a message of a hundred thousand calls would hold a future for each.
        let reads = stream::iter(reads).buffer_unordered(MAX_CALLS).collect::<Vec<_>>();
        let writes = async {
            let mut replies = Vec::with_capacity(writes.len());
            for (at, call) in writes {
                replies.push(self.answer_at(at, call, company, cancel.clone()).await);
            }
            replies
        };
        let (reads, writes) = join(reads, writes).await;
        let mut replies: Vec<(usize, Reply)> = reads.into_iter().chain(writes).collect();
        replies.sort_unstable_by_key(|(at, _)| *at);
        let replies: Vec<Reply> = replies.into_iter().map(|(_, reply)| reply).collect();
        Answer { message: turn.write(&replies), assistant: turn.into_mended(), replies }
    }

    async fn answer_at(&self, at: usize, call: RawCall, company: Company, cancel: Cancel) -> (usize, Reply) {
        (at, self.answer_call(call, company, cancel).await)
    }
}

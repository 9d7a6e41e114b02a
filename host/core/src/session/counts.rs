//! Counts: what of a session's turns adds up to a stop.
//!
//! A turn is counted once, whatever it holds: a model that sends three bad calls in one turn has not read a correction yet.
//! Counts only; the bounds are `session::settings`', the words `session::stop`'s.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::key::CallKey;
use super::settings::{REPEAT_WINDOW, SessionLimits};
use super::stop::{Stop, StopReason};
use crate::refusal::{CallCap, Failure, HostFailure, Rejection};
use crate::reply::{Origin, Reply, Verdict};

/// What is counted of one answered call.
#[derive(Debug)]
pub(crate) struct Seen<'r> {
    /// The tool, where there is one of the name.
    pub(crate) tool: Option<&'r str>,
    /// Whether the tool writes.
    pub(crate) writes: bool,
    /// Which call it is; none for one that was refused.
    pub(crate) key: Option<&'r CallKey>,
    /// What became of it.
    pub(crate) reply: &'r Reply,
}

impl Seen<'_> {
    const fn is_over_a_cap(&self) -> bool {
        matches!(self.reply.verdict, Verdict::Refused(Rejection::TooManyCalls(_)))
    }

    const fn is_refused(&self) -> bool {
        matches!(self.reply.verdict, Verdict::Refused(_))
    }

    /// The key of a call whose asking again would be a repetition: not of one that was told to ask again.
    fn asked(&self) -> Option<&CallKey> {
        let told_to_ask_again = matches!(
            self.reply.verdict,
            Verdict::Failed(Failure::Host(HostFailure::Overloaded | HostFailure::Cancelled { began: _ }))
        );
        self.key.filter(|_| !told_to_ask_again)
    }

    /// Whether the world may be another one since.
    fn is_new_write(&self) -> bool {
        self.writes && !self.is_refused() && self.reply.origin == Origin::Run
    }
}

/// The counts of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counts {
    /// Turns so far.
    turns: u64,
    /// Calls that were let in so far.
    calls: u32,
    /// Turns in a row in which a tool's calls were refused; no line for a tool without any.
    refused: BTreeMap<String, u32>,
    /// Turns in a row in which there was no tool of a name, and no call was accepted.
    unknown: u32,
    /// The calls of the last turns.
    asked: BTreeMap<CallKey, Asked>,
}

/// How often one call was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// In how many turns.
    turns: u32,
    /// In which turn last.
    last: u64,
}

impl Counts {
    /// How many calls may still be let in.
    pub(crate) const fn calls_left(&self, limits: &SessionLimits) -> u32 {
        limits.calls_per_session.saturating_sub(self.calls)
    }

    /// Counts a turn. Of several reasons to stop it is the first in the order calls spent, refused, unknown names, repeated;
    /// of several tools the first by name.
    pub(crate) fn turn(&mut self, seen: &[Seen<'_>], limits: &SessionLimits) -> Option<Stop> {
        self.turns = self.turns.saturating_add(1);
        let n_let_in = seen.iter().filter(|call| !call.is_over_a_cap()).count();
        self.calls = self.calls.saturating_add(u32::try_from(n_let_in).unwrap_or(u32::MAX));
        let spent = spent(seen);
        let refused = self.count_refusals(seen, limits);
        let unknown = self.count_unknown(seen, limits);
        let repeated = self.count_repeats(seen, limits);
        spent.or(refused).or(unknown).or(repeated)
    }

    fn count_refusals(&mut self, seen: &[Seen<'_>], limits: &SessionLimits) -> Option<Stop> {
        let counted = || seen.iter().filter(|call| !call.is_over_a_cap());
        let tools: BTreeSet<&str> = counted().filter_map(|call| call.tool).collect();
        let mut stop = None;
        for tool in tools {
            let of_tool = || counted().filter(|call| call.tool == Some(tool));
            if of_tool().any(|call| !call.is_refused()) {
                self.refused.remove(tool);
                continue;
            }
            let n_turns = self.refused.entry(tool.to_owned()).or_default();
            *n_turns = n_turns.saturating_add(1);
            let last = of_tool().next_back().filter(|_| *n_turns >= limits.refusals);
            let n_turns = *n_turns;
            stop = stop.or_else(|| last.map(|last| stopped(StopReason::Refused, Some(tool), n_turns, last)));
        }
        stop
    }

    fn count_unknown(&mut self, seen: &[Seen<'_>], limits: &SessionLimits) -> Option<Stop> {
        if seen.iter().any(|call| !call.is_refused()) {
            self.unknown = 0;
            return None;
        }
        let last = seen.iter().rfind(|call| call.tool.is_none() && !call.is_over_a_cap())?;
        self.unknown = self.unknown.saturating_add(1);
        (self.unknown >= limits.refusals).then(|| stopped(StopReason::UnknownNames, None, self.unknown, last))
    }

    fn count_repeats(&mut self, seen: &[Seen<'_>], limits: &SessionLimits) -> Option<Stop> {
        let now = self.turns;
        self.asked.retain(|_, asked| now.saturating_sub(asked.last) <= REPEAT_WINDOW);
        let mut stop = None;
        for call in seen {
            let Some(key) = call.asked() else {
                continue;
            };
            let asked = self.asked.entry(*key).or_insert(Asked { turns: 0, last: 0 });
            if asked.last < now {
                *asked = Asked { turns: asked.turns.saturating_add(1), last: now };
            }
            if asked.turns >= limits.repeats && stop.is_none() {
                stop = Some(stopped(StopReason::Repeated, call.tool, asked.turns, call));
            }
        }
        // After a write that ran, asking the same again is looking what became of it.
        if seen.iter().any(Seen::is_new_write) {
            let writes: BTreeSet<&CallKey> = seen.iter().filter(|call| call.writes).filter_map(Seen::asked).collect();
            self.asked.retain(|key, _| writes.contains(key));
        }
        stop
    }
}

fn spent(seen: &[Seen<'_>]) -> Option<Stop> {
    seen.iter().rev().find_map(|call| match &call.reply.verdict {
        Verdict::Refused(Rejection::TooManyCalls(CallCap::Session { max })) => {
            Some(Stop::new(StopReason::CallsSpent, None, *max, &call.reply.text()))
        }
        Verdict::Done(_) | Verdict::Refused(_) | Verdict::Failed(_) => None,
    })
}

fn stopped(reason: StopReason, tool: Option<&str>, count: u32, last: &Seen<'_>) -> Stop {
    Stop::new(reason, tool, count, &last.reply.text())
}

//! Recovery: how refusals went on, in episodes, and where the bound should sit.
//!
//! An episode is a run of turns that refused one tool until a call of it is accepted or nobody asks any more; all names that
//! no tool has share one, and any accepted call ends it. It is counted in turns: a model that sends three bad calls in one
//! turn has read no correction in between. Accepted is whatever is not refused: a tool that fails was asked in order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use super::rates::plus_one;
use crate::call_log::{CallRecord, Ended};
use crate::refusal::Rule;

/// Most conversations that are followed at once. Nothing says that one is over, so the one that began first is taken for
/// ended where there are more.
const MAX_FOLLOWED: usize = 10_000;

/// Most bounds that are weighed against each other, and most that are listed as being in force.
const MAX_BOUNDS: u32 = 10;

/// How refusals went on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recovery {
    /// Names that no tool has.
    pub unknown_names: Episodes,
    /// Calls of a tool that there is.
    pub arguments: Episodes,
    /// After how many refusals a conversation should be stopped.
    pub bound: Bound,
}

/// Runs of refusals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Episodes {
    /// How many there are.
    pub episodes: u64,
    /// The calls that were refused in them.
    pub refused_calls: u64,
    /// Of those, the ones in the last turn before one that was accepted.
    pub mended_by_next_turn: u64,
    /// How many were over after so many turns: the next turn was accepted.
    pub accepted_after: BTreeMap<u32, u64>,
    /// How many were given up after so many turns: the log has no accepted call behind them.
    pub given_up_after: BTreeMap<u32, u64>,
    /// How many the bound in force ended. What they would have come to is not to be seen.
    pub stopped: u64,
}

/// After how many refusals in a row a conversation should be stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// The bounds that were in force.
    pub in_force: BTreeSet<u32>,
    /// The lowest bound that stops nobody who was accepted later. Nothing where nobody was.
    pub suggested: Option<u32>,
    /// Whether longer recoveries than those seen may exist: a bound in force ended episodes that would have shown them.
    pub cuts_off: bool,
    /// What each bound would do to the episodes of this log.
    pub weighed: Vec<BoundRow>,
}

/// What one bound would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BoundRow {
    /// Turns in a row.
    pub bound: u32,
    /// Episodes it would stop that were never accepted.
    pub stops_hopeless: u64,
    /// Episodes it would stop that were accepted later.
    pub stops_recovering: u64,
    /// Refused turns that it would save.
    pub saves_turns: u64,
}

/// Follows conversations from turn to turn.
#[derive(Debug, Default)]
pub(super) struct Tracker {
    conversations: BTreeMap<Option<String>, Conversation>,
    /// In the order in which they began.
    order: VecDeque<Option<String>>,
    n_turns: u64,
    n_named: u64,
    recovery: Recovery,
}

#[derive(Debug, Default)]
struct Conversation {
    turn: Option<String>,
    /// What the turn did so far, by tool; `None` is every name that no tool has.
    now: BTreeMap<Option<String>, Now>,
    open: BTreeMap<Option<String>, Open>,
    bound: Option<u32>,
}

#[derive(Debug, Default)]
struct Now {
    accepted: bool,
    refused: u64,
}

/// An episode that is not over.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    turns: u32,
    calls: u64,
    calls_of_last_turn: u64,
}

impl Tracker {
    pub(super) fn add(&mut self, record: &CallRecord) {
        if !self.conversations.contains_key(&record.conversation) {
            self.begin(record.conversation.clone());
        }
        let Some(conversation) = self.conversations.get_mut(&record.conversation) else { return };
        if conversation.turn.as_ref() != Some(&record.turn) {
            conversation.end_turn(&mut self.recovery);
            conversation.turn = Some(record.turn.clone());
            plus_one(&mut self.n_turns);
        }
        conversation.bound = record.refusal_bound;
        if let Some(bound) = record.refusal_bound
            && self.recovery.bound.in_force.len() < usize::try_from(MAX_BOUNDS).unwrap_or(usize::MAX)
        {
            self.recovery.bound.in_force.insert(bound);
        }
        let now = conversation.now.entry(record.known.then(|| record.tool.clone())).or_default();
        match record.verdict {
            Ended::Refused => plus_one(&mut now.refused),
            Ended::Done => now.accepted = true,
            // Our own bug may come before or behind the gates.
            Ended::Failed if record.code.as_deref() == Some(Rule::HostInternal.code()) => {}
            Ended::Failed => now.accepted = true,
        }
    }

    fn begin(&mut self, name: Option<String>) {
        if self.conversations.len() >= MAX_FOLLOWED
            && let Some(ended) = self.order.pop_front().and_then(|first| self.conversations.remove(&first))
        {
            ended.end(&mut self.recovery);
        }
        if name.is_some() {
            plus_one(&mut self.n_named);
        }
        self.order.push_back(name.clone());
        self.conversations.insert(name, Conversation::default());
    }

    /// What it comes to, and how many turns and named conversations there were.
    pub(super) fn finish(mut self) -> (Recovery, u64, u64) {
        for conversation in self.conversations.into_values() {
            conversation.end(&mut self.recovery);
        }
        let Recovery { unknown_names, arguments, bound } = &mut self.recovery;
        bound.weigh(&[unknown_names, arguments]);
        (self.recovery, self.n_turns, self.n_named)
    }
}

impl Conversation {
    /// Settles the turn: what was accepted ends episodes, and then what was refused goes on or begins one.
    fn end_turn(&mut self, recovery: &mut Recovery) {
        let now = std::mem::take(&mut self.now);
        let any_accepted = now.values().any(|now| now.accepted);
        let over = |tool: &Option<String>| match tool {
            None => any_accepted,
            Some(_) => now.get(tool).is_some_and(|now| now.accepted),
        };
        self.open.retain(|tool, open| {
            let is_over = over(tool);
            if is_over {
                recovery.of(tool).accepted(*open);
            }
            !is_over
        });
        for (tool, now) in now.into_iter().filter(|(_, now)| now.refused > 0) {
            let open = self.open.entry(tool).or_default();
            open.turns = open.turns.saturating_add(1);
            open.calls = open.calls.saturating_add(now.refused);
            open.calls_of_last_turn = now.refused;
        }
    }

    fn end(mut self, recovery: &mut Recovery) {
        self.end_turn(recovery);
        for (tool, open) in &self.open {
            recovery.of(tool).never_accepted(*open, self.bound);
        }
    }
}

impl Recovery {
    const fn of(&mut self, tool: &Option<String>) -> &mut Episodes {
        match tool {
            None => &mut self.unknown_names,
            Some(_) => &mut self.arguments,
        }
    }
}

impl Episodes {
    const fn begun(&mut self, open: Open) {
        plus_one(&mut self.episodes);
        self.refused_calls = self.refused_calls.saturating_add(open.calls);
    }

    fn accepted(&mut self, open: Open) {
        self.begun(open);
        self.mended_by_next_turn = self.mended_by_next_turn.saturating_add(open.calls_of_last_turn);
        plus_one(self.accepted_after.entry(open.turns).or_default());
    }

    fn never_accepted(&mut self, open: Open, bound: Option<u32>) {
        self.begun(open);
        match bound {
            Some(bound) if open.turns >= bound => plus_one(&mut self.stopped),
            Some(_) | None => plus_one(self.given_up_after.entry(open.turns).or_default()),
        }
    }
}

impl Bound {
    fn weigh(&mut self, episodes: &[&mut Episodes]) {
        let longest = episodes.iter().filter_map(|episodes| episodes.accepted_after.keys().max()).max();
        self.suggested = longest.map(|longest| longest.saturating_add(1));
        self.cuts_off = episodes.iter().any(|episodes| episodes.stopped > 0);
        let most = self.suggested.unwrap_or(3).saturating_add(1).min(MAX_BOUNDS);
        self.weighed = (1..=most).map(|bound| weighed(bound, episodes)).collect();
    }
}

fn weighed(bound: u32, episodes: &[&mut Episodes]) -> BoundRow {
    let mut row = BoundRow { bound, stops_hopeless: 0, stops_recovering: 0, saves_turns: 0 };
    for episodes in episodes {
        for n in episodes.accepted_after.range(bound..).map(|(_, n)| n) {
            row.stops_recovering = row.stops_recovering.saturating_add(*n);
        }
        for (turns, n) in episodes.given_up_after.range(bound..) {
            row.stops_hopeless = row.stops_hopeless.saturating_add(*n);
            let saved = u64::from(turns.saturating_sub(bound)).saturating_mul(*n);
            row.saves_turns = row.saves_turns.saturating_add(saved);
        }
    }
    row
}

//! Stop: why a session is better ended here than answered on.
//!
//! Advice to the program around it, which may go on all the same: every call of the turn has its reply.

use std::fmt;

use serde::Serialize;

use crate::text;

/// Most characters of the last reply that a stop repeats.
const MAX_LAST: usize = 300;

/// A reason to stop, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stop {
    /// Which bound was reached.
    pub reason: StopReason,
    /// The tool; none where it is about names that no tool has, or about all calls.
    pub tool: Option<String>,
    /// How many turns, or calls for [`StopReason::CallsSpent`].
    pub count: u32,
    /// What was said last of it, on one line, cleaned and cut.
    pub last: String,
}

/// Which bound was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Calls of one tool were refused, turn after turn.
    Refused,
    /// Names that no tool has were called, turn after turn.
    UnknownNames,
    /// One and the same call was asked in too many turns.
    Repeated,
    /// The session has had all the calls that it may have.
    CallsSpent,
}

impl StopReason {
    /// The stable word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::UnknownNames => "unknown_names",
            Self::Repeated => "repeated",
            Self::CallsSpent => "calls_spent",
        }
    }
}

impl Stop {
    pub(crate) fn new(reason: StopReason, tool: Option<&str>, count: u32, last: &str) -> Self {
        Self { reason, tool: tool.map(str::to_owned), count, last: text::one_line(last, MAX_LAST) }
    }
}

impl fmt::Display for Stop {
    /// On one line, such as ``stop:refused: calls of `create_ticket` were refused in 3 turns in a row; the last: …``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reason, tool, count, last } = self;
        let tool = text::one_line(tool.as_deref().unwrap_or("no tool"), 80);
        write!(f, "stop:{}: ", reason.name())?;
        match reason {
            StopReason::Refused => write!(f, "calls of `{tool}` were refused in {count} turns in a row"),
            StopReason::UnknownNames => write!(f, "names that no tool has were called in {count} turns in a row"),
            StopReason::Repeated => write!(f, "the same call of `{tool}` was asked in {count} turns"),
            StopReason::CallsSpent => write!(f, "the session has had its {count} calls"),
        }?;
        write!(f, "; the last: {last}")
    }
}

//! Settings: how much one session may have of everything, and when it is better stopped.
//!
//! Numbers only. Who counts what is in `session::counts`, `session::memory` and `session::writes`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::ByteCount;

/// Turns in a row in which a tool's calls were refused, after which the session is stopped. A model that has read two
/// corrections and still gets it wrong will not get it right by reading more of them; what it costs meanwhile is tokens.
pub const DEFAULT_REFUSALS: u32 = 3;

/// Turns in which one and the same call was asked, after which the session is stopped. Its answer has been read twice and
/// was not taken in: an agent that goes in circles does so for as long as somebody pays.
pub const DEFAULT_REPEATS: u32 = 3;

/// Turns after which an earlier asking of the same call is forgotten. Circles are short; a question that comes up again much
/// later is a new one.
pub const REPEAT_WINDOW: u64 = 8;

/// Calls of one turn that are answered by running them. A model writes a handful; more than the host runs at once would
/// only wait, and their results would fill the model's context.
pub const DEFAULT_CALLS_PER_TURN: u32 = 64;

/// Calls of one session that are answered by running them: the last bound of an agent that neither repeats itself nor ends.
/// A long conversation has some hundreds.
pub const DEFAULT_CALLS_PER_SESSION: u32 = 1_000;

/// The most that an operator can set: a session holds a line for each write, in memory and in its document.
pub const MAX_CALLS_PER_SESSION: u32 = 100_000;

/// Results of reads that a session remembers. Without a bound a conversation would hold every result it ever saw, each up
/// to 4 MiB. Room for a hundred ordinary ones of the largest size.
pub const DEFAULT_MEMORY_OF_READS: ByteCount = ByteCount::mib(8);
/// More, times the sessions of a busy host, is memory that guests need.
pub const MAX_MEMORY_OF_READS: ByteCount = ByteCount::mib(256);

/// How long a read is remembered. A pure tool's answer never ages; what the operator marked is as old as this at most.
pub const DEFAULT_MEMORY_AGE: Duration = Duration::from_secs(600);
/// What is older than a day belongs to another conversation.
pub const MAX_MEMORY_AGE: Duration = Duration::from_secs(86_400);

/// What an operator sets; what is left out stays at the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionSettings {
    /// Turns in a row with refused calls of one tool, or of names that no tool has, after which the session is stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000))]
    pub refusals: Option<u32>,
    /// Turns in which the same call was asked after which the session is stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000))]
    pub repeats: Option<u32>,
    /// Most calls of one turn; those beyond are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_024))]
    pub calls_per_turn: Option<u32>,
    /// Most calls of one session; those beyond are refused, and the session is stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub calls_per_session: Option<u32>,
    /// Bytes of results of reads that are remembered; 0 is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 268_435_456u64))]
    pub memory_bytes: Option<u64>,
    /// Seconds for which a read is remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400))]
    pub memory_seconds: Option<u64>,
}

impl SessionSettings {
    /// The first setting outside what a session may have at all, with the least and the most.
    pub fn beyond_bounds(&self) -> Option<(&'static str, u64, u64)> {
        [
            ("refusals", self.refusals.map(u64::from), 1, 1_000),
            ("repeats", self.repeats.map(u64::from), 1, 1_000),
            ("calls_per_turn", self.calls_per_turn.map(u64::from), 1, 1_024),
            ("calls_per_session", self.calls_per_session.map(u64::from), 1, u64::from(MAX_CALLS_PER_SESSION)),
            ("memory_bytes", self.memory_bytes, 0, MAX_MEMORY_OF_READS.get()),
            ("memory_seconds", self.memory_seconds, 1, MAX_MEMORY_AGE.as_secs()),
        ]
        .into_iter()
        .find_map(|(key, set, min, max)| set.filter(|set| !(min..=max).contains(set)).map(|_| (key, min, max)))
    }

    /// What a session has by these settings; one that is out of bounds is at the nearest bound.
    pub fn limits(&self) -> SessionLimits {
        SessionLimits {
            refusals: self.refusals.unwrap_or(DEFAULT_REFUSALS).clamp(1, 1_000),
            repeats: self.repeats.unwrap_or(DEFAULT_REPEATS).clamp(1, 1_000),
            calls_per_turn: self.calls_per_turn.unwrap_or(DEFAULT_CALLS_PER_TURN).clamp(1, 1_024),
            calls_per_session: self
                .calls_per_session
                .unwrap_or(DEFAULT_CALLS_PER_SESSION)
                .clamp(1, MAX_CALLS_PER_SESSION),
            memory: self.memory_bytes.map_or(DEFAULT_MEMORY_OF_READS, ByteCount::new).min(MAX_MEMORY_OF_READS),
            memory_age: self.memory_seconds.map_or(DEFAULT_MEMORY_AGE, Duration::from_secs).min(MAX_MEMORY_AGE),
        }
    }
}

/// What a session has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// Turns in a row with refused calls of one tool.
    pub refusals: u32,
    /// Turns with the same call.
    pub repeats: u32,
    /// Calls of one turn.
    pub calls_per_turn: u32,
    /// Calls of the session.
    pub calls_per_session: u32,
    /// Results of reads that are remembered.
    pub memory: ByteCount,
    /// For how long.
    pub memory_age: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        SessionSettings::default().limits()
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_CALLS_PER_SESSION, SessionLimits, SessionSettings};

    #[test]
    fn a_setting_out_of_bounds_is_named_and_never_kept() {
        let settings = SessionSettings { calls_per_session: Some(u32::MAX), ..SessionSettings::default() };
        assert_eq!(settings.beyond_bounds(), Some(("calls_per_session", 1, 100_000)));
        assert_eq!(settings.limits().calls_per_session, MAX_CALLS_PER_SESSION);
        let nothing = SessionSettings { memory_bytes: Some(0), ..SessionSettings::default() };
        assert_eq!((nothing.beyond_bounds(), nothing.limits().memory.get()), (None, 0));
        assert_eq!(SessionSettings::default().limits(), SessionLimits::default());
    }
}

//! Call log: one line of JSON per call, for whoever asks later what models keep getting wrong (`schemas/call-log.schema.json`).
//!
//! A line is made from a reply and read back by `report`. It holds what happened as values and never as sentences: no text of
//! a tool, and of the arguments a digest, unless the operator wants them. Which file, at what time and under whose lock is
//! settled at the edge.

mod slip;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::slip::{Slip, ValueKind};
use crate::attempt::Attempt;
use crate::call::RawCall;
use crate::digest;
use crate::reply::{Effects, Reply, Verdict};
use crate::text;
use crate::tool::Tool;
use crate::usage::{Stage, Usage};

/// The version of a line's form. It grows when a member changes its meaning, not when one is added.
pub const CALL_LOG_VERSION: u32 = 1;

/// Most characters of an id or of the name of a conversation. Both are foreign text, and every line repeats them.
const MAX_ID: usize = 128;

/// Most characters of arguments that a line keeps where it keeps them. Arguments may have megabytes, and a log of them would
/// fill the disk that the tools write to; their digest is of the whole.
pub const MAX_LOGGED_ARGUMENTS: usize = 16 * 1024;

/// What became of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallRecord {
    /// The version of this form.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// When the turn was answered, in milliseconds since the beginning of 1970, UTC.
    pub time_ms: u64,
    /// The conversation, where whoever answers turns names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The caller on whose behalf it was made; absent where the operator made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// The turn: the same in every line of it, and in no other.
    pub turn: String,
    /// The place of the call in its turn, counted from 0.
    pub position: u64,
    /// The id of the call, cut and cleaned.
    pub id: String,
    /// The tool: the name it has where there is such a tool, else the name that was asked for, cut and cleaned.
    pub tool: String,
    /// Whether there is such a tool.
    pub known: bool,
    /// How the call ended.
    pub verdict: Ended,
    /// The stable code of a call that was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The kind of schema rule that broke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
    /// The place in the arguments or the result, dotted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What a refused call got wrong, or one that was repaired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slip: Option<Slip>,
    /// What may have changed outside.
    pub effects: Effects,
    /// Slips that were read as what they mean, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recorded: Vec<String>,
    /// The tool that the verdict speaks of, where a repair asked another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// What repair rules changed, one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<RepairRecord>,
    /// Time in each stage that the call came to, all tries together.
    pub stages: StageTimes,
    /// Units of work the guest spent.
    pub fuel: u64,
    /// Most bytes of memories and tables at once.
    pub memory_bytes: u64,
    /// Calls of the guest into its host.
    pub host_calls: u64,
    /// Bytes of the result, accepted or not.
    pub result_bytes: u64,
    /// Bytes of the arguments as they came.
    pub arguments_bytes: u64,
    /// Their SHA-256. It hides only what cannot be guessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_sha256: Option<String>,
    /// Their text, cut, where the operator wants it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// After how many turns in a row that refused a tool the conversation would have been stopped; absent where nothing
    /// would have stopped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal_bound: Option<u32>,
}

/// One repair of a call. Its values are not in it, as arguments are not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepairRecord {
    /// The rule's name.
    pub rule: String,
    /// The tool that was asked before it.
    pub tool: String,
    /// The code that it was followed for.
    pub reason: String,
    /// `set`, `switch` or `retry`.
    pub change: String,
    /// `done`, or the code that the call ended by then.
    pub outcome: String,
}

impl From<&Attempt> for RepairRecord {
    fn from(attempt: &Attempt) -> Self {
        Self {
            rule: attempt.rule.clone(),
            tool: text::one_line(&attempt.tool, MAX_ID),
            reason: attempt.reason.to_string(),
            change: attempt.change.name().to_owned(),
            outcome: attempt.ended(),
        }
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// With a result.
    Done,
    /// It never ran.
    Refused,
    /// Without an answer to use.
    Failed,
}

impl From<&Verdict> for Ended {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Done(_) => Self::Done,
            Verdict::Refused(_) => Self::Refused,
            Verdict::Failed(_) => Self::Failed,
        }
    }
}

/// Nanoseconds in each stage; absent where the call did not come to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageTimes {
    /// Bytes to an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_ns: Option<u64>,
    /// The tool, and the arguments against its schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_ns: Option<u64>,
    /// Whether the caller may make it, what a session remembers of it, room and deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch_ns: Option<u64>,
    /// The guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_ns: Option<u64>,
    /// The result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_ns: Option<u64>,
}

impl StageTimes {
    fn of(usage: &Usage) -> Self {
        let mut times = Self::default();
        for (stage, time) in usage.stages.iter() {
            *times.of_stage_mut(stage) = Some(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        }
        times
    }

    /// Nanoseconds in one stage.
    pub const fn of_stage(&self, stage: Stage) -> Option<u64> {
        match stage {
            Stage::Gate => self.gate_ns,
            Stage::Registry => self.registry_ns,
            Stage::Dispatch => self.dispatch_ns,
            Stage::Sandbox => self.sandbox_ns,
            Stage::Check => self.check_ns,
        }
    }

    const fn of_stage_mut(&mut self, stage: Stage) -> &mut Option<u64> {
        match stage {
            Stage::Gate => &mut self.gate_ns,
            Stage::Registry => &mut self.registry_ns,
            Stage::Dispatch => &mut self.dispatch_ns,
            Stage::Sandbox => &mut self.sandbox_ns,
            Stage::Check => &mut self.check_ns,
        }
    }
}

/// What a log may keep of arguments and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Their digests.
    #[default]
    Digests,
    /// Their text as well: for somebody who may read what customers wrote.
    Arguments,
}

/// What a line says of the arguments, taken before the call is used up by its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    bytes: u64,
    sha256: Option<String>,
    text: Option<String>,
    keep: Keep,
}

impl Asked {
    /// What may be kept of this call's arguments.
    pub fn of(call: &RawCall, keep: Keep) -> Self {
        let text = call.arguments.text();
        Self {
            bytes: call.arguments.size().get(),
            sha256: text.map(|text| digest::sha256(text.as_bytes())),
            text: text.filter(|_| keep == Keep::Arguments).map(|text| text::one_line(text, MAX_LOGGED_ARGUMENTS)),
            keep,
        }
    }
}

/// Where and when a call was made, as the edge knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occasion {
    /// Milliseconds since the beginning of 1970, UTC.
    pub time_ms: u64,
    /// The conversation, where it has a name.
    pub conversation: Option<String>,
    /// The caller, where it is not the operator.
    pub caller: Option<String>,
    /// The turn, by a name that no other turn of the log has.
    pub turn: String,
    /// The refusal bound in force.
    pub refusal_bound: Option<u32>,
}

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRecord {
    /// It is no JSON, or lacks something.
    #[error("{0}")]
    Unreadable(String),
    /// It is of another version.
    #[error("version {0}, where {CALL_LOG_VERSION} is read")]
    OtherVersion(u64),
}

impl CallRecord {
    /// The record of one call; `tool` is the loaded tool it was for, where there is one.
    pub fn of(reply: &Reply, tool: Option<&Tool>, asked: &Asked, occasion: &Occasion, position: usize) -> Self {
        let machine = reply.machine();
        Self {
            version: CALL_LOG_VERSION,
            time_ms: occasion.time_ms,
            conversation: occasion.conversation.as_deref().map(|name| text::one_line(name, MAX_ID)),
            caller: occasion.caller.as_deref().map(|name| text::one_line(name, MAX_ID)),
            turn: text::one_line(&occasion.turn, MAX_ID),
            position: u64::try_from(position).unwrap_or(u64::MAX),
            id: text::one_line(&reply.id, MAX_ID),
            tool: tool.map_or_else(|| reply.tool.clone(), |tool| tool.name().to_owned()),
            known: tool.is_some(),
            verdict: Ended::from(&reply.verdict),
            code: machine.code,
            keyword: reply.keyword().map(str::to_owned),
            path: machine.path,
            slip: Slip::of(reply, asked.keep),
            effects: reply.effects,
            recorded: machine.recorded,
            answered_by: reply.answered_by.clone(),
            repaired: reply.attempts.iter().map(RepairRecord::from).collect(),
            stages: StageTimes::of(&reply.usage),
            fuel: reply.usage.fuel,
            memory_bytes: reply.usage.memory.get(),
            host_calls: reply.usage.host_calls,
            result_bytes: reply.usage.result.get(),
            arguments_bytes: asked.bytes,
            arguments_sha256: asked.sha256.clone(),
            arguments: asked.text.clone(),
            refusal_bound: occasion.refusal_bound,
        }
    }

    /// The record as one line, its end included. Nothing in it moves a cursor.
    pub fn line(&self) -> String {
        let json = serde_json::to_string(self).expect("it holds texts and numbers only, and no map");
        let mut line = text::escape_in_json(&json).into_owned();
        line.push('\n');
        line
    }

    /// Reads a line. What a newer program of the same version adds is passed over.
    ///
    /// # Errors
    /// What is wrong with it, without anything of its text that could move a cursor.
    pub fn parse(line: &str) -> Result<Self, NotRecord> {
        let unreadable = |error: serde_json::Error| NotRecord::Unreadable(text::one_line(&error.to_string(), 120));
        let Version { version } = serde_json::from_str(line).map_err(unreadable)?;
        if version != u64::from(CALL_LOG_VERSION) {
            return Err(NotRecord::OtherVersion(version));
        }
        serde_json::from_str(line).map_err(unreadable)
    }
}

/// What is read first: a line of another version need not have the form of this one.
#[derive(Deserialize)]
struct Version {
    version: u64,
}

#[cfg(test)]
mod tests;

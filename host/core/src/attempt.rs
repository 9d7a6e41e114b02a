//! Attempt: one try of a call that came to no answer, and what a rule of the operator changed for the next one.
//!
//! Data for `reply` and the call log. Which rule applies is for `repair` to say, what is done about it for `host`.

use std::fmt;
use std::time::Duration;

use crate::field_path::FieldPath;
use crate::refusal::Code;
use crate::text;

/// Most characters of a value in a note.
const MAX_SHORT: usize = 40;

/// One repair of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The tool that was asked before it.
    pub tool: String,
    /// What that ended by.
    pub reason: Code,
    /// The name of the rule that was followed.
    pub rule: String,
    /// What was changed.
    pub change: Change,
    /// What the call ended by then; nothing where it was done.
    pub outcome: Option<Code>,
}

impl Attempt {
    /// `done`, or the code that the call ended by then.
    pub fn ended(&self) -> String {
        self.outcome.as_ref().map_or_else(|| "done".to_owned(), Code::to_string)
    }
}

/// What was changed of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// An argument.
    Set {
        /// Which one.
        at: FieldPath,
        /// What it was, as JSON cut to 120 characters; nothing where it was not there.
        was: Option<String>,
        /// What it is now, likewise.
        to: String,
    },
    /// The tool.
    Switched {
        /// The one that was asked instead.
        to: String,
    },
    /// Nothing but the time.
    Waited {
        /// How long.
        time: Duration,
    },
}

impl Change {
    /// The word in the call log.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Set { at: _, was: _, to: _ } => "set",
            Self::Switched { to: _ } => "switch",
            Self::Waited { time: _ } => "retry",
        }
    }

    /// Whether the call that was answered is another than the one that was asked, so that a model has to be told.
    pub const fn changes_the_call(&self) -> bool {
        match self {
            Self::Set { at: _, was: _, to: _ } | Self::Switched { to: _ } => true,
            Self::Waited { time: _ } => false,
        }
    }

    /// The sentence with values cut short, so that no value crowds out what was changed.
    pub(crate) fn in_short(&self) -> String {
        let short = |value: &str| text::one_line(value, MAX_SHORT);
        match self {
            Self::Set { at, was, to } => {
                Self::Set { at: at.clone(), was: was.as_deref().map(short), to: short(to) }.to_string()
            }
            Self::Switched { to: _ } | Self::Waited { time: _ } => self.to_string(),
        }
    }
}

impl fmt::Display for Change {
    /// The rest of a sentence that begins with the name of the tool: `` `region` was set to "seoul", it was "atlantis" ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set { at, was: Some(was), to } => write!(f, "`{at}` was set to {to}, it was {was}"),
            Self::Set { at, was: None, to } => write!(f, "`{at}` was set to {to}, it was not given"),
            Self::Switched { to } => write!(f, "`{to}` was asked instead"),
            Self::Waited { time } => write!(f, "it was asked again after {} ms", time.as_millis()),
        }
    }
}

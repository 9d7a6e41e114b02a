//! Gate: may these bytes be treated as a call at all?
//!
//! Sees bytes and limits only. Knows no tool (`registry`), never waits (`dispatch`), never guesses: text that does not
//! parse is not mended, and truncated text is never closed and run.

use serde_json::Value;

use crate::amendment::Amendment;
use crate::call::{Arguments, RawCall};
use crate::field_path::FieldPath;
use crate::json::{self, Fault};
use crate::units::{ByteCount, Depth};

/// Most bytes of one call's arguments. They are parsed and copied into the guest, so without a cap one turn could fill the
/// host's memory. The longest real calls carry a file's text, which is some hundred KiB.
pub const DEFAULT_ARGUMENTS: ByteCount = ByteCount::mib(1);

/// Deepest nesting of arguments. A `serde_json::Value` is dropped recursively, and 100 000 levels abort the process.
pub const DEFAULT_DEPTH: Depth = Depth::new(64);

/// What may pass.
#[derive(Clone, Copy, Debug)]
pub struct GateLimits {
    /// Most bytes of arguments.
    pub arguments: ByteCount,
    /// Deepest nesting.
    pub depth: Depth,
}

impl Default for GateLimits {
    fn default() -> Self {
        Self { arguments: DEFAULT_ARGUMENTS, depth: DEFAULT_DEPTH }
    }
}

/// Why something is not a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallRejection {
    /// The provider cut the turn here, or the text ends inside a value.
    Truncated,
    /// It breaks the JSON grammar.
    Unparsable {
        /// Where, in bytes from the start.
        at: usize,
        /// The rule.
        problem: String,
    },
    /// JSON, but no object.
    NotObject {
        /// What it is, in words.
        got: &'static str,
    },
    /// More bytes than allowed.
    TooLarge {
        /// How many came.
        size: ByteCount,
        /// The most allowed.
        max: ByteCount,
    },
    /// Deeper than allowed.
    TooDeep {
        /// The most allowed.
        max: Depth,
    },
    /// One key twice in one object.
    DuplicateKey {
        /// The key's path.
        at: FieldPath,
    },
    /// A number that cannot be held.
    InexactNumber {
        /// Its path.
        at: FieldPath,
    },
    /// Text that is not Unicode.
    BadText,
}

/// A call whose arguments are one JSON object of sane size and depth. Made only by [`Gate::admit`].
#[derive(Debug)]
pub(crate) struct Admitted {
    tool: String,
    arguments: Value,
    text: String,
}

impl Admitted {
    pub(crate) fn tool(&self) -> &str {
        &self.tool
    }

    /// Always an object.
    pub(crate) fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// The text that was read into `arguments`, for the guest.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// The first stage.
#[derive(Debug)]
pub(crate) struct Gate {
    limits: GateLimits,
}

impl Gate {
    pub(crate) const fn new(limits: GateLimits) -> Self {
        Self { limits }
    }

    /// Turns bytes into a call, in the order: cut, size, text and syntax and depth, object.
    pub(crate) fn admit(&self, raw: RawCall, recorded: &mut Vec<Amendment>) -> Result<Admitted, CallRejection> {
        recorded.extend(raw.recorded);
        if raw.cut {
            return Err(CallRejection::Truncated);
        }
        let size = raw.arguments.size();
        if size > self.limits.arguments {
            return Err(CallRejection::TooLarge { size, max: self.limits.arguments });
        }
        let text = match raw.arguments {
            Arguments::Text(text) if text.trim_ascii().is_empty() => {
                recorded.push(Amendment::EmptyArguments);
                "{}".to_owned()
            }
            Arguments::Text(text) if text.trim_ascii() == "null" => {
                recorded.push(Amendment::NullArguments);
                "{}".to_owned()
            }
            Arguments::Absent => {
                recorded.push(Amendment::NullArguments);
                "{}".to_owned()
            }
            Arguments::ParsedObject(text) => {
                recorded.push(Amendment::ParsedObject);
                text
            }
            Arguments::Text(text) => text,
            Arguments::NotUnicode => return Err(CallRejection::BadText),
            Arguments::Other(got) => return Err(CallRejection::NotObject { got }),
        };
        let arguments = json::read(text.as_bytes(), self.limits.depth).map_err(CallRejection::from)?;
        match kind(&arguments) {
            "an object" => Ok(Admitted { tool: raw.tool, arguments, text }),
            got => Err(CallRejection::NotObject { got }),
        }
    }
}

impl From<Fault> for CallRejection {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Truncated => Self::Truncated,
            Fault::Syntax { at, problem } => Self::Unparsable { at, problem },
            Fault::TooDeep { max } => Self::TooDeep { max },
            Fault::DuplicateKey { at } => Self::DuplicateKey { at },
            Fault::InexactNumber { at } => Self::InexactNumber { at },
            Fault::BadText => Self::BadText,
        }
    }
}

/// The kind of a value, as a sentence names it.
pub(crate) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

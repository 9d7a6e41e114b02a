//! Wire: which calls are in a provider's message, and what does the answer look like in the same dialect?
//!
//! Settles envelopes, never calls: arguments are handed on as the text they came as. A dialect is one file with one trait.

mod anthropic;
mod openai_chat;

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::call::{Arguments, RawCall};
use crate::reply::Reply;
use crate::text;
use crate::units::ByteCount;

/// Most bytes of one message. It is held in memory while it is answered; a hundred calls of the largest arguments that
/// anybody sends stay well below.
pub const MAX_MESSAGE: ByteCount = ByteCount::mib(32);

/// Most calls of one message. A model writes a handful; a message of a million would make a reply and a result of each.
pub const MAX_CALLS_IN_MESSAGE: usize = 1024;

/// A provider's way of writing calls and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, and servers compatible with it.
    OpenAiChat,
}

/// What one dialect knows.
trait Codec {
    /// Whether a message is written in this dialect, by its shape.
    fn recognises(&self, message: &Message<'_>) -> bool;

    /// The calls of a message, in order.
    fn read(&self, message: &Message<'_>) -> Result<Vec<RawCall>, TurnError>;

    /// The answer to the calls, in order, as JSON.
    fn write(&self, replies: &[Reply]) -> String;
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 2] = [Self::Anthropic, Self::OpenAiChat];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAiChat => "openai-chat",
        }
    }

    fn codec(self) -> &'static dyn Codec {
        match self {
            Self::Anthropic => &anthropic::Anthropic,
            Self::OpenAiChat => &openai_chat::OpenAiChat,
        }
    }

    pub(crate) fn write(self, replies: &[Reply]) -> String {
        self.codec().write(replies)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A provider's message, read as far as its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// Its calls, in order.
    pub calls: Vec<RawCall>,
}

/// Why something is no turn that can be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// More bytes than are held.
    #[error("the message has more than {MAX_MESSAGE}, the most that is read")]
    TooLarge,
    /// Not one JSON object.
    #[error("the message is not one JSON object, such as a provider's response body or its assistant message: {0}")]
    NotJson(String),
    /// The shape of no known dialect.
    #[error(
        "the message has the shape of no known dialect: looked for `content` with blocks (anthropic), and for `choices` or \
         `tool_calls` (openai-chat)"
    )]
    NoDialect,
    /// The shape of two dialects.
    #[error("the message has the shape of several dialects ({0}): say which with `--dialect`")]
    Ambiguous(String),
    /// The dialect is known, and this part is not as it wants it.
    #[error("`{at}` {problem}")]
    Shape {
        /// The part, dotted.
        at: String,
        /// What is wrong with it.
        problem: String,
    },
    /// More calls than are answered at once.
    #[error("the message has {n_calls} calls, the most is {MAX_CALLS_IN_MESSAGE}")]
    TooManyCalls {
        /// How many.
        n_calls: usize,
    },
    /// Nothing to answer.
    #[error("the message calls no tool, so there is nothing to answer")]
    NoCalls,
}

impl Turn {
    /// Reads a whole response body or the bare assistant message; without a dialect, the one whose shape it has.
    ///
    /// # Errors
    /// What was looked for and not found. A bad call is no error: it gets its reply.
    pub fn read(body: &[u8], dialect: Option<Dialect>) -> Result<Self, TurnError> {
        if ByteCount::of(body) > MAX_MESSAGE {
            return Err(TurnError::TooLarge);
        }
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let not_json = |problem: String| TurnError::NotJson(text::one_line(&problem, 200));
        let whole: &RawValue = serde_json::from_slice(body).map_err(|error| not_json(error.to_string()))?;
        let message: Message<'_> = members(whole).map_err(not_json)?;
        let dialect = match dialect {
            Some(dialect) => dialect,
            None => detect(&message)?,
        };
        let calls = dialect.codec().read(&message)?;
        if calls.is_empty() {
            return Err(TurnError::NoCalls);
        }
        if calls.len() > MAX_CALLS_IN_MESSAGE {
            return Err(TurnError::TooManyCalls { n_calls: calls.len() });
        }
        Ok(Self { dialect, calls })
    }
}

fn detect(message: &Message<'_>) -> Result<Dialect, TurnError> {
    let fitting: Vec<Dialect> =
        Dialect::ALL.into_iter().filter(|dialect| dialect.codec().recognises(message)).collect();
    match fitting.as_slice() {
        // An assistant message that is nothing but text has no calls in any dialect.
        [] if message.content.is_some_and(|content| content.get().starts_with('"')) => Err(TurnError::NoCalls),
        [] => Err(TurnError::NoDialect),
        [dialect] => Ok(*dialect),
        several => {
            let names: Vec<&str> = several.iter().map(|dialect| dialect.name()).collect();
            Err(TurnError::Ambiguous(names.join(", ")))
        }
    }
}

/// The parts of a message that any dialect looks at; what else it holds is left alone.
#[derive(Deserialize)]
struct Message<'m> {
    #[serde(borrow, default)]
    content: Option<&'m RawValue>,
    #[serde(borrow, default)]
    choices: Option<&'m RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<&'m RawValue>,
    #[serde(borrow, default)]
    stop_reason: Option<&'m RawValue>,
    #[serde(borrow, default)]
    finish_reason: Option<&'m RawValue>,
}

/// The wanted members of an object. Without the look at its first byte a list would be read member by member.
fn members<'m, T: Deserialize<'m>>(part: &'m RawValue) -> Result<T, String> {
    if !part.get().starts_with('{') {
        return Err("it is no object".to_owned());
    }
    serde_json::from_str(part.get()).map_err(|error| error.to_string())
}

/// As above, for a part of a message.
fn object<'m, T: Deserialize<'m>>(part: &'m RawValue, at: &str) -> Result<T, TurnError> {
    members(part).map_err(|problem| shape(at, format!("cannot be read: {problem}")))
}

/// A part that is a list, as its raw items.
fn items<'m>(part: &'m RawValue, at: &str) -> Result<Vec<&'m RawValue>, TurnError> {
    serde_json::from_str(part.get()).map_err(|error| shape(at, format!("is no list: {error}")))
}

/// A part that is text; `None` for anything else, a lone surrogate included.
fn string(part: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(part?.get()).ok()
}

fn shape(at: impl Into<String>, problem: impl Into<String>) -> TurnError {
    TurnError::Shape { at: at.into(), problem: text::one_line(&problem.into(), 200) }
}

/// The call's id, without which no provider takes a result.
fn id(part: Option<&RawValue>, at: &str) -> Result<String, TurnError> {
    string(part)
        .filter(|id| !id.is_empty())
        .ok_or_else(|| shape(format!("{at}.id"), "is no text; without an id the provider takes no result"))
}

/// Arguments where the dialect wants an object.
fn object_arguments(part: Option<&RawValue>) -> Arguments {
    part.map_or(Arguments::Absent, |part| Arguments::Text(part.get().to_owned()))
}

/// Arguments where the dialect wants their text.
fn text_arguments(part: Option<&RawValue>) -> Arguments {
    let Some(part) = part else { return Arguments::Absent };
    let raw = part.get();
    match raw.bytes().next() {
        Some(b'"') => serde_json::from_str(raw).map_or(Arguments::NotUnicode, Arguments::Text),
        Some(b'{') => Arguments::ParsedObject(raw.to_owned()),
        Some(b'[') => Arguments::Other("a list"),
        Some(b't' | b'f') => Arguments::Other("true or false"),
        _ => Arguments::Other("a number"),
    }
}

/// JSON for a person and a provider alike.
fn print(message: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(message).expect("text keys only, and writing to memory cannot fail")
}

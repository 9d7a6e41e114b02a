//! Wire: which calls are in a provider's message, and what does the answer look like in the same dialect?
//!
//! Settles envelopes, never calls: arguments are handed on as the text they came as. A dialect is one file with one trait
//! (`codec`), and `dialect` lists them.

mod anthropic;
mod arguments;
mod bedrock;
mod bounds;
mod chat;
mod codec;
mod dialect;
mod error;
mod gemini;
mod ids;
mod mend;
mod message;
mod mistral;
mod names;
mod openai_chat;
mod openai_responses;
mod part;
mod settle;
mod surrogates;

use serde_json::value::RawValue;

pub use self::bounds::{MAX_CALLS_IN_MESSAGE, MAX_MESSAGE};
use self::codec::{Answered, Echo, End};
pub use self::dialect::{Dialect, UnknownDialect};
pub use self::error::TurnError;
use self::error::not_json;
use self::message::Message;
use self::settle::{Settled, settle};
use crate::call::RawCall;
use crate::reply::Reply;
use crate::text;
use crate::units::ByteCount;

/// A provider's message, read as far as its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// Its calls, in order.
    pub calls: Vec<RawCall>,
    echoes: Vec<Echo>,
    assistant: String,
    is_mended: bool,
}

impl Turn {
    /// Reads a whole response body, the bare assistant message, or a list of items where the dialect has one; without a
    /// dialect, in the one whose shape it has.
    ///
    /// Every call has an id that the provider takes once (`Gemini` apart, which matches by position): one that is absent is
    /// made, one that is taken or refused is replaced, the same way every time. [`Turn::assistant`] has them too.
    ///
    /// # Errors
    /// What was looked for and not found; two dialects in one message; a provider that says itself that no call of the turn
    /// can be used. A bad call is no error: it gets its reply.
    pub fn read(body: &[u8], dialect: Option<Dialect>) -> Result<Self, TurnError> {
        if ByteCount::of(body) > MAX_MESSAGE {
            return Err(TurnError::TooLarge);
        }
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let whole: &RawValue = serde_json::from_slice(body).map_err(|error| not_json(error.to_string()))?;
        let message = Message::read(whole)?;
        let known = match dialect {
            Some(dialect) => dialect,
            None => detect(&message)?,
        };
        let found = known.codec().read(&message)?;
        if dialect.is_none() {
            is_unmixed(known, &found.assistant)?;
        }
        let n_calls = found.calls.len();
        match found.end {
            End::Unusable(word) => Err(TurnError::NoUsableCall { word: text::one_line(&word, 40) }),
            End::Whole | End::Cut if n_calls == 0 => Err(TurnError::NoCalls),
            End::Whole | End::Cut if n_calls > MAX_CALLS_IN_MESSAGE => Err(TurnError::TooManyCalls { n_calls }),
            End::Whole | End::Cut => {
                let Settled { calls, echoes, assistant, is_mended } = settle(known.codec(), whole, found)?;
                Ok(Self { dialect: known, calls, echoes, assistant, is_mended })
            }
        }
    }

    /// What goes into the next request before [`crate::Answer::message`]: the assistant message, or the list of its items,
    /// as JSON in the turn's dialect. Everything that is not understood is as it came, byte for byte.
    pub fn assistant(&self) -> &str {
        &self.assistant
    }

    /// Whether [`Turn::assistant`] had to change for the provider to take it back.
    pub const fn is_mended(&self) -> bool {
        self.is_mended
    }

    /// The assistant message where it had to change.
    pub(crate) fn into_mended(self) -> Option<String> {
        self.is_mended.then_some(self.assistant)
    }

    /// The answer to the calls, one reply each, in order.
    pub(crate) fn write(&self, replies: &[Reply]) -> String {
        let nothing = Echo::default();
        let echoes = self.echoes.iter().chain(std::iter::repeat(&nothing));
        let results = replies.iter().zip(echoes).map(|(reply, echo)| Answered { reply, echo });
        self.dialect.codec().write(&results.collect::<Vec<_>>())
    }
}

/// The dialect whose shape a message has.
fn detect(message: &Message<'_>) -> Result<Dialect, TurnError> {
    let fitting: Vec<Dialect> =
        Dialect::ALL.into_iter().filter(|dialect| dialect.codec().recognises(message)).collect();
    match fitting.as_slice() {
        // An assistant message that is nothing but text has no calls in any dialect.
        [] if message.get("content").is_some_and(|content| content.get().starts_with('"')) => Err(TurnError::NoCalls),
        [] => Err(TurnError::NoDialect { looked_for: looked_for() }),
        [dialect] => Ok(*dialect),
        several => Err(ambiguous(several)),
    }
}

/// Whether no call of another dialect stands in a message: nobody would answer it.
fn is_unmixed(dialect: Dialect, assistant: &str) -> Result<(), TurnError> {
    let Ok(whole) = serde_json::from_str::<&RawValue>(assistant) else { return Ok(()) };
    for block in Message::read(whole)?.blocks() {
        if !dialect.codec().is_call(&block) {
            let other = Dialect::ALL.into_iter().find(|other| other.codec().is_call(&block));
            other.map_or(Ok(()), |other| Err(ambiguous(&[dialect, other])))?;
        }
    }
    Ok(())
}

fn ambiguous(dialects: &[Dialect]) -> TurnError {
    let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name()).collect();
    TurnError::Ambiguous(names.join(", "))
}

/// By what each dialect is told, for a person.
fn looked_for() -> String {
    let each = Dialect::ALL.map(|dialect| format!("{} ({dialect})", dialect.codec().looks_for()));
    each.join(", ")
}

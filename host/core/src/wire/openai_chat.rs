//! OpenAI Chat Completions: `tool_calls` in, one `role: tool` message per call out.
//!
//! After the Chat Completions API: arguments are a string that is not promised to be JSON, there is no error flag, and the
//! text of an error starts with its code. Compatible servers leave out ids and types, and send objects for strings.

use serde::Serialize;

use super::arguments::Form;
use super::chat::{self, Manner};
use super::codec::{self, Answered, Codec, End, Found, Rules};
use super::error::TurnError;
use super::ids::IdRule;
use super::message::Message;
use super::mistral;
use super::names::NameRule;
use super::part::Object;

/// The dialect.
pub(super) struct OpenAiChat;

/// The code of Groq's error for a call that it could not read itself.
const GROQ_UNREADABLE: &str = "tool_use_failed";

const MANNER: Manner = Manner { cut: &["length"], unusable: &["content_filter"], wants_type: true };

#[derive(Serialize)]
struct ToolMessage<'r> {
    role: &'static str,
    tool_call_id: &'r str,
    content: String,
}

impl Codec for OpenAiChat {
    fn looks_for(&self) -> &'static str {
        "`choices` or `tool_calls`"
    }

    fn recognises(&self, message: &Message<'_>) -> bool {
        (chat::has_shape(message) || groq_error(message).is_some()) && !mistral::speaks(message)
    }

    fn is_call(&self, block: &Object<'_>) -> bool {
        chat::is_call(block)
    }

    fn read<'m>(&self, message: &Message<'m>) -> Result<Found<'m>, TurnError> {
        match groq_error(message) {
            Some(word) => Ok(Found { calls: Vec::new(), end: End::Unusable(word), assistant: String::new() }),
            None => chat::read(message, &MANNER),
        }
    }

    fn rules(&self) -> Rules {
        Rules {
            // Models until 2025 take 40 characters of an id, newer ones 64; servers make them of anything.
            ids: Some(IdRule { punctuation: None, min: 1, max: 64, absent: &[], prefix: "call_", n_minted: 24 }),
            names: NameRule { punctuation: "_-", starts_as_word: false, max: 64 },
            arguments: Form::Text,
        }
    }

    fn write(&self, results: &[Answered<'_>]) -> String {
        let messages = results.iter().map(|result| ToolMessage {
            role: "tool",
            tool_call_id: &result.reply.id,
            content: result.reply.text(),
        });
        codec::print(&messages.collect::<Vec<_>>())
    }
}

/// The code of the error that stands in place of a completion where the server could not read the model's call.
fn groq_error(message: &Message<'_>) -> Option<String> {
    let error = message.object()?.object("error")?;
    error.text("code").filter(|code| code == GROQ_UNREADABLE)
}

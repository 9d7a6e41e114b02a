//! OpenAI Chat Completions: `tool_calls` in, one `role: tool` message per call out.
//!
//! After the Chat Completions API: arguments are a string that is not promised to be JSON, there is no error flag, and the
//! text of an error starts with its code. Compatible servers leave out ids and types, and send objects for strings.

use serde::Serialize;
use serde_json::json;

use super::arguments::Form;
use super::ids::IdRule;
use super::names::{NameRule, UNNAMED};
use super::part::Object;
use super::{Answered, Codec, End, Found, FoundCall, Message, Rules, TurnError, mistral, object, objects, shape};

/// The dialect.
pub(super) struct OpenAiChat;

/// The code of Groq's error for a call that it could not read itself.
const GROQ_UNREADABLE: &str = "tool_use_failed";

const MANNER: Manner = Manner { cut: &["length"], unusable: &["content_filter"], wants_type: true };

/// What differs between those who write chat completions.
pub(super) struct Manner {
    /// Finish reasons after which the last call may be incomplete even where its JSON is whole.
    pub(super) cut: &'static [&'static str],
    /// Finish reasons after which nothing may be run.
    pub(super) unusable: &'static [&'static str],
    /// Whether every call in the history must have its `type`.
    pub(super) wants_type: bool,
}

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
        (has_shape(message) || groq_error(message).is_some()) && !mistral::speaks(message)
    }

    fn is_call(&self, block: &Object<'_>) -> bool {
        block.get("function").is_some() || block.get("custom").is_some()
    }

    fn read<'m>(&self, message: &Message<'m>) -> Result<Found<'m>, TurnError> {
        match groq_error(message) {
            Some(word) => Ok(Found { calls: Vec::new(), end: End::Unusable(word), assistant: String::new() }),
            None => read(message, &MANNER),
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
        super::print(&messages.collect::<Vec<_>>())
    }
}

/// Whether a message is a chat completion or one of its messages, whoever made it.
pub(super) fn has_shape(message: &Message<'_>) -> bool {
    message.get("choices").is_some() || message.get("tool_calls").is_some()
}

/// What is in a chat completion or in one of its messages, in the manner of whoever made it.
pub(super) fn read<'m>(message: &Message<'m>, manner: &Manner) -> Result<Found<'m>, TurnError> {
    let Some(choices) = message.get("choices") else {
        let bare = message.object().ok_or_else(|| shape("tool_calls", "is not there"))?;
        let end = End::of(bare.text("finish_reason"), manner.cut, manner.unusable);
        let calls = read_calls(bare, "tool_calls", manner)?;
        return Ok(Found { calls, end, assistant: bare.without("finish_reason") });
    };
    let choices = objects(choices, "choices")?;
    let [choice] = choices.as_slice() else {
        return Err(shape("choices", "does not hold exactly one choice; give the one to answer"));
    };
    let assistant = choice.get("message").ok_or_else(|| shape("choices.0.message", "is not there"))?;
    let calls = read_calls(&object(assistant, "choices.0.message")?, "choices.0.message.tool_calls", manner)?;
    let end = End::of(choice.text("finish_reason"), manner.cut, manner.unusable);
    Ok(Found { calls, end, assistant: assistant.get().to_owned() })
}

fn read_calls<'m>(assistant: &Object<'m>, at: &str, manner: &Manner) -> Result<Vec<FoundCall<'m>>, TurnError> {
    let Some(calls) = assistant.get("tool_calls") else { return Ok(Vec::new()) };
    Ok(objects(calls, at)?.iter().map(|call| read_call(call, manner)).collect())
}

fn read_call<'m>(call: &Object<'m>, manner: &Manner) -> FoundCall<'m> {
    let mut found = match (call.object("function"), call.object("custom")) {
        (Some(function), _) => FoundCall::of(&function, "id", "name", "arguments"),
        (None, Some(custom)) => {
            FoundCall { arguments: None, is_custom: true, ..FoundCall::of(&custom, "id", "name", "input") }
        }
        (None, None) => FoundCall {
            name: None,
            arguments: None,
            lacks: vec![(call.slot("function"), json!({ "name": UNNAMED, "arguments": "{}" }).to_string())],
            ..FoundCall::of(call, "id", "name", "arguments")
        },
    };
    let kind = if found.is_custom { "custom" } else { "function" };
    if manner.wants_type && !call.says("type", kind) {
        found.lacks.push((call.slot("type"), format!("\"{kind}\"")));
    }
    FoundCall { id: call.slot("id"), ..found }
}

/// The code of the error that stands in place of a completion where the server could not read the model's call.
fn groq_error(message: &Message<'_>) -> Option<String> {
    let error = message.object()?.object("error")?;
    error.text("code").filter(|code| code == GROQ_UNREADABLE)
}

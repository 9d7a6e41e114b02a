//! Chat: what all who write chat completions have in common: where the calls stand, and what a call is made of.

use serde_json::json;

use super::codec::{End, Found, FoundCall};
use super::error::{TurnError, shape};
use super::message::{Message, object, objects};
use super::names::UNNAMED;
use super::part::Object;

/// What differs between those who write chat completions.
pub(super) struct Manner {
    /// Finish reasons after which the last call may be incomplete even where its JSON is whole.
    pub(super) cut: &'static [&'static str],
    /// Finish reasons after which nothing may be run.
    pub(super) unusable: &'static [&'static str],
    /// Whether every call in the history must have its `type`.
    pub(super) wants_type: bool,
}

/// Whether a block is a call of a function, or of a tool that takes free text.
pub(super) fn is_call(block: &Object<'_>) -> bool {
    block.get("function").is_some() || block.get("custom").is_some()
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

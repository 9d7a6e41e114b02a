//! OpenAI Chat Completions: `tool_calls` in, one `role: tool` message per call out.
//!
//! After the Chat Completions API: arguments are a string that is not promised to be JSON, there is no error flag, and the
//! text of an error starts with its code.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Codec, Message, TurnError, id, items, object, shape, string, text_arguments};
use crate::call::{Arguments, RawCall};
use crate::reply::Reply;

/// The dialect.
pub(super) struct OpenAiChat;

/// The finish reason after which the last call may be incomplete even where its JSON is whole.
const CUT: &str = "length";

#[derive(Deserialize)]
struct Choice<'m> {
    #[serde(borrow, default)]
    message: Option<&'m RawValue>,
    #[serde(borrow, default)]
    finish_reason: Option<&'m RawValue>,
}

#[derive(Deserialize)]
struct Assistant<'m> {
    #[serde(borrow, default)]
    tool_calls: Option<&'m RawValue>,
}

#[derive(Deserialize)]
struct ToolCall<'m> {
    #[serde(borrow, default)]
    id: Option<&'m RawValue>,
    #[serde(borrow, default)]
    function: Option<&'m RawValue>,
    #[serde(borrow, default)]
    custom: Option<&'m RawValue>,
}

#[derive(Deserialize)]
struct Function<'m> {
    #[serde(borrow, default)]
    name: Option<&'m RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'m RawValue>,
}

#[derive(Serialize)]
struct ToolMessage<'r> {
    role: &'static str,
    tool_call_id: &'r str,
    content: String,
}

impl Codec for OpenAiChat {
    fn recognises(&self, message: &Message<'_>) -> bool {
        message.choices.is_some() || message.tool_calls.is_some()
    }

    fn read(&self, message: &Message<'_>) -> Result<Vec<RawCall>, TurnError> {
        let Some(choices) = message.choices else {
            return read_calls(message.tool_calls, message.finish_reason, "tool_calls");
        };
        let choices = items(choices, "choices")?;
        let [choice] = choices.as_slice() else {
            return Err(shape("choices", "does not hold exactly one choice; give the one to answer"));
        };
        let choice: Choice<'_> = object(choice, "choices.0")?;
        let assistant = choice.message.ok_or_else(|| shape("choices.0.message", "is not there"))?;
        let assistant: Assistant<'_> = object(assistant, "choices.0.message")?;
        read_calls(assistant.tool_calls, choice.finish_reason, "choices.0.message.tool_calls")
    }

    fn write(&self, replies: &[Reply]) -> String {
        let messages =
            replies.iter().map(|reply| ToolMessage { role: "tool", tool_call_id: &reply.id, content: reply.text() });
        super::print(&messages.collect::<Vec<_>>())
    }
}

fn read_calls(
    tool_calls: Option<&RawValue>,
    finish_reason: Option<&RawValue>,
    at: &str,
) -> Result<Vec<RawCall>, TurnError> {
    let Some(tool_calls) = tool_calls.filter(|calls| calls.get() != "null") else {
        return Ok(Vec::new());
    };
    let mut calls = Vec::new();
    for (idx, call) in items(tool_calls, at)?.into_iter().enumerate() {
        let at = format!("{at}.{idx}");
        let call: ToolCall<'_> = object(call, &at)?;
        calls.push(read_call(&call, &at)?);
    }
    let cut = string(finish_reason).is_some_and(|reason| reason == CUT);
    if let (Some(last), true) = (calls.last_mut(), cut) {
        last.cut = true;
    }
    Ok(calls)
}

fn read_call<'m>(call: &ToolCall<'m>, at: &str) -> Result<RawCall, TurnError> {
    let id = id(call.id, at)?;
    let part = |part: Option<&'m RawValue>| part.and_then(|part| object::<Function<'_>>(part, at).ok());
    let (tool, arguments) = match (part(call.function), part(call.custom)) {
        (Some(function), _) => (string(function.name).unwrap_or_default(), text_arguments(function.arguments)),
        // A custom tool takes free text. None of ours does, and the colon keeps its name from ever meeting one of theirs.
        (None, Some(custom)) => {
            (format!("custom:{}", string(custom.name).unwrap_or_default()), Arguments::Text("{}".to_owned()))
        }
        (None, None) => (String::new(), Arguments::Absent),
    };
    Ok(RawCall { id, tool, arguments, cut: false, recorded: Vec::new() })
}

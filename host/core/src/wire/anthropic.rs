//! Anthropic Messages: `tool_use` blocks in, one user message of `tool_result` blocks out.
//!
//! After the Messages API: every result stands in the very next user message, as its first blocks, one per call.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Codec, Message, TurnError, id, items, object, object_arguments, shape, string};
use crate::call::RawCall;
use crate::reply::Reply;

/// The dialect.
pub(super) struct Anthropic;

/// Stop reasons after which the last call may be incomplete even where its JSON is whole.
const CUT: [&str; 2] = ["max_tokens", "model_context_window_exceeded"];

#[derive(Deserialize)]
struct Block<'m> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<&'m RawValue>,
    #[serde(borrow, default)]
    id: Option<&'m RawValue>,
    #[serde(borrow, default)]
    name: Option<&'m RawValue>,
    #[serde(borrow, default)]
    input: Option<&'m RawValue>,
}

#[derive(Serialize)]
struct UserMessage<'r> {
    role: &'static str,
    content: Vec<ToolResult<'r>>,
}

#[derive(Serialize)]
struct ToolResult<'r> {
    r#type: &'static str,
    tool_use_id: &'r str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
    content: String,
}

impl Codec for Anthropic {
    fn recognises(&self, message: &Message<'_>) -> bool {
        let blocks = message.content.map(RawValue::get).filter(|content| content.starts_with('['));
        let calls_elsewhere = message.tool_calls.is_some();
        message.choices.is_none() && blocks.is_some_and(|blocks| !calls_elsewhere || blocks.contains("\"tool_use\""))
    }

    fn read(&self, message: &Message<'_>) -> Result<Vec<RawCall>, TurnError> {
        let content = message.content.ok_or_else(|| shape("content", "is not there"))?;
        if content.get().starts_with('"') {
            return Ok(Vec::new());
        }
        let mut calls = Vec::new();
        for (idx, block) in items(content, "content")?.into_iter().enumerate() {
            let at = format!("content.{idx}");
            let block: Block<'_> = object(block, &at)?;
            if string(block.kind).as_deref() == Some("tool_use") {
                calls.push(RawCall {
                    id: id(block.id, &at)?,
                    tool: string(block.name).unwrap_or_default(),
                    arguments: object_arguments(block.input),
                    cut: false,
                    recorded: Vec::new(),
                });
            }
        }
        let stop = string(message.stop_reason);
        if let (Some(last), true) = (calls.last_mut(), stop.is_some_and(|stop| CUT.contains(&stop.as_str()))) {
            last.cut = true;
        }
        Ok(calls)
    }

    fn write(&self, replies: &[Reply]) -> String {
        let content = replies.iter().map(|reply| ToolResult {
            r#type: "tool_result",
            tool_use_id: &reply.id,
            is_error: !reply.is_done(),
            content: reply.text(),
        });
        super::print(&UserMessage { role: "user", content: content.collect() })
    }
}

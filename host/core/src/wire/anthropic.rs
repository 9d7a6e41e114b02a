//! Anthropic Messages: `tool_use` blocks in, one user message of `tool_result` blocks out.
//!
//! After the Messages API: every result stands in the very next user message, as its first blocks, one per call; ids and
//! names have a pattern, and `input` is an object.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::Form;
use super::codec::{self, Answered, Codec, End, Found, FoundCall, Rules};
use super::error::{TurnError, shape};
use super::ids::IdRule;
use super::message::{Message, objects};
use super::names::NameRule;
use super::part::Object;

/// The dialect.
pub(super) struct Anthropic;

/// Stop reasons after which the last call may be incomplete even where its JSON is whole.
const CUT: [&str; 2] = ["max_tokens", "model_context_window_exceeded"];

/// The stop reason after which nothing may be run.
const UNUSABLE: [&str; 1] = ["refusal"];

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
    #[serde(flatten)]
    copied: BTreeMap<&'r str, &'r Value>,
}

impl Codec for Anthropic {
    fn looks_for(&self) -> &'static str {
        "`content` with blocks"
    }

    fn recognises(&self, message: &Message<'_>) -> bool {
        let of_another = ["choices", "tool_calls", "stopReason"].iter().any(|key| message.get(key).is_some());
        let is_untyped = |block: &RawValue| Object::read(block).is_ok_and(|block| block.get("type").is_none());
        let has_blocks =
            message.list("content").is_some_and(|blocks| !blocks.first().is_some_and(|first| is_untyped(first)));
        (has_blocks && !of_another) || message.blocks().iter().any(|block| self.is_call(block))
    }

    fn is_call(&self, block: &Object<'_>) -> bool {
        // A `server_tool_use` is run by the service: nobody waits for a result of ours.
        block.says("type", "tool_use")
    }

    fn read<'m>(&self, message: &Message<'m>) -> Result<Found<'m>, TurnError> {
        let content = message.get("content").ok_or_else(|| shape("content", "is not there"))?;
        let blocks = match content.get().starts_with('"') {
            true => Vec::new(),
            false => objects(content, "content")?,
        };
        let calls = blocks.iter().filter(|block| self.is_call(block)).map(|block| FoundCall {
            copied: block.copied(&["toolset_name"]),
            ..FoundCall::of(block, "id", "name", "input")
        });
        Ok(Found {
            calls: calls.collect(),
            end: End::of(message.text("stop_reason"), &CUT, &UNUSABLE),
            // The rest of a response, such as its usage, is none of what a request takes.
            assistant: format!(r#"{{"role":"assistant","content":{}}}"#, content.get()),
        })
    }

    fn rules(&self) -> Rules {
        Rules {
            ids: Some(IdRule {
                punctuation: Some("_-"),
                min: 1,
                max: usize::MAX,
                absent: &[],
                prefix: "toolu_",
                n_minted: 22,
            }),
            names: NameRule { punctuation: "_-", starts_as_word: false, max: 128 },
            arguments: Form::Object,
        }
    }

    fn write(&self, results: &[Answered<'_>]) -> String {
        let content = results.iter().map(|result| ToolResult {
            r#type: "tool_result",
            tool_use_id: &result.reply.id,
            is_error: !result.reply.is_done(),
            content: result.reply.text(),
            copied: result.copied(),
        });
        codec::print(&UserMessage { role: "user", content: content.collect() })
    }
}

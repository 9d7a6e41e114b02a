//! Amazon Bedrock Converse: `toolUse` blocks in, one user message of `toolResult` blocks out.
//!
//! After the Converse API: exactly one result per call in the next user message, each with its `status` and with text that
//! is not empty; ids and names have a pattern, and `input` is an object.

use serde::Serialize;

use super::arguments::Form;
use super::codec::{self, Answered, Codec, End, Found, FoundCall, Rules};
use super::error::{TurnError, shape};
use super::ids::IdRule;
use super::message::{Message, object, objects};
use super::names::NameRule;
use super::part::Object;

/// The dialect.
pub(super) struct Bedrock;

/// Stop reasons after which the last call may be incomplete even where its JSON is whole.
const CUT: [&str; 2] = ["max_tokens", "model_context_window_exceeded"];

/// Stop reasons after which there is no call to use.
const UNUSABLE: [&str; 1] = ["malformed_*"];

#[derive(Serialize)]
struct UserMessage<'r> {
    role: &'static str,
    content: Vec<Block<'r>>,
}

#[derive(Serialize)]
struct Block<'r> {
    #[serde(rename = "toolResult")]
    tool_result: ToolResult<'r>,
}

#[derive(Serialize)]
struct ToolResult<'r> {
    #[serde(rename = "toolUseId")]
    tool_use_id: &'r str,
    status: &'static str,
    content: [Text; 1],
}

#[derive(Serialize)]
struct Text {
    text: String,
}

impl Codec for Bedrock {
    fn looks_for(&self) -> &'static str {
        "`output.message`, or `content` with `toolUse` blocks"
    }

    fn recognises(&self, message: &Message<'_>) -> bool {
        let output = message.object().and_then(|body| body.object("output"));
        message.get("stopReason").is_some()
            || output.is_some_and(|output| output.get("message").is_some())
            || message.blocks().iter().any(|block| block.get("toolUse").is_some())
    }

    fn is_call(&self, block: &Object<'_>) -> bool {
        // What the service runs itself gets no result of ours.
        block.object("toolUse").is_some_and(|call| !call.says("type", "server_tool_use"))
    }

    fn read<'m>(&self, message: &Message<'m>) -> Result<Found<'m>, TurnError> {
        let end = End::of(message.text("stopReason"), &CUT, &UNUSABLE);
        let (content, at) = match message.get("output") {
            Some(output) => {
                let output = object(output, "output")?;
                // A turn without a usable call may have no message at all.
                let Some(assistant) = output.get("message") else {
                    return Ok(Found { calls: Vec::new(), end, assistant: String::new() });
                };
                (object(assistant, "output.message")?.get("content"), "output.message.content")
            }
            None => (message.get("content"), "content"),
        };
        let content = content.ok_or_else(|| shape(at, "is not there"))?;
        let mut calls = Vec::new();
        for (idx, block) in objects(content, at)?.iter().enumerate() {
            if let Some(call) = block.get("toolUse") {
                let call = object(call, &format!("{at}.{idx}.toolUse"))?;
                if self.is_call(block) {
                    calls.push(FoundCall::of(&call, "toolUseId", "name", "input"));
                }
            }
        }
        Ok(Found { calls, end, assistant: format!(r#"{{"role":"assistant","content":{}}}"#, content.get()) })
    }

    fn rules(&self) -> Rules {
        Rules {
            ids: Some(IdRule {
                punctuation: Some("_.:-"),
                min: 1,
                max: 64,
                absent: &[],
                prefix: "tooluse_",
                n_minted: 22,
            }),
            names: NameRule { punctuation: "_-", starts_as_word: false, max: 64 },
            arguments: Form::Object,
        }
    }

    fn write(&self, results: &[Answered<'_>]) -> String {
        let content = results.iter().map(|result| Block {
            tool_result: ToolResult {
                tool_use_id: &result.reply.id,
                status: if result.reply.is_done() { "success" } else { "error" },
                content: [Text { text: result.reply.text() }],
            },
        });
        codec::print(&UserMessage { role: "user", content: content.collect() })
    }
}

//! OpenAI Responses: `function_call` items in, one `function_call_output` item per call out.
//!
//! After the Responses API: `call_id` ties an output to its call and the item's own `id` does not; arguments are a string;
//! there is no error flag, and the text of an error starts with its code. All items go back into the history: a call
//! without the `reasoning` item before it is refused.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::arguments::Form;
use super::codec::{self, Answered, Codec, End, Found, FoundCall, Rules};
use super::error::{TurnError, shape};
use super::ids::IdRule;
use super::message::{Message, objects};
use super::names::NameRule;
use super::part::Object;

/// The dialect.
pub(super) struct OpenAiResponses;

/// The state of a response or an item after which its last call, or it, may be incomplete even where its JSON is whole.
const CUT: &str = "incomplete";

/// What a response's state or the detail of it says after which nothing may be run.
const UNUSABLE: [&str; 2] = ["failed", "content_filter"];

/// Items that a list may begin with, beside calls.
const ITEMS: [&str; 2] = ["message", "reasoning"];

#[derive(Serialize)]
struct Output<'r> {
    r#type: &'static str,
    call_id: &'r str,
    output: String,
    #[serde(flatten)]
    copied: BTreeMap<&'r str, &'r Value>,
}

impl Codec for OpenAiResponses {
    fn looks_for(&self) -> &'static str {
        "`output` with items, or a list of items"
    }

    fn recognises(&self, message: &Message<'_>) -> bool {
        let blocks = message.blocks();
        let has_items = match message {
            Message::Object(_) => message.list("output").is_some(),
            Message::Items(_, _) => {
                blocks.first().is_some_and(|first| ITEMS.iter().any(|kind| first.says("type", kind)))
            }
        };
        has_items || blocks.iter().any(|block| self.is_call(block))
    }

    fn is_call(&self, block: &Object<'_>) -> bool {
        block.says("type", "function_call") || is_custom(block)
    }

    fn read<'m>(&self, message: &Message<'m>) -> Result<Found<'m>, TurnError> {
        let (list, at) = match message {
            Message::Object(body) => (body.get("output").ok_or_else(|| shape("output", "is not there"))?, "output"),
            Message::Items(list, _) => (*list, "the list"),
        };
        let items = objects(list, at)?;
        let calls = items.iter().filter(|item| self.is_call(item)).map(|item| {
            let found = FoundCall {
                is_cut: item.says("status", CUT),
                copied: item.copied(&["namespace", "caller"]),
                ..FoundCall::of(item, "call_id", "name", "arguments")
            };
            if is_custom(item) { FoundCall { arguments: None, is_custom: true, ..found } } else { found }
        });
        Ok(Found { calls: calls.collect(), end: end(message), assistant: list.get().to_owned() })
    }

    fn rules(&self) -> Rules {
        Rules {
            ids: Some(IdRule { punctuation: None, min: 1, max: 64, absent: &[], prefix: "call_", n_minted: 24 }),
            names: NameRule { punctuation: "_-", starts_as_word: false, max: 64 },
            arguments: Form::Text,
        }
    }

    fn write(&self, results: &[Answered<'_>]) -> String {
        let outputs = results.iter().map(|result| Output {
            r#type: if result.echo.is_custom { "custom_tool_call_output" } else { "function_call_output" },
            call_id: &result.reply.id,
            output: result.reply.text(),
            copied: result.copied(),
        });
        codec::print(&outputs.collect::<Vec<_>>())
    }
}

fn is_custom(item: &Object<'_>) -> bool {
    item.says("type", "custom_tool_call")
}

/// The detail goes before the state: a response that a filter stopped is `incomplete` too.
fn end(message: &Message<'_>) -> End {
    let details = message.object().and_then(|body| body.object("incomplete_details"));
    match End::of(details.and_then(|details| details.text("reason")), &[], &UNUSABLE) {
        End::Whole => End::of(message.text("status"), &[CUT], &UNUSABLE),
        unusable => unusable,
    }
}

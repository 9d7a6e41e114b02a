//! Gemini: `functionCall` parts in, one user turn of `functionResponse` parts out.
//!
//! After the generateContent API: ids are optional and calls are matched by position and name; as many responses as calls,
//! in the same order; a response is always an object, with `output` or `error`. Signatures stay on the parts they came with.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::Form;
use super::codec::{self, Answered, Codec, End, Found, FoundCall, Rules};
use super::error::{TurnError, shape};
use super::message::{Message, object, objects};
use super::names::NameRule;
use super::part::Object;

/// The dialect.
pub(super) struct Gemini;

/// Finish reasons after which the last call may be incomplete even where its JSON is whole.
const CUT: [&str; 2] = ["MAX_TOKENS", "CONTINUATION"];

/// Finish reasons after which there is no call to use.
const UNUSABLE: [&str; 3] = ["MALFORMED_*", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"];

#[derive(Serialize)]
struct UserTurn<'r> {
    role: &'static str,
    parts: Vec<Part<'r>>,
}

#[derive(Serialize)]
struct Part<'r> {
    #[serde(rename = "functionResponse")]
    function_response: FunctionResponse<'r>,
}

#[derive(Serialize)]
struct FunctionResponse<'r> {
    #[serde(skip_serializing_if = "str::is_empty")]
    id: &'r str,
    name: &'r str,
    response: Response,
}

/// The shape that the provider names: `output` for a result, `error` for everything else; and a note beside a result.
#[derive(Serialize)]
#[serde(untagged)]
enum Response {
    Output {
        output: Box<RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    Error {
        error: Value,
    },
}

impl Codec for Gemini {
    fn looks_for(&self) -> &'static str {
        "`candidates`, or `parts` of the role `model`"
    }

    fn recognises(&self, message: &Message<'_>) -> bool {
        let is_turn = message.list("parts").is_some() && message.text("role").is_some_and(|role| role == "model");
        is_turn || message.get("candidates").is_some() || message.blocks().iter().any(|block| self.is_call(block))
    }

    fn is_call(&self, block: &Object<'_>) -> bool {
        block.get("functionCall").is_some()
    }

    fn read<'m>(&self, message: &Message<'m>) -> Result<Found<'m>, TurnError> {
        let Some(candidates) = message.get("candidates") else {
            let turn = message.object().ok_or_else(|| shape("parts", "is not there"))?;
            let end = End::of(turn.text("finishReason"), &CUT, &UNUSABLE);
            return Ok(Found { calls: read_parts(turn, "")?, end, assistant: turn.without("finishReason") });
        };
        let candidates = objects(candidates, "candidates")?;
        let [candidate] = candidates.as_slice() else {
            return Err(shape("candidates", "does not hold exactly one candidate; give the one to answer"));
        };
        let end = End::of(candidate.text("finishReason"), &CUT, &UNUSABLE);
        // A turn without a usable call has no content at all.
        let Some(content) = candidate.get("content") else {
            return Ok(Found { calls: Vec::new(), end, assistant: String::new() });
        };
        let at = "candidates.0.content";
        let calls = read_parts(&object(content, at)?, &format!("{at}."))?;
        Ok(Found { calls, end, assistant: content.get().to_owned() })
    }

    fn rules(&self) -> Rules {
        Rules {
            ids: None,
            names: NameRule { punctuation: "_.:-", starts_as_word: true, max: 128 },
            arguments: Form::OptionalObject,
        }
    }

    fn write(&self, results: &[Answered<'_>]) -> String {
        let parts = results.iter().map(|result| Part {
            function_response: FunctionResponse {
                id: &result.reply.id,
                name: &result.echo.name,
                response: response(result),
            },
        });
        codec::print(&UserTurn { role: "user", parts: parts.collect() })
    }
}

fn read_parts<'m>(turn: &Object<'m>, at: &str) -> Result<Vec<FoundCall<'m>>, TurnError> {
    let Some(parts) = turn.get("parts") else { return Ok(Vec::new()) };
    let at = format!("{at}parts");
    let mut calls = Vec::new();
    for (idx, part) in objects(parts, &at)?.iter().enumerate() {
        if let Some(call) = part.get("functionCall") {
            let call = object(call, &format!("{at}.{idx}.functionCall"))?;
            // Vertex may send the arguments in pieces; a last piece that never came leaves this behind.
            let is_cut = call.get("willContinue").is_some_and(|flag| flag.get() == "true");
            calls.push(FoundCall { is_cut, ..FoundCall::of(&call, "id", "name", "args") });
        }
    }
    Ok(calls)
}

/// A result that was checked is JSON, and goes as the value that it is.
fn response(result: &Answered<'_>) -> Response {
    let reply = result.reply;
    match reply.result().map(|text| RawValue::from_string(text.to_owned())) {
        Some(Ok(output)) => Response::Output { output, note: reply.note() },
        Some(Err(_)) | None => Response::Error { error: Value::from(reply.text()) },
    }
}

//! Mistral: chat completions with ids of nine letters and digits, and results that repeat the tool's name.
//!
//! After Mistral's chat API: arguments are text or an object, per call; a missing id becomes the word `null` in its SDK.

use serde::Serialize;

use super::arguments::Form;
use super::chat::{self, Manner};
use super::codec::{self, Answered, Codec, Found, Rules};
use super::error::TurnError;
use super::ids::IdRule;
use super::message::Message;
use super::names::NameRule;
use super::part::Object;

/// The dialect.
pub(super) struct Mistral;

const MANNER: Manner = Manner { cut: &["length", "model_length"], unusable: &["error"], wants_type: false };

/// What the names of its models begin with, wherever they run.
const FAMILIES: [&str; 8] =
    ["mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral", "voxtral"];

const IDS: IdRule = IdRule { punctuation: Some(""), min: 9, max: 9, absent: &["null"], prefix: "", n_minted: 9 };

#[derive(Serialize)]
struct ToolMessage<'r> {
    role: &'static str,
    tool_call_id: &'r str,
    name: &'r str,
    content: String,
}

impl Codec for Mistral {
    fn looks_for(&self) -> &'static str {
        "the same with a Mistral model or its ids"
    }

    fn recognises(&self, message: &Message<'_>) -> bool {
        chat::has_shape(message) && speaks(message)
    }

    fn is_call(&self, block: &Object<'_>) -> bool {
        chat::is_call(block)
    }

    fn read<'m>(&self, message: &Message<'m>) -> Result<Found<'m>, TurnError> {
        chat::read(message, &MANNER)
    }

    fn rules(&self) -> Rules {
        Rules {
            ids: Some(IDS),
            names: NameRule { punctuation: "_-", starts_as_word: true, max: 64 },
            arguments: Form::TextOrObject,
        }
    }

    fn write(&self, results: &[Answered<'_>]) -> String {
        let messages = results.iter().map(|result| ToolMessage {
            role: "tool",
            tool_call_id: &result.reply.id,
            name: &result.echo.name,
            content: result.reply.text(),
        });
        codec::print(&messages.collect::<Vec<_>>())
    }
}

/// Whether a chat completion is clearly Mistral's: by its model where it names one, else by a finish reason that nobody
/// else has, else by its calls. A router's body is taken by its model too, since it is the model that checks the ids.
pub(super) fn speaks(message: &Message<'_>) -> bool {
    if let Some(model) = message.text("model") {
        let model = model.to_ascii_lowercase();
        let mut words = model.split(|c: char| !c.is_ascii_alphanumeric());
        return words.any(|word| FAMILIES.iter().any(|family| word.starts_with(family)));
    }
    let choices = message.list("choices").unwrap_or_default();
    let choice = choices.first().and_then(|choice| Object::read(choice).ok());
    let reason = choice.as_ref().map_or_else(|| message.text("finish_reason"), |choice| choice.text("finish_reason"));
    if reason.is_some_and(|reason| reason == "model_length") {
        return true;
    }
    let bare = choice.and_then(|choice| choice.get("message"));
    let assistant = bare.and_then(|bare| Message::read(bare).ok());
    let calls = assistant.as_ref().unwrap_or(message).list("tool_calls").unwrap_or_default();
    !calls.is_empty() && calls.iter().all(|call| Object::read(call).is_ok_and(|call| is_its_call(&call)))
}

/// Nine letters and digits alone are no proof; with Mistral's `index`, or an object for arguments, they are.
fn is_its_call(call: &Object<'_>) -> bool {
    let has_its_id = call.text("id").is_some_and(|id| IDS.takes(&id));
    let has_object = call.object("function").is_some_and(|function| function.object("arguments").is_some());
    has_its_id && (has_object || call.get("index").is_some())
}

#[cfg(test)]
mod tests {
    use super::speaks;
    use crate::wire::message::Message;

    #[test]
    fn an_ordinary_chat_body_is_never_taken_for_mistral() {
        for (body, expected) in [
            (r#"{"model":"mistral-large-2512","choices":[]}"#, true),
            (r#"{"model":"mistralai/Devstral-Small","choices":[]}"#, true),
            (r#"{"model":"ft:open-mistral-7b:x","choices":[]}"#, true),
            (r#"{"model":"gpt-5","choices":[{"message":{"tool_calls":[{"id":"Q7wE2rT9a","index":0}]}}]}"#, false),
            (r#"{"choices":[{"finish_reason":"model_length","message":{}}]}"#, true),
            (r#"{"choices":[{"finish_reason":"length","message":{}}]}"#, false),
            (r#"{"choices":[{"message":{"tool_calls":[{"id":"Q7wE2rT9a","index":0}]}}]}"#, true),
            (r#"{"tool_calls":[{"id":"Q7wE2rT9a","index":0}]}"#, true),
            (r#"{"tool_calls":[{"id":"Q7wE2rT9a","function":{"arguments":{}}}]}"#, true),
            (r#"{"tool_calls":[{"id":"Q7wE2rT9a","function":{"arguments":"{}"}}]}"#, false),
            (r#"{"tool_calls":[{"id":"Q7wE2rT9a","index":0},{"id":"call_1","index":1}]}"#, false),
            (r#"{"tool_calls":[{"id":"call_1","index":0}]}"#, false),
            (r#"{"tool_calls":[{"id":"","index":0,"function":{"arguments":{}}}]}"#, false),
            (r#"{"tool_calls":[]}"#, false),
        ] {
            let raw = serde_json::from_str(body).expect("JSON");
            assert_eq!(speaks(&Message::read(raw).expect("a message")), expected, "{body}");
        }
    }
}

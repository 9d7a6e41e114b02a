//! Malformed calls as providers and models have sent them, each with what has to become of it, with coercion off and on.
//!
//! `tests/vectors/malformed_calls.jsonl` is one call or turn a line; `source` names where the shape was met. The tools are
//! three contracts over a guest that hands back the text it was given.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{
    Arguments, Coercion, Dialect, Host, RawCall, Reply, ToolSource, Turn, TurnError, Verdict, with_contract,
};

use crate::support::{build, guests, on_two_threads, outcome, report, repository};

const TOOLS: [(&str, &str); 3] = [
    (
        "stock_lookup",
        r#"{"type":"object","additionalProperties":false,"required":["sku","region","limit"],"properties":{"sku":{"type":"string"},"region":{"enum":["busan","jeju","seoul"],"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":2}}}"#,
    ),
    (
        "create_ticket",
        r#"{"type":"object","additionalProperties":false,"required":["customer_id","subject","priority"],"properties":{"customer_id":{"type":"string","pattern":"^cus_[a-zA-Z0-9]+$"},"subject":{"type":"string","maxLength":200},"priority":{"enum":["low","normal","high","urgent"],"type":"string"}}}"#,
    ),
    (
        "echo",
        r#"{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string"},"note":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"},"flag":{"type":"boolean"},"items":{"type":"array"},"opts":{"type":"object","additionalProperties":true}}}"#,
    ),
];

/// A line of the file: one call, or a turn of several.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    id: String,
    #[serde(rename = "shape")]
    _shape: String,
    dialect: String,
    tool: Option<String>,
    arguments: Option<Value>,
    arguments_text: Option<String>,
    arguments_base64: Option<String>,
    arguments_parts: Option<Vec<(String, usize)>>,
    turn: Option<Vec<Value>>,
    truncated: bool,
    stop: Option<String>,
    adapter: Option<String>,
    /// Ids of past rounds: nothing that a turn is read by.
    #[serde(rename = "earlier_ids")]
    _earlier_ids: Option<Vec<String>>,
    #[serde(rename = "text")]
    said: Option<String>,
    lowering: Option<String>,
    expect: Value,
    with_coercion: Option<Value>,
    expect_results: Option<usize>,
    #[serde(rename = "source")]
    _source: String,
}

/// What has to become of a call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    verdict: String,
    code: Option<String>,
    #[serde(rename = "also")]
    _also: Option<Vec<String>>,
    recorded: Vec<String>,
    args: Option<Value>,
}

fn vectors() -> Vec<Vector> {
    let path = repository().join("tests/vectors/malformed_calls.jsonl");
    let text = std::fs::read_to_string(path).expect("is there");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

async fn host(coercion: Coercion, strictly: bool) -> Host {
    let tools = TOOLS.map(|(name, input)| {
        let contract = format!(
            r#"{{"name":"{name}","version":"1","description":"d","effects":"read","input":{input},"output":{{"type":"object","additionalProperties":true}}}}"#
        );
        ToolSource::new(format!("{name}.wasm"), with_contract(guests::OK_MIRROR, &contract).expect("packs"))
    });
    build(Host::builder().tools(tools).coercion(coercion).declared_strictly(strictly)).await
}

impl Vector {
    /// The one call of a line, as its dialect hands it on.
    fn call(&self) -> RawCall {
        let tool = self.tool.clone().expect("a line without a turn has a tool");
        let takes_text = self.dialect.starts_with("openai");
        let arguments = match (&self.arguments, &self.arguments_text, &self.arguments_base64, &self.arguments_parts) {
            (Some(value @ Value::Object(_)), None, None, None) if takes_text => {
                Arguments::ParsedObject(value.to_string())
            }
            (Some(value), None, None, None) => Arguments::Text(value.to_string()),
            (None, Some(text), None, None) => Arguments::Text(text.clone()),
            (None, None, Some(base64), None) => RawCall::from_bytes("", from_base64(base64)).arguments,
            (None, None, None, Some(parts)) => {
                Arguments::Text(parts.iter().map(|(part, times)| part.repeat(*times)).collect())
            }
            (None, None, None, None) => Arguments::Absent,
            _ => panic!("{}: arguments in one form", self.id),
        };
        RawCall { arguments, cut: self.truncated, ..RawCall::new(tool, "") }
    }

    fn expected(&self, coercion: Coercion) -> Expected {
        let expected = match (coercion, &self.with_coercion) {
            (Coercion::Lossless, Some(other)) => other,
            _ => &self.expect,
        };
        serde_json::from_value(expected.clone()).unwrap_or_else(|error| panic!("{}: {error}", self.id))
    }
}

impl Expected {
    /// Holds a reply to what is expected.
    fn hold(&self, id: &str, reply: &Reply) {
        let code = if self.verdict == "done" { Some("done") } else { self.code.as_deref() };
        assert_eq!(Some(outcome(reply).as_str()), code, "{id}: {}", report(reply));
        assert_eq!(reply.verdict.name(), self.verdict, "{id}");
        let recorded: BTreeSet<String> = reply.recorded.iter().map(ToString::to_string).collect();
        assert_eq!(recorded, self.recorded.iter().cloned().collect(), "{id}");
        if let Some(args) = &self.args {
            let Verdict::Done(checked) = &reply.verdict else { panic!("{id}: {}", report(reply)) };
            assert!(same(&checked.value(), args), "{id}: the tool got {} instead of {args}", checked.text());
        }
    }
}

/// Equal as a vector means it: numbers by value.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64() && (a.is_f64() != b.is_f64()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let six_bits = |byte: u8| ALPHABET.iter().position(|known| *known == byte).expect("base64");
    let six_bits: Vec<usize> = text.bytes().filter(|byte| *byte != b'=').map(six_bits).collect();
    let bits: Vec<bool> = six_bits.iter().flat_map(|six| (0..6).rev().map(move |bit| six >> bit & 1 == 1)).collect();
    let byte = |bits: &[bool]| bits.iter().fold(0, |byte: u8, bit| byte << 1 | u8::from(*bit));
    bits.chunks_exact(8).map(byte).collect()
}

impl Vector {
    /// A turn of several calls, as its provider sends it.
    fn message(&self, calls: &[Value]) -> (Dialect, Value) {
        let text = |call: &Value| call["arguments_text"].as_str().map_or(call["arguments"].clone(), Into::into);
        let chat = |calls: &[Value]| -> Vec<Value> {
            let function = |call: &Value| json!({"name": call["name"], "arguments": text(call)});
            calls
                .iter()
                .map(|call| with_id(call, json!({"type": "function", "function": function(call)}), "id"))
                .collect()
        };
        let stop = |whole: &str, cut: &str| {
            self.stop.clone().unwrap_or_else(|| if self.truncated { cut } else { whole }.to_owned())
        };
        match self.dialect.as_str() {
            "anthropic" => {
                let block = |call: &Value| {
                    with_id(call, json!({"type": "tool_use", "name": call["name"], "input": call["arguments"]}), "id")
                };
                let content: Vec<Value> = calls.iter().map(block).collect();
                (
                    Dialect::Anthropic,
                    json!({"role": "assistant", "content": content, "stop_reason": stop("tool_use", "max_tokens")}),
                )
            }
            "openai_chat" => {
                let message = json!({"role": "assistant", "content": self.said, "tool_calls": chat(calls)});
                (
                    Dialect::OpenAiChat,
                    json!({"choices": [{"message": message, "finish_reason": stop("tool_calls", "length")}]}),
                )
            }
            "mistral" => {
                let message = json!({"role": "assistant", "content": "", "tool_calls": chat(calls)});
                (
                    Dialect::Mistral,
                    json!({"choices": [{"message": message, "finish_reason": stop("tool_calls", "length")}]}),
                )
            }
            "gemini" => {
                let part = |call: &Value| json!({"functionCall": with_id(call, json!({"name": call["name"], "args": call["arguments"]}), "id")});
                let parts: Vec<Value> = calls.iter().map(part).collect();
                let candidate =
                    json!({"content": {"role": "model", "parts": parts}, "finishReason": stop("STOP", "MAX_TOKENS")});
                (Dialect::Gemini, json!({"candidates": [candidate]}))
            }
            "bedrock" => {
                let block = |call: &Value| json!({"toolUse": with_id(call, json!({"name": call["name"], "input": call["arguments"]}), "toolUseId")});
                let content: Vec<Value> = calls.iter().map(block).collect();
                let message = json!({"role": "assistant", "content": content});
                (
                    Dialect::Bedrock,
                    json!({"output": {"message": message}, "stopReason": stop("tool_use", "max_tokens")}),
                )
            }
            other => panic!("{}: no message is made for {other}", self.id),
        }
    }
}

/// The id under the dialect's key, where the call has one.
fn with_id(call: &Value, mut block: Value, key: &str) -> Value {
    if let Some(id) = call.get("id") {
        block[key] = id.clone();
    }
    block
}

#[test]
fn every_malformed_turn_is_answered_position_by_position() {
    let vectors: Vec<Vector> = vectors().into_iter().filter(|vector| vector.turn.is_some()).collect();
    assert!(vectors.len() >= 9, "{} turns", vectors.len());
    on_two_threads(async {
        let host = host(Coercion::Off, false).await;
        for vector in &vectors {
            let calls = vector.turn.as_deref().unwrap_or_default();
            let (dialect, message) = vector.message(calls);
            let turn = Turn::read(message.to_string().as_bytes(), Some(dialect));
            let expected: Vec<Expected> = serde_json::from_value(vector.expect.clone()).expect("a list");
            if calls.is_empty() {
                let error = turn.expect_err(&vector.id);
                let retries = matches!(error, TurnError::NoUsableCall { word: _ });
                assert_eq!(retries, vector.adapter.as_deref() == Some("retry_turn"), "{}: {error}", vector.id);
                assert_eq!(vector.expect_results, Some(0), "{}", vector.id);
                continue;
            }
            let answer = host.answer(turn.unwrap_or_else(|error| panic!("{}: {error}", vector.id))).await;
            assert_eq!(Some(answer.replies.len()), vector.expect_results, "{}", vector.id);
            for (nth, (expected, reply)) in expected.iter().zip(&answer.replies).enumerate() {
                expected.hold(&format!("{} call {nth}", vector.id), reply);
            }
        }
    });
}

#[test]
fn every_malformed_call_ends_as_it_has_to_with_coercion_off_and_on() {
    let vectors: Vec<Vector> = vectors().into_iter().filter(|vector| vector.turn.is_none()).collect();
    assert!(vectors.len() > 60, "{} calls", vectors.len());
    for coercion in [Coercion::Off, Coercion::Lossless] {
        on_two_threads(async {
            let (plain, strict) = (host(coercion, false).await, host(coercion, true).await);
            for vector in &vectors {
                let host = if vector.lowering.is_some() { &strict } else { &plain };
                let reply = host.call(vector.call()).await;
                vector.expected(coercion).hold(&format!("{} ({coercion:?})", vector.id), &reply);
            }
        });
    }
}

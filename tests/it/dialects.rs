//! Dialects: one turn of each as its provider sends it, which ids stay, and what goes back into the history.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate::{Dialect, Host, Turn, TurnError};

use crate::support::{self, desk_host, example, guests, on_one_thread, on_two_threads, outcome, tool};

/// One call with its id as JSON, where it has one. Built by hand: hostile arguments do not survive a serializer.
pub(crate) fn call(dialect: Dialect, id: Option<&str>, name: &str, arguments: &str) -> String {
    let (text, name) = (Value::from(arguments).to_string(), Value::from(name).to_string());
    // What is no JSON at all cannot stand in a message as a value.
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_ok();
    let object = if is_json { arguments } else { "7" };
    let id = |key: &str| id.map_or_else(String::new, |id| format!("\"{key}\":{id},"));
    match dialect {
        Dialect::Anthropic => format!(r#"{{"type":"tool_use",{}"name":{name},"input":{object}}}"#, id("id")),
        Dialect::OpenAiChat => {
            format!(r#"{{{}"type":"function","function":{{"name":{name},"arguments":{text}}}}}"#, id("id"))
        }
        Dialect::OpenAiResponses => {
            format!(r#"{{"type":"function_call","id":"fc_1",{}"name":{name},"arguments":{text}}}"#, id("call_id"))
        }
        Dialect::Gemini => format!(r#"{{"functionCall":{{{}"name":{name},"args":{object}}}}}"#, id("id")),
        Dialect::Bedrock => format!(r#"{{"toolUse":{{{}"name":{name},"input":{object}}}}}"#, id("toolUseId")),
        Dialect::Mistral => {
            let arguments = if arguments.starts_with('{') && is_json { arguments } else { &text };
            format!(r#"{{{}"index":0,"function":{{"name":{name},"arguments":{arguments}}}}}"#, id("id"))
        }
    }
}

/// The message of these calls.
pub(crate) fn message(dialect: Dialect, calls: &[String]) -> String {
    let calls = calls.join(",");
    match dialect {
        Dialect::Anthropic => format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"hm"}},{calls}]}}"#),
        Dialect::OpenAiChat => format!(r#"{{"role":"assistant","content":null,"tool_calls":[{calls}]}}"#),
        Dialect::OpenAiResponses => format!(r#"[{{"type":"reasoning","summary":[]}},{calls}]"#),
        Dialect::Gemini => format!(r#"{{"role":"model","parts":[{{"text":"hm"}},{calls}]}}"#),
        Dialect::Bedrock => format!(r#"{{"role":"assistant","content":[{{"text":"hm"}},{calls}]}}"#),
        Dialect::Mistral => {
            format!(
                r#"{{"model":"mistral-small","choices":[{{"message":{{"role":"assistant","tool_calls":[{calls}]}}}}]}}"#
            )
        }
    }
}

/// An id that a dialect takes.
pub(crate) fn id(dialect: Dialect, nth: usize) -> String {
    if dialect == Dialect::Mistral { format!("id{nth:07}") } else { format!("id_{nth}") }
}

/// Each result's id and text; the id is empty where the dialect matches by position.
pub(crate) fn results(dialect: Dialect, message: &str) -> Vec<(String, String)> {
    let message: Value = serde_json::from_str(message).expect("JSON");
    let list = match dialect {
        Dialect::Anthropic | Dialect::Bedrock => &message["content"],
        Dialect::Gemini => &message["parts"],
        Dialect::OpenAiChat | Dialect::OpenAiResponses | Dialect::Mistral => &message,
    };
    let result = |result: &Value| match dialect {
        Dialect::Anthropic => (result["tool_use_id"].clone(), result["content"].clone()),
        Dialect::OpenAiChat | Dialect::Mistral => (result["tool_call_id"].clone(), result["content"].clone()),
        Dialect::OpenAiResponses => (result["call_id"].clone(), result["output"].clone()),
        Dialect::Gemini => {
            let response = &result["functionResponse"];
            (response["id"].clone(), Value::from(response["response"].to_string()))
        }
        Dialect::Bedrock => {
            let result = &result["toolResult"];
            (result["toolUseId"].clone(), result["content"][0]["text"].clone())
        }
    };
    let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
    list.as_array().expect("a list").iter().map(result).map(|(id, content)| (text(id), text(content))).collect()
}

async fn echo() -> Host {
    support::host([tool("ok_echo.wasm", guests::OK_ECHO)]).await
}

/// What became of a turn, with all that goes back to the provider.
fn answered(body: &str) -> String {
    on_one_thread(async {
        let host = echo().await;
        let turn = Turn::read(body.as_bytes(), None).expect("is a turn");
        let dialect = turn.dialect;
        let answer = host.answer(turn).await;
        let outcomes = answer.replies.iter().map(|reply| {
            let recorded = reply.machine().recorded.join(" ");
            format!("{} {recorded}", outcome(reply)).trim().to_owned()
        });
        let outcomes = outcomes.collect::<Vec<_>>().join("\n");
        let assistant = answer.assistant.unwrap_or_else(|| "as it came".to_owned());
        format!("--- {dialect}\n{outcomes}\n--- message\n{}\n--- assistant\n{assistant}", answer.message)
    })
}

#[test]
fn an_anthropic_turn_is_answered_whole() {
    let body = r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude","stop_reason":"max_tokens","content":[
  {"type":"thinking","thinking":"","signature":"b3BhcXVl"},
  {"type":"tool_use","id":"toolu_01A","name":"echo","input":{"text":"good"},"toolset_name":"desk","caller":{"type":"direct"}},
  {"type":"tool_use","id":"toolu_01A","name":"echo","input":{"txt":"bad, and the same id"}},
  {"type":"tool_use","id":"","name":"\u001b[2J.e\ud800cho","input":"no object"},
  {"type":"tool_use","id":"a b","name":"echo","input":null},
  {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},
  {"type":"tool_use","id":"toolu_01E","name":"echo","input":{"text":"cut"}}
 ],"usage":{"output_tokens":402}}"#;
    insta::assert_snapshot!(answered(body), @r#"
    --- anthropic
    done
    args:missing:text normalised:reassigned_id
    call:not_object normalised:minted_id
    args:missing:text normalised:reassigned_id normalised:null_arguments
    call:truncated
    --- message
    {
      "role": "user",
      "content": [
        {
          "type": "tool_result",
          "tool_use_id": "toolu_01A",
          "content": "{\"text\":\"good\"}",
          "toolset_name": "desk"
        },
        {
          "type": "tool_result",
          "tool_use_id": "toolu_2KSDU2aLETupqhgx2XbbeF",
          "is_error": true,
          "content": "args:missing:text: `text` of `echo` is missing, and `txt` is not declared, got {\"txt\":\"bad, and the same id\"}; the tool did not run\n\nhint: send `text` instead of `txt`: a string"
        },
        {
          "type": "tool_result",
          "tool_use_id": "toolu_UbHqE0Ak5rQfnq0m7D43pX",
          "is_error": true,
          "content": "call:not_object: the arguments of `\\u{1b}[2J.e�cho` must be one JSON object, got a string; the tool did not run\n\nhint: send an object whose keys are the tool's parameters"
        },
        {
          "type": "tool_result",
          "tool_use_id": "toolu_EZYUI6yk1fKiU2ViVWy8AN",
          "is_error": true,
          "content": "args:missing:text: `text` of `echo` is missing, got {}; the tool did not run\n\nhint: add `text`: a string"
        },
        {
          "type": "tool_result",
          "tool_use_id": "toolu_01E",
          "is_error": true,
          "content": "call:truncated: the arguments of `echo` were cut off before they ended; the tool did not run\n\nhint: make a smaller request: fewer items or shorter texts; sending the same again will be cut again"
        }
      ]
    }
    --- assistant
    {"role":"assistant","content":[
      {"type":"thinking","thinking":"","signature":"b3BhcXVl"},
      {"type":"tool_use","id":"toolu_01A","name":"echo","input":{"text":"good"},"toolset_name":"desk","caller":{"type":"direct"}},
      {"type":"tool_use","id":"toolu_2KSDU2aLETupqhgx2XbbeF","name":"echo","input":{"txt":"bad, and the same id"}},
      {"type":"tool_use","id":"toolu_UbHqE0Ak5rQfnq0m7D43pX","name":"__2J_e_cho","input":{"_raw":"no object"}},
      {"type":"tool_use","id":"toolu_EZYUI6yk1fKiU2ViVWy8AN","name":"echo","input":{}},
      {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},
      {"type":"tool_use","id":"toolu_01E","name":"echo","input":{"text":"cut"}}
     ]}
    "#);
}

#[test]
fn a_chat_turn_is_answered_whole() {
    let body = r#"{"id":"chatcmpl-1","object":"chat.completion","model":"gpt","choices":[{"index":0,"finish_reason":"length","message":
 {"role":"assistant","content":null,"reasoning_content":"hm \ud800","tool_calls":[
  {"id":"call_1","type":"function","function":{"name":"echo","arguments":"{\"text\":\"good\"}"}},
  {"id":"call_1","type":"function","function":{"name":"echo","arguments":"{\"txt\":\"bad, and the same id\"}"}},
  {"function":{"name":"echo","arguments":{"text":"an object"}}},
  {"id":"","type":"function","function":{"name":"\u001b[2J.echo","arguments":"no JSON"}},
  {"id":"call_5","type":"custom","custom":{"name":"echo","input":"free text"}},
  {"id":"call_6","type":"function"},
  {"id":"call_7","type":"function","function":{"name":"echo","arguments":"{\"text\":\"cu"}}
 ]}}]}"#;
    insta::assert_snapshot!(answered(body), @r#"
    --- openai-chat
    done
    args:missing:text normalised:reassigned_id
    done normalised:minted_id normalised:parsed_object
    call:unparsable normalised:minted_id
    call:unknown_tool
    call:unknown_tool normalised:null_arguments
    call:truncated
    --- message
    [
      {
        "role": "tool",
        "tool_call_id": "call_1",
        "content": "{\"text\":\"good\"}"
      },
      {
        "role": "tool",
        "tool_call_id": "call_icujLA5CcZ3rtviA7ldBz02a",
        "content": "args:missing:text: `text` of `echo` is missing, and `txt` is not declared, got {\"txt\":\"bad, and the same id\"}; the tool did not run\n\nhint: send `text` instead of `txt`: a string"
      },
      {
        "role": "tool",
        "tool_call_id": "call_6Ofv5r9TBl3NC8ChgYoQ1SpF",
        "content": "{\"text\":\"an object\"}"
      },
      {
        "role": "tool",
        "tool_call_id": "call_I6cNSL122ZqMl1R2EOug7P53",
        "content": "call:unparsable: the arguments of `\\u{1b}[2J.echo` are not JSON: no value starts like this at byte 0; the tool did not run\n\nhint: send one JSON object and nothing else"
      },
      {
        "role": "tool",
        "tool_call_id": "call_5",
        "content": "call:unknown_tool: there is no tool `custom:echo`; the tools are echo; the tool did not run\n\nhint: did you mean `echo`?"
      },
      {
        "role": "tool",
        "tool_call_id": "call_6",
        "content": "call:unknown_tool: there is no tool ``; the tools are echo; the tool did not run"
      },
      {
        "role": "tool",
        "tool_call_id": "call_7",
        "content": "call:truncated: the arguments of `echo` were cut off before they ended; the tool did not run\n\nhint: make a smaller request: fewer items or shorter texts; sending the same again will be cut again"
      }
    ]
    --- assistant
    {"role":"assistant","content":null,"reasoning_content":"hm \ufffd","tool_calls":[
      {"id":"call_1","type":"function","function":{"name":"echo","arguments":"{\"text\":\"good\"}"}},
      {"id":"call_icujLA5CcZ3rtviA7ldBz02a","type":"function","function":{"name":"echo","arguments":"{\"txt\":\"bad, and the same id\"}"}},
      {"id":"call_6Ofv5r9TBl3NC8ChgYoQ1SpF","type":"function","function":{"name":"echo","arguments":"{\"text\":\"an object\"}"}},
      {"id":"call_I6cNSL122ZqMl1R2EOug7P53","type":"function","function":{"name":"__2J_echo","arguments":"{\"_raw\":\"no JSON\"}"}},
      {"id":"call_5","type":"custom","custom":{"name":"echo","input":"free text"}},
      {"function":{"arguments":"{}","name":"unnamed"},"id":"call_6","type":"function"},
      {"id":"call_7","type":"function","function":{"name":"echo","arguments":"{\"_raw\":\"{\\\"text\\\":\\\"cu\"}"}}
     ]}
    "#);
}

#[test]
fn a_responses_turn_is_answered_whole() {
    let body = r#"{"id":"resp_1","object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[
  {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"b3BhcXVl"},
  {"type":"function_call","id":"fc_1","call_id":"call_1","name":"echo","arguments":"{\"text\":\"good\"}","status":"completed","namespace":"desk","caller":{"type":"program","caller_id":"c1"}},
  {"type":"function_call","id":"fc_2","call_id":"call_1","name":"echo","arguments":"{\"txt\":\"bad, and the same id\"}","status":"completed"},
  {"type":"function_call","id":"fc_3","call_id":null,"name":"\u001b[2J.echo","arguments":"[]","status":"completed"},
  {"type":"custom_tool_call","id":"ctc_4","call_id":"call_4","name":"echo","input":"free text"},
  {"type":"function_call","id":"fc_5","call_id":"call_5","name":"echo","arguments":"{\"text\":\"cut by itself\"}","status":"incomplete"},
  {"type":"function_call","id":"fc_6","call_id":"call_6","name":"echo","arguments":"{\"text\":\"cut\"}","status":"completed"}
 ]}"#;
    insta::assert_snapshot!(answered(body), @r#"
    --- openai-responses
    done
    args:missing:text normalised:reassigned_id
    call:not_object normalised:minted_id
    call:unknown_tool
    call:truncated
    call:truncated
    --- message
    [
      {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": "{\"text\":\"good\"}",
        "caller": {
          "caller_id": "c1",
          "type": "program"
        },
        "namespace": "desk"
      },
      {
        "type": "function_call_output",
        "call_id": "call_icujLA5CcZ3rtviA7ldBz02a",
        "output": "args:missing:text: `text` of `echo` is missing, and `txt` is not declared, got {\"txt\":\"bad, and the same id\"}; the tool did not run\n\nhint: send `text` instead of `txt`: a string"
      },
      {
        "type": "function_call_output",
        "call_id": "call_1Y8iK6IcaLXhiefSGH6D9PRS",
        "output": "call:not_object: the arguments of `\\u{1b}[2J.echo` must be one JSON object, got a list; the tool did not run\n\nhint: send an object whose keys are the tool's parameters"
      },
      {
        "type": "custom_tool_call_output",
        "call_id": "call_4",
        "output": "call:unknown_tool: there is no tool `custom:echo`; the tools are echo; the tool did not run\n\nhint: did you mean `echo`?"
      },
      {
        "type": "function_call_output",
        "call_id": "call_5",
        "output": "call:truncated: the arguments of `echo` were cut off before they ended; the tool did not run\n\nhint: make a smaller request: fewer items or shorter texts; sending the same again will be cut again"
      },
      {
        "type": "function_call_output",
        "call_id": "call_6",
        "output": "call:truncated: the arguments of `echo` were cut off before they ended; the tool did not run\n\nhint: make a smaller request: fewer items or shorter texts; sending the same again will be cut again"
      }
    ]
    --- assistant
    [
      {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"b3BhcXVl"},
      {"type":"function_call","id":"fc_1","call_id":"call_1","name":"echo","arguments":"{\"text\":\"good\"}","status":"completed","namespace":"desk","caller":{"type":"program","caller_id":"c1"}},
      {"type":"function_call","id":"fc_2","call_id":"call_icujLA5CcZ3rtviA7ldBz02a","name":"echo","arguments":"{\"txt\":\"bad, and the same id\"}","status":"completed"},
      {"type":"function_call","id":"fc_3","call_id":"call_1Y8iK6IcaLXhiefSGH6D9PRS","name":"__2J_echo","arguments":"{\"_raw\":\"[]\"}","status":"completed"},
      {"type":"custom_tool_call","id":"ctc_4","call_id":"call_4","name":"echo","input":"free text"},
      {"type":"function_call","id":"fc_5","call_id":"call_5","name":"echo","arguments":"{\"text\":\"cut by itself\"}","status":"incomplete"},
      {"type":"function_call","id":"fc_6","call_id":"call_6","name":"echo","arguments":"{\"text\":\"cut\"}","status":"completed"}
     ]
    "#);
}

#[test]
fn a_gemini_turn_is_answered_whole() {
    let body = r#"{"candidates":[{"content":{"role":"model","parts":[
  {"text":"hm","thought":true},
  {"functionCall":{"id":"fc1","name":"echo","args":{"text":"good"}},"thoughtSignature":"b3BhcXVl"},
  {"functionCall":{"id":"fc1","name":"echo","args":{"txt":"bad, and the same id"}}},
  {"functionCall":{"name":"\u001b[2J.echo","args":"no object"}},
  {"functionCall":{"id":"","name":"echo"}},
  {"functionCall":{"name":"echo","args":{"text":"cut"}}}
 ]},"finishReason":"MAX_TOKENS","index":0}],"modelVersion":"gemini"}"#;
    insta::assert_snapshot!(answered(body), @r#"
    --- gemini
    done
    args:missing:text
    call:not_object
    args:missing:text normalised:null_arguments
    call:truncated
    --- message
    {
      "role": "user",
      "parts": [
        {
          "functionResponse": {
            "id": "fc1",
            "name": "echo",
            "response": {
              "output": {"text":"good"}
            }
          }
        },
        {
          "functionResponse": {
            "id": "fc1",
            "name": "echo",
            "response": {
              "error": "args:missing:text: `text` of `echo` is missing, and `txt` is not declared, got {\"txt\":\"bad, and the same id\"}; the tool did not run\n\nhint: send `text` instead of `txt`: a string"
            }
          }
        },
        {
          "functionResponse": {
            "name": "__2J.echo",
            "response": {
              "error": "call:not_object: the arguments of `\\u{1b}[2J.echo` must be one JSON object, got a string; the tool did not run\n\nhint: send an object whose keys are the tool's parameters"
            }
          }
        },
        {
          "functionResponse": {
            "name": "echo",
            "response": {
              "error": "args:missing:text: `text` of `echo` is missing, got {}; the tool did not run\n\nhint: add `text`: a string"
            }
          }
        },
        {
          "functionResponse": {
            "name": "echo",
            "response": {
              "error": "call:truncated: the arguments of `echo` were cut off before they ended; the tool did not run\n\nhint: make a smaller request: fewer items or shorter texts; sending the same again will be cut again"
            }
          }
        }
      ]
    }
    --- assistant
    {"role":"model","parts":[
      {"text":"hm","thought":true},
      {"functionCall":{"id":"fc1","name":"echo","args":{"text":"good"}},"thoughtSignature":"b3BhcXVl"},
      {"functionCall":{"id":"fc1","name":"echo","args":{"txt":"bad, and the same id"}}},
      {"functionCall":{"name":"__2J.echo","args":{"_raw":"no object"}}},
      {"functionCall":{"id":"","name":"echo"}},
      {"functionCall":{"name":"echo","args":{"text":"cut"}}}
     ]}
    "#);
}

#[test]
fn a_bedrock_turn_is_answered_whole() {
    let body = r#"{"output":{"message":{"role":"assistant","content":[
  {"reasoningContent":{"reasoningText":{"text":"hm","signature":"b3BhcXVl"}}},
  {"toolUse":{"toolUseId":"tooluse_1","name":"echo","input":{"text":"good"}}},
  {"toolUse":{"toolUseId":"tooluse_1","name":"echo","input":{"txt":"bad, and the same id"}}},
  {"toolUse":{"toolUseId":"","name":"\u001b[2J.echo","input":["no object"]}},
  {"toolUse":{"name":"echo"}},
  {"toolUse":{"toolUseId":"srv_1","name":"search","input":{},"type":"server_tool_use"}},
  {"toolUse":{"toolUseId":"tooluse_6","name":"echo","input":{"text":"cut"}}}
 ]}},"stopReason":"max_tokens","usage":{"totalTokens":7}}"#;
    insta::assert_snapshot!(answered(body), @r#"
    --- bedrock
    done
    args:missing:text normalised:reassigned_id
    call:not_object normalised:minted_id
    args:missing:text normalised:minted_id normalised:null_arguments
    call:truncated
    --- message
    {
      "role": "user",
      "content": [
        {
          "toolResult": {
            "toolUseId": "tooluse_1",
            "status": "success",
            "content": [
              {
                "text": "{\"text\":\"good\"}"
              }
            ]
          }
        },
        {
          "toolResult": {
            "toolUseId": "tooluse_2KSDU2aLETupqhgx2XbbeF",
            "status": "error",
            "content": [
              {
                "text": "args:missing:text: `text` of `echo` is missing, and `txt` is not declared, got {\"txt\":\"bad, and the same id\"}; the tool did not run\n\nhint: send `text` instead of `txt`: a string"
              }
            ]
          }
        },
        {
          "toolResult": {
            "toolUseId": "tooluse_5T8pShp8ZQdPeHbC7Foxhu",
            "status": "error",
            "content": [
              {
                "text": "call:not_object: the arguments of `\\u{1b}[2J.echo` must be one JSON object, got a list; the tool did not run\n\nhint: send an object whose keys are the tool's parameters"
              }
            ]
          }
        },
        {
          "toolResult": {
            "toolUseId": "tooluse_cuT4Kx1t5LUgL70zn8oBCX",
            "status": "error",
            "content": [
              {
                "text": "args:missing:text: `text` of `echo` is missing, got {}; the tool did not run\n\nhint: add `text`: a string"
              }
            ]
          }
        },
        {
          "toolResult": {
            "toolUseId": "tooluse_6",
            "status": "error",
            "content": [
              {
                "text": "call:truncated: the arguments of `echo` were cut off before they ended; the tool did not run\n\nhint: make a smaller request: fewer items or shorter texts; sending the same again will be cut again"
              }
            ]
          }
        }
      ]
    }
    --- assistant
    {"role":"assistant","content":[
      {"reasoningContent":{"reasoningText":{"text":"hm","signature":"b3BhcXVl"}}},
      {"toolUse":{"toolUseId":"tooluse_1","name":"echo","input":{"text":"good"}}},
      {"toolUse":{"toolUseId":"tooluse_2KSDU2aLETupqhgx2XbbeF","name":"echo","input":{"txt":"bad, and the same id"}}},
      {"toolUse":{"toolUseId":"tooluse_5T8pShp8ZQdPeHbC7Foxhu","name":"__2J_echo","input":{"_raw":"[\"no object\"]"}}},
      {"toolUse":{"toolUseId":"tooluse_cuT4Kx1t5LUgL70zn8oBCX","input":{},"name":"echo"}},
      {"toolUse":{"toolUseId":"srv_1","name":"search","input":{},"type":"server_tool_use"}},
      {"toolUse":{"toolUseId":"tooluse_6","name":"echo","input":{"text":"cut"}}}
     ]}
    "#);
}

#[test]
fn a_mistral_turn_is_answered_whole() {
    let body = r#"{"id":"cmpl-1","object":"chat.completion","model":"mistral-large-latest","choices":[{"index":0,"finish_reason":"model_length","message":
 {"role":"assistant","content":"","tool_calls":[
  {"id":"Q7wE2rT9a","type":"function","index":0,"function":{"name":"echo","arguments":{"text":"good, an object"}}},
  {"id":"Q7wE2rT9a","type":"function","index":1,"function":{"name":"echo","arguments":"{\"txt\":\"bad, and the same id\"}"}},
  {"id":"null","type":"function","index":2,"function":{"name":"\u001b[2J.echo","arguments":"{}{"}},
  {"id":"call_toolong","type":"function","index":3,"function":{"name":"echo","arguments":""}},
  {"id":"Q7wE2rT9e","type":"function","index":4,"function":{"name":"echo","arguments":"{\"text\":\"cut\"}"}}
 ]}}]}"#;
    insta::assert_snapshot!(answered(body), @r#"
    --- mistral
    done
    args:missing:text normalised:reassigned_id
    call:unparsable normalised:minted_id
    args:missing:text normalised:reassigned_id normalised:empty_arguments
    call:truncated
    --- message
    [
      {
        "role": "tool",
        "tool_call_id": "Q7wE2rT9a",
        "name": "echo",
        "content": "{\"text\":\"good, an object\"}"
      },
      {
        "role": "tool",
        "tool_call_id": "icujLA5Cc",
        "name": "echo",
        "content": "args:missing:text: `text` of `echo` is missing, and `txt` is not declared, got {\"txt\":\"bad, and the same id\"}; the tool did not run\n\nhint: send `text` instead of `txt`: a string"
      },
      {
        "role": "tool",
        "tool_call_id": "vJhpE2wtZ",
        "name": "__2J_echo",
        "content": "call:unparsable: the arguments of `\\u{1b}[2J.echo` are not JSON: something stands behind the value at byte 2; the tool did not run\n\nhint: send one JSON object and nothing else"
      },
      {
        "role": "tool",
        "tool_call_id": "8boIdxlmH",
        "name": "echo",
        "content": "args:missing:text: `text` of `echo` is missing, got {}; the tool did not run\n\nhint: add `text`: a string"
      },
      {
        "role": "tool",
        "tool_call_id": "Q7wE2rT9e",
        "name": "echo",
        "content": "call:truncated: the arguments of `echo` were cut off before they ended; the tool did not run\n\nhint: make a smaller request: fewer items or shorter texts; sending the same again will be cut again"
      }
    ]
    --- assistant
    {"role":"assistant","content":"","tool_calls":[
      {"id":"Q7wE2rT9a","type":"function","index":0,"function":{"name":"echo","arguments":{"text":"good, an object"}}},
      {"id":"icujLA5Cc","type":"function","index":1,"function":{"name":"echo","arguments":"{\"txt\":\"bad, and the same id\"}"}},
      {"id":"vJhpE2wtZ","type":"function","index":2,"function":{"name":"__2J_echo","arguments":"{\"_raw\":\"{}{\"}"}},
      {"id":"8boIdxlmH","type":"function","index":3,"function":{"name":"echo","arguments":"{}"}},
      {"id":"Q7wE2rT9e","type":"function","index":4,"function":{"name":"echo","arguments":"{\"text\":\"cut\"}"}}
     ]}
    "#);
}

/// Reads a turn with these ids, each as JSON or absent, and says what became of each.
fn became(dialect: Dialect, ids: &[Option<&str>]) -> Vec<String> {
    let calls: Vec<String> = ids.iter().map(|id| call(dialect, *id, "echo", r#"{"text":"x"}"#)).collect();
    let turn = Turn::read(message(dialect, &calls).as_bytes(), Some(dialect)).expect("is a turn");
    let given: BTreeSet<&str> = turn.calls.iter().map(|call| call.id.as_str()).collect();
    assert!(dialect == Dialect::Gemini || given.len() == ids.len(), "one id each: {given:?}");
    let word = |call: &toolgate::RawCall| match call.recorded.as_slice() {
        [] => "kept".to_owned(),
        recorded => recorded.iter().map(|amendment| amendment.to_string().replace("normalised:", "")).collect(),
    };
    let became: Vec<String> = turn.calls.iter().map(word).collect();
    assert_eq!(turn.is_mended(), became.iter().any(|word| word != "kept"), "changed where an id was: {became:?}");
    let again = Turn::read(turn.assistant().as_bytes(), Some(dialect)).expect("the assistant message is a turn");
    assert!(!again.is_mended() && again.calls.iter().map(|call| &call.id).eq(turn.calls.iter().map(|call| &call.id)));
    became
}

/// Ids of one turn, as [`became`] takes them, and what becomes of each.
type IdRow<'r> = (Dialect, Vec<Option<&'r str>>, Vec<&'r str>);

#[test]
fn an_id_is_kept_minted_or_reassigned_as_the_dialect_wants() {
    use Dialect::{Anthropic, Bedrock, Gemini, Mistral, OpenAiChat, OpenAiResponses};
    let long = |n: usize| format!("\"{}\"", "x".repeat(n));
    let (n64, n65, n200) = (long(64), long(65), long(200));
    let rows: Vec<IdRow<'_>> = vec![
        (Anthropic, vec![Some(r#""toolu_a1""#), Some(r#""toolu_a1""#)], vec!["kept", "reassigned_id"]),
        (Anthropic, vec![Some(&n200), Some(r#""functions.echo:0""#)], vec!["kept", "reassigned_id"]),
        (Anthropic, vec![None, Some("null"), Some("\"\""), Some("7")], vec!["minted_id"; 4]),
        (Anthropic, vec![Some(r#""a\ud800b""#)], vec!["reassigned_id"]),
        (OpenAiChat, vec![Some(r#""x""#), Some(r#""y""#), Some(r#""x""#)], vec!["kept", "kept", "reassigned_id"]),
        (OpenAiChat, vec![Some(r#""echo:1""#), Some(r#""null""#)], vec!["kept", "kept"]),
        (OpenAiChat, vec![Some(&n64), Some(&n65)], vec!["kept", "reassigned_id"]),
        (OpenAiChat, vec![Some("\"\""), Some("\"\"")], vec!["minted_id", "minted_id"]),
        (OpenAiResponses, vec![Some(&n64), Some(&n65), None], vec!["kept", "reassigned_id", "minted_id"]),
        (Gemini, vec![None, None], vec!["kept", "kept"]),
        (Gemini, vec![Some(r#""a""#), Some(r#""a""#), Some("\"\"")], vec!["kept", "kept", "kept"]),
        (Bedrock, vec![Some(r#""a.b:c-d_e""#), Some(r#""a b""#)], vec!["kept", "reassigned_id"]),
        (Bedrock, vec![Some(&n64), Some(&n65), None], vec!["kept", "reassigned_id", "minted_id"]),
        (Mistral, vec![None, Some(r#""null""#), Some("null")], vec!["minted_id"; 3]),
        (Mistral, vec![Some(r#""Q7wE2rT9a""#), Some(r#""Q7wE2rT9""#)], vec!["kept", "reassigned_id"]),
        (Mistral, vec![Some(r#""Q7wE2rT9a""#), Some(r#""Q7wE2rT9a""#)], vec!["kept", "reassigned_id"]),
    ];
    for (dialect, ids, expected) in rows {
        assert_eq!(became(dialect, &ids), expected, "{dialect} {ids:?}");
    }
}

#[test]
fn an_id_that_is_made_is_made_the_same_way_every_time() {
    let read = |dialect| {
        let body = message(dialect, &[call(dialect, None, "echo", "{}"), call(dialect, None, "echo", "{}")]);
        let turn = Turn::read(body.as_bytes(), None).expect("is a turn");
        assert_eq!(turn.dialect, dialect);
        turn.calls.into_iter().map(|call| call.id).collect::<Vec<_>>()
    };
    for (dialect, start, length) in [
        (Dialect::Anthropic, "toolu_", 28),
        (Dialect::OpenAiChat, "call_", 29),
        (Dialect::OpenAiResponses, "call_", 29),
        (Dialect::Bedrock, "tooluse_", 30),
        (Dialect::Mistral, "", 9),
    ] {
        let ids = read(dialect);
        assert_eq!(ids, read(dialect));
        assert!(ids.iter().all(|id| id.starts_with(start) && id.len() == length), "{ids:?}");
    }
}

#[test]
fn a_body_is_told_by_its_shape() {
    let rows = [
        ("support.anthropic.json", "anthropic"),
        ("support.openai_chat.json", "openai-chat"),
        ("support.openai_responses.json", "openai-responses"),
        ("support.gemini.json", "gemini"),
        ("support.bedrock.json", "bedrock"),
        ("support.mistral.json", "mistral"),
    ];
    for (file, dialect) in rows {
        let whole = Turn::read(&example(file), None).expect("is a turn");
        assert_eq!(whole.dialect.name(), dialect);
        // The bare message, as it stands in the history, is told too.
        let bare = Turn::read(whole.assistant().as_bytes(), None).expect("is a turn");
        assert_eq!(bare.dialect.name(), dialect, "{}", whole.assistant());
        assert_eq!(bare.calls.len(), whole.calls.len());
    }
    let ollama = r#"{"model":"qwen","choices":[{"message":{"role":"assistant","tool_calls":[{"function":{"name":"echo","arguments":{}}}]}}]}"#;
    assert_eq!(Turn::read(ollama.as_bytes(), None).expect("is a turn").dialect, Dialect::OpenAiChat);
    let forced = Turn::read(ollama.as_bytes(), Some(Dialect::Mistral)).expect("is a turn");
    assert_eq!((forced.dialect, forced.calls[0].id.len()), (Dialect::Mistral, 9));
}

#[test]
fn a_turn_of_two_dialects_names_both_and_the_way_out() {
    let (tool_use, tool_use_bedrock) =
        (r#"{"type":"tool_use","id":"a","name":"b","input":{}}"#, r#"{"toolUse":{"name":"b"}}"#);
    let (chat, gemini) = (r#"{"id":"a","function":{"name":"b"}}"#, r#"{"functionCall":{"name":"b"}}"#);
    for (body, names) in [
        (format!(r#"{{"content":[{tool_use}],"tool_calls":[{chat}]}}"#), "anthropic, openai-chat"),
        (format!(r#"{{"content":[{tool_use},{tool_use_bedrock}]}}"#), "anthropic, bedrock"),
        (format!(r#"{{"content":[{tool_use}],"parts":[{gemini}]}}"#), "anthropic, gemini"),
        (format!(r#"{{"role":"model","parts":[{gemini},{tool_use}]}}"#), "anthropic, gemini"),
        (r#"{"choices":[],"candidates":[]}"#.to_owned(), "openai-chat, gemini"),
        (
            format!(r#"{{"choices":[{{"message":{{"content":[{tool_use}],"tool_calls":[{chat}]}}}}]}}"#),
            "openai-chat, anthropic",
        ),
        (format!(r#"{{"choices":[{{"message":{{"content":[{tool_use}]}}}}]}}"#), "openai-chat, anthropic"),
        (format!(r#"{{"candidates":[{{"content":{{"parts":[{gemini},{tool_use_bedrock}]}}}}]}}"#), "gemini, bedrock"),
        (format!(r#"[{{"type":"function_call"}},{tool_use}]"#), "anthropic, openai-responses"),
        (format!(r#"{{"output":[{tool_use}]}}"#), "anthropic, openai-responses"),
    ] {
        let error = Turn::read(body.as_bytes(), None).expect_err(&body);
        assert_eq!(error, TurnError::Ambiguous(names.to_owned()), "{body}");
        assert!(error.to_string().contains("say which with `--dialect`"));
    }
}

#[test]
fn a_turn_whose_provider_reports_no_usable_call_is_to_be_retried() {
    for (body, word) in [
        (r#"{"content":[],"stop_reason":"refusal"}"#, "refusal"),
        (r#"{"content":[{"type":"tool_use","id":"a","name":"echo","input":{}}],"stop_reason":"refusal"}"#, "refusal"),
        (r#"{"choices":[{"finish_reason":"content_filter","message":{"content":""}}]}"#, "content_filter"),
        (r#"{"error":{"code":"tool_use_failed","failed_generation":"<function=echo"}}"#, "tool_use_failed"),
        (r#"{"output":[],"status":"failed"}"#, "failed"),
        (r#"{"output":[],"status":"incomplete","incomplete_details":{"reason":"content_filter"}}"#, "content_filter"),
        (r#"{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#, "MALFORMED_FUNCTION_CALL"),
        (r#"{"candidates":[{"content":{},"finishReason":"UNEXPECTED_TOOL_CALL"}]}"#, "UNEXPECTED_TOOL_CALL"),
        (r#"{"candidates":[{"finishReason":"TOO_MANY_TOOL_CALLS"}]}"#, "TOO_MANY_TOOL_CALLS"),
        (r#"{"output":{"message":{"content":[]}},"stopReason":"malformed_tool_use"}"#, "malformed_tool_use"),
        (r#"{"output":{},"stopReason":"malformed_model_output"}"#, "malformed_model_output"),
        (r#"{"content":[],"stopReason":"malformed_tool_use"}"#, "malformed_tool_use"),
        (r#"{"model":"mistral-small","choices":[{"finish_reason":"error","message":{}}]}"#, "error"),
    ] {
        let error = Turn::read(body.as_bytes(), None).expect_err(body);
        assert_eq!(error, TurnError::NoUsableCall { word: word.to_owned() }, "{body}");
        assert!(error.to_string().contains("retry the turn"));
    }
    let written = r#"{"choices":[{"message":{"content":"<tool_call>{\"name\":\"echo\"}</tool_call>"}}]}"#;
    assert_eq!(Turn::read(written.as_bytes(), None), Err(TurnError::NoCalls), "a call in plain text is none");
}

#[test]
fn what_no_provider_sends_is_an_error_that_says_where() {
    let nested = format!("{}1{}", r#"{"a":"#.repeat(50_000), "}".repeat(50_000));
    let random: Vec<u8> = (0..4096_u32).map(|nth| nth.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let blocks = format!(r#"{{"content":[{}1]}}"#, "1,".repeat(20_000));
    for (body, dialect, said) in [
        (random.as_slice(), None, "not one JSON object or list"),
        ("[".repeat(100_000).as_bytes(), None, "not one JSON object or list"),
        (br#""text""#, None, "it is a single value"),
        (nested.as_bytes(), None, "no known dialect"),
        (b"[]", None, "no known dialect"),
        (b"{}", None, "(mistral)"),
        (blocks.as_bytes(), None, "no known dialect"),
        (blocks.as_bytes(), Some(Dialect::Bedrock), "it has more than 16384 parts"),
        (br#"{"choices":[{"message":{"tool_calls":[7]}}]}"#, None, "`choices.0.message.tool_calls.0` cannot be read"),
        (br#"{"tool_calls":"none"}"#, None, "`tool_calls` is no list"),
        (br#"{"choices":[{},{}]}"#, None, "exactly one choice"),
        (br#"{"candidates":[{},{}]}"#, None, "exactly one candidate"),
        (br#"{"parts":[{"functionCall":7}]}"#, None, "`parts.0.functionCall` cannot be read"),
        (br#"{"content":[{"toolUse":[]}]}"#, None, "`content.0.toolUse` cannot be read"),
        (br#"{"output":{"message":{}}}"#, None, "`output.message.content` is not there"),
        (br#"[{"type":"reasoning"},7]"#, None, "`the list.1` cannot be read"),
        (b"[]", Some(Dialect::Anthropic), "`content` is not there"),
        (b"[]", Some(Dialect::Gemini), "`parts` is not there"),
        (b"[]", Some(Dialect::Mistral), "`tool_calls` is not there"),
        (b"{}", Some(Dialect::OpenAiResponses), "`output` is not there"),
    ] {
        let error = Turn::read(body, dialect).expect_err(said).to_string();
        assert!(error.contains(said), "{said} in: {error}");
        assert!(error.len() < 700, "{error}");
    }
}

#[test]
fn the_words_for_a_cut_turn_cut_its_last_call_alone() {
    use Dialect::{Anthropic, Bedrock, Gemini, Mistral, OpenAiChat, OpenAiResponses};
    let ended = |dialect: Dialect, key: &str, word: &str| {
        let calls: Vec<String> =
            (0..2).map(|nth| call(dialect, Some(&Value::from(id(dialect, nth)).to_string()), "echo", "{}")).collect();
        let body = match dialect {
            OpenAiResponses => format!(r#"{{"output":{},"{key}":"{word}"}}"#, message(dialect, &calls)),
            Mistral => {
                message(dialect, &calls).replacen("{\"message\"", &format!("{{\"{key}\":\"{word}\",\"message\""), 1)
            }
            Anthropic | OpenAiChat | Gemini | Bedrock => {
                message(dialect, &calls).replacen('{', &format!("{{\"{key}\":\"{word}\","), 1)
            }
        };
        let turn = Turn::read(body.as_bytes(), None).expect("is a turn");
        assert_eq!(turn.dialect, dialect, "{body}");
        assert!(!turn.assistant().contains(word) && !turn.is_mended(), "a stop word is no part of the history");
        turn.calls.iter().map(|call| call.cut).collect::<Vec<_>>()
    };
    for (dialect, key, words) in [
        (Anthropic, "stop_reason", ["max_tokens", "model_context_window_exceeded"].as_slice()),
        (OpenAiChat, "finish_reason", &["length"]),
        (OpenAiResponses, "status", &["incomplete"]),
        (Gemini, "finishReason", &["MAX_TOKENS", "CONTINUATION"]),
        (Bedrock, "stopReason", &["max_tokens", "model_context_window_exceeded"]),
        (Mistral, "finish_reason", &["length", "model_length"]),
    ] {
        for word in words {
            assert_eq!(ended(dialect, key, word), [false, true], "{dialect} {word}");
        }
        assert_eq!(ended(dialect, key, "some_other_word"), [false, false], "{dialect}");
    }
}

#[test]
fn the_support_turn_is_answered_alike_in_every_dialect() {
    on_two_threads(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), []).await;
        for (dialect, file, n_mended) in [
            (Dialect::OpenAiResponses, "support.openai_responses.json", 0),
            (Dialect::Gemini, "support.gemini.json", 0),
            (Dialect::Bedrock, "support.bedrock.json", 0),
        ] {
            let answer = host.answer(Turn::read(&example(file), None).expect("is a turn")).await;
            let outcomes: Vec<String> = answer.replies.iter().map(outcome).collect();
            let expected = [
                "done",
                "call:unknown_tool",
                "done",
                "args:missing:priority",
                "args:unexpected:assignee",
                "args:allowed:region",
                "args:missing:sku",
                "args:type:limit",
            ];
            assert_eq!(outcomes, expected, "{file}");
            assert_eq!(usize::from(answer.assistant.is_some()), n_mended, "{file}");
            let results = results(dialect, &answer.message);
            assert!(results.iter().map(|(id, _)| id).eq(answer.replies.iter().map(|reply| &reply.id)), "{file}");
        }
        let answer = host.answer(Turn::read(&example("support.mistral.json"), None).expect("is a turn")).await;
        let outcomes: Vec<String> = answer.replies.iter().map(outcome).collect();
        assert_eq!(outcomes, ["done", "done", "call:unknown_tool", "call:truncated"]);
        let names: Value = serde_json::from_str(&answer.message).expect("JSON");
        let names: Vec<&Value> = names.as_array().expect("a list").iter().map(|result| &result["name"]).collect();
        assert_eq!(names, ["stock_lookup", "search_orders", "functions_stock_lookup", "create_ticket"]);
        let mended = answer.assistant.expect("a name with a point and half an object do not go back");
        assert!(mended.contains("functions_stock_lookup") && mended.contains("_raw"), "{mended}");
    });
}

#[test]
fn the_assistant_message_that_goes_back_is_never_mended_again() {
    let id = prop_oneof![
        3 => Just(None),
        3 => "[a-c]{1,2}".prop_map(Some),
        1 => Just(Some("null".to_owned())),
        1 => "\\PC{0,80}".prop_map(Some),
        1 => "[a-zA-Z0-9]{9}".prop_map(Some),
    ];
    let name = prop_oneof![2 => Just("echo".to_owned()), 1 => "[a-z.:/ -]{0,12}", 1 => "\\PC{0,140}"];
    let arguments = prop_oneof![
        2 => Just(r#"{"text":"x"}"#.to_owned()),
        1 => Just(r#"{"text":"\ud800"}"#.to_owned()),
        1 => Just(r#"["\udc00"]"#.to_owned()),
        1 => Just("null".to_owned()),
        1 => Just(r#""\ud800""#.to_owned()),
        1 => "\\PC{0,20}",
    ];
    let config = ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() };
    let calls = prop::collection::vec((id, name, arguments), 1..8);
    proptest!(config, |(dialect in prop::sample::select(Dialect::ALL.as_slice()), calls in calls)| {
        let built: Vec<String> = calls.iter().map(|(id, name, arguments)| {
            let id = id.as_ref().map(|id| json!(id).to_string());
            call(dialect, id.as_deref(), name, arguments)
        }).collect();
        let turn = Turn::read(message(dialect, &built).as_bytes(), Some(dialect)).expect("is a turn");
        prop_assert_eq!(turn.calls.len(), calls.len());
        let ids: BTreeSet<&str> = turn.calls.iter().map(|call| call.id.as_str()).collect();
        prop_assert!(dialect == Dialect::Gemini || ids.len() == calls.len(), "one id each");
        let back: Value = serde_json::from_str(turn.assistant()).expect("well-formed Unicode");
        prop_assert!(!back.is_null());
        let again = Turn::read(turn.assistant().as_bytes(), Some(dialect)).expect("is a turn");
        prop_assert!(!again.is_mended(), "{}", turn.assistant());
        prop_assert_eq!(again.assistant(), turn.assistant());
        prop_assert!(again.calls.iter().map(|call| &call.id).eq(turn.calls.iter().map(|call| &call.id)));
    });
}

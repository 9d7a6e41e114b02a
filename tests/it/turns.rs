//! Whole messages in, whole messages out: the three example turns, ids and order, and random turns.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate::{Answer, Dialect, Effects, Host, Turn, TurnError};

use crate::dialects;
use crate::support::{self, desk_host, example, guests, on_one_thread, on_two_threads, outcome, tool};

fn outcomes(answer: &Answer) -> Vec<String> {
    answer.replies.iter().map(outcome).collect()
}

async fn answer(host: &Host, body: &[u8]) -> Answer {
    host.answer(Turn::read(body, None).expect("is a turn")).await
}

#[test]
fn the_support_turn_is_answered_as_its_description_says() {
    on_two_threads(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), []).await;
        let answer = answer(&host, &example("support.anthropic.json")).await;
        assert_eq!(
            outcomes(&answer),
            [
                "done",
                "call:unknown_tool",
                "done",
                "args:missing:priority",
                "args:unexpected:assignee",
                "args:allowed:region",
                "args:missing:sku",
                "args:type:limit"
            ]
        );
        let says = |at: usize, parts: &[&str]| {
            let text = answer.replies[at].text();
            for part in parts {
                assert!(text.contains(part), "{part} in: {text}");
            }
        };
        says(1, &["search_orders", "did you mean `search_orders`?"]);
        says(5, &["busan", "jeju", "seoul"]);
        says(6, &["`sku_id` is not declared", "`sku`"]);
        says(7, &["got true"]);
        let tickets = std::fs::read_to_string(desk.path().join("tickets.jsonl")).expect("tickets were written");
        let tickets: Vec<Value> = tickets.lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect();
        assert_eq!(tickets.len(), 1, "create_ticket ran exactly once");
        assert_eq!(tickets[0]["subject"], "Charged twice, then refunded", "a subject with a comma is one subject");
        assert_eq!(host.stats().stores_created, 2, "a refused call makes no store");
        let message: Value = serde_json::from_str(&answer.message).expect("JSON");
        let results = message["content"].as_array().expect("blocks");
        assert_eq!(message["role"], "user");
        let ids: Vec<&str> = results.iter().filter_map(|block| block["tool_use_id"].as_str()).collect();
        assert_eq!(
            ids,
            ["toolu_01A", "toolu_01B", "toolu_01C", "toolu_01D", "toolu_01E", "toolu_01F", "toolu_01G", "toolu_01H"]
        );
        assert_eq!(results.iter().filter(|block| block["is_error"] == true).count(), 6);
    });
}

#[test]
fn the_cut_turn_runs_all_but_its_last_call() {
    on_two_threads(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), []).await;
        let answer = answer(&host, &example("support.openai_chat.json")).await;
        assert_eq!(outcomes(&answer), ["done", "done", "call:unknown_tool", "call:truncated"]);
        assert!(answer.replies[2].text().contains("did you mean `stock_lookup`?"));
        assert!(answer.replies[3].text().contains("smaller request"));
        let messages: Vec<Value> = serde_json::from_str(&answer.message).expect("an array of messages");
        let ids: Vec<&Value> = messages.iter().map(|message| &message["tool_call_id"]).collect();
        assert_eq!(ids, ["call_a1", "call_a2", "call_a3", "call_a4"]);
        assert!(messages.iter().all(|message| message["role"] == "tool"));
        assert!(!desk.path().join("tickets.jsonl").exists(), "a truncated call never runs");
    });
}

#[test]
fn the_misbehaving_turn_tells_every_broken_promise_apart() {
    on_one_thread(async {
        let desk = tempfile::tempdir().expect("a directory");
        let more = [
            tool("budget_spins.wasm", guests::BUDGET_SPINS),
            tool("stock_lookup_v1.wasm", guests::STOCK_LOOKUP_V1),
            tool("trap_panics.wasm", guests::TRAP_PANICS),
        ];
        let host = desk_host(desk.path(), more).await;
        let answer = answer(&host, &example("misbehaving.anthropic.json")).await;
        let expected =
            ["tool:fuel", "tool:trap", "result:too_big:rows", "result:empty:rows", "result:range:days", "done"];
        assert_eq!(outcomes(&answer), expected);
        let (spinner, good) = (&answer.replies[0], &answer.replies[5]);
        assert!(good.usage.total() < spinner.usage.total() / 2, "{:?} beside {:?}", good.usage, spinner.usage);
    });
}

#[test]
fn two_calls_of_one_id_get_two_results() {
    on_one_thread(async {
        let host = support::host([tool("ok_echo.wasm", guests::OK_ECHO)]).await;
        let call =
            |text: &str| json!({"type": "tool_use", "id": "toolu_same", "name": "echo", "input": {"text": text}});
        let body = json!({"role": "assistant", "content": [call("a"), call("b")]}).to_string();
        let answer = answer(&host, body.as_bytes()).await;
        let message: Value = serde_json::from_str(&answer.message).expect("JSON");
        assert_eq!(message["content"][0]["content"], r#"{"text":"a"}"#);
        assert_eq!(message["content"][1]["content"], r#"{"text":"b"}"#);
        assert_eq!(message["content"][0]["tool_use_id"], "toolu_same");
        assert_ne!(message["content"][0]["tool_use_id"], message["content"][1]["tool_use_id"]);
        let assistant: Value = serde_json::from_str(&answer.assistant.expect("an id had to change")).expect("JSON");
        assert_eq!(message["content"][1]["tool_use_id"], assistant["content"][1]["id"], "written on both sides");
    });
}

#[test]
fn writes_of_one_turn_run_in_the_order_given() {
    on_two_threads(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), []).await;
        let calls = (0..8).map(|nth| {
            let input = json!({"customer_id": "cus_1", "subject": format!("number {nth}"), "priority": "low"});
            json!({"type": "tool_use", "id": format!("t{nth}"), "name": "create_ticket", "input": input})
        });
        let body = json!({"role": "assistant", "content": calls.collect::<Vec<_>>()}).to_string();
        let answer = answer(&host, body.as_bytes()).await;
        assert!(answer.replies.iter().all(|reply| reply.is_done() && reply.effects == Effects::Done));
        let tickets = std::fs::read_to_string(desk.path().join("tickets.jsonl")).expect("tickets were written");
        let subjects: Vec<String> = tickets
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).expect("JSON")["subject"].as_str().expect("text").to_owned()
            })
            .collect();
        assert_eq!(subjects, (0..8).map(|nth| format!("number {nth}")).collect::<Vec<_>>());
    });
}

#[test]
fn what_is_no_turn_is_named_for_what_was_looked_for() {
    let error = |body: &str| Turn::read(body.as_bytes(), None).expect_err(body);
    assert!(matches!(error("not json"), TurnError::NotJson(_)));
    assert!(matches!(error("7"), TurnError::NotJson(_)));
    assert!(matches!(error("[1]"), TurnError::NoDialect { .. }));
    assert!(matches!(error("{}"), TurnError::NoDialect { .. }));
    assert!(error("{}").to_string().contains("looked for `content`"));
    assert_eq!(error(r#"{"content":[{"type":"text","text":"hi"}]}"#), TurnError::NoCalls);
    assert_eq!(error(r#"{"role":"assistant","content":"hi"}"#), TurnError::NoCalls);
    assert_eq!(error(r#"{"choices":[{"message":{"content":"hi"}}]}"#), TurnError::NoCalls);
    let mixed = r#"{"content":[{"type":"tool_use","id":"a","name":"b","input":{}}],"tool_calls":[]}"#;
    assert!(matches!(error(mixed), TurnError::Ambiguous(names) if names == "anthropic, openai-chat"));
    let twice = r#"{"content":[{"type":"tool_use","id":"a","id":"b","name":"b","input":{}}]}"#;
    assert!(error(twice).to_string().contains("`content.0` cannot be read: `id` stands twice"), "{}", error(twice));
    let block = r#"{"type":"tool_use","id":"a","name":"b","input":{}}"#;
    let many = format!(r#"{{"content":[{}]}}"#, vec![block; 1025].join(","));
    assert_eq!(error(&many), TurnError::TooManyCalls { n_calls: 1025 });
    let two = r#"{"choices":[{"message":{}},{"message":{}}]}"#;
    assert!(error(two).to_string().contains("exactly one choice"));
    let wanted = Turn::read(br#"{"tool_calls":[]}"#, Some(Dialect::Anthropic)).expect_err("the dialect was said");
    assert!(wanted.to_string().contains("`content` is not there"));
}

#[test]
fn a_custom_tool_call_and_a_nameless_one_are_answered_too() {
    on_one_thread(async {
        let host = support::host([tool("ok_echo.wasm", guests::OK_ECHO)]).await;
        let body = json!({"role": "assistant", "tool_calls": [
            {"id": "c1", "type": "custom", "custom": {"name": "echo", "input": "free text"}},
            {"id": "c2", "type": "function", "function": {"arguments": "{}"}},
            {"id": "c3", "type": "function", "function": {"name": "echo", "arguments": {"text": "an object"}}},
            {"id": "c4", "type": "function", "function": {"name": "echo", "arguments": 7}},
            {"id": "c5", "type": "function"},
        ]});
        let answer = answer(&host, body.to_string().as_bytes()).await;
        let expected = ["call:unknown_tool", "call:unknown_tool", "done", "call:not_object", "call:unknown_tool"];
        assert_eq!(outcomes(&answer), expected);
        assert_eq!(answer.replies[2].machine().recorded, ["normalised:parsed_object"]);
    });
}

/// One call of a random turn: its name and its arguments as text.
fn any_call() -> impl Strategy<Value = (String, String)> {
    let name = prop_oneof![
        5 => Just("echo".to_owned()),
        1 => Just("probe_spin".to_owned()),
        1 => Just("probe_panic".to_owned()),
        1 => Just("probe_result_is_not_json".to_owned()),
        1 => "[a-z_]{0,12}",
        1 => "\\PC{0,8}",
    ];
    let arguments = prop_oneof![
        4 => "[a-zA-Z ,.]{0,20}".prop_map(|text| json!({ "text": text }).to_string()),
        1 => Just("{}".to_owned()),
        1 => Just(r#"{"text":1}"#.to_owned()),
        1 => Just(r#"{"text":"a","text":"b"}"#.to_owned()),
        1 => Just("[".repeat(200)),
        1 => Just(r#"{"text":"\ud800"}"#.to_owned()),
        1 => "\\PC{0,20}",
    ];
    (name, arguments)
}

#[test]
fn n_calls_in_n_results_out_with_the_same_ids_in_the_same_order() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let probes = [
        tool("ok_echo.wasm", guests::OK_ECHO),
        support::limited(guests::BUDGET_SPINS, support::fuel(100_000)),
        tool("trap_panics.wasm", guests::TRAP_PANICS),
        tool("result_is_not_json.wasm", guests::RESULT_IS_NOT_JSON),
    ];
    let host = runtime.block_on(support::host(probes));
    let config = ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() };
    let dialects = prop::sample::select(Dialect::ALL.as_slice());
    proptest!(config, |(dialect in dialects, calls in prop::collection::vec(any_call(), 1..12))| {
        let calls: Vec<String> = calls.iter().enumerate().map(|(nth, (name, arguments))| {
            let id = Value::from(dialects::id(dialect, nth)).to_string();
            dialects::call(dialect, Some(&id), name, arguments)
        }).collect();
        let body = dialects::message(dialect, &calls);
        let turn = Turn::read(body.as_bytes(), None).expect("is a turn");
        prop_assert_eq!(turn.dialect, dialect);
        let answered = async { tokio::time::timeout(Duration::from_secs(60), host.answer(turn)).await };
        let answer = runtime.block_on(answered).expect("is answered in time");
        let (ids, texts): (Vec<_>, Vec<_>) = dialects::results(dialect, &answer.message).into_iter().unzip();
        prop_assert_eq!(ids, (0..calls.len()).map(|nth| dialects::id(dialect, nth)).collect::<Vec<_>>());
        prop_assert!(!texts.iter().any(String::is_empty), "a result is never empty");
    });
    runtime.block_on(async { assert_eq!(host.stats().stores_alive, 0) });
}

#[test]
fn a_damaged_message_is_read_or_refused_and_never_more() {
    let examples = ["anthropic", "openai_chat", "openai_responses", "gemini", "bedrock", "mistral"];
    let examples = examples.map(|dialect| example(&format!("support.{dialect}.json")));
    let config = ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() };
    let damage = (0..examples.len(), any::<prop::sample::Index>(), any::<u8>(), any::<bool>());
    proptest!(config, |((which, at, byte, cut) in damage)| {
        let mut body = examples[which].clone();
        let at = at.index(body.len());
        if cut {
            body.truncate(at);
        } else {
            body[at] = byte;
        }
        match Turn::read(&body, None) {
            Ok(turn) => prop_assert!(turn.dialect == Dialect::Gemini || turn.calls.iter().all(|call| !call.id.is_empty())),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    });
}

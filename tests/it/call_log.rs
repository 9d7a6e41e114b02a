//! The call log: what stands in a line of it, and what never does.

use std::fs;

use serde_json::{Value, json};
use toolgate::{Asked, CallRecord, Ended, Host, Keep, Occasion, RawCall, Slip, Turn, ValueKind};

use crate::support::{self, desk_host, example, guests, on_one_thread, repository, tool};

/// The records of one call.
async fn record(host: &Host, call: RawCall, keep: Keep) -> CallRecord {
    let asked = Asked::of(&call, keep);
    let reply = host.call(call).await;
    let occasion = Occasion { time_ms: 1, turn: "t1".to_owned(), refusal_bound: Some(3), ..Occasion::default() };
    CallRecord::of(&reply, host.tool(&reply.tool), &asked, &occasion, 0)
}

#[test]
fn each_line_fits_the_published_schema_and_says_what_was_wrong() {
    let schema = fs::read_to_string(repository().join("schemas/call-log.schema.json")).expect("is there");
    let validator = jsonschema::draft202012::new(&serde_json::from_str(&schema).expect("JSON")).expect("compiles");
    on_one_thread(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), [support::limited(guests::BUDGET_SPINS, support::fuel(10_000))]).await;
        let turn = Turn::read(&example("support.anthropic.json"), None).expect("is a turn");
        let mut calls = turn.calls;
        calls.push(RawCall::new("probe_spin", "{}"));
        calls.push(RawCall::new("stock_lookup", r#"{"sku":"KB-104","region":"busan","limit":"#));
        let mut records = Vec::new();
        for call in calls {
            records.push(record(&host, call, Keep::Digests).await);
        }
        for record in &records {
            let line: Value = serde_json::from_str(&record.line()).expect("JSON");
            let errors: Vec<String> = validator.iter_errors(&line).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{line}: {errors:?}");
            assert_eq!(CallRecord::parse(&record.line()).as_ref(), Ok(record));
        }
        let text = |text: &str| text.to_owned();
        let slips: Vec<Option<Slip>> = records.iter().map(|record| record.slip.clone()).collect();
        let jejju = slips[5].clone();
        let digest = |slip: &Option<Slip>| match slip {
            Some(Slip::WrongValue { digest, .. }) => digest.clone(),
            other => panic!("{other:?}"),
        };
        let expected = [
            None,
            Some(Slip::UnknownTool { nearest: Some(text("search_orders")) }),
            None,
            Some(Slip::MissingKey { key: text("priority"), sent: None }),
            Some(Slip::UndeclaredKey { key: text("assignee"), nearest: None }),
            Some(Slip::WrongValue {
                got: ValueKind::String,
                n_permitted: Some(3),
                nearest: Some(text("jeju")),
                digest: digest(&jejju),
                value: None,
            }),
            Some(Slip::MissingKey { key: text("sku"), sent: Some(text("sku_id")) }),
            Some(Slip::WrongType { wants: vec![text("integer")], got: ValueKind::Boolean }),
            None,
            None,
        ];
        assert_eq!(slips, expected);
        assert_eq!(digest(&jejju).map(|digest| digest.len()), Some(16));
        let ends: Vec<Ended> = records.iter().map(|record| record.verdict).collect();
        use Ended::{Done, Failed, Refused};
        assert_eq!(ends, [Done, Refused, Done, Refused, Refused, Refused, Refused, Refused, Failed, Refused]);
        assert_eq!((records[1].known, records[3].known), (false, true));
        assert_eq!(records[8].code.as_deref(), Some("tool:fuel"));
        assert_eq!(records[9].code.as_deref(), Some("call:truncated"));
        assert!(records[0].stages.sandbox_ns.is_some() && records[1].stages.sandbox_ns.is_none());
    });
}

#[test]
fn no_argument_and_no_result_stands_in_a_line_unless_the_operator_wants_arguments() {
    const SECRET: &str = "sk-7f3a9c";
    on_one_thread(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), [tool("ok_echo.wasm", guests::OK_ECHO)]).await;
        let calls = [
            ("echo", json!({ "text": SECRET })),
            ("echo", json!([SECRET])),
            ("stock_lookup", json!({"sku": SECRET, "region": "busan", "limit": 1})),
            ("stock_lookup", json!({"sku": "a", "region": SECRET, "limit": 1})),
            ("stock_lookup", json!({"sku": "a", "region": "busan", "limit": SECRET})),
            ("stock_lookup", json!({"sku": [SECRET], "region": "busan", "limit": 1})),
            ("search_orders", json!({ "customer_id": SECRET })),
            ("create_ticket", json!({"customer_id": "cus_1", "subject": SECRET, "priority": "high", "who": SECRET})),
            ("no_such_tool", json!({ "a": SECRET })),
        ];
        for (name, arguments) in calls {
            let call = || RawCall::new(name, arguments.to_string());
            let digests = record(&host, call(), Keep::Digests).await.line();
            assert!(!digests.contains(SECRET), "{digests}");
            let kept = record(&host, call(), Keep::Arguments).await.line();
            assert!(kept.contains(SECRET), "{kept}");
        }
        let hidden = RawCall::new("t\u{202e}\u{1b}[2J", "{}").with_id("i\u{1b}]0;\u{7}");
        let line = record(&host, hidden, Keep::Arguments).await.line();
        assert!(line.is_ascii() && !line.contains('\u{1b}') && line.matches('\n').count() == 1, "{line:?}");
    });
}

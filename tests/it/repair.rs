//! Repair: what an operator's rules change of a call that came to no answer, what they never do, and what is said of it.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate::{
    Access, Change, Coercion, Config, DirectoryGrant, Effects, Host, HostBuilder, MAX_CALLS, MAX_WAITING, RawCall,
    RepairSettings, Reply, Session, SessionLimits, ToolSource, Turn, with_contract,
};

use crate::by_hand::{self, ByHand};
use crate::support::{
    self, build, call, guests, limited, on_one_thread, on_two_threads, outcome, program, report, time, tool,
};

/// A host whose operator wrote this under `[repair]`.
fn repairing(tools: impl IntoIterator<Item = ToolSource>, rules: &str) -> HostBuilder {
    let config = Config::parse(rules).unwrap_or_else(|error| panic!("{error}"));
    Host::builder().tools(tools).repair(config.repair).callers(config.callers).rules(config.rules)
}

/// What the load of these rules says.
fn refused(tools: impl IntoIterator<Item = ToolSource>, rules: &str) -> String {
    let error = on_one_thread(repairing(tools, rules).build()).err();
    error.map_or_else(|| "loads".to_owned(), |error| error.to_string())
}

/// A tool that answers with its arguments, under a contract of its own.
fn mirror(name: &str, effects: &str, properties: &Value) -> ToolSource {
    let contract = json!({
        "name": name, "version": "1", "description": "Says what it was asked.", "effects": effects,
        "input": {"type": "object", "additionalProperties": false, "required": properties.as_object().map(|keys| {
            keys.keys().filter(|key| *key != "note").cloned().collect::<Vec<_>>()
        }), "properties": properties},
        "output": {"type": "object", "additionalProperties": true}
    });
    let packed = with_contract(guests::OK_MIRROR, &contract.to_string()).expect("packs");
    ToolSource::new(format!("{name}.wasm"), packed)
}

/// A mirror of a stock lookup.
fn lookup(name: &str) -> ToolSource {
    mirror(
        name,
        "read",
        &json!({
            "region": {"type": "string", "enum": ["busan", "jeju", "seoul"], "default": "seoul"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 5},
            "note": {"type": "string"}
        }),
    )
}

fn lookup_without_bounds(name: &str) -> ToolSource {
    mirror(name, "read", &json!({"region": {"type": "string"}, "limit": {"type": "integer"}}))
}

fn fails() -> ToolSource {
    tool("fails_by_kind.wasm", guests::FAILS_BY_KIND)
}

/// The value that a mirror was asked with.
fn mirrored(reply: &Reply) -> Value {
    let result = reply.result().unwrap_or_else(|| panic!("{}", report(reply)));
    serde_json::from_str(result).expect("is JSON")
}

/// Rule and outcome of each try.
fn tries(reply: &Reply) -> Vec<(&str, String)> {
    reply.attempts.iter().map(|attempt| (attempt.rule.as_str(), attempt.ended())).collect()
}

const OLD_LOOKUP: &str = r#"
[[repair.rules]]
name = "old lookup"
tools = ["stock_lookup_v1"]
reason = "result:too_big"
switch = { to = "stock_lookup" }
"#;

#[test]
fn a_tool_that_breaks_its_promise_is_answered_by_another() {
    on_one_thread(async {
        let tools =
            [tool("stock_lookup.wasm", guests::STOCK_LOOKUP), tool("stock_lookup_v1.wasm", guests::STOCK_LOOKUP_V1)];
        let host = build(repairing(tools, OLD_LOOKUP)).await;
        let reply = call(&host, "stock_lookup_v1", json!({"sku": "KB-104", "region": "busan", "limit": 2})).await;
        assert_eq!(outcome(&reply), "done", "{}", report(&reply));
        assert_eq!((reply.tool.as_str(), reply.answered_by.as_deref()), ("stock_lookup_v1", Some("stock_lookup")));
        assert_eq!(tries(&reply), [("old lookup", "done".to_owned())]);
        assert_eq!(
            mirrored(&reply).pointer("/rows/1/warehouse").and_then(Value::as_str),
            Some("BSN-2"),
            "{}",
            report(&reply)
        );
        let note = "note: repaired by a rule of the operator; `stock_lookup_v1` ended with result:too_big:rows: `stock_lookup` was asked instead\n\n{";
        assert!(reply.text().starts_with(note), "{}", reply.text());
        let said = serde_json::to_value(reply.machine()).expect("writes");
        assert_eq!(
            (said.pointer("/answered_by"), said.pointer("/repaired")),
            (
                Some(&json!("stock_lookup")),
                Some(
                    &json!([{"rule": "old lookup", "reason": "result:too_big:rows", "change": "`stock_lookup` was asked instead", "outcome": "done"}])
                )
            )
        );
        assert_eq!(host.stats().stores_created, 2);
        assert!(
            reply
                .operator_line()
                .contains("answered_by=stock_lookup repaired=\"old lookup: result:too_big:rows: done\""),
            "{}",
            report(&reply)
        );
    });
}

#[test]
fn an_argument_is_set_as_the_rule_says() {
    let rules = r#"
        [repair]
        attempts = 5
        [[repair.rules]]
        name = "slip"
        reason = "args:allowed"
        set = { to = "nearest" }
        [[repair.rules]]
        name = "unknown region"
        tools = ["lookup"]
        reason = "args:allowed:region"
        set = { argument = "/region", to = { constant = "busan" } }
        [[repair.rules]]
        name = "no region"
        tools = ["lookup"]
        reason = "args:missing:region"
        set = { argument = "/region", to = "default" }
        [[repair.rules]]
        name = "too many"
        reason = "args:range"
        set = { to = "clamp" }
    "#;
    on_one_thread(async {
        let host = build(repairing([lookup("lookup")], rules)).await;
        for (asked, sent, rules) in [
            (json!({"region": "Seuol", "limit": 2}), json!({"region": "seoul", "limit": 2}), vec!["slip"]),
            (json!({"region": "atlantis", "limit": 2}), json!({"region": "busan", "limit": 2}), vec!["unknown region"]),
            (json!({"limit": 2}), json!({"region": "seoul", "limit": 2}), vec!["no region"]),
            (json!({"region": "jeju", "limit": 99}), json!({"region": "jeju", "limit": 5}), vec!["too many"]),
            (json!({"limit": 0}), json!({"region": "seoul", "limit": 1}), vec!["no region", "too many"]),
            (json!({"region": "jeju", "limit": 1}), json!({"region": "jeju", "limit": 1}), vec![]),
        ] {
            let reply = call(&host, "lookup", asked.clone()).await;
            assert_eq!(mirrored(&reply), sent, "{asked}");
            assert_eq!(
                reply.attempts.iter().map(|attempt| attempt.rule.as_str()).collect::<Vec<_>>(),
                rules,
                "{asked}"
            );
            assert_eq!(reply.text().starts_with("note: "), !rules.is_empty(), "{}", reply.text());
        }
        let reply = call(&host, "lookup", json!({"limit": 0})).await;
        assert_eq!(
            reply.note().as_deref(),
            Some(
                "repaired by a rule of the operator; `lookup` ended with args:missing:region: `region` was set to \"seoul\", it was not given; `lookup` ended with args:range:limit: `limit` was set to 1, it was 0"
            )
        );
    });
}

#[test]
fn what_no_rule_can_mend_is_said_of_the_call_as_it_was_asked() {
    let rules = r#"
        [[repair.rules]]
        name = "limit"
        tools = ["lookup"]
        reason = "args:range:limit"
        set = { argument = "/limit", to = { constant = 2 } }
        [[repair.rules]]
        name = "elsewhere"
        tools = ["lookup"]
        reason = "args:allowed:region"
        switch = { to = "other" }
    "#;
    on_one_thread(async {
        let other = mirror("other", "read", &json!({"city": {"type": "string"}}));
        let host = build(repairing([lookup("lookup"), other], rules)).await;
        let reply = call(&host, "lookup", json!({"region": "atlantis", "limit": 9})).await;
        assert_eq!(outcome(&reply), "args:range:limit", "{}", report(&reply));
        assert!(
            reply.text().starts_with("args:range:limit: `limit` of `lookup` must be at most 5"),
            "{}",
            reply.text()
        );
        assert_eq!(reply.answered_by, None);
        assert_eq!(
            tries(&reply),
            [("limit", "args:allowed:region".to_owned()), ("elsewhere", "args:missing:city".to_owned())]
        );
        assert_eq!(host.stats().stores_created, 0);
    });
}

#[test]
fn a_name_that_no_tool_has_is_taken_for_the_one_a_rule_names() {
    let rules = r#"
        [[repair.rules]]
        name = "renamed"
        tools = ["stock", "inventory"]
        reason = "call:unknown_tool"
        switch = { to = "lookup", arguments = { "/region" = { from = "/where/region" }, "/limit" = { constant = 3 }, "/note" = { from = "/note" } } }
    "#;
    on_one_thread(async {
        let host = build(repairing([lookup("lookup")], rules)).await;
        let reply = call(&host, "stock", json!({"where": {"region": "jeju"}})).await;
        assert_eq!(mirrored(&reply), json!({"region": "jeju", "limit": 3}));
        assert_eq!((reply.tool.as_str(), reply.answered_by.as_deref()), ("stock", Some("lookup")));
        let other = call(&host, "stocks", json!({"where": {"region": "jeju"}})).await;
        assert_eq!((outcome(&other).as_str(), other.attempts.len()), ("call:unknown_tool", 0));
    });
}

#[test]
fn what_is_not_there_now_is_asked_again_until_it_is() {
    let rules = r#"
        [repair]
        attempts = 10
        [[repair.rules]]
        name = "patience"
        reason = "tool:unavailable"
        retry = { wait_ms = 20 }
    "#;
    on_two_threads(async {
        let root = tempfile::tempdir().expect("a directory");
        let data = root.path().join("data");
        fs::create_dir(&data).expect("makes it");
        let grant = DirectoryGrant { guest: "/data".into(), host: data.clone(), access: Access::Read };
        let host = build(repairing([tool("csv_query.wasm", guests::CSV_QUERY).grant(grant)], rules)).await;
        fs::remove_dir(&data).expect("removes it");
        let later = async {
            tokio::time::sleep(Duration::from_millis(60)).await;
            fs::create_dir(&data).and_then(|()| fs::write(data.join("a.csv"), "n\n1\n")).expect("makes it again");
        };
        let (reply, ()) = tokio::join!(call(&host, "csv_query", json!({"file": "a.csv", "sum": "n"})), later);
        assert_eq!(outcome(&reply), "done", "{}", report(&reply));
        assert!(
            !reply.attempts.is_empty() && reply.note().is_none(),
            "a wait changes nothing that a model has to know"
        );
        let waits: Vec<Duration> = reply
            .attempts
            .iter()
            .map(|attempt| match &attempt.change {
                Change::Waited { time } => *time,
                other => panic!("{other}"),
            })
            .collect();
        assert!(waits.iter().zip(waits.iter().skip(1)).all(|(first, next)| next >= first), "{waits:?}");
    });
}

#[test]
fn a_host_without_room_is_asked_again() {
    let rules = r#"
        [repair]
        attempts = 10
        [[repair.rules]]
        name = "patience"
        reason = "host:overloaded"
        retry = { wait_ms = 40 }
    "#;
    on_two_threads(async {
        let sleeper = limited(guests::BUDGET_SLEEPS, time(Duration::from_secs(60)));
        let host = build(repairing([sleeper, tool("ok_echo.wasm", guests::OK_ECHO)], rules)).await;
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..MAX_CALLS + MAX_WAITING {
            let host = host.clone();
            calls.spawn(async move { host.call(RawCall::new("probe_budget_sleeps", "{}")).await });
        }
        support::wait_until(|| host.stats().calls_waiting >= u64::try_from(MAX_WAITING).expect("fits")).await;
        let room = async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            calls.shutdown().await;
        };
        let (reply, ()) = tokio::join!(call(&host, "echo", json!({"text": "x"})), room);
        assert_eq!(outcome(&reply), "done", "{}", report(&reply));
        assert_eq!(
            reply.attempts.first().map(|attempt| attempt.reason.to_string()).as_deref(),
            Some("host:overloaded")
        );
    });
}

#[test]
fn tries_end_at_their_number_and_at_their_deadline() {
    let rules = |settings: &str| {
        format!(
            "[repair]\n{settings}\n[[repair.rules]]\nname = \"patience\"\nreason = \"tool:unavailable\"\nretry = {{ wait_ms = 10 }}\n"
        )
    };
    on_one_thread(async {
        for (settings, n_tries) in [("", 3), ("attempts = 1", 1), ("attempts = 5", 5), ("deadline_ms = 4", 1)] {
            let host = build(repairing([fails()], &rules(settings))).await;
            let reply = call(&host, "probe_fails_by_kind", json!({"kind": "unavailable"})).await;
            assert_eq!(
                (outcome(&reply).as_str(), reply.attempts.len() + 1),
                ("tool:unavailable", n_tries),
                "{settings}"
            );
            assert_eq!(host.stats().stores_created, u64::try_from(n_tries).expect("fits"), "{settings}");
        }
    });
}

#[test]
fn a_further_try_has_no_more_time_than_is_left() {
    let rules = r#"
        [repair]
        deadline_ms = 200
        [[repair.rules]]
        name = "other"
        tools = ["probe_fails_by_kind"]
        reason = "tool:failed"
        switch = { to = "probe_spin", arguments = {} }
    "#;
    on_one_thread(async {
        let spinner = limited(guests::BUDGET_SPINS, time(Duration::from_secs(20)));
        let host = build(repairing([fails(), spinner], rules)).await;
        let asked = call(&host, "probe_fails_by_kind", json!({"kind": "failed"}));
        let reply =
            tokio::time::timeout(Duration::from_secs(10), asked).await.expect("it ends before its tool's own time");
        assert_eq!(outcome(&reply), "tool:timeout", "{}", report(&reply));
        assert_eq!(reply.answered_by.as_deref(), Some("probe_spin"));
        assert!(reply.text().contains("`probe_spin` was stopped after"), "{}", reply.text());
    });
}

#[test]
fn a_caller_that_goes_away_while_a_call_waits_is_answered_so() {
    let rules = r#"
        [[repair.rules]]
        name = "patience"
        reason = "tool:unavailable"
        retry = { wait_ms = 14000 }
    "#;
    on_one_thread(async {
        let host = build(repairing([fails()], rules)).await;
        let call = RawCall::new("probe_fails_by_kind", json!({"kind": "unavailable"}).to_string());
        let reply = host.call_until(call, tokio::time::sleep(Duration::from_millis(30))).await;
        assert_eq!((outcome(&reply).as_str(), reply.effects), ("host:cancelled", Effects::None));
        assert_eq!(reply.attempts, [], "nothing was tried again");
    });
}

#[test]
fn an_empty_result_a_tools_no_and_broken_text_are_never_repaired() {
    let everything = r#"
        [[repair.rules]]
        name = "results"
        tools = ["stock_lookup"]
        reason = "result:*"
        switch = { to = "ok" }
        [[repair.rules]]
        name = "tools"
        tools = ["probe_fails_by_kind"]
        reason = "tool:*"
        switch = { to = "ok", arguments = {} }
    "#;
    on_one_thread(async {
        let ok = mirror("ok", "read", &json!({"note": {"type": "string"}}));
        let tools = [tool("stock_lookup.wasm", guests::STOCK_LOOKUP), fails(), ok];
        let host = build(repairing(tools, everything)).await;
        for (tool, arguments, code) in [
            ("stock_lookup", r#"{"sku": "ZZ-000", "region": "busan", "limit": 2}"#, "result:empty:rows"),
            ("stock_lookup", r#"{"sku": "ZZ-000", "#, "call:truncated"),
            ("probe_fails_by_kind", r#"{"kind": "refused"}"#, "tool:refused"),
            ("probe_fails_by_kind", r#"{"kind": "not_found"}"#, "done"),
        ] {
            let reply = host.call(RawCall::new(tool, arguments)).await;
            assert_eq!(outcome(&reply), code, "{}", report(&reply));
            assert_eq!(reply.attempts.is_empty(), code != "done", "{}", report(&reply));
        }
    });
}

#[test]
fn a_denied_call_is_never_repaired_and_a_repaired_call_may_be_denied() {
    let rules = r#"
        [[rules]]
        tools = ["lookup"]
        allow = 'args.region != "busan"'
        [[callers]]
        name = "shop"
        tools = ["lookup"]
        [[repair.rules]]
        name = "region"
        tools = ["lookup"]
        reason = "args:allowed:region"
        set = { argument = "/region", to = { constant = "busan" } }
        [[repair.rules]]
        name = "elsewhere"
        tools = ["lookup"]
        reason = "args:range:limit"
        switch = { to = "other" }
    "#;
    on_one_thread(async {
        let host = build(repairing([lookup("lookup"), lookup_without_bounds("other")], rules)).await;
        let denied = call(&host, "lookup", json!({"region": "busan", "limit": 1})).await;
        assert_eq!((outcome(&denied).as_str(), denied.attempts.len()), ("auth:args:region", 0), "{}", report(&denied));
        let repaired = call(&host, "lookup", json!({"region": "atlantis", "limit": 1})).await;
        assert_eq!(outcome(&repaired), "args:allowed:region", "{}", report(&repaired));
        assert_eq!(tries(&repaired), [("region", "auth:args:region".to_owned())]);
        assert_eq!(host.stats().stores_created, 0);
        let asked = json!({"region": "jeju", "limit": 9});
        let switched = call(&host, "lookup", asked.clone()).await;
        assert_eq!(mirrored(&switched), asked, "the operator's own view has both tools");
        let shop = host.for_caller("shop").expect("is configured");
        let unknown = call(&shop, "lookup", asked).await;
        assert_eq!(outcome(&unknown), "args:range:limit", "{}", report(&unknown));
        assert_eq!(tries(&unknown), [("elsewhere", "call:unknown_tool".to_owned())]);
        assert!(!unknown.text().contains("other"), "a tool that is not in its view is not named: {}", unknown.text());
    });
    let rule = "[[repair.rules]]\nname = \"r\"\nreason = \"auth:*\"\nswitch = { to = \"lookup\" }\n";
    assert_eq!(
        refused([lookup("lookup")], rule),
        "load:policy: the repair rule `r` is for a reason that is none: `auth:*` is never repaired"
    );
}

#[test]
fn only_what_the_operator_lists_as_fixable_is_repaired() {
    let any_result = OLD_LOOKUP.replace("result:too_big", "result:*");
    let rules = format!("[repair]\nfixable = [\"result:shape\", \"args:*\"]\n{any_result}");
    on_one_thread(async {
        let tools =
            [tool("stock_lookup.wasm", guests::STOCK_LOOKUP), tool("stock_lookup_v1.wasm", guests::STOCK_LOOKUP_V1)];
        let host = build(repairing(tools, &rules)).await;
        let reply = call(&host, "stock_lookup_v1", json!({"sku": "KB-104", "region": "busan", "limit": 2})).await;
        assert_eq!((outcome(&reply).as_str(), reply.attempts.len()), ("result:too_big:rows", 0));
    });
}

/// A tool that is granted a directory to write to and answers, or fails, with a text.
fn writer(name: &str, module: &str) -> (tempfile::TempDir, ToolSource) {
    let desk = tempfile::tempdir().expect("a directory");
    let grant = DirectoryGrant { guest: "/desk".into(), host: desk.path().to_owned(), access: Access::ReadWrite };
    let source = ByHand { module, ..ByHand::default() }.tool_that_writes_named(name).grant(grant);
    (desk, source)
}

#[test]
fn a_write_whose_effects_are_done_or_unknown_is_never_tried_again() {
    let rules = r#"
        [[repair.rules]]
        name = "again"
        reason = "tool:unavailable"
        retry = { wait_ms = 1 }
        [[repair.rules]]
        name = "elsewhere"
        tools = ["writer"]
        reason = "result:*"
        switch = { to = "by_hand_good", arguments = {} }
        [[repair.rules]]
        name = "elsewhere after a crash"
        tools = ["writer"]
        reason = "tool:trap"
        switch = { to = "by_hand_good", arguments = {} }
    "#;
    for (module, code, effects) in [
        (by_hand::fails("unavailable", "not now"), "tool:unavailable", Effects::Done),
        (by_hand::says("no JSON", 7), "result:shape", Effects::Done),
        (
            r#"(func (export "call") (param i32 i32) (result i32) unreachable)"#.to_owned(),
            "tool:trap",
            Effects::Unknown,
        ),
    ] {
        on_one_thread(async {
            let (_desk, writer) = writer("writer", &module);
            let host = build(repairing([writer, by_hand::good()], rules)).await;
            let reply = call(&host, "writer", json!({})).await;
            assert_eq!((outcome(&reply).as_str(), reply.effects), (code, effects), "{}", report(&reply));
            assert_eq!((reply.attempts.len(), host.stats().stores_created), (0, 1), "{}", report(&reply));
        });
    }
}

#[test]
fn arguments_of_a_write_change_only_by_a_rule_that_names_tool_and_argument() {
    let amount = || mirror("refund", "write", &json!({"cents": {"type": "integer", "minimum": 1, "maximum": 100}}));
    let general = "[[repair.rules]]\nname = \"clamp\"\nreason = \"args:range\"\nset = { to = \"clamp\" }\n";
    let named = "[[repair.rules]]\nname = \"clamp\"\ntools = [\"refund\"]\nreason = \"args:range\"\nset = { argument = \"/cents\", to = \"clamp\" }\n";
    let half = named.replace("argument = \"/cents\", ", "");
    on_one_thread(async {
        let host = build(repairing([amount(), lookup("lookup")], general)).await;
        let reply = call(&host, "refund", json!({"cents": 500})).await;
        assert_eq!((outcome(&reply).as_str(), reply.attempts.len()), ("args:range:cents", 0));
        let host = build(repairing([amount()], named)).await;
        assert_eq!(mirrored(&call(&host, "refund", json!({"cents": 500})).await), json!({"cents": 100}));
    });
    assert_eq!(
        refused([amount()], &half),
        "load:policy: the repair rule `clamp` names no argument, and `refund` writes: say which one may be set"
    );
}

#[test]
fn a_rule_that_can_never_apply_is_a_load_error() {
    let rule = |rest: &str| format!("[[repair.rules]]\nname = \"r\"\n{rest}\n");
    for (rest, said) in [
        (
            "reason = \"args:rnge\"\nset = { to = \"clamp\" }",
            "is for a reason that is none: `args:rnge` is no code of a call; docs/CODES.md lists them",
        ),
        (
            "reason = \"result:empty\"\nswitch = { to = \"lookup\" }",
            "is for a reason that is none: `result:empty` is never repaired",
        ),
        (
            "reason = \"call:truncated\"\nswitch = { to = \"lookup\" }",
            "is for a reason that is none: `call:truncated` is never repaired",
        ),
        ("reason = \"tool:refused\"\nretry = {}", "is for a reason that is none: `tool:refused` is never repaired"),
        (
            "reason = \"tool:unavailable:x\"\nretry = {}",
            "is for a reason that is none: `tool:unavailable:x` names a place, and the code has none",
        ),
        (
            "reason = \"tool:failed\"\nretry = {}",
            "asks again as it is, which helps with `tool:unavailable` and `host:overloaded` only",
        ),
        ("reason = \"args:range\"", "needs exactly one of `set`, `switch` and `retry`"),
        (
            "reason = \"args:range\"\nset = { to = \"clamp\" }\nretry = {}",
            "needs exactly one of `set`, `switch` and `retry`",
        ),
        (
            "reason = \"args:range\"\ntools = [\"lokup\"]\nset = { to = \"clamp\" }",
            "names the tool `lokup`, which is not loaded; did you mean `lookup`?",
        ),
        (
            "reason = \"args:range\"\ntools = []\nset = { to = \"clamp\" }",
            "names no tool; leave `tools` out for all of them",
        ),
        (
            "reason = \"args:type\"\nset = { to = \"clamp\" }",
            "sets the nearest number in bounds, which mends `args:range` only",
        ),
        (
            "reason = \"args:range\"\nset = { to = \"nearest\" }",
            "sets the nearest permitted value, which mends `args:allowed` only",
        ),
        (
            "reason = \"tool:not_found\"\nset = { to = { constant = 1 } }",
            "names no argument, and the reason is not about one",
        ),
        (
            "reason = \"args:range\"\ntools = [\"lookup\"]\nset = { argument = \"/limits\", to = \"clamp\" }",
            "names `/limits`, which `lookup` does not declare",
        ),
        (
            "reason = \"args:range\"\nset = { argument = \"/limits\", to = \"clamp\" }",
            "sets `/limits`, which no tool declares",
        ),
        (
            "reason = \"args:range\"\nset = { argument = \"limit\", to = \"clamp\" }",
            "names `limit`, which is no JSON Pointer such as `/region`",
        ),
        (
            "reason = \"args:range\"\ntools = [\"lookup\"]\nset = { argument = \"/limit\", to = { constant = \"x\" } }",
            "sets `/limit` of `lookup` to \"x\", where an integer is declared",
        ),
        (
            "reason = \"args:missing\"\ntools = [\"lookup\"]\nset = { argument = \"/limit\", to = \"default\" }",
            "sets `/limit` to its default, and the schema of `lookup` has none",
        ),
        ("reason = \"tool:failed\"\nswitch = { to = \"nowhere\" }", "names the tool `nowhere`, which is not loaded"),
        (
            "reason = \"tool:failed\"\ntools = [\"lookup\"]\nswitch = { to = \"lookup\" }",
            "switches from `lookup` to `lookup`",
        ),
        (
            "reason = \"tool:failed\"\ntools = [\"lookup\"]\nswitch = { to = \"refund\", arguments = {} }",
            "switches to `refund`, which writes: only from tools that it names and that write too, with `arguments`",
        ),
        (
            "reason = \"tool:failed\"\ntools = [\"lookup\"]\nswitch = { to = \"other\", arguments = { \"/city\" = { from = \"/limit\" } } }",
            "gives `/city` of `other` what is at `/limit` of `lookup`, which never fits",
        ),
        (
            "reason = \"tool:failed\"\ntools = [\"lookup\"]\nswitch = { to = \"other\", arguments = { \"/town\" = { constant = \"x\" } } }",
            "names `/town`, which `other` does not declare",
        ),
        (
            "reason = \"args:allowed:regoin\"\nset = { argument = \"/region\", to = \"nearest\" }",
            "is for `args:allowed:regoin`, which is no argument of its tools",
        ),
        (
            "reason = \"args:missing\"\nset = { argument = \"/limit\", to = \"default\" }",
            "sets `/limit` to its default, and no tool has one",
        ),
        (
            "reason = \"tool:trap\"\ntools = [\"refund\"]\nswitch = { to = \"lookup\" }",
            "changes what `refund` is asked to write, and does not name the arguments",
        ),
        (
            "reason = \"call:unknown_tool\"\nswitch = { to = \"lookup\" }",
            "is about tools that are not there, and needs `tools` to name them",
        ),
        (
            "reason = \"call:unknown_tool\"\ntools = [\"other\"]\nswitch = { to = \"lookup\" }",
            "is about tools that are not there, and `other` is",
        ),
    ] {
        let tools = || {
            [
                lookup("lookup"),
                mirror("other", "read", &json!({"city": {"type": "string"}})),
                mirror("refund", "write", &json!({"cents": {"type": "integer"}})),
            ]
        };
        assert_eq!(refused(tools(), &rule(rest)), format!("load:policy: the repair rule `r` {said}"), "{rest}");
    }
    let twice = rule("reason = \"tool:unavailable\"\nretry = {}").repeat(2);
    assert_eq!(refused([lookup("lookup")], &twice), "load:policy: the repair rule `r` stands twice");
    let nameless = rule("reason = \"tool:unavailable\"\nretry = {}").replace("\"r\"", "\"\"");
    assert_eq!(
        refused([lookup("lookup")], &nameless),
        "load:policy: the repair rule `#1` needs a name of one line, at most 64 characters"
    );
    let unlisted = format!("[repair]\nfixable = [\"args:*\"]\n{}", rule("reason = \"tool:unavailable\"\nretry = {}"));
    assert_eq!(
        refused([lookup("lookup")], &unlisted),
        "load:policy: the repair rule `r` is for a reason that `fixable` does not list"
    );
    let settings = RepairSettings { attempts: Some(11), ..RepairSettings::default() };
    let error = on_one_thread(Host::builder().tool(lookup("lookup")).repair(settings).build()).expect_err("is refused");
    assert_eq!(error.to_string(), "load:policy: `repair.attempts` is outside 1 to 10");
    let unfixable =
        format!("[repair]\nfixable = [\"result:empty\"]\n{}", rule("reason = \"tool:unavailable\"\nretry = {}"));
    assert_eq!(
        refused([lookup("lookup")], &unfixable),
        "load:policy: `repair.fixable` names a reason that is none: `result:empty` is never repaired"
    );
}

#[test]
fn what_a_repair_says_is_clean_and_bounded_and_said_once() {
    let rules = r#"
        [[repair.rules]]
        name = "too many"
        reason = "args:range"
        set = { to = "clamp" }
        [[repair.rules]]
        name = "note"
        tools = ["noted"]
        reason = "args:allowed:note"
        set = { argument = "/note", to = { constant = "NOTE" } }
        [[repair.rules]]
        name = "region"
        tools = ["noted"]
        reason = "args:allowed:region"
        set = { argument = "/region", to = { constant = "seoul" } }
    "#
    .replace("NOTE", &"x".repeat(120));
    let noted = mirror(
        "noted",
        "read",
        &json!({
            "note": {"type": "string", "pattern": "^x*$"}, "region": {"type": "string", "enum": ["busan", "seoul"]}
        }),
    );
    on_one_thread(async {
        let host = build(repairing([lookup("lookup"), noted], &rules).coercion(Coercion::Lossless)).await;
        let hostile = format!("x\u{1b}[2J\n{}", "y".repeat(100_000));
        let unknown = call(&host, &hostile, json!({})).await;
        assert_eq!((outcome(&unknown).as_str(), &unknown.answered_by), ("call:unknown_tool", &None));
        assert!(unknown.text().len() < 1024 && !unknown.text().contains('\u{1b}'), "{:?}", unknown.text());
        // One slip is recorded once, however often the call is read; and a name that was amended is not another tool.
        let amended = call(&host, "functions.lookup", json!({"region": "Seoul", "limit": 99})).await;
        assert_eq!(mirrored(&amended), json!({"region": "seoul", "limit": 5}));
        assert_eq!(amended.answered_by, None);
        let recorded: Vec<String> = amended.recorded.iter().map(ToString::to_string).collect();
        assert_eq!(recorded, ["coerced:tool_prefix", "coerced:enum_case:region"]);
        // No value crowds out what was changed after it.
        let long = call(&host, "noted", json!({"note": "\u{3b1}".repeat(200), "region": "atlantis"})).await;
        let note = long.note().expect("is repaired");
        assert!(
            note.contains("`note` was set to \"xxx")
                && note.contains("`region` was set to \"seoul\", it was \"atlantis\""),
            "{note}"
        );
    });
}

#[test]
fn the_rules_of_the_guide_load() {
    let guide = fs::read_to_string(support::repository().join("docs/guide/repair.md")).expect("reads");
    let blocks: Vec<&str> = guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 1);
    for block in blocks {
        let tools =
            [tool("stock_lookup.wasm", guests::STOCK_LOOKUP), tool("stock_lookup_v1.wasm", guests::STOCK_LOOKUP_V1)];
        assert_eq!(refused(tools, block), "loads");
    }
}

#[test]
fn a_session_knows_a_repaired_call_again() {
    let rules = r#"
        [[repair.rules]]
        name = "too many"
        tools = ["lookup", "refund"]
        reason = "args:range:limit"
        set = { argument = "/limit", to = "clamp" }
    "#;
    let turn = |tool: &str, arguments: Value| {
        let block = json!({"type": "tool_use", "id": "toolu_1", "name": tool, "input": arguments});
        Turn::read(json!({"role": "assistant", "content": [block]}).to_string().as_bytes(), None).expect("is a turn")
    };
    on_one_thread(async {
        let refund = mirror("refund", "write", &json!({"limit": {"type": "integer", "minimum": 1, "maximum": 5}}));
        let host = build(repairing([lookup("lookup"), refund], rules)).await;
        let mut session = Session::new(&host, SessionLimits::default());
        for (tool, remembered, replayed) in [("lookup", true, false), ("refund", false, true)] {
            let ask = |limit: i64| match tool {
                "lookup" => turn(tool, json!({"region": "jeju", "limit": limit})),
                _ => turn(tool, json!({"limit": limit})),
            };
            let before = host.stats().stores_created;
            let first = session.answer(ask(99)).await;
            assert!(
                first.replies.iter().all(|reply| reply.is_done() && reply.attempts.len() == 1),
                "{}",
                first.message
            );
            assert!(first.message.contains("was set to 5, it was 99"), "the model is told: {}", first.message);
            let again = session.answer(ask(5)).await;
            let machine: Vec<_> = again.replies.iter().map(Reply::machine).collect();
            assert!(
                machine.iter().all(|said| said.remembered == remembered && said.replayed == replayed),
                "{machine:?}"
            );
            assert_eq!(host.stats().stores_created, before + 1, "{tool}: the second one did not run");
            assert_eq!((first.stop, again.stop), (None, None));
        }
    });
}

#[test]
fn the_program_follows_the_rules_of_its_file() {
    let folder = tempfile::tempdir().expect("a directory");
    fs::write(folder.path().join("old.wasm"), guests::STOCK_LOOKUP_V1).expect("writes");
    fs::write(folder.path().join("new.wasm"), guests::STOCK_LOOKUP).expect("writes");
    let config = folder.path().join("toolgate.toml");
    let tools = "[[tools]]\npath = \"old.wasm\"\n[[tools]]\npath = \"new.wasm\"\n";
    let region = "[[repair.rules]]\nname = \"unknown region\"\ntools = [\"stock_lookup\"]\nreason = \"args:allowed:region\"\nset = { argument = \"/region\", to = { constant = \"seoul\" } }\n";
    fs::write(&config, format!("{tools}{OLD_LOOKUP}{region}")).expect("writes");
    let config = config.display().to_string();
    let log = folder.path().join("calls.jsonl").display().to_string();
    let v1 = program(
        &[
            "call",
            "--config",
            &config,
            "--log",
            &log,
            "--explain",
            "stock_lookup_v1",
            r#"{"sku":"KB-104","region":"busan","limit":2}"#,
        ],
        b"",
    );
    assert!(
        serde_json::from_str::<Value>(&v1.stdout).is_ok_and(|result| result.get("rows").is_some()),
        "{}",
        v1.screen()
    );
    assert!(v1.stderr.contains("note: repaired by a rule of the operator; `stock_lookup_v1` ended"), "{}", v1.screen());
    assert!(
        v1.stderr.contains(
            "stock_lookup_v1 ended with result:too_big:rows; by the rule `old lookup` `stock_lookup` was asked instead"
        ),
        "{}",
        v1.screen()
    );
    let unknown = program(
        &[
            "call",
            "--config",
            &config,
            "--log",
            &log,
            "--explain=json",
            "stock_lookup",
            r#"{"sku":"KB-104","region":"atlantis","limit":1}"#,
        ],
        b"",
    );
    assert!(
        unknown.stderr.contains(r#""change": "`region` was set to \"seoul\", it was \"atlantis\"""#),
        "{}",
        unknown.screen()
    );
    let lines = fs::read_to_string(&log).expect("reads");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("is JSON")).collect();
    assert_eq!(
        lines.iter().map(|line| line.get("repaired").cloned()).collect::<Vec<_>>(),
        [
            Some(
                json!([{"rule": "old lookup", "tool": "stock_lookup_v1", "reason": "result:too_big:rows", "change": "switch", "outcome": "done"}])
            ),
            Some(
                json!([{"rule": "unknown region", "tool": "stock_lookup", "reason": "args:allowed:region", "change": "set", "outcome": "done"}])
            ),
        ]
    );
    // What a model got wrong is not lost because it was made up for, and a verdict is of the tool that gave it.
    let slips: Vec<Option<&str>> = lines.iter().map(|line| line.pointer("/slip/is").and_then(Value::as_str)).collect();
    assert_eq!(slips, [None, Some("wrong_value")], "{lines:?}");
    let shown = program(&["report", "--json", &log], b"");
    let said: Value = serde_json::from_str(&shown.stdout).expect("is JSON");
    assert_eq!(said.pointer("/tools/0/tool").and_then(Value::as_str), Some("stock_lookup"), "{}", shown.screen());
    assert_eq!(said.pointer("/tools/0/done").and_then(Value::as_u64), Some(2), "{}", shown.screen());
    assert_eq!(
        said.pointer("/slips/rows/0/code").and_then(Value::as_str),
        Some("args:allowed:region"),
        "{}",
        shown.screen()
    );
    let shown = program(&["report", &log], b"");
    assert!(shown.stdout.contains("What was repaired\n rule            followed  done        %\n old lookup             1     1  100.0 %\n unknown region         1     1  100.0 %\n"), "{}", shown.screen());
}

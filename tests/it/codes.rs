//! Each code once, through the public door, with what the model, the operator and a program get of it.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::json;
use toolgate::{Arguments, Host, RawCall, Reply, Rule, RuleSettings, ToolSource, Verdict, with_contract};

use crate::support::{self, fuel, guests, limited, memory, on_two_threads, report, time, tool};

/// A tool with a combinator in its schema; nothing that is shipped has one.
fn alternatives() -> ToolSource {
    let contract = r#"{"name":"alternatives","version":"1","description":"Takes one of two.","effects":"read",
        "input":{"type":"object","additionalProperties":false,"properties":{"key":{"oneOf":[{"type":"integer"},{"type":"null"}]}}},
        "output":{"type":"object","additionalProperties":true}}"#;
    ToolSource::new("alternatives.wasm", with_contract(guests::OK_ECHO, contract).expect("packs"))
}

/// A host with everything that the rows call, and one whose guest runs into its deadline.
struct Hosts {
    main: Host,
    slow: Host,
    _desk: tempfile::TempDir,
}

/// Loaded once for all tests of this module: a host belongs to no runtime.
static HOSTS: LazyLock<Hosts> = LazyLock::new(|| on_two_threads(hosts()));

async fn hosts() -> Hosts {
    let desk = tempfile::tempdir().expect("a directory");
    let probes = [
        alternatives(),
        limited(guests::BUDGET_SPINS, fuel(100_000)),
        limited(guests::BUDGET_GROWS_MEMORY, memory(4 << 20)),
        tool("ok_echo.wasm", guests::OK_ECHO),
        tool("trap_recurses.wasm", guests::TRAP_RECURSES),
        tool("trap_panics.wasm", guests::TRAP_PANICS),
        tool("exit_quits.wasm", guests::EXIT_QUITS),
        tool("fails_by_kind.wasm", guests::FAILS_BY_KIND),
        tool("result_is_not_json.wasm", guests::RESULT_IS_NOT_JSON),
        tool("result_breaks_relation.wasm", guests::RESULT_BREAKS_RELATION),
        tool("stock_lookup_v1.wasm", guests::STOCK_LOOKUP_V1),
    ];
    let rules = [
        RuleSettings::new("has(caller.name)").tools(["lookup_policy"]),
        RuleSettings::new("args.text != 'secret'").tools(["echo"]),
    ];
    let tools = support::desk_tools(desk.path()).into_iter().chain(probes);
    let main = support::build(Host::builder().tools(tools).rules(rules)).await;
    let slow = support::host([limited(guests::BUDGET_SPINS, time(Duration::from_millis(50)))]).await;
    Hosts { main, slow, _desk: desk }
}

/// A call per rule. `host:overloaded` and `host:internal` need a full host and a fault: `concurrency`, `internal`;
/// `call:too_many` and `host:ran_before` need a session: `session`.
fn rows() -> Vec<(Rule, &'static str, Arguments)> {
    let text = |text: &str| Arguments::Text(text.to_owned());
    let stock = |sku: &str, region: &str, limit: &str| {
        Arguments::Text(format!(r#"{{"sku":"{sku}","region":"{region}","limit":{limit}}}"#))
    };
    let kind = |kind: &str| Arguments::Text(json!({ "kind": kind }).to_string());
    vec![
        (Rule::CallTooLarge, "echo", Arguments::Text(format!(r#"{{"text":"{}"}}"#, "x".repeat(2 << 20)))),
        (Rule::CallBadText, "echo", Arguments::NotUnicode),
        (Rule::CallUnparsable, "echo", text("{'text': 'hi'}")),
        (Rule::CallTruncated, "echo", text(r#"{"text":"hi"#)),
        (Rule::CallTooDeep, "echo", Arguments::Text("[".repeat(65))),
        (Rule::CallDuplicateKey, "echo", text(r#"{"text":"a","\u0074ext":"b"}"#)),
        (Rule::CallInexactNumber, "echo", text(r#"{"text":1e400}"#)),
        (Rule::CallNotObject, "echo", text("[1]")),
        (Rule::CallUnknownTool, "ecoh", text("{}")),
        (Rule::ArgsMissing, "stock_lookup", text(r#"{"sku":"KB-104","region":"busan"}"#)),
        (Rule::ArgsUnexpected, "echo", text(r#"{"text":"hi","txt":"hi"}"#)),
        (Rule::ArgsType, "stock_lookup", stock("KB-104", "busan", "\"2\"")),
        (Rule::ArgsRange, "stock_lookup", stock("KB-104", "busan", "3")),
        (Rule::ArgsAllowed, "stock_lookup", stock("KB-104", "Busan", "2")),
        (Rule::ArgsShape, "alternatives", text(r#"{"key":"neither"}"#)),
        (Rule::AuthTool, "lookup_policy", text(r#"{"topic":"returns"}"#)),
        (Rule::AuthArgs, "echo", text(r#"{"text":"secret"}"#)),
        (Rule::ToolFuel, "probe_spin", text("{}")),
        (Rule::ToolMemory, "probe_budget_grows_memory", text("{}")),
        (Rule::ToolStack, "probe_trap_recurses", text("{}")),
        (Rule::ToolTrap, "probe_panic", text("{}")),
        (Rule::ToolExit, "probe_exit_quits", text("{}")),
        (Rule::ToolNotFound, "probe_fails_by_kind", kind("not_found")),
        (Rule::ToolRefused, "probe_fails_by_kind", kind("refused")),
        (Rule::ToolUnavailable, "probe_fails_by_kind", kind("unavailable")),
        (Rule::ToolFailed, "probe_fails_by_kind", kind("failed")),
        (Rule::ResultShape, "probe_result_is_not_json", text("{}")),
        (Rule::ResultEmpty, "stock_lookup", stock("ZZ-000", "busan", "2")),
        (Rule::ResultTooBig, "stock_lookup_v1", stock("KB-104", "busan", "2")),
        (Rule::ResultRange, "delivery_estimate", text(r#"{"order_id":"5531"}"#)),
        (
            Rule::ResultRelation,
            "probe_result_breaks_relation",
            text(r#"{"how":"twenty_rows","sku":"KB-104","limit":2}"#),
        ),
    ]
}

fn check_copies(rule: Rule, reply: &Reply) {
    let code = reply.code().unwrap_or_else(|| panic!("{} is no answer: {}", rule.code(), report(reply)));
    assert_eq!(code.rule, rule, "{}", report(reply));
    assert_eq!(code.to_string().matches(':').count(), if code.at.is_root() { 1 } else { 2 });
    assert!(code.at.is_root() || rule.has_place(), "{code}");

    let text = reply.text();
    assert!(text.starts_with(&format!("{code}: ")), "{text}");
    assert!(text.len() < 1024, "{} bytes: {text}", text.len());
    let refused = matches!(reply.verdict, Verdict::Refused(_));
    assert_eq!(text.contains("the tool did not run"), refused, "{text}");
    for never in ["sorry", "apolog", "panicked", "src/", "/tmp", "wasm backtrace"] {
        assert!(!text.contains(never), "`{never}` in: {text}");
    }

    let line = reply.operator_line();
    assert!(line.contains(&format!("code={code}")) && line.contains("call=call_1"), "{line}");
    assert!(!line.contains("KB-104") && !line.contains('\n'), "no arguments, one line: {line}");

    let machine = serde_json::to_value(reply.machine()).expect("serializes");
    assert_eq!(machine["code"], code.to_string());
    assert_eq!(machine["verdict"], reply.verdict.name());
    assert_eq!(machine["fixable_by"], rule.fixable_by().name());
    assert_eq!(machine["effects"], "none", "no grant of these tools writes");
    assert_eq!(machine.get("path").is_some(), !code.at.is_root());
}

#[test]
fn every_code_is_given_and_says_the_same_to_model_operator_and_program() {
    let Hosts { main, slow, _desk } = &*HOSTS;
    let mut texts = String::new();
    on_two_threads(async {
        let elsewhere = [Rule::HostOverloaded, Rule::HostInternal, Rule::CallTooMany, Rule::HostRanBefore];
        let mut seen: BTreeSet<Rule> = elsewhere.into();
        for (rule, tool, arguments) in rows() {
            let call = RawCall { id: "call_1".into(), tool: tool.into(), arguments, cut: false, recorded: Vec::new() };
            let before = main.stats().stores_created;
            let reply = main.call(call).await;
            check_copies(rule, &reply);
            texts.push_str(&format!("{}\n\n", reply.text()));
            let stores = main.stats().stores_created - before;
            assert_eq!(stores, u64::from(!matches!(reply.verdict, Verdict::Refused(_))), "{}", report(&reply));
            seen.insert(rule);
        }
        let timeout = support::call(slow, "probe_spin", json!({})).await;
        check_copies(Rule::ToolTimeout, &timeout);
        seen.insert(Rule::ToolTimeout);
        let call = RawCall::new("probe_spin", "{}").with_id("call_1");
        check_copies(Rule::HostCancelled, &slow.call_until(call, std::future::ready(())).await);
        seen.insert(Rule::HostCancelled);
        assert_eq!(seen, Rule::ALL.iter().copied().collect(), "every rule has its row");
    });
    insta::assert_snapshot!(texts, @r#"
    call:too_large: the arguments of `echo` have 2.0 MiB, the most is 1 MiB; the tool did not run

    hint: make a smaller request

    call:bad_text: the arguments of `echo`: half a surrogate pair, where text is due; the tool did not run

    hint: send the text without broken characters

    call:unparsable: the arguments of `echo` are not JSON: a key stands in double quotes, not single ones, at byte 1; the tool did not run

    hint: send one JSON object and nothing else

    call:truncated: the arguments of `echo` were cut off before they ended; the tool did not run

    hint: make a smaller request: fewer items or shorter texts; sending the same again will be cut again

    call:too_deep: the arguments of `echo` are nested deeper than 64 levels; the tool did not run

    hint: send the values without the nesting

    call:duplicate_key:text: `text` of `echo` stands twice in one object; the tool did not run

    hint: send each key once

    call:inexact_number:text: `text` of `echo` is a number that cannot be held exactly; the tool did not run

    hint: send an integer of at most 64 bits, or a number with at most 15 digits

    call:not_object: the arguments of `echo` must be one JSON object, got a list; the tool did not run

    hint: send an object whose keys are the tool's parameters

    call:unknown_tool: there is no tool `ecoh`; the nearest are echo, csv_query, probe_spin; the tool did not run

    hint: did you mean `echo`?

    args:missing:limit: `limit` of `stock_lookup` is missing, got {"sku":"KB-104","region":"busan"}; the tool did not run

    hint: add `limit`: an integer from 1 to 2

    args:unexpected:txt: `txt` of `echo` is not declared, got "hi"; the tool did not run

    hint: did you mean `text`? the declared keys are text

    args:type:limit: `limit` of `stock_lookup` must be an integer, got "2"; the tool did not run

    args:range:limit: `limit` of `stock_lookup` must be at most 2, got 3; the tool did not run

    args:allowed:region: `region` of `stock_lookup` must be one of "busan", "jeju", "seoul", got "Busan"; the tool did not run

    hint: did you mean "busan"?

    args:shape:key: `key` of `alternatives` must fit one of the declared alternatives, got "neither"; the tool did not run

    auth:tool: `lookup_policy` is not permitted here; the tool did not run

    hint: do without it: no other arguments will make a difference

    auth:args:text: `echo` is not permitted here with this `text`, got "secret"; the tool did not run

    hint: the same value will be refused again: send the one that is meant here, or do without the call

    tool:fuel: `probe_spin` was stopped after 100000 units of work; nothing was changed

    hint: ask for less: fewer items, a shorter range

    tool:memory: `probe_budget_grows_memory` wanted more memory than its 4 MiB; nothing was changed

    hint: ask for less: fewer items, a shorter range

    tool:stack: `probe_trap_recurses` recursed past its stack; nothing was changed

    hint: the same call will end the same way; change the arguments or do without it

    tool:trap: `probe_panic` crashed; nothing was changed

    hint: the same call will end the same way; change the arguments or do without it

    tool:exit: `probe_exit_quits` ended without an answer; nothing was changed

    hint: the same call will end the same way; change the arguments or do without it

    tool:not_found: `probe_fails_by_kind` says: the probe did not find it; nothing was changed

    tool:refused: `probe_fails_by_kind` says: the probe refuses; nothing was changed

    tool:unavailable: `probe_fails_by_kind` says: the probe cannot reach it now; nothing was changed

    hint: the same call may work later

    tool:failed: `probe_fails_by_kind` says: the probe failed; nothing was changed

    result:shape: what `probe_result_is_not_json` returned is not JSON: no value starts like this at byte 0; nothing was changed

    hint: do not use its answer; do without it or use another tool

    result:empty:rows: `rows` in the result of `stock_lookup` came back with nothing; nothing was changed

    hint: asking the same again will not help: check the arguments, or go on without it

    result:too_big:rows: the result of `stock_lookup_v1` breaks its contract: `rows` must have at most 2 items, has 20; nothing was changed

    hint: ask for less; if it still returns too much, use another tool

    result:range:days: the result of `delivery_estimate` breaks its contract: `days` must be from 0 to 14, got 720; nothing was changed

    hint: do not use the number: it may be in another unit than declared

    result:relation:rows: the result of `probe_result_breaks_relation` breaks its contract: `rows` has 20 items, and `limit` asked for 2; nothing was changed

    hint: do not use its answer; do without it or use another tool
    "#);
}

#[test]
fn an_unknown_name_among_many_tools_gets_the_three_nearest() {
    let main = &HOSTS.main;
    on_two_threads(async {
        assert!(main.tools().count() > 10);
        let text = support::call(main, "stock_lokup", json!({})).await.text();
        assert!(text.contains("the nearest are stock_lookup, stock_lookup_v1"), "{text}");
        assert_eq!(text.matches(", ").count(), 2, "three names: {text}");
        let hostile = support::call(main, &"\u{1b}[2J\u{202e}x".repeat(50_000), json!({})).await;
        assert!(hostile.text().len() < 1024 && !hostile.text().contains('\u{1b}'), "{}", hostile.text());
    });
}

#[test]
fn hostile_keys_and_values_are_cut_and_cleaned_in_every_copy() {
    let main = &HOSTS.main;
    on_two_threads(async {
        let key = "\u{1b}]0;owned\u{7}\u{202e}\n".repeat(1000);
        for arguments in [
            json!({"text": "x", key.as_str(): "v"}),
            json!({ "text": vec![key.as_str(); 100] }),
            json!({ key.as_str(): key.as_str() }),
            json!({ "\u{202e}".repeat(200): 1, "text": "x" }),
        ] {
            let reply = support::call(main, "echo", arguments).await;
            let copies = [reply.text(), reply.operator_line(), serde_json::to_string(&reply.machine()).expect("JSON")];
            for copy in copies {
                assert!(copy.len() < 1024, "{} bytes", copy.len());
                assert!(copy.chars().all(|c| c == '\n' || !c.is_control()), "{copy:?}");
                assert!(!copy.contains('\u{202e}'), "{copy:?}");
            }
        }
    });
}

#[test]
fn a_deep_path_leaves_the_text_under_its_bound() {
    let step = "k".repeat(60);
    let mut schema = r#"{"type":"object","additionalProperties":false,"properties":{}}"#.to_owned();
    let mut arguments = json!({ "w".repeat(60): "v".repeat(500) });
    for _ in 0..8 {
        schema = format!(r#"{{"type":"object","additionalProperties":false,"properties":{{"{step}":{schema}}}}}"#);
        arguments = json!({ step.as_str(): arguments });
    }
    let contract = format!(
        r#"{{"name":"deep","version":"1","description":"d","effects":"read","input":{schema},"output":{{"type":"string"}}}}"#
    );
    let packed = with_contract(guests::OK_ECHO, &contract).expect("packs");
    let reply = on_two_threads(async {
        let host = support::host([ToolSource::new("deep.wasm", packed)]).await;
        support::call(&host, "deep", arguments).await
    });
    let text = reply.text();
    assert!(text.starts_with("args:unexpected:kkk") && text.len() < 1024, "{} bytes: {text}", text.len());
    assert!(
        text.contains("the tool did not run") && text.contains("\n\nhint: "),
        "nothing that matters is cut: {text}"
    );
}

#[test]
fn an_operators_line_cannot_be_forged_by_a_name() {
    let main = &HOSTS.main;
    let reply = on_two_threads(support::call(main, "x code=done effects=none", json!({})));
    let line = reply.operator_line();
    assert!(line.contains(r#"tool="x code=done effects=none""#), "{line}");
}

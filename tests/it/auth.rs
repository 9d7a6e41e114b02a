//! Authorisation: which tools there are for whom, and which values a call may have.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use toolgate::{
    CallRecord, CallerSettings, Config, Effects, FixableBy, Host, HostBuilder, Origin, RawCall, Reply, RuleSettings,
    Session, SessionError, SessionLimits, ToolSource, Turn, Verdict,
};

use crate::by_hand::{self, answers};
use crate::support::{self, Shown, build, on_one_thread, outcome, program, report};

/// A tool that takes these arguments and answers `{"ok":true}`.
fn named(name: &str, effects: &str, properties: Value) -> ToolSource {
    let contract = json!({
        "name": name, "version": "1.2.0", "description": "Answers.", "effects": effects,
        "input": {"type": "object", "additionalProperties": false, "properties": properties},
        "output": {"type": "object", "additionalProperties": false, "properties": {"ok": {"type": "boolean"}}},
    });
    let mut source = answers(&contract.to_string(), r#"{"ok":true}"#);
    source.file = format!("{name}.wasm");
    source
}

/// A desk of three tools.
fn desk() -> [ToolSource; 3] {
    let text = json!({"type": "string"});
    let whole = json!({"type": "integer"});
    let rows = json!({"type": "array", "items": {"type": "object", "additionalProperties": false, "properties": {"sku": text, "qty": whole}}});
    let labels = json!({"type": "object", "additionalProperties": {"type": "string"}});
    [
        named("file_ticket", "write", json!({"customer_id": text, "cents": whole, "labels": labels, "rows": rows})),
        named("read_ticket", "read", json!({"customer_id": text, "ticket_id": text})),
        named("stock_lookup", "read", json!({"sku": text, "limit": whole})),
    ]
}

fn builder() -> HostBuilder {
    Host::builder().tools(desk())
}

async fn ruled(rules: impl IntoIterator<Item = RuleSettings>) -> Host {
    build(builder().rules(rules)).await
}

/// The rule that most rows are about.
fn own_customer() -> RuleSettings {
    RuleSettings::new("args.customer_id == session.customer_id")
        .named("own customer")
        .tools(["file_ticket", "read_ticket"])
}

fn session_of(host: &Host, values: &[(&str, Value)]) -> Session {
    let mut session = Session::new(host, SessionLimits::default());
    for (name, value) in values {
        session.set(*name, value.clone());
    }
    session
}

async fn call_in(session: &mut Session, tool: &str, arguments: Value) -> Reply {
    session.call(RawCall::new(tool, arguments.to_string()).with_id("call_1")).await.0
}

#[test]
fn a_tool_that_a_caller_may_not_use_is_not_listed_not_suggested_and_unknown_to_it() {
    on_one_thread(async {
        let callers = [CallerSettings::new("shop").tools(["stock_lookup"]), CallerSettings::new("desk")];
        let host = build(builder().callers(callers)).await;
        let shop = host.for_caller("shop").expect("is configured");
        let names = |host: &Host| host.tools().map(|tool| tool.name().to_owned()).collect::<Vec<_>>();
        assert_eq!((names(&shop), shop.caller()), (vec!["stock_lookup".to_owned()], Some("shop")));
        assert!(shop.tool("file_ticket").is_none() && shop.tool("stock_lookup").is_some());
        let hidden = support::call(&shop, "file_ticket", json!({})).await;
        let nowhere = support::call(&shop, "file_tickex", json!({})).await;
        assert_eq!(outcome(&hidden), "call:unknown_tool", "{}", report(&hidden));
        assert_eq!(hidden.text().replace("file_ticket", "X"), nowhere.text().replace("file_tickex", "X"));
        assert_eq!(
            hidden.text(),
            "call:unknown_tool: there is no tool `file_ticket`; the tools are stock_lookup; the tool did not run"
        );
        let turn = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "read_ticket", "input": {}}]});
        let answer = shop.answer(Turn::read(turn.to_string().as_bytes(), None).expect("is a turn")).await;
        assert!(!answer.message.contains("file_ticket"), "{}", answer.message);
        assert_eq!(outcome(&support::call(&shop, "stock_lookup", json!({})).await), "done");
        for everyone in [&host, &host.for_caller("desk").expect("is configured")] {
            assert_eq!(names(everyone).len(), 3);
            assert_eq!(outcome(&support::call(everyone, "file_ticket", json!({})).await), "done");
        }
        assert_eq!(host.caller(), None, "the operator");
        let nobody = host.for_caller("desc").expect_err("is none").to_string();
        assert_eq!(nobody, "there is no caller `desc`; the callers are desk, shop");
    });
}

#[test]
fn many_hidden_tools_are_no_nearest_names() {
    on_one_thread(async {
        let tools = (0..12).map(|nth| named(&format!("tool_{nth:02}"), "read", json!({})));
        let visible: Vec<String> = (0..11).map(|nth| format!("tool_{nth:02}")).collect();
        let caller = CallerSettings { tools: Some(visible), ..CallerSettings::new("desk") };
        let host =
            build(Host::builder().tools(tools).callers([caller])).await.for_caller("desk").expect("is configured");
        let text = support::call(&host, "tool_1", json!({})).await.text();
        assert!(text.contains("the nearest are ") && !text.contains("tool_11"), "{text}");
        assert!(!support::call(&host, "tool_11", json!({})).await.text().contains("`tool_11`?"));
    });
}

#[test]
fn a_call_goes_on_where_every_rule_is_true_and_is_denied_everywhere_else() {
    on_one_thread(async {
        let small = RuleSettings::new("!has(args.cents) || args.cents <= caller.max_cents").tools(["file_ticket"]);
        let known = RuleSettings::new("tool.effects == 'read' || has(caller.name)");
        let caller = CallerSettings::new("desk").attribute("max_cents", 5_000);
        let host = build(builder().callers([caller]).rules([own_customer(), small, known])).await;
        let desk = host.for_caller("desk").expect("is configured");
        let own = json!({"customer_id": "C-17"});
        for (host, values, tool, arguments, ends) in [
            (&desk, "C-17", "file_ticket", own.clone(), "done"),
            (&desk, "C-17", "file_ticket", json!({"customer_id": "C-17", "cents": 5_000}), "done"),
            (&desk, "C-17", "file_ticket", json!({"customer_id": "C-17", "cents": 5_001}), "auth:args:cents"),
            (&desk, "C-17", "file_ticket", json!({"customer_id": "C-18", "cents": 5_001}), "auth:args:customer_id"),
            (&desk, "C-17", "file_ticket", json!({}), "auth:args:customer_id"),
            (&desk, "", "file_ticket", own.clone(), "auth:args:customer_id"),
            (&desk, "C-17", "stock_lookup", json!({}), "done"),
            (&host, "C-17", "read_ticket", own.clone(), "done"),
            (&host, "C-17", "file_ticket", own.clone(), "auth:tool"),
            (&desk, "C-17", "file_ticket", json!({"customer_id": 17}), "args:type:customer_id"),
        ] {
            let reply = call_in(&mut session_of(host, &[("customer_id", values.into())]), tool, arguments).await;
            assert_eq!(outcome(&reply), ends, "{}", report(&reply));
        }
        let outside = support::call(&desk, "file_ticket", own).await;
        assert_eq!(outcome(&outside), "auth:args:customer_id", "a call outside of a session has no values");
    });
}

#[test]
fn a_denial_names_the_argument_to_the_model_and_the_rule_to_the_operator() {
    on_one_thread(async {
        let host = ruled([own_customer(), RuleSettings::new("tool.name != 'stock_lookup'")]).await;
        let mut session = session_of(&host, &[("customer_id", "C-17-secret".into())]);
        let before = host.stats().stores_created;
        let denied = call_in(&mut session, "file_ticket", json!({"customer_id": "C-18\u{202e}"})).await;
        insta::assert_snapshot!(denied.text(), @r#"
        auth:args:customer_id: `file_ticket` is not permitted here with this `customer_id`, got "C-18\u{202e}"; the tool did not run

        hint: the same value will be refused again: send the one that is meant here, or do without the call
        "#);
        let without = call_in(&mut session, "file_ticket", json!({})).await;
        insta::assert_snapshot!(without.text(), @r#"
        auth:args:customer_id: `file_ticket` is not permitted here without `customer_id`; the tool did not run

        hint: send it with the value that is meant here, or do without the call
        "#);
        let tool = call_in(&mut session, "stock_lookup", json!({})).await;
        insta::assert_snapshot!(tool.text(), @r#"
        auth:tool: `stock_lookup` is not permitted here; the tool did not run

        hint: do without it: no other arguments will make a difference
        "#);
        assert_eq!(host.stats().stores_created, before, "nothing ran");
        for (reply, fixable) in
            [(&denied, FixableBy::Model), (&without, FixableBy::Model), (&tool, FixableBy::Operator)]
        {
            let Verdict::Refused(rejection) = &reply.verdict else { panic!("{}", report(reply)) };
            assert_eq!((rejection.rule().fixable_by(), reply.effects), (fixable, Effects::None));
            let machine = serde_json::to_string(&reply.machine()).expect("JSON");
            for told in [reply.text(), machine] {
                for secret in ["secret", "session", "own customer", "=="] {
                    assert!(!told.contains(secret), "`{secret}` in {told}");
                }
            }
        }
        assert!(
            denied.operator_line().contains("cause=\"rule `own customer` does not allow it\""),
            "{}",
            denied.operator_line()
        );
        let undecided = "cause=\"rule `own customer` cannot be decided: `args.customer_id` is not there\"";
        assert!(without.operator_line().contains(undecided), "{}", without.operator_line());
        assert!(tool.operator_line().contains("cause=\"rule `2` does not allow it\""), "{}", tool.operator_line());
        assert!(!denied.operator_line().contains("C-1"), "no value of either side: {}", denied.operator_line());
    });
}

#[test]
fn the_argument_that_a_denial_names_is_the_one_of_the_condition_that_is_not_true() {
    on_one_thread(async {
        let rule = "args.cents < 100 && args.customer_id == session.customer_id && (args.labels.team == 'a' || args.labels.area == 'b') \
                    && args.rows[0].sku == 'KB' && args.rows.all(row, row.qty < 3)";
        let host = ruled([RuleSettings::new(rule).tools(["file_ticket"])]).await;
        let good = json!({"cents": 1, "customer_id": "C", "labels": {"team": "a"}, "rows": [{"sku": "KB", "qty": 1}]});
        for (changed, ends) in [
            (json!({}), "done"),
            (json!({"cents": 100, "customer_id": "D"}), "auth:args:cents"),
            (json!({"customer_id": "D"}), "auth:args:customer_id"),
            (json!({"labels": {"team": "x"}}), "auth:args:labels.team"),
            (json!({"labels": {"area": "b"}}), "done"),
            (json!({"labels": {}}), "auth:args:labels.area"),
            (json!({"rows": [{"sku": "KC", "qty": 1}]}), "auth:args:rows.0.sku"),
            (json!({"rows": [{"sku": "KB", "qty": 1}, {"qty": 3}]}), "auth:args:rows"),
            (json!({"rows": [{"sku": "KB"}]}), "auth:args:rows"),
        ] {
            let mut arguments = good.clone();
            let (all, some) = (arguments.as_object_mut().expect("an object"), changed.as_object().expect("an object"));
            all.extend(some.clone());
            let reply = call_in(&mut session_of(&host, &[("customer_id", "C".into())]), "file_ticket", arguments).await;
            assert_eq!(outcome(&reply), ends, "{}", report(&reply));
        }
    });
}

#[test]
fn what_is_remembered_is_not_given_to_a_call_that_is_denied_now() {
    on_one_thread(async {
        let host = ruled([own_customer()]).await;
        let mut session = session_of(&host, &[("customer_id", "C-17".into())]);
        let own = || json!({"customer_id": "C-17"});
        assert_eq!(call_in(&mut session, "read_ticket", own()).await.origin, Origin::Run);
        assert_eq!(call_in(&mut session, "read_ticket", own()).await.origin, Origin::Memory);
        assert_eq!(call_in(&mut session, "file_ticket", own()).await.origin, Origin::Run);
        assert_eq!(call_in(&mut session, "file_ticket", own()).await.origin, Origin::EarlierWrite);
        session.set("customer_id", "C-18");
        for tool in ["read_ticket", "file_ticket"] {
            let reply = call_in(&mut session, tool, own()).await;
            assert_eq!(outcome(&reply), "auth:args:customer_id", "{}", report(&reply));
        }
        session.set("customer_id", "C-17");
        assert_eq!(call_in(&mut session, "file_ticket", own()).await.origin, Origin::EarlierWrite);
    });
}

#[test]
fn denials_count_as_refusals_and_stop_a_session() {
    on_one_thread(async {
        let host = ruled([own_customer()]).await;
        let mut session = session_of(&host, &[]);
        let mut stops = Vec::new();
        for nth in 0..3 {
            let call = RawCall::new("file_ticket", json!({"customer_id": format!("C-{nth}")}).to_string());
            stops.push(session.call(call).await.1.map(|stop| stop.to_string()));
        }
        let last = stops.pop().flatten().expect("stops");
        assert!(
            last.starts_with(
                "stop:refused: calls of `file_ticket` were refused in 3 turns in a row; the last: auth:args:"
            ),
            "{last}"
        );
        assert_eq!(stops, [None, None]);
    });
}

#[test]
fn rules_see_the_arguments_as_the_tool_would_get_them() {
    on_one_thread(async {
        let rule = RuleSettings::new("(!has(args.limit) || args.limit <= 2) && !has(args.sku)").tools(["stock_lookup"]);
        let built = builder().coercion(toolgate::Coercion::Lossless).declared_strictly(true).rules([rule]);
        let host = build(built).await;
        for (arguments, ends, recorded) in [
            (json!({"limit": "2"}), "done", 1),
            (json!({"limit": "3"}), "auth:args:limit", 1),
            (json!({"limit": 2, "sku": null}), "done", 1),
            (json!({"limit": 2, "sku": "KB"}), "auth:args:sku", 0),
        ] {
            for name in ["stock_lookup", "functions.stock_lookup"] {
                let reply = support::call(&host, name, arguments.clone()).await;
                assert_eq!(outcome(&reply), ends, "{}", report(&reply));
                assert_eq!(reply.recorded.len(), recorded + usize::from(name.contains('.')), "{}", report(&reply));
            }
        }
        let twice = host.call(RawCall::new("stock_lookup", r#"{"limit":1,"limit":9}"#)).await;
        assert_eq!(outcome(&twice), "call:duplicate_key:limit", "no second value passes by a rule");
    });
}

#[test]
fn a_session_belongs_to_one_caller() {
    on_one_thread(async {
        let callers = [CallerSettings::new("desk"), CallerSettings::new("shop")];
        let host = build(builder().callers(callers)).await;
        let (desk, shop) = (host.for_caller("desk").expect("is one"), host.for_caller("shop").expect("is one"));
        let mut session = session_of(&desk, &[]);
        call_in(&mut session, "file_ticket", json!({})).await;
        let document = session.document();
        let resume = |host: &Host| Session::resume(host, SessionLimits::default(), &document);
        let mut again = resume(&desk).expect("goes on");
        assert_eq!(call_in(&mut again, "file_ticket", json!({})).await.origin, Origin::EarlierWrite);
        let refused = |host: &Host| resume(host).expect_err("is another's").to_string();
        assert_eq!(refused(&shop), "it is the session of the caller `desk`, and the caller `shop` is answered here");
        assert_eq!(refused(&host), "it is the session of the caller `desk`, and no caller is answered here");
        let operators = session_of(&host, &[]).document();
        assert!(!operators.contains("caller"), "{operators}");
        let taken = Session::resume(&shop, SessionLimits::default(), &operators);
        assert!(matches!(taken, Err(SessionError::OtherCaller { of: None, here: Some(_) })), "{taken:?}");
    });
}

#[test]
fn a_caller_that_only_the_program_knows_has_its_view_too() {
    on_one_thread(async {
        let host = ruled([RuleSettings::new("args.cents <= caller.max_cents").tools(["file_ticket"])]).await;
        let settings = CallerSettings::new("user@example.org").tools(["file_ticket"]).attribute("max_cents", 10);
        let user = host.as_caller(&settings).expect("is in order");
        assert_eq!(user.tools().count(), 1);
        assert_eq!(outcome(&support::call(&user, "file_ticket", json!({"cents": 10})).await), "done");
        assert_eq!(outcome(&support::call(&user, "file_ticket", json!({"cents": 11})).await), "auth:args:cents");
        assert_eq!(outcome(&support::call(&host, "file_ticket", json!({"cents": 1})).await), "auth:args:cents");
        let bad = CallerSettings::new("a b").tools(["file_tickets"]).attribute("name", 1).attribute("x-y", 1);
        let bad = bad.attribute("deep", json!({"a": 1})).attribute("list", json!([1, [2]]));
        insta::assert_snapshot!(host.as_caller(&bad).expect_err("is refused"), @r#"
        load:policy: caller `a b`: a name is 1 to 64 letters, digits and `_`, `-`, `.`, `@`
        load:policy: caller `a b`: the attribute `deep` is no text, no number, not `true` or `false`, and no list of those
        load:policy: caller `a b`: the attribute `list` is no text, no number, not `true` or `false`, and no list of those
        load:policy: caller `a b`: the attribute `name` is its name already
        load:policy: caller `a b`: no rule can say `caller.x-y`: an attribute is letters, digits and `_`, no digit first
        load:policy: caller `a b`: no tool `file_tickets` is loaded
        hint: did you mean `file_ticket`?
        "#);
    });
}

#[test]
fn callers_and_rules_that_cannot_be_meant_are_load_errors_all_at_once() {
    let callers = [
        CallerSettings::new("desk").tools(["stock_lokup"]).attribute("team", "emea"),
        CallerSettings::new("shop"),
        CallerSettings::new("shop"),
    ];
    let on = |tool: &str, allow: &str| RuleSettings::new(allow).tools([tool]);
    let rules = [
        on("file_tickets", "true"),
        on("file_ticket", "args.custmer_id == 'x'"),
        on("read_ticket", "args.cents == 1"),
        RuleSettings::new("args.custmer_id == 'x'"),
        on("file_ticket", "args.rows[0].sko == 'x'"),
        on("file_ticket", "args.labels.anything == 'x' && args.rows[7].sku == 'x'"),
        on("file_ticket", "args.cents ="),
        on("file_ticket", "caller.teem == 'emea' && caller.name == 'desk'"),
        on("file_ticket", "tool.effect == 'read'"),
        RuleSettings { tools: Some(Vec::new()), ..RuleSettings::new("true").named("nobody") },
        RuleSettings::new("args.cents < 10"),
    ];
    let error = on_one_thread(builder().callers(callers).rules(rules).build()).expect_err("is refused");
    insta::assert_snapshot!(error, @r#"
    load:policy: caller `desk`: no tool `stock_lokup` is loaded
    hint: did you mean `stock_lookup`?
    load:policy: caller `shop`: two callers have this name
    load:policy: rule `1`: no tool `file_tickets` is loaded
    hint: did you mean `file_ticket`?
    load:policy: rule `2`: it names `args.custmer_id`, which `file_ticket` does not take
    hint: did you mean `customer_id`?
    load:policy: rule `3`: it names `args.cents`, which `read_ticket` does not take
    load:policy: rule `4`: it names `args.custmer_id`, which no tool that it concerns takes
    hint: did you mean `customer_id`?
    load:policy: rule `5`: it names `args.rows.0.sko`, which `file_ticket` does not take
    load:policy: rule `7`: `allow` is no CEL: 1:12: Syntax error: token recognition error at: '='
    load:policy: rule `8`: no caller has the attribute `teem`
    hint: did you mean `team`?
    load:policy: rule `9`: there is no `tool.effect`
    hint: did you mean `effects`?
    load:policy: rule `nobody`: `tools` is empty, so it concerns no call
    hint: name tools, or leave `tools` out for all of them
    "#);
}

#[test]
fn what_the_documents_show_loads_with_the_desk() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut desk = Host::builder().tools(support::desk_tools(directory.path()));
    for book in ["README.md", "docs/guide/authorisation.md"] {
        let text = fs::read_to_string(support::repository().join(book)).expect("reads");
        let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let text: String =
            blocks.filter(|block| block.contains("[[rules]]") || block.contains("[[callers]]")).collect();
        let Config { callers, rules, .. } = Config::parse(&text).unwrap_or_else(|error| panic!("{book}: {error}"));
        assert!(!rules.is_empty(), "{book}");
        desk = desk.callers(callers).rules(rules);
    }
    let host = on_one_thread(build(desk));
    assert_eq!(host.for_caller("shop").map(|shop| shop.tools().count()), Ok(2));
}

#[test]
fn a_rule_takes_no_time_that_a_model_can_choose() {
    on_one_thread(async {
        let rule = "args.rows.all(row, row.sku in session.skus)";
        let host = ruled([RuleSettings::new(rule).tools(["file_ticket"])]).await;
        let skus: Vec<String> = (0..1_000).map(|nth| format!("KB-{nth}")).collect();
        let mut session = session_of(&host, &[("skus", json!(skus))]);
        let rows = |n: usize| json!({ "rows": vec![json!({"sku": "KB-999"}); n] });
        assert_eq!(outcome(&call_in(&mut session, "file_ticket", rows(100)).await), "done");
        let many = call_in(&mut session, "file_ticket", rows(20_000)).await;
        assert_eq!(outcome(&many), "auth:args:rows", "{}", report(&many));
        assert!(many.operator_line().contains("there are too many values to go through"), "{}", many.operator_line());
        assert!(many.text().len() < 1024, "{}", many.text());
    });
}

/// A directory with a tool, a configuration, and what the program says in it.
fn shown(directory: &Path, arguments: &[&str], stdin: &[u8]) -> Shown {
    for source in desk() {
        fs::write(directory.join(&source.file), &source.bytes).expect("writes");
    }
    let config = directory.join("toolgate.toml");
    let text = "[[tools]]\npath = \".\"\n\
        [[callers]]\nname = \"shop\"\ntools = [\"stock_lookup\"]\n\
        [[callers]]\nname = \"desk\"\nattributes = { team = \"emea\" }\n\
        [[rules]]\nname = \"own customer\"\ntools = [\"file_ticket\"]\nallow = 'args.customer_id == session.customer_id'\n";
    fs::write(&config, text).expect("writes");
    let config = config.display().to_string();
    program(&arguments.iter().copied().chain(["--config", &config]).collect::<Vec<_>>(), stdin)
}

#[test]
fn the_program_calls_on_behalf_of_a_caller_with_the_values_that_are_set() {
    let directory = tempfile::tempdir().expect("a directory");
    let shown = |arguments: &[&str]| shown(directory.path(), arguments, b"");
    let own = r#"{"customer_id":"17"}"#;
    let listed = shown(&["tools", "--caller", "shop"]);
    assert!(listed.stdout.contains("stock_lookup") && !listed.stdout.contains("ticket"), "{}", listed.screen());
    let declared = shown(&["tools", "--for", "anthropic", "--caller", "shop"]);
    assert_eq!(declared.stdout.matches("input_schema").count(), 1, "{}", declared.screen());
    for (arguments, code, said) in [
        (vec!["call", "file_ticket", own], 1, "auth:args:customer_id: "),
        (
            vec!["call", "file_ticket", own],
            1,
            "cause=\"rule `own customer` cannot be decided: `session.customer_id` is not there\"",
        ),
        (vec!["call", "file_ticket", own, "--caller", "desk", "--set", "customer_id=\"17\""], 0, ""),
        (vec!["call", "file_ticket", own, "--set", "customer_id=17"], 1, "auth:args:customer_id: "),
        (vec!["call", "file_ticket", r#"{"customer_id":"C-17"}"#, "--set", "customer_id=C-17"], 0, ""),
        (
            vec!["call", "file_ticket", own, "--caller", "shop"],
            1,
            "call:unknown_tool: there is no tool `file_ticket`; the tools are stock_lookup;",
        ),
        (
            vec!["call", "file_ticket", own, "--caller", "sho"],
            2,
            "error: there is no caller `sho`; the callers are desk, shop",
        ),
        (vec!["tools", "--caller", "sho"], 2, "error: there is no caller `sho`; the callers are desk, shop"),
        (vec!["call", "file_ticket", own, "--set", "customer_id"], 2, "it has no `=` between name and value"),
        (vec!["call", "file_ticket", own, "--set", "=1"], 2, "it has no name before the `=`"),
    ] {
        let shown = shown(&arguments);
        assert_eq!(shown.code, ExitCode::from(code), "{arguments:?}: {}", shown.screen());
        assert!(shown.stderr.contains(said), "{arguments:?}: {}", shown.screen());
    }
    let one = directory.path().join("stock_lookup.wasm").display().to_string();
    let none = program(&["tools", "--tools", &one, "--caller", "x"], b"");
    assert_eq!(none.stderr, "error: there is no caller `x`; none is named under `[[callers]]`\n");
}

#[test]
fn the_log_says_on_whose_behalf_a_call_was_made() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("calls.jsonl").display().to_string();
    let call = ["call", "file_ticket", r#"{"customer_id":"C-17"}"#, "--set", "customer_id=C-17", "--log", &log];
    for caller in [&["--caller", "desk"][..], &["--caller", "shop"], &[]] {
        shown(directory.path(), &[&call, caller].concat(), b"");
    }
    let lines = fs::read_to_string(&log).expect("is there");
    let records = lines.lines().map(|line| CallRecord::parse(line).expect("is a record"));
    let said: Vec<_> = records.map(|record| (record.caller, record.code)).collect();
    let by = |caller: &str| Some(caller.to_owned());
    assert_eq!(said, [(by("desk"), None), (by("shop"), by("call:unknown_tool")), (None, None)]);
}

#[test]
fn a_session_file_keeps_its_values_and_its_caller() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("session.json").display().to_string();
    let block = json!({"type": "tool_use", "id": "t1", "name": "file_ticket", "input": {"customer_id": "C-17"}});
    let body = json!({"role": "assistant", "content": [block]}).to_string();
    let answered = |more: &[&str]| {
        let arguments = ["answer", "--session", &file];
        shown(directory.path(), &arguments.iter().chain(more).copied().collect::<Vec<_>>(), body.as_bytes())
    };
    let before = answered(&["--caller", "desk"]);
    assert!(before.stdout.contains("auth:args:customer_id"), "{}", before.screen());
    let set = answered(&["--caller", "desk", "--set", "customer_id=C-17"]);
    assert!(set.stdout.contains("ok") && set.code == ExitCode::SUCCESS, "{}", set.screen());
    let kept = answered(&["--caller", "desk"]);
    assert!(kept.stdout.contains("ok"), "the value is kept: {}", kept.screen());
    let bytes = fs::read(&file).expect("is there");
    for other in [&[][..], &["--caller", "shop"]] {
        let refused = answered(other);
        assert_eq!((refused.code, refused.stdout.as_str()), (ExitCode::from(2), ""), "{}", refused.screen());
        assert!(refused.stderr.contains("it is the session of the caller `desk`, and "), "{}", refused.stderr);
        assert_eq!(fs::read(&file).expect("is there"), bytes, "left as it was");
    }
    let alone = shown(directory.path(), &["answer", "--set", "customer_id=C-17"], body.as_bytes());
    assert!(alone.stdout.contains("ok"), "without a session file too: {}", alone.screen());
}

#[test]
fn a_rule_that_can_never_be_met_ends_the_program_before_a_tool_runs() {
    let directory = tempfile::tempdir().expect("a directory");
    let good = by_hand::good();
    fs::write(directory.path().join("good.wasm"), &good.bytes).expect("writes");
    let config = directory.path().join("toolgate.toml");
    let text = "[[tools]]\npath = \"good.wasm\"\n[[rules]]\nallow = 'args.customer == session.customer'\n";
    fs::write(&config, text).expect("writes");
    let shown = program(&["call", by_hand::GOOD, "--config", &config.display().to_string()], b"");
    assert_eq!(
        shown.screen(),
        "exit 2\n--- stdout\n--- stderr\nerror: load:policy: rule `1`: it names `args.customer`, which `by_hand_good` does not take\n"
    );
}

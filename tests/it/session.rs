//! One conversation: what stops it, what is not run twice, what is remembered, and the file it is kept in.

use std::fs::{self, File};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolgate::{
    Access, Answer, Clock, DirectoryGrant, Effects, Host, Origin, Session, SessionLimits, SessionSettings, StopReason,
    ToolSource, Turn, with_contract,
};

use crate::by_hand::ByHand;
use crate::support::{
    self, Shown, desk_host, example, guests, host, on_one_thread, on_two_threads, outcome, program, report, tool,
};

/// A turn of these calls.
fn turn(calls: &[(&str, Value)]) -> Turn {
    let block = |(nth, (name, input)): (usize, &(&str, Value))| json!({"type": "tool_use", "id": format!("toolu_{nth}"), "name": name, "input": input});
    let content: Vec<Value> = calls.iter().enumerate().map(block).collect();
    Turn::read(json!({ "role": "assistant", "content": content }).to_string().as_bytes(), None).expect("is a turn")
}

fn outcomes(answer: &Answer) -> Vec<String> {
    answer.replies.iter().map(outcome).collect()
}

/// Why the answer says to stop: reason, tool, count.
fn stop(answer: &Answer) -> Option<(StopReason, Option<&str>, u32)> {
    answer.stop.as_ref().map(|stop| (stop.reason, stop.tool.as_deref(), stop.count))
}

fn echo() -> ToolSource {
    tool("ok_echo.wasm", guests::OK_ECHO)
}

/// `echo` under a contract that says that it writes.
fn write(name: &str, more: &str) -> ToolSource {
    let text =
        r#"{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string"}}}"#;
    let contract = format!(
        r#"{{"name":"{name}","version":"1","description":"Notes it.","effects":"write"{more},"input":{text},"output":{text}}}"#
    );
    ToolSource::new(format!("{name}.wasm"), with_contract(guests::OK_ECHO, &contract).expect("packs"))
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

/// A call of `echo` that is refused.
fn bad() -> (&'static str, Value) {
    ("echo", json!({ "text": 1 }))
}

fn session(host: &Host) -> Session {
    Session::new(host, SessionLimits::default())
}

/// Answers turn after turn in a fresh session; gives back why each says to stop.
async fn stops(host: &Host, turns: &[&[(&str, Value)]]) -> Vec<Option<(StopReason, Option<String>, u32)>> {
    let mut session = session(host);
    let mut stops = Vec::new();
    for calls in turns {
        let answer = session.answer(turn(calls)).await;
        assert_eq!(answer.replies.len(), calls.len(), "every call is answered, whatever is stopped");
        assert_eq!(answer.message.matches("tool_use_id").count(), calls.len());
        stops.push(stop(&answer).map(|(reason, tool, count)| (reason, tool.map(str::to_owned), count)));
    }
    stops
}

fn refused(count: u32) -> Option<(StopReason, Option<String>, u32)> {
    Some((StopReason::Refused, Some("echo".to_owned()), count))
}

#[test]
fn a_tool_refused_turn_after_turn_stops_the_session_and_says_why() {
    on_one_thread(async {
        let host = host([echo()]).await;
        let one: &[(&str, Value)] = &[bad()];
        assert_eq!(stops(&host, &[one, one, one, one]).await, [None, None, refused(3), refused(4)]);
        let many: &[(&str, Value)] = &[bad(), bad(), bad(), bad()];
        assert_eq!(stops(&host, &[many, many, many]).await, [None, None, refused(3)], "a turn counts once");
        let mut session = session(&host);
        let mut answer = session.answer(turn(one)).await;
        for _ in 0..2 {
            answer = session.answer(turn(one)).await;
        }
        let said = answer.stop.expect("stops").to_string();
        let wanted = "stop:refused: calls of `echo` were refused in 3 turns in a row; the last: args:type:text: ";
        assert!(said.starts_with(wanted), "{said}");
        assert!(!said.contains('\n'), "{said}");
    });
}

#[test]
fn an_accepted_call_forgives_its_tool_and_no_other() {
    on_one_thread(async {
        let host = host([echo(), support::limited(guests::BUDGET_SPINS, support::fuel(100_000))]).await;
        let good = |nth: &str| ("echo", text(nth));
        let spins = || ("probe_spin", json!({}));
        let (one, both) = ([bad()], [bad(), good("1")]);
        assert_eq!(stops(&host, &[&one, &one, &[good("2")], &one, &one]).await, [const { None }; 5]);
        assert_eq!(stops(&host, &[&one, &one, &both, &one, &one]).await, [const { None }; 5], "in one turn too");
        let failing = [bad(), spins()];
        assert_eq!(stops(&host, &[&one, &one, &failing]).await[2], refused(3), "another tool's call forgives nothing");
        let other = [("probe_spin", json!({"x": 1}))];
        assert_eq!(stops(&host, &[&one, &other, &one, &other]).await, [const { None }; 4], "each tool for itself");
        assert_eq!(stops(&host, &[&one, &other, &one, &other, &one]).await[4], refused(3));
    });
}

#[test]
fn names_that_no_tool_has_share_one_count_that_any_accepted_call_ends() {
    on_one_thread(async {
        let host = host([echo()]).await;
        let unknown = |name: &'static str| [(name, json!({}))];
        let (a, b, c) = (unknown("a"), unknown("b"), unknown("c"));
        let stopped = Some((StopReason::UnknownNames, None, 3));
        assert_eq!(stops(&host, &[&a, &b, &c]).await, [None, None, stopped.clone()]);
        assert_eq!(stops(&host, &[&a, &[bad()], &b, &c]).await[3], stopped, "a refused call forgives nothing");
        let beside = [("c", json!({})), ("echo", text("x"))];
        assert_eq!(stops(&host, &[&a, &b, &beside, &a, &b]).await, [const { None }; 5]);
    });
}

#[test]
fn the_shipped_support_turn_stops_no_session() {
    on_two_threads(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), []).await;
        let turn = || Turn::read(&example("support.anthropic.json"), None).expect("is a turn");
        let (mut session, bare) = (session(&host), host.answer(turn()).await);
        assert_eq!(bare.stop, None, "a host alone has no reason to stop");
        let answer = session.answer(turn()).await;
        assert_eq!(outcomes(&answer), outcomes(&bare));
        assert_eq!(outcomes(&answer).iter().filter(|code| code.starts_with("args:")).count(), 5);
        assert_eq!(answer.stop, None, "{:?}", answer.stop);
    });
}

#[test]
fn the_same_call_in_three_turns_stops_the_session_however_it_ends() {
    on_one_thread(async {
        let desk = tempfile::tempdir().expect("a directory");
        let probes = [echo(), support::limited(guests::BUDGET_SPINS, support::fuel(100_000))];
        let host = desk_host(desk.path(), probes).await;
        let rows: [(&str, Value, &str); 3] = [
            ("echo", text("x"), "done"),
            ("probe_spin", json!({}), "tool:fuel"),
            ("stock_lookup", json!({"sku": "ZZ-000", "region": "busan", "limit": 2}), "result:empty:rows"),
        ];
        for (name, input, code) in rows {
            let mut session = session(&host);
            for nth in 1..=3 {
                let answer = session.answer(turn(&[(name, input.clone()), (name, input.clone())])).await;
                assert_eq!(outcomes(&answer), [code, code]);
                let expected = (nth == 3).then_some((StopReason::Repeated, Some(name), 3));
                assert_eq!(stop(&answer), expected, "{name}, turn {nth}: two in one turn count once");
            }
        }
        let reordered =
            [r#"{"sku":"KB-104","region":"busan","limit":2}"#, r#"{"limit":2,"region":"busan","sku":"KB-104"}"#];
        let reordered = reordered.map(|input| [("stock_lookup", serde_json::from_str::<Value>(input).expect("JSON"))]);
        let [one, other] = &reordered;
        let stopped = Some((StopReason::Repeated, Some("stock_lookup".to_owned()), 3));
        assert_eq!(stops(&host, &[one, other, one]).await, [None, None, stopped]);
    });
}

#[test]
fn other_calls_later_calls_and_calls_after_a_write_are_no_repetition() {
    on_one_thread(async {
        let host = host([echo(), write("note", "")]).await;
        let say = |said: &str| [("echo", text(said))];
        let (a, b) = (say("a"), say("b"));
        assert_eq!(stops(&host, &[&a, &b, &a, &b]).await, [const { None }; 4]);
        assert!(stops(&host, &[&a, &b, &a, &b, &a]).await[4].is_some(), "a circle of two is a circle");
        let note = |said: &str| [("note", text(said))];
        let (first, second) = (note("1"), note("2"));
        assert_eq!(stops(&host, &[&a, &a, &first, &a, &a, &second, &a]).await, [const { None }; 7]);
        let fillers: Vec<_> = (0..toolgate::REPEAT_WINDOW).map(|nth| say(&format!("filler {nth}"))).collect();
        let mut turns: Vec<&[(&str, Value)]> = vec![&a, &a];
        turns.extend(fillers.iter().map(<[_; 1]>::as_slice));
        turns.push(&a);
        assert!(stops(&host, &turns).await.iter().all(Option::is_none), "after so many turns it is a new question");
    });
}

#[test]
fn an_identical_write_runs_once_and_is_answered_as_the_first() {
    on_two_threads(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), []).await;
        let ticket =
            |subject: &str| ("create_ticket", json!({"customer_id": "cus_1", "subject": subject, "priority": "low"}));
        let mut session = session(&host);
        let answer = session.answer(turn(&[ticket("Broken"), ticket("Broken"), ticket("Late")])).await;
        assert_eq!(outcomes(&answer), ["done", "done", "done"]);
        let again = session.answer(turn(&[ticket("Broken")])).await;
        let [first, second, other] = answer.replies.as_slice() else { panic!("three replies") };
        let [third] = again.replies.as_slice() else { panic!("one reply") };
        assert_eq!((first.text(), first.text()), (second.text(), third.text()), "byte for byte");
        assert_eq!((first.origin, other.origin), (Origin::Run, Origin::Run));
        for repeated in [second, third] {
            assert_eq!((repeated.origin, repeated.effects), (Origin::EarlierWrite, Effects::Done));
            assert!(repeated.machine().replayed && !first.machine().replayed);
            assert!(repeated.operator_line().contains("origin=earlier_write"), "{}", report(repeated));
            assert_eq!(repeated.usage.fuel, 0);
        }
        let tickets = fs::read_to_string(desk.path().join("tickets.jsonl")).expect("were written");
        assert_eq!(tickets.lines().count(), 2);
        let elsewhere = Session::new(&host, SessionLimits::default()).answer(turn(&[ticket("Broken")])).await;
        assert_eq!(elsewhere.replies[0].origin, Origin::Run, "another conversation is another matter");
    });
}

#[test]
fn a_write_that_says_repeatable_runs_each_time() {
    on_one_thread(async {
        let host = host([write("note", ""), write("press", r#","repeatable":true"#)]).await;
        let mut session = session(&host);
        let calls = [("note", text("a")), ("note", text("a")), ("press", text("a")), ("press", text("a"))];
        let answer = session.answer(turn(&calls)).await;
        let origins: Vec<Origin> = answer.replies.iter().map(|reply| reply.origin).collect();
        assert_eq!(origins, [Origin::Run, Origin::EarlierWrite, Origin::Run, Origin::Run]);
        assert_eq!(host.stats().stores_created, 3);
    });
}

#[test]
fn a_write_that_may_have_happened_is_not_run_again_and_says_how_it_ended() {
    let desk = tempfile::tempdir().expect("a directory");
    let grant = || DirectoryGrant { guest: "/desk".into(), host: desk.path().to_owned(), access: Access::ReadWrite };
    let crashes = r#"(func (export "call") (param i32 i32) (result i32) (unreachable))"#;
    let says_no = r#"(func (export "call") (param i32 i32) (result i32)
        (i32.store (i32.const 16) (i32.const 1)) (i32.store (i32.const 20) (i32.const 2))
        (i32.store (i32.const 24) (i32.const 32)) (i32.store (i32.const 28) (i32.const 0)) (i32.const 16))"#;
    let lies = crate::by_hand::says("7", 1);
    for (module, first, second, effects) in [
        (crashes, "tool:trap", "host:ran_before", Effects::Unknown),
        (lies.as_str(), "result:shape", "host:ran_before", Effects::Done),
        (says_no, "tool:unavailable", "tool:unavailable", Effects::Done),
    ] {
        on_one_thread(async {
            let writes = ByHand { module, ..ByHand::default() }.tool_that_writes().grant(grant());
            let host = host([writes]).await;
            let mut session = session(&host);
            let call = || turn(&[("by_hand", json!({}))]);
            let answers = [session.answer(call()).await, session.answer(call()).await];
            assert_eq!(answers.each_ref().map(|answer| outcome(&answer.replies[0])), [first, second]);
            let reply = &answers[1].replies[0];
            assert_eq!(reply.effects, effects, "{}", report(reply));
            if second == "host:ran_before" {
                assert!(
                    reply.text().contains(&format!("ended with `{first}`, and is not run again")),
                    "{}",
                    report(reply)
                );
                assert!(reply.text().len() < 1024 && !reply.text().contains("did not run"), "{}", report(reply));
                assert_eq!(reply.machine().fixable_by, Some("nobody"));
                assert!(reply.operator_line().contains("code=host:ran_before"), "{}", report(reply));
                assert_eq!(host.stats().stores_created, 1);
                let kept = session.document();
                let mut later = Session::resume(&host, SessionLimits::default(), &kept).expect("goes on");
                assert_eq!(outcomes(&later.answer(call()).await), ["host:ran_before"]);
            }
        });
    }
}

#[test]
fn calls_beyond_a_cap_are_answered_and_not_run() {
    on_one_thread(async {
        let host = host([echo()]).await;
        let settings =
            SessionSettings { calls_per_turn: Some(2), calls_per_session: Some(3), ..SessionSettings::default() };
        let mut session = Session::new(&host, settings.limits());
        let calls = |turn: &str| [0, 1, 2].map(|nth| ("echo", text(&format!("{turn}{nth}"))));
        let first = session.answer(turn(&calls("a"))).await;
        assert_eq!(outcomes(&first), ["done", "done", "call:too_many"]);
        assert!(
            first.replies[2].text().contains("after the 2 calls that one turn may have"),
            "{}",
            report(&first.replies[2])
        );
        assert_eq!(stop(&first), None, "a smaller turn is still possible");
        let second = session.answer(turn(&calls("b"))).await;
        assert_eq!(outcomes(&second), ["done", "call:too_many", "call:too_many"]);
        assert!(second.replies[1].text().contains("after the 3 calls that this conversation may have"));
        assert_eq!(stop(&second), Some((StopReason::CallsSpent, None, 3)));
        assert_eq!(second.replies[1].machine().fixable_by, Some("model"));
        assert!(second.replies[1].operator_line().contains("code=call:too_many"));
        assert_eq!(host.stats().stores_created, 3);
        let third = session.answer(turn(&calls("c"))).await;
        assert_eq!(stop(&third), Some((StopReason::CallsSpent, None, 3)), "and nothing else any more");
    });
}

#[test]
fn a_remembered_read_costs_no_store_and_says_so() {
    on_two_threads(async {
        let host = host([echo(), support::limited(guests::BUDGET_SPINS, support::fuel(100_000))]).await;
        let mut session = session(&host);
        let at_once = session.answer(turn(&[("echo", text("a")), ("echo", text("a"))])).await;
        assert_eq!(host.stats().stores_created, 1, "two equal calls at once run once");
        let again = session.answer(turn(&[("echo", text("a")), ("echo", text("b"))])).await;
        assert_eq!(host.stats().stores_created, 2);
        let [remembered, fresh] = again.replies.as_slice() else { panic!("two replies") };
        assert_eq!((remembered.origin, fresh.origin), (Origin::Memory, Origin::Run));
        assert_eq!(remembered.text(), at_once.replies[0].text());
        assert!(remembered.machine().remembered && !fresh.machine().remembered);
        assert!(remembered.operator_line().contains("origin=memory"), "{}", report(remembered));
        let other = Session::new(&host, SessionLimits::default()).answer(turn(&[("echo", text("a"))])).await;
        assert_eq!(other.replies[0].origin, Origin::Run, "one conversation never answers another");
        for _ in 0..2 {
            assert_eq!(outcomes(&session.answer(turn(&[("probe_spin", json!({}))])).await), ["tool:fuel"]);
        }
        assert_eq!(host.stats().stores_created, 5, "a failure is not remembered");
    });
}

/// A clock that is set by hand.
#[derive(Debug, Default)]
struct Seconds(AtomicU64);

impl Clock for Seconds {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }
}

/// A host whose `csv_query` reads this directory, and a tool that writes.
async fn tables(data: &Path, remember: bool, clock: &Arc<Seconds>) -> Host {
    fs::write(data.join("stock.csv"), "sku\nKB-104\n").expect("writes");
    let grant = DirectoryGrant { guest: "/data".into(), host: data.to_owned(), access: Access::Read };
    let reads = ToolSource { remember, ..tool("csv_query.wasm", guests::CSV_QUERY).grant(grant) };
    let builder = Host::builder().tools([reads, write("note", "")]);
    support::build(builder.clock(Arc::clone(clock) as Arc<dyn Clock>)).await
}

#[test]
fn what_reaches_outside_is_remembered_only_where_the_operator_says_so_until_a_write_or_its_age() {
    on_one_thread(async {
        let data = tempfile::tempdir().expect("a directory");
        let ask = || turn(&[("csv_query", json!({"file": "stock.csv"}))]);
        for remember in [false, true] {
            let clock = Arc::new(Seconds::default());
            let host = tables(data.path(), remember, &clock).await;
            let origin = if remember { Origin::Memory } else { Origin::Run };
            let mut session = session(&host);
            let first = session.answer(ask()).await;
            assert_eq!(first.replies[0].origin, Origin::Run);
            fs::write(data.path().join("stock.csv"), "sku\nMS-017\n").expect("writes");
            let second = session.answer(ask()).await;
            assert_eq!(second.replies[0].origin, origin);
            assert_eq!(second.replies[0].text() == first.replies[0].text(), remember, "{}", report(&second.replies[0]));
            session.answer(turn(&[("note", text("a"))])).await;
            let after = session.answer(ask()).await;
            assert_eq!(after.replies[0].origin, Origin::Run, "a write may have changed it");
            assert!(after.replies[0].text().contains("MS-017"), "{}", report(&after.replies[0]));
            session.answer(turn(&[("note", text("a"))])).await;
            assert_eq!(
                session.answer(ask()).await.replies[0].origin,
                origin,
                "a write that did not run changed nothing"
            );
            clock.0.store(601, Ordering::Relaxed);
            assert_eq!(session.answer(ask()).await.replies[0].origin, Origin::Run, "older than ten minutes");
        }
    });
}

#[test]
fn remembering_a_tool_that_writes_is_a_load_error() {
    on_one_thread(async {
        let source = ToolSource { remember: true, ..write("note", "") };
        let error = Host::builder().tool(source).build().await.expect_err("is refused").to_string();
        assert!(error.starts_with("load:policy: note.wasm: it writes, and `remember` is set"), "{error}");
    });
}

#[test]
fn a_session_goes_on_from_its_document_with_values_counts_and_writes() {
    on_one_thread(async {
        let host = host([echo(), write("note", "")]).await;
        let mut session = session(&host);
        session.set("customer_id", "cus_1");
        let evil = json!({"text": "x", "session": {"customer_id": "cus_2"}, "session.customer_id": "cus_2"});
        let answer = session.answer(turn(&[bad(), ("note", text("a")), ("note", evil)])).await;
        assert_eq!(outcomes(&answer)[1], "done");
        let mut later = Session::resume(&host, SessionLimits::default(), &session.document()).expect("goes on");
        assert_eq!(later.values().get("customer_id"), Some(&json!("cus_1")), "no turn sets a value");
        assert_eq!(later.values().len(), 1);
        assert_eq!(later.document(), session.document());
        let note = later.answer(turn(&[("note", text("a")), bad()])).await;
        assert_eq!((note.replies[0].origin, stop(&note)), (Origin::EarlierWrite, None));
        assert_eq!(stop(&later.answer(turn(&[bad()])).await), Some((StopReason::Refused, Some("echo"), 3)));
        later.set("customer_id", Value::Null);
        assert!(later.values()["customer_id"].is_null());
    });
}

/// `toolgate answer --session` with the echo tool.
fn answered(directory: &Path, calls: &[(&str, Value)]) -> Shown {
    let wasm = directory.join("echo.wasm");
    fs::write(&wasm, guests::OK_ECHO).expect("writes");
    let block =
        |(name, input): &(&str, Value)| json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": input});
    let body = json!({"role": "assistant", "content": calls.iter().map(block).collect::<Vec<_>>()}).to_string();
    let path = directory.join("session.json");
    let log = directory.join("calls.jsonl").display().to_string();
    let (path, wasm) = (path.display().to_string(), wasm.display().to_string());
    program(&["answer", "--session", &path, "--tools", &wasm, "--log", &log], body.as_bytes())
}

#[test]
fn the_program_keeps_a_session_and_exits_with_3_where_it_stops() {
    let directory = tempfile::tempdir().expect("a directory");
    for nth in 1..=3 {
        let shown = answered(directory.path(), &[bad()]);
        let code = if nth == 3 { 3 } else { 0 };
        assert_eq!(shown.code, ExitCode::from(code), "turn {nth}: {}", shown.stderr);
        assert!(shown.stdout.contains("args:type:text"), "the turn is answered all the same");
        assert_eq!(
            shown.stderr.contains("stop:refused: calls of `echo` were refused in 3 turns"),
            nth == 3,
            "{}",
            shown.stderr
        );
    }
    let shown = answered(directory.path(), &[("echo", text("a\u{1b}[2J"))]);
    assert_eq!((shown.code, shown.stderr.as_str()), (ExitCode::SUCCESS, ""));
    for nth in 2..=3 {
        let shown = answered(directory.path(), &[("echo", text("a\u{1b}[2J"))]);
        assert_eq!(shown.code, ExitCode::from(if nth == 3 { 3 } else { 0 }), "{}", shown.stderr);
        assert!(!shown.stderr.contains('\u{1b}'), "{:?}", shown.stderr);
    }
    let log = fs::read_to_string(directory.path().join("calls.jsonl")).expect("reads");
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).expect("is JSON");
        let of = (line.get("conversation").and_then(Value::as_str), line.get("refusal_bound").and_then(Value::as_u64));
        assert_eq!(of, (Some("session.json"), Some(3)), "a report knows what would have stopped it");
    }
    assert_eq!(log.lines().count(), 6);
    let left: Vec<String> = fs::read_dir(directory.path())
        .expect("lists")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "nothing half-written: {left:?}");
}

#[test]
fn a_damaged_foreign_or_locked_session_is_refused_and_left_as_it_was() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("session.json");
    assert_eq!(answered(directory.path(), &[("echo", text("a"))]).code, ExitCode::SUCCESS);
    let good = fs::read(&path).expect("was written");
    let half = &good[..good.len() / 2];
    let other_version = String::from_utf8(good.clone()).expect("text").replace("\"version\":1", "\"version\":2");
    for (bytes, said) in [
        (half, "it is damaged"),
        (b"".as_slice(), "it is damaged"),
        (b"{\"customer\":1}".as_slice(), "it is no session"),
        (b"\xff\xfe".as_slice(), "is no session"),
        (other_version.as_bytes(), "it is a session of version 2"),
    ] {
        fs::write(&path, bytes).expect("writes");
        let shown = answered(directory.path(), &[("echo", text("b"))]);
        assert_eq!((shown.code, shown.stdout.as_str()), (ExitCode::from(2), ""), "{}", shown.stderr);
        assert!(shown.stderr.contains(said), "{}", shown.stderr);
        assert_eq!(fs::read(&path).expect("is there"), bytes, "left as it was");
    }
    fs::write(&path, &good).expect("writes");
    let lock = File::create(directory.path().join("session.json.lock")).expect("is there");
    lock.lock().expect("nobody else has it");
    let shown = answered(directory.path(), &[("echo", text("b"))]);
    assert_eq!(shown.code, ExitCode::from(2));
    assert!(shown.stderr.contains("is in use"), "{}", shown.stderr);
    assert_eq!(fs::read(&path).expect("is there"), good);
    drop(lock);
    assert_eq!(answered(directory.path(), &[("echo", text("b"))]).code, ExitCode::SUCCESS);
    fs::remove_file(&path).expect("is there");
    fs::create_dir(&path).expect("makes");
    assert_eq!(answered(directory.path(), &[("echo", text("b"))]).code, ExitCode::from(2));
}

//! Tests of the call log's lines that need no guest; `tests/it/call_log.rs` has those of whole calls.

use super::{Asked, CallRecord, Ended, Keep, NotRecord, StageTimes};
use crate::call::{Arguments, RawCall};
use crate::reply::Effects;

fn record() -> CallRecord {
    CallRecord {
        version: 1,
        time_ms: 7,
        conversation: None,
        caller: None,
        turn: "t".to_owned(),
        position: 0,
        id: "a\u{202e}b".to_owned(),
        tool: "echo".to_owned(),
        known: true,
        verdict: Ended::Done,
        code: None,
        keyword: None,
        path: None,
        slip: None,
        effects: Effects::None,
        answered_by: None,
        repaired: Vec::new(),
        recorded: Vec::new(),
        stages: StageTimes { gate_ns: Some(1), ..StageTimes::default() },
        fuel: 1,
        memory_bytes: 2,
        host_calls: 3,
        result_bytes: 4,
        arguments_bytes: 5,
        arguments_sha256: None,
        arguments: Some("{\"a\":\"\u{1b}[2J\n\"}".to_owned()),
        refusal_bound: Some(3),
    }
}

#[test]
fn a_line_is_one_line_that_moves_no_cursor_and_reads_back() {
    let line = record().line();
    assert_eq!(line.matches('\n').count(), 1);
    assert!(line.ends_with("}\n") && line.is_ascii() && !line.contains('\u{1b}'), "{line:?}");
    assert_eq!(CallRecord::parse(&line), Ok(record()));
}

#[test]
fn what_is_no_line_of_this_version_says_so() {
    let line = record().line();
    let other = line.replace("\"version\":1", "\"version\":2,\"form\":[]");
    assert_eq!(CallRecord::parse(&other), Err(NotRecord::OtherVersion(2)));
    let newer = line.replace("\"version\":1", "\"version\":1,\"added_later\":[]");
    assert_eq!(CallRecord::parse(&newer), Ok(record()));
    let damaged =
        ["", "{}", "[]", "\u{1b}[2J", line.split_at(line.len() / 2).0, &line.replace("\"done\"", "\"\u{1b}[2J\"")];
    for damaged in damaged {
        match CallRecord::parse(damaged) {
            Err(NotRecord::Unreadable(problem)) => assert!(!problem.contains('\u{1b}'), "{problem:?}"),
            other => panic!("{damaged:?} is {other:?}"),
        }
    }
}

#[test]
fn arguments_are_kept_as_a_digest_unless_they_are_wanted() {
    let call = RawCall::new("echo", r#"{"text":"a secret"}"#);
    let digest = Asked::of(&call, Keep::Digests);
    assert!(digest.text.is_none() && digest.sha256.as_ref().is_some_and(|sha256| sha256.len() == 64));
    assert_eq!(Asked::of(&call, Keep::Arguments).text.as_deref(), Some(r#"{"text":"a secret"}"#));
    let long = RawCall::new("echo", "é".repeat(100_000));
    assert!(Asked::of(&long, Keep::Arguments).text.is_some_and(|text| text.chars().count() <= 16 * 1024 + 1));
    let none = RawCall { arguments: Arguments::Absent, ..RawCall::new("echo", "") };
    assert_eq!((Asked::of(&none, Keep::Arguments).sha256, Asked::of(&none, Keep::Arguments).text), (None, None));
}

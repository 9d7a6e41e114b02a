//! Tests of the report on small logs, written as one line per call.

use std::fmt::Write;

use super::Report;
use crate::report::{LookAt, SlipRow};

/// One call: the conversation, the turn, the tool and how it ended; `!` before the tool is a name that no tool has.
fn line(call: &str, bound: Option<u32>) -> String {
    let mut words = call.split(' ');
    let mut word = || words.next().expect("conversation turn tool end");
    let (conversation, turn, tool, end) = (word(), word(), word(), word());
    let known = !tool.starts_with('!');
    let tool = tool.trim_start_matches('!');
    let (verdict, code) = match end.split(':').next() {
        Some("call" | "args") => ("refused", format!(r#","code":"{end}""#)),
        Some("tool" | "result" | "host") => ("failed", format!(r#","code":"{end}""#)),
        _ => ("done", String::new()),
    };
    let ran = if verdict == "refused" { "" } else { r#","dispatch_ns":10,"sandbox_ns":5000"# };
    let bound = bound.map_or_else(String::new, |bound| format!(r#","refusal_bound":{bound}"#));
    let slip = words.next().map_or_else(String::new, |slip| format!(r#","slip":{slip}"#));
    format!(
        r#"{{"version":1,"time_ms":5,"conversation":"{conversation}","turn":"{conversation}.{turn}","position":0,"id":"x","tool":"{tool}","known":{known},"verdict":"{verdict}"{code},"effects":"none","stages":{{"gate_ns":100,"registry_ns":200{ran}}},"fuel":7,"memory_bytes":8,"host_calls":0,"result_bytes":0,"arguments_bytes":2{slip}{bound}}}"#
    )
}

fn log(calls: &[&str], bound: Option<u32>) -> String {
    let mut log = String::new();
    for call in calls {
        writeln!(log, "{}", line(call, bound)).expect("writing to a String cannot fail");
    }
    log
}

fn report(log: &str) -> Report {
    Report::read(log.as_bytes()).expect("a text can be read")
}

#[test]
fn refusals_and_failures_are_told_apart_by_stage_and_tool() {
    let calls = ["a 1 x done", "a 1 x args:type:n", "a 2 x tool:fuel", "a 2 y done", "a 3 !z call:unknown_tool"];
    let report = report(&log(&calls, None));
    assert_eq!((report.ends.done, report.ends.refused, report.ends.failed), (2, 2, 1));
    assert_eq!((report.turns, report.conversations, report.between_ms), (3, 1, Some((5, 5))));
    let stages: Vec<_> = report.stages.iter().map(|row| (row.stage, row.calls, row.refused, row.failed)).collect();
    let expected =
        [("gate", 5, 0, 0), ("registry", 5, 2, 0), ("dispatch", 3, 0, 0), ("sandbox", 3, 0, 1), ("check", 0, 0, 0)];
    assert_eq!(stages, expected);
    let tools: Vec<_> = report.tools.iter().map(|row| (row.tool.as_deref(), row.ends.calls(), row.ran)).collect();
    assert_eq!(tools, [(Some("x"), 3, 2), (None, 1, 0), (Some("y"), 1, 1)]);
    let codes: Vec<_> = report.codes.iter().map(|row| (row.code, row.calls)).collect();
    assert_eq!(codes, [("call:unknown_tool", 1), ("args:type", 1), ("tool:fuel", 1)]);
}

#[test]
fn a_run_of_refusals_is_one_episode_counted_in_turns() {
    let calls = [
        // Accepted after one turn with two refused calls.
        "a 1 x args:type:n",
        "a 1 x args:type:n",
        "a 2 x done",
        // After two turns; what another tool does in between changes nothing.
        "b 1 x args:type:n",
        "b 2 y done",
        "b 3 x args:range:n",
        "b 4 x tool:failed",
        // Never.
        "c 1 x args:type:n",
        "c 2 x args:type:n",
        "c 3 y done",
        // In one turn: the accepted call ends the run, the refused one begins another.
        "d 1 y args:type:n",
        "d 2 y done",
        "d 2 y args:type:n",
        "d 3 y done",
    ];
    let report = report(&log(&calls, None));
    let episodes = &report.recovery.arguments;
    assert_eq!((episodes.episodes, episodes.refused_calls, episodes.mended_by_next_turn), (5, 8, 5));
    assert_eq!(episodes.accepted_after.clone().into_iter().collect::<Vec<_>>(), [(1, 3), (2, 1)]);
    assert_eq!(episodes.given_up_after.clone().into_iter().collect::<Vec<_>>(), [(2, 1)]);
    assert_eq!(report.recovery.bound.suggested, Some(3));
}

#[test]
fn any_accepted_call_ends_a_run_of_names_that_no_tool_has() {
    let calls = [
        "a 1 !p call:unknown_tool",
        "a 2 !q call:unknown_tool",
        "a 3 x done",
        "b 1 !p call:unknown_tool",
        "b 2 !p call:unknown_tool",
    ];
    let names = report(&log(&calls, None)).recovery.unknown_names;
    assert_eq!((names.episodes, names.refused_calls, names.mended_by_next_turn), (2, 4, 1));
    assert_eq!((names.accepted_after.get(&2), names.given_up_after.get(&2)), (Some(&1), Some(&1)));
}

#[test]
fn each_bound_is_weighed_by_what_it_stops() {
    let mut calls = vec!["a 1 x args:type:n", "a 2 x done", "b 1 x args:type:n", "b 2 x args:type:n", "b 3 x done"];
    calls.extend(["c 1 x args:type:n", "c 2 x args:type:n", "c 3 x args:type:n", "c 4 x args:type:n"]);
    calls.push("c 5 x args:type:n");
    let bound = report(&log(&calls, None)).recovery.bound;
    assert_eq!((bound.suggested, bound.cuts_off), (Some(3), false));
    let rows: Vec<_> = bound
        .weighed
        .iter()
        .map(|row| (row.bound, row.stops_hopeless, row.stops_recovering, row.saves_turns))
        .collect();
    assert_eq!(rows, [(1, 1, 2, 4), (2, 1, 1, 3), (3, 1, 0, 2), (4, 1, 0, 1)]);
}

#[test]
fn a_bound_that_cuts_off_what_it_would_have_to_see_is_said() {
    let calls = ["a 1 x args:type:n", "a 2 x done", "b 1 x args:type:n", "b 2 x args:type:n"];
    let report = report(&log(&calls, Some(2)));
    assert!(report.recovery.bound.cuts_off);
    assert_eq!(report.recovery.arguments.stopped, 1);
    assert!(report.recovery.bound.in_force.contains(&2));
    let finding = report.findings.last().expect("the bound is a finding");
    assert_eq!(finding.look_at, LookAt::Bound);
    assert!(finding.text.contains("ended 1 of 2"), "{}", finding.text);
}

#[test]
fn slips_are_counted_wherever_in_a_list_they_stand() {
    let unexpected = |row: u8| {
        format!(r#"a {row} x args:unexpected:rows.{row}.qyt {{"is":"undeclared_key","key":"qyt","nearest":"qty"}}"#)
    };
    let value = |row: u8, digest: &str| {
        format!(
            r#"b {row} x args:allowed:to {{"is":"wrong_value","got":"string","n_permitted":3,"digest":"{digest}"}}"#
        )
    };
    let calls = [unexpected(0), unexpected(1), value(1, "aa"), value(2, "bb"), value(3, "bb"), "b 4 x done".to_owned()];
    let report = report(&log(&calls.each_ref().map(String::as_str), None));
    let rows: Vec<_> = report.slips.rows.iter().map(|row| (row.code.as_str(), row.calls, row.values)).collect();
    assert_eq!(rows, [("args:allowed:to", 3, 2), ("args:unexpected:rows.*.qyt", 2, 0)]);
    let said: Vec<&str> = report.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert!(said.iter().any(|text| text.contains("none of the 3 permitted values")), "{said:?}");
    assert!(said.iter().any(|text| text.contains("sent `qyt`, nearest is `qty`")), "{said:?}");
}

#[test]
fn a_damaged_line_is_named_and_the_others_are_read() {
    let good = line("a 1 x done", None);
    let long = "x".repeat(3 * 1024 * 1024);
    let damaged = good.replace(r#""version":1"#, r#""version":9"#);
    let no_code = line("a 1 x args:nonsense", None);
    let half = good.split_at(40).0;
    let log = format!("{good}\n\nnot json\n{long}\n{damaged}\n{no_code}\n{good}\n{half}");
    let report = report(&log);
    assert_eq!((report.lines.read, report.lines.damaged), (2, 5));
    let named: Vec<u64> = report.lines.first_damaged.iter().map(|damaged| damaged.line).collect();
    assert_eq!(named, [3, 4, 5, 6, 8]);
    let problem = |at: usize| report.lines.first_damaged[at].problem.as_str();
    assert_eq!(problem(1), "longer than 1 MiB");
    assert_eq!(problem(2), "version 9, where 1 is read");
    assert_eq!(problem(3), "no code `args:nonsense`");
    let only = Report::read(&b"\xff\xfe\n"[..]).expect("a text can be read");
    assert_eq!((only.lines.read, only.lines.damaged), (0, 1));
}

#[test]
fn what_is_kept_of_a_log_is_bounded_whatever_it_holds() {
    let mut log = String::new();
    for n in 0..12_000 {
        writeln!(log, "{}", line(&format!("c{n} 1 !name{n} call:unknown_tool"), None)).expect("a String");
    }
    let report = report(&log);
    assert_eq!(report.recovery.unknown_names.episodes, 12_000);
    assert_eq!((report.slips.rows.len(), report.slips.others), (5_000, 7_000));
    assert_eq!(report.tools.len(), 1);
    let row: &SlipRow = report.slips.rows.first().expect("there are some");
    assert_eq!(row.calls, 1);
}

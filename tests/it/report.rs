//! The program's log and report: what is written, what is refused before any tool runs, and the whole screen.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::Value;
use tempfile::TempDir;
use toolgate::CallRecord;

use crate::support::{Shown, guests, program, repository};

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        fs::write(folder.path().join("echo.wasm"), guests::OK_ECHO).expect("writes");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Calls `echo` with a log; the second word is the arguments.
    fn call(&self, name: &str, arguments: &str, log: &str, more: &[&str]) -> Shown {
        let (tools, log) = (self.path("echo.wasm").display().to_string(), self.path(log).display().to_string());
        let given = ["call", name, arguments, "--tools", &tools, "--log", &log];
        program(&given.iter().chain(more).copied().collect::<Vec<_>>(), b"")
    }

    fn records(&self, log: &str) -> Vec<CallRecord> {
        let text = fs::read_to_string(self.path(log)).expect("reads");
        text.lines().map(|line| CallRecord::parse(line).expect("is a record")).collect()
    }
}

#[test]
fn each_call_appends_a_line_and_each_turn_has_a_name_of_its_own() {
    let bench = Bench::new();
    assert_eq!(bench.call("echo", r#"{"text":"a"}"#, "log", &["--conversation", "case 7"]).code, ExitCode::SUCCESS);
    assert_eq!(bench.call("ehco", r#"{"text":"b"}"#, "log", &["--log-arguments"]).code, ExitCode::from(1));
    let records = bench.records("log");
    let [first, second] = records.as_slice() else { panic!("two lines: {records:?}") };
    assert_eq!((first.conversation.as_deref(), first.arguments.as_deref()), (Some("case 7"), None));
    assert_eq!((second.conversation.as_deref(), second.arguments.as_deref()), (None, Some(r#"{"text":"b"}"#)));
    assert_ne!(first.turn, second.turn);
    assert!(first.time_ms > 1_700_000_000_000 && second.time_ms >= first.time_ms);

    let tools = bench.path("echo.wasm").display().to_string();
    let log = bench.path("log").display().to_string();
    let message = repository().join("examples/support.anthropic.json").display().to_string();
    assert_eq!(program(&["answer", &message, "--tools", &tools, "--log", &log], b"").code, ExitCode::SUCCESS);
    let records = bench.records("log");
    let turn: Vec<(u64, &str)> = records[2..].iter().map(|record| (record.position, record.turn.as_str())).collect();
    assert_eq!(turn.len(), 8);
    assert!(turn.iter().enumerate().all(|(at, (position, name))| *position == at as u64 && *name == turn[0].1));
}

#[test]
fn a_log_that_cannot_be_written_ends_the_program_before_a_tool_runs() {
    let bench = Bench::new();
    fs::create_dir(bench.path("folder")).expect("makes");
    for log in ["folder", "not/there/log", "echo.wasm/log"] {
        let shown = bench.call("echo", r#"{"text":"a"}"#, log, &[]);
        assert_eq!(shown.code, ExitCode::from(2), "{log}");
        assert!(shown.stdout.is_empty() && shown.stderr.contains("cannot write the log `"), "{}", shown.stderr);
    }
    let without = program(&["call", "echo", "--log-arguments"], b"");
    assert_eq!(without.code, ExitCode::from(2), "an option that means nothing alone is a usage error");
}

#[test]
fn a_line_that_was_cut_swallows_no_line_behind_it() {
    let bench = Bench::new();
    fs::write(bench.path("log"), "{\"version\":1,\"time_").expect("writes");
    assert_eq!(bench.call("echo", r#"{"text":"a"}"#, "log", &[]).code, ExitCode::SUCCESS);
    let text = fs::read_to_string(bench.path("log")).expect("reads");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(CallRecord::parse(lines[0]).is_err() && CallRecord::parse(lines[1]).is_ok());
}

#[cfg(unix)]
#[test]
fn a_log_is_its_owners_alone_and_a_link_to_one_is_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let bench = Bench::new();
    symlink(bench.path("log"), bench.path("link")).expect("makes");
    assert_eq!(bench.call("echo", r#"{"text":"a"}"#, "link", &[]).code, ExitCode::SUCCESS);
    let made = fs::metadata(bench.path("log")).expect("is there");
    assert_eq!(made.permissions().mode() & 0o777, 0o600);
    let device = program(&["call", "echo", "--log", "/dev/null"], b"");
    assert!(device.code == ExitCode::from(2) && device.stderr.contains("no plain file"), "{}", device.stderr);
}

#[test]
fn a_report_is_tables_for_people_and_json_for_programs() {
    let log = repository().join("examples/calls.jsonl").display().to_string();
    let shown = program(&["report", &log], b"");
    insta::assert_snapshot!(shown.screen().lines().map(str::trim_end).collect::<Vec<_>>().join("\n"), @r#"
    exit 0
    --- stdout
    142 calls in 125 turns of 23 conversations, over 6 days
    116 done (81.7 %), 23 refused (16.2 %), 3 failed (2.1 %)

    Where calls end
     stage     calls  refused       %  failed      %     p50      p99
     gate        142        0   0.0 %       0  0.0 %   13 µs    36 µs
     registry    142       23  16.2 %       0  0.0 %    7 µs    40 µs
     dispatch    119        0   0.0 %       0  0.0 %    2 µs     9 µs
     sandbox     119        0   0.0 %       0  0.0 %  212 µs  29.4 ms
     check       119        0   0.0 %       3  2.5 %   57 µs   212 µs

    By code
     code               calls       %
     call:unknown_tool     17  12.0 %
     args:missing           2   1.4 %
     args:type              3   2.1 %
     args:allowed           1   0.7 %
     result:range           3   2.1 %

    By tool
     tool               calls  refused        %  failed       %
     (no such tool)        17       17  100.0 %       0   0.0 %
     stock_lookup          38        5   13.2 %       0   0.0 %
     delivery_estimate     24        0    0.0 %       3  12.5 %
     search_orders         36        1    2.8 %       0   0.0 %
     create_ticket          6        0    0.0 %       0   0.0 %
     issue_refund           2        0    0.0 %       0   0.0 %
     lookup_policy         19        0    0.0 %       0   0.0 %

    What models get wrong
     calls  tool                    code                      sent                    meant
     4      cancel_order            call:unknown_tool         cancel_order
     4      serch_orders            call:unknown_tool         serch_orders            search_orders
     3      order_cancel            call:unknown_tool         order_cancel
     3      stock_lookup            args:type:limit           a string                integer
     2      functions.stock_lookup  call:unknown_tool         functions.stock_lookup  stock_lookup
     2      lookup_policies         call:unknown_tool         lookup_policies         lookup_policy
     1      get_stock               call:unknown_tool         get_stock
     1      refund_order            call:unknown_tool         refund_order
     1      search_orders           args:missing:customer_id  key customerId          key customer_id
     1      stock_lookup            args:allowed:region       a string                jeju
     1      stock_lookup            args:missing:sku          key sku_id              key sku

    How refusals go on
     runs of refusals  runs  calls  over after 1  2  3  more  given up  stopped
     unknown names       10     17             8  1  0     0         1        0
     arguments            5      6             4  1  0     0         0        0

     bound  stops runs that recover  stops runs that do not  turns saved
         1                       14                       1            6
         2                        2                       1            5
         3                        0                       1            4
         4                        0                       1            3
    no bound was in force

    What tools cost
     tool               runs  time p50      p99  fuel p50    p99  memory at most  host calls at most
     stock_lookup         33    196 µs  29.4 ms     53247  61439       192.6 KiB                   0
     search_orders        35    212 µs  29.4 ms     73727  73727       192.6 KiB                   0
     create_ticket         6    2.4 ms  23.1 ms     45055  49151       193.0 KiB                  18
     lookup_policy        19    212 µs   9.4 ms     18431  18431       192.5 KiB                   0
     issue_refund          2    2.0 ms   3.9 ms     53247  57343       192.9 KiB                  18
     delivery_estimate    24    196 µs   524 µs     18431  18431       192.5 KiB                   0

    What to look at
     n   look at      because
     4   declaration  `cancel_order` is asked for and is like no tool: offer one, or say in a description what does its work
     4   declaration  `serch_orders` is asked for where `search_orders` is meant: give the tool the name that models use, or one unlike it
     3   declaration  `order_cancel` is asked for and is like no tool: offer one, or say in a description what does its work
     3   declaration  `limit` of `stock_lookup` is a string where the type is integer: say it in its description
     3   tool         `delivery_estimate` breaks its own contract: its author has to look (`result:range`)
     2   declaration  `functions.stock_lookup` is asked for where `stock_lookup` is meant: give the tool the name that models use, or one unlike it
     15  bound        3 refusals in a row are enough: of 15 runs none was accepted after more than 2
    --- stderr
    "#);
    let json = program(&["report", &log, "--json"], b"");
    let report: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let n_lines = fs::read_to_string(&log).expect("reads").lines().count();
    assert_eq!(report["lines"]["read"], n_lines);
    assert!(report["tools"][1]["sandbox_p99_ns"].is_u64());
    assert!(report["recovery"]["arguments"]["accepted_after"].is_object());
}

#[test]
fn damaged_lines_are_named_and_a_file_without_any_call_is_no_log() {
    let bench = Bench::new();
    let good = fs::read_to_string(repository().join("examples/calls.jsonl")).expect("reads");
    let good = good.lines().next().expect("has a line");
    fs::write(bench.path("some"), format!("{good}\n\u{1b}[2J\n{good}\n")).expect("writes");
    let some = program(&["report", &bench.path("some").display().to_string()], b"");
    assert_eq!(some.code, ExitCode::SUCCESS);
    assert!(some.stderr.starts_with("warning: line 2 is damaged: "), "{}", some.stderr);
    assert!(some.stdout.starts_with("2 calls in 1 turn"), "{}", some.stdout);
    fs::write(bench.path("none"), "a\nb\n".repeat(20)).expect("writes");
    let none = program(&["report", &bench.path("none").display().to_string()], b"");
    assert_eq!((none.code, none.stdout.as_str()), (ExitCode::from(2), ""));
    assert!(
        none.stderr.contains("20 more lines are damaged") && none.stderr.contains("no line of `"),
        "{}",
        none.stderr
    );
    fs::write(bench.path("empty"), "").expect("writes");
    let empty = program(&["report", &bench.path("empty").display().to_string()], b"");
    assert_eq!(empty.code, ExitCode::SUCCESS);
    assert!(empty.stdout.starts_with("0 calls in 0 turns"), "{}", empty.stdout);
    assert_eq!(program(&["report", &bench.path("absent").display().to_string()], b"").code, ExitCode::from(2));
}

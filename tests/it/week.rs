//! A generated week of calls through the real host: what its log and the report make of it.

#[expect(clippy::arithmetic_side_effects, reason = "a generator: no number in it comes from outside")]
mod calls;

use toolgate::{Ends, Host, Report, Slip};

use self::calls::{N_CALLS, answered, week};
use crate::support::{desk_tools, host, on_one_thread};

/// The desk with the six tools of the week.
async fn desk(folder: &std::path::Path) -> Host {
    host(desk_tools(folder).into_iter().filter(|source| source.file != "csv_query.wasm")).await
}

#[test]
fn a_generated_week_is_reported_as_it_was_generated() {
    let folder = tempfile::tempdir().expect("a directory");
    let (log, stats) = on_one_thread(async {
        let host = desk(folder.path()).await;
        (answered(&host, &week()).await, host.stats())
    });
    assert_eq!(log.lines().count(), N_CALLS);
    let report = Report::read(log.as_bytes()).expect("a text can be read");
    assert_eq!((report.lines.read, report.lines.damaged), (2_000, 0));
    assert_eq!((report.ends.calls(), report.ends.refused), (2_000, 56));
    assert!(report.ends.failed > 0, "the world says no to some");

    // In calls there are more wrong names than in runs: who is refused twice is counted twice.
    let (names, arguments) = (&report.recovery.unknown_names, &report.recovery.arguments);
    assert_eq!((names.episodes, names.refused_calls, names.mended_by_next_turn), (28, 37, 27));
    assert_eq!(names.accepted_after.iter().map(|(n, m)| (*n, *m)).collect::<Vec<_>>(), [(1, 24), (2, 3)]);
    assert_eq!(names.given_up_after.iter().map(|(n, m)| (*n, *m)).collect::<Vec<_>>(), [(7, 1)]);
    assert_eq!((arguments.episodes, arguments.refused_calls), (16, 19));
    assert_eq!(report.recovery.bound.suggested, Some(3));
    let gate = report.stages.first().expect("the gate");
    assert_eq!((gate.stage, gate.refused), ("gate", 0), "no call could not be read");

    let sku = report.slips.rows.iter().find(|row| row.code == "args:missing:sku").expect("a misspelt key is there");
    assert_eq!(sku.slip, Some(Slip::MissingKey { key: "sku".to_owned(), sent: Some("sku_id".to_owned()) }));

    // The host's own counts are those of its log.
    for row in &report.tools {
        let stats = stats.tools.iter().find(|stats| stats.tool == row.tool).expect("each has its numbers");
        let sum = |counts: &[(toolgate::Rule, u64)]| counts.iter().map(|(_, n)| n).sum::<u64>();
        let counted = Ends { done: stats.done, refused: sum(&stats.refused), failed: sum(&stats.failed) };
        assert_eq!(counted, row.ends, "{:?}", row.tool);
        assert_eq!(stats.fuel > 0, row.ran > 0);
    }
    for (stage, row) in stats.stages.iter().zip(&report.stages) {
        assert_eq!((stage.stage.name(), stage.nanoseconds.n()), (row.stage, row.calls));
        assert_eq!(stage.nanoseconds.percentile(99), row.p99_ns);
    }
}

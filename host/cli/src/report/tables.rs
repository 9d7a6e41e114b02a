//! Tables: the report as a person reads it, one short table per question.

use std::collections::BTreeMap;
use std::time::Duration;

use toolgate::{ByteCount, Episodes, Report, Slip, SlipRow, ToolRow, one_line};

use crate::{explain, table};

/// Most rows of what models get wrong. The rest is in the JSON.
const MAX_SLIPS: usize = 15;

/// Most rows of tools.
const MAX_TOOLS: usize = 20;

/// What stands for all names that no tool has.
const NO_TOOL: &str = "(no such tool)";

/// Every table that has something to say, with its question above it.
pub(super) fn all(report: &Report) -> String {
    let mut parts = vec![overview(report)];
    if report.lines.read > 0 {
        parts.extend([part("Where calls end", &stages(report)), part("By code", &codes(report))]);
        parts.push(part("By tool", &tools(report)));
        if !report.slips.rows.is_empty() {
            parts.push(part("What models get wrong", &slips(report)));
            parts.push(part("How refusals go on", &recovery(report)));
        }
        if !report.recorded.is_empty() {
            parts.push(part("What was read as what it means", &recorded(report)));
        }
        parts.push(part("What tools cost", &costs(report)));
        parts.push(part("What to look at", &findings(report)));
    }
    parts.join("\n\n")
}

fn part(title: &str, body: &str) -> String {
    format!("{title}\n{body}")
}

fn heads<const N: usize>(heads: [&str; N]) -> [String; N] {
    heads.map(str::to_owned)
}

fn overview(report: &Report) -> String {
    let ends = report.ends;
    let calls = ends.calls();
    let of = match report.conversations {
        0 => "; no line names its conversation, so they are read as one".to_owned(),
        n => format!(" of {}", counted(n, "conversation")),
    };
    let over = report.between_ms.map(|(first, last)| Duration::from_millis(last.saturating_sub(first)));
    let over = over.filter(|over| !over.is_zero()).map_or_else(String::new, |over| format!(", over {}", span(over)));
    format!(
        "{} in {}{of}{over}\n{} done ({}), {} refused ({}), {} failed ({})",
        counted(calls, "call"),
        counted(report.turns, "turn"),
        ends.done,
        share(ends.done, calls),
        ends.refused,
        share(ends.refused, calls),
        ends.failed,
        share(ends.failed, calls),
    )
}

fn stages(report: &Report) -> String {
    let rows = report.stages.iter().map(|row| {
        [
            row.stage.to_owned(),
            row.calls.to_string(),
            row.refused.to_string(),
            share(row.refused, row.calls),
            row.failed.to_string(),
            share(row.failed, row.calls),
            time(row.p50_ns),
            time(row.p99_ns),
        ]
    });
    table::plain(heads(["stage", "calls", "refused", "%", "failed", "%", "p50", "p99"]), rows, Some(1))
}

fn codes(report: &Report) -> String {
    let calls = report.ends.calls();
    let rows = report.codes.iter().map(|row| [row.code.to_owned(), row.calls.to_string(), share(row.calls, calls)]);
    table::plain(heads(["code", "calls", "%"]), rows, Some(1))
}

fn tools(report: &Report) -> String {
    let rows = report.tools.iter().take(MAX_TOOLS).map(|row| {
        let calls = row.ends.calls();
        [
            name(row),
            calls.to_string(),
            row.ends.refused.to_string(),
            share(row.ends.refused, calls),
            row.ends.failed.to_string(),
            share(row.ends.failed, calls),
        ]
    });
    table::plain(heads(["tool", "calls", "refused", "%", "failed", "%"]), rows, Some(1))
}

fn slips(report: &Report) -> String {
    let rows = report.slips.rows.iter().take(MAX_SLIPS).map(|row| {
        let (wrong, meant) = wrong_and_meant(row);
        [row.calls.to_string(), row.tool.clone(), row.code.clone(), wrong, meant]
    });
    let table = table::plain(heads(["calls", "tool", "code", "sent", "meant"]), rows, None);
    let shown = report.slips.rows.iter().take(MAX_SLIPS).map(|row| row.calls).fold(0, u64::saturating_add);
    match report.ends.refused.saturating_sub(shown) {
        0 => table,
        more => format!("{table}\n{more} more refused calls are in `--json`"),
    }
}

fn wrong_and_meant(row: &SlipRow) -> (String, String) {
    let meant = |near: &Option<String>| near.clone().unwrap_or_default();
    match &row.slip {
        None => (String::new(), String::new()),
        Some(Slip::UnknownTool { nearest }) => (row.tool.clone(), meant(nearest)),
        Some(Slip::MissingKey { key, sent }) => {
            (sent.clone().map_or_else(|| "nothing".to_owned(), |sent| format!("key {sent}")), format!("key {key}"))
        }
        Some(Slip::UndeclaredKey { key, nearest }) => (format!("key {key}"), meant(nearest)),
        Some(Slip::WrongType { wants, got }) => (got.name().to_owned(), wants.join(" or ")),
        Some(Slip::WrongValue { got, n_permitted, nearest, digest: _, value: _ }) => {
            let different = if row.values > 1 { format!(", {} different", row.values) } else { String::new() };
            let sent = row.example.as_deref().map_or_else(|| got.name().to_owned(), |value| one_line(value, 40));
            let meant = nearest.clone().or_else(|| n_permitted.map(|n| format!("one of {n} values")));
            (format!("{sent}{different}"), meant.unwrap_or_default())
        }
    }
}

fn recovery(report: &Report) -> String {
    let recovery = &report.recovery;
    let rows = [("unknown names", &recovery.unknown_names), ("arguments", &recovery.arguments)];
    let rows = rows.into_iter().filter(|(_, episodes)| episodes.episodes > 0);
    let rows: Vec<[String; 9]> = rows.map(|(of, episodes)| episodes_row(of, episodes)).collect();
    let head = heads(["runs of refusals", "runs", "calls", "over after 1", "2", "3", "more", "given up", "stopped"]);
    let table = table::plain(head, rows, Some(1));
    let weighed = recovery.bound.weighed.iter().map(|row| {
        [
            row.bound.to_string(),
            row.stops_recovering.to_string(),
            row.stops_hopeless.to_string(),
            row.saves_turns.to_string(),
        ]
    });
    let head = heads(["bound", "stops runs that recover", "stops runs that do not", "turns saved"]);
    let in_force: Vec<String> = recovery.bound.in_force.iter().map(ToString::to_string).collect();
    let in_force = match in_force.as_slice() {
        [] => "no bound was in force".to_owned(),
        bounds => format!("in force: {}", bounds.join(", ")),
    };
    format!("{table}\n\n{}\n{in_force}", table::plain(head, weighed, Some(0)))
}

fn episodes_row(of: &str, episodes: &Episodes) -> [String; 9] {
    let sum = |counts: &BTreeMap<u32, u64>| counts.values().copied().fold(0, u64::saturating_add);
    let after = |n: u32| episodes.accepted_after.get(&n).copied().unwrap_or_default().to_string();
    let more = episodes.accepted_after.range(4..).map(|(_, n)| *n).fold(0, u64::saturating_add);
    [
        of.to_owned(),
        episodes.episodes.to_string(),
        episodes.refused_calls.to_string(),
        after(1),
        after(2),
        after(3),
        more.to_string(),
        sum(&episodes.given_up_after).to_string(),
        episodes.stopped.to_string(),
    ]
}

fn recorded(report: &Report) -> String {
    let rows = report.recorded.iter().map(|(name, n)| [name.clone(), n.to_string()]);
    table::plain(heads(["amendment", "calls"]), rows, Some(1))
}

/// The slowest first.
fn costs(report: &Report) -> String {
    let mut tools: Vec<&ToolRow> = report.tools.iter().filter(|row| row.ran > 0).collect();
    tools.sort_by_key(|row| std::cmp::Reverse(row.sandbox_p99_ns));
    let rows = tools.into_iter().take(MAX_TOOLS).map(|row| {
        [
            name(row),
            row.ran.to_string(),
            time(row.sandbox_p50_ns),
            time(row.sandbox_p99_ns),
            number(row.fuel_p50),
            number(row.fuel_p99),
            ByteCount::new(row.memory_bytes).to_string(),
            row.host_calls.to_string(),
        ]
    });
    let head = ["tool", "runs", "time p50", "p99", "fuel p50", "p99", "memory at most", "host calls at most"];
    table::plain(heads(head), rows, Some(1))
}

fn findings(report: &Report) -> String {
    if report.findings.is_empty() {
        return "nothing happened more than once".to_owned();
    }
    let rows = report
        .findings
        .iter()
        .map(|finding| [finding.n.to_string(), finding.look_at.name().to_owned(), finding.text.clone()]);
    table::plain(heads(["n", "look at", "because"]), rows, None)
}

fn name(row: &ToolRow) -> String {
    row.tool.clone().unwrap_or_else(|| NO_TOOL.to_owned())
}

fn counted(n: u64, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}

/// A part of a whole with one decimal, rounded to the nearest.
fn share(part: u64, whole: u64) -> String {
    let tenths = u128::from(part).saturating_mul(2_000).saturating_add(u128::from(whole));
    let tenths = tenths.checked_div(u128::from(whole).saturating_mul(2)).unwrap_or(0);
    format!("{}.{} %", tenths.div_euclid(10), tenths.rem_euclid(10))
}

fn time(nanoseconds: Option<u64>) -> String {
    nanoseconds.map_or_else(|| "-".to_owned(), |n| explain::short(Duration::from_nanos(n)))
}

fn number(n: Option<u64>) -> String {
    n.map_or_else(|| "-".to_owned(), |n| n.to_string())
}

/// A span in its largest whole unit.
fn span(time: Duration) -> String {
    let units = [("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)];
    let largest = units.into_iter().find(|(_, size)| time.as_secs() >= *size);
    largest.map_or_else(
        || format!("{} ms", time.as_millis()),
        |(unit, size)| counted(time.as_secs().div_euclid(size), unit),
    )
}

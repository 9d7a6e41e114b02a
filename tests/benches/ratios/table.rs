//! Table: rows as people and programs read them.

use std::fmt::Write;

use serde::Serialize;

use crate::rounds::Cost;

/// What stands above a table and below it.
pub(crate) struct Title {
    pub(crate) what: &'static str,
    pub(crate) goal: &'static str,
}

/// One comparison.
#[derive(Serialize)]
pub(crate) struct Row {
    case: String,
    way: &'static str,
    base_ns: f64,
    ns: f64,
    ratio: f64,
    ratio_quartiles: [f64; 2],
    more_us: f64,
    base_allocations: f64,
    allocations: f64,
    /// Runs of each sample, the same on both sides, and samples of each side.
    runs: usize,
    rounds: usize,
}

impl Row {
    pub(crate) fn new(case: &str, way: &'static str, cost: &Cost) -> Self {
        let [low, ratio, high] = cost.ratio.map(|ratio| rounded(ratio, 1e3));
        Self {
            case: case.to_owned(),
            way,
            base_ns: rounded(cost.base_ns, 1.0),
            ns: rounded(cost.ns, 1.0),
            ratio,
            ratio_quartiles: [low, high],
            more_us: rounded(cost.more_ns / 1e3, 1e3),
            base_allocations: rounded(cost.base_allocations, 10.0),
            allocations: rounded(cost.allocations, 10.0),
            runs: cost.n_runs,
            rounds: cost.n_rounds,
        }
    }
}

fn rounded(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}

/// A table for a terminal.
pub(crate) fn render(title: &Title, rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.case.chars().count()).max().unwrap_or(0);
    let mut out = format!("{}\n{}\n", title.what, title.goal);
    writeln!(
        out,
        "{:width$}  {:<22}  {:>9}  {:>9}  {:>5}  {:>11}  {:>8}  {:>11}  {:>10}",
        "case", "way", "base ns", "ns", "ratio", "quartiles", "more µs", "allocations", "runs"
    )
    .expect("writing to a String cannot fail");
    for row in rows {
        let [low, high] = row.ratio_quartiles;
        writeln!(
            out,
            "{:width$}  {:<22}  {:>9.0}  {:>9.0}  {:>5.2}  {low:>5.2}–{high:<5.2}  {:>8.2}  {:>4} → {:<4}  {:>3} × {:<4}",
            row.case,
            row.way,
            row.base_ns,
            row.ns,
            row.ratio,
            row.more_us,
            row.base_allocations,
            row.allocations,
            row.runs,
            row.rounds
        )
        .expect("writing to a String cannot fail");
    }
    out
}

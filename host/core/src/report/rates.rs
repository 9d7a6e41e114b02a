//! Rates: how calls ended, by stage, by code and by tool, and what each tool costs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::call_log::{CallRecord, Ended};
use crate::histogram::Histogram;
use crate::refusal::Rule;
use crate::usage::Stage;

/// Most tools that are told apart. Each has histograms of its own, 12 KB in all; a log that names more is no host's of ours.
const MAX_TOOLS: usize = 1_000;

/// Most names of amendments that are told apart; there are two dozen.
const MAX_RECORDED: usize = 200;

/// How calls ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ends {
    /// With a result.
    pub done: u64,
    /// They never ran.
    pub refused: u64,
    /// Without an answer to use.
    pub failed: u64,
}

impl Ends {
    /// All of them.
    pub const fn calls(&self) -> u64 {
        self.done.saturating_add(self.refused).saturating_add(self.failed)
    }

    const fn add(&mut self, ended: Ended) {
        let n = match ended {
            Ended::Done => &mut self.done,
            Ended::Refused => &mut self.refused,
            Ended::Failed => &mut self.failed,
        };
        *n = n.saturating_add(1);
    }
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageRow {
    /// Its name.
    pub stage: &'static str,
    /// Calls that came to it.
    pub calls: u64,
    /// Calls that it refused.
    pub refused: u64,
    /// Calls that failed in it.
    pub failed: u64,
    /// Half of the calls took at most this long in it, in nanoseconds.
    pub p50_ns: Option<u64>,
    /// All but one in a hundred took at most this long.
    pub p99_ns: Option<u64>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CodeRow {
    /// The code without its place.
    pub code: &'static str,
    /// Calls that ended by it.
    pub calls: u64,
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolRow {
    /// Its name; `None` for all names together that no tool has.
    pub tool: Option<String>,
    /// How its calls ended.
    #[serde(flatten)]
    pub ends: Ends,
    /// By which rules, in the order of the line.
    pub codes: Vec<CodeRow>,
    /// Calls that its guest was run for.
    pub ran: u64,
    /// Half of those took at most this long in the sandbox, in nanoseconds.
    pub sandbox_p50_ns: Option<u64>,
    /// All but one in a hundred took at most this long.
    pub sandbox_p99_ns: Option<u64>,
    /// Half of those spent at most this much fuel.
    pub fuel_p50: Option<u64>,
    /// All but one in a hundred spent at most this much.
    pub fuel_p99: Option<u64>,
    /// The most bytes of memory that one of them held.
    pub memory_bytes: u64,
    /// The most calls into its host that one of them made.
    pub host_calls: u64,
}

/// What [`Rates`] come to.
pub(super) struct Rated {
    pub(super) ends: Ends,
    pub(super) stages: Vec<StageRow>,
    pub(super) codes: Vec<CodeRow>,
    pub(super) tools: Vec<ToolRow>,
    pub(super) recorded: Vec<(String, u64)>,
}

#[derive(Debug, Default)]
pub(super) struct Rates {
    ends: Ends,
    stages: [StageRates; Stage::ALL.len()],
    codes: BTreeMap<Rule, u64>,
    tools: BTreeMap<Option<String>, ToolRates>,
    recorded: BTreeMap<String, u64>,
}

#[derive(Debug, Default)]
struct StageRates {
    refused: u64,
    failed: u64,
    times: Histogram,
}

#[derive(Debug, Default)]
struct ToolRates {
    ends: Ends,
    codes: BTreeMap<Rule, u64>,
    sandbox: Histogram,
    fuel: Histogram,
    memory: u64,
    host_calls: u64,
}

impl Rates {
    pub(super) fn add(&mut self, record: &CallRecord) -> Result<(), String> {
        // Of a call that another tool was asked for by a rule, that one has the verdict.
        let tool = record.answered_by.clone().or_else(|| record.known.then(|| record.tool.clone()));
        if self.tools.len() >= MAX_TOOLS && !self.tools.contains_key(&tool) {
            return Err(format!("one more than {MAX_TOOLS} tools"));
        }
        let rule = match (&record.code, record.verdict) {
            (None, Ended::Done) => None,
            (Some(code), Ended::Refused | Ended::Failed) => {
                Some(Rule::of_code(code).ok_or_else(|| format!("no code `{code}`"))?)
            }
            (None, Ended::Refused | Ended::Failed) => return Err("a call that was not done has a code".to_owned()),
            (Some(_), Ended::Done) => return Err("a call that was done has no code".to_owned()),
        };
        self.ends.add(record.verdict);
        if let Some(rule) = rule {
            plus_one(self.codes.entry(rule).or_default());
        }
        self.tools.entry(tool).or_default().add(record, rule);
        self.add_stages(record);
        for name in record.recorded.iter().map(|said| rule_of(said)) {
            if self.recorded.len() < MAX_RECORDED || self.recorded.contains_key(name) {
                plus_one(self.recorded.entry(name.to_owned()).or_default());
            }
        }
        Ok(())
    }

    fn add_stages(&mut self, record: &CallRecord) {
        let mut last = None;
        for (rates, stage) in self.stages.iter_mut().zip(Stage::ALL) {
            if let Some(nanoseconds) = record.stages.of_stage(stage) {
                rates.times.add(nanoseconds);
                last = Some(rates);
            }
        }
        match (last, record.verdict) {
            (Some(rates), Ended::Refused) => plus_one(&mut rates.refused),
            (Some(rates), Ended::Failed) => plus_one(&mut rates.failed),
            (Some(_), Ended::Done) | (None, _) => {}
        }
    }

    pub(super) fn finish(self) -> Rated {
        let stages = self.stages.into_iter().zip(Stage::ALL).map(|(rates, stage)| StageRow {
            stage: stage.name(),
            calls: rates.times.n(),
            refused: rates.refused,
            failed: rates.failed,
            p50_ns: rates.times.percentile(50),
            p99_ns: rates.times.percentile(99),
        });
        let mut tools: Vec<ToolRow> = self.tools.into_iter().map(|(tool, rates)| rates.row(tool)).collect();
        tools.sort_by_key(|row| std::cmp::Reverse(row.ends.refused.saturating_add(row.ends.failed)));
        let mut recorded: Vec<(String, u64)> = self.recorded.into_iter().collect();
        recorded.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        Rated { ends: self.ends, stages: stages.collect(), codes: rows(self.codes), tools, recorded }
    }
}

impl ToolRates {
    fn add(&mut self, record: &CallRecord, rule: Option<Rule>) {
        self.ends.add(record.verdict);
        if let Some(rule) = rule {
            plus_one(self.codes.entry(rule).or_default());
        }
        if let Some(nanoseconds) = record.stages.sandbox_ns {
            self.sandbox.add(nanoseconds);
            self.fuel.add(record.fuel);
            self.memory = self.memory.max(record.memory_bytes);
            self.host_calls = self.host_calls.max(record.host_calls);
        }
    }

    fn row(self, tool: Option<String>) -> ToolRow {
        ToolRow {
            tool,
            ends: self.ends,
            codes: rows(self.codes),
            ran: self.sandbox.n(),
            sandbox_p50_ns: self.sandbox.percentile(50),
            sandbox_p99_ns: self.sandbox.percentile(99),
            fuel_p50: self.fuel.percentile(50),
            fuel_p99: self.fuel.percentile(99),
            memory_bytes: self.memory,
            host_calls: self.host_calls,
        }
    }
}

fn rows(codes: BTreeMap<Rule, u64>) -> Vec<CodeRow> {
    codes.into_iter().map(|(rule, calls)| CodeRow { code: rule.code(), calls }).collect()
}

/// An amendment's name without its place.
fn rule_of(said: &str) -> &str {
    let second = said.match_indices(':').nth(1).map(|(at, _)| at);
    second.and_then(|at| said.get(..at)).unwrap_or(said)
}

pub(super) const fn plus_one(n: &mut u64) {
    *n = n.saturating_add(1);
}

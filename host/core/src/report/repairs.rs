//! Repairs: which of the operator's rules were followed, how often, and whether it helped.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::rates::plus_one;
use crate::call_log::{CallRecord, Ended};
use crate::text;

/// Most rules that are told apart: twice what one host may have, since rules come and go over a log.
const MAX_RULES: usize = 200;

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RepairRow {
    /// Its name.
    pub rule: String,
    /// How often it was followed.
    pub followed: u64,
    /// How many of the calls it was followed for were done in the end.
    pub done: u64,
}

#[derive(Debug, Default)]
pub(super) struct Repaired {
    rules: BTreeMap<String, (u64, u64)>,
}

impl Repaired {
    pub(super) fn add(&mut self, record: &CallRecord) {
        let mut in_this_call = BTreeSet::new();
        for repair in &record.repaired {
            let rule = text::one_line(&repair.rule, 64);
            if self.rules.len() < MAX_RULES || self.rules.contains_key(&rule) {
                let (followed, done) = self.rules.entry(rule.clone()).or_default();
                plus_one(followed);
                if in_this_call.insert(rule) && record.verdict == Ended::Done {
                    plus_one(done);
                }
            }
        }
    }

    /// The rules, most followed first.
    pub(super) fn finish(self) -> Vec<RepairRow> {
        let rows = self.rules.into_iter().map(|(rule, (followed, done))| RepairRow { rule, followed, done });
        let mut rows: Vec<RepairRow> = rows.collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.followed));
        rows
    }
}

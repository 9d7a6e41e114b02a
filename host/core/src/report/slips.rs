//! Slips: the names, keys and values that models keep getting wrong, each with what was probably meant.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::rates::plus_one;
use crate::call_log::{CallRecord, Ended, Slip};

/// Most slips that are told apart. Keys and names are models' inventions, and there is no end of them.
const MAX_TOLD_APART: usize = 5_000;

/// Most different values that are counted of one slip.
const MAX_VALUES: usize = 100;

/// What models keep getting wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Slips {
    /// Most frequent first.
    pub rows: Vec<SlipRow>,
    /// Refused calls beyond the slips that are told apart.
    pub others: u64,
}

/// One thing that is got wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SlipRow {
    /// The tool, or the name that no tool has.
    pub tool: String,
    /// The code, its place with `*` for the number of an item.
    pub code: String,
    /// How often.
    pub calls: u64,
    /// What was wrong, without the value; nothing where it was the text of the arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slip: Option<Slip>,
    /// How many different values came, where values are told apart by their digests; the count ends at 100.
    pub values: usize,
    /// One of the values, where the log has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Counted {
    slips: BTreeMap<(String, String, Option<Slip>), Count>,
    others: u64,
}

#[derive(Debug, Default)]
struct Count {
    calls: u64,
    digests: BTreeSet<String>,
    example: Option<String>,
}

impl Counted {
    pub(super) fn add(&mut self, record: &CallRecord) {
        // What a repair made up for is got wrong all the same.
        let code = match record.verdict {
            Ended::Refused => record.code.as_ref(),
            Ended::Done | Ended::Failed => {
                record.slip.as_ref().and(record.repaired.first()).map(|repair| &repair.reason)
            }
        };
        let Some(code) = code else { return };
        let mut slip = record.slip.clone();
        let (mut seen, mut shown) = (None, None);
        if let Some(Slip::WrongValue { got: _, n_permitted: _, nearest: _, digest, value }) = &mut slip {
            (seen, shown) = (digest.take(), value.take());
        }
        let key = (record.tool.clone(), anywhere(code), slip);
        if self.slips.len() >= MAX_TOLD_APART && !self.slips.contains_key(&key) {
            plus_one(&mut self.others);
            return;
        }
        let count = self.slips.entry(key).or_default();
        plus_one(&mut count.calls);
        if count.digests.len() < MAX_VALUES {
            count.digests.extend(seen);
        }
        count.example = count.example.take().or(shown);
    }

    pub(super) fn finish(self) -> Slips {
        let rows = self.slips.into_iter().map(|((tool, code, slip), count)| SlipRow {
            tool,
            code,
            calls: count.calls,
            slip,
            values: count.digests.len(),
            example: count.example,
        });
        let mut rows: Vec<SlipRow> = rows.collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.calls));
        Slips { rows, others: self.others }
    }
}

/// The code with `*` in the place of each number of an item: the same slip in another row is the same slip.
fn anywhere(code: &str) -> String {
    let Some((rule, at)) = code.match_indices(':').nth(1).and_then(|(at, _)| code.split_at_checked(at)) else {
        return code.to_owned();
    };
    let at = at.trim_start_matches(':').split('.');
    let is_number = |step: &str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    let steps: Vec<&str> = at.map(|step| if is_number(step) { "*" } else { step }).collect();
    format!("{rule}:{}", steps.join("."))
}

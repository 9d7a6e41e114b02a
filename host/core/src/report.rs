//! Report: what a call log says is to be mended, and where.
//!
//! Adds up and concludes; reads no file and prints nothing. Refusals and failures stay apart: the first are answered in the
//! tools' declarations, the second in the tools and in what they stand on. Whatever a log holds, what is kept of it is bounded.

mod findings;
mod rates;
mod recovery;
mod slips;

use std::io::{self, BufRead, Read};

use serde::Serialize;

pub use self::findings::{Finding, LookAt};
pub use self::rates::{CodeRow, Ends, StageRow, ToolRow};
pub use self::recovery::{Bound, BoundRow, Episodes, Recovery};
pub use self::slips::{SlipRow, Slips};
use crate::call_log::CallRecord;
use crate::text;
use crate::units::ByteCount;

/// Most bytes of a line. Ours have a few hundred, with arguments a few thousand; a file without line ends would otherwise be
/// held whole.
pub const MAX_LOG_LINE: ByteCount = ByteCount::mib(1);

/// Most damaged lines that are named. The rest are counted: a file that is no log has one per line.
const MAX_NAMED: usize = 20;

/// What a log says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// What was read.
    pub lines: Lines,
    /// How many turns the calls came in.
    pub turns: u64,
    /// How many conversations are named; lines without a name are read as one conversation.
    pub conversations: u64,
    /// The first and the last time that a line has, in milliseconds since the beginning of 1970, UTC.
    pub between_ms: Option<(u64, u64)>,
    /// How all calls ended.
    pub ends: Ends,
    /// The stages, in the order of the line.
    pub stages: Vec<StageRow>,
    /// How often calls ended by each rule, in the order of the line.
    pub codes: Vec<CodeRow>,
    /// The tools, most refused and failed calls first; without a name those together that asked for no tool there is.
    pub tools: Vec<ToolRow>,
    /// Slips that were read as what they mean, by name, most frequent first.
    pub recorded: Vec<(String, u64)>,
    /// How refusals went on.
    pub recovery: Recovery,
    /// What models keep getting wrong, most frequent first.
    pub slips: Slips,
    /// What to look at, most calls first.
    pub findings: Vec<Finding>,
}

/// What was read of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Lines {
    /// Lines that are calls.
    pub read: u64,
    /// Lines that are not, and were passed over.
    pub damaged: u64,
    /// The first of them.
    pub first_damaged: Vec<DamagedLine>,
}

/// A line that is no call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DamagedLine {
    /// Its number, counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub problem: String,
}

impl Report {
    /// Reads a whole log. A damaged line is named, counted and passed over; an empty one is none.
    ///
    /// # Errors
    /// Only what the reader itself gives.
    pub fn read(mut log: impl BufRead) -> io::Result<Self> {
        let mut collector = Collector::default();
        let mut bytes = Vec::new();
        let mut n_lines: u64 = 0;
        while next_line(&mut log, &mut bytes)? {
            n_lines = n_lines.saturating_add(1);
            if let Err(problem) = collector.line(&bytes) {
                collector.damaged(n_lines, &problem);
            }
        }
        Ok(collector.finish())
    }
}

/// Reads up to the end of a line, or a little more than the longest line there may be, and passes over the rest of it.
fn next_line(log: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let most = MAX_LOG_LINE.get().saturating_add(1);
    bytes.clear();
    log.by_ref().take(most).read_until(b'\n', bytes)?;
    let mut rest = Vec::new();
    let mut is_cut = ByteCount::of(bytes) > MAX_LOG_LINE && !bytes.ends_with(b"\n");
    while is_cut {
        rest.clear();
        log.by_ref().take(most).read_until(b'\n', &mut rest)?;
        is_cut = !rest.is_empty() && !rest.ends_with(b"\n");
    }
    Ok(!bytes.is_empty())
}

/// A report in the making.
#[derive(Debug, Default)]
struct Collector {
    lines: Lines,
    between_ms: Option<(u64, u64)>,
    rates: rates::Rates,
    recovery: recovery::Tracker,
    slips: slips::Counted,
}

impl Collector {
    fn line(&mut self, bytes: &[u8]) -> Result<(), String> {
        if ByteCount::of(bytes) > MAX_LOG_LINE {
            return Err(format!("longer than {MAX_LOG_LINE}"));
        }
        let Ok(line) = std::str::from_utf8(bytes) else {
            return Err("no UTF-8".to_owned());
        };
        if line.trim().is_empty() {
            return Ok(());
        }
        let record = CallRecord::parse(line).map_err(|not| not.to_string())?;
        self.rates.add(&record)?;
        self.recovery.add(&record);
        self.slips.add(&record);
        self.lines.read = self.lines.read.saturating_add(1);
        let (first, last) = self.between_ms.unwrap_or((record.time_ms, record.time_ms));
        self.between_ms = Some((first.min(record.time_ms), last.max(record.time_ms)));
        Ok(())
    }

    fn damaged(&mut self, line: u64, problem: &str) {
        self.lines.damaged = self.lines.damaged.saturating_add(1);
        if self.lines.first_damaged.len() < MAX_NAMED {
            self.lines.first_damaged.push(DamagedLine { line, problem: text::one_line(problem, 160) });
        }
    }

    fn finish(self) -> Report {
        let (recovery, turns, conversations) = self.recovery.finish();
        let slips = self.slips.finish();
        let rates = self.rates.finish();
        let findings = findings::of(&rates.tools, &slips, &recovery);
        Report {
            lines: self.lines,
            turns,
            conversations,
            between_ms: self.between_ms,
            ends: rates.ends,
            stages: rates.stages,
            codes: rates.codes,
            tools: rates.tools,
            recorded: rates.recorded,
            recovery,
            slips,
            findings,
        }
    }
}

#[cfg(test)]
mod tests;

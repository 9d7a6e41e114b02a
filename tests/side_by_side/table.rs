//! Table: what each design did, counted by kind and held to the labels.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::{Design, Ended, Kind, Line, Outcome};

/// Turns, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All of them.
    pub turns: u32,
    /// The labelled tool acted on the labelled arguments.
    pub as_labelled: u32,
    /// A tool was called with other arguments than the labelled ones, or where no call is right.
    pub mismatched: u32,
    /// Of those: nobody was told.
    pub silent: u32,
    /// Of those: the tool raised.
    pub raising: u32,
    /// No tool was called.
    pub refused: u32,
}

impl Counts {
    fn add(&mut self, outcome: Outcome) {
        let column = match outcome {
            Outcome::AsLabelled => &mut self.as_labelled,
            Outcome::Silent => &mut self.silent,
            Outcome::Raising => &mut self.raising,
            Outcome::Refused => &mut self.refused,
        };
        *column = column.saturating_add(1);
        self.turns = self.turns.saturating_add(1);
        self.mismatched = self.silent.saturating_add(self.raising);
    }

    fn row(&self, kind: &str) -> String {
        let Self { turns, as_labelled, mismatched, silent, raising, refused } = self;
        format!("{kind:<11} {turns:>5}  {as_labelled:>11}  {mismatched:>10}  {silent:>6}  {raising:>7}  {refused:>7}")
    }
}

/// What every design did with every turn.
#[derive(Debug, Default)]
pub struct Comparison {
    by_kind: BTreeMap<(Design, Kind), Counts>,
    in_all: BTreeMap<Design, Counts>,
    disagreements: Vec<String>,
}

/// A row for a program.
#[derive(Serialize)]
struct Row<'c> {
    design: Design,
    /// Absent for all kinds together.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    #[serde(flatten)]
    counts: &'c Counts,
}

impl Comparison {
    pub(super) fn add(&mut self, design: Design, line: &Line, ended: &Ended) {
        let right = line.right.as_ref();
        let outcome = ended.outcome(right);
        self.by_kind.entry((design, line.kind)).or_default().add(outcome);
        self.in_all.entry(design).or_default().add(outcome);
        let (label, word) = (line.label(design), ended.word(right));
        if word != label {
            let (id, kind) = (&line.id, words(line.kind));
            self.disagreements
                .push(format!("{id} ({kind}), {}: labelled `{label}`, is `{word}`: {ended}", title(design)));
        }
    }

    /// Every turn that a design ended otherwise than its label says, one line each.
    pub fn disagreements(&self) -> &[String] {
        &self.disagreements
    }

    /// All kinds of one design together.
    pub fn in_all(&self, design: Design) -> Counts {
        self.in_all.get(&design).copied().unwrap_or_default()
    }

    /// Rows for a program: each design's kinds, then all of them together.
    pub fn json(&self) -> serde_json::Result<String> {
        let kinds =
            self.by_kind.iter().map(|((design, kind), counts)| Row { design: *design, kind: Some(*kind), counts });
        let totals = self.in_all.iter().map(|(design, counts)| Row { design: *design, kind: None, counts });
        let rows: Vec<Row<'_>> = kinds.chain(totals).collect();
        serde_json::to_string_pretty(&serde_json::json!({"rows": rows, "disagreements": self.disagreements}))
    }
}

/// A table for a terminal.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, design) in Design::ALL.into_iter().enumerate() {
            if nth > 0 {
                writeln!(f)?;
            }
            writeln!(f, "{}", title(design))?;
            writeln!(f, "kind        turns  as labelled  mismatched  silent  raising  refused")?;
            for ((_, kind), counts) in self.by_kind.iter().filter(|((of, _), _)| *of == design) {
                writeln!(f, "{}", counts.row(words(*kind)))?;
            }
            writeln!(f, "{}", self.in_all(design).row("all"))?;
        }
        Ok(())
    }
}

const fn title(design: Design) -> &'static str {
    match design {
        Design::Loop => "the hand-parsed loop",
        Design::Toolgate => "Toolgate",
        Design::WithCoercion => "Toolgate with coercion",
    }
}

const fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Plain => "plain",
        Kind::Comma => "comma",
        Kind::Keyword => "keyword",
        Kind::FullStop => "full stop",
        Kind::Split => "split",
        Kind::Missing => "missing",
        Kind::Invented => "invented",
        Kind::Unreadable => "unreadable",
        Kind::Slip => "slip",
    }
}

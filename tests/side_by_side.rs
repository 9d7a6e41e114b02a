//! The two designs, side by side: the same turns through a loop that parses a model's prose by hand, and through Toolgate.
//!
//! `side_by_side/corpus.jsonl` is one turn a line: what the loop reads, what a provider hands over for the same intent, and
//! by hand what is right and how each design ends. Counts what the two did and holds it to the labels. Times nothing, and
//! asks no model: what one makes of a refusal cannot be told from here.

/// The functions behind the loop.
mod functions;
/// Toolgate in front of the same tools.
mod gated;
/// The loop.
mod hand_parsed;
/// What is counted, for people and for programs.
mod table;

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use toolgate::Coercion;

pub use self::table::{Comparison, Counts};

const CORPUS: &str = include_str!("side_by_side/corpus.jsonl");

/// What is wrong with a turn, by the name that the corpus gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Nothing.
    Plain,
    /// A comma inside a value.
    Comma,
    /// A value with its argument's name before it.
    Keyword,
    /// A full stop after the last value.
    FullStop,
    /// A value over two lines.
    Split,
    /// An argument that has to be there is not.
    Missing,
    /// An argument that the tool does not have.
    Invented,
    /// A value from which nothing can be read.
    Unreadable,
    /// The prose is in order and the provider's call is not, though a person sees what is meant.
    Slip,
}

/// One of the designs that are held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// A pattern finds the action in the prose, and its values are handed to a function in their order.
    Loop,
    /// `Host::call` as it is.
    Toolgate,
    /// `Host::call` of a host that reads values which can mean only one thing.
    WithCoercion,
}

impl Design {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 3] = [Self::Loop, Self::Toolgate, Self::WithCoercion];
}

/// A tool and the arguments it acted on, or should have.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dispatch {
    tool: String,
    arguments: Value,
}

/// A call as its provider hands it over.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProviderCall {
    name: String,
    arguments: Box<RawValue>,
}

/// A line of the corpus. How a design ends it is one word: `right`, `silent`, `raises`, or the code of a refusal.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    kind: Kind,
    text: String,
    call: ProviderCall,
    right: Option<Dispatch>,
    /// Why no dispatch is right, where none is.
    why: Option<String>,
    #[serde(rename = "loop")]
    by_loop: String,
    toolgate: String,
    /// Where it differs from `toolgate`.
    with_coercion: Option<String>,
}

impl Line {
    fn label(&self, design: Design) -> &str {
        match design {
            Design::Loop => &self.by_loop,
            Design::Toolgate => &self.toolgate,
            Design::WithCoercion => self.with_coercion.as_ref().unwrap_or(&self.toolgate),
        }
    }
}

/// What a design did with a turn.
enum Ended {
    /// It called a tool, which acted on these arguments. What the tool filled in by itself is not among them.
    Acted(Dispatch),
    /// It called a tool, which raised.
    Raised(String),
    /// It called nothing, for this reason.
    Refused(String),
}

/// What is counted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    AsLabelled,
    Silent,
    Raising,
    Refused,
}

impl Ended {
    fn outcome(&self, right: Option<&Dispatch>) -> Outcome {
        match self {
            Self::Acted(dispatch) if Some(dispatch) == right => Outcome::AsLabelled,
            Self::Acted(_) => Outcome::Silent,
            Self::Raised(_) => Outcome::Raising,
            Self::Refused(_) => Outcome::Refused,
        }
    }

    /// The word that a label has for it.
    fn word(&self, right: Option<&Dispatch>) -> &str {
        match (self.outcome(right), self) {
            (_, Self::Refused(reason)) => reason,
            (Outcome::AsLabelled, _) => "right",
            (Outcome::Raising, _) => "raises",
            (Outcome::Silent | Outcome::Refused, _) => "silent",
        }
    }
}

/// What it did, for a disagreement.
impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Acted(Dispatch { tool, arguments }) => write!(f, "{tool} acted on {arguments}"),
            Self::Raised(reason) => write!(f, "raised: {reason}"),
            Self::Refused(reason) => write!(f, "refused: {reason}"),
        }
    }
}

/// Runs every turn of the corpus through every design, over a guest that answers with its arguments. An error is a corpus
/// that cannot be read, a tool that does not load, or a refusal that made a store.
pub async fn compare(mirror: &[u8]) -> Result<Comparison> {
    let by_hand = hand_parsed::HandParsed::new()?;
    let strict = gated::Gated::load(mirror, Coercion::Off).await?;
    let coercing = gated::Gated::load(mirror, Coercion::Lossless).await?;
    let mut comparison = Comparison::default();
    for line in corpus()? {
        comparison.add(Design::Loop, &line, &by_hand.run(&line.text));
        comparison.add(Design::Toolgate, &line, &strict.run(&line.call).await?);
        comparison.add(Design::WithCoercion, &line, &coercing.run(&line.call).await?);
    }
    Ok(comparison)
}

fn corpus() -> Result<Vec<Line>> {
    let mut ids = BTreeSet::new();
    let mut lines = Vec::new();
    for (before, text) in CORPUS.lines().enumerate() {
        let line: Line =
            serde_json::from_str(text).with_context(|| format!("line {} of the corpus", before.saturating_add(1)))?;
        ensure!(ids.insert(line.id.clone()), "{}: the id stands twice", line.id);
        ensure!(
            line.right.is_some() != line.why.is_some(),
            "{}: a dispatch is right, or it is said why none is",
            line.id
        );
        lines.push(line);
    }
    Ok(lines)
}

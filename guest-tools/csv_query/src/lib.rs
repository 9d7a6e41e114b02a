//! `csv_query`: filters, sorts, selects and sums the CSV files of one granted directory.
//!
//! Numbers are compared and summed as exact decimals, and every cell of the answer is the text of the file or such a
//! decimal, so nothing is rounded on the way to the model. Leaves out joins, expressions and writing.

mod cell;
mod query;
mod table;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::{Access, Capabilities, Declaration, Directory, Failure};

toolgate_sdk::tool!(
    csv_query,
    Declaration {
        name: "csv_query",
        version: "1.0.0",
        title: Some("Query CSV files"),
        description: "Answers a question about one CSV file: keeps the rows that fit all conditions, then sorts, selects \
                      columns and limits, or counts and sums by group. Asking for a file or column that is not there \
                      gives the names that are.",
        capabilities: Capabilities {
            fs: &[Directory { path: "/data", access: Access::ReadOnly, reason: "the CSV files are read there" }],
        },
        may_be_empty: &["/rows"],
        ..Declaration::read()
    }
);

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Name of the file, for example `orders.csv`.
    #[schemars(length(min = 1))]
    file: String,
    /// Conditions that a row has to fit, all of them.
    #[serde(default, rename = "where")]
    conditions: Vec<Condition>,
    /// Order of the rows; that of the file if left out.
    sort: Option<Sort>,
    /// Columns to answer with, in this order; all if left out. Not together with `sum` or `group_by`.
    #[schemars(length(min = 1))]
    select: Option<Vec<String>>,
    /// Column to sum exactly. Empty cells count as nothing.
    sum: Option<String>,
    /// Column whose equal cells make a group. The answer has one row per group, with the number of its rows.
    group_by: Option<String>,
    /// Most rows to answer with.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u16,
}

/// As many rows as a model can take in at once.
fn default_limit() -> u16 {
    50
}

#[derive(Deserialize, JsonSchema)]
struct Condition {
    column: String,
    /// `contains` looks for the value in the cell's text, upper and lower case told apart.
    op: Operator,
    /// What a cell is compared with: as a number if both are numbers, as text if not. A cell that is no number is neither
    /// below nor above one.
    value: Operand,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Operator {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Contains,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Operand {
    Text(String),
    Number(serde_json::Number),
}

#[derive(Deserialize, JsonSchema)]
struct Sort {
    /// Column to sort by; with `sum` or `group_by` one of the answer's columns. Numbers come before text.
    column: String,
    /// Largest first.
    #[serde(default)]
    descending: bool,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// Names of the columns.
    #[schemars(length(min = 1))]
    columns: Vec<String>,
    /// One list per row, as long as `columns`; empty if no row fits.
    rows: Vec<Vec<String>>,
    /// Rows there would be without `limit`.
    found: u64,
}

fn csv_query(input: Input) -> Result<Output, Failure> {
    let table = table::open(&input.file)?;
    query::answer(table, input)
}

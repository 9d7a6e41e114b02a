//! Ratios: what the line costs, held in one run against the least that the same work could cost.
//!
//! An accepted call against the bare runtime on the same component, arguments and engine profile, and beside it how others
//! isolate a call; a refused call against parsing the same text; what a second core brings, and what is kept mapped. All
//! sides run in turn, so that a busy machine is busy for all, and only their ratio is a promise. Prints tables, or JSON with
//! `--json`; says nothing about single stages (`stages`, `phases`).
//!
//! ```text
//! cargo bench --bench ratios
//! cargo bench --bench ratios -- --json
//! cargo bench --bench ratios -- 'missing key'
//! cargo bench --bench ratios -- cores
//! cargo bench --bench ratios -- --component FILE --arguments '{"text": "hi"}'
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the tables are what this program is for")]

/// Calls that run.
mod accepted;
/// How often memory is asked for.
mod allocations;
/// Rules, a session and a memory around a call.
mod around;
/// What a second worker brings.
mod cores;
/// Texts to refuse, and the contract that refuses them.
mod corpus;
/// What stays mapped between calls.
mod kept;
/// How others isolate a call.
mod peers;
/// The bare runtime.
mod raw;
/// Calls that do not.
mod refused;
/// Who is timed when.
mod rounds;
/// What is printed.
mod table;

mod guests {
    //! One constant per component, made by the build script.
    #![expect(dead_code, reason = "most guests are hostile, and the tests run them")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

use std::path::PathBuf;

use serde::Serialize;

use crate::cores::Gains;
use crate::table::Row;

/// What may fail: a guest that does not load, a call that ends otherwise than it should.
type Anyhow<T> = anyhow::Result<T>;

/// What the command line asks for.
#[derive(Default)]
struct Asked {
    json: bool,
    /// Only the cases whose name holds this.
    cases: String,
    component: Option<PathBuf>,
    arguments: Option<String>,
}

impl Asked {
    /// Cargo adds `--bench`, which is not for us.
    fn read(mut words: impl Iterator<Item = String>) -> Anyhow<Self> {
        let mut asked = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--bench" => {}
                "--json" => asked.json = true,
                "--component" => asked.component = words.next().map(PathBuf::from),
                "--arguments" => asked.arguments = words.next(),
                option if option.starts_with('-') => {
                    anyhow::bail!(
                        "`{option}` is no option: --json, --component FILE --arguments JSON, or a part of a case's name"
                    )
                }
                _ => asked.cases = word,
            }
        }
        Ok(asked)
    }
}

/// Everything measured in one run.
#[derive(Default, Serialize)]
struct Measured {
    /// Calls that ran, against the bare runtime.
    accepted: Vec<Row>,
    /// Calls that were refused, against parsing their text.
    refused: Vec<Row>,
    /// What stands around a call, against the call alone.
    around: Vec<Row>,
    /// Other settings of the pool, against the host's own.
    kept: Vec<Row>,
    /// What a second worker brings.
    cores: Option<Gains>,
}

fn main() -> Anyhow<()> {
    let asked = Asked::read(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut measured = runtime.block_on(measure(&asked))?;
    if asked.component.is_none() {
        measured.cores = cores::all(&asked.cases)?;
    }
    if asked.json {
        println!("{}", serde_json::to_string_pretty(&measured)?);
        return Ok(());
    }
    for (title, rows) in [
        (accepted::TITLE, &measured.accepted),
        (refused::TITLE, &measured.refused),
        (around::TITLE, &measured.around),
        (kept::TITLE, &measured.kept),
    ] {
        if !rows.is_empty() {
            println!("{}", table::render(&title, rows));
        }
    }
    if let Some(gains) = &measured.cores {
        println!("{}", gains.render());
    }
    Ok(())
}

async fn measure(asked: &Asked) -> Anyhow<Measured> {
    if let Some(file) = &asked.component {
        let arguments = asked.arguments.as_deref().unwrap_or("{}");
        let name = file.display().to_string();
        let accepted = accepted::component(&name, std::fs::read(file)?, arguments).await?;
        return Ok(Measured { accepted, ..Measured::default() });
    }
    let words = &asked.cases;
    Ok(Measured {
        accepted: accepted::all(words).await?,
        refused: refused::all(words).await?,
        around: around::all(words).await?,
        kept: kept::all(words).await?,
        cores: None,
    })
}

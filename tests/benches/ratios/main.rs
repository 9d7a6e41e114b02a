//! Ratios: what the line costs, held in one run against the least that the same work could cost.
//!
//! An accepted call against the bare runtime on the same component, arguments and engine profile; a refused call against
//! parsing the same text. Both sides run in turn, so that a busy machine is busy for both, and only their ratio is a
//! promise. Prints tables, or JSON with `--json`; says nothing about single stages (`stages`).
//!
//! ```text
//! cargo bench --bench ratios
//! cargo bench --bench ratios -- --json
//! cargo bench --bench ratios -- 'missing key'
//! cargo bench --bench ratios -- --component FILE --arguments '{"text": "hi"}'
//! ```

#![expect(clippy::print_stdout, reason = "the tables are what this program is for")]

/// Calls that run.
mod accepted;
/// How often memory is asked for.
mod allocations;
/// Texts to refuse, and the contract that refuses them.
mod corpus;
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
}

fn main() -> Anyhow<()> {
    let asked = Asked::read(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let measured = runtime.block_on(measure(&asked))?;
    if asked.json {
        println!("{}", serde_json::to_string_pretty(&measured)?);
        return Ok(());
    }
    if !measured.accepted.is_empty() {
        println!("{}", table::render(&accepted::TITLE, &measured.accepted));
    }
    if !measured.refused.is_empty() {
        println!("{}", table::render(&refused::TITLE, &measured.refused));
    }
    Ok(())
}

async fn measure(asked: &Asked) -> Anyhow<Measured> {
    if let Some(file) = &asked.component {
        let arguments = asked.arguments.as_deref().unwrap_or("{}");
        let name = file.display().to_string();
        let row = accepted::one(&name, std::fs::read(file)?, arguments).await?;
        return Ok(Measured { accepted: vec![row], refused: Vec::new() });
    }
    Ok(Measured { accepted: accepted::all(&asked.cases).await?, refused: refused::all(&asked.cases).await? })
}

//! Phases: where the time of a call goes, stage by stage and step by step, for a tool of each language.
//!
//! The times are the host's own, as `Usage` reports them: median and 99th percentile over many calls. How a whole call compares
//! is for `ratios`.
//!
//! ```text
//! cargo bench --bench phases [-- --calls 2000] [--json]
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the table is what this program is for")]

mod guests {
    //! One constant per component, made by the build script.
    #![expect(dead_code, reason = "most guests are hostile, and the tests run them")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use toolgate::{Host, Phase, RawCall, Stage, ToolSource, Usage};

/// Calls that are not counted: caches and the pool's slots are cold in them.
const WARM_UP: usize = 50;

/// Longest that one tool is called for.
const AT_MOST: Duration = Duration::from_secs(10);

/// A tool, arguments that it takes, and in which language it is written.
struct Subject {
    language: &'static str,
    bytes: Cow<'static, [u8]>,
    arguments: &'static str,
}

/// One tool's times.
#[derive(Serialize)]
struct Row {
    tool: String,
    language: &'static str,
    calls: usize,
    /// Stage by stage and step by step, in the order of the line, and all of it last.
    times: Vec<Column>,
}

/// Time in one of them, in microseconds.
#[derive(Serialize)]
struct Column {
    name: &'static str,
    p50_us: f64,
    p99_us: f64,
}

/// What the command line asks for.
struct Asked {
    n_calls: usize,
    json: bool,
}

fn main() -> Result<()> {
    let asked = Asked::read(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let rows = subjects().into_iter().map(|subject| runtime.block_on(measure(&subject, asked.n_calls)));
    let rows: Vec<Row> = rows.collect::<Result<_>>()?;
    if asked.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        println!("{}", render(&rows));
    }
    Ok(())
}

impl Asked {
    /// Cargo adds `--bench`, which is not for us.
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let mut asked = Self { n_calls: 2_000, json: false };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--bench" => {}
                "--json" => asked.json = true,
                "--calls" => asked.n_calls = words.next().context("--calls takes a number")?.parse()?,
                _ => bail!("`{word}` is no option: --calls NUMBER, --json"),
            }
        }
        Ok(asked)
    }
}

/// What can be called here; the rest is said.
fn subjects() -> Vec<Subject> {
    let of = |language, bytes, arguments| Subject { language, bytes: Cow::Borrowed(bytes), arguments };
    let mut subjects = vec![
        of("Rust", guests::OK_ECHO, r#"{"text":"two boxes of tea, please"}"#),
        of("Rust", guests::STOCK_LOOKUP, r#"{"sku":"KB-104","region":"busan","limit":2}"#),
        of("Rust", guests::SEARCH_ORDERS, r#"{"customer_id":"cus_8812","status":"open"}"#),
    ];
    for (language, file) in [("C", "c"), ("JavaScript", "javascript"), ("Python", "python")] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/languages").join(format!("{file}.wasm"));
        match std::fs::read(&path) {
            Ok(bytes) => subjects.push(Subject {
                language,
                bytes: Cow::Owned(bytes),
                arguments: r#"{"items":3,"total_cents":1000}"#,
            }),
            Err(_) => eprintln!("{language} is left out: `languages/build {file}` builds it"),
        }
    }
    subjects
}

/// The stages in order, the steps of the sandbox in its place; all of it is what a call takes.
fn columns() -> impl Iterator<Item = &'static str> {
    let stages = Stage::ALL.iter().filter(|stage| **stage != Stage::Sandbox && **stage != Stage::Check);
    let names = stages.map(|stage| stage.name()).chain(Phase::ALL.iter().map(|phase| phase.name()));
    names.chain([Stage::Check.name(), "all"])
}

/// A table for a terminal.
fn render(rows: &[Row]) -> String {
    let names: String = columns().map(|name| format!("{name:>18}")).collect();
    let mut out = format!("median and 99th percentile, in µs\n{:<34} {:>5}{names}\n", "tool", "calls");
    for Row { tool, language, calls, times } in rows {
        let times = times.iter().map(|time| format!("{:>18}", format!("{:.2} {:.2}", time.p50_us, time.p99_us)));
        out += &format!("{:<34} {calls:>5}{}\n", format!("{tool} ({language})"), times.collect::<String>());
    }
    out
}

/// One row of the table.
#[expect(clippy::disallowed_methods, reason = "a benchmark is about the real clock")]
async fn measure(subject: &Subject, n_calls: usize) -> Result<Row> {
    let source = ToolSource::new(subject.language, subject.bytes.clone());
    let host = Host::builder().tool(source).build().await?;
    let tool = host.tools().next().context("one tool is loaded")?.name().to_owned();
    let call = RawCall::new(tool.as_str(), subject.arguments).with_id("call_1");
    let start = std::time::Instant::now();
    let mut usages = Vec::new();
    for nth in 0..n_calls.saturating_add(WARM_UP) {
        let reply = host.call(call.clone()).await;
        ensure!(reply.is_done(), "{}", reply.operator_line());
        if nth >= WARM_UP {
            usages.push(reply.usage);
        }
        if start.elapsed() > AT_MOST && nth > WARM_UP {
            break;
        }
    }
    let times = columns().map(|name| {
        let [p50_us, p99_us] = percentiles(usages.iter().map(|usage| time(usage, name)));
        Column { name, p50_us, p99_us }
    });
    Ok(Row { tool, language: subject.language, calls: usages.len(), times: times.collect() })
}

fn time(usage: &Usage, name: &str) -> Duration {
    let stage = Stage::ALL.iter().find(|stage| stage.name() == name).and_then(|stage| usage.stages.of(*stage));
    let phase = || Phase::ALL.iter().find(|phase| phase.name() == name).and_then(|phase| usage.phases.of(*phase));
    stage.or_else(phase).unwrap_or_else(|| usage.total())
}

/// Median and 99th percentile, in microseconds.
fn percentiles(times: impl Iterator<Item = Duration>) -> [f64; 2] {
    let mut times: Vec<f64> = times.map(|time| time.as_secs_f64() * 1e6).collect();
    times.sort_unstable_by(f64::total_cmp);
    [50_usize, 99].map(|nth| {
        let idx = times.len().saturating_mul(nth).div_euclid(100);
        // To ten nanoseconds.
        (times.get(idx).copied().unwrap_or(f64::NAN) * 1e2).round() / 1e2
    })
}

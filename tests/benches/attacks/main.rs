//! Attacks: what it costs to turn down, or to take, a schema that was made to be expensive.
//!
//! Prints a table of time and memory, the dearest first, against the goal that none takes more than 10 ms and 8 MiB. The
//! codes are held by `it/attacks.rs`; no test times anything.
//!
//! ```text
//! cargo bench --bench attacks
//! cargo bench --bench attacks -- references
//! ```

#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

/// How much memory is held.
mod peak;

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate::Schema;
use toolgate_fuzz::attacks::{costly_items, schemas};

/// What one attack should take at most.
const GOAL: (Duration, usize) = (Duration::from_millis(10), 8 << 20);

/// How often each is measured; the quickest counts, since everything else on the machine only slows it down.
const ROUNDS: u32 = 5;

struct Row {
    name: String,
    code: String,
    time: Duration,
    peak: usize,
}

fn main() {
    // Cargo adds `--bench`, which is not for us.
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with("--")).unwrap_or_default();
    let mut rows: Vec<Row> = Vec::new();
    for attack in schemas().into_iter().filter(|attack| attack.name.contains(&wanted)) {
        let compile = || Schema::compile(&attack.schema).map_or_else(|error| error.code(), |_| "good");
        rows.push(measured(&attack.name, || compile().to_owned()));
    }
    rows.extend(checks().into_iter().filter(|(name, _, _)| name.contains(&wanted)).map(|(name, schema, value)| {
        let schema = Schema::compile_open(&schema.to_string()).expect("compiles");
        measured(&format!("check: {name}"), || {
            let found = schema.find_violation(&value).map(|violation| format!("{:?}", violation.keyword));
            format!("{} {}", schema.accepts(&value), found.unwrap_or_default())
        })
    }));
    rows.sort_by_key(|row| std::cmp::Reverse(row.time));
    println!("{:<52} {:<18} {:>9} {:>9}", "attack", "outcome", "ms", "KiB");
    for Row { name, code, time, peak } in &rows {
        let mark = if *time > GOAL.0 || *peak > GOAL.1 { "  <- over" } else { "" };
        println!("{name:<52} {code:<18} {:>9.3} {:>9}{mark}", time.as_secs_f64() * 1e3, peak >> 10);
    }
}

/// Values that are expensive to hold against a schema, within what the registry lets through.
fn checks() -> Vec<(&'static str, Value, Value)> {
    let costly = costly_items();
    let most = Schema::compile(&costly.to_string()).expect("compiles").most_values();
    let rows: Vec<Value> = (3..most).map(Value::from).collect();
    let numbers: Vec<u32> = (0..99_990).collect();
    let texts: Vec<String> = (0..30).map(|nth| "a".repeat(65_536_usize.saturating_sub(nth))).collect();
    vec![
        ("as many items as a costly schema takes", costly, json!({ "rows": rows })),
        ("100 000 different items", json!({"uniqueItems": true}), json!(numbers)),
        (
            "100 000 items, the last one twice",
            json!({"uniqueItems": true}),
            json!(numbers.iter().copied().chain([99_989]).collect::<Vec<_>>()),
        ),
        (
            "450 arms with items",
            json!({"allOf": vec![json!({"items": {"type": "integer"}}); 450]}),
            json!(numbers.iter().take(4_000).collect::<Vec<_>>()),
        ),
        (
            "20 patterns on 1 MiB",
            json!({"allOf": vec![json!({"pattern": "^([^x]*[a-z])+.?z$"}); 20]}),
            json!("ab".repeat(1 << 19)),
        ),
        ("a text of 1 MiB that should be a pattern", json!({"format": "regex"}), json!("a|".repeat(1 << 19))),
        ("a text of 1 MiB that should be an address", json!({"format": "email"}), json!("a.".repeat(1 << 19))),
        ("a text of 1 MiB that should be a template", json!({"format": "uri-template"}), json!("{a}".repeat(1 << 18))),
        (
            "50 000 keys against 90 patterns",
            json!({"patternProperties": keyed("^n", 90)}),
            Value::Object(keyed("k", 1_000)),
        ),
        ("a backtracking pattern on 2 MiB", json!({"items": {"pattern": "^(a+)+$"}}), json!(texts)),
    ]
}

fn keyed(prefix: &str, count: usize) -> serde_json::Map<String, Value> {
    (0..count).map(|nth| (format!("{prefix}{nth}"), Value::Bool(true))).collect()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is about the real clock")]
fn measured(name: &str, run: impl Fn() -> String) -> Row {
    let (code, peak) = peak::of(|| black_box(run()));
    let time = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    });
    Row { name: name.to_owned(), code, time: time.min().unwrap_or_default(), peak }
}

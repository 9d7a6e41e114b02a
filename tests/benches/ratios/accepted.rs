//! Accepted: a call that runs, through the public door, against the bare runtime and against how others isolate it.
//!
//! Each way is timed as a pair with the bare runtime and with nothing in between; a slow one in fewer rounds.

use std::borrow::Cow;
use std::hint::black_box;
use std::path::Path;

use anyhow::{Context, ensure};
use futures_util::FutureExt;
use serde_json::Value;
use toolgate::{Allocation, Host, RawCall, ToolSource};

use crate::peers::{self, LinkedPerCall};
use crate::raw::{Answer, RawTool};
use crate::rounds::{Sample, Watch, Way, against};
use crate::table::{Row, Title};
use crate::{Anyhow, guests};

pub(crate) const TITLE: Title = Title {
    what: "accepted call against raw wasmtime (same component, arguments and engine profile; raw parses no JSON)",
    goal: "goal of Host::call: ratio at most 1.25 and at most 5 µs on top",
};

/// A tool with arguments that it takes, and the same tool in Python, where there is one.
struct Case {
    name: String,
    bytes: Cow<'static, [u8]>,
    arguments: String,
    python: Option<String>,
}

/// Reads a table that stands in the repository and picks the row asked for.
const STOCK_IN_PYTHON: &str = r#"
import json, sys
a = json.loads(sys.argv[1])
rows = [r for r in STOCK[a["sku"]] if r["region"] == a["region"]][: a["limit"]]
print(json.dumps({"sku": a["sku"], "rows": [{"warehouse": r["warehouse"], "on_hand": r["on_hand"]} for r in rows]}))
"#;

const ORDERS_IN_PYTHON: &str = r#"
import json, sys
a = json.loads(sys.argv[1])
print(json.dumps({"orders": [o for o in ORDERS[a["customer_id"]] if o["status"] == a.get("status", o["status"])]}))
"#;

const ECHO_IN_PYTHON: &str = "import json, sys; print(json.dumps(json.loads(sys.argv[1])))";

const PRICE_IN_PYTHON: &str = r#"
import json, sys
a = json.loads(sys.argv[1])
print(json.dumps({"cents": a["total_cents"] // a["items"]}))
"#;

impl Case {
    fn new(name: &str, bytes: impl Into<Cow<'static, [u8]>>, arguments: &str, python: Option<String>) -> Self {
        Self { name: name.to_owned(), bytes: bytes.into(), arguments: arguments.to_owned(), python }
    }
}

fn cases() -> Vec<Case> {
    let stock = concat!("STOCK = ", include_str!("../../../guest-tools/stock_lookup/data/stock.json"));
    let orders = concat!("ORDERS = ", include_str!("../../../guest-tools/search_orders/data/orders.json"));
    let query = r#"{"input":{"orders":[{"id":1,"total":50},{"id":2,"total":150}]},"filter":".orders[] | select(.total > 100) | .id"}"#;
    let mut cases = vec![
        Case::new(
            "ok_echo",
            guests::OK_ECHO,
            r#"{"text":"two boxes of tea, please"}"#,
            Some(ECHO_IN_PYTHON.to_owned()),
        ),
        Case::new(
            "stock_lookup",
            guests::STOCK_LOOKUP,
            r#"{"sku":"KB-104","region":"busan","limit":2}"#,
            Some(format!("{stock}{STOCK_IN_PYTHON}")),
        ),
        Case::new(
            "search_orders",
            guests::SEARCH_ORDERS,
            r#"{"customer_id":"cus_8812","status":"open"}"#,
            Some(format!("{orders}{ORDERS_IN_PYTHON}")),
        ),
        Case::new("json_query", guests::JSON_QUERY, query, None),
    ];
    let c = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/languages/c.wasm");
    match std::fs::read(&c) {
        Ok(bytes) => {
            let price = Some(PRICE_IN_PYTHON.to_owned());
            cases.push(Case::new("unit_price in C", bytes, r#"{"items":3,"total_cents":1000}"#, price));
        }
        Err(_) => eprintln!("unit_price in C is left out: `languages/build c` builds it"),
    }
    cases
}

/// The calls whose names hold these words.
pub(crate) async fn all(words: &str) -> Anyhow<Vec<Row>> {
    let chosen: Vec<Case> = cases().into_iter().filter(|case| case.name.contains(words)).collect();
    let python = if chosen.is_empty() { None } else { peers::python() };
    if python.is_none() && !chosen.is_empty() {
        eprintln!("a process of python3 for every call is left out: there is no python3 here");
    }
    let mut rows = Vec::new();
    for case in &chosen {
        rows.extend(one(case, python.as_deref()).await?);
    }
    Ok(rows)
}

/// One component with these arguments.
pub(crate) async fn component(name: &str, bytes: Vec<u8>, arguments: &str) -> Anyhow<Vec<Row>> {
    one(&Case::new(name, bytes, arguments, None), None).await
}

async fn one(case: &Case, python: Option<&str>) -> Anyhow<Vec<Row>> {
    let Case { name, bytes, arguments, python: source } = case;
    let raw = RawTool::new(bytes, Allocation::Pooling).map_err(said)?;
    let best = RawTool::at_best(bytes).map_err(said)?;
    let raw_on_demand = RawTool::new(bytes, Allocation::OnDemand).map_err(said)?;
    let linked = LinkedPerCall::new(bytes).map_err(said)?;
    let host = host_of(case, Allocation::Pooling).await?;
    let host_on_demand = host_of(case, Allocation::OnDemand).await?;
    let python = python.zip(source.as_deref());

    // All give the same answer, so all do the same work.
    let expected: Value = serde_json::from_str(&answered(raw.call(arguments).await)?)?;
    for answer in [
        answered(best.call(arguments).await)?,
        answered(raw_on_demand.call(arguments).await)?,
        answered(linked.call(arguments).await)?,
        answer_of(&host, arguments).await?,
        answer_of(&host_on_demand, arguments).await?,
    ]
    .into_iter()
    .chain(python.map(|(python, source)| peers::python_process(python, source, arguments)).transpose()?)
    {
        let answer: Value = serde_json::from_str(&answer)?;
        ensure!(answer == expected, "{name}: raw says {expected}, another way {answer}");
    }

    let (call, call_on_demand) = (call_of(&host, arguments)?, call_of(&host_on_demand, arguments)?);
    let base = raw_way(&raw, arguments);
    let mut ways = vec![
        ("Host::call", host_way(&host, &call)),
        ("raw at its best", raw_way(&best, arguments)),
        ("raw, on demand", raw_way(&raw_on_demand, arguments)),
        ("Host::call, on demand", host_way(&host_on_demand, &call_on_demand)),
        ("linker per call", linked_way(&linked, arguments)),
        ("compile per call", compiled_way(&linked, arguments)),
        ("empty process per call", process_way(|| peers::empty_process().expect("it started before"))),
    ];
    if let Some((python, source)) = python {
        let run = move || drop(peers::python_process(python, source, arguments).expect("it answered before"));
        ways.push(("python3 per call", process_way(run)));
    }
    let mut rows = Vec::new();
    for (name_of_way, way) in &ways {
        rows.push(Row::new(name, name_of_way, &against(&base, way).await));
    }
    Ok(rows)
}

async fn host_of(case: &Case, allocation: Allocation) -> Anyhow<Host> {
    let source = ToolSource::new(case.name.clone(), case.bytes.clone());
    Ok(Host::builder().tool(source).allocation(allocation).build().await?)
}

fn call_of(host: &Host, arguments: &str) -> Anyhow<RawCall> {
    let tool = host.tools().next().context("one tool is loaded")?.name().to_owned();
    Ok(RawCall::new(tool, arguments).with_id("call_1"))
}

async fn answer_of(host: &Host, arguments: &str) -> Anyhow<String> {
    let reply = host.call(call_of(host, arguments)?).await;
    ensure!(reply.is_done(), "{}", reply.operator_line());
    Ok(reply.text())
}

fn answered(answer: wasmtime::Result<Answer>) -> Anyhow<String> {
    answer.map_err(said)?.map_err(|failure| anyhow::anyhow!("the guest says {failure:?}"))
}

/// The runtime's error is not of the standard kind.
pub(crate) fn said(error: wasmtime::Error) -> anyhow::Error {
    anyhow::anyhow!("{error:#}")
}

pub(crate) fn raw_way<'w>(raw: &'w RawTool, arguments: &'w str) -> Way<'w> {
    Way::new(move |n_runs| {
        async move {
            let watch = Watch::start();
            for _ in 0..n_runs {
                black_box(raw.call(black_box(arguments)).await).expect("it ran before").expect("it answered before");
            }
            watch.stop(n_runs)
        }
        .boxed_local()
    })
}

fn linked_way<'w>(linked: &'w LinkedPerCall, arguments: &'w str) -> Way<'w> {
    Way::new(move |n_runs| {
        async move {
            let watch = Watch::start();
            for _ in 0..n_runs {
                black_box(linked.call(black_box(arguments)).await).expect("it ran before").expect("it answered before");
            }
            watch.stop(n_runs)
        }
        .boxed_local()
    })
}

fn compiled_way<'w>(linked: &'w LinkedPerCall, arguments: &'w str) -> Way<'w> {
    Way::new(move |n_runs| {
        async move {
            let watch = Watch::start();
            for _ in 0..n_runs {
                black_box(linked.compile_and_call(black_box(arguments)).await)
                    .expect("it ran before")
                    .expect("it answered before");
            }
            watch.stop(n_runs)
        }
        .boxed_local()
    })
}

fn process_way<'w>(run: impl Fn() + Copy + 'w) -> Way<'w> {
    Way::new(move |n_runs| std::future::ready(timed(run, n_runs)).boxed_local())
}

fn timed(run: impl Fn(), n_runs: usize) -> Sample {
    let watch = Watch::start();
    for _ in 0..n_runs {
        run();
    }
    watch.stop(n_runs)
}

fn host_way<'w>(host: &'w Host, call: &'w RawCall) -> Way<'w> {
    Way::new(move |n_runs| {
        async move {
            let calls = vec![call.clone(); n_runs];
            let watch = Watch::start();
            for call in calls {
                drop(black_box(host.call(black_box(call)).await));
            }
            watch.stop(n_runs)
        }
        .boxed_local()
    })
}

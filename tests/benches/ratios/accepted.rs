//! Accepted: a call that runs, through the public door, against the bare runtime.

use std::borrow::Cow;
use std::hint::black_box;

use anyhow::{Context, ensure};
use futures_util::FutureExt;
use serde_json::Value;
use toolgate::{Host, RawCall, ToolSource};

use crate::raw::RawTool;
use crate::rounds::{Watch, Way, in_turn};
use crate::table::{Row, Title};
use crate::{Anyhow, guests};

pub(crate) const TITLE: Title = Title {
    what: "accepted call: Host::call against raw wasmtime (same component, arguments and engine profile; raw parses no JSON)",
    goal: "goal: ratio at most 1.25 and at most 5 µs on top",
};

/// The tools with arguments that each of them takes.
const CALLS: [(&str, &[u8], &str); 4] = [
    ("ok_echo", guests::OK_ECHO, r#"{"text":"two boxes of tea, please"}"#),
    ("stock_lookup", guests::STOCK_LOOKUP, r#"{"sku":"KB-104","region":"busan","limit":2}"#),
    ("search_orders", guests::SEARCH_ORDERS, r#"{"customer_id":"cus_8812","status":"open"}"#),
    (
        "json_query",
        guests::JSON_QUERY,
        r#"{"input":{"orders":[{"id":1,"total":50},{"id":2,"total":150}]},"filter":".orders[] | select(.total > 100) | .id"}"#,
    ),
];

/// The calls whose names hold these words.
pub(crate) async fn all(cases: &str) -> Anyhow<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, bytes, arguments) in CALLS.into_iter().filter(|(name, ..)| name.contains(cases)) {
        rows.push(one(name, bytes, arguments).await?);
    }
    Ok(rows)
}

/// One component with these arguments.
pub(crate) async fn one(name: &str, bytes: impl Into<Cow<'static, [u8]>>, arguments: &str) -> Anyhow<Row> {
    let bytes = bytes.into();
    let raw = RawTool::new(&bytes).map_err(said)?;
    let host = Host::builder().tool(ToolSource::new(name, bytes)).build().await?;
    let tool = host.tools().next().context("one tool is loaded")?.name().to_owned();
    let call = RawCall::new(tool, arguments).with_id("call_1");
    agree(&raw, &host, &call, arguments).await?;
    let costs = in_turn(vec![raw_way(&raw, arguments), host_way(&host, &call)]).await;
    let [base, cost] = costs.as_slice() else { anyhow::bail!("two ways were timed") };
    Ok(Row::new(name, "Host::call", base, cost))
}

/// Both give the same answer, so both do the same work.
async fn agree(raw: &RawTool, host: &Host, call: &RawCall, arguments: &str) -> Anyhow<()> {
    let bare =
        raw.call(arguments).await.map_err(said)?.map_err(|failure| anyhow::anyhow!("the guest says {failure:?}"))?;
    let reply = host.call(call.clone()).await;
    ensure!(reply.is_done(), "{}", reply.operator_line());
    let (bare, ours): (Value, Value) = (serde_json::from_str(&bare)?, serde_json::from_str(&reply.text())?);
    ensure!(bare == ours, "raw says {bare}, the host says {ours}");
    Ok(())
}

/// The runtime's error is not of the standard kind.
fn said(error: wasmtime::Error) -> anyhow::Error {
    anyhow::anyhow!("{error:#}")
}

fn raw_way<'w>(raw: &'w RawTool, arguments: &'w str) -> Way<'w> {
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

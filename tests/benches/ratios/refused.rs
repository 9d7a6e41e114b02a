//! Refused: a call that is turned away, through the public door, against parsing its text into a `serde_json::Value`.
//!
//! Counts stores on the way: a refusal makes none.

use std::hint::black_box;

use anyhow::ensure;
use futures_util::FutureExt;
use serde_json::Value;
use toolgate::{Host, RawCall, ToolSource};

use crate::corpus::{self, SIZES, Slip};
use crate::rounds::{Cost, Sample, Watch, Way, against};
use crate::table::{Row, Title};
use crate::{Anyhow, guests};

pub(crate) const TITLE: Title = Title {
    what: "refused call: Host::call against serde_json::from_slice::<Value> of the same text (no store is made)",
    goal: "goal: ratio at most 2",
};

/// The refusals whose names hold these words.
pub(crate) async fn all(cases: &str) -> Anyhow<Vec<Row>> {
    let orders = toolgate::with_contract(guests::OK_ECHO, &corpus::contract())
        .map_err(|problem| anyhow::anyhow!("{problem}"))?;
    let tools = [
        ToolSource::new("submit_order.wasm", orders),
        ToolSource::new("search_orders.wasm", guests::SEARCH_ORDERS),
        ToolSource::new("stock_lookup.wasm", guests::STOCK_LOOKUP),
    ];
    let host = Host::builder().tools(tools).build().await?;
    let mut rows = Vec::new();
    for (slip, size) in Slip::ALL.into_iter().flat_map(|slip| SIZES.map(|size| (slip, size))) {
        let name = format!("{} {}", slip.name(), corpus::in_words(size));
        if name.contains(cases) {
            let [cost, with_text] = one(&host, slip, size).await?;
            rows.push(Row::new(&name, "Host::call", &cost));
            rows.push(Row::new(&name, "… and Reply::text", &with_text));
        }
    }
    ensure!(host.stats().stores_created == 0, "a refusal made a store");
    Ok(rows)
}

/// Calling, and calling and saying, each against parsing.
async fn one(host: &Host, slip: Slip, size: usize) -> Anyhow<[Cost; 2]> {
    let (tool, text) = corpus::call(size, slip);
    let text = text.as_str();
    ensure!(text.len().abs_diff(size) <= size >> 2, "{} bytes are not about {size}", text.len());
    let call = RawCall::new(tool, text).with_id("call_1");
    let reply = host.call(call.clone()).await;
    let code = reply.code().map(|code| code.to_string()).unwrap_or_default();
    ensure!(code.starts_with(slip.code()), "{code} instead of {}: {text}", slip.code());
    let base = parse_way(text);
    let cost = against(&base, &host_way(host, &call, false)).await;
    Ok([cost, against(&base, &host_way(host, &call, true)).await])
}

fn parse_way(text: &str) -> Way<'_> {
    Way::new(move |n_runs| std::future::ready(parse(text, n_runs)).boxed_local())
}

/// Takes its text and drops it, as a host does with a call.
fn parse(text: &str, n_runs: usize) -> Sample {
    let texts = vec![text.to_owned(); n_runs];
    let watch = Watch::start();
    for text in texts {
        drop(black_box(serde_json::from_slice::<Value>(black_box(text.as_bytes()))));
    }
    watch.stop(n_runs)
}

fn host_way<'w>(host: &'w Host, call: &'w RawCall, with_text: bool) -> Way<'w> {
    Way::new(move |n_runs| {
        async move {
            let calls = vec![call.clone(); n_runs];
            let watch = Watch::start();
            for call in calls {
                let reply = black_box(host.call(black_box(call)).await);
                if with_text {
                    drop(black_box(reply.text()));
                }
            }
            watch.stop(n_runs)
        }
        .boxed_local()
    })
}

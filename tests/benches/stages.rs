//! Stages: what each part of the line costs, through the public door.
//!
//! A call is timed up to the stage that ends it: a refusal stops at the gate or the registry, an answer comes through all
//! of them. For finding what became slower; promises are ratios, and those are held in `ratios`.

mod guests {
    //! One constant per component, made by the build script.
    #![expect(dead_code, reason = "most guests are hostile, and the tests run them")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use tokio::runtime::Runtime;
use toolgate::{Arguments, Host, Mode, Provider, RawCall, Tool, ToolSource, Turn};

/// Calls made ready before the clock starts: a call is used up by its answer.
const CALLS_READY: u64 = 256;

criterion_group!(stages, refused, accepted, turns, loading);
criterion_main!(stages);

/// Each kind of refusal, in the order of the line.
fn refused(criterion: &mut Criterion) {
    let runtime = runtime();
    let host = shop(&runtime);
    let mut group = criterion.benchmark_group("refused");
    let stock = |arguments: &str| RawCall::new("stock_lookup", arguments);
    let truncated = RawCall { cut: true, ..stock(r#"{"sku":"KB-104","reg"#) };
    let deep = format!(r#"{{"sku":{}{}}}"#, "[".repeat(100), "]".repeat(100));
    let calls = [
        ("cut_by_provider", truncated),
        ("not_unicode", RawCall { arguments: Arguments::NotUnicode, ..stock("") }),
        ("truncated", stock(r#"{"sku":"KB-104","region":"bus"#)),
        ("unparsable", stock(r#"{"sku":"KB-104",}"#)),
        ("too_deep", stock(&deep)),
        ("not_object", stock(r#"["KB-104"]"#)),
        ("duplicate_key", stock(r#"{"sku":"KB-104","sku":"KB-104"}"#)),
        ("unknown_tool", RawCall::new("stock_lokup", r#"{"sku":"KB-104","region":"busan","limit":2}"#)),
        ("missing", stock(r#"{"sku":"KB-104","region":"busan"}"#)),
        ("unexpected", stock(r#"{"sku":"KB-104","region":"busan","limit":2,"colour":"red"}"#)),
        ("type", stock(r#"{"sku":"KB-104","region":"busan","limit":"2"}"#)),
        ("range", stock(r#"{"sku":"KB-104","region":"busan","limit":9}"#)),
        ("enum", stock(r#"{"sku":"KB-104","region":"bussan","limit":2}"#)),
    ];
    for (name, call) in calls {
        assert!(!runtime.block_on(host.call(call.clone())).is_done(), "{name} is refused");
        group.bench_function(name, |bencher| bencher.iter_custom(|n| time_calls(&runtime, &host, &call, n)));
    }
    assert_eq!(host.stats().stores_created, 0, "a refusal makes no store");
    let enum_call = stock(r#"{"sku":"KB-104","region":"bussan","limit":2}"#);
    let reply = runtime.block_on(host.call(enum_call));
    group.bench_function("reply_text", |bencher| bencher.iter(|| black_box(&reply).text()));
    group.bench_function("reply_machine", |bencher| bencher.iter(|| black_box(&reply).machine()));
    group.bench_function("reply_operator_line", |bencher| bencher.iter(|| black_box(&reply).operator_line()));
    group.finish();
}

/// Calls that come through.
fn accepted(criterion: &mut Criterion) {
    let runtime = runtime();
    let host = shop(&runtime);
    let mut group = criterion.benchmark_group("accepted");
    let filter = r#"{"input":{"orders":[{"id":1,"total":50},{"id":2,"total":150}]},"filter":".orders[].id"}"#;
    let calls = [
        ("ok_echo", RawCall::new("echo", r#"{"text":"two boxes of tea, please"}"#)),
        ("stock_lookup", RawCall::new("stock_lookup", r#"{"sku":"KB-104","region":"busan","limit":2}"#)),
        ("search_orders", RawCall::new("search_orders", r#"{"customer_id":"cus_8812"}"#)),
        ("json_query", RawCall::new("json_query", filter)),
    ];
    for (name, call) in calls {
        let reply = runtime.block_on(host.call(call.clone()));
        assert!(reply.is_done(), "{}", reply.operator_line());
        group.bench_function(name, |bencher| bencher.iter_custom(|n| time_calls(&runtime, &host, &call, n)));
    }
    group.finish();
}

/// Whole messages.
fn turns(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut group = criterion.benchmark_group("turn");
    // Without a tool every call ends in the registry: what is left is reading and writing messages.
    let empty = runtime.block_on(Host::builder().build()).expect("an empty host loads");
    let shop = shop(&runtime);
    for file in ["support.anthropic.json", "support.openai_chat.json"] {
        let body = example(file);
        let turn = Turn::read(&body, None).expect("the example is a turn");
        group.bench_function(format!("read/{file}"), |bencher| {
            bencher.iter(|| Turn::read(black_box(&body), None).expect("the example is a turn"));
        });
        group.bench_function(format!("answer_unknown/{file}"), |bencher| {
            bencher.iter(|| runtime.block_on(empty.answer(black_box(&turn).clone())));
        });
    }
    for provider in Provider::ALL {
        group.bench_function(format!("declarations/{provider}"), |bencher| {
            bencher.iter(|| black_box(provider).declare(shop.tools().map(Tool::contract), Mode::Plain));
        });
    }
    group.finish();
}

/// From bytes to a host that answers: engine, pool and compiler.
fn loading(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10);
    group.bench_function("no_tool", |bencher| {
        bencher.iter(|| runtime.block_on(Host::builder().build()).expect("an empty host loads"));
    });
    group.bench_function("ok_echo", |bencher| {
        bencher.iter(|| {
            let host = Host::builder().tool(ToolSource::new("ok_echo.wasm", guests::OK_ECHO));
            runtime.block_on(host.build()).expect("the tool loads")
        });
    });
    group.finish();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn shop(runtime: &Runtime) -> Host {
    let tools = [
        ToolSource::new("ok_echo.wasm", guests::OK_ECHO),
        ToolSource::new("json_query.wasm", guests::JSON_QUERY),
        ToolSource::new("search_orders.wasm", guests::SEARCH_ORDERS),
        ToolSource::new("stock_lookup.wasm", guests::STOCK_LOOKUP),
    ];
    runtime.block_on(Host::builder().tools(tools).build()).expect("the tools load")
}

fn example(file: &str) -> Vec<u8> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    std::fs::read(examples.join(file)).expect("the example is there")
}

/// Time of so many calls, without the making of them.
fn time_calls(runtime: &Runtime, host: &Host, call: &RawCall, n_calls: u64) -> Duration {
    let mut time = Duration::ZERO;
    let mut n_left = n_calls;
    while n_left > 0 {
        let n_now = n_left.min(CALLS_READY);
        n_left = n_left.saturating_sub(n_now);
        let calls: Vec<RawCall> = (0..n_now).map(|_| call.clone()).collect();
        time = time.saturating_add(runtime.block_on(time_these(host, calls)));
    }
    time
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is about the real clock")]
async fn time_these(host: &Host, calls: Vec<RawCall>) -> Duration {
    let start = Instant::now();
    for call in calls {
        drop(black_box(host.call(black_box(call)).await));
    }
    start.elapsed()
}

//! Around: what stands around a call that runs: rules that let it through, a session that it belongs to, a memory that saves
//! it. Held against the same call on a host that has none of them.

use std::hint::black_box;

use anyhow::ensure;
use futures_util::FutureExt;
use tokio::sync::Mutex;
use toolgate::{ByteCount, Config, Host, RawCall, Session, SessionLimits, ToolSource};

use crate::rounds::{Sample, Watch, Way, against};
use crate::table::{Row, Title};
use crate::{Anyhow, guests};

pub(crate) const TITLE: Title = Title {
    what: "what stands around a call that runs: Host::call of a host with nothing against the same call with each of them",
    goal: "goal: ratio at most 1.05, and at most 0.1 for a remembered call",
};

/// Rules that concern the call and let it through, and repairs that it needs none of.
const RULES: &str = r#"
[[rules]]
allow = 'args.sku.startsWith("KB") && args.limit <= 2'
[[repair.rules]]
name = "nearest"
reason = "args:allowed"
set = { to = "nearest" }
[[repair.rules]]
name = "again"
reason = "tool:unavailable"
retry = {}
"#;

const CALL: &str = r#"{"sku":"KB-104","region":"busan","limit":2}"#;

/// What is around a call, where a name holds these words.
pub(crate) async fn all(words: &str) -> Anyhow<Vec<Row>> {
    let name = "stock_lookup, what is around it";
    if !name.contains(words) {
        return Ok(Vec::new());
    }
    let config = Config::parse(RULES)?;
    let plain = Host::builder().tool(tool()).build().await?;
    let ruled = Host::builder().tool(tool()).rules(config.rules).build().await?;
    let repairing = Host::builder().tool(tool()).repair(config.repair).build().await?;
    let spoken = session(&plain, ByteCount::default());
    let remembering = session(&plain, ByteCount::mib(8));
    let base = call_way(&plain);
    let ways = [
        ("rules in CEL", call_way(&ruled)),
        ("repair rules", call_way(&repairing)),
        ("in a session", session_way(&spoken)),
        ("remembered", session_way(&remembering)),
    ];
    let mut rows = Vec::new();
    for (name_of_way, way) in &ways {
        rows.push(Row::new(name, name_of_way, &against(&base, way).await));
    }
    let remembered = remembering.lock().await.call(call()).await.0.machine().remembered;
    ensure!(remembered, "the memory is not what was timed");
    Ok(rows)
}

fn tool() -> ToolSource {
    ToolSource::new("stock_lookup.wasm", guests::STOCK_LOOKUP)
}

fn call() -> RawCall {
    RawCall::new("stock_lookup", CALL).with_id("call_1")
}

/// A session that is never too long, and that is not stopped for asking the same.
fn session(host: &Host, memory: ByteCount) -> Mutex<Session> {
    let limits = SessionLimits { memory, calls_per_session: u32::MAX, repeats: u32::MAX, ..SessionLimits::default() };
    Mutex::new(Session::new(host, limits))
}

fn call_way(host: &Host) -> Way<'_> {
    Way::new(move |n_runs| {
        async move {
            let calls = vec![call(); n_runs];
            let watch = Watch::start();
            for call in calls {
                let reply = black_box(host.call(black_box(call)).await);
                assert!(reply.is_done(), "{}", reply.operator_line());
            }
            watch.stop(n_runs)
        }
        .boxed_local()
    })
}

fn session_way(session: &Mutex<Session>) -> Way<'_> {
    Way::new(move |n_runs| in_session(session, n_runs).boxed_local())
}

async fn in_session(session: &Mutex<Session>, n_runs: usize) -> Sample {
    let mut session = session.lock().await;
    let calls = vec![call(); n_runs];
    let watch = Watch::start();
    for call in calls {
        let (reply, _stop) = black_box(session.call(black_box(call)).await);
        assert!(reply.is_done(), "{}", reply.operator_line());
    }
    watch.stop(n_runs)
}

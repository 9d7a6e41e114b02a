//! Week: writes the log of a generated week to standard output, for `toolgate report`.
//!
//! Measures nothing: the calls are those that `tests/it/week.rs` holds the report to.

mod guests {
    //! One constant per component, made by the build script.
    #![expect(dead_code, reason = "the week has six tools, and the tests run the others")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

#[path = "../it/week/calls.rs"]
#[expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "the tests' own generator: no number in it comes from outside"
)]
mod calls;

use std::io::Write;

use toolgate::{Access, DirectoryGrant, Host, ToolSource};

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let desk = tempfile::tempdir()?;
    let log = runtime.block_on(async {
        let host = Host::builder().tools(tools(desk.path())).build().await?;
        anyhow::Ok(calls::answered(&host, &calls::week()).await)
    })?;
    std::io::stdout().write_all(log.as_bytes())?;
    Ok(())
}

fn tools(desk: &std::path::Path) -> Vec<ToolSource> {
    let grant = || DirectoryGrant { guest: "/desk".into(), host: desk.to_owned(), access: Access::ReadWrite };
    vec![
        ToolSource::new("create_ticket.wasm", guests::CREATE_TICKET).grant(grant()),
        ToolSource::new("delivery_estimate.wasm", guests::DELIVERY_ESTIMATE),
        ToolSource::new("issue_refund.wasm", guests::ISSUE_REFUND).grant(grant()),
        ToolSource::new("lookup_policy.wasm", guests::LOOKUP_POLICY),
        ToolSource::new("search_orders.wasm", guests::SEARCH_ORDERS),
        ToolSource::new("stock_lookup.wasm", guests::STOCK_LOOKUP),
    ]
}

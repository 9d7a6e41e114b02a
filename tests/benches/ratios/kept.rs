//! Kept: what it is worth that bytes of a slot stay mapped between calls.
//!
//! The bare runtime with the host's profile and other settings of its pool, one changed at a time.

use toolgate::Allocation;
use wasmtime::{InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::accepted::{raw_way, said};
use crate::raw::RawTool;
use crate::rounds::against;
use crate::table::{Row, Title};
use crate::{Anyhow, guests};

pub(crate) const TITLE: Title = Title {
    what: "raw wasmtime with other settings of the pool against the host's own (`stock_lookup`)",
    goal: "no goal: what stays mapped is chosen by this table",
};

/// One setting that differs.
type Change = fn(&mut PoolingAllocationConfig) -> &mut PoolingAllocationConfig;

const CHANGES: [(&str, Change); 8] = [
    ("memory 0", |pool| pool.linear_memory_keep_resident(0)),
    ("memory 64 KiB", |pool| pool.linear_memory_keep_resident(64 << 10)),
    ("memory 1 MiB", |pool| pool.linear_memory_keep_resident(1 << 20)),
    ("stack 0", |pool| pool.async_stack_keep_resident(0)),
    ("stack 8 KiB", |pool| pool.async_stack_keep_resident(8 << 10)),
    ("stack 64 KiB", |pool| pool.async_stack_keep_resident(64 << 10)),
    ("table 0", |pool| pool.table_keep_resident(0)),
    ("table 64 KiB", |pool| pool.table_keep_resident(64 << 10)),
];

/// The settings, where these words name this table.
pub(crate) async fn all(words: &str) -> Anyhow<Vec<Row>> {
    if !"kept".contains(words) {
        return Ok(Vec::new());
    }
    let arguments = r#"{"sku":"KB-104","region":"busan","limit":2}"#;
    let own = RawTool::new(guests::STOCK_LOOKUP, Allocation::Pooling).map_err(said)?;
    let mut rows = Vec::new();
    for (name, change) in CHANGES {
        let mut pool = toolgate::bench::pool();
        change(&mut pool);
        let mut config = toolgate::bench::profile(Allocation::Pooling);
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let other = RawTool::with(guests::STOCK_LOOKUP, &config, true).map_err(said)?;
        let cost = against(&raw_way(&own, arguments), &raw_way(&other, arguments)).await;
        rows.push(Row::new("kept", name, &cost));
    }
    Ok(rows)
}

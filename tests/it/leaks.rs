//! Leaks: whatever ends a call, its store is gone, and the place it held is free again.

use std::time::Duration;

use serde_json::json;
use toolgate::{MAX_CALLS, RawCall};

use crate::support::{call, guests, host, limited, on_two_threads, outcome, time, tool};

#[test]
fn a_call_that_is_dropped_midway_leaves_nothing_behind() {
    on_two_threads(async {
        let host =
            host([limited(guests::BUDGET_SPINS, time(Duration::from_secs(30))), tool("ok_echo.wasm", guests::OK_ECHO)])
                .await;
        // More often than there are places: one that is not given back would make the last ones wait for ever.
        for _ in 0..MAX_CALLS * 2 {
            let spinner = host.call(RawCall::new("probe_spin", "{}"));
            let dropped = tokio::time::timeout(Duration::from_millis(2), spinner).await;
            assert!(dropped.is_err(), "it spins until it is dropped");
        }
        assert_eq!(host.stats().stores_alive, 0);
        assert_eq!(outcome(&call(&host, "echo", json!({"text": "x"})).await), "done");
    });
}

#[test]
fn a_thousand_calls_leave_nothing_behind() {
    on_two_threads(async {
        let host = host([tool("ok_echo.wasm", guests::OK_ECHO), tool("trap_panics.wasm", guests::TRAP_PANICS)]).await;
        for nth in 0..1000 {
            let name = if nth % 2 == 0 { "echo" } else { "probe_panic" };
            call(&host, name, json!({"text": "x"})).await;
        }
        let stats = host.stats();
        assert_eq!((stats.stores_created, stats.stores_alive), (500, 0), "a panic probe takes no arguments");
    });
}

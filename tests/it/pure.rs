//! Pure tools: what reaches nothing outside gives the same bytes for the same fuel, whenever and wherever it is called.

use serde_json::{Value, json};
use toolgate::{Access, DirectoryGrant, Reply};

use crate::support::{call, guests, host, on_one_thread, on_two_threads, tool};

fn look() -> toolgate::ToolSource {
    tool("pure_looks_around.wasm", guests::PURE_LOOKS_AROUND)
}

fn result(reply: &Reply) -> Value {
    serde_json::from_str(&reply.text()).unwrap_or_else(|error| panic!("{error}: {}", reply.text()))
}

#[test]
fn a_pure_tool_gives_the_same_bytes_for_the_same_fuel_in_every_host() {
    let on_a_host_of_its_own = || async {
        let host = host([look()]).await;
        let first = call(&host, "probe_pure_looks_around", json!({"n": 1})).await;
        for _ in 0..200 {
            let again = call(&host, "probe_pure_looks_around", json!({"n": 1})).await;
            assert_eq!((again.text(), again.usage.fuel), (first.text(), first.usage.fuel));
        }
        (first.text(), first.usage.fuel)
    };
    let one = on_one_thread(on_a_host_of_its_own());
    let other = on_two_threads(on_a_host_of_its_own());
    assert_eq!(one, other);
}

#[test]
fn another_call_draws_other_numbers() {
    on_one_thread(async {
        let host = host([look()]).await;
        let one = result(&call(&host, "probe_pure_looks_around", json!({"n": 1})).await);
        let two = result(&call(&host, "probe_pure_looks_around", json!({"n": 2})).await);
        assert_ne!(one["random"], two["random"]);
        assert_eq!(one["started_ns"], two["started_ns"]);
    });
}

#[test]
fn the_clock_starts_at_zero_with_each_call_and_goes_by_milliseconds() {
    on_one_thread(async {
        let host = host([look()]).await;
        for _ in 0..2 {
            let seen = result(&call(&host, "probe_pure_looks_around", json!({"n": 1})).await);
            assert_eq!(seen["started_ns"], 0);
            assert_eq!(seen["passed_ns"], 1_000_000);
            assert_eq!(seen["year_2000_ms"], 0);
            assert_eq!(seen["variables"], 0);
        }
    });
}

#[test]
fn the_machines_copy_says_which_tools_are_pure() {
    let data = tempfile::tempdir().expect("a directory");
    let grant = DirectoryGrant { guest: "/data".into(), host: data.path().to_owned(), access: Access::Read };
    let reads = tool("grant_lists_dir.wasm", guests::GRANT_LISTS_DIR).grant(grant);
    on_one_thread(async {
        let host = host([look(), reads]).await;
        let pure = call(&host, "probe_pure_looks_around", json!({"n": 1})).await;
        assert_eq!(serde_json::to_value(pure.machine()).expect("JSON")["pure"], true);
        let observing = call(&host, "probe_grant_lists_dir", json!({})).await;
        assert!(serde_json::to_value(observing.machine()).expect("JSON").get("pure").is_none());
        let nobody = call(&host, "no_such_tool", json!({})).await;
        assert!(!nobody.machine().pure);
    });
}

//! Grants: for each of them, what it opens and what stays shut, in the same test.

use std::fs;

use serde_json::{Value, json};
use toolgate::{Access, DirectoryGrant, Effects, Host, ToolSource};

use crate::support::{call, desk_host, guests, host, on_one_thread, outcome, report, tool};

fn data(source: ToolSource, directory: &std::path::Path, access: Access) -> ToolSource {
    source.grant(DirectoryGrant { guest: "/data".into(), host: directory.to_owned(), access })
}

#[test]
fn a_file_that_grows_beyond_what_one_read_returns_is_read_whole() {
    let desk = tempfile::tempdir().expect("a directory");
    on_one_thread(async {
        let host = desk_host(desk.path(), []).await;
        for nth in 0..24 {
            let subject = format!("Parcel {nth} arrived wet, and so did everything that was in it");
            let arguments = json!({"customer_id": "cus_8812", "subject": subject, "priority": "low"});
            let reply = call(&host, "create_ticket", arguments).await;
            assert!(reply.is_done(), "ticket {nth}: {}", report(&reply));
        }
    });
    let ledger = fs::read_to_string(desk.path().join("tickets.jsonl")).expect("is there");
    assert_eq!(ledger.lines().count(), 24);
}

#[test]
fn a_granted_directory_is_listed_and_nothing_outside_it_is_reached() {
    on_one_thread(async {
        let outside = tempfile::tempdir().expect("a directory");
        fs::write(outside.path().join("secret.txt"), "canary").expect("writes");
        let inside = outside.path().join("inside");
        fs::create_dir(&inside).expect("makes it");
        fs::write(inside.join("there.txt"), "x").expect("writes");
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret.txt", inside.join("link")).expect("links");
        let without = Host::builder().tool(tool("grant_lists_dir.wasm", guests::GRANT_LISTS_DIR)).build().await;
        let refused = without.expect_err("nothing was granted").to_string();
        assert!(refused.starts_with("load:grant: grant_lists_dir.wasm: it asks for directory `/data`"), "{refused}");
        let host = host([data(tool("grant_lists_dir.wasm", guests::GRANT_LISTS_DIR), &inside, Access::Read)]).await;
        let reply = call(&host, "probe_grant_lists_dir", json!({})).await;
        assert!(reply.is_done(), "{}", report(&reply));
        let result: Value = serde_json::from_str(&reply.text()).expect("JSON");
        assert_eq!(result["entries"], json!(["link", "there.txt"]));
        for attempt in result["escapes"].as_array().expect("attempts") {
            let outcome = attempt["outcome"].as_str().expect("text");
            assert!(!outcome.starts_with("read") && !outcome.starts_with("listed"), "{attempt}");
        }
        assert_eq!(reply.effects, Effects::None, "a tool that can only read changes nothing");
    });
}

#[test]
fn a_read_grant_turns_every_kind_of_write_down() {
    on_one_thread(async {
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join("there.txt"), "as it was").expect("writes");
        let probe = tool("grant_writes_readonly.wasm", guests::GRANT_WRITES_READONLY);
        // The operator gives more than was asked for: what was asked for is what counts.
        let host = host([data(probe, directory.path(), Access::ReadWrite)]).await;
        let reply = call(&host, "probe_grant_writes_readonly", json!({})).await;
        assert!(reply.is_done(), "{}", report(&reply));
        let result: Value = serde_json::from_str(&reply.text()).expect("JSON");
        let attempts = result["attempts"].as_array().expect("attempts");
        assert_eq!(attempts.len(), 7);
        for attempt in attempts {
            assert_ne!(attempt["outcome"], "done", "{attempt}");
        }
        let names: Vec<_> =
            fs::read_dir(directory.path()).expect("lists").map(|e| e.expect("reads").file_name()).collect();
        assert_eq!(names, ["there.txt"]);
        assert_eq!(fs::read_to_string(directory.path().join("there.txt")).expect("reads"), "as it was");
    });
}

#[test]
fn a_read_write_grant_lets_a_tool_write_and_the_reply_says_so() {
    on_one_thread(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), []).await;
        let refund = |cents: i64| json!({"order_id": "5531", "amount_cents": cents});
        let done = call(&host, "issue_refund", refund(1)).await;
        assert_eq!((outcome(&done).as_str(), done.effects), ("done", Effects::Done), "{}", report(&done));
        let said_no = call(&host, "issue_refund", refund(100_000_000)).await;
        assert_eq!(outcome(&said_no), "tool:refused", "{}", report(&said_no));
        assert_eq!(fs::read_to_string(desk.path().join("refunds.jsonl")).expect("reads").lines().count(), 1);
        let refused = call(&host, "issue_refund", refund(0)).await;
        assert_eq!((outcome(&refused).as_str(), refused.effects), ("args:range:amount_cents", Effects::None));
    });
}

#[test]
fn a_directory_that_is_gone_is_unavailable_and_its_path_stays_with_the_operator() {
    on_one_thread(async {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().display().to_string();
        let host = host([data(tool("g.wasm", guests::GRANT_LISTS_DIR), directory.path(), Access::Read)]).await;
        drop(directory);
        let reply = call(&host, "probe_grant_lists_dir", json!({})).await;
        assert_eq!(outcome(&reply), "tool:unavailable", "{}", report(&reply));
        assert!(!reply.text().contains(&path), "{}", reply.text());
        assert_eq!(host.stats().stores_created, 0);
    });
}

#[test]
fn csv_query_asks_the_tables_it_was_granted() {
    on_one_thread(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), []).await;
        let outside = call(&host, "csv_query", json!({"file": "../Cargo.toml"})).await;
        assert_ne!(outcome(&outside), "done", "{}", report(&outside));
        let unknown = call(&host, "csv_query", json!({"file": "nothing.csv"})).await;
        assert_eq!(outcome(&unknown), "tool:not_found", "{}", report(&unknown));
        assert!(unknown.text().contains("orders.csv"), "{}", unknown.text());
        let all = call(&host, "csv_query", json!({"file": "stock.csv"})).await;
        assert_eq!(outcome(&all), "done", "{}", report(&all));
    });
}

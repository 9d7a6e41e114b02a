//! The SDK's settings, seen from outside: what a tool imports, how large it is, what it says of itself.

use serde_json::{Value, json};
use toolgate::Anatomy;

use crate::support::{guests, host, on_one_thread, tool};

#[test]
fn a_tool_without_wasi_imports_nothing_but_the_host() {
    for (name, bytes) in [
        ("stock_lookup", guests::STOCK_LOOKUP),
        ("search_orders", guests::SEARCH_ORDERS),
        ("lookup_policy", guests::LOOKUP_POLICY),
        ("delivery_estimate", guests::DELIVERY_ESTIMATE),
        ("json_query", guests::JSON_QUERY),
        ("ok_echo", guests::OK_ECHO),
        ("word_count", guests::WORD_COUNT),
    ] {
        let anatomy = Anatomy::read(bytes).expect("is a component");
        assert_eq!(anatomy.imports, ["toolgate:tool/host@1.0.0"], "{name}");
        assert_eq!(anatomy.exports, ["toolgate:tool/tool@1.0.0"], "{name}");
    }
}

#[test]
fn a_tool_stays_small() {
    for (name, bytes, max_kib) in [
        ("ok_echo", guests::OK_ECHO, 200),
        ("stock_lookup", guests::STOCK_LOOKUP, 240),
        ("create_ticket", guests::CREATE_TICKET, 280),
        ("csv_query", guests::CSV_QUERY, 440),
        ("json_query", guests::JSON_QUERY, 2048),
    ] {
        assert!(bytes.len() <= max_kib << 10, "{name} has {} KiB", bytes.len() >> 10);
    }
}

#[test]
fn the_tool_of_the_guide_answers() {
    on_one_thread(async {
        let host = host([tool("word_count.wasm", guests::WORD_COUNT)]).await;
        let reply = crate::support::call(&host, "word_count", json!({"text": "four words are here"})).await;
        assert_eq!(reply.text(), r#"{"words":4}"#);
        let none = crate::support::call(&host, "word_count", json!({"text": " "})).await;
        assert_eq!(crate::support::outcome(&none), "tool:not_found");
    });
}

#[test]
fn a_schema_says_what_the_types_mean() {
    on_one_thread(async {
        let host = host([tool("stock_lookup.wasm", guests::STOCK_LOOKUP)]).await;
        let contract = host.tools().next().expect("is loaded").contract();
        let input: Value = serde_json::from_str(contract.input.get()).expect("JSON");
        assert_eq!(input["additionalProperties"], false);
        assert_eq!(input["required"], json!(["sku", "region", "limit"]));
        assert_eq!(input["properties"]["region"]["enum"], json!(["busan", "jeju", "seoul"]));
        assert_eq!(input["properties"]["limit"]["minimum"], 1);
        assert_eq!(input["properties"]["limit"]["maximum"], 2);
        assert!(input["properties"]["limit"].get("format").is_none(), "`uint8` is no format of JSON Schema");
        let output: Value = serde_json::from_str(contract.output.get()).expect("JSON");
        assert_eq!(
            (&output["properties"]["rows"]["minItems"], &output["properties"]["rows"]["maxItems"]),
            (&json!(1), &json!(2))
        );
    });
}

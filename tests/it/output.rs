//! What a tool prints: kept up to a bound, cleaned, in the reply, and never on a stream of the host's.

use serde_json::json;
use toolgate::{ByteCount, DEFAULT_OUTPUT};

use crate::support::{call, check, fuel, guests, host, limited, on_one_thread, outcome, report, tool};

#[test]
fn what_a_tool_prints_comes_with_the_reply_in_order_and_cleaned() {
    on_one_thread(async {
        let host = host([tool("output_prints.wasm", guests::OUTPUT_PRINTS)]).await;
        let reply = call(&host, "probe_output_prints", json!({})).await;
        let printed: Vec<(&str, &str)> =
            reply.output.iter().map(|line| (line.channel.name(), line.text.as_str())).collect();
        assert_eq!(
            printed,
            [
                ("stdout", r"to stdout: \u{1b}[2J\u{202e}"),
                ("stderr", r"to stderr: \u{1b}]0;owned\u{7}"),
                ("stdout", "to stdout again"),
            ]
        );
        assert!(reply.usage.output.get() > 50 && reply.usage.output_dropped == ByteCount::default());
        assert!(reply.usage.host_calls > 0 && reply.usage.host_bytes >= reply.usage.output);
        assert_eq!(reply.text(), r#"{"text":"it is printed"}"#, "a model never sees it");
    });
}

#[test]
fn a_flood_of_output_costs_the_output_and_not_the_answer() {
    check(tool("output_floods.wasm", guests::OUTPUT_FLOODS), json!({"kib": 1024}), "done");
    on_one_thread(async {
        let host = host([tool("output_floods.wasm", guests::OUTPUT_FLOODS)]).await;
        let reply = call(&host, "probe_output_floods", json!({"kib": 1024})).await;
        assert_eq!(outcome(&reply), "done", "{}", report(&reply));
        assert!(reply.usage.output <= DEFAULT_OUTPUT, "{}", reply.usage.output);
        let all = reply.usage.output.get().saturating_add(reply.usage.output_dropped.get());
        assert_eq!(all, 1 << 20, "what is not kept is counted");
        assert!(reply.operator_line().contains(" output_dropped="), "{}", reply.operator_line());
        assert!(reply.usage.fuel > 1 << 20, "every byte is charged for: {}", reply.usage.fuel);
    });
}

#[test]
fn output_without_end_ends_with_the_fuel() {
    check(limited(guests::OUTPUT_FLOODS, fuel(20_000_000)), json!({"kib": 10 << 20}), "tool:fuel");
}

#[test]
fn empty_writes_without_end_end_with_the_fuel_and_are_not_kept() {
    check(tool("output_writes_nothing.wasm", guests::OUTPUT_WRITES_NOTHING), json!({}), "tool:fuel");
}

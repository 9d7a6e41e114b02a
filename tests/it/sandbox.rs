//! The budget: every stop has its name, a bound on what it costs, and a good call beside it that is still answered.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::json;
use toolgate::{MAX_HOST_CALLS, ToolSource, with_contract};

use crate::support::{
    call, check, check_each, fuel, guests, host, limited, memory, on_one_thread, outcome, report, time, tool,
};

#[test]
fn a_spinning_guest_is_stopped_by_its_fuel() {
    check(limited(guests::BUDGET_SPINS, fuel(1_000_000)), json!({}), "tool:fuel");
}

#[test]
fn a_spinning_guest_with_all_the_fuel_is_stopped_by_its_deadline() {
    check(limited(guests::BUDGET_SPINS, time(Duration::from_millis(100))), json!({}), "tool:timeout");
}

#[test]
fn a_sleeping_guest_that_spends_no_fuel_is_stopped_by_the_clock() {
    check(limited(guests::BUDGET_SLEEPS, time(Duration::from_millis(100))), json!({}), "tool:timeout");
}

#[test]
fn a_sleep_until_the_end_of_time_is_stopped_by_the_clock() {
    check(limited(guests::BUDGET_SLEEPS_FOR_EVER, time(Duration::from_millis(100))), json!({}), "tool:timeout");
}

#[test]
fn calls_into_the_host_are_charged_to_the_fuel() {
    check(limited(guests::BUDGET_READS_CLOCK, fuel(1_000_000)), json!({}), "tool:fuel");
    check(limited(guests::BUDGET_CALLS_HOST, fuel(1_000_000)), json!({}), "tool:fuel");
    on_one_thread(async {
        let host = host([limited(guests::BUDGET_CALLS_HOST, fuel(1_000_000))]).await;
        let reply = call(&host, "probe_budget_calls_host", json!({})).await;
        let calls = reply.usage.host_calls;
        assert!((900..=1_000).contains(&calls), "a thousand units each: {calls}");
        assert_eq!(reply.usage.fuel, 1_000_000, "all of it is spent");
        assert!(reply.text().contains("after 1000000 units of work"), "{}", report(&reply));
    });
}

#[test]
fn no_fuel_buys_more_calls_into_the_host_than_any_tool_may_make() {
    let rich = time(Duration::from_secs(60));
    check(limited(guests::BUDGET_READS_CLOCK, rich), json!({}), "tool:fuel");
    check(limited(guests::BUDGET_CALLS_HOST, rich), json!({}), "tool:fuel");
    on_one_thread(async {
        let host = host([limited(guests::BUDGET_CALLS_HOST, rich)]).await;
        let reply = call(&host, "probe_budget_calls_host", json!({})).await;
        assert_eq!(reply.usage.host_calls, MAX_HOST_CALLS + 1, "the one too many");
        assert!(reply.text().contains("after 100000 calls to its host"), "{}", report(&reply));
        assert!(
            reply.usage.fuel < toolgate::MAX_FUEL / 2,
            "what is left is not said to be spent: {}",
            reply.usage.fuel
        );
    });
}

#[test]
fn a_million_timers_end_at_the_cap_on_handles() {
    let many = json!({"timers": 1_000_000, "times": 1_000_000});
    let one_many_times = json!({"timers": 1, "times": 100_000});
    check_each(
        tool("budget_polls_many.wasm", guests::BUDGET_POLLS_MANY),
        [(many, "tool:memory"), (one_many_times, "tool:memory")],
    );
}

#[test]
fn randomness_is_bounded_by_request_and_by_fuel() {
    let draws = || tool("budget_draws_randomness.wasm", guests::BUDGET_DRAWS_RANDOMNESS);
    let rows = [("at_once", "tool:memory"), ("by_byte", "tool:fuel"), ("as_much_as_is_given", "done")];
    check_each(draws(), rows.map(|(how, code)| (json!({ "how": how }), code)));
    on_one_thread(async {
        let host = host([draws()]).await;
        let reply = call(&host, "probe_budget_draws_randomness", json!({"how": "as_much_as_is_given"})).await;
        assert_eq!(reply.usage.host_bytes.get(), 64 << 10, "{}", report(&reply));
    });
}

#[test]
fn more_than_the_host_takes_at_once_is_memory_it_is_not_given() {
    check(tool("log_passes_too_much.wasm", guests::LOG_PASSES_TOO_MUCH), json!({"mib": 5}), "tool:memory");
}

#[test]
fn a_guest_that_grows_its_memory_is_stopped_at_its_cap() {
    check(limited(guests::BUDGET_GROWS_MEMORY, memory(8 << 20)), json!({}), "tool:memory");
}

#[test]
fn memory_stays_below_the_cap_and_is_reported() {
    on_one_thread(async {
        let host = host([limited(guests::BUDGET_GROWS_MEMORY, memory(8 << 20))]).await;
        let reply = call(&host, "probe_budget_grows_memory", json!({})).await;
        let used = reply.usage.memory.get();
        assert!(used <= 8 << 20 && used > 4 << 20, "{used}");
        assert!(reply.usage.fuel > 0, "{}", report(&reply));
    });
}

#[test]
fn a_guest_that_recurses_for_ever_is_stopped_by_its_stack() {
    check(tool("trap_recurses.wasm", guests::TRAP_RECURSES), json!({}), "tool:stack");
}

#[test]
fn an_unreachable_instruction_is_a_trap() {
    check(tool("trap_unreachable.wasm", guests::TRAP_UNREACHABLE), json!({}), "tool:trap");
}

#[test]
fn a_panic_is_a_trap_whose_message_reaches_the_operator_only() {
    check(tool("trap_panics.wasm", guests::TRAP_PANICS), json!({}), "tool:trap");
    on_one_thread(async {
        let host = host([tool("trap_panics.wasm", guests::TRAP_PANICS)]).await;
        let reply = call(&host, "probe_panic", json!({})).await;
        let message = &reply.log.last().expect("the panic was logged").text;
        assert!(message.contains("trap_panics.rs"), "{message}");
        assert!(reply.operator_line().contains("it logged"), "{}", reply.operator_line());
        assert!(!reply.text().contains("trap_panics.rs"), "{}", reply.text());
    });
}

#[test]
fn ending_the_program_is_no_answer_even_with_status_zero() {
    check(tool("exit_quits.wasm", guests::EXIT_QUITS), json!({}), "tool:exit");
}

#[test]
fn a_tool_says_itself_why_it_has_no_answer() {
    let kinds = ["not_found", "refused", "unavailable", "failed"].map(|kind| (kind, format!("tool:{kind}")));
    let calls = kinds.iter().map(|(kind, code)| (json!({ "kind": kind }), code.as_str()));
    check_each(tool("fails_by_kind.wasm", guests::FAILS_BY_KIND), calls);
}

#[test]
fn a_start_function_that_spins_is_stopped_like_the_call_itself() {
    let contract = r#"{"name":"probe_init_spins","version":"1.0.0","description":"Spins before it is called.",
        "effects":"read","input":{"type":"object","additionalProperties":false},
        "output":{"type":"object","additionalProperties":false}}"#;
    let packed = with_contract(guests::INIT_SPINS, contract).expect("packs");
    let source = ToolSource::new("init_spins.wasm", Cow::Owned(packed)).limits(fuel(1_000_000));
    check(source, json!({}), "tool:fuel");
}

#[test]
fn a_flooded_log_costs_the_log_and_not_the_answer() {
    check(tool("log_floods.wasm", guests::LOG_FLOODS), json!({}), "done");
    on_one_thread(async {
        let host = host([tool("log_floods.wasm", guests::LOG_FLOODS)]).await;
        let reply = call(&host, "probe_log_floods", json!({})).await;
        assert_eq!(outcome(&reply), "done", "{}", report(&reply));
        assert!(reply.usage.log <= toolgate::DEFAULT_LOG, "{:?}", reply.usage.log);
        assert!(reply.usage.log_dropped.get() > 1_000_000, "{:?}", reply.usage.log_dropped);
    });
}

#[test]
fn the_same_call_costs_the_same_fuel_and_gives_the_same_bytes() {
    on_one_thread(async {
        let host = host([tool("stock_lookup.wasm", guests::STOCK_LOOKUP)]).await;
        let arguments = json!({"sku": "KB-104", "region": "busan", "limit": 2});
        let first = call(&host, "stock_lookup", arguments.clone()).await;
        for _ in 0..50 {
            let again = call(&host, "stock_lookup", arguments.clone()).await;
            assert_eq!((again.usage.fuel, again.text()), (first.usage.fuel, first.text()));
        }
    });
}

#[test]
fn the_bundled_tools_that_compute_most_answer_within_their_defaults() {
    let arguments = json!({"filter": ".items | map(.price) | add", "input": {"items": [{"price": 3}, {"price": 4}]}});
    check(tool("json_query.wasm", guests::JSON_QUERY), arguments, "done");
    check(tool("lookup_policy.wasm", guests::LOOKUP_POLICY), json!({"topic": "returns"}), "done");
}

//! Memory made on demand instead of taken from a pool: the same calls, the same limits.

use std::time::Duration;

use serde_json::json;
use toolgate::{Allocation, Host, LimitSettings, ToolSource};

use crate::by_hand::{self, ByHand};
use crate::support::{
    build, call, fuel, guests, limited, memory, on_one_thread, on_two_threads, outcome, report, time,
};

async fn on_demand(tools: impl IntoIterator<Item = ToolSource>) -> Host {
    build(Host::builder().tools(tools).allocation(Allocation::OnDemand)).await
}

#[test]
fn a_call_works_on_demand_and_spends_the_same_fuel() {
    on_two_threads(async {
        let tool = || limited(guests::OK_ECHO, LimitSettings::default());
        let (pooled, on_demand) = (build(Host::builder().tool(tool())).await, on_demand([tool()]).await);
        let arguments = json!({"text": "two boxes of tea, please"});
        let (first, second) =
            (call(&pooled, "echo", arguments.clone()).await, call(&on_demand, "echo", arguments).await);
        assert!(second.is_done(), "{}", report(&second));
        assert_eq!((first.text(), first.usage.fuel), (second.text(), second.usage.fuel));
        assert_eq!(on_demand.stats().stores_alive, 0);
    });
}

#[test]
fn every_limit_holds_on_demand() {
    let short = time(Duration::from_millis(100));
    for (guest, limits, code) in [
        (guests::BUDGET_GROWS_MEMORY, memory(2 << 20), "tool:memory"),
        // Beyond what is reserved behind a memory, so that it moves on its way.
        (guests::BUDGET_GROWS_MEMORY, memory(200 << 20), "tool:memory"),
        (guests::BUDGET_SPINS, fuel(1_000_000), "tool:fuel"),
        (guests::BUDGET_SPINS, short, "tool:timeout"),
        (guests::BUDGET_SLEEPS, short, "tool:timeout"),
        (guests::TRAP_RECURSES, LimitSettings::default(), "tool:stack"),
    ] {
        on_one_thread(async {
            let host = on_demand([limited(guest, limits), by_hand::good()]).await;
            let name = host.tools().map(toolgate::Tool::name).find(|name| *name != by_hand::GOOD).expect("the probe");
            let reply = call(&host, name, json!({})).await;
            assert_eq!(outcome(&reply), code, "{}", report(&reply));
            assert!(reply.usage.memory <= host.tools().find(|tool| tool.name() == name).expect("it").limits().memory);
            let good = call(&host, by_hand::GOOD, json!({})).await;
            assert_eq!(good.text(), r#"{"still":"here"}"#, "{}", report(&good));
            assert_eq!(host.stats().stores_alive, 0);
        });
    }
}

#[test]
fn more_parts_than_a_call_has_are_stopped_on_demand_too() {
    let instances = "(core instance (instantiate $one))".repeat(100);
    let before = format!("(core module $one (func)) {instances}");
    let memories = format!("{}(memory 1)", "(memory 1)".repeat(4));
    for by_hand in [
        ByHand { before: &before, ..ByHand::default() },
        ByHand {
            before: &format!("(core module $one {memories}) (core instance (instantiate $one))"),
            ..ByHand::default()
        },
    ] {
        on_one_thread(async {
            let host = on_demand([by_hand.tool()]).await;
            let reply = call(&host, by_hand::NAME, json!({})).await;
            assert_eq!(outcome(&reply), "tool:memory", "{}", report(&reply));
        });
    }
}

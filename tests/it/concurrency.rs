//! Calls beside each other: who waits for whom, on one worker thread and on two.

use std::time::Duration;

use serde_json::json;
use toolgate::{MAX_CALLS, MAX_WAITING, RawCall};

use crate::support::{call, guests, host, limited, on_one_thread, on_two_threads, outcome, time, tool};

/// A spinner that ends long after everything else, and a good tool.
fn tools() -> [toolgate::ToolSource; 2] {
    [limited(guests::BUDGET_SPINS, time(Duration::from_secs(60))), tool("ok_echo.wasm", guests::OK_ECHO)]
}

#[test]
fn a_good_call_is_answered_while_the_spinner_beside_it_still_lives() {
    let beside = || async {
        let host = host(tools()).await;
        let spinner = host.call(RawCall::new("probe_spin", "{}"));
        let good = async {
            // The spinner has had its first turn when its store exists.
            while host.stats().stores_alive == 0 {
                tokio::task::yield_now().await;
            }
            let reply = call(&host, "echo", json!({"text": "x"})).await;
            (outcome(&reply), host.stats().stores_alive)
        };
        tokio::select! {
            biased;
            reply = spinner => panic!("the spinner ended first: {}", outcome(&reply)),
            (outcome, alive) = good => assert_eq!((outcome.as_str(), alive), ("done", 1)),
        }
        assert_eq!(host.stats().stores_alive, 0, "dropped with its future");
    };
    on_one_thread(beside());
    on_two_threads(beside());
}

#[test]
fn a_timer_is_served_while_every_worker_has_a_spinner() {
    let served = || async {
        let host = host(tools()).await;
        let spinners: Vec<_> = (0..4)
            .map(|_| {
                let host = host.clone();
                tokio::spawn(async move { host.call(RawCall::new("probe_spin", "{}")).await })
            })
            .collect();
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(spinners.iter().all(|spinner| !spinner.is_finished()), "the timer ran while they spun");
        spinners.iter().for_each(tokio::task::JoinHandle::abort);
    };
    on_one_thread(served());
    on_two_threads(served());
}

#[test]
fn a_full_host_says_so_and_recovers() {
    on_two_threads(async {
        // Guests that sleep take places and no time.
        let sleeper = limited(guests::BUDGET_SLEEPS, time(Duration::from_secs(60)));
        let host = host([sleeper, tool("ok_echo.wasm", guests::OK_ECHO)]).await;
        let n_calls = MAX_CALLS + MAX_WAITING;
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..n_calls {
            let host = host.clone();
            calls.spawn(async move { host.call(RawCall::new("probe_budget_sleeps", "{}")).await });
        }
        // Once every place and every seat in the queue is taken, the next call is told so at once.
        while host.stats().calls_waiting < u64::try_from(MAX_WAITING).expect("fits") {
            tokio::task::yield_now().await;
        }
        let refused = call(&host, "echo", json!({"text": "x"})).await;
        assert_eq!(outcome(&refused), "host:overloaded");
        assert_eq!(refused.machine().fixable_by, Some("retry"));
        assert_eq!(host.stats().stores_alive, u64::try_from(MAX_CALLS).expect("fits"));
        calls.shutdown().await;
        assert_eq!(host.stats().stores_alive, 0);
        assert_eq!(outcome(&call(&host, "echo", json!({"text": "x"})).await), "done");
    });
}

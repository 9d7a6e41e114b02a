//! Cancelling and dropping, at every point where a call can be met: the guest is stopped, nothing is left, and whoever is
//! still there is answered.

use std::future::{Future, pending, poll_fn, ready};
use std::task::Poll;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate::{Access, DirectoryGrant, Effects, Host, RawCall, Turn};

use crate::by_hand::ByHand;
use crate::support::{
    call, desk_host, guests, host, limited, on_one_thread, on_two_threads, outcome, report, time, tool, wait_until,
};

/// Polls the work so often, one poll after the other, and then drops it.
async fn cut_after<T>(n_polls: usize, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = asked(n_polls) => None,
        done = work => Some(done),
    }
}

/// Ends when it has been asked so often.
async fn asked(n_times: usize) {
    let mut n_left = n_times;
    poll_fn(move |context| {
        if n_left == 0 {
            return Poll::Ready(());
        }
        n_left = n_left.saturating_sub(1);
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn turn(calls: &[(&str, &str, Value)]) -> Turn {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, input)| json!({"type": "tool_use", "id": id, "name": name, "input": input}))
        .collect();
    Turn::read(json!({ "content": calls }).to_string().as_bytes(), None).expect("is a turn")
}

/// Tools that can be met in every state: in start function, allocator, loop and host call; and a good one.
async fn busy_host() -> Host {
    let long = time(Duration::from_secs(60));
    let realloc = r#"(func (export "realloc") (param i32 i32 i32 i32) (result i32) (loop (br 0)) (unreachable))"#;
    host([
        ByHand { module: realloc, ..ByHand::default() }.tool().limits(long),
        ByHand { module: "(func $s (loop (br 0))) (start $s)", ..ByHand::default() }
            .tool_named("by_hand_start")
            .limits(long),
        limited(guests::BUDGET_SPINS, long),
        limited(guests::BUDGET_SLEEPS, long),
        tool("trap_unreachable.wasm", guests::TRAP_UNREACHABLE),
        tool("ok_echo.wasm", guests::OK_ECHO),
    ])
    .await
}

const BUSY: [&str; 5] = ["by_hand", "by_hand_start", "probe_spin", "probe_budget_sleeps", "probe_trap_unreachable"];

#[test]
fn a_call_dropped_at_any_poll_leaves_nothing_and_the_next_one_is_answered() {
    let at_every_poll = || async {
        let host = busy_host().await;
        for name in BUSY {
            for n_polls in 0..6 {
                let reply = cut_after(n_polls, host.call(RawCall::new(name, "{}"))).await;
                assert!(reply.is_none_or(|reply| outcome(&reply) == "tool:trap"), "{name} at {n_polls}");
                assert_eq!(host.stats().stores_alive, 0, "{name} at {n_polls}");
                let good = call(&host, "echo", json!({"text": "x"})).await;
                assert_eq!(outcome(&good), "done", "{}", report(&good));
            }
        }
    };
    on_one_thread(at_every_poll());
    on_two_threads(at_every_poll());
}

#[test]
fn a_turn_dropped_at_any_poll_leaves_nothing() {
    let at_every_poll = || async {
        let host = busy_host().await;
        for n_polls in 0..8 {
            let calls = [
                ("a", "probe_spin", json!({})),
                ("b", "probe_budget_sleeps", json!({})),
                ("c", "echo", json!({"text": "x"})),
            ];
            let answer = cut_after(n_polls, Box::pin(host.answer(turn(&calls)))).await;
            assert!(answer.is_none(), "two of them run for a minute");
            // A task of a dropped turn ends at its next tick.
            wait_until(|| host.stats().stores_alive == 0).await;
        }
        assert_eq!(outcome(&call(&host, "echo", json!({"text": "x"})).await), "done");
    };
    on_one_thread(at_every_poll());
    on_two_threads(at_every_poll());
}

#[test]
fn a_cancelled_turn_is_answered_whole_whenever_it_is_cancelled() {
    let at_every_poll = || async {
        let host = busy_host().await;
        let calls = [
            ("a", "probe_spin", json!({})),
            ("b", "echo", json!({"text": "x"})),
            ("c", "probe_budget_sleeps", json!({})),
            ("d", "no_such_tool", json!({})),
            ("e", "by_hand", json!({})),
        ];
        for n_polls in 0..12 {
            let answer = host.answer_until(turn(&calls), asked(n_polls)).await;
            assert_eq!(host.stats().stores_alive, 0, "whoever is answered has no guest any more");
            let ids: Vec<&str> = answer.replies.iter().map(|reply| reply.id.as_str()).collect();
            assert_eq!(ids, ["a", "b", "c", "d", "e"]);
            for (reply, may_be) in answer.replies.iter().zip([
                ["host:cancelled", "host:cancelled"],
                ["host:cancelled", "done"],
                ["host:cancelled", "host:cancelled"],
                ["call:unknown_tool", "call:unknown_tool"],
                ["host:cancelled", "host:cancelled"],
            ]) {
                assert!(may_be.contains(&outcome(reply).as_str()), "{}", report(reply));
                assert_eq!(reply.effects, Effects::None, "none of them can change anything");
            }
            assert_eq!(answer.message.matches("tool_use_id").count(), 5);
        }
    };
    on_one_thread(at_every_poll());
    on_two_threads(at_every_poll());
}

#[test]
fn what_was_cancelled_before_it_began_makes_no_store_and_what_ran_says_what_it_spent() {
    on_one_thread(async {
        let host = busy_host().await;
        let never_began = host.call_until(RawCall::new("probe_spin", "{}"), ready(())).await;
        assert_eq!(outcome(&never_began), "host:cancelled");
        assert_eq!((host.stats().stores_created, never_began.usage.fuel), (0, 0));
        let stopped = host.call_until(RawCall::new("probe_spin", "{}"), asked(3)).await;
        assert_eq!(outcome(&stopped), "host:cancelled", "{}", report(&stopped));
        assert!(stopped.usage.fuel > 0, "{}", report(&stopped));
        let finished = host.call_until(RawCall::new("echo", r#"{"text":"x"}"#), pending()).await;
        assert_eq!(outcome(&finished), "done");
    });
}

#[test]
fn a_call_that_is_cancelled_before_its_turn_on_the_thread_makes_no_store() {
    on_one_thread(async {
        let host = busy_host().await;
        let calls = [("a", "probe_spin", json!({})), ("b", "probe_budget_sleeps", json!({}))];
        // Both ask once when they come to their places, and once more when their tasks have their turn.
        let answer = host.answer_until(turn(&calls), asked(2)).await;
        assert!(answer.replies.iter().all(|reply| outcome(reply) == "host:cancelled"));
        assert_eq!(host.stats().stores_created, 0);
    });
}

#[test]
fn writes_behind_a_cancelled_one_do_not_begin() {
    let desk = tempfile::tempdir().expect("a directory");
    on_two_threads(async {
        let host = desk_host(desk.path(), [limited(guests::BUDGET_SPINS, time(Duration::from_secs(60)))]).await;
        let ticket = json!({"customer_id": "cus_1", "subject": "Broken", "priority": "low"});
        let calls = [("a", "create_ticket", ticket.clone()), ("b", "create_ticket", ticket)];
        let answer = host.answer_until(turn(&calls), ready(())).await;
        for reply in &answer.replies {
            assert_eq!(
                (outcome(reply).as_str(), reply.effects),
                ("host:cancelled", Effects::None),
                "{}",
                report(reply)
            );
        }
        assert_eq!(std::fs::read_dir(desk.path()).expect("lists").count(), 0, "nothing was written");
    });
}

#[test]
fn what_may_have_written_before_it_was_cancelled_says_so() {
    let desk = tempfile::tempdir().expect("a directory");
    let spins = r#"(func (export "call") (param i32 i32) (result i32) (loop (br 0)) (unreachable))"#;
    let grant = DirectoryGrant { guest: "/desk".into(), host: desk.path().to_owned(), access: Access::ReadWrite };
    let writes = ByHand { module: spins, ..ByHand::default() }.tool_that_writes().grant(grant);
    on_one_thread(async {
        let host = host([writes.limits(time(Duration::from_secs(60)))]).await;
        let began = host.call_until(RawCall::new("by_hand", "{}"), asked(3)).await;
        assert_eq!((outcome(&began).as_str(), began.effects), ("host:cancelled", Effects::Unknown));
        assert!(began.text().contains("part of its work may have been done"), "{}", report(&began));
        let never_began = host.call_until(RawCall::new("by_hand", "{}"), ready(())).await;
        assert_eq!((outcome(&never_began).as_str(), never_began.effects), ("host:cancelled", Effects::None));
    });
}

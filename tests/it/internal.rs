//! A fault in the host's own code, at every place where a call looks at the clock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use toolgate::{Clock, Host, Turn};

use crate::support::{build, guests, on_one_thread, on_two_threads, outcome, tool};

/// A clock that panics at one of its readings once it is armed.
#[derive(Debug)]
struct Faulty {
    readings: AtomicU64,
    panics_at: AtomicU64,
}

impl Faulty {
    fn arm(&self, readings_from_now: u64) {
        let reading = self.readings.load(Ordering::SeqCst).saturating_add(readings_from_now);
        self.panics_at.store(reading, Ordering::SeqCst);
    }
}

impl Clock for Faulty {
    fn now(&self) -> Duration {
        let reading = self.readings.fetch_add(1, Ordering::SeqCst);
        assert_ne!(reading, self.panics_at.load(Ordering::SeqCst), "injected fault");
        Duration::from_micros(reading)
    }
}

/// Three calls, one of them refused.
fn turn() -> Turn {
    let call = |id: &str, name: &str| json!({"type": "tool_use", "id": id, "name": name, "input": {"text": "hi"}});
    let calls = [call("a", "echo"), call("b", "ehco"), call("c", "echo")];
    Turn::read(json!({"content": calls}).to_string().as_bytes(), None).expect("is a turn")
}

/// Answers the turn with a fault at one reading of the clock; gives back how many calls it hit.
async fn faults_at(reading: u64, host: &Host, clock: &Faulty) -> usize {
    clock.arm(reading);
    let answer = host.answer(turn()).await;
    let ids: Vec<&str> = answer.replies.iter().map(|reply| reply.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    let mut n_internal: usize = 0;
    for (reply, expected) in answer.replies.iter().zip(["done", "call:unknown_tool", "done"]) {
        match outcome(reply).as_str() {
            "host:internal" => {
                n_internal = n_internal.saturating_add(1);
                assert!(reply.operator_line().contains("injected fault"), "{}", reply.operator_line());
                assert!(!reply.text().contains("injected fault"), "{}", reply.text());
            }
            other => assert_eq!(other, expected),
        }
    }
    assert_eq!(host.stats().stores_alive, 0);
    n_internal
}

#[test]
fn a_panic_in_the_host_answers_its_call_and_leaves_the_others_alone() {
    let clock = Arc::new(Faulty { readings: AtomicU64::new(0), panics_at: AtomicU64::new(u64::MAX) });
    let builder = Host::builder().tool(tool("ok_echo.wasm", guests::OK_ECHO)).clock(clock.clone());
    let host = on_one_thread(build(builder));
    let sweep = || async {
        // Two calls look at the clock seven times each and one three times; more where a guest sees a tick.
        let mut n_hit: usize = 0;
        for reading in 0..40 {
            let n_internal = faults_at(reading, &host, &clock).await;
            assert!(n_internal <= 1, "one fault, one call");
            n_hit = n_hit.saturating_add(n_internal);
        }
        assert!(n_hit >= 17, "every reading of the clock was a fault once: {n_hit}");
    };
    on_one_thread(sweep());
    on_two_threads(sweep());
}

/// What a subscriber of the embedder's panics at. Not at the question whether it listens: `tracing` asks that under a lock of
/// its own, which nobody in the process could take again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    NewSpan,
    Enter,
    Exit,
    Event,
    Close,
}

/// A subscriber that panics at one thing that is ours.
struct Panics(At);

impl Panics {
    fn at(&self, at: At, metadata: Option<&tracing::Metadata<'_>>) {
        let is_ours = metadata.is_none_or(|metadata| metadata.target() == "toolgate::call");
        assert!(!is_ours || self.0 != at, "injected fault");
    }
}

impl tracing::Subscriber for Panics {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "toolgate::call"
    }

    fn new_span(&self, attributes: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        self.at(At::NewSpan, Some(attributes.metadata()));
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        self.at(At::Event, Some(event.metadata()));
    }

    fn enter(&self, _: &tracing::span::Id) {
        self.at(At::Enter, None);
    }

    fn exit(&self, _: &tracing::span::Id) {
        self.at(At::Exit, None);
    }

    fn try_close(&self, _: tracing::span::Id) -> bool {
        self.at(At::Close, None);
        true
    }
}

#[test]
fn a_subscriber_that_panics_costs_no_call_its_reply() {
    let host = on_one_thread(build(Host::builder().tool(tool("ok_echo.wasm", guests::OK_ECHO))));
    for at in [At::NewSpan, At::Enter, At::Exit, At::Event, At::Close] {
        let answer = tracing::subscriber::with_default(Panics(at), || on_one_thread(host.answer(turn())));
        let outcomes: Vec<String> = answer.replies.iter().map(outcome).collect();
        assert_eq!(outcomes, ["done", "call:unknown_tool", "done"], "{at:?}");
    }
}

/// A subscriber that keeps what it is told.
#[derive(Clone, Default)]
struct Keeps(Arc<Mutex<Vec<String>>>);

impl tracing::field::Visit for Keeps {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.lock().expect("nobody panicked").push(format!("{field}={value:?}"));
    }
}

impl tracing::Subscriber for Keeps {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "toolgate::call"
    }

    fn new_span(&self, attributes: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        attributes.record(&mut self.clone());
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn each_call_is_one_span_and_one_event_without_its_arguments() {
    let host = on_one_thread(build(Host::builder().tool(tool("ok_echo.wasm", guests::OK_ECHO))));
    let keeps = Keeps::default();
    tracing::subscriber::with_default(keeps.clone(), || on_one_thread(host.answer(turn())));
    let said = keeps.0.lock().expect("nobody panicked").join("\n");
    for (what, n) in [("id=", 3), ("tool=\"echo\"", 2), ("arguments_sha256=", 3), ("message=done call=", 2)] {
        assert_eq!(said.matches(what).count(), n, "{what} in:\n{said}");
    }
    assert!(said.contains("message=refused call=b tool=ehco code=call:unknown_tool effects=none fuel=0"), "{said}");
    assert!(!said.contains("hi"), "no argument and no result: {said}");
}

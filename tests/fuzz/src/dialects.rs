//! Dialects: whatever comes as a provider's message is read or refused, and every call of it is answered once.

use std::sync::LazyLock;

use futures_util::FutureExt;
use serde_json::Value;
use toolgate::{Coercion, Dialect, Host, MAX_CALLS_IN_MESSAGE, Turn, oracle};

/// A host without tools: it refuses every call, which takes no runtime.
static HOST: LazyLock<Host> = LazyLock::new(|| {
    let built = Host::builder().coercion(Coercion::Lossless).build().now_or_never();
    built.expect("nothing is loaded, so nothing is waited for").expect("the platform has a sandbox")
});

/// Holds every dialect against a message: none panics, what one finds by itself it finds when it is named, and the calls
/// that were read are answered in their order, each id once per call.
///
/// # Panics
/// Where that does not hold.
pub fn dialects(bytes: &[u8]) {
    for dialect in Dialect::ALL {
        if let Ok(turn) = Turn::read(bytes, Some(dialect)) {
            assert_eq!(turn.dialect, dialect);
            answered(turn);
        }
    }
    if let Ok(turn) = Turn::read(bytes, None) {
        let named = Turn::read(bytes, Some(turn.dialect));
        assert_eq!(named.as_ref(), Ok(&turn), "the dialect that was found reads something else when it is named");
    }
}

fn answered(turn: Turn) {
    assert!((1..=MAX_CALLS_IN_MESSAGE).contains(&turn.calls.len()), "{} calls", turn.calls.len());
    for call in &turn.calls {
        // Whether it is one or not: it must not panic.
        drop(oracle::admit(call.clone(), Coercion::Lossless));
    }
    let ids: Vec<String> = turn.calls.iter().map(|call| call.id.clone()).collect();
    let answer = HOST.answer(turn).now_or_never().expect("nothing is run, so nothing is waited for");
    let answered: Vec<&str> = answer.replies.iter().map(|reply| reply.id.as_str()).collect();
    assert_eq!(answered, ids, "N calls in, N results out, in the order asked");
    assert!(answer.replies.iter().all(|reply| !reply.is_done() && reply.text().len() < 1024));
    assert!(serde_json::from_str::<Value>(&answer.message).is_ok(), "{}", answer.message);
}

//! Tools in other languages, each behind the same contract as a Rust one: `languages/build` makes them, and without them
//! these tests fail.
//!
//! Not among the tests of a plain `cargo test`, since they need compilers that a fresh clone does not have; `.ci/run
//! languages` builds and runs them.

#![cfg(test)]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolgate::{Host, RawCall, Reply, ToolSource};

/// Language, and what its tool makes of a division by zero: code, and what the reply says of it.
const LANGUAGES: [(&str, &str, &str); 3] = [
    ("c", "tool:trap", "crashed"),
    ("javascript", "tool:failed", "says: RangeError: "),
    ("python", "tool:failed", "says: ZeroDivisionError: "),
];

/// Loaded once: compiling an interpreter takes most of the time there is.
static HOST: LazyLock<Host> = LazyLock::new(|| runtime().block_on(host()));

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

/// A host with the tool of each language, as it is without a contract section: each is asked for its contract.
async fn host() -> Host {
    let sources = LANGUAGES.map(|(language, _, _)| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in the repository");
        let file = root.join("target/languages").join(format!("{language}.wasm"));
        let bytes = fs::read(&file).unwrap_or_else(|error| {
            panic!("{}: {error}\nhint: build it with `languages/build {language}`", file.display())
        });
        ToolSource::new(format!("{language}.wasm"), bytes)
    });
    Host::builder().tools(sources).build().await.unwrap_or_else(|error| panic!("{error}"))
}

async fn unit_price(host: &Host, language: &str, arguments: Value) -> Reply {
    host.call(RawCall::new(format!("unit_price_{language}"), arguments.to_string())).await
}

fn outcome(reply: &Reply) -> String {
    reply.code().map_or_else(|| "done".to_owned(), |code| code.to_string())
}

#[test]
fn tools_of_every_language_keep_the_same_contract() {
    let host = &*HOST;
    runtime().block_on(async {
        for (language, code, said) in LANGUAGES {
            let answered = unit_price(host, language, json!({"items": 3, "total_cents": 1000})).await;
            assert_eq!(answered.text(), r#"{"cents":333}"#, "{language}: {:?}", answered.log);
            let again = unit_price(host, language, json!({"items": 3, "total_cents": 1000})).await;
            assert_eq!(again.usage.fuel, answered.usage.fuel, "{language}: each call starts from the same state");
            assert!(answered.pure, "{language} imports nothing that reaches outside");

            let refused = unit_price(host, language, json!({"items": 3, "total_cents": -1})).await;
            assert_eq!(outcome(&refused), "tool:refused", "{language}: {}", refused.text());
            assert!(refused.text().contains("the total is negative"), "{language}: {}", refused.text());

            let thrown = unit_price(host, language, json!({"items": 0, "total_cents": 1000})).await;
            assert_eq!(outcome(&thrown), code, "{language}: {}", thrown.operator_line());
            assert!(thrown.text().contains(said), "{language}: {}", thrown.text());

            let mistyped = unit_price(host, language, json!({"items": "3", "total_cents": 1000})).await;
            assert_eq!(outcome(&mistyped), "args:type:items", "{language}");
        }
        assert_eq!(host.stats().stores_alive, 0);
    });
}

#[test]
fn a_languages_own_wrapper_tells_the_operator_where_it_was_thrown() {
    let host = &*HOST;
    runtime().block_on(async {
        for (language, place) in [("javascript", "unit_price.js:"), ("python", "unit_price.py:")] {
            let thrown = unit_price(host, language, json!({"items": 0, "total_cents": 1000})).await;
            let logged = thrown.log.last().map(|line| line.text.as_str()).unwrap_or_default();
            assert!(logged.contains(place), "{language}: {logged}");
            assert!(!thrown.text().contains(place), "the model does not: {}", thrown.text());
        }
    });
}

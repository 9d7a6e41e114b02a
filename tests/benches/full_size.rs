//! The attacks at their full size: what the tests run scaled down so that they end in seconds. Prints what each costs, and
//! ends with 1 where one does not end as it has to.
//!
//! `cargo bench --bench full_size` takes about a minute. Memory is read from `/proc`, and left out where there is none.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for a person at a terminal, who is shown times"
)]

mod guests {
    //! The components.
    #![allow(dead_code, reason = "every guest has a constant, and not every one is run here")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate::{Host, LimitSettings, MAX_FUEL, MAX_MEMORY, RawCall, ToolSource};

/// KiB that a hostile call may add at its peak to what its guest has.
const ROOM: u64 = 16 << 10;

/// One attack: the guest, its arguments, its limits, how it has to end.
struct Attack {
    what: &'static str,
    guest: &'static [u8],
    arguments: Value,
    limits: LimitSettings,
    code: &'static str,
}

fn all() -> LimitSettings {
    LimitSettings { fuel: Some(MAX_FUEL), ..LimitSettings::default() }
}

fn attacks() -> Vec<Attack> {
    let attack = |what, guest, arguments, limits, code| Attack { what, guest, arguments, limits, code };
    let gibibyte = LimitSettings { memory_bytes: Some(MAX_MEMORY.get()), ..all() };
    vec![
        attack("spins, default fuel", guests::BUDGET_SPINS, json!({}), LimitSettings::default(), "tool:fuel"),
        attack("spins, all the fuel", guests::BUDGET_SPINS, json!({}), all(), "tool:timeout"),
        attack("sleeps for ever", guests::BUDGET_SLEEPS_FOR_EVER, json!({}), all(), "tool:timeout"),
        attack("takes a gibibyte", guests::BUDGET_GROWS_MEMORY, json!({}), gibibyte, "tool:memory"),
        attack("reads the clock", guests::BUDGET_READS_CLOCK, json!({}), all(), "tool:fuel"),
        attack(
            "a million timers",
            guests::BUDGET_POLLS_MANY,
            json!({"timers": 1_000_000, "times": 1_000_000}),
            all(),
            "tool:memory",
        ),
        attack("2^63 random bytes", guests::BUDGET_DRAWS_RANDOMNESS, json!({"how": "at_once"}), all(), "tool:memory"),
        attack("random byte by byte", guests::BUDGET_DRAWS_RANDOMNESS, json!({"how": "by_byte"}), all(), "tool:fuel"),
        attack("prints 10 GiB", guests::OUTPUT_FLOODS, json!({"kib": 10 << 20}), all(), "tool:fuel"),
        attack("10^8 empty writes", guests::OUTPUT_WRITES_NOTHING, json!({}), all(), "tool:fuel"),
        attack("recurses", guests::TRAP_RECURSES, json!({}), all(), "tool:stack"),
    ]
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let mut good = true;
    for attack in attacks() {
        good &= runtime.block_on(run(&attack));
    }
    good &= runtime.block_on(ten_thousand_pure_calls());
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn load(guest: &'static [u8], limits: LimitSettings) -> Host {
    let source = ToolSource::new("guest.wasm", guest).limits(limits);
    Host::builder().tool(source).build().await.expect("a guest of our own loads")
}

async fn run(attack: &Attack) -> bool {
    let host = load(attack.guest, attack.limits).await;
    let name = host.tools().next().expect("one tool").name().to_owned();
    let before = forget_peak();
    let start = Instant::now();
    let reply = host.call(RawCall::new(name, attack.arguments.to_string())).await;
    let time = start.elapsed();
    let code = reply.code().map_or_else(|| "done".to_owned(), |code| code.to_string());
    let grown = kib("VmHWM:").saturating_sub(before);
    println!("{:<20} {code:<14} {time:>10.1?} {grown:>9} KiB  fuel {}", attack.what, reply.usage.fuel);
    let in_time = time < toolgate::DEFAULT_TIME.saturating_add(Duration::from_millis(100));
    let is_small = grown <= (reply.usage.memory.get() >> 10).saturating_add(ROOM);
    code == attack.code && in_time && is_small && host.stats().stores_alive == 0
}

async fn ten_thousand_pure_calls() -> bool {
    let host = load(guests::PURE_LOOKS_AROUND, LimitSettings::default()).await;
    let call = || host.call(RawCall::new("probe_pure_looks_around", r#"{"n":7}"#));
    let first = call().await;
    let start = Instant::now();
    for _ in 0..10_000 {
        let again = call().await;
        if (again.text(), again.usage.fuel) != (first.text(), first.usage.fuel) {
            println!("a pure call differs: {}", again.text());
            return false;
        }
    }
    println!("{:<20} {:<14} {:>10.1?}", "10 000 pure calls", "the same", start.elapsed());
    first.is_done()
}

/// Makes the peak start from here, and gives back where that is. Not allowed everywhere; then it starts from the highest of
/// the whole run.
fn forget_peak() -> u64 {
    let key = if fs::write("/proc/self/clear_refs", "5").is_ok() { "VmRSS:" } else { "VmHWM:" };
    kib(key)
}

/// A number of KiB from what the system says of this process; 0 where it says nothing.
fn kib(key: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse().ok()).unwrap_or_default()
}

//! Tests that need the process to themselves, one after the other: what the system counts per process (memory, threads,
//! descriptors), and a signal.
//!
//! Linux only, since they read `/proc`. What can be seen through the library stands in `it`.

#![cfg(test)]
#![cfg(target_os = "linux")]

mod guests {
    //! The components; `it` is where each of them has to have a test.
    #![allow(dead_code, reason = "every guest has a constant, and not every one is measured")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

use std::fs;
use std::process::{Command, ExitCode};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};
use toolgate::{Allocation, Host, LimitSettings, RawCall, Reply, ToolSource};

/// What a hostile call may add at its peak to what its guest has.
const ROOM: u64 = 16 << 20;

static ALONE: Mutex<()> = Mutex::new(());

/// Waits for its turn; a test that failed does not fail the others.
fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A line of `/proc/self/status`, as its first word.
fn status(key: &str) -> String {
    let status = fs::read_to_string("/proc/self/status").expect("reads");
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().next()).expect("the line is there").to_owned()
}

fn bytes(key: &str) -> u64 {
    status(key).parse::<u64>().expect("a number of KiB") << 10
}

/// How many descriptors and threads this process has.
fn held() -> (usize, String) {
    (fs::read_dir("/proc/self/fd").expect("lists").count(), status("Threads"))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

fn outcome(reply: &Reply) -> String {
    reply.code().map_or_else(|| "done".to_owned(), |code| code.to_string())
}

async fn call(host: &Host, tool: &str, arguments: &Value) -> String {
    outcome(&host.call(RawCall::new(tool, arguments.to_string())).await)
}

/// A guest that takes what it can get.
struct Greedy {
    name: &'static str,
    guest: &'static [u8],
    arguments: Value,
    /// How it has to end.
    code: &'static str,
    /// What it may add at its host's peak to the memory it had itself.
    room: u64,
}

/// Memory for a guest that makes 40 MiB of text to hand over.
const LARGE: u64 = 256 << 20;

fn greedy() -> Vec<Greedy> {
    let greedy = |name, guest, arguments, code| Greedy { name, guest, arguments, code, room: ROOM };
    let printing = |name, guest, arguments, code| Greedy { room: ROOM / 2, ..greedy(name, guest, arguments, code) };
    vec![
        greedy("probe_budget_grows_memory", guests::BUDGET_GROWS_MEMORY, json!({}), "tool:memory"),
        greedy(
            "probe_budget_polls_many",
            guests::BUDGET_POLLS_MANY,
            json!({"timers": 1_000_000, "times": 1_000_000}),
            "tool:memory",
        ),
        greedy(
            "probe_budget_draws_randomness",
            guests::BUDGET_DRAWS_RANDOMNESS,
            json!({"how": "at_once"}),
            "tool:memory",
        ),
        greedy("probe_log_passes_too_much", guests::LOG_PASSES_TOO_MUCH, json!({"mib": 40}), "tool:memory"),
        printing("probe_log_floods", guests::LOG_FLOODS, json!({}), "done"),
        printing("probe_output_floods", guests::OUTPUT_FLOODS, json!({"kib": 20 << 10}), "done"),
        printing("probe_output_writes_nothing", guests::OUTPUT_WRITES_NOTHING, json!({}), "tool:fuel"),
        greedy("probe_result_is_huge", guests::RESULT_IS_HUGE, json!({"mib": 40}), "result:too_big"),
        greedy("probe_trap_recurses", guests::TRAP_RECURSES, json!({}), "tool:stack"),
        greedy("probe_panic", guests::TRAP_PANICS, json!({}), "tool:trap"),
    ]
}

async fn host() -> Host {
    let (fuel, time_ms) = (Some(10_000_000_000), Some(60_000));
    let limits = LimitSettings { memory_bytes: Some(LARGE), fuel, time_ms, ..LimitSettings::default() };
    let sources = greedy().into_iter().map(|greedy| {
        let source = ToolSource::new(format!("{}.wasm", greedy.name), greedy.guest);
        if greedy.arguments.get("mib").is_some() { source.limits(limits) } else { source }
    });
    Host::builder().tools(sources).build().await.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_greedy_guest_costs_its_host_no_more_than_what_it_has_itself_and_a_little() {
    let _alone = alone();
    runtime().block_on(async {
        let host = host().await;
        for Greedy { name, guest: _, arguments, code, room } in greedy() {
            // Makes the peak start from here.
            fs::write("/proc/self/clear_refs", "5").expect("this system lets a process measure its own peak");
            let before = bytes("VmRSS");
            let reply = host.call(RawCall::new(name, arguments.to_string())).await;
            let grown = bytes("VmHWM").saturating_sub(before);
            assert_eq!(outcome(&reply), code, "{name}");
            let guest = reply.usage.memory.get();
            assert!(
                grown <= guest.saturating_add(room),
                "{name} had {} KiB and made the host grow by {} KiB",
                guest >> 10,
                grown >> 10
            );
        }
    });
}

#[test]
fn what_a_call_ends_by_leaves_no_thread_and_no_descriptor() {
    let _alone = alone();
    runtime().block_on(async {
        let host = host().await;
        let round = || async {
            for Greedy { name, guest: _, arguments, code, room: _ } in greedy() {
                assert_eq!(call(&host, name, &arguments).await, code, "{name}");
            }
        };
        round().await;
        let before = held();
        for _ in 0..3 {
            round().await;
        }
        assert_eq!(host.stats().stores_alive, 0);
        assert_eq!(held(), before);
    });
}

#[test]
fn a_host_on_demand_lives_in_a_small_address_space() {
    let _alone = alone();
    let grown = |allocation: Allocation| {
        let before = bytes("VmSize");
        let after = runtime().block_on(async {
            let source = ToolSource::new("ok_echo.wasm", guests::OK_ECHO);
            let host = Host::builder().tool(source).allocation(allocation).build().await.expect("loads");
            assert_eq!(call(&host, "echo", &json!({"text": "tea"})).await, "done");
            bytes("VmSize")
        });
        after.saturating_sub(before)
    };
    let on_demand = grown(Allocation::OnDemand);
    assert!(on_demand < 1 << 30, "{} MiB", on_demand >> 20);
    assert!(grown(Allocation::Pooling) > 1 << 40, "the pool is what reserves terabytes");
}

/// Whether this process has a handler for Ctrl-C, so that one does not end it.
fn handles_interrupts() -> bool {
    let caught = u64::from_str_radix(&status("SigCgt"), 16).expect("a mask");
    caught & (1 << 1) != 0
}

#[test]
fn ctrl_c_cancels_the_calls_and_the_turn_is_printed_whole() {
    let _alone = alone();
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("spins.wasm"), guests::BUDGET_SPINS).expect("writes");
    let config = directory.path().join("toolgate.toml");
    let settings = "[[tools]]\npath = \"spins.wasm\"\nlimits = { time_ms = 600_000, fuel = 100_000_000_000 }\n";
    fs::write(&config, settings).expect("writes");
    let calls: Vec<Value> = [("a", "probe_spin"), ("b", "no_such_tool"), ("c", "probe_spin")]
        .map(|(id, name)| json!({"type": "tool_use", "id": id, "name": name, "input": {}}))
        .to_vec();
    let turn = json!({ "content": calls }).to_string();
    let config = config.display().to_string();

    assert!(!handles_interrupts(), "nobody else has asked for it");
    let program = thread::spawn(move || {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut stdin = turn.as_bytes();
        let mut screen =
            toolgate_cli::Screen { stdin: &mut stdin, stdout: &mut stdout, stderr: &mut stderr, interactive: false };
        let arguments = ["toolgate", "answer", "--config", &config, "--explain=json"].map(Into::into);
        let code = toolgate_cli::run(arguments, &mut screen);
        (code, String::from_utf8(stdout).expect("text"), String::from_utf8(stderr).expect("text"))
    });
    // Asked for when the first call comes to its place.
    while !handles_interrupts() {
        assert!(!program.is_finished(), "it ended by itself");
        thread::yield_now();
    }
    let kill = Command::new("sh").args(["-c", &format!("kill -INT {}", std::process::id())]).status();
    assert!(kill.expect("there is a shell").success());

    let (code, stdout, stderr) = program.join().expect("it does not panic");
    assert_eq!(code, ExitCode::from(130), "{stderr}");
    let answer: Value = serde_json::from_str(&stdout).expect("the whole message");
    let results = answer["content"].as_array().expect("results");
    let ids: Vec<&str> = results.iter().filter_map(|result| result["tool_use_id"].as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    let said: Vec<&str> = results.iter().filter_map(|result| result["content"].as_str()).collect();
    assert!(said.iter().any(|text| text.starts_with("host:cancelled: `probe_spin` was cancelled")), "{said:?}");
    assert!(said.get(1).is_some_and(|text| text.starts_with("call:unknown_tool")), "{said:?}");
}

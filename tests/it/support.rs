//! Support: components, hosts and turns, and the one `check` that most rows go through.

use std::future::Future;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate::{Access, DirectoryGrant, Host, HostBuilder, LimitSettings, RawCall, Reply, ToolSource};

use crate::by_hand;

pub(crate) mod guests {
    //! One constant per component, made by the build script. A guest that no test runs is an error here.
    #![deny(dead_code)]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

/// A tool from a component, with nothing granted.
pub(crate) fn tool(file: &str, bytes: &'static [u8]) -> ToolSource {
    ToolSource::new(file, bytes)
}

/// A tool with small limits, so that a hostile one ends quickly.
pub(crate) fn limited(bytes: &'static [u8], limits: LimitSettings) -> ToolSource {
    ToolSource::new("probe.wasm", bytes).limits(limits)
}

pub(crate) fn fuel(fuel: u64) -> LimitSettings {
    LimitSettings { fuel: Some(fuel), ..LimitSettings::default() }
}

/// Far more fuel than fits the time, so that time is what ends a spinning guest.
pub(crate) fn time(time: Duration) -> LimitSettings {
    let time_ms = u64::try_from(time.as_millis()).expect("a short time");
    LimitSettings { time_ms: Some(time_ms), fuel: Some(toolgate::MAX_FUEL), ..LimitSettings::default() }
}

pub(crate) fn memory(bytes: u64) -> LimitSettings {
    LimitSettings { memory_bytes: Some(bytes), ..LimitSettings::default() }
}

/// A host with these tools.
pub(crate) async fn host(tools: impl IntoIterator<Item = ToolSource>) -> Host {
    build(Host::builder().tools(tools)).await
}

pub(crate) async fn build(builder: HostBuilder) -> Host {
    builder.build().await.unwrap_or_else(|error| panic!("the host loads: {error}"))
}

/// The support desk without `json_query`, writing into `desk`, and what else is given. Compiling `json_query` takes longer
/// than all the others together, and no turn calls it; the program's tests load it.
pub(crate) async fn desk_host(desk: &Path, more: impl IntoIterator<Item = ToolSource>) -> Host {
    host(desk_tools(desk).into_iter().chain(more)).await
}

pub(crate) fn desk_tools(desk: &Path) -> Vec<ToolSource> {
    let grant = |guest: &str, host: PathBuf, access| DirectoryGrant { guest: guest.into(), host, access };
    let writes = |file, bytes| tool(file, bytes).grant(grant("/desk", desk.to_owned(), Access::ReadWrite));
    let tables = repository().join("guest-tools/csv_query/data");
    vec![
        writes("create_ticket.wasm", guests::CREATE_TICKET),
        tool("csv_query.wasm", guests::CSV_QUERY).grant(grant("/data", tables, Access::Read)),
        tool("delivery_estimate.wasm", guests::DELIVERY_ESTIMATE),
        writes("issue_refund.wasm", guests::ISSUE_REFUND),
        tool("lookup_policy.wasm", guests::LOOKUP_POLICY),
        tool("search_orders.wasm", guests::SEARCH_ORDERS),
        tool("stock_lookup.wasm", guests::STOCK_LOOKUP),
    ]
}

/// Runs a test's future on one worker thread, the hardest place to be fair in.
pub(crate) fn on_one_thread<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(test)
}

/// Runs a test's future on two worker threads.
pub(crate) fn on_two_threads<T>(test: impl Future<Output = T>) -> T {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(test)
}

/// One call through the public door.
pub(crate) async fn call(host: &Host, tool: &str, arguments: Value) -> Reply {
    host.call(RawCall::new(tool, arguments.to_string()).with_id("call_1")).await
}

/// `done`, or the whole code.
pub(crate) fn outcome(reply: &Reply) -> String {
    reply.code().map_or_else(|| "done".to_owned(), |code| code.to_string())
}

/// Runs one hostile guest on one and on two threads: it ends with its code, leaves no store behind, and the good calls
/// beside it and after it are answered.
pub(crate) fn check(source: ToolSource, arguments: Value, code: &str) {
    check_each(source, [(arguments, code)]);
}

/// As [`check`], for several calls of one guest, which is compiled once.
pub(crate) fn check_each<'c>(source: ToolSource, calls: impl IntoIterator<Item = (Value, &'c str)>) {
    let host = on_one_thread(host([source, by_hand::good()]));
    let name = host.tools().map(toolgate::Tool::name).find(|name| *name != by_hand::GOOD).expect("the probe");
    for (arguments, code) in calls {
        let once = || async {
            let good = || call(&host, by_hand::GOOD, json!({}));
            let (reply, beside) = tokio::join!(call(&host, name, arguments.clone()), good());
            assert_eq!(outcome(&reply), code, "{}", report(&reply));
            assert!(reply.text().len() <= 1024 || reply.is_done(), "{}", report(&reply));
            for good in [beside, good().await] {
                assert_eq!(good.text(), r#"{"still":"here"}"#, "{}", report(&good));
            }
            assert_eq!(host.stats().stores_alive, 0, "every store is gone");
        };
        on_one_thread(once());
        on_two_threads(once());
    }
}

/// Waits until something is so, looking again whenever everything else has had its turn; says so where it never is.
pub(crate) async fn wait_until(is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it is so within 20 s");
}

/// What a failing test has to show.
pub(crate) fn report(reply: &Reply) -> String {
    format!("text: {}\noperator: {}\nlog: {:?}", reply.text(), reply.operator_line(), reply.log)
}

/// The repository's root.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in the repository").to_owned()
}

pub(crate) fn example(name: &str) -> Vec<u8> {
    std::fs::read(repository().join("examples").join(name)).expect("the example is there")
}

/// What the program showed.
pub(crate) struct Shown {
    pub(crate) code: ExitCode,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program in this process.
pub(crate) fn program(arguments: &[&str], mut stdin: &[u8]) -> Shown {
    program_reading(arguments, &mut stdin)
}

/// As [`program`], with a standard input that need not end.
pub(crate) fn program_reading(arguments: &[&str], stdin: &mut dyn Read) -> Shown {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut screen = toolgate_cli::Screen { stdin, stdout: &mut stdout, stderr: &mut stderr, interactive: false };
    let arguments = ["toolgate"].iter().chain(arguments).map(Into::into);
    let code = toolgate_cli::run(arguments, &mut screen);
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    Shown { code, stdout: text(stdout), stderr: text(stderr) }
}

impl Shown {
    /// The whole screen, for a snapshot.
    pub(crate) fn screen(&self) -> String {
        let code = if self.code == ExitCode::SUCCESS {
            "0"
        } else if self.code == ExitCode::from(1) {
            "1"
        } else {
            "2"
        };
        format!("exit {code}\n--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr)
    }
}

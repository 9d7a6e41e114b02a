//! Peers: how other programs isolate a call, as one finds it in their sources.
//!
//! A linker with all of WASI for every call, on a component that is compiled or on bytes; a process for every call, empty or
//! with an interpreter in it. Each answers the same question as the raw tool it is held against.

use std::io::Read;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use toolgate::Allocation;
use wasmtime::component::{Component, HasSelf, Linker, ResourceTable};
use wasmtime::{Engine, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::Anyhow;
use crate::raw::{self, Answer, Log, host};

/// What a peer's store holds.
struct State {
    log: Log,
    context: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.context, table: &mut self.table }
    }
}

/// A component that is linked anew for every call.
pub(crate) struct LinkedPerCall {
    engine: Engine,
    bytes: Vec<u8>,
    component: Component,
}

impl LinkedPerCall {
    pub(crate) fn new(bytes: &[u8]) -> wasmtime::Result<Self> {
        let engine = raw::engine(&toolgate::bench::profile(Allocation::Pooling))?;
        let component = Component::from_binary(&engine, bytes)?;
        Ok(Self { engine, bytes: bytes.to_vec(), component })
    }

    /// One call of the component as it was compiled.
    pub(crate) async fn call(&self, arguments: &str) -> wasmtime::Result<Answer> {
        self.link_and_call(&self.component, arguments).await
    }

    /// One call of a component that is compiled for it.
    pub(crate) async fn compile_and_call(&self, arguments: &str) -> wasmtime::Result<Answer> {
        let component = Component::from_binary(&self.engine, &self.bytes)?;
        self.link_and_call(&component, arguments).await
    }

    async fn link_and_call(&self, component: &Component, arguments: &str) -> wasmtime::Result<Answer> {
        let mut linker = Linker::new(&self.engine);
        host::add_to_linker::<State, HasSelf<Log>>(&mut linker, |state| &mut state.log)?;
        wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
        let state = State { log: Log, context: WasiCtxBuilder::new().build(), table: ResourceTable::new() };
        let mut store = Store::new(&self.engine, state);
        raw::bound(&mut store)?;
        let instance = linker.instantiate_async(&mut store, component).await?;
        raw::ask(&mut store, &instance, raw::call_index(component)?, arguments).await
    }
}

/// Starts a process that does nothing, and waits for its end.
pub(crate) fn empty_process() -> Anyhow<()> {
    let status = Command::new("/bin/true").stdin(Stdio::null()).status().context("/bin/true does not start")?;
    ensure!(status.success(), "/bin/true: {status}");
    Ok(())
}

/// The interpreter itself: what stands for it in the path may be a script that looks for it.
pub(crate) fn python() -> Option<String> {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let path = String::from_utf8(asked.stdout).ok()?;
    (asked.status.success() && !path.trim().is_empty()).then(|| path.trim().to_owned())
}

/// Runs a tool's source in an interpreter of its own, with the arguments as its argument, and takes what it prints.
pub(crate) fn python_process(python: &str, source: &str, arguments: &str) -> Anyhow<String> {
    let mut command = Command::new(python);
    command.args(["-I", "-S", "-c", source, arguments]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().context("python3 does not start")?;
    let mut printed = String::new();
    child.stdout.take().context("it has an output")?.read_to_string(&mut printed)?;
    let status = child.wait()?;
    ensure!(status.success(), "python3: {status}");
    Ok(printed)
}

//! Cell: one fresh store and one fresh instance for one question to a guest, gone when it is answered or stopped.
//!
//! Used by `sandbox` for calls and by `load` for reading a contract. Knows no schema and no reply.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::types::{ComponentFunc, ComponentItem};
use wasmtime::component::{ComponentExportIndex, InstancePre, Type};
use wasmtime::{CallHook, Store, StoreContextMut, Trap};

use super::bindings::exports::toolgate::tool::tool::Failure as SaidNo;
use super::budget::{HOST_CALL, Limits};
use super::deadline::{Deadline, within};
use super::grants::{GrantError, Grants};
use super::guest_state::{GuestState, LogLine, MAX_HANDLES};
use super::output::OutputLine;
use super::seed::Seed;
use super::stop::{Circumstances, Stop, ToolFailure, classify};
use crate::cancel::{Cancel, Cancelled};
use crate::clock::Clock;
use crate::engine::HostEngine;
use crate::stats::Stores;
use crate::units::ByteCount;
use crate::usage::{Laps, Phase, Times};

/// The interface a tool exports; the runtime finds later compatible versions by it too.
const TOOL: &str = "toolgate:tool/tool@1.0.0";

/// A compiled component, linked, ready to be instantiated any number of times.
#[derive(Clone)]
pub(crate) struct Code {
    pub(crate) engine: HostEngine,
    pre: InstancePre<GuestState>,
    contract: ComponentExportIndex,
    call: ComponentExportIndex,
    /// SHA-256 of the component, in hexadecimal.
    pub(crate) digest: Arc<str>,
    /// What of the host it can reach at all. What it cannot is not built for it.
    pub(crate) uses: Uses,
}

impl Code {
    /// What the runtime generates would look up and type-check both functions for every call; only one is asked for.
    ///
    /// # Errors
    /// What of the interface the component does not export.
    pub(crate) fn new(
        engine: HostEngine,
        pre: InstancePre<GuestState>,
        digest: Arc<str>,
        uses: Uses,
    ) -> Result<Self, NotExported> {
        let component = pre.component();
        let tool = component.get_export_index(None, TOOL).ok_or(NotExported::Interface)?;
        let export =
            |name, is_declared: fn(&ComponentFunc) -> bool, declared| match component.get_export(Some(&tool), name) {
                Some((ComponentItem::ComponentFunc(function), index)) if is_declared(&function) => Ok(index),
                Some(_) | None => Err(NotExported::Function(declared)),
            };
        let contract = export("contract", is_contract, "contract: func() -> string")?;
        let call = export("call", is_call, "call: func(arguments: string) -> result<string, failure>")?;
        Ok(Self { engine, pre, contract, call, digest, uses })
    }
}

/// What of `wit/tool.wit` a component does not export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotExported {
    /// The whole interface.
    Interface,
    /// This function of it: there is none, or another of its name.
    Function(&'static str),
}

fn is_contract(function: &ComponentFunc) -> bool {
    function.params().len() == 0 && function.results().eq([Type::String])
}

fn is_call(function: &ComponentFunc) -> bool {
    let says_no = |failure: Type| match failure {
        Type::Variant(failure) => {
            failure
                .cases()
                .map(|case| (case.name, case.ty))
                .eq(["not-found", "refused", "unavailable", "failed"].map(|name| (name, Some(Type::String))))
        }
        _ => false,
    };
    let answers = |result: Type| match result {
        Type::Result(result) => result.ok() == Some(Type::String) && result.err().is_some_and(says_no),
        _ => false,
    };
    function.params().map(|(_, kind)| kind).eq([Type::String])
        && function.results().len() == 1
        && function.results().all(answers)
}

/// What a component imports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// Anything at all, so that there are calls into the host to be charged for.
    pub(crate) host: bool,
    /// Anything of WASI.
    pub(crate) wasi: bool,
    /// Randomness.
    pub(crate) random: bool,
}

impl Uses {
    pub(crate) fn of(imports: &[String]) -> Self {
        let any = |prefix: &str| imports.iter().any(|name| name.starts_with(prefix));
        Self { host: !imports.is_empty(), wasi: any("wasi:"), random: any("wasi:random/") }
    }
}

/// What stands around a call: time, counts, and whether anybody still waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around<'a> {
    pub(crate) clock: &'a Arc<dyn Clock>,
    /// When the question was put, by this clock.
    pub(crate) began: Duration,
    pub(crate) stores: &'a Stores,
    pub(crate) cancel: &'a Cancel,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code").field("uses", &self.uses).finish_non_exhaustive()
    }
}

/// What a guest is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Question<'q> {
    /// For its contract.
    Contract,
    /// To run with these arguments.
    Call(&'q str),
}

/// What one run cost and left behind, answer or not.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    pub(crate) fuel: u64,
    pub(crate) memory: ByteCount,
    pub(crate) host_calls: u64,
    pub(crate) host_bytes: ByteCount,
    pub(crate) result: ByteCount,
    pub(crate) log: ByteCount,
    pub(crate) log_dropped: ByteCount,
    pub(crate) log_lines: Vec<LogLine>,
    pub(crate) output: ByteCount,
    pub(crate) output_dropped: ByteCount,
    pub(crate) output_lines: Vec<OutputLine>,
    pub(crate) phases: Times<Phase, 4>,
    /// When all was given back, by the host's clock.
    pub(crate) ended: Duration,
}

impl Spent {
    /// Adds a further run.
    pub(super) fn add(&mut self, run: Self) {
        self.fuel = self.fuel.saturating_add(run.fuel);
        self.memory = self.memory.max(run.memory);
        self.phases.add(&run.phases);
        self.ended = self.ended.max(run.ended);
        self.host_calls = self.host_calls.saturating_add(run.host_calls);
        self.result = run.result;
        let sum = |sum: &mut ByteCount, more: ByteCount| *sum = ByteCount::new(sum.get().saturating_add(more.get()));
        sum(&mut self.host_bytes, run.host_bytes);
        sum(&mut self.log, run.log);
        sum(&mut self.log_dropped, run.log_dropped);
        sum(&mut self.output, run.output);
        sum(&mut self.output_dropped, run.output_dropped);
        self.log_lines.extend(run.log_lines);
        self.output_lines.extend(run.output_lines);
    }
}

/// Asks a guest one question in a store of its own. Its time runs from `around.began`.
pub(crate) async fn ask(
    code: &Code,
    limits: &Limits,
    grants: &Grants,
    around: Around<'_>,
    question: Question<'_>,
) -> (Result<String, Stop>, Spent) {
    let mut laps = Laps::since(around.began, around.clock.as_ref());
    let deadline = around.began.saturating_add(limits.time);
    let looked_at = Deadline::new(Arc::clone(around.clock), deadline);
    let state = match state(code, limits, grants, question, looked_at) {
        Ok(state) => state,
        Err(gone) => {
            let spent = Spent { ended: around.clock.now(), ..Spent::default() };
            return (Err(Stop::GrantGone(gone.to_string())), spent);
        }
    };
    // Before the store, so that it goes after it where all of this is dropped.
    let counted = around.stores.created();
    let mut store = new_store(code, limits, state);
    laps.passed(Phase::Store, ());
    let ended = {
        // Pinned here and lent to those around it: a future that is handed on takes its room once more in each of them.
        let running = pin!(run(code, &mut store, question, &mut laps));
        within(deadline, around.clock.as_ref(), around.cancel.or(running)).await
    };
    // Whatever ended it, it ended in the step after the last that was passed.
    let last = if laps.times.of(Phase::Instantiate).is_some() { Phase::Call } else { Phase::Instantiate };
    let answer = match laps.passed(last, ended) {
        Some(Ok(Ok(Ok(text)))) => Ok(text),
        Some(Ok(Ok(Err(failure)))) => Err(Stop::Tool(failure)),
        Some(Ok(Err(error))) => Err(classify(&error, &circumstances(&store, limits))),
        Some(Err(Cancelled)) => Err(Stop::Cancelled { began: true }),
        None => Err(Stop::Tool(ToolFailure::OutOfTime { after: limits.time })),
    };
    let answer = match answer {
        // Fuel is looked at where functions and loops begin: what was overdrawn behind the last look shows only now.
        Ok(_) if is_overdrawn(&store) => Err(Stop::Tool(ToolFailure::OutOfFuel { fuel: limits.fuel })),
        answer => answer,
    };
    let spent = spent(&mut store, limits, &answer);
    drop(store);
    drop(counted);
    laps.passed(Phase::Drop, ());
    (answer, Spent { phases: laps.times, ended: laps.last(), ..spent })
}

/// The host's side of one call: no more of it than the component can reach.
fn state(
    code: &Code,
    limits: &Limits,
    grants: &Grants,
    question: Question<'_>,
    deadline: Deadline,
) -> Result<GuestState, GrantError> {
    if !code.uses.wasi {
        return Ok(GuestState::bare(limits, deadline));
    }
    let arguments = match question {
        Question::Contract => "",
        Question::Call(arguments) => arguments,
    };
    let seed = if code.uses.random { Seed::of_call(&code.digest, arguments) } else { Seed::default() };
    GuestState::with_wasi(limits, deadline, grants, seed)
}

/// A store with every bound set before any guest code can run: start functions are guest code.
fn new_store(code: &Code, limits: &Limits, state: GuestState) -> Store<GuestState> {
    let mut store = Store::new(code.engine.get(), state);
    store.limiter(|state| &mut state.memory);
    store.set_fuel(limits.fuel).expect("the profile has fuel on");
    store.set_hostcall_fuel(HOST_CALL.as_usize());
    store.set_max_component_handles(MAX_HANDLES);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|store| Ok(store.data().deadline.at_tick()));
    if code.uses.host {
        store.call_hook(charge);
    }
    store
}

/// Takes the price of a call into the host out of the guest's fuel as soon as it returns to the guest. The runtime also
/// comes here for its own affairs (a tick, a growth of memory): those are free, or fuel would depend on the time of day.
fn charge(mut store: StoreContextMut<'_, GuestState>, at: CallHook) -> wasmtime::Result<()> {
    if !at.exiting_host() || !store.data().host_calls.is_due() {
        return Ok(());
    }
    let fuel = store.get_fuel()?;
    match store.data_mut().pay_host_calls(fuel) {
        Some(left) => store.set_fuel(left),
        None => {
            // Whoever called too often may have fuel left, and is not said to have spent it.
            let left = if store.data().host_calls.too_many() { fuel } else { 0 };
            store.set_fuel(left)?;
            Err(Trap::OutOfFuel.into())
        }
    }
}

async fn run(
    code: &Code,
    store: &mut Store<GuestState>,
    question: Question<'_>,
    laps: &mut Laps<'_, Phase, 4>,
) -> wasmtime::Result<Result<String, ToolFailure>> {
    let guest = code.pre.instantiate_async(&mut *store).await?;
    laps.passed(Phase::Instantiate, ());
    match question {
        Question::Contract => {
            let contract = guest.get_typed_func::<(), (String,)>(&mut *store, code.contract)?;
            let (text,) = contract.call_async(store, ()).await?;
            Ok(Ok(text))
        }
        Question::Call(arguments) => {
            let call = guest.get_typed_func::<(&str,), (Result<String, SaidNo>,)>(&mut *store, code.call)?;
            let (answer,) = call.call_async(store, (arguments,)).await?;
            Ok(answer.map_err(ToolFailure::from))
        }
    }
}

/// A call has to leave some of its fuel, since the runtime does not tell nothing left from less than nothing.
fn is_overdrawn(store: &Store<GuestState>) -> bool {
    store.get_fuel().is_ok_and(|left| left == 0)
}

fn circumstances(store: &Store<GuestState>, limits: &Limits) -> Circumstances {
    Circumstances {
        fuel: limits.fuel,
        time: limits.time,
        memory: limits.memory,
        memory_refused: store.data().memory.refused(),
        host_calls_refused: store.data().host_calls.too_many(),
    }
}

fn spent(store: &mut Store<GuestState>, limits: &Limits, answer: &Result<String, Stop>) -> Spent {
    let left = store.get_fuel().unwrap_or(0);
    let state = store.data_mut();
    let printed = state.take_output();
    Spent {
        fuel: limits.fuel.saturating_sub(left),
        memory: state.memory.peak(),
        host_calls: state.host_calls.calls,
        host_bytes: ByteCount::new(state.host_calls.bytes),
        result: answer.as_ref().map_or_else(|_| ByteCount::default(), |text| ByteCount::of(text.as_bytes())),
        log: state.log.kept,
        log_dropped: state.log.dropped,
        log_lines: std::mem::take(&mut state.log.lines),
        output: printed.kept,
        output_dropped: printed.dropped,
        output_lines: printed.lines,
        phases: Times::default(),
        ended: Duration::ZERO,
    }
}

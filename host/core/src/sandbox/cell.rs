//! Cell: one fresh store and one fresh instance for one question to a guest, gone when it is answered or stopped.
//!
//! Used by `sandbox` for calls and by `load` for reading a contract. Knows no schema and no reply. Time is kept twice: the
//! ticker makes a running guest yield and look at its deadline, a timer ends one that waits.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use wasmtime::component::{ComponentExportIndex, InstancePre};
use wasmtime::{CallHook, Store, StoreContextMut, Trap, UpdateDeadline};

use super::bindings::exports::toolgate::tool::tool::Failure as SaidNo;
use super::budget::{HOST_CALL, Limits};
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
    /// Nothing where the component does not export the interface.
    ///
    /// What the runtime generates would look up and type-check both functions for every call; only one is asked for.
    pub(crate) fn new(engine: HostEngine, pre: InstancePre<GuestState>, digest: Arc<str>, uses: Uses) -> Option<Self> {
        let component = pre.component();
        let tool = component.get_export_index(None, TOOL)?;
        let function = |name| component.get_export_index(Some(&tool), name);
        let (contract, call) = (function("contract")?, function("call")?);
        Some(Self { engine, pre, contract, call, digest, uses })
    }
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
}

impl Spent {
    /// Adds a further run.
    pub(super) fn add(&mut self, run: Self) {
        self.fuel = self.fuel.saturating_add(run.fuel);
        self.memory = self.memory.max(run.memory);
        self.phases.add(&run.phases);
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

/// Asks a guest one question in a store of its own.
pub(crate) async fn ask(
    code: &Code,
    limits: &Limits,
    grants: &Grants,
    around: Around<'_>,
    question: Question<'_>,
) -> (Result<String, Stop>, Spent) {
    let mut laps = Laps::new(around.clock.as_ref());
    let deadline = laps.start().saturating_add(limits.time);
    let mut store = match state(code, limits, grants, question) {
        Ok(state) => new_store(code, limits, around.clock, deadline, state),
        Err(gone) => return (Err(Stop::GrantGone(gone.to_string())), Spent::default()),
    };
    let counted = around.stores.created();
    laps.passed(Phase::Store, ());
    let ended = {
        // Pinned here and lent to those around it: a future that is handed on takes its room once more in each of them.
        let running = pin!(run(code, &mut store, question, &mut laps));
        within(deadline, around.clock, around.cancel.or(running)).await
    };
    // Whatever ended it, it ended in the step after the last that was passed.
    let last = if laps.times.of(Phase::Instantiate).is_some() { Phase::Call } else { Phase::Instantiate };
    let answer = match laps.passed(last, ended) {
        Some(Ok(Ok(Ok(text)))) => Ok(text),
        Some(Ok(Ok(Err(failure)))) => Err(Stop::Tool(failure)),
        Some(Ok(Err(error))) => Err(classify(&error, &circumstances(&store, limits))),
        Some(Err(Cancelled)) => Err(Stop::Cancelled),
        None => Err(Stop::Tool(ToolFailure::OutOfTime { after: limits.time })),
    };
    let spent = spent(&mut store, limits, &answer);
    drop(store);
    drop(counted);
    laps.passed(Phase::Drop, ());
    (answer, Spent { phases: laps.times, ..spent })
}

/// Does the work unless the time runs out first. A timer costs more than half a microsecond, and a call that neither waits nor
/// outlasts a tick is over at its first poll: one is set for the others only.
///
/// The work is polled once each time its task has its turn, or a guest's first yield would be none.
async fn within<T>(deadline: Duration, clock: &Arc<dyn Clock>, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut timer = pin!(None::<tokio::time::Sleep>);
    poll_fn(|context| {
        // The time is looked at first: a guest whose deadline passed while others had its thread gets no further tick.
        if let Some(timer) = timer.as_mut().as_pin_mut()
            && timer.poll(context).is_ready()
        {
            return Poll::Ready(None);
        }
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Some(done));
        }
        if timer.is_none() {
            timer.set(Some(tokio::time::sleep(deadline.saturating_sub(clock.now()))));
            // Polled once, so that it wakes this task.
            return timer.as_mut().as_pin_mut().map_or(Poll::Pending, |timer| timer.poll(context).map(|()| None));
        }
        Poll::Pending
    })
    .await
}

/// The host's side of one call: no more of it than the component can reach.
fn state(code: &Code, limits: &Limits, grants: &Grants, question: Question<'_>) -> Result<GuestState, GrantError> {
    if !code.uses.wasi {
        return Ok(GuestState::bare(limits));
    }
    let arguments = match question {
        Question::Contract => "",
        Question::Call(arguments) => arguments,
    };
    let seed = if code.uses.random { Seed::of_call(&code.digest, arguments) } else { Seed::default() };
    GuestState::with_wasi(limits, grants, seed)
}

/// A store with every bound set before any guest code can run: start functions are guest code.
fn new_store(
    code: &Code,
    limits: &Limits,
    clock: &Arc<dyn Clock>,
    deadline: Duration,
    state: GuestState,
) -> Store<GuestState> {
    let mut store = Store::new(code.engine.get(), state);
    store.limiter(|state| &mut state.memory);
    store.set_fuel(limits.fuel).expect("the profile has fuel on");
    store.set_hostcall_fuel(HOST_CALL.as_usize());
    store.set_max_component_handles(MAX_HANDLES);
    store.set_epoch_deadline(1);
    let clock = Arc::clone(clock);
    store.epoch_deadline_callback(move |_| Ok(at_tick(clock.now(), deadline)));
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

/// At a tick a guest steps back, so that everything else on its thread is served first, and goes on until its deadline.
fn at_tick(now: Duration, deadline: Duration) -> UpdateDeadline {
    if now >= deadline {
        return UpdateDeadline::Interrupt;
    }
    // The runtime's own yield wakes itself at once; this one lets timers and input be looked at in between.
    UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now()))
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
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::within;
    use crate::clock::{Clock, SystemClock};

    const TIME: Duration = Duration::from_millis(20);

    /// How many slices a guest that steps back after each has had when another task of its thread gets its first turn, and in
    /// all, where that task holds the thread for so long.
    fn slices(held: Duration) -> (usize, usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("builds");
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let had = Arc::new(AtomicUsize::new(0));
        let other = {
            let (clock, had) = (Arc::clone(&clock), Arc::clone(&had));
            runtime.spawn(async move {
                let seen = had.load(Ordering::Relaxed);
                let until = clock.now().saturating_add(held);
                while clock.now() < until {}
                seen
            })
        };
        let guest = async {
            loop {
                had.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        };
        let ended: Option<()> = runtime.block_on(within(clock.now().saturating_add(TIME), &clock, guest));
        assert_eq!(ended, None, "its time is over");
        (runtime.block_on(other).expect("it does not panic"), had.load(Ordering::Relaxed))
    }

    #[test]
    fn a_guest_that_steps_back_lets_others_have_their_turn_the_first_time_too() {
        let (before_others, in_all) = slices(Duration::ZERO);
        assert_eq!(before_others, 1);
        assert!(in_all > 1);
    }

    #[test]
    fn a_guest_whose_deadline_passed_while_others_had_its_thread_gets_no_further_slice() {
        assert_eq!(slices(TIME.saturating_mul(2)), (1, 1));
    }
}

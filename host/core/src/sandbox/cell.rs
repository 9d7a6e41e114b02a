//! Cell: one fresh store and one fresh instance for one question to a guest, gone when it is answered or stopped.
//!
//! Used by `sandbox` for calls and by `load` for reading a contract. Knows no schema and no reply. Time is kept twice: the
//! ticker makes a running guest yield and look at its deadline, a timer ends one that waits.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::{Store, UpdateDeadline};

use super::bindings::GuestPre;
use super::budget::Limits;
use super::grants::Grants;
use super::guest_state::{GuestState, LogLine, MAX_HANDLES};
use super::stop::{Circumstances, Stop, ToolFailure, classify};
use crate::clock::Clock;
use crate::engine::HostEngine;
use crate::stats::Stores;
use crate::units::ByteCount;

/// Most bytes a guest may pass to the host in one call, or hand out as its result. The default of 128 MiB would be host
/// memory a guest gets for nothing.
const HOST_CALL: ByteCount = crate::sandbox::budget::MAX_RESULT;

/// A compiled component, linked, ready to be instantiated any number of times.
#[derive(Clone)]
pub(crate) struct Code {
    pub(crate) engine: HostEngine,
    pub(crate) pre: GuestPre<GuestState>,
    /// Whether the component imports anything of WASI.
    pub(crate) uses_wasi: bool,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code").field("uses_wasi", &self.uses_wasi).finish_non_exhaustive()
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
    pub(crate) log: ByteCount,
    pub(crate) log_dropped: ByteCount,
    pub(crate) log_lines: Vec<LogLine>,
}

/// Asks a guest one question in a store of its own.
pub(crate) async fn ask(
    code: &Code,
    limits: &Limits,
    grants: &Grants,
    clock: &Arc<dyn Clock>,
    stores: &Arc<Stores>,
    question: Question<'_>,
) -> (Result<String, Stop>, Spent) {
    let state = if code.uses_wasi { GuestState::with_wasi(limits, grants) } else { Ok(GuestState::bare(limits)) };
    let mut store = match state {
        Ok(state) => new_store(code, limits, clock, state),
        Err(gone) => return (Err(Stop::GrantGone(gone.to_string())), Spent::default()),
    };
    let counted = stores.created();
    let outcome = tokio::time::timeout(limits.time, run(code, &mut store, question)).await;
    let answer = match outcome {
        Ok(Ok(Ok(text))) => Ok(text),
        Ok(Ok(Err(failure))) => Err(Stop::Tool(failure)),
        Ok(Err(error)) => Err(classify(&error, &circumstances(&store, limits))),
        Err(_elapsed) => Err(Stop::Tool(ToolFailure::OutOfTime { after: limits.time })),
    };
    let spent = spent(&mut store, limits);
    drop(store);
    drop(counted);
    (answer, spent)
}

/// A store with every bound set before any guest code can run: start functions are guest code.
fn new_store(code: &Code, limits: &Limits, clock: &Arc<dyn Clock>, state: GuestState) -> Store<GuestState> {
    let mut store = Store::new(code.engine.get(), state);
    store.limiter(|state| &mut state.memory);
    store.set_fuel(limits.fuel).expect("the profile has fuel on");
    store.set_hostcall_fuel(HOST_CALL.as_usize());
    store.set_max_component_handles(MAX_HANDLES);
    store.set_epoch_deadline(1);
    let deadline = clock.now().saturating_add(limits.time);
    let clock = Arc::clone(clock);
    store.epoch_deadline_callback(move |_| Ok(at_tick(clock.now(), deadline)));
    store
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
) -> wasmtime::Result<Result<String, ToolFailure>> {
    let guest = code.pre.instantiate_async(&mut *store).await?;
    let tool = guest.toolgate_tool_tool();
    match question {
        Question::Contract => Ok(Ok(tool.call_contract(store).await?)),
        Question::Call(arguments) => Ok(tool.call_call(store, arguments).await?.map_err(ToolFailure::from)),
    }
}

fn circumstances(store: &Store<GuestState>, limits: &Limits) -> Circumstances {
    Circumstances {
        fuel: limits.fuel,
        time: limits.time,
        memory: limits.memory,
        memory_refused: store.data().memory.refused(),
    }
}

fn spent(store: &mut Store<GuestState>, limits: &Limits) -> Spent {
    let left = store.get_fuel().unwrap_or(0);
    let state = store.data_mut();
    Spent {
        fuel: limits.fuel.saturating_sub(left),
        memory: state.memory.peak(),
        log: state.log.kept,
        log_dropped: state.log.dropped,
        log_lines: std::mem::take(&mut state.log.lines),
    }
}

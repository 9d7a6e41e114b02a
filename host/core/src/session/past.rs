//! Past: what a session knows of its earlier calls, when a new one comes down the line.
//!
//! Asked between `auth` and `dispatch`: what is answered from here takes no place and makes no store. Decides which calls
//! may be answered from where; `session::memory` and `session::writes` hold the answers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::key::{CallKey, MemoKey};
use super::memory::Memory;
use super::settings::SessionLimits;
use super::writes::Writes;
use crate::auth::Authorised;
use crate::cancel::Cancel;
use crate::check::Checked;
use crate::clock::Clock;
use crate::refusal::NotDone;
use crate::reply::Origin;
use crate::tool::Tool;

/// A call that one tool takes, as the session knows it again.
#[derive(Debug)]
pub(crate) struct Recognised {
    tool: Arc<Tool>,
    pub(crate) key: CallKey,
    /// Under which key its answer is remembered; nothing for one that never is.
    memo: Option<MemoKey>,
}

impl Recognised {
    /// Whether the past may have something to say of it: an answer, or that it must not run again.
    pub(crate) fn is_looked_up(&self) -> bool {
        self.memo.is_some() || self.may_change()
    }

    fn may_change(&self) -> bool {
        self.tool.writes() || self.tool.grants().can_write()
    }
}

/// What a session knows of its earlier calls.
#[derive(Debug)]
pub(crate) struct Past {
    writes: Mutex<Writes>,
    /// None where nothing is to be remembered.
    memory: Option<Memory>,
    /// Counted when a write begins and when it ends, so that what was read before or meanwhile is never taken for what is
    /// there afterwards.
    n_writes: AtomicU64,
}

impl Past {
    pub(crate) fn new(writes: Writes, limits: &SessionLimits, clock: Arc<dyn Clock>) -> Self {
        Self { writes: Mutex::new(writes), memory: Memory::new(limits, clock), n_writes: AtomicU64::new(0) }
    }

    /// The writes so far.
    pub(crate) fn writes(&self) -> MutexGuard<'_, Writes> {
        // Each change of them is whole before anything can panic.
        self.writes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Knows a call again. What is read from now on is remembered as of now: a write that ends meanwhile makes it old.
    pub(crate) fn recognise(&self, authorised: &Authorised) -> Recognised {
        let arguments = authorised.document().canonical();
        let tool = Arc::clone(authorised.tool());
        let key = CallKey::of(authorised.caller(), tool.name(), &arguments);
        let mut call = Recognised { tool, key, memo: None };
        call.memo = self.memo_key(&call);
        call
    }

    fn memo_key(&self, call: &Recognised) -> Option<MemoKey> {
        let tool = &call.tool;
        if self.memory.is_none() || call.may_change() || (!tool.is_pure() && !tool.remember()) {
            return None;
        }
        let n_writes = if tool.is_pure() { 0 } else { self.n_writes.load(Ordering::Relaxed) };
        Some(MemoKey::of(&call.key, tool, n_writes))
    }

    /// The answer that is remembered of an equal read.
    pub(crate) fn remembered(&self, call: &Recognised) -> Option<Checked> {
        self.memory.as_ref()?.find(call.memo.as_ref()?)
    }

    /// Answers a call from the past, or by running it. `run` is begun only in the second case.
    pub(crate) async fn answer(
        &self,
        call: &Recognised,
        cancel: &Cancel,
        run: impl Future<Output = Result<Checked, NotDone>>,
    ) -> (Result<Checked, NotDone>, Origin) {
        if call.may_change() {
            return self.write(call, run).await;
        }
        match self.memory.as_ref().zip(call.memo.as_ref()) {
            Some((memory, key)) => memory.answer(key, cancel, run).await,
            None => (run.await, Origin::Run),
        }
    }

    async fn write(
        &self,
        call: &Recognised,
        run: impl Future<Output = Result<Checked, NotDone>>,
    ) -> (Result<Checked, NotDone>, Origin) {
        let Recognised { tool, key, memo: _ } = call;
        let runs_once = tool.writes() && !tool.contract().repeatable;
        if runs_once && let Some(outcome) = self.writes().find(key) {
            return (outcome, Origin::EarlierWrite);
        }
        if runs_once {
            self.writes().begin(*key, tool);
        }
        let running = Running::begin(&self.n_writes);
        let outcome = run.await;
        drop(running);
        if runs_once {
            self.writes().end(key, tool, &outcome);
        }
        (outcome, Origin::Run)
    }
}

/// A write that runs, until it ends or is dropped.
struct Running<'n>(&'n AtomicU64);

impl<'n> Running<'n> {
    fn begin(n_writes: &'n AtomicU64) -> Self {
        n_writes.fetch_add(1, Ordering::Relaxed);
        Self(n_writes)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

//! Host: the line itself. One call walks it from bytes to reply, and nothing leaves it sideways.
//!
//! Holds the stages and their order. What each of them checks stands in its own file.

mod builder;
mod error;
mod tries;

use std::any::Any;
use std::future::{Future, poll_fn};
use std::mem::take;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;

pub use self::builder::{HostBuilder, contract_of};
pub use self::error::BuildError;
use self::tries::Subject;
use crate::amendment::Amendment;
use crate::attempt::Attempt;
use crate::auth::{Authorised, Authority, Caller, CallerSettings, UnknownCaller, View};
use crate::call::RawCall;
use crate::cancel::Cancel;
use crate::check::{self, Checked};
use crate::clock::Clock;
use crate::dispatch::{Company, Dispatch, Terms};
use crate::gate::Gate;
use crate::refusal::{Failure, HostFailure, NotDone, Rejection};
use crate::repair::Repairs;
use crate::reply::{Effects, Origin, Reply, Verdict};
use crate::sandbox::{Sandbox, Trace};
use crate::session::{CallKey, Conversation};
use crate::span::CallSpan;
use crate::stats::{Counters, Stats};
use crate::text;
use crate::tool::Tool;
use crate::usage::{Laps, Stage, Usage};

/// Most characters of the name asked for that a reply shows. No tool has one this long.
const MAX_NAME: usize = 80;

/// Loaded tools and everything that stands between them and a model, as its operator or one caller sees it. Cheap to clone;
/// needs a tokio runtime.
#[derive(Clone, Debug)]
pub struct Host {
    stages: Arc<Stages>,
    view: Arc<View>,
}

#[derive(Debug)]
struct Stages {
    gate: Gate,
    authority: Authority,
    dispatch: Dispatch,
    sandbox: Sandbox,
    repairs: Option<Repairs>,
    counters: Counters,
    clock: Arc<dyn Clock>,
}

/// Where a call is made.
#[derive(Clone, Debug)]
struct Scene<'s> {
    /// In whose view.
    view: &'s View,
    /// In which conversation, if it belongs to one.
    conversation: Option<Conversation<'s>>,
    terms: Terms,
}

/// What the walks of a call leave beside their outcome, however they end.
struct Record<'h> {
    laps: Laps<'h, Stage, 5>,
    recorded: Vec<Amendment>,
    trace: Trace,
    origin: Origin,
    attempts: Vec<Attempt>,
    /// What was wrong with the call as it was asked, where a repair made up for it.
    mended: Option<Rejection>,
    /// What the try that runs is about, where there may be another one.
    subject: Option<Subject>,
    /// The name that the last try asked for, where there was more than one.
    asked_last: Option<String>,
    /// Which call it is, in a session.
    key: Option<CallKey>,
}

impl<'h> Record<'h> {
    fn new(clock: &'h dyn Clock) -> Self {
        Self {
            laps: Laps::new(clock),
            recorded: Vec::new(),
            trace: Trace::default(),
            origin: Origin::Run,
            attempts: Vec::new(),
            mended: None,
            subject: None,
            asked_last: None,
            key: None,
        }
    }
}

impl Host {
    /// Answers one call. Never an error, never a panic: whatever happens is said in the reply.
    pub async fn call(&self, call: RawCall) -> Reply {
        self.answer_call(call, Company::Alone, Cancel::never(), None).await.0
    }

    /// As [`Host::call`], for as long as `cancel` has not ended: then the guest is stopped and the reply is
    /// `host:cancelled`. Dropping the call's future stops the guest too, and leaves nobody to answer.
    pub async fn call_until(&self, call: RawCall, cancel: impl Future<Output = ()> + Send + 'static) -> Reply {
        self.answer_call(call, Company::Alone, Cancel::when(cancel), None).await.0
    }

    /// The same host as this caller sees it: with the tools that there are for it, and with rules that know it. Of whatever
    /// view it is asked, the caller's is the same.
    ///
    /// # Errors
    /// No caller of this name was configured.
    pub fn for_caller(&self, name: &str) -> Result<Self, UnknownCaller> {
        Ok(Self { stages: Arc::clone(&self.stages), view: self.stages.authority.view_of(name)? })
    }

    /// As above, for a caller that the program around knows and the configuration does not.
    ///
    /// # Errors
    /// What of it cannot be meant.
    pub fn as_caller(&self, caller: &CallerSettings) -> Result<Self, BuildError> {
        let view = self.stages.authority.view_for(caller).map_err(BuildError::Auth)?;
        Ok(Self { stages: Arc::clone(&self.stages), view: Arc::new(view) })
    }

    /// The name of the caller whose view it is; nothing where it is the operator's own, which has every tool.
    pub fn caller(&self) -> Option<&str> {
        self.view.caller.as_deref().map(Caller::name)
    }

    /// The tools that there are for whoever's view it is, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.view.registry.tools().map(Arc::as_ref)
    }

    /// The tool that a call under this name is for, as the line itself would find it.
    pub fn tool(&self, asked: &str) -> Option<&Tool> {
        self.view.registry.named(asked).map(|(tool, _)| tool.as_ref())
    }

    /// Counts over all calls so far.
    pub fn stats(&self) -> Stats {
        self.stages.counters.snapshot(self.stages.dispatch.n_waiting())
    }

    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.stages.clock)
    }

    /// Answers a call that does not get onto the line.
    pub(crate) fn refuse(&self, call: RawCall, rejection: Rejection) -> Reply {
        let asked = text::one_line(&call.tool, MAX_NAME);
        let span = CallSpan::open(&call.id, &asked, &call);
        let mut record = Record::new(self.stages.clock.as_ref());
        let reply = self.reply(call.id, asked, Err(NotDone::Refused(rejection)), &mut record);
        span.tell(&reply);
        reply
    }

    /// Answers a call, in a session with its past; and says which call it is, if one tool takes it.
    pub(crate) async fn answer_call(
        &self,
        mut call: RawCall,
        company: Company,
        cancel: Cancel,
        conversation: Option<Conversation<'_>>,
    ) -> (Reply, Option<CallKey>) {
        // No stage looks at the id, so it stays here, where the reply is made. A name that is not plain text of a few
        // characters is no tool's, so what is shown of it is enough to find the tool by.
        let (id, asked) = (take(&mut call.id), text::one_line(&call.tool, MAX_NAME));
        let span = CallSpan::open(&id, &asked, &call);
        let mut record = Record::new(self.stages.clock.as_ref());
        let walk = {
            let terms = Terms { company, cancel, until: None };
            let scene = Scene { view: &self.view, conversation, terms };
            let walk = AssertUnwindSafe(self.stages.answer(call, scene, &mut record)).catch_unwind();
            let mut walk = pin!(walk);
            poll_fn(|context| span.around(|| walk.as_mut().poll(context))).await
        };
        // The walk borrows nothing that a panic could leave half-changed and that is read again: the record only grows.
        let outcome =
            walk.unwrap_or_else(|panic| Err(NotDone::Failed(Failure::Host(HostFailure::Internal(words(&panic))))));
        let reply = self.reply(id, asked, outcome, &mut record);
        span.tell(&reply);
        (reply, record.key)
    }

    fn reply(&self, id: String, tool: String, outcome: Result<Checked, NotDone>, record: &mut Record<'_>) -> Reply {
        let named = |asked: &str| self.view.registry.named(asked).map(|(tool, _)| tool);
        let (asked_first, asked_last) = (named(&tool), record.asked_last.as_deref().map(named));
        let found = asked_last.unwrap_or(asked_first);
        let is_another = |last: &&Arc<Tool>| asked_first.is_none_or(|first| first.name() != last.name());
        let answered_by = asked_last.flatten().filter(is_another).map(|tool| tool.name().to_owned());
        let effects = effects(outcome.as_ref().err(), found.map(Arc::as_ref));
        let verdict = match outcome {
            Ok(checked) => Verdict::Done(checked),
            Err(NotDone::Refused(rejection)) => Verdict::Refused(rejection),
            Err(NotDone::Failed(failure)) => Verdict::Failed(failure),
        };
        let (log, output) = (record.trace.take_log(), record.trace.take_output());
        let mut usage = Usage { stages: record.laps.times, ..Usage::default() };
        record.trace.charge(&mut usage);
        self.stages.counters.outcomes.count(found.map(|tool| tool.name()), verdict.rule(), &usage);
        Reply {
            id,
            effects,
            pure: found.is_some_and(|tool| tool.is_pure()),
            tool,
            answered_by,
            verdict,
            origin: record.origin,
            usage,
            attempts: take(&mut record.attempts),
            mended: record.mended.take().map(Box::new),
            recorded: take(&mut record.recorded),
            log,
            output,
        }
    }
}

impl Stages {
    /// One call, bytes to verdict. There is no second path: a message's calls, a program's and the library's all end here, and
    /// so does a call that was repaired.
    async fn walk(&self, raw: RawCall, scene: Scene<'_>, record: &mut Record<'_>) -> Result<Checked, NotDone> {
        let Record { laps, recorded, trace, origin, key, subject, .. } = record;
        laps.start();
        let admitted = laps.passed(Stage::Gate, self.gate.admit(raw, recorded))?;
        if let Some(subject) = subject {
            subject.admitted(&admitted, recorded.len());
        }
        let Scene { view, conversation, terms } = scene;
        let matched = laps.passed(Stage::Registry, view.registry.find(admitted, recorded))?;
        if let Some(subject) = subject {
            subject.matched(&matched);
        }
        let values = conversation.map(|conversation| conversation.values);
        let authorised = self.authority.authorise(matched, view.caller.as_ref(), values);
        let authorised = authorised.map_err(|denial| laps.passed(Stage::Dispatch, denial))?;
        let past = conversation.map(|conversation| conversation.past);
        let call = past.map(|past| (past, past.recognise(&authorised)));
        *key = call.as_ref().map(|(_, call)| call.key);
        let Some((past, call)) = call.filter(|(_, call)| call.is_looked_up()) else {
            return self.run(authorised, terms, laps, recorded, trace).await;
        };
        if let Some(checked) = past.remembered(&call) {
            *origin = Origin::Memory;
            return Ok(checked);
        }
        // Boxed, so that neither a call without a session nor one that is remembered carries the room for what follows.
        Box::pin(async {
            let cancel = terms.cancel.clone();
            let run = pin!(self.run(authorised, terms, laps, recorded, trace));
            let outcome;
            (outcome, *origin) = past.answer(&call, &cancel, run).await;
            outcome
        })
        .await
    }

    /// The rest of the line, for a call that nothing has answered yet.
    async fn run(
        &self,
        authorised: Authorised,
        terms: Terms,
        laps: &mut Laps<'_, Stage, 5>,
        recorded: &mut Vec<Amendment>,
        trace: &mut Trace,
    ) -> Result<Checked, NotDone> {
        let placed = laps.passed(Stage::Dispatch, self.dispatch.place(authorised, terms, self.clock.as_ref()).await)?;
        let output = self.sandbox.run(placed, laps.last(), trace).await;
        laps.passed_at(trace.spent.ended, Stage::Sandbox);
        let checked = laps.passed(Stage::Check, check::accept(output?, recorded))?;
        Ok(checked)
    }
}

/// What a call may have changed by ending so, or by being done. A tool without a grant that writes can change nothing,
/// whatever became of it.
fn effects(not_done: Option<&NotDone>, tool: Option<&Tool>) -> Effects {
    let can_write = tool.is_some_and(|tool| tool.grants.can_write());
    let failure = match not_done {
        _ if !can_write => return Effects::None,
        Some(NotDone::Refused(_)) => return Effects::None,
        None => return Effects::Done,
        Some(NotDone::Failed(failure)) => failure,
    };
    match failure {
        Failure::Result(_) => Effects::Done,
        Failure::Tool(failure) if failure.is_said_by_the_tool() => Effects::Done,
        Failure::RanBefore(before) if before.finished => Effects::Done,
        Failure::Tool(_)
        | Failure::RanBefore(_)
        | Failure::Host(HostFailure::Internal(_) | HostFailure::Cancelled { began: true }) => Effects::Unknown,
        Failure::Host(
            HostFailure::Overloaded | HostFailure::GrantGone(_) | HostFailure::Cancelled { began: false },
        ) => Effects::None,
    }
}

/// A panic's message.
fn words(panic: &Box<dyn Any + Send>) -> String {
    let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
    said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}

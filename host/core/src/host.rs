//! Host: the line itself. One call walks it from bytes to reply, and nothing leaves it sideways.
//!
//! Holds the stages and their order. What each of them checks stands in its own file.

use std::any::Any;
use std::fmt::Display;
use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use futures_util::{FutureExt, StreamExt, stream};

use crate::amendment::{Amendment, Coercion};
use crate::auth::{AuthError, Authorised, Authority, Caller, CallerSettings, RuleSettings, UnknownCaller, View};
use crate::call::RawCall;
use crate::cancel::Cancel;
use crate::check::{self, Checked};
use crate::clock::{Clock, SystemClock};
use crate::dispatch::{Company, Dispatch};
use crate::engine::HostEngine;
use crate::gate::{Gate, GateLimits, GateSettings};
use crate::load::{LoadError, Loader, ToolSource};
use crate::refusal::{Failure, HostFailure, NotDone, Rejection};
use crate::registry::{Policy, Registry};
use crate::reply::{Effects, Origin, Reply, Verdict};
use crate::sandbox::budget::LimitSettings;
use crate::sandbox::{Sandbox, Trace};
use crate::session::past::Recognised;
use crate::session::{CallKey, Conversation};
use crate::span::CallSpan;
use crate::stats::{Counters, Outcomes, Stats};
use crate::text;
use crate::tool::Tool;
use crate::usage::{Laps, Stage};

/// Most tools that are loaded at once. Compiling one uses every core by itself; a folder of a thousand would hold the
/// memory of a thousand compilations, and their contracts would want more slots than the pool has.
const LOADS_AT_ONCE: usize = 8;

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
    counters: Counters,
    clock: Arc<dyn Clock>,
}

/// What one walk leaves beside its outcome, however it ends.
struct Record {
    laps: Laps,
    recorded: Vec<Amendment>,
    trace: Trace,
    origin: Origin,
    /// Which call it is, in a session.
    key: Option<CallKey>,
}

impl Record {
    fn new(clock: &Arc<dyn Clock>) -> Self {
        Self {
            laps: Laps::new(Arc::clone(clock)),
            recorded: Vec::new(),
            trace: Trace::default(),
            origin: Origin::Run,
            key: None,
        }
    }
}

impl Host {
    /// A host with nothing loaded yet.
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }

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
        let asked = text::one_line(&call.tool, 80);
        let span = CallSpan::open(&call.id, &asked, &call);
        let record = Record::new(&self.stages.clock);
        let reply = self.reply(call.id, asked, Err(NotDone::Refused(rejection)), record);
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
        let (id, asked) = (std::mem::take(&mut call.id), text::one_line(&call.tool, 80));
        let span = CallSpan::open(&id, &asked, &call);
        let mut record = Record::new(&self.stages.clock);
        let walk = {
            let walk = AssertUnwindSafe(self.stages.walk(call, &self.view, company, cancel, conversation, &mut record))
                .catch_unwind();
            let mut walk = pin!(walk);
            poll_fn(|context| span.around(|| walk.as_mut().poll(context))).await
        };
        // The walk borrows nothing that a panic could leave half-changed and that is read again: the record only grows.
        let outcome =
            walk.unwrap_or_else(|panic| Err(NotDone::Failed(Failure::Host(HostFailure::Internal(words(&panic))))));
        let key = record.key.take();
        let reply = self.reply(id, asked, outcome, record);
        span.tell(&reply);
        (reply, key)
    }

    fn reply(&self, id: String, tool: String, outcome: Result<Checked, NotDone>, mut record: Record) -> Reply {
        let verdict = match outcome {
            Ok(checked) => Verdict::Done(checked),
            Err(NotDone::Refused(rejection)) => Verdict::Refused(rejection),
            Err(NotDone::Failed(failure)) => Verdict::Failed(failure),
        };
        let found = self.view.registry.named(&tool).map(|(tool, _)| tool);
        let (log, output) = (record.trace.take_log(), record.trace.take_output());
        let mut usage = record.laps.usage;
        record.trace.charge(&mut usage);
        self.stages.counters.outcomes.count(found.map(|tool| tool.name()), verdict.rule(), &usage);
        Reply {
            id,
            effects: effects(&verdict, found.map(Arc::as_ref)),
            pure: found.is_some_and(|tool| tool.is_pure()),
            tool,
            verdict,
            origin: record.origin,
            usage,
            recorded: record.recorded,
            log,
            output,
        }
    }
}

impl Stages {
    /// One call, bytes to verdict. There is no second path: a message's calls, a program's and the library's all end here.
    async fn walk(
        &self,
        raw: RawCall,
        view: &View,
        company: Company,
        cancel: Cancel,
        conversation: Option<Conversation<'_>>,
        record: &mut Record,
    ) -> Result<Checked, NotDone> {
        let Record { laps, recorded, trace, origin, key } = record;
        laps.start();
        let admitted = laps.passed(Stage::Gate, self.gate.admit(raw, recorded))?;
        let matched = laps.passed(Stage::Registry, view.registry.find(admitted, recorded))?;
        let values = conversation.map(|conversation| conversation.values);
        let authorised = self.authority.authorise(matched, view.caller.as_ref(), values);
        let authorised = authorised.map_err(|denial| laps.passed(Stage::Dispatch, denial))?;
        let Some(Conversation { past, values: _ }) = conversation else {
            return self.run(authorised, company, cancel, laps, recorded, trace).await;
        };
        // Boxed, so that a call without a session does not carry the room for one.
        Box::pin(async {
            let call = Recognised::of(&authorised);
            *key = Some(call.key.clone());
            let run = Box::pin(self.run(authorised, company, cancel.clone(), laps, recorded, trace));
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
        company: Company,
        cancel: Cancel,
        laps: &mut Laps,
        recorded: &mut Vec<Amendment>,
        trace: &mut Trace,
    ) -> Result<Checked, NotDone> {
        let placed = laps.passed(Stage::Dispatch, self.dispatch.place(authorised, company, cancel).await)?;
        // Apart, since it is large: a refused call, which never comes here, would carry its room all the way.
        let output = laps.passed(Stage::Sandbox, Box::pin(self.sandbox.run(placed, trace)).await)?;
        let checked = laps.passed(Stage::Check, check::accept(output, recorded))?;
        Ok(checked)
    }
}

/// What a call may have changed. A tool without a grant that writes can change nothing, whatever became of it.
fn effects(verdict: &Verdict, tool: Option<&Tool>) -> Effects {
    let can_write = tool.is_some_and(|tool| tool.grants.can_write());
    match verdict {
        _ if !can_write => Effects::None,
        Verdict::Refused(_) => Effects::None,
        Verdict::Done(_) | Verdict::Failed(Failure::Result(_)) => Effects::Done,
        Verdict::Failed(Failure::Tool(failure)) if failure.is_said_by_the_tool() => Effects::Done,
        Verdict::Failed(Failure::RanBefore(before)) if before.finished => Effects::Done,
        Verdict::Failed(
            Failure::Tool(_)
            | Failure::RanBefore(_)
            | Failure::Host(HostFailure::Internal(_) | HostFailure::Cancelled { began: true }),
        ) => Effects::Unknown,
        Verdict::Failed(Failure::Host(
            HostFailure::Overloaded | HostFailure::GrantGone(_) | HostFailure::Cancelled { began: false },
        )) => Effects::None,
    }
}

/// A panic's message.
fn words(panic: &Box<dyn Any + Send>) -> String {
    let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
    said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}

/// Collects tools and settings, and loads them all or none.
#[derive(Debug, Default)]
pub struct HostBuilder {
    sources: Vec<ToolSource>,
    defaults: LimitSettings,
    gate: GateLimits,
    coercion: Coercion,
    declared_strictly: bool,
    callers: Vec<CallerSettings>,
    rules: Vec<RuleSettings>,
    clock: Option<Arc<dyn Clock>>,
}

impl HostBuilder {
    /// Adds one tool.
    #[must_use]
    pub fn tool(mut self, source: ToolSource) -> Self {
        self.sources.push(source);
        self
    }

    /// Adds several tools.
    #[must_use]
    pub fn tools(mut self, sources: impl IntoIterator<Item = ToolSource>) -> Self {
        self.sources.extend(sources);
        self
    }

    /// Limits for what a tool's source does not set.
    #[must_use]
    pub fn defaults(mut self, defaults: LimitSettings) -> Self {
        self.defaults = defaults;
        self
    }

    /// What may pass as a call at all.
    #[must_use]
    pub fn gate(mut self, limits: GateLimits) -> Self {
        self.gate = limits;
        self
    }

    /// How calls are read, as an operator's file says it: limits, [`HostBuilder::coercion`] and
    /// [`HostBuilder::declared_strictly`] in one.
    #[must_use]
    pub fn gate_settings(self, settings: &GateSettings) -> Self {
        self.gate(settings.limits()).coercion(settings.coercion()).declared_strictly(settings.strict)
    }

    /// Whether calls are amended by what a tool's schema shows to be meant. Off unless it is said.
    #[must_use]
    pub fn coercion(mut self, coercion: Coercion) -> Self {
        self.coercion = coercion;
        self
    }

    /// The model was shown strict declarations: a `null` that a tool's own schema refuses stands for an absent optional key,
    /// since strict modes know no other way to leave one out.
    #[must_use]
    pub fn declared_strictly(mut self, yes: bool) -> Self {
        self.declared_strictly = yes;
        self
    }

    /// Adds callers, each with the tools that there are for it.
    #[must_use]
    pub fn callers(mut self, callers: impl IntoIterator<Item = CallerSettings>) -> Self {
        self.callers.extend(callers);
        self
    }

    /// Adds rules. All that concern a call have to hold, or it is denied.
    #[must_use]
    pub fn rules(mut self, rules: impl IntoIterator<Item = RuleSettings>) -> Self {
        self.rules.extend(rules);
        self
    }

    /// Another clock than the system's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Loads every tool.
    ///
    /// # Errors
    /// Every tool that breaks a rule, in the order of loading; then nothing is loaded.
    pub async fn build(self) -> Result<Host, BuildError> {
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::new()));
        let mut counters = Counters::default();
        let engine = HostEngine::new().map_err(BuildError::platform)?;
        let loader =
            Loader::new(engine, Arc::clone(&clock), Arc::clone(&counters.loads)).map_err(BuildError::platform)?;
        let loads = self.sources.into_iter().map(|source| loader.load(source, self.defaults));
        let mut tools = Vec::new();
        let mut errors = Vec::new();
        for loaded in stream::iter(loads).buffered(LOADS_AT_ONCE).collect::<Vec<_>>().await {
            match loaded {
                Ok(tool) => tools.push(tool),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(BuildError::Tools(errors));
        }
        let policy = Policy { limits: self.gate.json(), coercion: self.coercion, strict_nulls: self.declared_strictly };
        let registry = Registry::new(tools, policy).map_err(BuildError::Tools)?;
        counters.outcomes = Outcomes::of(registry.tools().map(|tool| tool.name()));
        let authority = Authority::new(&self.callers, &self.rules, registry).map_err(BuildError::Auth)?;
        let sandbox = Sandbox::new(Arc::clone(&clock), Arc::clone(&counters.calls));
        let stages = Stages {
            gate: Gate::new(self.gate, self.coercion),
            authority,
            dispatch: Dispatch::new(),
            sandbox,
            counters,
            clock,
        };
        Ok(Host { view: stages.authority.view_of_operator(), stages: Arc::new(stages) })
    }
}

/// Why there is no host.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BuildError {
    /// Tools that break a rule.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Tools(Vec<LoadError>),
    /// Callers and rules that cannot be meant.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Auth(Vec<AuthError>),
    /// This platform does not support the profile guests run under.
    #[error("this platform does not support the sandbox: {0}")]
    Platform(String),
}

impl BuildError {
    fn platform(error: impl Display) -> Self {
        Self::Platform(format!("{error:#}"))
    }
}

/// The contract that a component says of itself, in an instance with nothing granted. For a packer.
///
/// # Errors
/// The rule the component breaks.
pub async fn contract_of(file: &str, bytes: &[u8]) -> Result<String, BuildError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let engine = HostEngine::new().map_err(BuildError::platform)?;
    let loader = Loader::new(engine, clock, Arc::default()).map_err(BuildError::platform)?;
    loader.ask_contract(file, bytes).await.map_err(|error| BuildError::Tools(vec![error]))
}

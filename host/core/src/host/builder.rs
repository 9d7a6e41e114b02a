//! Builder: from tools and an operator's settings to a host with all of them loaded, or the reasons why there is none.

use std::sync::Arc;

use futures_util::{StreamExt, stream};

use super::error::BuildError;
use super::{Host, Stages};
use crate::amendment::Coercion;
use crate::auth::{Authority, CallerSettings, RuleSettings};
use crate::clock::{Clock, SystemClock};
use crate::dispatch::Dispatch;
use crate::engine::{Allocation, HostEngine};
use crate::gate::{Gate, GateLimits, GateSettings};
use crate::load::{Loader, ToolSource};
use crate::registry::{Policy, Registry};
use crate::repair::Repairs;
use crate::repair::settings::RepairSettings;
use crate::sandbox::Sandbox;
use crate::sandbox::budget::LimitSettings;
use crate::stats::{Counters, Outcomes};

/// Most tools that are loaded at once. Compiling one uses every core by itself; a folder of a thousand would hold the
/// memory of a thousand compilations, and their contracts would want more slots than the pool has.
const LOADS_AT_ONCE: usize = 8;

impl Host {
    /// A host with nothing loaded yet.
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }
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
    repair: RepairSettings,
    allocation: Allocation,
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

    /// What is done about calls that come to no answer. Nothing unless it is said.
    #[must_use]
    pub fn repair(mut self, repair: RepairSettings) -> Self {
        self.repair = repair;
        self
    }

    /// Where calls get their memory from; a pool, unless it is said otherwise. The limits of a call are the same, and on demand
    /// what stands around a guest is bounded less (docs/THREAT-MODEL.md); a component with more memories, tables or instances
    /// than a call gets is refused at load by the pool, and by its first call on demand.
    #[must_use]
    pub fn allocation(mut self, allocation: Allocation) -> Self {
        self.allocation = allocation;
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
    /// Every tool that breaks a rule, in the order of loading, or every repair rule that can never apply; then nothing is
    /// loaded.
    pub async fn build(self) -> Result<Host, BuildError> {
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::new()));
        let mut counters = Counters::default();
        let calls = Arc::clone(&counters.calls);
        let engine = HostEngine::new(self.allocation, move || calls.alive()).map_err(BuildError::platform)?;
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
        let repairs = Repairs::hold(&self.repair, &registry, policy.limits).map_err(BuildError::Repair)?;
        counters.outcomes = Outcomes::of(registry.tools().map(|tool| tool.name()));
        let authority = Authority::new(&self.callers, &self.rules, registry).map_err(BuildError::Auth)?;
        let sandbox = Sandbox::new(Arc::clone(&clock), Arc::clone(&counters.calls));
        let stages = Stages {
            gate: Gate::new(self.gate, self.coercion),
            authority,
            dispatch: Dispatch::new(),
            sandbox,
            repairs,
            counters,
            clock,
        };
        Ok(Host { view: stages.authority.view_of_operator(), stages: Arc::new(stages) })
    }
}

/// The contract that a component says of itself, in an instance with nothing granted. For a packer.
///
/// # Errors
/// The rule the component breaks.
pub async fn contract_of(file: &str, bytes: &[u8]) -> Result<String, BuildError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    // One question: reserving a pool for it would only fail where address space is short.
    let engine = HostEngine::new(Allocation::OnDemand, || 0).map_err(BuildError::platform)?;
    let loader = Loader::new(engine, clock, Arc::default()).map_err(BuildError::platform)?;
    loader.ask_contract(file, bytes).await.map_err(|error| BuildError::Tools(vec![error]))
}

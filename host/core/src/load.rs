//! Load: bytes and an operator's settings to a tool that can be called, or the rule they break.
//!
//! Compiles once, reads the contract (from the section, or by one question to an instance with nothing granted), compiles
//! both schemas, audits every import and turns the grants. Names are compared in `registry`, which sees all tools.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

use crate::anatomy::{Anatomy, NotComponent};
use crate::cancel::Cancel;
use crate::clock::Clock;
use crate::contract::{self, Contract, ContractError, DeclaredEffects, RelationError};
use crate::engine::HostEngine;
use crate::sandbox::budget::{LimitSettings, Limits};
use crate::sandbox::cell::{self, Around, Code, NotExported, Question, Uses};
use crate::sandbox::grants::{DirectoryGrant, GrantError, Grants};
use crate::sandbox::guest_state::{self, GuestState};
use crate::sandbox::stop::Stop;
use crate::schema::{Schema, SchemaError};
use crate::stats::Stores;
use crate::text;
use crate::tool::Tool;

/// The interface a tool exports.
const TOOL_INTERFACE: &str = "toolgate:tool/tool@1.";

/// Interfaces a tool may import without a grant: with nothing behind them that is real. Everything else needs one.
const INERT: [&str; 17] = [
    "toolgate:tool/host",
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure-seed",
];

/// As above: seeded, the same sequence for every call.
const SEEDED: [&str; 2] = ["wasi:random/insecure", "wasi:random/random"];

/// Interfaces that come with a granted directory.
const FILESYSTEM: [&str; 2] = ["wasi:filesystem/preopens", "wasi:filesystem/types"];

/// Most imports that one error names: a component may have thousands.
const MAX_IMPORTS_SAID: usize = 10;

/// A component and what its operator says about it.
#[derive(Clone, Debug)]
pub struct ToolSource {
    /// The name of the file, for messages.
    pub file: String,
    /// The component.
    pub bytes: Cow<'static, [u8]>,
    /// Limits; what is left out comes from the host's defaults.
    pub limits: LimitSettings,
    /// Directories.
    pub directories: Vec<DirectoryGrant>,
    /// The operator's word on whether it writes, over the contract's and the grants'.
    pub effects: Option<DeclaredEffects>,
    /// The operator's word that a session may remember its results, although it reaches outside its sandbox.
    pub remember: bool,
    /// A schema over the tool's own that its results have to fit too.
    pub stricter_output: Option<StricterOutput>,
    /// Results reach the model as the tool wrote them, control and invisible characters included. They can hide text from
    /// whoever reads along: for tools whose text is binary-like on purpose and whose source is trusted. Failures, logs and
    /// whatever a person sees are cleaned all the same.
    pub raw_results: bool,
}

/// An operator's output schema for one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StricterOutput {
    /// Where it came from, for messages.
    pub file: String,
    /// JSON Schema 2020-12. What it says nothing about is left to the tool's own schema.
    pub text: String,
}

impl ToolSource {
    /// A component without grants, with default limits.
    pub fn new(file: impl Into<String>, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        Self {
            file: file.into(),
            bytes: bytes.into(),
            limits: LimitSettings::default(),
            directories: Vec::new(),
            effects: None,
            remember: false,
            stricter_output: None,
            raw_results: false,
        }
    }

    /// The same with results held to this schema too, beside the tool's own.
    #[must_use]
    pub fn stricter_output(mut self, text: impl Into<String>) -> Self {
        self.stricter_output =
            Some(StricterOutput { file: "the output schema set for it".to_owned(), text: text.into() });
        self
    }

    /// The same with results handed on as the tool wrote them: see [`ToolSource::raw_results`].
    #[must_use]
    pub const fn raw_results(mut self) -> Self {
        self.raw_results = true;
        self
    }

    /// The same with one more directory granted.
    #[must_use]
    pub fn grant(mut self, grant: DirectoryGrant) -> Self {
        self.directories.push(grant);
        self
    }

    /// The same with these limits.
    #[must_use]
    pub fn limits(mut self, limits: LimitSettings) -> Self {
        self.limits = limits;
        self
    }
}

/// Why a tool was not loaded: the file and the rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct LoadError {
    /// The file, as the operator named it.
    pub file: String,
    /// The rule.
    pub problem: LoadProblem,
}

/// A rule that a tool has to meet to be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadProblem {
    /// The file is no component.
    NotComponent(NotComponent),
    /// The file is compiled code, which could do anything.
    Precompiled,
    /// It does not export the interface.
    NoTool,
    /// What it exports under the interface's name lacks this function, or has another one of its name.
    OtherTool(&'static str),
    /// It does not compile.
    Compile(String),
    /// It asks for more memories, tables or instances than a call gets.
    Limit(String),
    /// It imports something that nobody granted.
    Import(Vec<String>),
    /// More than one contract section.
    Sections(usize),
    /// Its `contract()` gave no contract; the text says how it ended.
    NoContract(String),
    /// Its contract breaks a rule.
    Contract(ContractError),
    /// One of its schemas breaks a rule; the first says which, `input` or `output`.
    Schema(&'static str, SchemaError),
    /// One of its relations can never be held.
    Relation(RelationError),
    /// The operator's schema for its results breaks a rule.
    Stricter {
        /// The file of that schema.
        file: String,
        /// The rule.
        problem: SchemaError,
    },
    /// What it asks for and what it is given do not match.
    Grant(GrantError),
    /// A limit that the operator set is beyond what the host gives.
    Setting {
        /// The setting.
        key: &'static str,
        /// The most it can be.
        max: u64,
    },
    /// The operator wants the results of a tool remembered that writes.
    RememberedWrite,
    /// Another tool has that name, or one that some mapping makes equal.
    Collision {
        /// This tool's name.
        name: String,
        /// The other's.
        other: String,
        /// The other's file.
        other_file: String,
    },
}

impl LoadProblem {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotComponent(NotComponent::TooLarge { .. } | NotComponent::Dear { .. }) | Self::Limit(_) => {
                "load:limit"
            }
            Self::NotComponent(_) | Self::NoTool | Self::OtherTool(_) => "load:not_component",
            Self::Precompiled => "load:precompiled",
            Self::Compile(_) => "load:compile",
            Self::Import(_) => "load:import",
            Self::Sections(_) | Self::NoContract(_) => "load:contract",
            Self::Contract(ContractError::Name(_)) => "load:name",
            Self::Contract(ContractError::Text { key: _, problem: _ }) => "load:text",
            Self::Contract(ContractError::Relation(_)) | Self::Relation(_) => "load:relation",
            Self::Contract(_) => "load:contract",
            Self::Schema(_, problem) | Self::Stricter { file: _, problem } => problem.code(),
            Self::Grant(_) => "load:grant",
            Self::Setting { key: _, max: _ } | Self::RememberedWrite => "load:policy",
            Self::Collision { name: _, other: _, other_file: _ } => "load:collision",
        }
    }

    /// What to do about it, where that is not plain from the rule.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotComponent(NotComponent::CoreModule) => {
                "build for `wasm32-unknown-unknown` with `linker = \"wasm-component-ld\"` in `.cargo/config.toml`, or for \
                 `wasm32-wasip2`"
                    .to_owned()
            }
            Self::NotComponent(NotComponent::Text) => "turn it into a binary first: `wasm-tools parse FILE -o FILE.wasm`".to_owned(),
            Self::NotComponent(NotComponent::Damaged { at: _, problem: _ }) => {
                "copy or build the file again; it may have been cut".to_owned()
            }
            Self::Precompiled => "load the component it was compiled from".to_owned(),
            Self::NoTool | Self::OtherTool(_) => {
                "a tool exports the interface `tool` of `toolgate:tool@1.0.0` (wit/tool.wit); the Rust SDK's `tool!` does it"
                    .to_owned()
            }
            Self::Import(_) => {
                "an import beyond the inert baseline needs a capability in the contract and a grant by the operator".to_owned()
            }
            Self::Sections(_) => "run `toolgate pack` on it: it leaves exactly one section".to_owned(),
            Self::Grant(GrantError::NotGiven { guest, access }) => format!(
                "grant it in toolgate.toml, under the tool: `fs = [{{ guest = \"{guest}\", host = \"DIR\", access = \"{access}\" }}]`"
            ),
            Self::Grant(GrantError::TooLittle { guest: _ }) => "grant `access = \"read-write\"`".to_owned(),
            Self::Grant(GrantError::NotAsked { guest: _ }) => "take the grant away, or ask the tool's author".to_owned(),
            Self::Setting { key, max } => format!("set `{key}` to at least 1 and at most {max}"),
            Self::RememberedWrite => "take `remember` away, or say `effects = \"read\"` if it only looks".to_owned(),
            Self::Collision { name: _, other: _, other_file: _ } => "load one of them only".to_owned(),
            Self::NotComponent(_) | Self::Compile(_) | Self::Limit(_) | Self::NoContract(_) | Self::Contract(_) | Self::Schema(_, _)
            | Self::Relation(_) | Self::Stricter { file: _, problem: _ } | Self::Grant(_) => {
                return None;
            }
        })
    }
}

impl fmt::Display for LoadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotComponent(problem) => problem.fmt(f),
            Self::Precompiled => f.write_str("it is compiled code, which runs outside any sandbox"),
            Self::NoTool => f.write_str("it is a component, but exports no `toolgate:tool/tool` of version 1"),
            Self::OtherTool(function) => write!(f, "it exports `toolgate:tool/tool` without `{function}`"),
            Self::Compile(problem) => write!(f, "it does not compile: {problem}"),
            Self::Limit(problem) => write!(f, "it needs more than a call is given: {problem}"),
            Self::Import(names) => {
                let shown: Vec<&str> = names.iter().take(MAX_IMPORTS_SAID).map(String::as_str).collect();
                let n_more = names.len().saturating_sub(shown.len());
                let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
                write!(f, "it imports what nobody granted: {}{more}", shown.join(", "))
            }
            Self::Sections(n) => write!(f, "it has {n} `{}` sections at its top level", contract::SECTION),
            Self::NoContract(problem) => write!(f, "it has no contract section, and `contract()` {problem}"),
            Self::Contract(problem) => problem.fmt(f),
            Self::Schema(which, problem) => write!(f, "its {which} schema: {problem}"),
            Self::Relation(problem) => problem.fmt(f),
            Self::Stricter { file, problem } => {
                write!(f, "the operator's output schema ({}): {problem}", text::one_line(file, 200))
            }
            Self::Grant(problem) => problem.fmt(f),
            Self::Setting { key, max } => write!(f, "the limit `{key}` set for it is outside 1 to {max}"),
            Self::RememberedWrite => f.write_str("it writes, and `remember` is set for it: only reads are remembered"),
            Self::Collision { name, other, other_file } => {
                let other_file = text::one_line(other_file, 200);
                write!(f, "its name `{name}` clashes with `{other}` of {other_file}")
            }
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.problem.code(), text::one_line(&self.file, 200), self.problem)?;
        match self.problem.hint() {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Everything a load needs beside the component.
#[derive(Clone)]
pub(crate) struct Loader {
    engine: HostEngine,
    linker: Arc<Linker<GuestState>>,
    clock: Arc<dyn Clock>,
    stores: Arc<Stores>,
}

impl Loader {
    pub(crate) fn new(engine: HostEngine, clock: Arc<dyn Clock>, stores: Arc<Stores>) -> wasmtime::Result<Self> {
        let linker = Arc::new(guest_state::linker(engine.get())?);
        Ok(Self { engine, linker, clock, stores })
    }

    /// Loads one tool; `defaults` are the limits for what its source does not set.
    pub(crate) async fn load(&self, source: ToolSource, defaults: LimitSettings) -> Result<Tool, LoadError> {
        let file = source.file.clone();
        self.try_load(source, defaults).await.map_err(|problem| LoadError { file, problem })
    }

    async fn try_load(&self, source: ToolSource, defaults: LimitSettings) -> Result<Tool, LoadProblem> {
        let settings = source.limits.or(defaults);
        if let Some((key, max)) = settings.beyond_maximum() {
            return Err(LoadProblem::Setting { key, max });
        }
        let (anatomy, code) = self.prepare(source.bytes.clone()).await?;
        let contract = self.read_contract(&anatomy, &code).await?;
        let contract = Contract::parse(contract.as_bytes()).map_err(LoadProblem::Contract)?;
        let input = Schema::of_object(contract.input.get()).map_err(|error| LoadProblem::Schema("input", error))?;
        let output = Schema::of_result(contract.output.get())
            .and_then(|schema| schema.has_lists(&contract.may_be_empty).map(|()| schema))
            .map_err(|error| LoadProblem::Schema("output", error))?;
        let relations = contract::held(&contract.relations, &input, &output).map_err(LoadProblem::Relation)?;
        let stricter = source.stricter_output.map(|over| stricter(over, &output)).transpose()?;
        let grants = Grants::turn(&contract.capabilities, &source.directories).map_err(LoadProblem::Grant)?;
        audit_imports(&anatomy.imports, &grants)?;
        let declared = contract.effects == DeclaredEffects::Write || grants.can_write();
        let writes = source.effects.map_or(declared, |operator| operator == DeclaredEffects::Write);
        if source.remember && writes {
            return Err(LoadProblem::RememberedWrite);
        }
        let limits = Limits::effective(&contract.limits, &settings);
        self.engine.tick_for(limits.time);
        Ok(Tool {
            writes,
            remember: source.remember,
            limits,
            contract,
            input: Arc::new(input),
            output: Arc::new(output),
            stricter,
            relations,
            raw_results: source.raw_results,
            code,
            grants,
            file: source.file,
            size: anatomy.size,
            digest: anatomy.digest,
            packed: !anatomy.contract_sections.is_empty(),
            imports: anatomy.imports,
        })
    }

    /// The contract of a component as it says it itself, for a packer or a check; grants do not matter here.
    pub(crate) async fn ask_contract(&self, file: &str, bytes: &[u8]) -> Result<String, LoadError> {
        let error = |problem| LoadError { file: file.to_owned(), problem };
        let (_, code) = self.prepare(Cow::Owned(bytes.to_vec())).await.map_err(error)?;
        self.run_contract(&code).await.map_err(error)
    }

    /// Reads and compiles on a thread of its own: compiling takes tens of milliseconds and more.
    async fn prepare(&self, bytes: Cow<'static, [u8]>) -> Result<(Anatomy, Code), LoadProblem> {
        let loader = self.clone();
        let prepared = tokio::task::spawn_blocking(move || loader.prepare_now(&bytes)).await;
        prepared.unwrap_or_else(|panic| Err(LoadProblem::Compile(text::one_line(&panic.to_string(), 200))))
    }

    fn prepare_now(&self, bytes: &[u8]) -> Result<(Anatomy, Code), LoadProblem> {
        if Engine::detect_precompiled(bytes).is_some() {
            return Err(LoadProblem::Precompiled);
        }
        let anatomy = Anatomy::read(bytes).map_err(LoadProblem::NotComponent)?;
        if !anatomy.exports.iter().any(|name| name.starts_with(TOOL_INTERFACE)) {
            return Err(LoadProblem::NoTool);
        }
        // Before anything is compiled, and long before a guest is asked for its contract.
        let foreign = unknown_imports(&anatomy.imports);
        if !foreign.is_empty() {
            return Err(LoadProblem::Import(foreign));
        }
        let said = |error: wasmtime::Error| text::one_line(&format!("{error:#}"), 300);
        let component =
            Component::from_binary(self.engine.get(), bytes).map_err(|error| over_limit_or_not(said(error)))?;
        let pre = self.linker.instantiate_pre(&component).map_err(|error| LoadProblem::Import(vec![said(error)]))?;
        let uses = Uses::of(&anatomy.imports);
        let digest = anatomy.digest.as_str().into();
        match Code::new(self.engine.clone(), pre, digest, uses) {
            Ok(code) => Ok((anatomy, code)),
            Err(NotExported::Interface) => Err(LoadProblem::NoTool),
            Err(NotExported::Function(declared)) => Err(LoadProblem::OtherTool(declared)),
        }
    }

    async fn read_contract(&self, anatomy: &Anatomy, code: &Code) -> Result<String, LoadProblem> {
        match anatomy.contract_sections.as_slice() {
            [] => self.run_contract(code).await,
            [section] => String::from_utf8(section.clone())
                .map_err(|error| LoadProblem::Contract(ContractError::Unreadable(error.to_string()))),
            several => Err(LoadProblem::Sections(several.len())),
        }
    }

    /// Asks the guest, with nothing granted and a small budget.
    async fn run_contract(&self, code: &Code) -> Result<String, LoadProblem> {
        let limits = Limits::for_contract();
        let cancel = Cancel::never();
        let around = Around { clock: &self.clock, began: self.clock.now(), stores: &self.stores, cancel: &cancel };
        let (answer, spent) = cell::ask(code, &limits, &Grants::none(), around, Question::Contract).await;
        let last_words =
            spent.log_lines.last().map(|line| format!(" (it logged: {})", text::one_line(&line.text, 200)));
        answer.map_err(|stop| LoadProblem::NoContract(format!("{}{}", ending(&stop), last_words.unwrap_or_default())))
    }
}

/// Compiles what an operator lays over a tool's own output schema. A key that no result can have is a slip, and what it asks
/// for would be lost without a word.
fn stricter(over: StricterOutput, own: &Schema) -> Result<Arc<Schema>, LoadProblem> {
    let StricterOutput { file, text } = over;
    let compiled = Schema::over_another(&text).and_then(|schema| match schema.stranger_to(own) {
        Some(key) => Err(SchemaError::Stranger(text::one_line(key, 64))),
        None => Ok(Arc::new(schema)),
    });
    compiled.map_err(|problem| LoadProblem::Stricter { file, problem })
}

/// How a guest that was asked for its contract ended, as the rest of a sentence.
fn ending(stop: &Stop) -> String {
    match stop {
        Stop::Tool(failure) => failure.sentence(),
        Stop::TooBigToLift => "returned more than a contract may have".to_owned(),
        Stop::NoRoom => "found no free slot".to_owned(),
        Stop::Cancelled { began: _ } => "was cancelled".to_owned(),
        Stop::GrantGone(problem) | Stop::Internal(problem) => format!("failed in the host: {problem}"),
    }
}

/// The pool turns down at compile time what a call could never be given.
fn over_limit_or_not(said: String) -> LoadProblem {
    if ["exceeds the limit", "limit of", "exceeds the configured maximum"].iter().any(|part| said.contains(part)) {
        return LoadProblem::Limit(said);
    }
    LoadProblem::Compile(said)
}

/// An import's name without its version.
fn interface(import: &str) -> &str {
    import.split('@').next().unwrap_or(import)
}

/// The imports that no grant could ever allow.
fn unknown_imports(imports: &[String]) -> Vec<String> {
    let known = |name: &&str| INERT.contains(name) || SEEDED.contains(name) || FILESYSTEM.contains(name);
    imports.iter().filter(|import| !known(&interface(import))).cloned().collect()
}

/// Every import is inert or granted.
fn audit_imports(imports: &[String], grants: &Grants) -> Result<(), LoadProblem> {
    let mut refused = unknown_imports(imports);
    if grants.directories().is_empty() {
        refused.extend(imports.iter().filter(|import| FILESYSTEM.contains(&interface(import))).cloned());
    }
    if refused.is_empty() { Ok(()) } else { Err(LoadProblem::Import(refused)) }
}

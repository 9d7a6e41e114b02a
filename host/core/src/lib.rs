//! Toolgate runs third-party tools for LLM agents.
//!
//! A tool is a WebAssembly component that nobody has to trust. The host checks a model's call before the tool exists in
//! memory, runs it in a sandbox that it cannot leave or outlast, checks what came back, and answers every call id with
//! exactly one reply that the model can act on:
//!
//! ```text
//! wire ──▶ gate ──▶ registry ──▶ auth ──▶ dispatch ──▶ sandbox ──▶ check ──▶ reply ──▶ wire
//! ```
//!
//! [`Host`] is the line. [`Host::answer`] takes a provider's message ([`Turn`]) to the next one, [`Host::call`] answers one
//! call, and a [`Session`] is one conversation on it. [`Host::for_caller`] is the line as one caller sees it. `docs/ARCHITECTURE.md` shows the whole.

mod amendment;
mod anatomy;
mod attempt;
mod auth;
mod call;
mod call_log;
mod cancel;
mod check;
mod clock;
mod config;
mod contract;
mod declare;
mod digest;
mod dispatch;
mod engine;
mod field_path;
mod gate;
mod histogram;
mod host;
mod json;
mod load;
mod near;
mod refusal;
mod registry;
mod repair;
mod reply;
mod report;
mod sandbox;
mod schema;
mod session;
mod span;
mod stats;
mod text;
mod tool;
mod turn;
mod units;
mod usage;
mod wire;

pub use crate::amendment::{Amendment, Coercion};
pub use crate::anatomy::{Anatomy, MAX_FILE, NotComponent, with_contract};
pub use crate::attempt::{Attempt, Change};
pub use crate::auth::{AuthError, CallerSettings, Denial, RuleSettings, UnknownCaller};
pub use crate::call::{Arguments, RawCall};
pub use crate::call_log::{
    Asked, CALL_LOG_VERSION, CallRecord, Ended, Keep, MAX_LOGGED_ARGUMENTS, NotRecord, Occasion, RepairRecord, Slip,
    StageTimes, ValueKind,
};
pub use crate::check::{BrokenRelation, Checked, Promise, ResultFailure};
pub use crate::clock::{Clock, SystemClock};
pub use crate::config::{Config, ConfigError, DirectoryEntry, ToolEntry};
pub use crate::contract::{
    Access, AskedDirectory, AskedLimits, Capabilities, Contract, ContractError, DeclaredEffects, MAX_CONTRACT,
    Relation, RelationError, Tie, ToolName,
};
pub use crate::declare::{Declarations, DeclaredTool, Loss, Mode, NotStrict, Provider, Warning, documentation};
pub use crate::dispatch::{MAX_WAIT, MAX_WAITING};
pub use crate::engine::{Allocation, MAX_CALLS, MAX_MEMORY, TICK};
pub use crate::field_path::{FieldPath, Segment};
pub use crate::gate::{
    CallRejection, DEFAULT_ARGUMENTS, DEFAULT_DEPTH, GateLimits, GateSettings, MAX_ARGUMENTS, MAX_DEPTH,
};
pub use crate::histogram::Histogram;
pub use crate::host::{BuildError, Host, HostBuilder, contract_of};
pub use crate::json::{MAX_NODES, MAX_NUMBER, MAX_STRING};
pub use crate::load::{LoadError, LoadProblem, StricterOutput, ToolSource};
pub use crate::refusal::{CallCap, Code, Failure, FixableBy, HostFailure, RanBefore, Rejection, Rule};
pub use crate::registry::{RegistryRejection, UnknownTool};
pub use crate::repair::RepairError;
pub use crate::repair::settings::{
    DEFAULT_ATTEMPTS, DEFAULT_REPAIR_TIME, DEFAULT_WAIT, MAX_ATTEMPTS, MAX_REPAIR_RULES, MAX_REPAIR_TIME, RepairRule,
    RepairSettings, Retry, SetArgument, SetTo, Source, SwitchTool,
};
pub use crate::reply::{Effects, MachineAttempt, MachineReply, Origin, Reply, Verdict};
pub use crate::report::{
    Bound, BoundRow, CodeRow, DamagedLine, Ends, Episodes, Finding, Lines, LookAt, MAX_LOG_LINE, Recovery, RepairRow,
    Report, SlipRow, Slips, StageRow, ToolRow,
};
pub use crate::sandbox::budget::{
    DEFAULT_FUEL, DEFAULT_LOG, DEFAULT_MEMORY, DEFAULT_OUTPUT, DEFAULT_RESULT, DEFAULT_TIME, HOST_CALL_FUEL,
    LimitSettings, Limits, MAX_FUEL, MAX_HOST_CALLS, MAX_RESULT, MAX_TIME,
};
pub use crate::sandbox::grants::{DirectoryGrant, GrantError, Grants};
pub use crate::sandbox::guest_state::LogLine;
pub use crate::sandbox::output::{Channel, OutputLine};
pub use crate::sandbox::stop::{GuestText, Scarce, ToolFailure};
pub use crate::schema::{Keyword, Misfit, Schema, SchemaError, Violation, Wants};
pub use crate::session::settings::{
    DEFAULT_CALLS_PER_SESSION, DEFAULT_CALLS_PER_TURN, DEFAULT_MEMORY_AGE, DEFAULT_MEMORY_OF_READS, DEFAULT_REFUSALS,
    DEFAULT_REPEATS, MAX_CALLS_PER_SESSION, MAX_MEMORY_AGE, MAX_MEMORY_OF_READS, REPEAT_WINDOW, SessionLimits,
    SessionSettings,
};
pub use crate::session::stop::{Stop, StopReason};
pub use crate::session::{MAX_SESSION, Session, SessionError};
pub use crate::stats::{StageStats, Stats, ToolStats};
pub use crate::text::{clean, escape_in_json, one_line};
pub use crate::tool::Tool;
pub use crate::turn::Answer;
pub use crate::units::{ByteCount, Depth};
pub use crate::usage::{Phase, Stage, Steps, Times, Usage};
pub use crate::wire::{Dialect, MAX_CALLS_IN_MESSAGE, MAX_MESSAGE, Turn, TurnError, UnknownDialect};

/// The strict reader by itself, for tests and fuzzers that hold it against others. Not part of the API.
#[doc(hidden)]
pub mod oracle;

/// The runtime profile guests run under, for benchmarks that hold a host against the bare runtime. Not part of the API.
#[doc(hidden)]
pub mod bench {
    pub use crate::engine::{pool, profile};
}

//! Stop: why a guest did not come to an answer, in our words.
//!
//! The only file that reads what the runtime reports of a run (what it says at load is for `load`), in the order: flags we own, typed errors, message text. The texts are
//! pinned by tests against this version of wasmtime; what is not known is a trap.

use std::time::Duration;

use wasmtime::component::ResourceTableError;
use wasmtime::{PoolConcurrencyLimitError, Trap, WasmBacktrace, WasmtimeBug};
use wasmtime_wasi::I32Exit;

use super::bindings::exports::toolgate::tool::tool::Failure as SaidNo;
use super::budget::{HOST_CALL, MAX_HOST_CALLS};
use super::guest_state::{MAX_HANDLES, MAX_RANDOM};
use crate::text;
use crate::units::ByteCount;

/// Most characters of a tool's own failure text that are handed on; the whole reply stays under 1 KiB.
const MAX_SAID: usize = 500;

/// Text a guest wrote, cleaned and cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestText {
    text: String,
    n_sanitised: usize,
}

impl GuestText {
    fn new(said: &str) -> Self {
        let said = said.trim();
        let head = said.char_indices().nth(MAX_SAID).and_then(|(end, _)| said.get(..end)).unwrap_or(said);
        Self { text: text::one_line(said, MAX_SAID), n_sanitised: text::clean(head).1 }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How many control or invisible characters were made visible.
    pub const fn n_sanitised(&self) -> usize {
        self.n_sanitised
    }
}

/// What a guest can run out of that takes room in its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scarce {
    /// Bytes of all its memories and tables.
    Memory(ByteCount),
    /// Memories, tables or instances of one component.
    Parts,
    /// Resources it holds at once: streams, files, timers, and those it makes itself.
    Handles(usize),
    /// Bytes it passes to the host in one call.
    HostCall(ByteCount),
    /// Random bytes of one request.
    Random(ByteCount),
}

/// Why a tool gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolFailure {
    /// It spent all its fuel.
    OutOfFuel {
        /// What it had.
        fuel: u64,
    },
    /// It asked more of its host than any call may.
    TooManyHostCalls {
        /// How often it may.
        max: u64,
    },
    /// It ran or waited past its deadline.
    OutOfTime {
        /// The deadline.
        after: Duration,
    },
    /// It wanted more memory, tables or handles than it is given.
    OutOfMemory {
        /// Of what, and how much it may have.
        of: Scarce,
    },
    /// It recursed past its stack.
    OutOfStack,
    /// It broke a rule of the machine or of the interface.
    Trapped {
        /// Which, in the runtime's words.
        kind: String,
    },
    /// It ended the program instead of answering.
    Exited {
        /// The status it gave.
        status: i32,
    },
    /// It says that what was asked for does not exist.
    NotFound(GuestText),
    /// It says that a rule of its world forbids the request.
    SaidNo(GuestText),
    /// It says that something it needs is not there now.
    Unavailable(GuestText),
    /// It says that it failed.
    Failed(GuestText),
}

impl ToolFailure {
    /// The tool's own words.
    pub(crate) const fn said(&self) -> Option<&GuestText> {
        match self {
            Self::NotFound(said) | Self::SaidNo(said) | Self::Unavailable(said) | Self::Failed(said) => Some(said),
            Self::OutOfFuel { fuel: _ }
            | Self::TooManyHostCalls { max: _ }
            | Self::OutOfTime { after: _ }
            | Self::OutOfMemory { of: _ }
            | Self::OutOfStack
            | Self::Trapped { kind: _ }
            | Self::Exited { status: _ } => None,
        }
    }

    /// Whether the tool came to its end and said so itself.
    pub(crate) const fn is_said_by_the_tool(&self) -> bool {
        self.said().is_some()
    }
}

/// How a run ended that brought no result text.
#[derive(Debug)]
pub(crate) enum Stop {
    /// For one of the reasons above.
    Tool(ToolFailure),
    /// The result was larger than what one lift out of a guest may move.
    TooBigToLift,
    /// No slot was free in the pool.
    NoRoom,
    /// Its caller did not want the answer any more.
    Cancelled {
        /// Whether the guest had begun by then.
        began: bool,
    },
    /// A granted directory is not there any more; the text is for the operator.
    GrantGone(String),
    /// A bug of the runtime or of this host.
    Internal(String),
}

/// What is known beside the error.
pub(crate) struct Circumstances {
    pub(crate) fuel: u64,
    pub(crate) time: Duration,
    pub(crate) memory: ByteCount,
    /// The limiter turned a growth down.
    pub(crate) memory_refused: bool,
    /// The host turned down any further call into it.
    pub(crate) host_calls_refused: bool,
}

impl From<SaidNo> for ToolFailure {
    fn from(said: SaidNo) -> Self {
        match said {
            SaidNo::NotFound(text) => Self::NotFound(GuestText::new(&text)),
            SaidNo::Refused(text) => Self::SaidNo(GuestText::new(&text)),
            SaidNo::Unavailable(text) => Self::Unavailable(GuestText::new(&text)),
            SaidNo::Failed(text) => Self::Failed(GuestText::new(&text)),
        }
    }
}

/// Gives a name to what the runtime reports.
pub(crate) fn classify(error: &wasmtime::Error, known: &Circumstances) -> Stop {
    let trap = error.downcast_ref::<Trap>();
    if known.host_calls_refused && trap == Some(&Trap::OutOfFuel) {
        return Stop::Tool(ToolFailure::TooManyHostCalls { max: MAX_HOST_CALLS });
    }
    if error.is::<WasmtimeBug>() {
        return Stop::Internal(text::one_line(&error.root_cause().to_string(), 300));
    }
    match trap {
        Some(Trap::OutOfFuel) => return Stop::Tool(ToolFailure::OutOfFuel { fuel: known.fuel }),
        Some(Trap::Interrupt) => return Stop::Tool(ToolFailure::OutOfTime { after: known.time }),
        Some(Trap::StackOverflow) => return Stop::Tool(ToolFailure::OutOfStack),
        // The guest sees a growth that failed and dies of something else; the runtime does not tell (wasmtime#3772).
        _ if known.memory_refused => return out_of(Scarce::Memory(known.memory)),
        Some(trap) => return Stop::Tool(ToolFailure::Trapped { kind: format!("{trap}") }),
        None => {}
    }
    if let Some(I32Exit(status)) = error.downcast_ref::<I32Exit>() {
        return Stop::Tool(ToolFailure::Exited { status: *status });
    }
    if error.downcast_ref::<PoolConcurrencyLimitError>().is_some() {
        return Stop::NoRoom;
    }
    if let Some(ResourceTableError::Full) = error.downcast_ref::<ResourceTableError>() {
        return out_of(Scarce::Handles(MAX_HANDLES));
    }
    by_message(error)
}

const fn out_of(of: Scarce) -> Stop {
    Stop::Tool(ToolFailure::OutOfMemory { of })
}

/// The rest has no public type. What is in none of these rows breaks the interface: a pointer past the end of memory, text
/// that is no Unicode, a case that no variant has.
fn by_message(error: &wasmtime::Error) -> Stop {
    let said = error.root_cause().to_string();
    if said.contains("fuel allocated for hostcalls has been exhausted") {
        // A guest that passes too much to the host is on the stack then; one whose result is lifted has returned.
        let in_guest = error.downcast_ref::<WasmBacktrace>().is_some();
        return if in_guest { out_of(Scarce::HostCall(HOST_CALL)) } else { Stop::TooBigToLift };
    }
    if said.starts_with("cannot allocate another handle") || said.ends_with("handle limit exceeded") {
        return out_of(Scarce::Handles(MAX_HANDLES));
    }
    // No memory, or no descriptor, of the host's system: what a guest asks for itself it is told of as an errno of its own.
    if ["(os error 12)", "(os error 23)", "(os error 24)"].iter().any(|errno| said.ends_with(errno)) {
        return Stop::NoRoom;
    }
    if said.starts_with("requested len") {
        return out_of(Scarce::Random(MAX_RANDOM));
    }
    if said.starts_with("resource limit exceeded") {
        return out_of(Scarce::Parts);
    }
    Stop::Tool(ToolFailure::Trapped { kind: format!("abi: {}", text::one_line(&said, 120)) })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wasmtime::{
        Config, Engine, Instance, InstanceAllocationStrategy, Module, PoolingAllocationConfig, Store, Trap,
    };
    use wasmtime_wasi::I32Exit;

    use super::{Circumstances, Scarce, Stop, ToolFailure, classify};
    use crate::units::ByteCount;

    const KNOWN: Circumstances = Circumstances {
        fuel: 7,
        time: Duration::from_secs(1),
        memory: ByteCount::kib(1),
        memory_refused: false,
        host_calls_refused: false,
    };

    fn failure(error: wasmtime::Error, known: &Circumstances) -> ToolFailure {
        match classify(&error, known) {
            Stop::Tool(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_only_we_can_know_goes_before_what_the_runtime_says() {
        let refused = Circumstances { memory_refused: true, ..KNOWN };
        let memory = ToolFailure::OutOfMemory { of: Scarce::Memory(KNOWN.memory) };
        for error in [Trap::UnreachableCodeReached.into(), I32Exit(1).into(), wasmtime::Error::msg("anything")] {
            assert_eq!(failure(error, &refused), memory);
        }
        // What ends a guest by its own name does so, refused or not.
        assert_eq!(failure(Trap::OutOfFuel.into(), &refused), ToolFailure::OutOfFuel { fuel: 7 });
        assert_eq!(failure(Trap::StackOverflow.into(), &refused), ToolFailure::OutOfStack);
        let calls = Circumstances { host_calls_refused: true, ..KNOWN };
        assert!(matches!(failure(Trap::OutOfFuel.into(), &calls), ToolFailure::TooManyHostCalls { max: _ }));
    }

    #[test]
    fn what_is_known_by_no_row_is_a_trap() {
        let failure = failure(wasmtime::Error::msg("something\nnew"), &KNOWN);
        assert_eq!(failure, ToolFailure::Trapped { kind: "abi: something\\nnew".into() });
    }

    #[test]
    fn a_system_without_descriptors_or_memory_is_no_fault_of_the_tool() {
        for errno in [12, 23, 24] {
            let gone = wasmtime::Error::from(std::io::Error::from_raw_os_error(errno)).context("making its memory");
            assert!(matches!(classify(&gone, &KNOWN), Stop::NoRoom), "{gone:?}");
        }
        let other = wasmtime::Error::from(std::io::Error::from_raw_os_error(2));
        assert!(matches!(classify(&other, &KNOWN), Stop::Tool(_)));
    }

    #[test]
    fn a_pool_that_is_full_is_no_fault_of_the_tool() {
        let mut pool = PoolingAllocationConfig::new();
        pool.total_core_instances(1);
        let mut config = Config::new();
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config).expect("builds");
        let module = Module::from_binary(&engine, b"\0asm\x01\0\0\0").expect("compiles");
        let (mut one, mut other) = (Store::new(&engine, ()), Store::new(&engine, ()));
        Instance::new(&mut one, &module, &[]).expect("has its slot");
        let full = Instance::new(&mut other, &module, &[]).expect_err("there is no second one");
        assert!(matches!(classify(&full, &KNOWN), Stop::NoRoom));
    }
}

//! Engine: the one place where the runtime's knobs are set, each with its reason, and the ticker that makes guests yield.
//!
//! Guest memory never goes to a file either: wasmtime's `coredump` feature is not built in.
//! Used by `load` and `sandbox`, imports neither. The reasons cite wasmtime's documentation and advisories (GHSA).

mod kept;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OperatorCost, OptLevel, PoolingAllocationConfig, Strategy,
    VariableOperatorCost, WasmBacktraceDetails,
};

use crate::units::ByteCount;

/// How often a running guest looks up, where no tool has so little time that it has to be more often. A good call beside
/// spinning ones waits for at most two ticks of each, and a deadline is kept to the tick; a shorter one costs wake-ups on an
/// idle host.
pub const TICK: Duration = Duration::from_millis(5);

/// The shortest tick, for tools with less than ten milliseconds and for crowds: more wake-ups than this would be felt by
/// everybody else.
const SHORTEST_TICK: Duration = Duration::from_millis(1);

/// So many guests at once make a tick half as long, twice as many a third: who waits for its turn waits for a slice of each of
/// the others, and a deadline is looked at when a guest has its turn.
const CROWD: u64 = 8;

/// Most calls at once. The pool reserves address space for each of them at start, memory only while they run.
pub const MAX_CALLS: usize = 64;

/// Size of a slot in the pool of linear memories, and so the most memory a call can be given.
pub const MAX_MEMORY: ByteCount = ByteCount::mib(1024);

/// Most memories of one call: what the largest known toolchain makes (three) and one.
pub(crate) const MEMORIES: usize = 4;
/// Most tables of one call.
pub(crate) const TABLES: usize = 8;
/// Most core instances of one call: what the largest known toolchain makes (38, for CPython) and some. A component of a
/// thousand would take the slots of all the others.
pub(crate) const INSTANCES: usize = 48;

/// Stack of WebAssembly code. A guest that recurses traps here; the rest of the fibre's stack is left to host functions,
/// and an overflow there would abort the process.
const WASM_STACK: usize = 512 << 10;

/// Stack of the fibre a call runs on: 1.5 MiB for host code above the guest's.
const FIBRE_STACK: usize = 2 << 20;

/// Bytes of each slot that stay mapped between calls and are zeroed by hand, instead of being given back and faulted in
/// again: page faults and `madvise` are most of a small call's cost. Of the fibre's stack a small call touches two or three
/// pages, and every byte that is kept is zeroed after each call.
const MEMORY_KEPT: usize = 256 << 10;
const TABLE_KEPT: usize = 16 << 10;
const STACK_KEPT: usize = 16 << 10;

/// Bytes of address space behind a memory that is made on demand, before it has to move to grow: as many as a call gets by
/// default. More than that is reserved for every live call; less than four gibibytes costs a bounds check per access.
const RESERVED: u64 = 64 << 20;

/// Where a call's memories, tables and stack come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Allocation {
    /// From a pool whose address space (terabytes, not memory) is reserved at start: the fastest call.
    #[default]
    Pooling,
    /// From the system, when a call begins: for few calls, or where address space is short, as under `ulimit -v`.
    OnDemand,
}

/// The compiler and runtime every tool of a host shares. Cheap to clone.
#[derive(Clone)]
pub(crate) struct HostEngine {
    engine: Engine,
    /// Microseconds between two ticks.
    tick: Arc<AtomicU64>,
}

impl std::fmt::Debug for HostEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostEngine").finish_non_exhaustive()
    }
}

impl HostEngine {
    /// Builds the engine, makes sure that it keeps to the profile, and starts its ticker, which asks how many guests there are
    /// and ends by itself when the last clone is gone.
    ///
    /// # Errors
    /// A profile that this platform does not support or does not keep, or no thread for the ticker.
    pub(crate) fn new(allocation: Allocation, n_guests: impl Fn() -> u64 + Send + 'static) -> wasmtime::Result<Self> {
        let engine = Engine::new(&profile(allocation))?;
        if let Some(knob) = kept::first_loosened(&engine, allocation) {
            wasmtime::bail!("the runtime does not keep to the profile: `{knob}` is not as the sandbox needs it");
        }
        let tick = Arc::new(AtomicU64::new(micros(TICK)));
        start_ticker(&engine, Arc::clone(&tick), n_guests)?;
        Ok(Self { engine, tick })
    }

    /// Makes ticks short enough for a guest with so much time: a tenth of it, between [`SHORTEST_TICK`] and [`TICK`].
    pub(crate) fn tick_for(&self, time: Duration) {
        let tenth = time.checked_div(10).unwrap_or_default();
        self.tick.fetch_min(micros(tenth.clamp(SHORTEST_TICK, TICK)), Ordering::Relaxed);
    }

    pub(crate) const fn get(&self) -> &Engine {
        &self.engine
    }
}

/// Turns the epoch over for as long as somebody holds the engine.
fn start_ticker(
    engine: &Engine,
    tick: Arc<AtomicU64>,
    n_guests: impl Fn() -> u64 + Send + 'static,
) -> std::io::Result<()> {
    let weak = engine.weak();
    let turn_over = move || {
        while let Some(engine) = weak.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(tick_among(n_guests(), tick.load(Ordering::Relaxed)));
        }
    };
    thread::Builder::new().name("toolgate-ticker".into()).spawn(turn_over).map(drop)
}

/// A tick of so many microseconds, among so many guests.
fn tick_among(n_guests: u64, tick: u64) -> Duration {
    let parts = n_guests.checked_div(CROWD).unwrap_or_default().saturating_add(1);
    Duration::from_micros(tick.checked_div(parts).unwrap_or_default()).max(SHORTEST_TICK)
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The hardened profile. What defaults to the wanted value is pinned, so that an upgrade cannot turn it.
pub fn profile(allocation: Allocation) -> Config {
    let mut config = Config::new();
    // Cranelift, optimising for speed: Winch has no epochs.
    config.strategy(Strategy::Cranelift).cranelift_opt_level(OptLevel::Speed);
    // Work is bounded by a count that is the same on every machine, time by the ticker; neither alone is enough.
    config.consume_fuel(true).operator_cost(operator_cost()).epoch_interruption(true);
    // The same bits for the same NaN on every machine: a pure tool's answer must not depend on the processor.
    config.cranelift_nan_canonicalization(true);
    config.wasm_relaxed_simd(false).relaxed_simd_deterministic(true);
    // Component-model async and its tables (on by default since 46): GHSA-32h6, GHSA-xrvr. Its APIs panic from here on.
    config.concurrency_support(false);
    // The garbage collector and what needs it (on by default since 47): guests could abort the host, GHSA-43j2, GHSA-wvgq.
    config.gc_support(false).wasm_gc(false).wasm_function_references(false).wasm_exceptions(false);
    // Shared memory is invisible to the limiter and its host API is unsound (RUSTSEC-2025-0118).
    config.wasm_threads(false).shared_memory(false);
    // Young or unneeded proposals.
    config.wasm_memory64(false).wasm_custom_page_sizes(false).wasm_wide_arithmetic(false).wasm_stack_switching(false);
    config.wasm_component_model_map(false).wasm_component_model_fixed_length_lists(false);
    config.wasm_component_model_implements(false);
    // A guest's recursion traps; a pooled stack never shows one call what the call before left on it.
    config.max_wasm_stack(WASM_STACK).async_stack_size(FIBRE_STACK).async_stack_zeroing(true);
    // Frames tell a host-call refusal from a result that was too big to lift; no debug information is kept for them.
    config.wasm_backtrace_max_frames(std::num::NonZeroUsize::new(8));
    config.wasm_backtrace_details(WasmBacktraceDetails::Disable).debug_info(false);
    match allocation {
        Allocation::Pooling => config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool())),
        // Guards stay; a memory that outgrows its reservation moves to a larger one.
        Allocation::OnDemand => config
            .allocation_strategy(InstanceAllocationStrategy::OnDemand)
            .memory_reservation(RESERVED)
            .memory_reservation_for_growth(RESERVED),
    };
    config
}

/// Fuel per instruction: one for nearly all, and for those that do the work of many, one more for each byte or element that
/// they move. A page of memory costs as much as the runtime can charge for one, since making it is the work of thousands of
/// instructions; by default it would be free (as all of these were, GHSA-j366).
fn operator_cost() -> OperatorCost {
    let variable = VariableOperatorCost {
        memory_copy_per_byte: 1,
        memory_fill_per_byte: 1,
        memory_init_per_byte: 1,
        memory_grow_per_page: u8::MAX,
        table_copy_per_element: 1,
        table_fill_per_element: 1,
        table_init_per_element: 1,
        table_grow_per_element: 1,
        // What is left is the garbage collector's, which is off.
        ..VariableOperatorCost::new()
    };
    OperatorCost { variable, ..OperatorCost::new() }
}

/// Room for [`MAX_CALLS`] calls of the largest component; three of these limits are unlimited by default.
pub fn pool() -> PoolingAllocationConfig {
    let per_call = |n: usize| small(MAX_CALLS.saturating_mul(n));
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(small(MAX_CALLS))
        .total_stacks(small(MAX_CALLS))
        .total_core_instances(per_call(INSTANCES))
        .total_memories(per_call(MEMORIES))
        .total_tables(per_call(TABLES))
        .max_core_instances_per_component(small(INSTANCES))
        .max_memories_per_component(small(MEMORIES))
        .max_tables_per_component(small(TABLES))
        .max_memory_size(MAX_MEMORY.as_usize())
        .linear_memory_keep_resident(MEMORY_KEPT)
        .table_keep_resident(TABLE_KEPT)
        .async_stack_keep_resident(STACK_KEPT)
        // Where the kernel can tell which pages a call has touched, only those are zeroed.
        .pagemap_scan(Enabled::Auto);
    pool
}

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    use wasm_encoder::MemoryType;

    use super::{Allocation, HostEngine, TICK};

    /// A module with one memory of this type.
    fn with_memory(memory64: bool, shared: bool) -> Vec<u8> {
        let mut memories = wasm_encoder::MemorySection::new();
        let memory = MemoryType { minimum: 1, maximum: Some(1), memory64, shared, page_size_log2: None };
        memories.memory(memory);
        let mut module = wasm_encoder::Module::new();
        module.section(&memories);
        module.finish()
    }

    #[test]
    fn the_profile_is_accepted_and_turns_risky_proposals_down() {
        let engine = HostEngine::new(Allocation::Pooling, || 0).expect("this platform supports the profile");
        let compiles = |module: Vec<u8>| wasmtime::Module::from_binary(engine.get(), &module).is_ok();
        assert!(compiles(with_memory(false, false)), "an ordinary memory");
        assert!(!compiles(with_memory(true, false)), "64-bit memories");
        assert!(!compiles(with_memory(false, true)), "shared memories");
        let mut types = wasm_encoder::TypeSection::new();
        types.ty().struct_([]);
        let mut module = wasm_encoder::Module::new();
        module.section(&types);
        assert!(!compiles(module.finish()), "garbage-collected types");
    }

    /// A module whose `run` does nothing.
    fn that_returns() -> Vec<u8> {
        use wasm_encoder::{CodeSection, ExportKind, ExportSection, Function, FunctionSection, Module, TypeSection};
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut functions = FunctionSection::new();
        functions.function(0);
        let mut exports = ExportSection::new();
        exports.export("run", ExportKind::Func, 0);
        let mut body = Function::new([]);
        body.instructions().end();
        let mut code = CodeSection::new();
        code.function(&body);
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&exports).section(&code);
        module.finish()
    }

    #[test]
    fn a_store_that_nobody_gave_a_budget_runs_nothing() {
        let engine = HostEngine::new(Allocation::Pooling, || 0).expect("builds");
        let module = wasmtime::Module::from_binary(engine.get(), &that_returns()).expect("compiles");
        for (fuel, ticks, trap) in [
            (None, Some(1_000), Some(wasmtime::Trap::OutOfFuel)),
            (Some(1_000), None, Some(wasmtime::Trap::Interrupt)),
            (Some(1_000), Some(1_000), None),
        ] {
            let mut store = wasmtime::Store::new(engine.get(), ());
            if let Some(fuel) = fuel {
                store.set_fuel(fuel).expect("fuel is on");
            }
            if let Some(ticks) = ticks {
                store.set_epoch_deadline(ticks);
            }
            let instance = wasmtime::Instance::new(&mut store, &module, &[]).expect("has no start function");
            let run = instance.get_typed_func::<(), ()>(&mut store, "run").expect("is there");
            let outcome = run.call(&mut store, ()).err().and_then(|error| error.downcast_ref().copied());
            assert_eq!(outcome, trap);
        }
    }

    #[test]
    fn ticks_are_a_tenth_of_the_least_time_that_a_tool_has_within_bounds() {
        let engine = HostEngine::new(Allocation::OnDemand, || 0).expect("builds");
        let ticks_for = |ms| {
            engine.tick_for(Duration::from_millis(ms));
            engine.tick.load(Ordering::Relaxed)
        };
        assert_eq!([5_000, 50, 30, 100, 1].map(ticks_for), [5_000, 5_000, 3_000, 3_000, 1_000]);
    }

    #[test]
    fn ticks_are_shorter_among_many_guests_within_bounds() {
        let among = |n_guests| super::tick_among(n_guests, 5_000).as_micros();
        assert_eq!([0, 7, 8, 16, 64, u64::MAX].map(among), [5_000, 5_000, 2_500, 1_666, 1_000, 1_000]);
    }

    #[test]
    fn the_ticker_ends_with_its_engine() {
        let engine = HostEngine::new(Allocation::Pooling, || 0).expect("builds");
        let weak = engine.get().weak();
        drop(engine);
        for _ in 0..2_000 {
            if weak.upgrade().is_none() {
                return;
            }
            std::thread::sleep(TICK);
        }
        panic!("the ticker still holds the engine");
    }
}

//! Kept: does the runtime really run under the profile?
//!
//! A knob that an upgrade renames, resolves otherwise or turns off where it is not supported would weaken the sandbox without
//! a word. So what the engine says of itself is held against what is wanted before any tool is loaded, and a host that would be
//! weaker does not start.

use wasmtime::{Engine, OptLevel, Strategy, WasmFeatures};

use super::{
    Allocation, FIBRE_STACK, INSTANCES, MAX_CALLS, MAX_MEMORY, MEMORIES, STACK_KEPT, TABLES, WASM_STACK, small,
};

/// All that guests may be written in. What the runtime takes beyond it, a new proposal for instance, is looked at first.
const FEATURES: WasmFeatures = WasmFeatures::WASM2
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::MULTI_MEMORY)
    .union(WasmFeatures::TAIL_CALL)
    .union(WasmFeatures::COMPONENT_MODEL)
    // The runtime counts its garbage collector among what every module may use.
    .difference(WasmFeatures::GC_TYPES);

/// The first knob that is not as the profile wants it, by the name that the runtime has for it.
pub(super) fn first_loosened(engine: &Engine, allocation: Allocation) -> Option<&'static str> {
    let beyond = engine.get_wasm_features().difference(FEATURES);
    if let Some((proposal, _)) = beyond.iter_names().next() {
        return Some(proposal);
    }
    // What cannot be loosened in this build (`strategy`, `concurrency_support`, `guest_debug`) can be where another crate of a
    // program turns features of the runtime on.
    let loosened = |knobs: &[(&'static str, bool)]| knobs.iter().find(|(_, kept)| !kept).map(|(knob, _)| *knob);
    loosened(&[
        ("consume_fuel", engine.get_consume_fuel()),
        ("epoch_interruption", engine.get_epoch_interruption()),
        ("strategy", matches!(engine.get_strategy(), Some(Strategy::Cranelift))),
        ("cranelift_opt_level", matches!(engine.get_cranelift_opt_level(), Some(OptLevel::Speed))),
        ("cranelift_nan_canonicalization", engine.get_cranelift_nan_canonicalization() == Some(true)),
        ("relaxed_simd_deterministic", engine.get_relaxed_simd_deterministic()),
        ("concurrency_support", !engine.get_concurrency_support()),
        ("shared_memory", !engine.get_shared_memory()),
        ("signals_based_traps", engine.get_signals_based_traps()),
        ("memory_guard_size", engine.get_memory_guard_size() > 0),
        ("guard_before_linear_memory", engine.get_guard_before_linear_memory()),
        ("max_wasm_stack", engine.get_max_wasm_stack() == WASM_STACK),
        ("async_stack_size", engine.get_async_stack_size() == FIBRE_STACK),
        ("async_stack_zeroing", engine.get_async_stack_zeroing()),
        ("debug_info", !engine.get_debug_info()),
        ("guest_debug", !engine.get_guest_debug()),
    ])
    .or_else(|| match (allocation, engine.get_pooling_config()) {
        (Allocation::OnDemand, None) => None,
        (Allocation::Pooling, Some(pool)) => loosened(&[
            ("total_component_instances", pool.get_total_component_instances() == small(MAX_CALLS)),
            ("total_stacks", pool.get_total_stacks() == small(MAX_CALLS)),
            ("max_core_instances_per_component", pool.get_max_core_instances_per_component() == small(INSTANCES)),
            ("max_memories_per_component", pool.get_max_memories_per_component() == small(MEMORIES)),
            ("max_tables_per_component", pool.get_max_tables_per_component() == small(TABLES)),
            ("max_memory_size", pool.get_max_memory_size() == MAX_MEMORY.as_usize()),
            ("async_stack_keep_resident", pool.get_async_stack_keep_resident() == STACK_KEPT),
        ]),
        (Allocation::OnDemand, Some(_)) | (Allocation::Pooling, None) => Some("allocation_strategy"),
    })
}

#[cfg(test)]
mod tests {
    use wasmtime::{Config, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig};

    use super::super::{Allocation, pool, profile};
    use super::first_loosened;

    /// What is said of an engine whose profile somebody changed like this.
    fn changed(allocation: Allocation, change: impl FnOnce(&mut Config) -> &mut Config) -> Option<&'static str> {
        let mut config = profile(allocation);
        change(&mut config);
        first_loosened(&Engine::new(&config).expect("this platform supports it"), allocation)
    }

    #[test]
    fn the_profile_is_kept() {
        assert_eq!(changed(Allocation::Pooling, |config| config), None);
        assert_eq!(changed(Allocation::OnDemand, |config| config), None);
    }

    #[test]
    fn every_knob_that_somebody_loosens_is_named() {
        type Change = fn(&mut Config) -> &mut Config;
        let changes: [(&str, Change); 22] = [
            ("GC_TYPES", |config| config.gc_support(true)),
            ("FUNCTION_REFERENCES", |config| config.gc_support(true).wasm_function_references(true)),
            ("STACK_SWITCHING", |config| config.wasm_stack_switching(true)),
            ("signals_based_traps", |config| config.signals_based_traps(false)),
            ("guard_before_linear_memory", |config| config.guard_before_linear_memory(false)),
            ("consume_fuel", |config| config.consume_fuel(false)),
            ("epoch_interruption", |config| config.epoch_interruption(false)),
            ("cranelift_opt_level", |config| config.cranelift_opt_level(OptLevel::None)),
            ("cranelift_nan_canonicalization", |config| config.cranelift_nan_canonicalization(false)),
            ("relaxed_simd_deterministic", |config| config.relaxed_simd_deterministic(false)),
            ("shared_memory", |config| config.shared_memory(true)),
            ("memory_guard_size", |config| config.memory_guard_size(0)),
            ("max_wasm_stack", |config| config.max_wasm_stack(1 << 20)),
            ("async_stack_size", |config| config.async_stack_size(1 << 20)),
            ("async_stack_zeroing", |config| config.async_stack_zeroing(false)),
            ("debug_info", |config| config.debug_info(true)),
            ("RELAXED_SIMD", |config| config.wasm_relaxed_simd(true)),
            ("THREADS", |config| config.wasm_threads(true)),
            ("MEMORY64", |config| config.wasm_memory64(true)),
            ("WIDE_ARITHMETIC", |config| config.wasm_wide_arithmetic(true)),
            ("CUSTOM_PAGE_SIZES", |config| config.wasm_custom_page_sizes(true)),
            ("allocation_strategy", |config| config.allocation_strategy(InstanceAllocationStrategy::OnDemand)),
        ];
        for (knob, change) in changes {
            assert_eq!(changed(Allocation::Pooling, change), Some(knob));
        }
        type ChangePool = fn(&mut PoolingAllocationConfig) -> &mut PoolingAllocationConfig;
        let changes: [(&str, ChangePool); 7] = [
            ("total_component_instances", |pool| pool.total_component_instances(1)),
            ("total_stacks", |pool| pool.total_stacks(1)),
            ("max_core_instances_per_component", |pool| pool.max_core_instances_per_component(u32::MAX)),
            ("max_memories_per_component", |pool| pool.max_memories_per_component(u32::MAX)),
            ("max_tables_per_component", |pool| pool.max_tables_per_component(u32::MAX)),
            ("max_memory_size", |pool| pool.max_memory_size(1 << 20)),
            ("async_stack_keep_resident", |pool| pool.async_stack_keep_resident(0)),
        ];
        for (knob, change) in changes {
            let mut pool = pool();
            change(&mut pool);
            let pool = InstanceAllocationStrategy::Pooling(pool);
            assert_eq!(changed(Allocation::Pooling, |config| config.allocation_strategy(pool)), Some(knob));
        }
        assert!(first_loosened(&Engine::default(), Allocation::OnDemand).is_some());
    }
}

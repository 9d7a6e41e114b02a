//! Raw: the bare runtime, as the measure for an accepted call.
//!
//! A fresh store and instance per call, no limiter, one typed export looked up by index. Does not parse the arguments or the
//! result and checks nothing: it is the least that an isolated call costs, not a rival. How others build a call stands in
//! `peers`.

mod bindings {
    //! What the component runtime generates from `wit/tool.wit`.
    #![expect(clippy::all, clippy::restriction, reason = "generated from the documented WIT")]

    wasmtime::component::bindgen!({
        path: "../wit",
        world: "guest",
        exports: { default: async },
    });
}

use std::thread;

use toolgate::Allocation;
use wasmtime::component::{Component, ComponentExportIndex, HasSelf, Instance, InstancePre, Linker};
use wasmtime::{Config, Engine, Error, Store};

use self::bindings::exports::toolgate::tool::tool::Failure;
pub(crate) use self::bindings::toolgate::tool::host;

/// Ticks until a guest is interrupted: the host's default time, in the host's ticks.
const DEADLINE: u64 = 1_000;

/// What a tool says: its text, or its failure.
pub(crate) type Answer = Result<String, Failure>;

/// Answers what any guest may import: a log that goes nowhere.
pub(crate) struct Log;

impl host::Host for Log {
    fn log(&mut self, _level: host::Level, _message: String) {}
}

/// The host's own engine, with the disturbance of a ticker of its own.
pub(crate) fn engine(config: &Config) -> wasmtime::Result<Engine> {
    let engine = Engine::new(config)?;
    start_ticker(&engine)?;
    Ok(engine)
}

/// The function of a tool that is called.
pub(crate) fn call_index(component: &Component) -> wasmtime::Result<ComponentExportIndex> {
    let tool =
        component.get_export_index(None, "toolgate:tool/tool@1.0.0").ok_or_else(|| Error::msg("it is no tool"))?;
    component.get_export_index(Some(&tool), "call").ok_or_else(|| Error::msg("it has no `call`"))
}

/// The budget of a call.
pub(crate) fn bound<T>(store: &mut Store<T>) -> wasmtime::Result<()> {
    store.set_fuel(toolgate::DEFAULT_FUEL)?;
    store.set_epoch_deadline(DEADLINE);
    Ok(())
}

/// Calls the function of an instance.
pub(crate) async fn ask<T: Send>(
    store: &mut Store<T>,
    instance: &Instance,
    call: ComponentExportIndex,
    arguments: &str,
) -> wasmtime::Result<Answer> {
    let call = instance.get_typed_func::<(&str,), (Answer,)>(&mut *store, call)?;
    let (answer,) = call.call_async(store, (arguments,)).await?;
    Ok(answer)
}

/// One component, compiled and linked.
pub(crate) struct RawTool {
    engine: Engine,
    instance: InstancePre<Log>,
    call: ComponentExportIndex,
    bounded: bool,
}

impl RawTool {
    /// With the engine profile of a host that allocates like this.
    pub(crate) fn new(bytes: &[u8], allocation: Allocation) -> wasmtime::Result<Self> {
        Self::with(bytes, &toolgate::bench::profile(allocation), true)
    }

    /// As fast as the runtime isolates a call at all: nothing is counted, interrupted, made deterministic or wiped, and the
    /// call needs no stack of its own.
    pub(crate) fn at_best(bytes: &[u8]) -> wasmtime::Result<Self> {
        let mut config = toolgate::bench::profile(Allocation::Pooling);
        config.consume_fuel(false).epoch_interruption(false).async_stack_zeroing(false);
        config.cranelift_nan_canonicalization(false);
        Self::with(bytes, &config, false)
    }

    /// With any profile.
    pub(crate) fn with(bytes: &[u8], config: &Config, bounded: bool) -> wasmtime::Result<Self> {
        let engine = engine(config)?;
        let component = Component::from_binary(&engine, bytes)?;
        let mut linker = Linker::new(&engine);
        host::add_to_linker::<_, HasSelf<_>>(&mut linker, |log| log)?;
        // A component that imports more is linked to nothing behind it, which is cheaper than what the host offers.
        linker.define_unknown_imports_as_traps(&component)?;
        let call = call_index(&component)?;
        Ok(Self { instance: linker.instantiate_pre(&component)?, engine, call, bounded })
    }

    /// One call.
    pub(crate) async fn call(&self, arguments: &str) -> wasmtime::Result<Answer> {
        let mut store = Store::new(&self.engine, Log);
        if !self.bounded {
            return self.call_at_once(store, arguments);
        }
        bound(&mut store)?;
        let instance = self.instance.instantiate_async(&mut store).await?;
        ask(&mut store, &instance, self.call, arguments).await
    }

    fn call_at_once(&self, mut store: Store<Log>, arguments: &str) -> wasmtime::Result<Answer> {
        let instance = self.instance.instantiate(&mut store)?;
        let call = instance.get_typed_func::<(&str,), (Answer,)>(&mut store, self.call)?;
        let (answer,) = call.call(&mut store, (arguments,))?;
        Ok(answer)
    }
}

/// The same disturbance as the host's own ticker.
fn start_ticker(engine: &Engine) -> std::io::Result<()> {
    let weak = engine.weak();
    let tick = move || {
        while let Some(engine) = weak.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(toolgate::TICK);
        }
    };
    thread::Builder::new().name("raw-ticker".into()).spawn(tick).map(drop)
}

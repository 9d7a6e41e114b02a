//! Raw: the bare runtime at its best, as the measure for an accepted call.
//!
//! The host's own engine profile, a fresh store and instance per call, fuel and an epoch deadline, no limiter, one typed
//! export looked up by index. Does not parse the arguments or the result and checks nothing: it is the least that an
//! isolated call costs, not a rival.

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

use wasmtime::component::{Component, ComponentExportIndex, HasSelf, InstancePre, Linker};
use wasmtime::{Engine, Error, Store};

use self::bindings::exports::toolgate::tool::tool::Failure;
use self::bindings::toolgate::tool::host;

/// Ticks until a guest is interrupted: the host's default time, in the host's ticks.
const DEADLINE: u64 = 1_000;

/// Answers what any guest may import: a log that goes nowhere.
struct Log;

impl host::Host for Log {
    fn log(&mut self, _level: host::Level, _message: String) {}
}

/// One component, compiled and linked.
pub(crate) struct RawTool {
    engine: Engine,
    instance: InstancePre<Log>,
    call: ComponentExportIndex,
}

impl RawTool {
    pub(crate) fn new(bytes: &[u8]) -> wasmtime::Result<Self> {
        let engine = Engine::new(&toolgate::bench::profile(toolgate::Allocation::Pooling))?;
        start_ticker(&engine)?;
        let component = Component::from_binary(&engine, bytes)?;
        let mut linker = Linker::new(&engine);
        host::add_to_linker::<_, HasSelf<_>>(&mut linker, |log| log)?;
        // A component that imports more is linked to nothing behind it, which is cheaper than what the host offers.
        linker.define_unknown_imports_as_traps(&component)?;
        let tool =
            component.get_export_index(None, "toolgate:tool/tool@1.0.0").ok_or_else(|| Error::msg("it is no tool"))?;
        let call = component.get_export_index(Some(&tool), "call").ok_or_else(|| Error::msg("it has no `call`"))?;
        let instance = linker.instantiate_pre(&component)?;
        Ok(Self { engine, instance, call })
    }

    /// One call: the tool's text, or its failure.
    pub(crate) async fn call(&self, arguments: &str) -> wasmtime::Result<Result<String, Failure>> {
        let mut store = Store::new(&self.engine, Log);
        store.set_fuel(toolgate::DEFAULT_FUEL)?;
        store.set_epoch_deadline(DEADLINE);
        let instance = self.instance.instantiate_async(&mut store).await?;
        let call = instance.get_typed_func::<(&str,), (Result<String, Failure>,)>(&mut store, self.call)?;
        let (answer,) = call.call_async(&mut store, (arguments,)).await?;
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

//! Guest state: what one call's store holds beside the guest itself, and what the host answers when the guest calls it.
//!
//! Inert unless granted: empty environment, closed stdin, output that goes nowhere, a clock that stands still and the same
//! random sequence for every call.

use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::StdRng;
use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::bindings::toolgate::tool::host;
use super::budget::{Limits, MemoryCount};
use super::grants::{GrantError, Grants};
use crate::text;
use crate::units::ByteCount;

/// Most resources a guest may hold (streams, descriptors); the default of a million is a memory bomb.
pub(crate) const MAX_HANDLES: usize = 2_000;

/// Most random bytes of one request; the default of 64 MiB is host memory a guest gets for nothing.
const MAX_RANDOM: u64 = 64 << 10;

/// Seed of every call's randomness: a pure tool gives the same answer to the same call. Its value means nothing.
const SEED: u64 = 0x7467_0001;

/// What the virtual wall clock says: the start of 2000. A year that no certificate, cookie or log takes for real.
const VIRTUAL_NOW: Duration = Duration::from_secs(946_684_800);

/// One line a guest wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// `debug`, `info`, `warn` or `error`.
    pub level: &'static str,
    /// The text, cleaned.
    pub text: String,
}

/// What a guest wrote, up to its limit.
#[derive(Debug)]
pub(crate) struct Log {
    room: u64,
    pub(crate) kept: ByteCount,
    pub(crate) dropped: ByteCount,
    pub(crate) lines: Vec<LogLine>,
}

impl Log {
    fn write(&mut self, level: &'static str, message: &str) {
        // A line costs its bytes and one more, so that a flood of empty lines is bounded too.
        let size = ByteCount::of(message.as_bytes()).get().saturating_add(1);
        let Some(room) = self.room.checked_sub(size) else {
            self.dropped = ByteCount::new(self.dropped.get().saturating_add(size));
            return;
        };
        self.room = room;
        self.kept = ByteCount::new(self.kept.get().saturating_add(size));
        self.lines.push(LogLine { level, text: text::one_line(message, usize::MAX) });
    }
}

/// The host's side of WASI for one call.
struct Wasi {
    context: WasiCtx,
    table: ResourceTable,
}

/// The data of one store.
pub(crate) struct GuestState {
    pub(crate) memory: MemoryCount,
    pub(crate) log: Log,
    wasi: Option<Box<Wasi>>,
}

impl GuestState {
    /// State without WASI, for a component that imports none: nothing is built that nobody can call.
    pub(crate) fn bare(limits: &Limits) -> Self {
        let log = Log {
            room: limits.log.get(),
            kept: ByteCount::default(),
            dropped: ByteCount::default(),
            lines: Vec::new(),
        };
        Self { memory: MemoryCount::new(limits.memory), log, wasi: None }
    }

    /// State with WASI, inert but for the grants.
    ///
    /// # Errors
    /// A granted directory that cannot be opened any more.
    pub(crate) fn with_wasi(limits: &Limits, grants: &Grants) -> Result<Self, GrantError> {
        Ok(Self { wasi: Some(Box::new(Wasi::new(grants)?)), ..Self::bare(limits) })
    }
}

impl Wasi {
    fn new(grants: &Grants) -> Result<Self, GrantError> {
        let mut builder = inert();
        grants.open(&mut builder)?;
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_HANDLES);
        Ok(Self { context: builder.build(), table })
    }
}

/// The builder's defaults are the host's clocks and randomness; all of them are replaced.
fn inert() -> WasiCtxBuilder {
    let mut builder = WasiCtxBuilder::new();
    builder
        .wall_clock(VirtualClock)
        .monotonic_clock(VirtualClock)
        .secure_random(StdRng::seed_from_u64(SEED))
        .insecure_random(StdRng::seed_from_u64(SEED))
        .insecure_random_seed(u128::from(SEED))
        .max_random_size(MAX_RANDOM);
    builder
}

/// A clock that stands still: a guest cannot time the host.
struct VirtualClock;

impl HostWallClock for VirtualClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        VIRTUAL_NOW
    }
}

impl HostMonotonicClock for VirtualClock {
    fn resolution(&self) -> u64 {
        1_000_000_000
    }

    fn now(&self) -> u64 {
        0
    }
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        // Only components that import WASI call this, and their state was made with it; inert, were it ever not so.
        let wasi =
            self.wasi.get_or_insert_with(|| Box::new(Wasi { context: inert().build(), table: ResourceTable::new() }));
        WasiCtxView { ctx: &mut wasi.context, table: &mut wasi.table }
    }
}

impl host::Host for GuestState {
    fn log(&mut self, level: host::Level, message: String) {
        let level = match level {
            host::Level::Debug => "debug",
            host::Level::Info => "info",
            host::Level::Warn => "warn",
            host::Level::Error => "error",
        };
        self.log.write(level, &message);
    }
}

/// Everything a guest can be linked to. What a tool may import of it is audited at load.
///
/// # Errors
/// Two interfaces of one name, which would be a bug of this host.
pub(crate) fn linker(engine: &wasmtime::Engine) -> wasmtime::Result<Linker<GuestState>> {
    let mut linker = Linker::new(engine);
    host::add_to_linker::<_, HasSelf<_>>(&mut linker, |state| state)?;
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    Ok(linker)
}

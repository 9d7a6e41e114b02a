//! Guest state: what one call's store holds beside the guest itself, and what the host answers when the guest calls it.
//!
//! Inert unless granted: empty environment, closed stdin, output that is kept for the reply, a virtual clock and randomness
//! that both start anew with each call, from nothing but the tool and its arguments.

use std::cell::Cell;
use std::convert::Infallible;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{SeedableRng, TryRng};
use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::bindings::toolgate::tool::host;
use super::budget::{HostCalls, Limits, MemoryCount, Meter};
use super::deadline::Deadline;
use super::grants::{GrantError, Grants};
use super::output::{Channel, Kept, Output};
use super::seed::Seed;
use crate::text;
use crate::units::ByteCount;

/// Most resources a guest may hold (streams, descriptors); the default of a million is a memory bomb.
pub(crate) const MAX_HANDLES: usize = 2_000;

/// Most random bytes of one request; the default of 64 MiB is host memory a guest gets for nothing.
pub(crate) const MAX_RANDOM: ByteCount = ByteCount::kib(64);

/// Where the virtual wall clock starts: 2000. A year that no certificate, cookie or log takes for real.
const VIRTUAL_START: Duration = Duration::from_secs(946_684_800);

/// How far a virtual clock goes on with each reading. Coarse enough that nothing of the host can be timed by it, and the
/// same on every machine; a clock that stood still would hold a guest for ever that waits for it.
const QUANTUM: Duration = Duration::from_millis(1);

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

/// Room of a log that only errors may take: a panic's message is the last line of a guest, whatever it wrote before.
const LAST_WORDS: ByteCount = ByteCount::kib(1);

impl Log {
    fn new(room: ByteCount) -> Self {
        Self { room: room.get(), kept: ByteCount::default(), dropped: ByteCount::default(), lines: Vec::new() }
    }

    fn write(&mut self, level: &'static str, message: &str) {
        // A line costs its bytes and one more, so that a flood of empty lines is bounded too.
        let size = ByteCount::of(message.as_bytes()).get().saturating_add(1);
        let left = if level == "error" { 0 } else { LAST_WORDS.get() };
        let Some(room) = self.room.checked_sub(size).filter(|room| *room >= left) else {
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
    output: Output,
    meter: Meter,
}

/// The data of one store.
pub(crate) struct GuestState {
    pub(crate) memory: MemoryCount,
    pub(crate) log: Log,
    pub(crate) host_calls: HostCalls,
    pub(crate) deadline: Deadline,
    wasi: Option<Box<Wasi>>,
}

impl GuestState {
    /// State without WASI, for a component that imports none: nothing is built that nobody can call.
    pub(crate) fn bare(limits: &Limits, deadline: Deadline) -> Self {
        let log = Log::new(limits.log);
        let memory = MemoryCount::new(limits.memory);
        Self { memory, log, host_calls: HostCalls::default(), deadline, wasi: None }
    }

    /// State with WASI, inert but for the grants.
    ///
    /// # Errors
    /// A granted directory that cannot be opened any more.
    pub(crate) fn with_wasi(
        limits: &Limits,
        deadline: Deadline,
        grants: &Grants,
        seed: Seed,
    ) -> Result<Self, GrantError> {
        Ok(Self { wasi: Some(Box::new(Wasi::new(limits, grants, seed)?)), ..Self::bare(limits, deadline) })
    }

    /// Takes the fuel for everything the guest asked of the host since the last time out of `fuel`; nothing is left where
    /// it is not enough.
    pub(crate) fn pay_host_calls(&mut self, fuel: u64) -> Option<u64> {
        if let Some(wasi) = &self.wasi {
            self.host_calls.note_bytes(wasi.meter.take());
        }
        self.host_calls.pay(fuel)
    }

    /// What the guest printed.
    pub(super) fn take_output(&self) -> Kept {
        self.wasi.as_ref().map_or_else(Kept::default, |wasi| wasi.output.take())
    }
}

impl Wasi {
    fn new(limits: &Limits, grants: &Grants, seed: Seed) -> Result<Self, GrantError> {
        let meter = Meter::default();
        let output = Output::new(limits.output, meter.clone());
        let mut builder = inert(&output, &meter, seed);
        grants.open(&mut builder)?;
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_HANDLES);
        Ok(Self { context: builder.build(), table, output, meter })
    }
}

/// The builder's defaults are the host's clocks and randomness, and streams that do not count; all of them are replaced.
fn inert(output: &Output, meter: &Meter, seed: Seed) -> WasiCtxBuilder {
    let mut builder = WasiCtxBuilder::new();
    let (first, second) = seed.halves();
    builder
        .wall_clock(VirtualClock::default())
        .monotonic_clock(VirtualClock::default())
        .secure_random(Metered { sequence: StdRng::from_seed(seed.0), meter: meter.clone() })
        .insecure_random(Metered { sequence: StdRng::seed_from_u64(first), meter: meter.clone() })
        .insecure_random_seed(u128::from(second))
        .max_random_size(MAX_RANDOM.get())
        .stdout(output.channel(Channel::Stdout))
        .stderr(output.channel(Channel::Stderr));
    builder
}

/// A seeded sequence whose bytes are counted.
struct Metered {
    sequence: StdRng,
    meter: Meter,
}

impl TryRng for Metered {
    type Error = Infallible;

    /// The runtime draws one of these for each byte a guest asks for.
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.meter.note(1);
        self.sequence.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.meter.note(8);
        self.sequence.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.meter.note(ByteCount::of(bytes).get());
        self.sequence.try_fill_bytes(bytes)
    }
}

/// A clock that goes on by one quantum with each reading, from zero: a guest cannot time the host, and whoever waits until
/// some time has passed comes to an end.
#[derive(Default)]
struct VirtualClock {
    readings: Cell<u32>,
}

impl VirtualClock {
    /// Time since the call began, as far as this clock tells it.
    fn read(&self) -> Duration {
        let readings = self.readings.get();
        self.readings.set(readings.saturating_add(1));
        QUANTUM.saturating_mul(readings)
    }
}

impl HostWallClock for VirtualClock {
    fn resolution(&self) -> Duration {
        QUANTUM
    }

    fn now(&self) -> Duration {
        VIRTUAL_START.saturating_add(self.read())
    }
}

impl HostMonotonicClock for VirtualClock {
    fn resolution(&self) -> u64 {
        nanos(QUANTUM)
    }

    fn now(&self) -> u64 {
        nanos(self.read())
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl WasiView for GuestState {
    /// Asked for once by every call of a guest into WASI, which is why the calls are counted here.
    fn ctx(&mut self) -> WasiCtxView<'_> {
        self.host_calls.note_call();
        let wasi = self.wasi.as_mut();
        let wasi = wasi.expect("only what imports WASI can call it, and its state was made with it");
        WasiCtxView { ctx: &mut wasi.context, table: &mut wasi.table }
    }
}

impl host::Host for GuestState {
    fn log(&mut self, level: host::Level, message: String) {
        self.host_calls.note_call();
        self.host_calls.note_bytes(ByteCount::of(message.as_bytes()).get());
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

#[cfg(test)]
mod tests {
    use super::Log;
    use crate::units::ByteCount;

    #[test]
    fn a_flood_of_lines_leaves_room_for_a_panics_message_and_a_flood_of_errors_for_nothing() {
        let mut log = Log::new(ByteCount::kib(4));
        for _ in 0..1_000 {
            log.write("info", "a line of a flood");
        }
        log.write("error", "panicked at src/lib.rs:7:5");
        assert_eq!(log.lines.last().map(|line| line.text.as_str()), Some("panicked at src/lib.rs:7:5"));
        for _ in 0..1_000 {
            log.write("error", "an error of a flood");
        }
        assert!(log.kept <= ByteCount::kib(4));
        let all = 1_000 * 18 + 27 + 1_000 * 20;
        assert_eq!(log.kept.get().saturating_add(log.dropped.get()), all);
    }
}

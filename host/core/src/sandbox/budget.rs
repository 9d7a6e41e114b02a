//! Budget: how much of everything one call may use, and the count of what it has used.
//!
//! Every limit has a default, a host maximum, a unit, a reason and the attack it stops. What a tool is given is the least
//! of the host maximum, the operator's setting (or the default) and what its contract asks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wasmtime::ResourceLimiter;

use crate::contract::AskedLimits;
use crate::engine::{INSTANCES, MAX_MEMORY, MEMORIES, TABLES};
use crate::units::ByteCount;

/// Units of work. About half a second on a small machine: a guest that spins ends by a count that is the same everywhere.
pub const DEFAULT_FUEL: u64 = 500_000_000;
/// About two minutes of work: more is no longer a tool call.
pub const MAX_FUEL: u64 = 100_000_000_000;

/// Time from when a call has its place to its answer, instantiation and waits included. A guest that waits spends no fuel, so time is bounded apart.
pub const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Longest that any client waits for a tool.
pub const MAX_TIME: Duration = Duration::from_secs(600);

/// All memories and tables of a call together; a limit per memory would let a guest have a hundred of them.
pub const DEFAULT_MEMORY: ByteCount = ByteCount::mib(64);

/// The result's text. It sits in host memory while `check` reads it, and in the model's context afterwards.
pub const DEFAULT_RESULT: ByteCount = ByteCount::kib(64);
/// More would not fit a model's context, and is what one lift out of a guest may move at most.
pub const MAX_RESULT: ByteCount = ByteCount::mib(4);

/// Log lines that are kept, the last KiB of them for errors alone. A guest that floods its log loses the rest, not its answer.
pub const DEFAULT_LOG: ByteCount = ByteCount::kib(16);

/// What a guest prints to standard output and standard error, together, that is kept: the first half and the last. A guest
/// that floods them loses the middle, not its answer; without a bound it would fill the host's memory by printing (GHSA-5m8g).
pub const DEFAULT_OUTPUT: ByteCount = ByteCount::kib(16);

/// Units of work one call into the host costs, whatever it asks for. Host code spends no fuel of its own, so a loop over a
/// call that is cheap for the guest and dear for the host would be bounded by time alone (GHSA-j366).
pub const HOST_CALL_FUEL: u64 = 1_000;

/// Units of work for each byte that a call into the host logs, prints or draws: the host copies and cleans them.
const HOST_BYTE_FUEL: u64 = 1;

/// Most calls into the host during one call. A tool that answers makes tens of them; whoever makes more than this uses the
/// host as a processor, however much fuel an operator gave it.
pub const MAX_HOST_CALLS: u64 = 100_000;

/// Most bytes a guest may pass to the host in one call, or hand out as its result. The default of 128 MiB would be host
/// memory a guest gets for nothing.
pub(crate) const HOST_CALL: ByteCount = MAX_RESULT;

/// Bytes of one table element in the host.
const TABLE_ELEMENT: u64 = 8;

/// What an operator sets; what is left out stays at the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitSettings {
    /// Units of work, about one per WebAssembly instruction. A call has to leave at least one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000_000_000u64))]
    pub fuel: Option<u64>,
    /// Milliseconds from when the call has its place to its answer, instantiation and waits included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 600_000))]
    pub time_ms: Option<u64>,
    /// Bytes of all memories and tables together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_073_741_824u64))]
    pub memory_bytes: Option<u64>,
    /// Bytes of the result's JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 4_194_304))]
    pub result_bytes: Option<u64>,
}

impl LimitSettings {
    /// These settings where they say something, the others elsewhere.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            fuel: self.fuel.or(others.fuel),
            time_ms: self.time_ms.or(others.time_ms),
            memory_bytes: self.memory_bytes.or(others.memory_bytes),
            result_bytes: self.result_bytes.or(others.result_bytes),
        }
    }

    /// The first setting outside what the host gives at all, with the most it gives.
    pub fn beyond_maximum(&self) -> Option<(&'static str, u64)> {
        let max_ms = u64::try_from(MAX_TIME.as_millis()).unwrap_or(u64::MAX);
        [
            ("fuel", self.fuel, MAX_FUEL),
            ("time_ms", self.time_ms, max_ms),
            ("memory_bytes", self.memory_bytes, MAX_MEMORY.get()),
            ("result_bytes", self.result_bytes, MAX_RESULT.get()),
        ]
        .into_iter()
        .find_map(|(key, set, max)| set.filter(|set| *set > max || *set == 0).map(|_| (key, max)))
    }
}

/// What one call is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Units of work.
    pub fuel: u64,
    /// From when the call has its place to its answer, instantiation and waits included.
    pub time: Duration,
    /// All memories and tables together.
    pub memory: ByteCount,
    /// The result's text.
    pub result: ByteCount,
    /// Log that is kept.
    pub log: ByteCount,
    /// Printed output that is kept.
    pub output: ByteCount,
}

impl Limits {
    /// The same, with no more time than is left.
    pub(crate) fn within(self, time_left: Option<Duration>) -> Self {
        Self { time: time_left.map_or(self.time, |left| left.min(self.time)), ..self }
    }

    /// The least of what the host can give, the operator sets and the contract asks for.
    pub fn effective(asked: &AskedLimits, set: &LimitSettings) -> Self {
        let least = |max: u64, default: u64, set: Option<u64>, asked: Option<u64>| {
            max.min(set.unwrap_or(default)).min(asked.unwrap_or(u64::MAX))
        };
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let time = least(millis(MAX_TIME), millis(DEFAULT_TIME), set.time_ms, asked.time_ms);
        Self {
            fuel: least(MAX_FUEL, DEFAULT_FUEL, set.fuel, asked.fuel),
            time: Duration::from_millis(time),
            memory: ByteCount::new(least(MAX_MEMORY.get(), DEFAULT_MEMORY.get(), set.memory_bytes, asked.memory_bytes)),
            result: ByteCount::new(least(MAX_RESULT.get(), DEFAULT_RESULT.get(), set.result_bytes, asked.result_bytes)),
            log: DEFAULT_LOG,
            output: DEFAULT_OUTPUT,
        }
    }

    /// For reading a contract out of an unpacked component: enough to print a document, nothing to attack a load with.
    pub const fn for_contract() -> Self {
        Self {
            fuel: 100_000_000,
            time: Duration::from_secs(2),
            memory: DEFAULT_MEMORY,
            result: crate::contract::MAX_CONTRACT,
            log: DEFAULT_LOG,
            output: DEFAULT_OUTPUT,
        }
    }
}

/// The running sum of a call's memory, asked by the runtime before every growth.
#[derive(Debug)]
pub(crate) struct MemoryCount {
    max: ByteCount,
    used: u64,
    peak: u64,
    refused: bool,
    /// Sum and peak before the growth that was allowed last, until it has come about or failed.
    before: Option<(u64, u64)>,
}

impl MemoryCount {
    pub(crate) const fn new(max: ByteCount) -> Self {
        Self { max, used: 0, peak: 0, refused: false, before: None }
    }

    /// Most bytes at once.
    pub(crate) const fn peak(&self) -> ByteCount {
        ByteCount::new(self.peak)
    }

    /// Whether a growth was refused. The runtime does not tell: the guest sees `-1` and dies of something else.
    pub(crate) const fn refused(&self) -> bool {
        self.refused
    }

    /// `maximum` is the guest's own: what it may not have by its own word is nothing that we refuse.
    fn grow(&mut self, current: u64, desired: u64, maximum: Option<u64>) -> bool {
        let after = self.used.saturating_add(desired.saturating_sub(current));
        if after > self.max.get() {
            self.refused = true;
            return false;
        }
        if maximum.is_some_and(|maximum| desired > maximum) {
            return false;
        }
        self.before = Some((self.used, self.peak));
        self.used = after;
        self.peak = self.peak.max(after);
        true
    }

    /// What was allowed did not come about: the pool has no slot of that size, or the system no memory.
    const fn grow_failed(&mut self) {
        if let Some(before) = self.before.take() {
            (self.used, self.peak) = before;
        }
        self.refused = true;
    }
}

/// Bytes that passed through something the runtime owns, until they are charged for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Arc<AtomicU64>);

impl Meter {
    pub(crate) fn note(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The bytes since the last time.
    pub(crate) fn take(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

/// What a guest asked of its host, and what of it is still to be charged.
#[derive(Debug, Default)]
pub(crate) struct HostCalls {
    pub(crate) calls: u64,
    pub(crate) bytes: u64,
    due: u64,
}

impl HostCalls {
    /// Notes one call into the host.
    pub(crate) const fn note_call(&mut self) {
        self.calls = self.calls.saturating_add(1);
        self.due = self.due.saturating_add(HOST_CALL_FUEL);
    }

    /// Notes bytes that the host took from the guest or made for it.
    pub(crate) const fn note_bytes(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.due = self.due.saturating_add(bytes.saturating_mul(HOST_BYTE_FUEL));
    }

    /// Whether the guest made more calls than it may.
    pub(crate) const fn too_many(&self) -> bool {
        self.calls > MAX_HOST_CALLS
    }

    /// The fuel left of `fuel` once everything noted is paid; nothing where it is not enough or the calls were too many.
    pub(crate) const fn pay(&mut self, fuel: u64) -> Option<u64> {
        let due = self.due;
        self.due = 0;
        if self.too_many() { None } else { fuel.checked_sub(due) }
    }

    /// Whether there is anything to pay.
    pub(crate) const fn is_due(&self) -> bool {
        self.due > 0
    }
}

/// `usize` is at most 64 bits on every platform the runtime supports.
fn wide(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

impl ResourceLimiter for MemoryCount {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow(wide(current), wide(desired), maximum.map(wide)))
    }

    /// The maximum is the pool's as often as the guest's own, and the runtime does not tell whose.
    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let bytes = |n_elements: usize| wide(n_elements).saturating_mul(TABLE_ELEMENT);
        Ok(self.grow(bytes(current), bytes(desired), None))
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.grow_failed();
        Ok(())
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.grow_failed();
        Ok(())
    }

    fn instances(&self) -> usize {
        INSTANCES
    }

    fn tables(&self) -> usize {
        TABLES
    }

    fn memories(&self) -> usize {
        MEMORIES
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wasmtime::ResourceLimiter;

    use super::{DEFAULT_FUEL, HostCalls, LimitSettings, Limits, MAX_FUEL, MAX_HOST_CALLS, MemoryCount};
    use crate::contract::AskedLimits;
    use crate::units::ByteCount;

    #[test]
    fn the_least_of_maximum_setting_and_wish_is_given() {
        let fuel = |set, asked| {
            let asked = AskedLimits { fuel: asked, ..AskedLimits::default() };
            Limits::effective(&asked, &LimitSettings { fuel: set, ..LimitSettings::default() }).fuel
        };
        assert_eq!(fuel(None, None), DEFAULT_FUEL);
        assert_eq!(fuel(None, Some(7)), 7);
        assert_eq!(fuel(None, Some(u64::MAX)), DEFAULT_FUEL);
        assert_eq!(fuel(Some(9), None), 9);
        assert_eq!(fuel(Some(9), Some(7)), 7);
        assert_eq!(fuel(Some(u64::MAX), None), MAX_FUEL);
        let set = LimitSettings { time_ms: Some(600_001), ..LimitSettings::default() };
        assert_eq!(set.beyond_maximum(), Some(("time_ms", 600_000)));
        assert_eq!(Limits::effective(&AskedLimits::default(), &set).time, Duration::from_secs(600));
    }

    #[test]
    fn memory_is_summed_over_memories_and_tables() {
        let mut count = MemoryCount::new(ByteCount::new(1000));
        assert!(count.memory_growing(0, 600, None).expect("answers"));
        assert!(count.table_growing(0, 50, None).expect("answers"));
        assert!(!count.memory_growing(0, 1, None).expect("answers"));
        assert!(count.refused());
        assert_eq!(count.peak(), ByteCount::new(1000));
        let mut own = MemoryCount::new(ByteCount::new(1000));
        assert!(!own.memory_growing(100, 200, Some(100)).expect("answers") && !own.refused(), "the guest's own word");
    }

    #[test]
    fn a_call_into_the_host_costs_fuel_and_so_does_every_byte() {
        let mut calls = HostCalls::default();
        assert!(!calls.is_due());
        calls.note_call();
        calls.note_bytes(7);
        assert_eq!(calls.pay(5_000), Some(3_993));
        assert_eq!(calls.pay(5_000), Some(5_000), "paid once");
        calls.note_call();
        assert_eq!(calls.pay(999), None);
        for _ in calls.calls..MAX_HOST_CALLS {
            calls.note_call();
        }
        assert_eq!(calls.pay(u64::MAX).is_some(), !calls.too_many());
        calls.note_call();
        assert!(calls.too_many() && calls.pay(u64::MAX).is_none());
    }
}

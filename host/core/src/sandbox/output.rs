//! Output: what a guest prints to its standard output and standard error, kept up to a bound and handed on cleaned.
//!
//! A stream of our own, since the runtime's queue empty writes without end (GHSA-5m8g) or hand them to a thread. Never the
//! host's own streams: on a protocol over standard output a guest could answer in the host's name.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

use super::budget::Meter;
use crate::text;
use crate::units::ByteCount;

/// Bytes a guest may write at once without asking again: what the runtime's own streams grant. The runtime makes as many
/// zeroes as are asked for up to this.
const PERMIT: usize = 64 << 10;

/// Most characters of one printed line that are handed on; the bound on all lines together is the tool's limit.
const MAX_LINE: usize = 4_096;

/// Which of the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Channel {
    /// `stdout` or `stderr`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// One line a guest printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputLine {
    /// Where it printed it.
    pub channel: Channel,
    /// The text, cleaned.
    pub text: String,
}

/// What was printed, in the order it was printed in.
#[derive(Debug)]
struct Printed {
    room: u64,
    kept: u64,
    dropped: u64,
    pieces: Vec<(Channel, Vec<u8>)>,
}

/// Both streams of one call.
#[derive(Clone, Debug)]
pub(super) struct Output {
    printed: Arc<Mutex<Printed>>,
    meter: Meter,
}

/// What is left of a call's output.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) lines: Vec<OutputLine>,
    pub(super) kept: ByteCount,
    pub(super) dropped: ByteCount,
}

impl Output {
    pub(super) fn new(room: ByteCount, meter: Meter) -> Self {
        let printed = Printed { room: room.get(), kept: 0, dropped: 0, pieces: Vec::new() };
        Self { printed: Arc::new(Mutex::new(printed)), meter }
    }

    pub(super) fn channel(&self, channel: Channel) -> Stream {
        Stream { output: self.clone(), channel }
    }

    pub(super) fn take(&self) -> Kept {
        let mut printed = self.lock();
        let pieces = mem::take(&mut printed.pieces);
        let lines = pieces.iter().flat_map(|(channel, bytes)| lines(*channel, bytes)).collect();
        Kept { lines, kept: ByteCount::new(printed.kept), dropped: ByteCount::new(printed.dropped) }
    }

    /// One call's streams are used by one thread at a time, so nobody ever waits; a panic leaves counts that still add up.
    fn lock(&self) -> MutexGuard<'_, Printed> {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lines(channel: Channel, bytes: &[u8]) -> Vec<OutputLine> {
    let said = String::from_utf8_lossy(bytes);
    said.lines().map(|line| OutputLine { channel, text: text::one_line(line, MAX_LINE) }).collect()
}

impl Printed {
    /// Keeps what there is room for and counts the rest. An empty write leaves nothing behind.
    fn write(&mut self, channel: Channel, bytes: &[u8]) {
        let size = ByteCount::of(bytes).get();
        let taken = size.min(self.room);
        let head = bytes.get(..ByteCount::new(taken).as_usize()).unwrap_or_default();
        self.room = self.room.saturating_sub(taken);
        self.kept = self.kept.saturating_add(taken);
        self.dropped = self.dropped.saturating_add(size.saturating_sub(taken));
        if head.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some((last, piece)) if *last == channel => piece.extend_from_slice(head),
            Some(_) | None => {
                // A piece costs room of its own, so that single bytes by turns are not cheap for the guest and dear here.
                self.room = self.room.saturating_sub(PIECE);
                self.pieces.push((channel, head.to_vec()));
            }
        }
    }
}

/// What one more piece takes of the room.
const PIECE: u64 = 32;

/// One stream as the guest sees it: never full, never failing, never waiting.
#[derive(Debug)]
pub(super) struct Stream {
    output: Output,
    channel: Channel,
}

#[wasmtime_wasi::async_trait]
impl Pollable for Stream {
    async fn ready(&mut self) {}
}

impl OutputStream for Stream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.output.meter.note(ByteCount::of(&bytes).get());
        self.output.lock().write(self.channel, &bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(PERMIT)
    }
}

impl IsTerminal for Stream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Stream {
    /// For WASI 0.1 and 0.3, neither of which is linked.
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::empty())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.output.channel(self.channel))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use wasmtime_wasi::p2::OutputStream;

    use super::{Channel, Output};
    use crate::sandbox::budget::Meter;
    use crate::units::ByteCount;

    #[test]
    fn the_first_bytes_are_kept_and_the_rest_is_counted() {
        let output = Output::new(ByteCount::new(100), Meter::default());
        let mut stdout = output.channel(Channel::Stdout);
        let mut stderr = output.channel(Channel::Stderr);
        stdout.write(Bytes::from_static("one\ntw\u{e9}".as_bytes())).expect("takes it");
        stderr.write(Bytes::from_static(b"\x1b[2J\xff")).expect("takes it");
        for _ in 0..1_000 {
            stdout.write(Bytes::new()).expect("takes it");
        }
        stdout.write(Bytes::from(vec![b'x'; 500])).expect("takes it");
        assert_eq!(output.meter.take(), 513);
        let kept = output.take();
        let lines: Vec<(&str, &str)> =
            kept.lines.iter().map(|line| (line.channel.name(), line.text.as_str())).collect();
        assert_eq!(lines.first(), Some(&("stdout", "one")));
        assert_eq!(lines.get(1), Some(&("stdout", "tw\u{e9}")));
        assert_eq!(lines.get(2), Some(&("stderr", "\\u{1b}[2J\u{fffd}")));
        assert_eq!(kept.kept.get().saturating_add(kept.dropped.get()), 513);
        assert!(kept.kept.get() <= 100);
    }
}

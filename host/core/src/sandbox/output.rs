//! Output: what a guest prints to its standard output and standard error, kept up to a bound and handed on cleaned.
//!
//! Kept are the beginning and the end, as much of each: what a guest was about stands in the first lines, what became of it in
//! the last ones (a traceback, an assertion), and a flood is in between.
//!
//! A stream of our own, since the runtime's queue empty writes without end (GHSA-5m8g) or hand them to a thread. Never the
//! host's own streams: on a protocol over standard output a guest could answer in the host's name.

use std::collections::VecDeque;
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

/// What was printed, byte by byte in the order it was printed in.
#[derive(Debug)]
struct Printed {
    /// Most bytes of the beginning, and of the end.
    half: usize,
    beginning: Vec<(Channel, u8)>,
    end: VecDeque<(Channel, u8)>,
    dropped: u64,
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
        let half = room.as_usize() >> 1;
        let printed = Printed { half, beginning: Vec::new(), end: VecDeque::new(), dropped: 0 };
        Self { printed: Arc::new(Mutex::new(printed)), meter }
    }

    pub(super) fn channel(&self, channel: Channel) -> Stream {
        Stream { output: self.clone(), channel }
    }

    pub(super) fn take(&self) -> Kept {
        let mut printed = self.lock();
        let (beginning, end) = (mem::take(&mut printed.beginning), mem::take(&mut printed.end));
        let dropped = ByteCount::new(printed.dropped);
        let n_kept = beginning.len().saturating_add(end.len());
        let lines = if printed.dropped == 0 {
            lines(&beginning.into_iter().chain(end).collect::<Vec<_>>())
        } else {
            let gap = end.front().map(|(channel, _)| left_out(*channel, dropped));
            lines(&beginning).into_iter().chain(gap).chain(lines(&Vec::from(end))).collect()
        };
        Kept { lines, kept: ByteCount::new(u64::try_from(n_kept).unwrap_or(u64::MAX)), dropped }
    }

    /// One call's streams are used by one thread at a time, so nobody ever waits; a panic leaves counts that still add up.
    fn lock(&self) -> MutexGuard<'_, Printed> {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lines of one stream each, cleaned.
fn lines(printed: &[(Channel, u8)]) -> Vec<OutputLine> {
    let of_one_stream = printed.chunk_by(|(one, _), (next, _)| one == next);
    let lines = of_one_stream.filter_map(|piece| {
        let (channel, _) = *piece.first()?;
        let bytes: Vec<u8> = piece.iter().map(|(_, byte)| *byte).collect();
        let said = String::from_utf8_lossy(&bytes).into_owned();
        Some(said.lines().map(|line| OutputLine { channel, text: text::one_line(line, MAX_LINE) }).collect::<Vec<_>>())
    });
    lines.flatten().collect()
}

/// The line that stands where others were dropped.
fn left_out(channel: Channel, dropped: ByteCount) -> OutputLine {
    OutputLine { channel, text: format!("… {dropped} left out …") }
}

impl Printed {
    /// Keeps the beginning and the end, and counts the rest. An empty write leaves nothing behind.
    fn write(&mut self, channel: Channel, bytes: &[u8]) {
        let room = self.half.saturating_sub(self.beginning.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.beginning.extend(first.iter().map(|byte| (channel, *byte)));
        // Of a large piece only the last bytes can be kept at all.
        let (passed, last) = rest.split_at(rest.len().saturating_sub(self.half));
        let too_many = self.end.len().saturating_add(last.len()).saturating_sub(self.half);
        self.end.drain(..too_many.min(self.end.len()));
        self.end.extend(last.iter().map(|byte| (channel, *byte)));
        let dropped = u64::try_from(passed.len().saturating_add(too_many)).unwrap_or(u64::MAX);
        self.dropped = self.dropped.saturating_add(dropped);
    }
}

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

    /// The lines that are kept, and the bytes that are not.
    fn kept(output: &Output) -> (Vec<(&'static str, String)>, u64) {
        let kept = output.take();
        assert!(kept.kept.get() <= 100);
        (kept.lines.into_iter().map(|line| (line.channel.name(), line.text)).collect(), kept.dropped.get())
    }

    #[test]
    fn what_fits_is_kept_in_the_order_it_was_printed_in_and_cleaned() {
        let output = Output::new(ByteCount::new(100), Meter::default());
        let (mut stdout, mut stderr) = (output.channel(Channel::Stdout), output.channel(Channel::Stderr));
        stdout.write(Bytes::from_static("one\ntw\u{e9}".as_bytes())).expect("takes it");
        stderr.write(Bytes::from_static(b"\x1b[2J\xff")).expect("takes it");
        stdout.write(Bytes::from(vec![b'x'; 70])).expect("takes it");
        let said = |channel, text: &str| (channel, text.to_owned());
        let lines = vec![
            said("stdout", "one"),
            said("stdout", "tw\u{e9}"),
            said("stderr", "\\u{1b}[2J\u{fffd}"),
            said("stdout", &"x".repeat(70)),
        ];
        assert_eq!(kept(&output), (lines, 0));
    }

    #[test]
    fn of_a_flood_the_beginning_and_the_end_are_kept_and_the_rest_is_counted() {
        for piece in [1, 7, 49, 50, 51, 500, 5_000] {
            let output = Output::new(ByteCount::new(100), Meter::default());
            let mut stdout = output.channel(Channel::Stdout);
            stdout.write(Bytes::from_static(b"begins\n")).expect("takes it");
            for bytes in vec![b'x'; 5_000].chunks(piece) {
                stdout.write(Bytes::new()).expect("takes it");
                stdout.write(Bytes::copy_from_slice(bytes)).expect("takes it");
            }
            stdout.write(Bytes::from_static(b"\nends\n")).expect("takes it");
            assert_eq!(output.meter.take(), 5_013);
            let (lines, dropped) = kept(&output);
            let texts: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
            let (first, last) = ("x".repeat(43), "x".repeat(44));
            assert_eq!(texts, ["begins", &first, "… 4.7 KiB left out …", &last, "ends"], "pieces of {piece}");
            assert_eq!(dropped, 4_913);
        }
    }
}

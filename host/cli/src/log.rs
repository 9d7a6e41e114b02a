//! Log: appends one line per call to the file that `--log` names.
//!
//! Opened before any tool runs, so that a file that cannot be written costs no answer. What stands in a line is the
//! library's; here are the file, the time and the names of turns.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use toolgate::{Asked, CallRecord, Host, Keep, Occasion, RawCall, Reply, SessionLimits};

use crate::args::LogOptions;
use crate::screen::Screen;

/// How often the lock of a log is tried, and how long after each time: a second in all. Others hold it for one write, and
/// whoever takes it for longer must not keep an answer back.
const LOCK_TRIES: u32 = 100;

/// The pause between two tries.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// An open log, and what is written with each line.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    keep: Keep,
    conversation: Option<String>,
    refusal_bound: Option<u32>,
}

/// A log, if one is asked for, and what it keeps of the calls of one turn.
#[derive(Debug)]
pub(crate) struct Turn {
    log: Option<Log>,
    asked: Vec<Asked>,
}

impl Turn {
    /// Opens the log, and takes from the calls what it keeps of them: they are used up by their answers.
    pub(crate) fn begin(options: &LogOptions, calls: &[RawCall]) -> Result<Self> {
        let log = options.log.as_deref().map(|path| Log::open(path, options)).transpose()?;
        let keep = log.as_ref().map(|log| log.keep);
        let asked = keep.map(|keep| calls.iter().map(|call| Asked::of(call, keep)).collect());
        Ok(Self { log, asked: asked.unwrap_or_default() })
    }

    /// Says that a session has the turn: it is the conversation, unless another is named, and has a bound.
    pub(crate) fn belongs_to(&mut self, session: &Path, limits: &SessionLimits) {
        if let Some(log) = &mut self.log {
            let name = || session.file_name().map(|name| name.to_string_lossy().into_owned());
            log.conversation = log.conversation.take().or_else(name);
            log.refusal_bound = Some(limits.refusals);
        }
    }

    /// Appends the turn. The calls have run, so a log that cannot be written any more is said and costs no answer: whoever
    /// asked again for its sake would make the tools write twice.
    pub(crate) fn end(self, replies: &[Reply], host: &Host, screen: &mut Screen<'_>) -> Result<()> {
        let Some(mut log) = self.log else { return Ok(()) };
        if let Err(error) = log.append(&self.asked, replies, host) {
            screen.say(&format!("warning: the calls are not in the log: {error:#}"))?;
        }
        Ok(())
    }
}

impl Log {
    /// Opens a plain file to append to, or makes it for its owner alone: names and keys in it were written by models. A
    /// link is followed, as the operator's own.
    fn open(path: &Path, options: &LogOptions) -> Result<Self> {
        let failed = || format!("cannot write the log `{}`", path.display());
        // Looked at before it is opened: opening a pipe waits for whoever reads it.
        if path.exists() && !path.is_file() {
            bail!("cannot write the log `{}`: it is no plain file", path.display());
        }
        let mut how = OpenOptions::new();
        how.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut how, 0o600);
        let file = how.open(path).with_context(failed)?;
        let keep = if options.log_arguments { Keep::Arguments } else { Keep::Digests };
        Ok(Self { path: path.to_owned(), file, keep, conversation: options.conversation.clone(), refusal_bound: None })
    }

    fn append(&mut self, asked: &[Asked], replies: &[Reply], host: &Host) -> Result<()> {
        let since = since_1970();
        let occasion = Occasion {
            time_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            conversation: self.conversation.clone(),
            caller: host.caller().map(str::to_owned),
            // No other turn has both: a process answers one.
            turn: format!("{:x}-{:x}", since.as_nanos(), std::process::id()),
            refusal_bound: self.refusal_bound,
        };
        let mut lines = String::new();
        for (position, (reply, asked)) in replies.iter().zip(asked).enumerate() {
            lines.push_str(&CallRecord::of(reply, host.tool(&reply.tool), asked, &occasion, position).line());
        }
        self.write(&lines).with_context(|| format!("cannot write the log `{}`", self.path.display()))
    }

    /// Appends whole lines in one piece, while nobody else does.
    fn write(&mut self, lines: &str) -> std::io::Result<()> {
        let is_locked = self.lock()?;
        let begun = if self.ends_midway()? { "\n" } else { "" };
        let written = self.file.write_all(format!("{begun}{lines}").as_bytes());
        if is_locked {
            self.file.unlock()?;
        }
        written
    }

    /// Waits a little for the file to be ours alone. Who holds it longer is none of us, and a file system without locks has
    /// nobody who does: a single write is appended in one piece all the same.
    fn lock(&self) -> std::io::Result<bool> {
        for _ in 0..LOCK_TRIES {
            match self.file.try_lock() {
                Ok(()) => return Ok(true),
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => return Ok(false),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Whether the file's last line has no end: somebody was stopped in the middle of it, and it must not swallow ours.
    fn ends_midway(&mut self) -> std::io::Result<bool> {
        if self.file.metadata()?.len() == 0 {
            return Ok(false);
        }
        let mut last = [0];
        self.file.seek(SeekFrom::End(-1))?;
        self.file.read_exact(&mut last)?;
        Ok(last != *b"\n")
    }
}

/// Time since 1970, UTC; nothing where the system's clock is set before it.
#[expect(clippy::disallowed_methods, reason = "a log is read beside others, so its lines have the time of day")]
fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

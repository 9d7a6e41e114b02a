//! Session: the file that a conversation is kept in between two runs of the program.
//!
//! Locked while it is used, read whole or refused, and written whole or not at all. What a session is stands in the library.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use toolgate::{ByteCount, Host, MAX_SESSION, Session, SessionLimits};

use crate::args::ValueOptions;
use crate::files;
use crate::sources::Loaded;

/// A session's file, which nobody else uses meanwhile.
#[derive(Debug)]
pub(crate) struct SessionFile {
    path: PathBuf,
    document: Option<String>,
    /// Let go of when this is dropped.
    _lock: File,
}

impl SessionFile {
    /// Locks the file and reads it; one that is not there is a new session.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let lock = lock(path)?;
        if path.exists() && !path.is_file() {
            bail!("`{}` is no file", path.display());
        }
        let document = path.exists().then(|| read(path)).transpose()?;
        Ok(Self { path: path.to_owned(), document, _lock: lock })
    }

    /// The session, and its file written once as it is: a file that cannot be written must not cost the answer.
    pub(crate) fn resume(&self, host: &Host, limits: SessionLimits) -> Result<Session> {
        let session = match &self.document {
            None => Session::new(host, limits),
            Some(document) => Session::resume(host, limits, document)
                .with_context(|| format!("cannot go on from `{}`, which is left as it is", self.path.display()))?,
        };
        self.keep(&session)?;
        Ok(session)
    }

    /// Writes the session.
    pub(crate) fn keep(&self, session: &Session) -> Result<()> {
        files::write_private(&self.path, session.document().as_bytes())
    }
}

/// The session with the values that were set for it. Where there is none and values are set, it is a new one that nobody
/// keeps: rules know values of sessions only.
pub(crate) fn with_values(session: Option<Session>, loaded: &Loaded, values: ValueOptions) -> Option<Session> {
    let made = || (!values.set.is_empty()).then(|| Session::new(&loaded.host, loaded.session));
    let mut session = session.or_else(made)?;
    for (name, value) in values.set {
        session.set(name, value);
    }
    Some(session)
}

/// Locks a file beside the session's: the session's own is another one after each write.
fn lock(path: &Path) -> Result<File> {
    let mut beside: OsString = path.as_os_str().to_owned();
    beside.push(".lock");
    let failed = || format!("cannot lock the session `{}`", path.display());
    let lock = File::options().write(true).create(true).truncate(false).open(&beside).with_context(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            bail!(
                "the session `{}` is in use\nhint: a session is one conversation, answered turn by turn",
                path.display()
            )
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(failed),
    }
}

fn read(path: &Path) -> Result<String> {
    let bytes = files::read(path, MAX_SESSION)?;
    if ByteCount::of(&bytes) > MAX_SESSION {
        bail!("`{}` is larger than {MAX_SESSION}, the most of a session", path.display());
    }
    String::from_utf8(bytes).with_context(|| format!("`{}` is no session", path.display()))
}

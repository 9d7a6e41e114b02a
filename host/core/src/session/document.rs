//! Document: a session as a text that a later process goes on from.
//!
//! One JSON object that says what it is and which version of it. Remembered reads are not in it: they are found again by
//! reading. A document that is not exactly this is refused whole, never read in part.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::counts::Counts;
use super::writes::Writes;
use crate::text;
use crate::units::ByteCount;

/// Most bytes of a document. It is read whole; what a session can hold stays below.
pub const MAX_SESSION: ByteCount = ByteCount::mib(64);

/// What every document says that it is.
const FORMAT: &str = "toolgate-session";

/// The version that this host writes, and the only one it reads.
const VERSION: u64 = 1;

/// A session, without its host.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    format: String,
    version: u64,
    /// Whose session it is; left out where it is the operator's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) caller: Option<String>,
    pub(crate) values: BTreeMap<String, Value>,
    pub(crate) counts: Counts,
    pub(crate) writes: Writes,
}

/// What is read first, whatever else there is.
#[derive(Deserialize)]
struct Head {
    format: Option<Value>,
    version: Option<Value>,
}

/// Why a text is no session to go on from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// More bytes than a session has.
    #[error("it has more than {MAX_SESSION}, the most of a session")]
    TooLarge,
    /// Not a session's document at all.
    #[error("it is no session: {0}")]
    Foreign(String),
    /// Of a version that this host does not know.
    #[error("it is a session of version {0}, and this host reads version {VERSION}")]
    Version(String),
    /// The session of somebody else.
    #[error("it is the session of {}, and {} is answered here", whom(.of), whom(.here))]
    OtherCaller {
        /// Whose it is; nobody's where it is the operator's.
        of: Option<String>,
        /// Whose host was to go on from it.
        here: Option<String>,
    },
    /// A session's document that was cut or changed.
    #[error("it is damaged: {0}")]
    Damaged(String),
}

fn whom(caller: &Option<String>) -> String {
    caller.as_ref().map_or_else(|| "no caller".to_owned(), |name| format!("the caller `{}`", text::one_line(name, 64)))
}

impl Document {
    pub(crate) fn new(caller: Option<&str>, values: BTreeMap<String, Value>, counts: Counts, writes: Writes) -> Self {
        let caller = caller.map(str::to_owned);
        Self { format: FORMAT.to_owned(), version: VERSION, caller, values, counts, writes }
    }

    pub(crate) fn write(&self) -> String {
        serde_json::to_string(self).expect("every key is text, and it is written to memory")
    }

    pub(crate) fn read(document: &str) -> Result<Self, SessionError> {
        if ByteCount::of(document.as_bytes()) > MAX_SESSION {
            return Err(SessionError::TooLarge);
        }
        let said = |error: serde_json::Error| text::one_line(&error.to_string(), 200);
        let head: Head = serde_json::from_str(document).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => SessionError::Foreign(said(error)),
            serde_json::error::Category::Io
            | serde_json::error::Category::Syntax
            | serde_json::error::Category::Eof => SessionError::Damaged(said(error)),
        })?;
        if head.format.as_ref().and_then(Value::as_str) != Some(FORMAT) {
            return Err(SessionError::Foreign(format!("it does not say `\"format\":\"{FORMAT}\"`")));
        }
        if head.version.as_ref().and_then(Value::as_u64) != Some(VERSION) {
            let version = head.version.unwrap_or_default().to_string();
            return Err(SessionError::Version(text::one_line(&version, 20)));
        }
        let read: Self = serde_json::from_str(document).map_err(|error| SessionError::Damaged(said(error)))?;
        match read.writes.are_sound() {
            true => Ok(read),
            false => Err(SessionError::Damaged("a result in `writes` is none that a tool gave".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Document, SessionError};
    use crate::session::key::CallKey;

    fn good() -> serde_json::Value {
        let key = CallKey::of(None, "create_ticket", "{}").to_string();
        json!({
            "format": "toolgate-session", "version": 1, "values": {"customer_id": "cus_1"},
            "counts": {"turns": 2, "calls": 3, "refused": {"echo": 1}, "unknown": 0, "asked": {}},
            "writes": {key: {"tool": "create_ticket", "ended": "done", "finished": true, "result": "{\"id\":1}"}},
        })
    }

    #[test]
    fn what_was_written_is_read_again() {
        let read = Document::read(&good().to_string()).expect("reads");
        assert_eq!(Document::read(&read.write()), Ok(read));
        assert_eq!(
            Document::read(&Document::new(None, [].into(), <_>::default(), <_>::default()).write()).map(|_| ()),
            Ok(())
        );
    }

    #[test]
    fn what_is_not_exactly_a_session_is_refused_by_what_is_wrong_with_it() {
        let changed = |change: &dyn Fn(&mut serde_json::Value)| {
            let mut document = good();
            change(&mut document);
            Document::read(&document.to_string()).expect_err("is refused")
        };
        let text = good().to_string();
        for end in 0..text.len() {
            let cut = text.get(..end).expect("ASCII");
            assert!(matches!(Document::read(cut), Err(SessionError::Damaged(_))), "{end}");
        }
        assert!(matches!(Document::read("[]"), Err(SessionError::Foreign(_) | SessionError::Damaged(_))));
        assert!(matches!(changed(&|d| d["format"] = json!("other")), SessionError::Foreign(_)));
        assert!(matches!(changed(&|d| d["format"] = json!(null)), SessionError::Foreign(_)));
        assert_eq!(changed(&|d| d["version"] = json!(2)), SessionError::Version("2".to_owned()));
        assert!(matches!(changed(&|d| d["more"] = json!(1)), SessionError::Damaged(_)));
        assert!(matches!(changed(&|d| d["counts"]["calls"] = json!(-1)), SessionError::Damaged(_)));
        assert!(matches!(changed(&|d| d["writes"] = json!({"no key": {}})), SessionError::Damaged(_)));
        for result in ["", "{", "{\"a\":1,\"a\":2}", "\"\u{202e}\""] {
            let refused = changed(&|d| {
                let writes = d["writes"].as_object_mut().expect("an object");
                writes.values_mut().for_each(|ran| ran["result"] = json!(result));
            });
            assert!(matches!(refused, SessionError::Damaged(_)), "{result}");
        }
    }
}

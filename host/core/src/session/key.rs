//! Key: what makes two calls the same, as a digest.
//!
//! Every part is hashed behind its length, so no two lists of parts run together into one. What does not stand in a key
//! does not tell calls apart: not the id, not the order of keys, not white space.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::digest;
use crate::sandbox::budget::Limits;
use crate::tool::Tool;

/// Tells the digests of calls from all others.
const CALL: &str = "same/v1";

/// The same call: caller, tool and arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct CallKey([u8; 32]);

impl CallKey {
    /// Of a tool's name and the canonical text of the arguments, behind the caller's name where there is one. The component
    /// is left out, so that a write which ran is known again after its tool was replaced.
    pub(crate) fn of(caller: Option<&str>, tool: &str, arguments: &str) -> Self {
        Self(digest_of([CALL].into_iter().chain(caller).chain([tool, arguments])))
    }
}

/// The same answer: everything that a pure tool's answer depends on, and for any other tool how many writes went before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemoKey {
    call: CallKey,
    /// Digest of the component.
    component: Arc<str>,
    limits: Limits,
    n_writes: u64,
}

impl MemoKey {
    /// `n_writes` is 0 for a tool that no write can concern.
    pub(crate) fn of(call: &CallKey, tool: &Tool, n_writes: u64) -> Self {
        Self { call: *call, component: Arc::clone(&tool.code.digest), limits: *tool.limits(), n_writes }
    }
}

impl Hash for MemoKey {
    /// The call's digest spreads as well as any hash of it would; keys of one call that differ are few.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.call.hash(state);
    }
}

#[cfg(test)]
impl MemoKey {
    /// A key of nothing in particular.
    pub(crate) fn plain(key: &str) -> Self {
        let limits = Limits::effective(&<_>::default(), &<_>::default());
        Self { call: CallKey::of(None, key, ""), component: "".into(), limits, n_writes: 0 }
    }
}

fn digest_of<'p>(parts: impl Iterator<Item = &'p str>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

impl fmt::Display for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&digest::hex(&self.0))
    }
}

impl From<CallKey> for String {
    fn from(key: CallKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for CallKey {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        digest::of_hex(&text).map(Self).ok_or("a key is 64 hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::CallKey;

    #[test]
    fn parts_never_run_together() {
        assert_eq!(CallKey::of(None, "a", "{}"), CallKey::of(None, "a", "{}"));
        assert_ne!(CallKey::of(None, "ab", "c"), CallKey::of(None, "a", "bc"));
        assert_ne!(CallKey::of(None, "", "a"), CallKey::of(None, "a", ""));
        assert_ne!(CallKey::of(Some("desk"), "a", "{}"), CallKey::of(None, "a", "{}"));
        assert_ne!(CallKey::of(Some("desk"), "a", "{}"), CallKey::of(Some("shop"), "a", "{}"));
    }

    #[test]
    fn only_a_digest_is_read_as_a_key() {
        let key = CallKey::of(None, "a", "{}");
        assert_eq!(CallKey::try_from(key.to_string()), Ok(key));
        for text in ["", "0", &"g".repeat(64), &"A".repeat(64)] {
            assert_eq!(CallKey::try_from(text.to_owned()), Err("a key is 64 hexadecimal digits"));
        }
    }
}

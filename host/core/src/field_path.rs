//! Field path: where in a value something is, as a code and a text say it (`rows.0.qty`).
//!
//! Keys come from models and guests, so they are escaped and cut here, and nowhere else.

use std::fmt;

use serde_json::Value;

/// Most characters of one key that a path shows. A key is hostile text: a code must not carry an argument of its own.
const MAX_SEGMENT: usize = 64;

/// Most characters of a whole path.
const MAX_PATH: usize = 256;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Into an object.
    Key(String),
    /// Into an array, counted from 0.
    Index(usize),
}

/// The place of a violation, from the root of the arguments or of the result. Empty at the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(Vec<Segment>);

impl FieldPath {
    /// The root.
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// The path of a value inside the value at this path.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        let mut segments = self.0.clone();
        segments.push(Segment::Key(key.to_owned()));
        Self(segments)
    }

    /// A path with these segments.
    pub fn from_segments(segments: Vec<Segment>) -> Self {
        Self(segments)
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys and the indices in it, as they are.
    pub(crate) fn steps(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|segment| match segment {
            Segment::Key(key) => key.clone(),
            Segment::Index(index) => index.to_string(),
        })
    }

    /// What stands at this path in a value.
    pub fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |inner, segment| match segment {
            Segment::Key(key) => inner.get(key),
            Segment::Index(index) => inner.get(index),
        })
    }

    /// As above, to change it.
    pub(crate) fn find_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.0.iter().try_fold(value, |inner, segment| match segment {
            Segment::Key(key) => inner.get_mut(key),
            Segment::Index(index) => inner.get_mut(index),
        })
    }

    /// The object that the last step goes into, and the key; nothing where it is no key.
    pub(crate) fn split_key(&self) -> Option<(Self, &str)> {
        match self.0.split_last() {
            Some((Segment::Key(key), parent)) => Some((Self(parent.to_vec()), key)),
            Some((Segment::Index(_), _)) | None => None,
        }
    }

    /// The innermost key, where there is one.
    pub fn last_key(&self) -> Option<&str> {
        self.0.iter().rev().find_map(|segment| match segment {
            Segment::Key(key) => Some(key.as_str()),
            Segment::Index(_) => None,
        })
    }
}

impl fmt::Display for FieldPath {
    /// Dotted, every character outside `[A-Za-z0-9_-]` as `%XX` of its UTF-8, 64 characters a segment and 256 in all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for segment in &self.0 {
            if !text.is_empty() {
                text.push('.');
            }
            match segment {
                Segment::Index(index) => text.push_str(&index.to_string()),
                Segment::Key(key) => text.push_str(&escaped(key)),
            }
            if text.len() > MAX_PATH {
                text.truncate(MAX_PATH);
                text.push('~');
                break;
            }
        }
        f.write_str(&text)
    }
}

/// A key as one step of a JSON Pointer (RFC 6901), without its slash.
pub(crate) fn pointer_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A key as plain ASCII, `~` at the end of one that was cut.
fn escaped(key: &str) -> String {
    let mut out = String::new();
    for byte in key.bytes() {
        if out.len() >= MAX_SEGMENT {
            out.push('~');
            break;
        }
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{FieldPath, Segment};

    #[test]
    fn a_path_is_dotted_ascii_and_bounded() {
        let path =
            FieldPath::from_segments(vec![Segment::Key("rows".into()), Segment::Index(0), Segment::Key("qty".into())]);
        assert_eq!(path.to_string(), "rows.0.qty");
        assert_eq!(FieldPath::root().to_string(), "");
        assert_eq!(FieldPath::root().key("a.b\u{1b}é").to_string(), "a%2Eb%1B%C3%A9");
        assert!(FieldPath::root().key(&"k".repeat(500)).to_string().len() <= 65);
        let deep = FieldPath::from_segments(vec![Segment::Key("k".repeat(60)); 50]);
        assert!(deep.to_string().len() <= 257);
    }
}

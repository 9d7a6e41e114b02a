//! Faults of a text that should be one JSON value.

use crate::field_path::FieldPath;
use crate::units::{ByteCount, Depth};

/// What is wrong with a text, with its place: `byte` counts from the start, `at` is the path of the value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// It ends inside a value.
    #[error("it ends inside a value, at byte {byte}")]
    Truncated {
        /// Where it ends.
        byte: usize,
    },
    /// It breaks the grammar.
    #[error("{problem} at byte {byte}")]
    Syntax {
        /// Where.
        byte: usize,
        /// The rule.
        problem: &'static str,
    },
    /// Something stands behind the value.
    #[error("something stands behind the value, at byte {byte}")]
    Trailing {
        /// Where it starts.
        byte: usize,
    },
    /// Arrays and objects stand deeper inside each other than allowed.
    #[error("it is nested deeper than {max}, at byte {byte}")]
    TooDeep {
        /// Where the first one too many starts.
        byte: usize,
        /// The most allowed.
        max: Depth,
    },
    /// More values than allowed.
    #[error("it has more than {max} values and keys, at byte {byte}")]
    TooMany {
        /// Where the first one too many starts.
        byte: usize,
        /// The most allowed.
        max: usize,
    },
    /// A string longer than allowed.
    #[error("a string has more than {max}, at byte {byte}")]
    LongString {
        /// Where it starts.
        byte: usize,
        /// The most allowed.
        max: ByteCount,
    },
    /// A number with more digits than anybody means.
    #[error("a number has more than {max} characters, at byte {byte}")]
    LongNumber {
        /// Where it starts.
        byte: usize,
        /// The most allowed.
        max: usize,
    },
    /// An object has one key twice.
    #[error("`{at}` stands twice in one object, again at byte {byte}")]
    DuplicateKey {
        /// Where the second one starts.
        byte: usize,
        /// The path of the key.
        at: FieldPath,
    },
    /// A number that cannot be held exactly.
    #[error("the number{} cannot be held exactly, at byte {byte}", named(.at))]
    InexactNumber {
        /// Where it starts.
        byte: usize,
        /// The path of the number.
        at: FieldPath,
    },
    /// Half a surrogate pair, U+0000, or bytes that are not UTF-8.
    #[error("it holds {what}, at byte {byte}")]
    BadText {
        /// Where.
        byte: usize,
        /// The path of the string.
        at: FieldPath,
        /// What stands there, in words.
        what: &'static str,
    },
}

fn named(at: &FieldPath) -> String {
    if at.is_root() { String::new() } else { format!(" `{at}`") }
}

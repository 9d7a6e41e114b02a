//! Digest: what stands in a log in the place of a text that must not stand there.
//!
//! The same text has the same digest, so repetitions can be counted. It hides a text only as far as nobody can guess it.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// Hexadecimal digits that are kept of a single value's digest: enough to tell the values of one log apart.
const SHORT: usize = 16;

/// SHA-256 in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes in hexadecimal, small letters.
pub(crate) fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// The digest that this text is in hexadecimal, small letters.
pub(crate) fn of_hex(text: &str) -> Option<[u8; 32]> {
    HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()
}

/// The start of it, for a single value.
pub(crate) fn short(bytes: &[u8]) -> String {
    let mut hex = sha256(bytes);
    hex.truncate(SHORT);
    hex
}

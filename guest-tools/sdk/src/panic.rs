//! The last words of a panicking tool. With `panic = "abort"` a panic can no longer become a `Failure`, so its message
//! would be lost in a bare trap; the hook gives it to the operator first.
//!
//! The model is told of a trap by the host and never sees this text.

use std::panic;

use crate::log::{Level, log};

/// Sends the message and place of every later panic in this instance through the host's log, in one line.
pub fn install_hook() {
    panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or("a value that is no text");
        match info.location() {
            Some(place) => log(Level::Error, &format!("panicked at {place}: {message}")),
            None => log(Level::Error, &format!("panicked: {message}")),
        }
    }));
}

//! Lines for the operator. The model never sees them; the host caps, escapes and counts them.

pub use crate::bindings::toolgate::tool::host::Level;

/// Writes one line to the operator's log.
///
/// Off wasm there is no host, so the line is dropped: a tool's own tests may call what they test.
pub fn log(level: Level, message: &str) {
    if cfg!(target_arch = "wasm32") {
        crate::bindings::toolgate::tool::host::log(level, message);
    }
}

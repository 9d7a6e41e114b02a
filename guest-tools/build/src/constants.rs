//! Turns guests into Rust source: one constant per component, for a build script to write and a crate to include.

use std::fmt::Write;

use crate::Guest;

/// Source text with `pub(crate) const STOCK_LOOKUP: &[u8] = include_bytes!(…);` for each guest.
///
/// A constant that nothing names costs nothing in the binary, and is a compile error where the including module denies
/// dead code: so a guest that no test runs does not compile.
pub fn constants(guests: &[Guest]) -> String {
    let mut source = String::new();
    for guest in guests {
        let name = guest.name.to_ascii_uppercase();
        let path = guest.wasm.display().to_string();
        writeln!(source, "/// `{}`.\npub(crate) const {name}: &[u8] = include_bytes!({path:?});", guest.name)
            .expect("writing to a String cannot fail");
    }
    source
}

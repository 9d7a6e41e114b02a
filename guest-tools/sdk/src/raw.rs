//! The low door: the two exported functions as they are, strings in and strings out.
//!
//! For guests that must say something [`tool!`](crate::tool) would never let them say, which is what hostile probes are
//! for. Sets no panic hook, derives nothing, checks nothing.

pub use crate::bindings::exports::toolgate::tool::tool::Guest;
pub use crate::panic::install_hook;

/// Exports a type that implements [`Guest`] as the component's tool.
///
/// Off wasm it exports nothing, so that a tool's own unit tests link for the machine they run on.
#[doc(inline)]
pub use crate::__export_raw as export;

#[doc(hidden)]
#[macro_export]
macro_rules! __export_raw {
    ($guest:ident) => {
        #[cfg(target_arch = "wasm32")]
        $crate::bindings::export_guest!($guest with_types_in $crate::bindings);

        // Off wasm nothing else names the guest, and the compiler would call it dead.
        #[cfg(not(target_arch = "wasm32"))]
        const _: fn() = || {
            let _ = <$guest as $crate::raw::Guest>::contract;
            let _ = $guest;
        };
    };
}

//! SDK: a tool is one Rust function and one [`Declaration`]; the contract, both schemas and the component's exports come
//! from them, so what is published and what is run cannot drift apart.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use toolgate_sdk::{Declaration, Failure};
//!
//! toolgate_sdk::tool!(
//!     halve,
//!     Declaration { name: "halve", version: "1.0.0", description: "Halves an even number.", ..Declaration::read() }
//! );
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Input {
//!     number: i32,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Output {
//!     half: i32,
//! }
//!
//! fn halve(input: Input) -> Result<Output, Failure> {
//!     if input.number % 2 != 0 {
//!         return Err(Failure::refused("the number is odd; ask for an even one"));
//!     }
//!     Ok(Output { half: input.number / 2 })
//! }
//! ```
//!
//! Leaves out checking: arguments reach the function only after the host has held them against the published schema, and
//! the result is held against it afterwards. Leaves out linking too: that is set where the tool is built
//! (`.cargo/config.toml`).

// The generated bindings name this crate by its public name, also from inside it.
extern crate self as toolgate_sdk;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod arena;
#[doc(hidden)]
pub mod bindings;
mod contract;
mod declaration;
mod failure;
mod log;
mod panic;
pub mod raw;
mod run;
mod schema;

pub use contract::document;
pub use declaration::{Access, Capabilities, Declaration, Directory, Effects, Limits, Relation};
pub use failure::Failure;
pub use log::{Level, log};

/// What the expansion of [`tool!`] calls. Not for authors: it may change with any version.
#[doc(hidden)]
pub mod expanded {
    pub use crate::run::{call, contract};
    pub use wit_bindgen::rt;
}

/// Makes a component's exports out of a function and a constant [`Declaration`].
///
/// The function takes one value (`DeserializeOwned + JsonSchema`) and gives back `Result<Output, Failure>` with
/// `Output: Serialize + JsonSchema`. One component holds one tool: a second `tool!` in a crate does not link.
#[macro_export]
macro_rules! tool {
    ($function:path, $declaration:expr $(,)?) => {
        const _: () = {
            struct Tool;

            const DECLARATION: $crate::Declaration = $declaration;

            impl $crate::raw::Guest for Tool {
                fn contract() -> ::std::string::String {
                    $crate::expanded::contract(&DECLARATION, $function)
                }

                fn call(
                    arguments: ::std::string::String,
                ) -> ::std::result::Result<::std::string::String, $crate::Failure> {
                    $crate::expanded::call($function, &arguments)
                }
            }

            $crate::raw::export!(Tool);
        };
    };
}

//! What must hold for every input, as functions that panic where it does not.
//!
//! Fuzz targets call them with bytes that a fuzzer thinks of, the tests with bytes that `proptest` thinks of and with those
//! under `seeds/`. None takes anything but bytes, so that whatever breaks one can be kept as a file. `attacks` holds inputs
//! that were made by hand.

/// Inputs made to be expensive, or to be taken for something else.
pub mod attacks;
mod dialects;
mod grammar;
mod reader;
mod rules;
mod schemas;

pub use crate::dialects::dialects;
pub use crate::reader::reader;
pub use crate::schemas::{explainer, linter};

#[cfg(fuzzing)]
#[doc(hidden)]
pub use libfuzzer_sys;

/// The program around one of the functions: a fuzz target where `cargo fuzz` builds it, else a program that holds the
/// function against the files it is given, so that a finding is seen again without a fuzzer.
#[macro_export]
macro_rules! target {
    ($holds:path) => {
        #[cfg(fuzzing)]
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $holds(bytes));

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            std::env::args_os().skip(1).try_for_each(|file| std::fs::read(file).map(|bytes| $holds(&bytes)))
        }
    };
}

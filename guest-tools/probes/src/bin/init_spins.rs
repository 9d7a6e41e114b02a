//! Spins before it can be asked anything: in the function that runs while the component is instantiated.

use probes::{Nothing, Text, probe};
use toolgate_sdk::Failure;

toolgate_sdk::tool!(answer, probe("probe_init_spins"));

fn answer(_: Nothing) -> Result<Text, Failure> {
    Ok(Text::new("it was instantiated"))
}

/// A component calls an export of this name of its module at once.
#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "the name is the point, and nothing else in this program has it")]
#[unsafe(export_name = "_initialize")]
extern "C" fn initialize() {
    loop {
        std::hint::spin_loop();
    }
}

fn main() {}

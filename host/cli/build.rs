//! Builds every guest and hands them to `bundled` as constants.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let guests = toolgate_guest_build::or_explain(toolgate_guest_build::build_all());
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("guests.rs");
    std::fs::write(out, toolgate_guest_build::constants(&guests))?;
    Ok(())
}

//! Builds every guest: the tools that are shipped and the probes that attack the host.
//!
//! One helper for the program's build script and the tests': one directory beside the outer build's own (which is locked
//! while a build script runs), one profile, one fixed cargo command per wasm target. Whoever comes second finds the work
//! done.
//!
//! Does not know what a guest contains or is for, and embeds nothing: callers get names and paths.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is how a build script talks to cargo")]

mod cargo;
mod constants;
mod guests;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

pub use self::constants::constants;

/// One component on disk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Guest {
    /// File stem, the same in source and component: `stock_lookup`, `budget_spins`.
    pub name: String,
    /// Package that it comes from.
    pub package: String,
    /// The component.
    pub wasm: PathBuf,
    /// Whether it comes from the package of hostile guests.
    pub is_probe: bool,
}

/// Why there are no guests.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A standard library is missing, which `cargo` would say in a hundred lines about `core`.
    #[error(
        "the guests need rustc's target `{target}`, and it is not installed\n\n\
         hint: rustup target add wasm32-wasip2 wasm32-unknown-unknown"
    )]
    MissingTarget {
        /// The first target that is missing.
        target: String,
    },
    /// A program could not be started.
    #[error("`{program}` could not be started")]
    Start {
        /// What was started.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// The workspace could not be read.
    #[error("the workspace's packages could not be listed")]
    Metadata(#[from] cargo_metadata::Error),
    /// A guest's `[package.metadata.toolgate]` is not understood.
    #[error("`[package.metadata.toolgate]` of `{package}` is not understood")]
    Table {
        /// The package.
        package: String,
        /// Which key, and what is wrong with it.
        source: serde_json::Error,
    },
    /// A guest does not compile.
    #[error("the guests could not be built ({status}): {command}\n\n{stderr}")]
    Compile {
        /// The command, ready to be pasted.
        command: String,
        /// How cargo ended.
        status: ExitStatus,
        /// All that cargo said.
        stderr: String,
    },
    /// Cargo was content, and there is no component where it should be.
    #[error("`{package}` was built and left no `{}`", wasm.display())]
    MissingComponent {
        /// The package.
        package: String,
        /// Where it should be.
        wasm: PathBuf,
    },
}

/// Builds what is not up to date and gives back all guests, sorted by name.
///
/// Made for build scripts: prints the `cargo:rerun-if-changed` lines for everything that a guest depends on, also when the
/// build fails, so that mending the source is enough to be asked again.
///
/// # Errors
/// If a target is not installed, a guest does not compile, or cargo cannot be run at all.
pub fn build_all() -> Result<Vec<Guest>, BuildError> {
    let root = workspace_root();
    for path in ["guest-tools", "wit", ".cargo/config.toml", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"] {
        println!("cargo:rerun-if-changed={}", root.join(path).display());
    }
    let plan = guests::plan(&root)?;
    for (target, batch) in &plan.batches {
        cargo::build(&root, &plan.directory, target, batch)?;
    }
    plan.guests()
}

/// The guests, or the end of a build script: prints the error and its sources where cargo shows them, then exits with 1.
#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "a build script has no other way to fail without a backtrace"
)]
pub fn or_explain(built: Result<Vec<Guest>, BuildError>) -> Vec<Guest> {
    built.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            eprintln!("  caused by: {cause}");
            source = cause.source();
        }
        std::process::exit(1)
    })
}

/// Two folders above this crate, which only ever runs from its own workspace.
fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(2).take(1).collect()
}

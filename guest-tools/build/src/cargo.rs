//! Cargo inside cargo: the one command that builds a batch, and the environment it may see.
//!
//! The outer cargo tells its build scripts a lot through the environment. What of it reaches the inner one makes two builds
//! of the same guests differ, or puts flags meant for the host (a linter as compiler, sanitizers) on the guests.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::BuildError;
use crate::guests::Batch;

/// The profile in the workspace's manifest that all guests share.
pub(crate) const PROFILE: &str = "guest";

/// Builds one batch. Does nothing if it is up to date.
pub(crate) fn build(root: &Path, directory: &Path, target: &'static str, batch: &Batch) -> Result<(), BuildError> {
    require_target(root, target)?;
    let mut cargo = clean(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()).into(), root);
    cargo.args(["build", "--locked", "--lib", "--profile", PROFILE, "--target", target, "--target-dir"]).arg(directory);
    for package in &batch.packages {
        cargo.args(["-p", package]);
    }
    for program in &batch.programs {
        cargo.args(["--bin", program]);
    }
    let Output { status, stderr, .. } = run(&mut cargo)?;
    if status.success() {
        return Ok(());
    }
    Err(BuildError::Compile {
        command: format!("{cargo:?}"),
        status,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    })
}

/// The directory that the outer cargo builds into, by the tag that it leaves there; `--target-dir` is seen in no other way.
pub(crate) fn outer_target_dir() -> Option<PathBuf> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR")?);
    out_dir.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file()).map(Path::to_owned)
}

/// Asks the compiler rather than reading what it says when it fails.
fn require_target(root: &Path, target: &'static str) -> Result<(), BuildError> {
    let mut rustc = clean(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()).into(), root);
    rustc.args(["--print", "target-libdir", "--target", target]);
    let output = run(&mut rustc)?;
    let libdir = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && Path::new(libdir.trim()).is_dir() {
        return Ok(());
    }
    Err(BuildError::MissingTarget { target: target.to_owned() })
}

fn run(command: &mut Command) -> Result<Output, BuildError> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.output().map_err(|source| BuildError::Start { program, source })
}

/// A command in the workspace's root, so that `.cargo/config.toml` and the pinned toolchain hold, without what the outer
/// cargo said about its own build.
fn clean(program: PathBuf, root: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root);
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_about_the_outer_build)) {
        command.env_remove(name);
    }
    command
}

fn is_about_the_outer_build(name: &str) -> bool {
    // How to reach the registry, and the tokens that share the machine's cores with the outer cargo.
    let kept = ["CARGO_HOME", "CARGO_HTTP_", "CARGO_MAKEFLAGS", "CARGO_NET_", "CARGO_REGISTR"];
    // `RUSTC` stays: the guests are built by the compiler that builds the host. Editors and linters set the wrappers.
    let flags = ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTDOCFLAGS", "RUSTFLAGS"];
    flags.contains(&name) || (name.starts_with("CARGO_") && !kept.iter().any(|prefix| name.starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inner_cargo_hears_of_the_registry_and_not_of_the_outer_build() {
        let kept = [
            "CARGO",
            "CARGO_HOME",
            "CARGO_MAKEFLAGS",
            "CARGO_NET_OFFLINE",
            "CARGO_REGISTRIES_X_INDEX",
            "PATH",
            "RUSTC",
        ];
        let dropped = [
            "CARGO_BUILD_TARGET",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_FEATURE_STD",
            "CARGO_MANIFEST_DIR",
            "CARGO_TARGET_DIR",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTC_WRAPPER",
            "RUSTFLAGS",
        ];
        for name in kept {
            assert!(!is_about_the_outer_build(name), "{name} has to reach the inner cargo");
        }
        for name in dropped {
            assert!(is_about_the_outer_build(name), "{name} must not reach the inner cargo");
        }
    }
}

//! The repository's own rules, as ordinary tests: each says what to do when it fails.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::repository;

/// Every Rust source of the repository with its text; build output left out.
fn sources() -> Vec<(String, String)> {
    let root = repository();
    let mut sources = Vec::new();
    for folder in ["host", "guest-tools", "tests"] {
        walk(&root.join(folder), &mut sources);
    }
    assert!(sources.len() > 50, "the walk found the sources: {}", sources.len());
    let name = |path: &Path| path.strip_prefix(&root).expect("inside").display().to_string();
    sources.iter().map(|path| (name(path), fs::read_to_string(path).expect("reads"))).collect()
}

fn walk(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("lists") {
        let path = entry.expect("reads").path();
        if path.is_dir() && !path.ends_with("target") {
            walk(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(path);
        }
    }
}

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    for (name, text) in sources() {
        assert!(text.starts_with("//! "), "{name}: say in its first line what it is for");
    }
}

#[test]
fn nothing_is_skipped_or_left_undone() {
    // Split, so that this file does not find itself.
    let banned = [["#[ign", "ore"], ["#[should_", "panic"], ["todo", "!("], ["unimplemented", "!("], ["dbg", "!("]];
    for (name, text) in sources() {
        for parts in &banned {
            assert!(!text.contains(&parts.concat()), "{name}: no `{}`", parts.concat());
        }
    }
}

/// Which files of the library may name a foreign crate. An upgrade then touches one of them.
const FOREIGN: [(&str, &[&str]); 8] = [
    ("use cel::", &["auth/condition.rs", "auth/look.rs", "auth/value.rs"]),
    ("jsonschema::", &["schema.rs", "schema/instance.rs", "schema/leaf.rs", "declare/random.rs"]),
    ("wasmparser::", &["anatomy.rs", "anatomy/cost.rs"]),
    ("wasm_encoder::", &["anatomy.rs", "engine.rs"]),
    ("toml::", &["config.rs"]),
    ("sha2::", &["digest.rs", "wire/ids.rs", "sandbox/seed.rs", "session/key.rs"]),
    ("moka::", &["session/memory.rs"]),
    ("strsim::", &["near.rs", "registry.rs"]),
];

#[test]
fn one_module_knows_each_foreign_crate() {
    for (name, text) in sources() {
        let Some(file) = name.strip_prefix("host/core/src/") else {
            continue;
        };
        for (foreign, allowed) in FOREIGN {
            assert!(!text.contains(foreign) || allowed.contains(&file), "{name}: `{foreign}` belongs into {allowed:?}");
        }
        let is_below = ["engine/", "sandbox/"].iter().any(|folder| file.starts_with(folder));
        let knows_runtime = is_below || ["engine.rs", "load.rs"].contains(&file);
        assert!(
            !text.contains("wasmtime::") || knows_runtime,
            "{name}: the runtime belongs into engine, load and sandbox"
        );
    }
}

#[test]
fn the_library_has_no_ambient_authority() {
    for (name, text) in sources() {
        if name.starts_with("host/core/src/") {
            for ambient in ["std::fs", "std::env", "std::process", "std::net"] {
                assert!(!text.contains(ambient), "{name}: `{ambient}` belongs to the edge, in host/cli");
            }
        }
    }
}

/// The line's order: a stage's file may name those before it, never those after.
const ORDER: [&str; 8] = ["gate", "registry", "auth", "dispatch", "sandbox", "check", "refusal", "reply"];

#[test]
fn no_stage_imports_one_that_comes_after_it() {
    for (name, text) in sources() {
        let Some(file) = name.strip_prefix("host/core/src/") else {
            continue;
        };
        let Some(at) = ORDER.iter().position(|stage| *stage == file.trim_end_matches(".rs")) else {
            continue;
        };
        for later in ORDER.iter().skip(at + 1) {
            assert!(
                !text.contains(&format!("use crate::{later}::")),
                "{name}: imports `{later}`, which comes after it"
            );
        }
    }
}

#[test]
fn the_licences_are_there_and_every_package_names_them() {
    let root = repository();
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(root.join(licence).is_file(), "{licence}");
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("reads");
    assert!(manifest.contains("license = \"MIT OR Apache-2.0\""));
    for folder in ["host", "guest-tools"] {
        for entry in fs::read_dir(root.join(folder)).expect("lists") {
            let manifest = entry.expect("reads").path().join("Cargo.toml");
            let text = fs::read_to_string(&manifest).unwrap_or_else(|_| panic!("{} is there", manifest.display()));
            assert!(text.contains("license.workspace = true"), "{}", manifest.display());
            assert!(text.contains("[lints]\nworkspace = true"), "{}: takes the workspace's lints", manifest.display());
        }
    }
}

//! Which guests there are, for which target each is built, and where the component ends up.
//!
//! The packages say it themselves, in `[package.metadata.toolgate]`: `target = "wasm32-wasip2"` for a whole package, or
//! `wasip2 = ["exit_", …]`, prefixes of the programs that need WASI in a package of many.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cargo_metadata::{MetadataCommand, Package, Target};
use serde::Deserialize;

use crate::{BuildError, Guest, cargo};

/// A component that asks nothing of the world but our own `host` interface.
const BARE: &str = "wasm32-unknown-unknown";
/// A component with files, or anything else of WASI.
const WASI: &str = "wasm32-wasip2";
/// The package of hostile guests.
const PROBES: &str = "probes";

/// Everything that is going to be built.
pub(crate) struct Plan {
    pub(crate) directory: PathBuf,
    pub(crate) batches: BTreeMap<&'static str, Batch>,
}

/// What one cargo command builds.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) packages: Vec<String>,
    pub(crate) programs: Vec<String>,
    guests: Vec<Planned>,
}

struct Planned {
    name: String,
    package: String,
    is_probe: bool,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    target: Option<GuestTarget>,
    #[serde(default)]
    wasip2: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
enum GuestTarget {
    #[serde(rename = "wasm32-unknown-unknown")]
    Bare,
    #[serde(rename = "wasm32-wasip2")]
    Wasi,
}

/// Reads the workspace.
pub(crate) fn plan(root: &Path) -> Result<Plan, BuildError> {
    // Sees the environment as it is: `CARGO_TARGET_DIR` decides the directory where no build script runs.
    let mut command = MetadataCommand::new();
    command.current_dir(root).no_deps().other_options(["--locked".to_owned()]);
    let metadata = command.exec()?;
    let home = root.join("guest-tools");
    let mut batches: BTreeMap<&'static str, Batch> = BTreeMap::new();
    let mut packages: Vec<&Package> = metadata.packages.iter().filter(|package| is_guest(package, &home)).collect();
    packages.sort_by_key(|package| &package.name);
    for package in packages {
        add(&mut batches, package)?;
    }
    let directory = cargo::outer_target_dir().unwrap_or_else(|| metadata.target_directory.into_std_path_buf());
    Ok(Plan { directory: directory.join("guests"), batches })
}

fn is_guest(package: &Package, home: &Path) -> bool {
    let folder = package.manifest_path.parent().map(|folder| folder.as_std_path());
    folder.is_some_and(|folder| folder.parent() == Some(home) && !folder.ends_with("sdk") && !folder.ends_with("build"))
}

fn add(batches: &mut BTreeMap<&'static str, Batch>, package: &Package) -> Result<(), BuildError> {
    let table = table(package)?;
    let is_probe = package.manifest_path.parent().is_some_and(|folder| folder.ends_with(PROBES));
    for target in package.targets.iter().filter(|target| target.is_cdylib() || target.is_bin()) {
        let batch = batches.entry(triple(&table, target)).or_default();
        let name = target.name.clone();
        if target.is_bin() {
            batch.programs.push(name.clone());
        }
        if batch.packages.last() != Some(&*package.name) {
            batch.packages.push(package.name.to_string());
        }
        batch.guests.push(Planned { name, package: package.name.to_string(), is_probe });
    }
    Ok(())
}

fn table(package: &Package) -> Result<Table, BuildError> {
    let Some(table) = package.metadata.get("toolgate") else {
        return Ok(Table::default());
    };
    Table::deserialize(table).map_err(|source| BuildError::Table { package: package.name.to_string(), source })
}

fn triple(table: &Table, target: &Target) -> &'static str {
    let by_name = table.wasip2.iter().any(|prefix| target.name.starts_with(prefix));
    match table.target {
        Some(GuestTarget::Wasi) => WASI,
        _ if by_name => WASI,
        Some(GuestTarget::Bare) | None => BARE,
    }
}

impl Plan {
    /// The guests as they lie on disk after every batch was built.
    pub(crate) fn guests(self) -> Result<Vec<Guest>, BuildError> {
        let mut guests = Vec::new();
        for (target, batch) in self.batches {
            let folder = self.directory.join(target).join(cargo::PROFILE);
            for Planned { name, package, is_probe } in batch.guests {
                let wasm = folder.join(format!("{name}.wasm"));
                if !wasm.is_file() {
                    return Err(BuildError::MissingComponent { package, wasm });
                }
                guests.push(Guest { name, package, wasm, is_probe });
            }
        }
        guests.sort();
        Ok(guests)
    }
}

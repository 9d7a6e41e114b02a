//! Files: reads and writes what an operator names, within a bound, with errors that name it.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use toolgate::ByteCount;

/// The bytes of a file, or one more than `max` where it is larger: enough for whoever holds them against the bound.
pub(crate) fn read(path: &Path, max: ByteCount) -> Result<Vec<u8>> {
    let open = || format!("cannot read `{}`", path.display());
    if path.is_dir() {
        bail!("cannot read `{}`: it is a directory", path.display());
    }
    let file = File::open(path).with_context(open)?;
    read_bounded(file, max).with_context(open)
}

/// As [`read`], from a stream.
pub(crate) fn read_bounded(stream: impl Read, max: ByteCount) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(max.get().saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file whole or not at all: beside its place first, and then into it. What is no plain file, such as a pipe, is
/// written to as it is.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = || format!("cannot write `{}`", path.display());
    if path.is_dir() {
        bail!("cannot write `{}`: it is a directory", path.display());
    }
    if path.exists() && !path.is_file() {
        return std::fs::write(path, bytes).with_context(failed);
    }
    // Made as any file is, not for its owner alone as a temporary one would be.
    let made = tempfile::Builder::new().prefix(".toolgate-").make_in(folder(path), |beside| File::create_new(beside));
    let mut beside = made.with_context(failed)?;
    beside.write_all(bytes).with_context(failed)?;
    beside.persist(path).map(drop).with_context(failed)
}

/// Writes a file for its owner alone, whole or not at all, also where the machine stops midway.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = || format!("cannot write `{}`", path.display());
    let mut beside = tempfile::Builder::new().prefix(".toolgate-").tempfile_in(folder(path)).with_context(failed)?;
    beside.write_all(bytes).with_context(failed)?;
    beside.as_file().sync_all().with_context(failed)?;
    beside.persist(path).map(drop).with_context(failed)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// A component file itself, or the `*.wasm` of a directory in alphabetical order; not below it.
pub(crate) fn components(path: &Path) -> Result<Vec<PathBuf>> {
    let found = path.metadata().with_context(|| format!("cannot read `{}`", path.display()))?;
    if !found.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut components = Vec::new();
    let listed = || format!("cannot list `{}`", path.display());
    for entry in path.read_dir().with_context(listed)? {
        let component = entry.with_context(listed)?.path();
        if component.extension().is_some_and(|extension| extension == "wasm") && component.is_file() {
            components.push(component);
        }
    }
    if components.is_empty() {
        bail!("no `*.wasm` in `{}`", path.display());
    }
    components.sort_unstable();
    Ok(components)
}

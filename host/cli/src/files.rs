//! Files: reads what an operator names, within a bound, with errors that name it.

use std::fs::File;
use std::io::Read;
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

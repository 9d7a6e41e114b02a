//! Sources: from the tool options of a command to a host with everything loaded, or a reason why not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use toolgate::{
    Allocation, ByteCount, CallerSettings, Config, DirectoryGrant, GateSettings, Host, LimitSettings, MAX_FILE,
    RepairSettings, RuleSettings, SessionLimits, SessionSettings, StricterOutput, ToolEntry, ToolSource,
};

use crate::args::{Bundle, CallerOption, ReadingOptions, ToolOptions};
use crate::bundled::{self, Directories};
use crate::files;
use crate::screen::Screen;

/// Most bytes of a `toolgate.toml`.
const MAX_CONFIG: ByteCount = ByteCount::mib(1);

/// Most bytes of an output schema that are read; the library says what one may have.
const MAX_SCHEMA: ByteCount = ByteCount::mib(1);

/// The code of a load error that no component is to blame for.
const UNREADABLE: &str = "load:unreadable";

/// How long loading may take before a person is told that it goes on.
const SLOW_LOAD: Duration = Duration::from_secs(2);

/// A host, and the bundled tools' directories for as long as it is used.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) host: Host,
    pub(crate) session: SessionLimits,
    directories: Option<Directories>,
}

impl Loaded {
    /// The same as a caller sees it.
    pub(crate) fn seen_by(mut self, option: &CallerOption) -> Result<Self> {
        if let Some(name) = &option.caller {
            self.host = self.host.for_caller(name)?;
        }
        Ok(self)
    }

    /// Says where the bundled tools wrote something, if they did.
    pub(crate) fn close(self, screen: &mut Screen<'_>) -> Result<()> {
        drop(self.host);
        let desk = self.directories.map(Directories::close).transpose()?.flatten();
        if let Some(desk) = desk {
            screen.say(&format!("tickets and refunds are in {}", desk.display()))?;
        }
        Ok(())
    }
}

/// What the options name, read and not yet loaded.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) sources: Vec<ToolSource>,
    pub(crate) defaults: LimitSettings,
    pub(crate) gate: GateSettings,
    pub(crate) allocation: Allocation,
    pub(crate) session: SessionSettings,
    pub(crate) repair: RepairSettings,
    pub(crate) callers: Vec<CallerSettings>,
    pub(crate) rules: Vec<RuleSettings>,
    pub(crate) directories: Option<Directories>,
}

/// Loads everything that the options name, or nothing; the desk where they name nothing.
pub(crate) async fn load(options: &ToolOptions, screen: &mut Screen<'_>) -> Result<Loaded> {
    load_to_call(options, &ReadingOptions::default(), screen).await
}

/// As above, for calls that are read like this.
pub(crate) async fn load_to_call(
    options: &ToolOptions,
    reading: &ReadingOptions,
    screen: &mut Screen<'_>,
) -> Result<Loaded> {
    let Gathered { sources, defaults, mut gate, allocation, session, repair, callers, rules, directories } =
        gather(options, Some(Bundle::Desk))?;
    gate.coerce |= reading.coerce;
    gate.strict |= reading.strict;
    let n_tools = sources.len();
    if n_tools == 0 {
        bail!("no tool is named\nhint: name one with `--tools`, or in the file under `[[tools]]`");
    }
    let builder = Host::builder().tools(sources).defaults(defaults).gate_settings(&gate).allocation(allocation);
    let build = builder.repair(repair).callers(callers).rules(rules).build();
    let host = with_progress(build, n_tools, screen).await?;
    Ok(Loaded { host, session: session.limits(), directories })
}

/// Reads everything that the options name; where they name nothing, the bundle `otherwise`.
pub(crate) fn gather(options: &ToolOptions, otherwise: Option<Bundle>) -> Result<Gathered> {
    let config = options.config.as_deref().map(read_config).transpose()?;
    let nothing_named = options.tools.is_empty() && config.is_none();
    let bundle = options.bundled.or(otherwise.filter(|_| nothing_named));
    if bundle.is_none() && options.desk_dir.is_some() {
        bail!("`--desk-dir` has no effect without a bundle\nhint: add `--bundled desk`");
    }
    let directories = bundle.map(|_| Directories::make(options.desk_dir.as_deref())).transpose()?;
    let mut sources: Vec<ToolSource> = Vec::new();
    if let (Some(bundle), Some(directories)) = (bundle, &directories) {
        sources.extend(bundled::sources(bundle, directories));
    }
    for path in &options.tools {
        for file in components(path)? {
            sources.push(source(&file)?);
        }
    }
    let mut defaults = LimitSettings::default();
    let mut gate = GateSettings::default();
    let mut allocation = Allocation::default();
    let mut session = SessionSettings::default();
    let mut repair = RepairSettings::default();
    let (mut callers, mut rules) = (Vec::new(), Vec::new());
    if let Some((folder, config)) = config {
        defaults = config.defaults;
        gate = config.gate;
        allocation = config.allocation;
        session = config.session;
        repair = config.repair;
        (callers, rules) = (config.callers, config.rules);
        for entry in config.tools {
            sources.extend(entry_sources(&folder, entry)?);
        }
    }
    Ok(Gathered { sources, defaults, gate, allocation, session, repair, callers, rules, directories })
}

/// Waits for a load, and tells a person who watches that a long one goes on.
async fn with_progress<T, E>(
    load: impl Future<Output = Result<T, E>>,
    n_tools: usize,
    screen: &mut Screen<'_>,
) -> Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let mut load = std::pin::pin!(load);
    if screen.interactive {
        match tokio::time::timeout(SLOW_LOAD, &mut load).await {
            Ok(loaded) => return Ok(loaded?),
            Err(_still_loading) => screen.say(&format!("compiling {n_tools} tools …"))?,
        }
    }
    Ok(load.await?)
}

/// The file, and the folder its paths are relative to.
fn read_config(path: &Path) -> Result<(PathBuf, Config)> {
    let bytes = files::read(path, MAX_CONFIG)?;
    if ByteCount::of(&bytes) > MAX_CONFIG {
        bail!("`{}` is larger than {MAX_CONFIG}", path.display());
    }
    let text = String::from_utf8(bytes).with_context(|| format!("`{}` is no `toolgate.toml`", path.display()))?;
    let config = Config::parse(&text).with_context(|| format!("in `{}`", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    Ok((folder, config))
}

/// The sources of one entry: settings apply to each component of a directory.
fn entry_sources(folder: &Path, entry: ToolEntry) -> Result<Vec<ToolSource>> {
    let grants = entry.fs.into_iter().map(|directory| DirectoryGrant {
        guest: directory.guest,
        host: folder.join(directory.host),
        access: directory.access,
    });
    let grants: Vec<DirectoryGrant> = grants.collect();
    let stricter = entry.output_schema.map(|file| stricter_output(&folder.join(file))).transpose()?;
    let mut sources = Vec::new();
    for file in components(&folder.join(&entry.path))? {
        let mut source = source(&file)?;
        source.limits = entry.limits;
        source.directories.clone_from(&grants);
        source.effects = entry.effects;
        source.remember = entry.remember;
        source.stricter_output.clone_from(&stricter);
        source.raw_results = entry.raw_results;
        sources.push(source);
    }
    Ok(sources)
}

/// The schema that an entry lays over its tools' own.
fn stricter_output(path: &Path) -> Result<StricterOutput> {
    let file = path.display().to_string();
    let bytes = files::read(path, MAX_SCHEMA).context(UNREADABLE)?;
    let text = String::from_utf8(bytes).with_context(|| format!("{UNREADABLE}: `{file}` is no text"))?;
    Ok(StricterOutput { file, text })
}

/// One component without settings.
fn source(file: &Path) -> Result<ToolSource> {
    let bytes = files::read(file, MAX_FILE).context(UNREADABLE)?;
    Ok(ToolSource::new(file.display().to_string(), bytes))
}

/// The components that a path names.
fn components(path: &Path) -> Result<Vec<PathBuf>> {
    files::components(path).context(UNREADABLE)
}

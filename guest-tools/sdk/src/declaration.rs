//! What an author declares about a tool beyond its types. Everything is a constant, so a contract cannot depend on time,
//! place or caller.
//!
//! Leaves out the schemas (`schema`, from the types) and the JSON keys (`contract`).

/// What a tool says about itself. Written as a constant: `Declaration { name, version, description, ..Declaration::read() }`.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// The name a model calls it by: `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`, which every provider takes unchanged.
    pub name: &'static str,
    /// Version of the tool, `major.minor.patch`.
    pub version: &'static str,
    /// A name for people, where one is shown.
    pub title: Option<&'static str>,
    /// For the model: when to call it, what comes back, what it does not do.
    pub description: &'static str,
    /// Whether a call may change something.
    pub effects: Effects,
    /// What a call may use. The host has defaults and maxima of its own; ask only for what differs.
    pub limits: Limits,
    /// What of the world the tool needs. Each is granted only if the operator gives it as well.
    pub capabilities: Capabilities,
    /// JSON Pointers into the result of lists for which empty is an answer. Any other empty list in the result's top level
    /// is a failure, so that nothing found is never taken for success by oversight.
    pub may_be_empty: &'static [&'static str],
    /// Promises that tie the result to the arguments. The host holds every result to them.
    pub relations: &'static [Relation],
    /// An identical write may be meant twice. Without it the host runs the second one only in a new session.
    pub repeatable: bool,
}

impl Declaration {
    /// A tool that only reads: no capabilities, the host's default limits. Name, version and description are still empty.
    pub const fn read() -> Self {
        Self::with_effects(Effects::Read)
    }

    /// A tool whose calls may change something; otherwise as [`Declaration::read`].
    pub const fn write() -> Self {
        Self::with_effects(Effects::Write)
    }

    const fn with_effects(effects: Effects) -> Self {
        Self {
            name: "",
            version: "",
            title: None,
            description: "",
            effects,
            limits: Limits::none(),
            capabilities: Capabilities::none(),
            may_be_empty: &[],
            relations: &[],
            repeatable: false,
        }
    }
}

/// Whether a call may change something outside the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effects {
    /// Asking twice is the same as asking once.
    Read,
    /// A call may leave a trace.
    Write,
}

/// A promise that ties a place of the result to an argument, both as JSON Pointers (`/rows`, `/page/limit`) that the types
/// declare. It says nothing about a call in which one of the two is absent, or in which the argument is `null`.
#[derive(Debug, Clone, Copy)]
pub struct Relation {
    pub(crate) at: &'static str,
    pub(crate) tie: Tie,
    pub(crate) argument: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Tie {
    MaxItems,
    Equals,
}

impl Relation {
    /// The list at `at` has at most as many items as the integer at `argument` says.
    pub const fn max_items(at: &'static str, argument: &'static str) -> Self {
        Self { at, tie: Tie::MaxItems, argument }
    }

    /// The value at `at` equals the one at `argument`.
    pub const fn equals(at: &'static str, argument: &'static str) -> Self {
        Self { at, tie: Tie::Equals, argument }
    }
}

/// What a call may use, where the host's defaults do not fit.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Units of fuel, about one per wasm instruction.
    pub fuel: Option<u64>,
    /// Wall time in milliseconds, waiting included.
    pub time_ms: Option<u64>,
    /// Linear memory in bytes, summed over the instance.
    pub memory_bytes: Option<u64>,
    /// Size of the result's JSON text in bytes.
    pub result_bytes: Option<u64>,
}

impl Limits {
    /// Asks for nothing: the host's defaults hold.
    pub const fn none() -> Self {
        Self { fuel: None, time_ms: None, memory_bytes: None, result_bytes: None }
    }
}

/// What of the world a tool asks for.
#[derive(Debug, Clone, Copy)]
pub struct Capabilities {
    /// Directories, by the path the tool sees.
    pub fs: &'static [Directory],
}

impl Capabilities {
    /// No files, no network, no environment, no clock, no randomness.
    pub const fn none() -> Self {
        Self { fs: &[] }
    }
}

/// A directory a tool asks for.
#[derive(Debug, Clone, Copy)]
pub struct Directory {
    /// Absolute path as the tool opens it. Which directory of the machine stands behind it is the operator's decision.
    pub path: &'static str,
    /// What the tool does there.
    pub access: Access,
    /// For the operator who decides: why the tool needs it.
    pub reason: &'static str,
}

/// What a tool does in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Lists and reads files.
    ReadOnly,
    /// Creates, changes and removes them too.
    ReadWrite,
}

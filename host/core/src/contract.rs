//! Contract: what a tool says of itself, as one JSON document (`schemas/contract.schema.json`).
//!
//! Reads the document and holds it against the rules that need nothing else. Does not compile its schemas (`schema`),
//! does not look at the component that carries it (`load`), and grants nothing (`grants`).

mod relation;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(crate) use self::relation::{HeldRelation, held};
pub use self::relation::{Relation, RelationError, Tie};
use crate::text;
use crate::units::ByteCount;

/// Most bytes of a contract. It is read before anything else is known about a tool, so without a cap a component could
/// fill the host's memory by describing itself. The largest contract we ship is 4 KiB.
pub const MAX_CONTRACT: ByteCount = ByteCount::kib(64);

/// Most characters of a description: what every provider takes (OpenAI-style routes refuse more).
pub(crate) const MAX_DESCRIPTION: usize = 1024;

/// The name of the custom section that carries a contract.
pub(crate) const SECTION: &str = "toolgate:contract";

/// A tool's name: `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`, which every provider and MCP takes unchanged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(#[schemars(regex(pattern = r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$"))] String);

impl ToolName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form in which names are compared for a clash: two names that some mapping makes equal would shadow each other.
    pub(crate) fn folded(&self) -> String {
        self.0.to_ascii_lowercase().replace('-', "_").trim_end_matches('_').to_owned()
    }
}

impl TryFrom<String> for ToolName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let mut bytes = name.bytes();
        let head = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
        if head && name.len() <= 64 && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
            return Ok(Self(name));
        }
        Err(format!(
            "`{}` is no tool name: a letter or `_`, then letters, digits, `_` or `-`, 64 at most",
            text::one_line(&name, 80)
        ))
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a tool only looks or also changes something outside. A tool's own word can only make it stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeclaredEffects {
    /// Only looks: calls of one turn run at once.
    Read,
    /// Changes something: calls of one turn run one after the other, in the order given.
    Write,
}

/// What a tool asks for; the host gives the least of this, the operator's setting and its own maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskedLimits {
    /// Units of work, about one per WebAssembly instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub fuel: Option<u64>,
    /// Milliseconds from when the call has its place to its answer, instantiation and waits included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub time_ms: Option<u64>,
    /// Bytes of all memories and tables together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub memory_bytes: Option<u64>,
    /// Bytes of the result's JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub result_bytes: Option<u64>,
}

impl AskedLimits {
    /// The first limit that asks for nothing.
    fn zero(&self) -> Option<&'static str> {
        [
            ("fuel", self.fuel),
            ("time_ms", self.time_ms),
            ("memory_bytes", self.memory_bytes),
            ("result_bytes", self.result_bytes),
        ]
        .into_iter()
        .find_map(|(key, asked)| (asked == Some(0)).then_some(key))
    }
}

/// What may be done in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// List and read.
    Read,
    /// List, read, create, change and delete.
    ReadWrite,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::ReadWrite => "read-write",
        })
    }
}

/// A directory the tool asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskedDirectory {
    /// Where the tool sees it: an absolute path without `.` and `..`, such as `/data`.
    #[schemars(regex(pattern = r"^(/[A-Za-z0-9_.-]+)+$"))]
    pub path: String,
    /// What the tool does there.
    pub access: Access,
    /// Why, for whoever decides about the grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What the tool needs from outside its sandbox. Each entry is one of two keys; the operator turns the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Capabilities {
    /// Directories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fs: Vec<AskedDirectory>,
    /// Hosts it talks to over HTTP.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub http: Vec<String>,
    /// Environment variables it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Secrets the host fills in on its behalf.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// The real time instead of a virtual clock.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clock: bool,
    /// Real randomness instead of a seeded sequence.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub random: bool,
}

impl Capabilities {
    /// Whether nothing is asked for: such a tool can only compute, so that the same call gets the same answer.
    pub fn are_none(&self) -> bool {
        self.fs.is_empty() && self.not_grantable().is_empty()
    }

    /// The capabilities asked for that no operator can give yet, by their key in the contract.
    pub fn not_grantable(&self) -> Vec<&'static str> {
        [
            (!self.http.is_empty(), "http"),
            (!self.env.is_empty(), "env"),
            (!self.secrets.is_empty(), "secrets"),
            (self.clock, "clock"),
            (self.random, "random"),
        ]
        .into_iter()
        .filter_map(|(asked, key)| asked.then_some(key))
        .collect()
    }
}

/// What a tool says of itself. Both schemas are kept as the text they came as, so that the schema a model is shown is
/// byte for byte the one that is enforced.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// The name a model calls it by.
    pub name: ToolName,
    /// The tool's own version, such as `1.2.0`.
    #[schemars(length(min = 1, max = 64))]
    pub version: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 128))]
    pub title: Option<String>,
    /// What it does and when to use it, for the model.
    #[schemars(length(min = 1, max = 1024))]
    pub description: String,
    /// The schema of the arguments: JSON Schema 2020-12, an object at the root, every object closed or open on purpose.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub input: Box<RawValue>,
    /// The schema of the result. It says of which types a result can be: one that values of every type fit promises nothing.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub output: Box<RawValue>,
    /// Whether it only looks or also changes something.
    pub effects: DeclaredEffects,
    /// The limits it asks for.
    #[serde(default)]
    pub limits: AskedLimits,
    /// What it needs from outside.
    #[serde(default)]
    pub capabilities: Capabilities,
    /// The lists of the result's top level that may come back with nothing, as JSON Pointers such as `/orders`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_be_empty: Vec<String>,
    /// Whether an identical write may be meant twice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeatable: bool,
    /// Promises that tie the result to the arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Relation>,
}

/// Why a document is no contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContractError {
    /// Larger than [`MAX_CONTRACT`].
    #[error("the contract has {size}, the most is {MAX_CONTRACT}")]
    TooLarge {
        /// Its size.
        size: ByteCount,
    },
    /// Not one JSON document of the right shape; the text says the line, the column and the key.
    #[error("the contract does not read: {0}")]
    Unreadable(String),
    /// A name outside the rule.
    #[error("{0}")]
    Name(String),
    /// Text that hides something or is too long or missing.
    #[error("`{key}` {problem}")]
    Text {
        /// The key in the contract.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A limit of nothing, under which no call could ever be answered.
    #[error("`limits.{0}` is 0, the least is 1")]
    ZeroLimit(&'static str),
    /// A relation that is none.
    #[error("{0}")]
    Relation(RelationError),
    /// A capability that is asked for in a way nobody could grant.
    #[error("capability `{0}` is no absolute guest path without `.` and `..`")]
    GuestPath(String),
}

impl Contract {
    /// Reads one contract and holds it against every rule that needs nothing but the document.
    ///
    /// # Errors
    /// The first rule broken, in the order: size, JSON and shape, name, texts, capabilities, relations.
    pub fn parse(bytes: &[u8]) -> Result<Self, ContractError> {
        let size = ByteCount::of(bytes);
        if size > MAX_CONTRACT {
            return Err(ContractError::TooLarge { size });
        }
        let contract: Self = serde_json::from_slice(bytes).map_err(|error| read_error(bytes, &error))?;
        contract.check_texts()?;
        for directory in &contract.capabilities.fs {
            check_guest_path(&directory.path)?;
        }
        if let Some(key) = contract.limits.zero() {
            return Err(ContractError::ZeroLimit(key));
        }
        relation::check(&contract.relations).map_err(ContractError::Relation)?;
        Ok(contract)
    }

    /// Texts are shown to models and people, so hidden characters are refused, not repaired.
    fn check_texts(&self) -> Result<(), ContractError> {
        let error = |key: &str, problem: String| Err(ContractError::Text { key: key.to_owned(), problem });
        let reasons = self.capabilities.fs.iter().filter_map(|d| d.reason.as_deref());
        let texts = [("version", Some(self.version.as_str())), ("title", self.title.as_deref())]
            .into_iter()
            .chain([("description", Some(self.description.as_str()))])
            .filter_map(|(key, text)| text.map(|text| (key, text)))
            .chain(reasons.map(|reason| ("capabilities", reason)))
            .chain([("input", self.input.get()), ("output", self.output.get())]);
        for (key, text) in texts {
            if text.trim().is_empty() {
                return error(key, "is empty".to_owned());
            }
            let (cleaned, n_hidden) = text::clean(text);
            if n_hidden > 0 {
                return error(
                    key,
                    format!("holds {n_hidden} control or invisible characters: `{}`", text::one_line(&cleaned, 80)),
                );
            }
        }
        for (key, line) in [("version", self.version.as_str()), ("title", self.title.as_deref().unwrap_or_default())] {
            if line.contains(['\n', '\t']) {
                return error(key, "is more than one line".to_owned());
            }
        }
        for (key, length, max) in [
            ("version", self.version.chars().count(), 64),
            ("title", self.title.as_deref().map_or(0, |title| title.chars().count()), 128),
            ("description", self.description.chars().count(), MAX_DESCRIPTION),
        ] {
            if length > max {
                return error(key, format!("has {length} characters, the most is {max}"));
            }
        }
        Ok(())
    }
}

/// A parse error as one sentence; a bad name has a rule of its own.
fn read_error(bytes: &[u8], error: &serde_json::Error) -> ContractError {
    let said = text::one_line(&error.to_string(), 300);
    let names_a_tool = |name: &str| ToolName::try_from(name.to_owned()).is_err();
    let name = serde_json::from_slice::<serde_json::Value>(bytes)
        .ok()
        .and_then(|value| value.get("name")?.as_str().map(str::to_owned));
    match name {
        Some(name) if names_a_tool(&name) => ContractError::Name(said),
        _ => ContractError::Unreadable(said),
    }
}

/// A path as a guest sees it: absolute, plain segments.
pub(crate) fn check_guest_path(path: &str) -> Result<(), ContractError> {
    let plain = |segment: &str| {
        !segment.is_empty()
            && segment != "."
            && segment != ".."
            && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
    };
    match path.strip_prefix('/') {
        Some(rest) if rest.split('/').all(plain) => Ok(()),
        _ => Err(ContractError::GuestPath(text::one_line(path, 80))),
    }
}

#[cfg(test)]
mod tests {
    use super::{Contract, ContractError, ToolName};

    const GOOD: &str = r#"{"name":"echo","version":"1.0.0","description":"Says it again.","effects":"read",
        "input":{"type":"object","additionalProperties":false},"output":{"type":"object","additionalProperties":false}}"#;

    #[test]
    fn a_name_fits_every_provider_or_is_refused() {
        for name in ["echo", "_x", "A-b_9", &"n".repeat(64)] {
            assert!(ToolName::try_from(name.to_owned()).is_ok(), "{name}");
        }
        for name in ["", "9a", "-a", "a.b", "a b", "é", &"n".repeat(65)] {
            assert!(ToolName::try_from(name.to_owned()).is_err(), "{name}");
        }
    }

    #[test]
    fn a_contract_is_read_and_keeps_the_text_of_its_schemas() {
        let contract = Contract::parse(GOOD.as_bytes()).expect("reads");
        assert_eq!(contract.input.get(), r#"{"type":"object","additionalProperties":false}"#);
    }

    #[test]
    fn a_bad_contract_is_refused_by_the_rule_it_breaks() {
        let refused = |from: &str, to: &str| {
            Contract::parse(GOOD.replace(from, to).as_bytes()).expect_err("is refused").to_string()
        };
        let rows = [
            (r#""name":"echo""#, r#""name":"a.b""#, "`a.b` is no tool name"),
            (r#""effects":"read","#, "", "missing field `effects`"),
            (r#""effects":"read""#, r#""effect":"read""#, "unknown field `effect`"),
            (r#""effects":"read""#, r#""effects":"read","limits":{"fuel":0}"#, "`limits.fuel` is 0"),
            (r#""version":"1.0.0""#, r#""version":"1\n2""#, "`version` is more than one line"),
            ("Says it again.", "Says\u{202e} it.", "`description` holds 1 control or invisible characters"),
            ("Says it again.", " ", "`description` is empty"),
            (
                r#""effects":"read""#,
                r#""effects":"read","relations":[{"at":"/rows"}]"#,
                "needs exactly one of `max_items` and `equals`",
            ),
            (
                r#""effects":"read""#,
                r#""effects":"read","capabilities":{"fs":[{"path":"/a/../b","access":"read"}]}"#,
                "capability `/a/../b`",
            ),
            (r#""additionalProperties":false}}"#, r#""additionalProperties":false}} {"#, "trailing characters"),
        ];
        for (from, to, said) in rows {
            let text = refused(from, to);
            assert!(text.contains(said), "{text}");
        }
        let large = format!("{GOOD}{}", " ".repeat(70_000));
        assert!(matches!(Contract::parse(large.as_bytes()), Err(ContractError::TooLarge { size: _ })));
    }
}

//! Config: the operator's file, `toolgate.toml` (`schemas/config.schema.json`).
//!
//! Reads text only; which file, and what its paths are relative to, is settled at the edge. A key that means nothing is an
//! error with its line: a setting that is silently ignored is worse than none.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::auth::{CallerSettings, RuleSettings};
use crate::contract::{Access, DeclaredEffects};
use crate::engine::Allocation;
use crate::gate::GateSettings;
use crate::repair::settings::RepairSettings;
use crate::sandbox::budget::LimitSettings;
use crate::session::settings::SessionSettings;

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where calls get their memory from: `pooling` (the fastest call) or `on-demand` (for few calls, or where address space is
    /// short, as under `ulimit -v`).
    #[serde(default)]
    pub allocation: Allocation,
    /// Limits for every tool that does not set its own.
    #[serde(default)]
    pub defaults: LimitSettings,
    /// How calls are read.
    #[serde(default)]
    pub gate: GateSettings,
    /// How much a session may have, and when it is stopped.
    #[serde(default)]
    pub session: SessionSettings,
    /// What is done about calls that come to no answer.
    #[serde(default)]
    pub repair: RepairSettings,
    /// The tools, in the order of loading.
    #[serde(default)]
    pub tools: Vec<ToolEntry>,
    /// On whose behalf models call tools, and which tools there are for them.
    #[serde(default)]
    pub callers: Vec<CallerSettings>,
    /// What has to hold of calls. All rules that concern a call have to.
    #[serde(default)]
    pub rules: Vec<RuleSettings>,
}

/// One component, or a directory of them that share the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolEntry {
    /// A component file, or a directory whose `*.wasm` are loaded in alphabetical order; relative to this file.
    pub path: PathBuf,
    /// Limits.
    #[serde(default)]
    pub limits: LimitSettings,
    /// Directories the tool may use, each also asked for by its contract.
    #[serde(default)]
    pub fs: Vec<DirectoryEntry>,
    /// `read` or `write`, over what the contract says and the grants allow.
    #[serde(default)]
    pub effects: Option<DeclaredEffects>,
    /// A session may remember what it reads, although it reaches outside its sandbox; until the session writes, or the memory
    /// is too old.
    #[serde(default)]
    pub remember: bool,
    /// A JSON Schema that results have to fit too, beside the tool's own; relative to this file.
    #[serde(default)]
    pub output_schema: Option<PathBuf>,
    /// Results reach the model as the tool wrote them, control and invisible characters included: text can be hidden in them
    /// from whoever reads along. Failures, logs and screens are cleaned all the same.
    #[serde(default)]
    pub raw_results: bool,
}

/// A directory that is granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectoryEntry {
    /// Where the tool sees it, such as `/data`.
    pub guest: String,
    /// The directory; relative to this file.
    pub host: PathBuf,
    /// `read` or `read-write`.
    pub access: Access,
}

/// What is wrong with the file: the line, the key and the rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("load:policy: {0}")]
pub struct ConfigError(String);

impl Config {
    /// Reads the file's text.
    ///
    /// # Errors
    /// The line, the key and the rule.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        // A text that does not parse is said to be so by the typed reading below.
        if let Ok(table) = DeTable::parse(text)
            && let Some((at, problem)) = table.get_ref().values().find_map(first_unlike_json)
        {
            return Err(ConfigError(format!("line {}: {problem}", line_of(text, at))));
        }
        let config: Self =
            toml::from_str(text).map_err(|error| ConfigError(error.to_string().trim_end().to_owned()))?;
        let limits = [("defaults".to_owned(), &config.defaults)]
            .into_iter()
            .chain(config.tools.iter().enumerate().map(|(idx, tool)| (format!("tools[{idx}].limits"), &tool.limits)));
        for (place, limits) in limits {
            if let Some((key, max)) = limits.beyond_maximum() {
                return Err(ConfigError(format!("`{place}.{key}` is outside 1 to {max}")));
            }
        }
        if let Some((key, max)) = config.gate.beyond_maximum() {
            return Err(ConfigError(format!("`gate.{key}` is outside 1 to {max}")));
        }
        if let Some((key, min, max)) = config.session.beyond_bounds() {
            return Err(ConfigError(format!("`session.{key}` is outside {min} to {max}")));
        }
        if let Some((key, max)) = config.repair.beyond_maximum() {
            return Err(ConfigError(format!("`repair.{key}` is outside 1 to {max}")));
        }
        for (idx, tool) in config.tools.iter().enumerate() {
            let hosts = tool.fs.iter().map(|directory| ("fs.host", &directory.host));
            let schema = tool.output_schema.as_ref().map(|schema| ("output_schema", schema));
            if let Some((key, _)) =
                [("path", &tool.path)].into_iter().chain(schema).chain(hosts).find(|(_, p)| p.as_os_str().is_empty())
            {
                return Err(ConfigError(format!("`tools[{idx}].{key}` is empty")));
            }
        }
        Ok(config)
    }
}

/// The first value that JSON has no form for, by the byte at which it starts. No setting takes one; where a value of the
/// operator's is meant for arguments or rules, it would become another without a word.
fn first_unlike_json(value: &Spanned<DeValue<'_>>) -> Option<(usize, &'static str)> {
    let problem = match value.get_ref() {
        DeValue::Datetime(_) => "a date has no form in JSON: write it in quotes",
        DeValue::Float(number) if number.as_str().parse().is_ok_and(f64::is_finite) => return None,
        DeValue::Float(_) => "this number has no form in JSON: it has to be finite",
        DeValue::Array(items) => return items.iter().find_map(first_unlike_json),
        DeValue::Table(members) => return members.values().find_map(first_unlike_json),
        DeValue::String(_) | DeValue::Integer(_) | DeValue::Boolean(_) => return None,
    };
    Some((value.span().start, problem))
}

/// The line of a byte, counted from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count().saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::Config;
    use crate::contract::Access;
    use crate::engine::Allocation;

    #[test]
    fn a_whole_file_is_read() {
        let config = Config::parse(
            "allocation = \"on-demand\"\n[defaults]\ntime_ms = 2000\n[gate]\ncoerce = true\ndepth = 8\n[[tools]]\npath = \"a.wasm\"\nlimits = { fuel = 7 }\n\
             fs = [{ guest = \"/data\", host = \"data\", access = \"read\" }]\n",
        )
        .expect("reads");
        assert_eq!(config.allocation, Allocation::OnDemand);
        assert_eq!(config.defaults.time_ms, Some(2000));
        assert_eq!((config.gate.coerce, config.gate.strict, config.gate.limits().depth.get()), (true, false, 8));
        assert_eq!(config.tools.first().map(|tool| tool.limits.fuel), Some(Some(7)));
        assert_eq!(config.tools.first().and_then(|tool| tool.fs.first()).map(|fs| fs.access), Some(Access::Read));
    }

    #[test]
    fn a_value_of_the_operators_own_is_read_as_it_is_written() {
        let config = Config::parse("[[callers]]\nname = \"a\"\nattributes = { most = 1_0.5e1, none = [-0.0, 7] }\n");
        let attributes = config.expect("reads").callers.remove(0).attributes;
        assert_eq!(serde_json::to_string(&attributes).expect("prints"), r#"{"most":105.0,"none":[-0.0,7]}"#);
    }

    #[test]
    fn what_means_nothing_is_named_with_its_line() {
        for (text, said) in [
            ("[[tools]]\npath = \"a\"\nfeul = 1\n", ["line 3", "feul"]),
            ("[defaults]\ntime_ms = 0\n", ["defaults.time_ms", "outside 1 to 600000"]),
            ("[[tools]]\npath = \"a\"\nlimits = { fuel = -1 }\n", ["line 3", "fuel"]),
            ("[gate]\ndepth = 129\n", ["gate.depth", "outside 1 to 128"]),
            ("[session]\nrefusals = 0\n", ["session.refusals", "outside 1 to 1000"]),
            ("[session]\nturns = 3\n", ["line 2", "turns"]),
            ("[repair]\nattempts = 11\n", ["repair.attempts", "outside 1 to 10"]),
            ("[[repair.rules]]\nname = \"a\"\n", ["line 1", "reason"]),
            (
                "[[repair.rules]]\nname = \"a\"\nreason = \"args:range\"\nset = { to = \"squeeze\" }\n",
                ["line 4", "squeeze"],
            ),
            (
                "[[repair.rules]]\nname = \"a\"\nreason = \"tool:unavailable\"\nretry = { wait_ms = 0 }\n",
                ["repair.rules[0].retry.wait_ms", "outside 1 to 60000"],
            ),
            ("[gate]\ncoerce = 1\n", ["line 2", "boolean"]),
            ("[[tools]]\npath = \"a\"\npath = \"b\"\n", ["line 3", "duplicate"]),
            ("[[tools]]\nlimits = {}\n", ["line 1", "path"]),
            (
                "[[callers]]\nname = \"a\"\nattributes = { since = 2026-11-30 }\n",
                ["line 3", "a date has no form in JSON"],
            ),
            ("[[callers]]\nname = \"a\"\nattributes = { most = [1.5, nan] }\n", ["line 3", "it has to be finite"]),
            ("\n[defaults]\nfuel = -inf\n", ["line 3", "it has to be finite"]),
            ("allocation = 1_0.5e999\n", ["line 1", "it has to be finite"]),
            ("[[tools]]\npath = \"\"\n", ["tools[0].path", "is empty"]),
            ("[[tools]]\npath = \"a\"\noutput_schema = \"\"\n", ["tools[0].output_schema", "is empty"]),
            ("[[tools]]\npath = \"a\"\nraw_results = 1\n", ["line 3", "boolean"]),
        ] {
            let error = Config::parse(text).expect_err(text).to_string();
            for part in said {
                assert!(error.contains(part), "{error}");
            }
        }
    }
}

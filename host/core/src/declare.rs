//! Declare: what to send to a provider, so that a model knows the tools.
//!
//! The declarations come from the contracts of the registry that dispatches. Providers take subsets of JSON Schema, so a
//! schema is lowered to what its provider takes; the full one stays in the host and decides every call. Reads no message and
//! answers no call: that is `wire`.

mod envelope;
mod extent;
mod facts;
mod lower;
mod markdown;
mod parts;
mod plain;
mod profile;
#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use self::extent::Extent;
use self::lower::Refusal;
pub use self::markdown::documentation;
use self::profile::{Column, Request};
use crate::contract::{Contract, MAX_DESCRIPTION};
use crate::text;

/// Who is sent the declarations, and in which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Anthropic Messages: `tools`.
    Anthropic,
    /// OpenAI Chat Completions and compatible servers: `tools`.
    OpenAiChat,
    /// OpenAI Responses: `tools`.
    OpenAiResponses,
    /// Gemini: `tools`, with `parametersJsonSchema`.
    Gemini,
    /// Gemini: `tools`, with `parameters`, the API's own schema and the only form of its Live API.
    GeminiApi,
    /// Bedrock Converse: `toolConfig.tools`.
    Bedrock,
    /// Mistral: `tools`.
    Mistral,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Anthropic,
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Gemini,
        Self::GeminiApi,
        Self::Bedrock,
        Self::Mistral,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Gemini => "gemini",
            Self::GeminiApi => "gemini-api",
            Self::Bedrock => "bedrock",
            Self::Mistral => "mistral",
        }
    }

    /// What it is, in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Anthropic => "Anthropic Messages",
            Self::OpenAiChat => "OpenAI Chat Completions and compatible servers",
            Self::OpenAiResponses => "OpenAI Responses",
            Self::Gemini => "Gemini, with `parametersJsonSchema`",
            Self::GeminiApi => "Gemini, with `parameters`: the API's own schema, as its Live API wants it",
            Self::Bedrock => "Bedrock Converse",
            Self::Mistral => "Mistral",
        }
    }

    /// Declares tools, in the order given: the value of the request's list of tools as JSON, and what it could not carry.
    ///
    /// The same contracts give the same bytes. Where a schema needs no change it is byte for byte the declared one.
    ///
    /// ```
    /// use toolgate::{Contract, Mode, Provider};
    ///
    /// let contract = Contract::parse(br#"{
    ///     "name": "echo", "version": "1.0.0", "description": "Says it again.", "effects": "read",
    ///     "input": {"type": "object", "additionalProperties": false, "properties": {"n": {"type": "integer", "maximum": 2}}},
    ///     "output": {"type": "object", "additionalProperties": false}
    /// }"#)?;
    /// let declared = Provider::Anthropic.declare([&contract], Mode::Strict);
    /// assert!(declared.warnings.is_empty());
    /// assert!(declared.json.contains(r#""n":{"description":"(maximum 2)","type":"integer"}"#));
    /// # Ok::<(), toolgate::ContractError>(())
    /// ```
    pub fn declare<'c>(self, contracts: impl IntoIterator<Item = &'c Contract>, mode: Mode) -> Declarations {
        let mut warnings = Vec::new();
        if mode == Mode::Strict && self.strict().is_none() {
            warnings.push(Warning { tool: None, at: String::new(), what: Loss::NoStrictMode { provider: self } });
        }
        let mut drafts: Vec<Draft<'c>> =
            contracts.into_iter().filter_map(|contract| self.draft(contract, mode, &mut warnings)).collect();
        self.fit_request(&mut drafts, &mut warnings);
        let max = self.request().tools;
        if drafts.len() > max {
            warnings.push(Warning {
                tool: None,
                at: String::new(),
                what: Loss::TooManyTools { n_tools: drafts.len(), max },
            });
        }
        let json = envelope::write(self, &drafts);
        let tools = drafts.into_iter().map(|draft| DeclaredTool {
            name: draft.name().to_owned(),
            strict: draft.is_strict(),
            nulls: draft.nulls,
        });
        Declarations { json, warnings, tools: tools.collect() }
    }

    /// What it takes without `strict`.
    const fn plain(self) -> &'static Column {
        match self {
            Self::Anthropic | Self::Bedrock => &profile::ANTHROPIC,
            Self::OpenAiChat | Self::OpenAiResponses | Self::Mistral => &profile::OPENAI,
            Self::Gemini => &profile::GEMINI,
            Self::GeminiApi => &profile::GEMINI_API,
        }
    }

    /// What it takes with `strict`. Gemini has no such mark, and what Mistral's takes is not published.
    const fn strict(self) -> Option<&'static Column> {
        match self {
            Self::Anthropic => Some(&profile::ANTHROPIC_STRICT),
            Self::OpenAiChat | Self::OpenAiResponses => Some(&profile::OPENAI_STRICT),
            Self::Bedrock => Some(&profile::BEDROCK_STRICT),
            Self::Gemini | Self::GeminiApi | Self::Mistral => None,
        }
    }

    const fn request(self) -> Request {
        match self {
            Self::Anthropic | Self::Bedrock => Request::ANTHROPIC,
            Self::OpenAiChat | Self::OpenAiResponses => Request::OPENAI,
            Self::Gemini | Self::GeminiApi => Request::GEMINI,
            Self::Mistral => Request::ANY,
        }
    }

    /// Declares one tool; `None` where no request with it would be taken.
    fn draft<'c>(self, contract: &'c Contract, mode: Mode, warnings: &mut Vec<Warning>) -> Option<Draft<'c>> {
        let warn = |at: String, what: Loss| Warning { tool: Some(contract.name.as_str().to_owned()), at, what };
        // A contract holds JSON; one nested too deep to be read again is no schema that a host has loaded.
        let declared: Value = serde_json::from_str(contract.input.get()).unwrap_or_default();
        if let (Mode::Strict, Some(column)) = (mode, self.strict()) {
            let mut noted = Vec::new();
            match Draft::of(contract, &declared, column, &mut noted) {
                Ok(draft) => {
                    warnings.extend(noted.into_iter().map(|(at, what)| warn(at, what)));
                    return Some(Draft { mode, ..draft });
                }
                Err(Refusal { at, why }) => warnings.push(warn(at, why)),
            }
        }
        let mut noted = Vec::new();
        let draft = Draft::of(contract, &declared, self.plain(), &mut noted);
        warnings.extend(noted.into_iter().map(|(at, what)| warn(at, what)));
        match draft {
            Ok(draft) => Some(draft),
            Err(Refusal { at, why }) => {
                let warning = warn(at, why);
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
                None
            }
        }
    }

    /// Declares tools without `strict` until the request holds no more than the provider takes, the largest schema first.
    fn fit_request(self, drafts: &mut [Draft<'_>], warnings: &mut Vec<Warning>) {
        let request = self.request();
        let limits = [
            RequestLimit { what: "tools with `strict`", max: request.strict_tools, count: |_| 1 },
            RequestLimit {
                what: "optional keys in tools with `strict`",
                max: request.optional_keys,
                count: |extent| extent.optional_keys,
            },
            RequestLimit {
                what: "types and alternatives to choose from in tools with `strict`",
                max: request.unions,
                count: |extent| extent.unions,
            },
        ];
        for RequestLimit { what, max, count } in limits {
            loop {
                let counted = drafts.iter_mut().filter(|draft| draft.is_strict());
                let mut counted: Vec<(usize, &mut Draft<'_>)> =
                    counted.map(|draft| (count(&draft.extent), draft)).filter(|(n, _)| *n > 0).collect();
                let sum = counted.iter().fold(0_usize, |sum, (n, _)| sum.saturating_add(*n));
                if sum <= max {
                    break;
                }
                counted.sort_by_key(|(_, draft)| std::cmp::Reverse(draft.schema.get().len()));
                let Some((_, largest)) = counted.into_iter().next() else { break };
                let why = NotStrict::Request { what, max };
                let tool = Some(largest.name().to_owned());
                // What the strict form lost is not lost any more.
                warnings.retain(|warning| warning.tool != tool);
                warnings.push(Warning { tool, at: String::new(), what: Loss::NotStrict(why) });
                match self.draft(largest.contract, Mode::Plain, warnings) {
                    Some(plain) => *largest = plain,
                    None => largest.mode = Mode::Plain,
                }
            }
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a provider is asked to hold the model to the schema while it writes. The host's own check is the same in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The schema is a hint.
    Plain,
    /// The provider makes the model keep to what it takes of the schema.
    Strict,
}

/// Tools as a provider takes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarations {
    /// The value of the request's list of tools.
    pub json: String,
    /// What could not be carried, in the order of the tools.
    pub warnings: Vec<Warning>,
    /// How each tool was declared, in order; one that was left out is not among them.
    pub tools: Vec<DeclaredTool>,
}

/// How one tool was declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredTool {
    /// Its name.
    pub name: String,
    /// Whether it is declared with `strict`.
    pub strict: bool,
    /// The optional keys that a model has to send as `null` for absent, though the declared schema refuses null there: dotted
    /// paths, `*` for any item of a list, such as `filters.status` or `rows.*.note`. In a schema that refers to itself, the
    /// path of the first round.
    pub nulls: Vec<String>,
}

/// Something that a declaration could not carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The tool; none where it is about the whole request.
    pub tool: Option<String>,
    /// The place in its schema, as a JSON Pointer (RFC 6901) that goes through references. Empty at the root.
    pub at: String,
    /// What.
    pub what: Loss,
}

impl fmt::Display for Warning {
    /// Such as ``json_query: declared without `strict`: a schema says no type (at `/properties/input`)``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(tool) = &self.tool {
            write!(f, "{tool}: ")?;
        }
        write!(f, "{}", self.what)?;
        match self.at.as_str() {
            "" => Ok(()),
            at => write!(f, " (at `{}`)", text::one_line(at, 200)),
        }
    }
}

/// What was lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// The tool is declared without `strict`, as its schema is.
    #[error("declared without `strict`: {0}")]
    NotStrict(NotStrict),
    /// The provider has no `strict`, or does not say what it takes.
    #[error("{provider} has no `strict` whose rules are published, so the tools are declared without it")]
    NoStrictMode {
        /// The provider.
        provider: Provider,
    },
    /// A schema that refers to itself ends where it would begin again.
    #[error("a schema that refers to itself is cut off, and takes any value of its type there")]
    Cut,
    /// A schema whose references multiply ends where it became too large.
    #[error("the schema is too large with its references put in place, and is cut off")]
    CutLarge,
    /// Constraints beside a reference.
    #[error("what stands beside a reference that leads back is left out")]
    Beside,
    /// A constraint that is too long for a description.
    #[error("`{keyword}` cannot be declared and is too long to be said in words")]
    Unsaid {
        /// The keyword.
        keyword: &'static str,
    },
    /// More constraints at the root than the tool's description has room for.
    #[error("the tool's description has no room to say all that its schema loses: it takes {max} characters")]
    NoRoom {
        /// Most characters of a description.
        max: usize,
    },
    /// Undeclared keys, where only declared ones can be said.
    #[error("that an object takes undeclared keys cannot be declared, and they may stay away")]
    FreeMap,
    /// A key whose name the provider takes no request with. The tool is left out.
    #[error("the tool is left out: its key `{}` does not fit `{rule}`", text::one_line(key, 64))]
    Name {
        /// The key.
        key: String,
        /// The provider's rule, as a pattern.
        rule: &'static str,
    },
    /// More tools than a request takes.
    #[error("{n_tools} tools are declared, and a request takes at most {max}")]
    TooManyTools {
        /// How many.
        n_tools: usize,
        /// Most.
        max: usize,
    },
}

/// Why a tool is declared without `strict`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotStrict {
    /// An object takes keys that it does not declare.
    #[error("an object takes undeclared keys, which `strict` would refuse")]
    FreeMap,
    /// A schema refers to itself.
    #[error("a schema refers to itself")]
    Recursion,
    /// A schema takes values of every type.
    #[error("a schema says no type")]
    Untyped,
    /// The places of a list differ.
    #[error("the places of a list differ")]
    Tuple,
    /// More than one schema may have.
    #[error("it has more than {max} {what}")]
    TooLarge {
        /// Of what.
        what: &'static str,
        /// Most.
        max: usize,
    },
    /// More than one request may have.
    #[error("a request takes at most {max} {what}")]
    Request {
        /// Of what.
        what: &'static str,
        /// Most.
        max: usize,
    },
}

/// Something that a provider counts over all tools with `strict` of a request.
struct RequestLimit {
    what: &'static str,
    max: usize,
    count: fn(&Extent) -> usize,
}

/// A tool on its way into the envelope.
#[derive(Debug)]
struct Draft<'c> {
    contract: &'c Contract,
    mode: Mode,
    description: String,
    schema: Box<RawValue>,
    /// Whether the schema declares a key.
    has_keys: bool,
    nulls: Vec<String>,
    extent: Extent,
}

impl<'c> Draft<'c> {
    fn of(
        contract: &'c Contract,
        declared: &Value,
        column: &Column,
        noted: &mut Vec<(String, Loss)>,
    ) -> Result<Self, Refusal> {
        let (schema, words, nulls) = match column {
            Column::AsDeclared(column) => {
                let plain = plain::declare(declared, column)?;
                noted.extend(plain.words.unsaid.iter().map(|keyword| (String::new(), Loss::Unsaid { keyword })));
                (plain.schema, plain.words, Vec::new())
            }
            Column::Lowered(profile) => {
                let lowered = lower::lower(declared, profile)?;
                noted.extend(lowered.losses);
                (lowered.schema, lowered.words, lowered.nulls)
            }
        };
        let (description, whole) = words.behind(Some(&contract.description), MAX_DESCRIPTION);
        if !whole {
            noted.push((String::new(), Loss::NoRoom { max: MAX_DESCRIPTION }));
        }
        let mut extent = Extent::default();
        extent.add(&schema, 0);
        Ok(Self {
            contract,
            mode: Mode::Plain,
            description,
            has_keys: schema.get("properties").and_then(Value::as_object).is_some_and(|keys| !keys.is_empty()),
            schema: match schema == *declared {
                true => contract.input.clone(),
                false => to_raw_value(&schema).expect("text keys only, and writing to memory cannot fail"),
            },
            nulls,
            extent,
        })
    }

    fn name(&self) -> &str {
        self.contract.name.as_str()
    }

    fn is_strict(&self) -> bool {
        self.mode == Mode::Strict
    }
}

//! Gate: may these bytes be treated as a call at all?
//!
//! Sees bytes and limits only. Knows no tool (`registry`), never waits (`dispatch`), never guesses: truncated text is never
//! closed and run, and text that does not parse is mended only where the operator wants it (`gate::mend`).

mod mend;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::amendment::{Amendment, Coercion};
use crate::call::{Arguments, RawCall};
use crate::field_path::FieldPath;
use crate::json::{self, Fault, Json, JsonLimits, Kind, Leniency, MAX_NODES, MAX_STRING, Mended, Prefix, Unread};
use crate::units::{ByteCount, Depth};

/// Most bytes of one call's arguments. They are parsed and copied into the guest, so without a cap one turn could fill the
/// host's memory. The longest real calls carry a file's text, which is some hundred KiB.
pub const DEFAULT_ARGUMENTS: ByteCount = ByteCount::mib(1);

/// Deepest nesting of arguments. Whoever walks a value recursively needs a stack frame per level, and a `serde_json::Value`
/// of 100 000 levels aborts the process when it is dropped.
pub const DEFAULT_DEPTH: Depth = Depth::new(64);

/// The most that an operator can let pass as arguments: they are held three times while a call runs.
pub const MAX_ARGUMENTS: ByteCount = ByteCount::mib(16);

/// The deepest that an operator can let pass: what walks a value has room on its stack for this much.
pub const MAX_DEPTH: Depth = Depth::new(128);

/// What an operator sets of how calls are read; what is left out stays at the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GateSettings {
    /// Most bytes of one call's arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_777_216))]
    pub arguments_bytes: Option<u64>,
    /// Deepest nesting of arguments, in levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 128))]
    pub depth: Option<u64>,
    /// Most values and keys of one call's arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub values: Option<u64>,
    /// Most bytes of one string in arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_777_216))]
    pub string_bytes: Option<u64>,
    /// Whether a call is amended, without loss, by what its tool's schema shows to be meant.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub coerce: bool,
    /// Whether the model was shown strict declarations, in which `null` stands for an absent key.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
}

impl GateSettings {
    /// The first setting outside what the host lets pass at all, with the most.
    pub fn beyond_maximum(&self) -> Option<(&'static str, u64)> {
        [
            ("arguments_bytes", self.arguments_bytes, MAX_ARGUMENTS.get()),
            ("depth", self.depth, MAX_DEPTH.get().into()),
            ("values", self.values, 1_000_000),
            ("string_bytes", self.string_bytes, MAX_ARGUMENTS.get()),
        ]
        .into_iter()
        .find_map(|(key, set, max)| set.filter(|set| *set > max || *set == 0).map(|_| (key, max)))
    }

    /// What may pass by these settings.
    pub fn limits(&self) -> GateLimits {
        let default = GateLimits::default();
        GateLimits {
            arguments: self.arguments_bytes.map_or(default.arguments, ByteCount::new),
            depth: self.depth.and_then(|depth| u32::try_from(depth).ok()).map_or(default.depth, Depth::new),
            values: self.values.and_then(|values| usize::try_from(values).ok()).unwrap_or(default.values),
            string: self.string_bytes.map_or(default.string, ByteCount::new),
        }
    }

    /// Whether calls are amended by these settings.
    pub const fn coercion(&self) -> Coercion {
        if self.coerce { Coercion::Lossless } else { Coercion::Off }
    }
}

/// What may pass.
#[derive(Clone, Copy, Debug)]
pub struct GateLimits {
    /// Most bytes of arguments.
    pub arguments: ByteCount,
    /// Deepest nesting.
    pub depth: Depth,
    /// Most values and keys.
    pub values: usize,
    /// Most bytes of one string.
    pub string: ByteCount,
}

impl Default for GateLimits {
    fn default() -> Self {
        Self { arguments: DEFAULT_ARGUMENTS, depth: DEFAULT_DEPTH, values: MAX_NODES, string: MAX_STRING }
    }
}

impl GateLimits {
    /// As the reader takes them.
    pub(crate) const fn json(&self) -> JsonLimits {
        JsonLimits { depth: self.depth, nodes: self.values, string: self.string }
    }
}

/// Why something is not a call. `byte` counts from the start of the arguments' text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallRejection {
    /// The provider cut the turn here, or the text ends inside a value.
    Truncated {
        /// Where the text ends, where that is how it is known.
        byte: Option<usize>,
    },
    /// It breaks the JSON grammar.
    Unparsable {
        /// Where.
        byte: usize,
        /// The rule.
        problem: &'static str,
    },
    /// JSON, but no object.
    NotObject {
        /// What it is, in words.
        got: &'static str,
    },
    /// More bytes than allowed.
    TooLarge {
        /// How many came.
        size: ByteCount,
        /// The most allowed.
        max: ByteCount,
    },
    /// More values and keys than allowed.
    TooManyValues {
        /// Where the first one too many starts.
        byte: usize,
        /// The most allowed.
        max: usize,
    },
    /// A string with more bytes than allowed.
    LongString {
        /// Where it starts.
        byte: usize,
        /// The most allowed.
        max: ByteCount,
    },
    /// A number with more characters than anybody means.
    LongNumber {
        /// Where it starts.
        byte: usize,
        /// The most allowed.
        max: usize,
    },
    /// Deeper than allowed.
    TooDeep {
        /// Where the first level too many starts.
        byte: usize,
        /// The most allowed.
        max: Depth,
    },
    /// One key twice in one object.
    DuplicateKey {
        /// Where the second one starts.
        byte: usize,
        /// The key's path.
        at: FieldPath,
    },
    /// A number that cannot be held exactly.
    InexactNumber {
        /// Where it starts.
        byte: usize,
        /// Its path.
        at: FieldPath,
    },
    /// Text that is not Unicode, or holds U+0000.
    BadText {
        /// Where, as far as that is known.
        byte: Option<usize>,
        /// The path of the string.
        at: FieldPath,
        /// What stands there, in words.
        what: &'static str,
    },
}

/// A call whose arguments are one JSON object of sane size and depth. Made only by [`Gate::admit`].
#[derive(Debug)]
pub(crate) struct Admitted {
    tool: String,
    arguments: Json,
}

impl Admitted {
    pub(crate) fn tool(&self) -> &str {
        &self.tool
    }

    /// Always an object.
    pub(crate) const fn arguments(&self) -> &Json {
        &self.arguments
    }

    pub(crate) fn into_tool(self) -> String {
        self.tool
    }

    pub(crate) fn into_arguments(self) -> Json {
        self.arguments
    }
}

/// The first stage.
#[derive(Debug)]
pub(crate) struct Gate {
    limits: GateLimits,
    coercion: Coercion,
}

impl Gate {
    pub(crate) const fn new(limits: GateLimits, coercion: Coercion) -> Self {
        Self { limits, coercion }
    }

    /// Turns bytes into a call, in the order: cut, size, text and syntax and depth, object.
    pub(crate) fn admit(&self, raw: RawCall, recorded: &mut Vec<Amendment>) -> Result<Admitted, CallRejection> {
        recorded.extend(raw.recorded);
        if raw.cut {
            return Err(CallRejection::Truncated { byte: None });
        }
        let size = raw.arguments.size();
        if size > self.limits.arguments {
            return Err(CallRejection::TooLarge { size, max: self.limits.arguments });
        }
        let text = match raw.arguments {
            Arguments::Text(text) => text,
            Arguments::ParsedObject(text) => {
                recorded.push(Amendment::ParsedObject);
                text
            }
            Arguments::Absent => "null".to_owned(),
            Arguments::NotUnicode => return Err(not_unicode(None, "half a surrogate pair")),
            Arguments::NotUtf8 { byte } => return Err(not_unicode(Some(byte), "bytes that are not UTF-8")),
            Arguments::Other(got) => return Err(CallRejection::NotObject { got }),
        };
        let arguments = self.read(text, recorded)?;
        Ok(Admitted { tool: raw.tool, arguments })
    }

    fn read(&self, text: String, recorded: &mut Vec<Amendment>) -> Result<Json, CallRejection> {
        let limits = self.limits.json();
        let text = match text.strip_prefix('\u{feff}') {
            None => text,
            Some(rest) => {
                recorded.push(Amendment::Bom);
                rest.to_owned()
            }
        };
        let text = match text.trim_ascii() {
            "" => {
                recorded.push(Amendment::EmptyArguments);
                "{}".to_owned()
            }
            "null" => {
                recorded.push(Amendment::NullArguments);
                "{}".to_owned()
            }
            _ => text,
        };
        let (json, mended) = match whole(json::read_prefix(text, &limits, Leniency::default())) {
            Ok(read) => read,
            Err(unread) => self.second_reading(unread, recorded)?,
        };
        recorded.extend(mended.negative_zeros.iter().cloned().map(Amendment::NegativeZero));
        let json = if mended.is_any() { self.read_again(json)? } else { json };
        self.object(json, recorded)
    }

    /// A text that is not one value: an object behind an empty one, or what the operator wants to be mended.
    fn second_reading(&self, unread: Unread, recorded: &mut Vec<Amendment>) -> Result<(Json, Mended), CallRejection> {
        let Unread { fault, text } = unread;
        let limits = self.limits.json();
        if matches!(fault, Fault::Trailing { byte: _ })
            && let Some(rest) = mend::without_empty_object(&text)
            && let Ok((json, mended)) = json::read(rest.to_owned(), &limits)
            && json.root().as_object().is_some()
        {
            recorded.push(Amendment::EmptyObjectPrefix);
            return Ok((json, mended));
        }
        if self.coercion == Coercion::Lossless
            && matches!(fault, Fault::Trailing { .. } | Fault::Syntax { .. } | Fault::BadText { .. })
            && let Some((json, amendments)) = mend::read(&text, &limits)
        {
            recorded.extend(amendments);
            return Ok((json, Mended::default()));
        }
        Err(fault.into())
    }

    /// What was amended is printed and read like anything else, so that the tool gets what was checked.
    fn read_again(&self, json: Json) -> Result<Json, CallRejection> {
        let (json, _) = json::read(json.print(), &self.limits.json())?;
        Ok(json)
    }

    fn object(&self, json: Json, recorded: &mut Vec<Amendment>) -> Result<Json, CallRejection> {
        let got = match json.root().kind() {
            Kind::Object(_) => return Ok(json),
            Kind::Text(said) if self.coercion == Coercion::Lossless => {
                // The object was encoded twice. What it holds is read as strictly as anything.
                if let Ok((inner, mended)) = json::read(said.to_owned(), &self.limits.json())
                    && inner.root().as_object().is_some()
                    && !mended.is_any()
                {
                    recorded.push(Amendment::DecodedArguments);
                    return Ok(inner);
                }
                "a string"
            }
            Kind::Text(_) => "a string",
            Kind::Null => "null",
            Kind::Bool(_) => "true or false",
            Kind::Number(_) => "a number",
            Kind::List(_) => "a list",
        };
        Err(CallRejection::NotObject { got })
    }
}

/// A reading that took the whole text.
fn whole(read: Result<Prefix, Unread>) -> Result<(Json, Mended), Unread> {
    let Prefix { json, mended, end } = read?;
    if end < json.text().len() {
        return Err(Unread { fault: Fault::Trailing { byte: end }, text: json.into_text() });
    }
    Ok((json, mended))
}

fn not_unicode(byte: Option<usize>, what: &'static str) -> CallRejection {
    CallRejection::BadText { byte, at: FieldPath::root(), what }
}

impl From<Fault> for CallRejection {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Truncated { byte } => Self::Truncated { byte: Some(byte) },
            Fault::Syntax { byte, problem } => Self::Unparsable { byte, problem },
            Fault::Trailing { byte } => Self::Unparsable { byte, problem: "something stands behind the value" },
            Fault::TooDeep { byte, max } => Self::TooDeep { byte, max },
            Fault::TooMany { byte, max } => Self::TooManyValues { byte, max },
            Fault::LongString { byte, max } => Self::LongString { byte, max },
            Fault::LongNumber { byte, max } => Self::LongNumber { byte, max },
            Fault::DuplicateKey { byte, at } => Self::DuplicateKey { byte, at },
            Fault::InexactNumber { byte, at } => Self::InexactNumber { byte, at },
            Fault::BadText { byte, at, what } => Self::BadText { byte: Some(byte), at, what },
        }
    }
}

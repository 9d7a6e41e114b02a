//! Call: what `wire` read of one call, before anything is believed about it.
//!
//! Holds text as it came. Whether it is JSON is for `gate` to say, whether there is such a tool for `registry`.

use crate::amendment::Amendment;
use crate::units::ByteCount;

/// One call as a model asked for it. Nothing here has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawCall {
    /// The id the answer goes to; the provider's, or one made for it. Unique within one turn, where the dialect has ids.
    pub id: String,
    /// The name asked for.
    pub tool: String,
    /// The arguments.
    pub arguments: Arguments,
    /// Whether the provider says that this call was cut: it is the last of a turn that was, or marked so itself.
    pub cut: bool,
    /// What was amended in reading the message.
    pub recorded: Vec<Amendment>,
}

/// Arguments as text, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// The text that should be a JSON object.
    Text(String),
    /// An object where the dialect wants its text; read as if it were the text, and recorded.
    ParsedObject(String),
    /// The message has no arguments for this call.
    Absent,
    /// A string with a lone surrogate: it has no text at all.
    NotUnicode,
    /// Bytes that are not UTF-8.
    NotUtf8 {
        /// Where the first of them stands.
        byte: usize,
    },
    /// Something that is neither text nor object where the dialect wants one of them; its kind, in words.
    Other(&'static str),
}

impl Arguments {
    /// The text as it came, where there is one.
    pub const fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::ParsedObject(text) => Some(text.as_str()),
            Self::Absent | Self::NotUnicode | Self::NotUtf8 { byte: _ } | Self::Other(_) => None,
        }
    }

    /// Bytes of the text, where there is one.
    pub fn size(&self) -> ByteCount {
        self.text().map_or_else(ByteCount::default, |text| ByteCount::of(text.as_bytes()))
    }
}

impl RawCall {
    /// A call with arguments as JSON text, for a program that has no provider's message.
    pub fn new(tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self {
            id: String::new(),
            tool: tool.into(),
            arguments: Arguments::Text(arguments.into()),
            cut: false,
            recorded: Vec::new(),
        }
    }

    /// A call with arguments as bytes that should be JSON text, for a program that reads them off a wire.
    pub fn from_bytes(tool: impl Into<String>, arguments: Vec<u8>) -> Self {
        let arguments = String::from_utf8(arguments)
            .map_or_else(|error| Arguments::NotUtf8 { byte: error.utf8_error().valid_up_to() }, Arguments::Text);
        Self { arguments, ..Self::new(tool, String::new()) }
    }

    /// The same call under this id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }
}

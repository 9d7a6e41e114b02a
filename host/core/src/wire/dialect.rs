//! Dialect: the providers' ways of writing calls and results, in one list.
//!
//! A dialect is one file with one trait and one line here; the program's options, its help and the search by shape follow it.

use std::fmt;
use std::str::FromStr;

use super::codec::Codec;
use super::{anthropic, bedrock, gemini, mistral, openai_chat, openai_responses};
use crate::text;

/// A provider's way of writing calls and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, and servers compatible with it.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Gemini `generateContent`, on its own API and on Vertex.
    Gemini,
    /// Amazon Bedrock Converse.
    Bedrock,
    /// Mistral chat completions.
    Mistral,
}

/// A dialect as it is registered: its name on the command line, what it is called, and what knows it.
type Entry = (&'static str, &'static str, &'static dyn Codec);

impl Dialect {
    /// All dialects, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::Anthropic, Self::OpenAiChat, Self::OpenAiResponses, Self::Gemini, Self::Bedrock, Self::Mistral];

    const fn entry(self) -> Entry {
        match self {
            Self::Anthropic => ("anthropic", "Anthropic Messages", &anthropic::Anthropic),
            Self::OpenAiChat => {
                ("openai-chat", "OpenAI Chat Completions and compatible servers", &openai_chat::OpenAiChat)
            }
            Self::OpenAiResponses => ("openai-responses", "OpenAI Responses", &openai_responses::OpenAiResponses),
            Self::Gemini => ("gemini", "Gemini generateContent, Vertex included", &gemini::Gemini),
            Self::Bedrock => ("bedrock", "Amazon Bedrock Converse", &bedrock::Bedrock),
            Self::Mistral => ("mistral", "Mistral chat completions", &mistral::Mistral),
        }
    }

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        self.entry().0
    }

    /// What a person calls it, in a few words.
    pub const fn title(self) -> &'static str {
        self.entry().1
    }

    pub(super) const fn codec(self) -> &'static dyn Codec {
        self.entry().2
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no dialect has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no dialect is called `{0}`")]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let known = Self::ALL.into_iter().find(|dialect| dialect.name() == name);
        known.ok_or_else(|| UnknownDialect(text::one_line(name, 40)))
    }
}

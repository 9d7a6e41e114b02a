//! Codec: what each dialect knows, as one trait, and what it finds in a message.

use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::Form;
use super::error::TurnError;
use super::ids::IdRule;
use super::message::Message;
use super::names::NameRule;
use super::part::{self, Object, Slot};
use crate::reply::Reply;

/// What one dialect knows.
pub(super) trait Codec {
    /// What a message is told by, for a person.
    fn looks_for(&self) -> &'static str;

    /// Whether a message is written in this dialect, by its shape.
    fn recognises(&self, message: &Message<'_>) -> bool;

    /// Whether a block, part or item of a message is a call of this dialect.
    fn is_call(&self, block: &Object<'_>) -> bool;

    /// What is in a message.
    fn read<'m>(&self, message: &Message<'m>) -> Result<Found<'m>, TurnError>;

    /// What the provider takes back in its history.
    fn rules(&self) -> Rules;

    /// The answer to the calls, in order, as JSON.
    fn write(&self, results: &[Answered<'_>]) -> String;
}

/// What a provider takes back in its history.
pub(super) struct Rules {
    /// Which ids; `None` where calls are matched by their position.
    pub(super) ids: Option<IdRule>,
    /// Which names of tools.
    pub(super) names: NameRule,
    /// Arguments in which form.
    pub(super) arguments: Form,
}

/// What a codec found in a message.
pub(super) struct Found<'m> {
    pub(super) calls: Vec<FoundCall<'m>>,
    pub(super) end: End,
    /// What goes into the next request of the message, before the answer: the assistant's message, or its items.
    pub(super) assistant: String,
}

/// How a message ended, in the provider's words.
pub(super) enum End {
    /// As it should.
    Whole,
    /// At a limit: the last call may be incomplete even where its JSON is whole.
    Cut,
    /// With a word that says that no call in it can be used.
    Unusable(String),
}

impl End {
    /// Sorts a provider's word; what a word ends with that ends in `*` may be anything.
    pub(super) fn of(word: Option<String>, cut: &[&str], unusable: &[&str]) -> Self {
        let among = |words: &[&str], word: &str| {
            words.iter().any(|known| known.strip_suffix('*').map_or(*known == word, |start| word.starts_with(start)))
        };
        match word {
            Some(word) if among(cut, &word) => Self::Cut,
            Some(word) if among(unusable, &word) => Self::Unusable(word),
            Some(_) | None => Self::Whole,
        }
    }
}

/// One call, and where in the message it says what.
pub(super) struct FoundCall<'m> {
    pub(super) id: Slot<'m>,
    pub(super) name: Option<Slot<'m>>,
    pub(super) arguments: Option<Slot<'m>>,
    /// Whether it is for a tool that takes free text. None of ours does, and yet it is answered.
    pub(super) is_custom: bool,
    /// Whether the provider says that this very call is incomplete.
    pub(super) is_cut: bool,
    /// Members that its result has to repeat.
    pub(super) copied: Vec<(&'static str, Value)>,
    /// Members that the dialect wants and the call has not, with what to write there.
    pub(super) lacks: Vec<(Slot<'m>, String)>,
}

impl<'m> FoundCall<'m> {
    /// A call whose members all stand in one object, under these keys.
    pub(super) fn of(object: &Object<'m>, id: &'static str, name: &'static str, arguments: &'static str) -> Self {
        Self {
            id: object.slot(id),
            name: Some(object.slot(name)),
            arguments: Some(object.slot(arguments)),
            is_custom: false,
            is_cut: false,
            copied: Vec::new(),
            lacks: Vec::new(),
        }
    }

    /// The tool it asks for. The colon keeps a custom tool's name from ever meeting one of ours.
    pub(super) fn tool(&self) -> String {
        let name = self.name.and_then(|slot| slot.value).and_then(part::text).unwrap_or_default();
        if self.is_custom { format!("custom:{name}") } else { name }
    }

    pub(super) fn raw_arguments(&self) -> Option<&'m RawValue> {
        self.arguments.and_then(|slot| slot.value)
    }
}

/// What a call leaves for its result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Echo {
    /// The name it asked for, as the provider takes it.
    pub(super) name: String,
    /// Whether it was for a tool that takes free text.
    pub(super) is_custom: bool,
    /// Members to repeat.
    pub(super) copied: Vec<(&'static str, Value)>,
}

/// One result to write.
pub(super) struct Answered<'r> {
    pub(super) reply: &'r Reply,
    pub(super) echo: &'r Echo,
}

impl<'r> Answered<'r> {
    /// The members to repeat, for a serializer that flattens them.
    pub(super) fn copied(&self) -> std::collections::BTreeMap<&'r str, &'r Value> {
        self.echo.copied.iter().map(|(key, value)| (*key, value)).collect()
    }
}

/// JSON for a person and a provider alike.
pub(super) fn print(message: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(message).expect("text keys only, and writing to memory cannot fail")
}

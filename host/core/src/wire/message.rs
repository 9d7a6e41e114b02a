//! Message: a provider's message as an object or a list of items, and its parts, read no further than asked.

use serde_json::value::RawValue;

use super::error::{TurnError, not_json, shape};
use super::part::{self, Object};

/// A provider's message: an object, or a list of items.
pub(super) enum Message<'m> {
    Object(Object<'m>),
    Items(&'m RawValue, Vec<&'m RawValue>),
}

impl<'m> Message<'m> {
    pub(super) fn read(whole: &'m RawValue) -> Result<Self, TurnError> {
        let read = match whole.get().bytes().next() {
            Some(b'{') => Object::read(whole).map(Self::Object),
            Some(b'[') => part::items(whole).map(|items| Self::Items(whole, items)),
            _ => Err("it is a single value".to_owned()),
        };
        read.map_err(not_json)
    }

    /// The object that it is.
    pub(super) const fn object(&self) -> Option<&Object<'m>> {
        match self {
            Self::Object(object) => Some(object),
            Self::Items(_, _) => None,
        }
    }

    /// A member; `null` is none.
    pub(super) fn get(&self, key: &str) -> Option<&'m RawValue> {
        self.object().and_then(|object| object.get(key))
    }

    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.object().and_then(|object| object.text(key))
    }

    /// A member that is a list, as its items.
    pub(super) fn list(&self, key: &str) -> Option<Vec<&'m RawValue>> {
        self.get(key).and_then(|list| part::items(list).ok())
    }

    /// Everything that may be a call, in whatever dialect.
    pub(super) fn blocks(&self) -> Vec<Object<'m>> {
        let blocks = match self {
            Self::Items(_, items) => items.clone(),
            Self::Object(_) => {
                ["content", "parts", "tool_calls", "output"].iter().filter_map(|key| self.list(key)).flatten().collect()
            }
        };
        blocks.into_iter().filter_map(|block| Object::read(block).ok()).collect()
    }
}

/// A part that must be an object.
pub(super) fn object<'m>(part: &'m RawValue, at: &str) -> Result<Object<'m>, TurnError> {
    Object::read(part).map_err(|problem| shape(at, format!("cannot be read: {problem}")))
}

/// A part that must be a list of objects.
pub(super) fn objects<'m>(part: &'m RawValue, at: &str) -> Result<Vec<Object<'m>>, TurnError> {
    let items = part::items(part).map_err(|error| shape(at, format!("is no list: {error}")))?;
    items.into_iter().enumerate().map(|(idx, item)| object(item, &format!("{at}.{idx}"))).collect()
}

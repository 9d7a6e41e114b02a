//! Item: one value of a document, to look at.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Json, Node, Num, wide};

/// A value, by its place in its document. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<'j> {
    json: &'j Json,
    at: usize,
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'j> {
    Null,
    Bool(bool),
    Number(Num),
    Text(&'j str),
    List(List<'j>),
    Object(Object<'j>),
}

/// The items of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<'j> {
    json: &'j Json,
    at: usize,
    len: usize,
}

/// The members of an object, in the order of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object<'j> {
    json: &'j Json,
    at: usize,
    len: usize,
}

impl<'j> Item<'j> {
    pub(super) const fn new(json: &'j Json, at: usize) -> Self {
        Self { json, at }
    }

    pub(crate) fn kind(self) -> Kind<'j> {
        match self.json.node(self.at) {
            Node::Null => Kind::Null,
            Node::Bool(said) => Kind::Bool(said),
            Node::Number(number) => Kind::Number(number),
            Node::Plain(span) => Kind::Text(span.of(&self.json.text)),
            Node::Unescaped(span) => Kind::Text(span.of(&self.json.unescaped)),
            Node::List(extent) => Kind::List(List { json: self.json, at: self.at, len: wide(extent.len) }),
            Node::Object(extent) => Kind::Object(Object { json: self.json, at: self.at, len: wide(extent.len) }),
        }
    }

    /// Its node, which no other value or key of the document has.
    pub(crate) const fn place(self) -> usize {
        self.at
    }

    /// Which document it is of.
    pub(crate) const fn json(self) -> &'j Json {
        self.json
    }

    pub(crate) fn as_text(self) -> Option<&'j str> {
        self.json.string(self.at)
    }

    /// Whether it holds other values, or could.
    pub(crate) fn is_container(self) -> bool {
        matches!(self.json.node(self.at), Node::List(_) | Node::Object(_))
    }

    pub(crate) fn as_list(self) -> Option<List<'j>> {
        match self.json.node(self.at) {
            Node::List(extent) => Some(List { json: self.json, at: self.at, len: wide(extent.len) }),
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Plain(_) | Node::Unescaped(_) | Node::Object(_) => {
                None
            }
        }
    }

    pub(crate) fn as_object(self) -> Option<Object<'j>> {
        match self.json.node(self.at) {
            Node::Object(extent) => Some(Object { json: self.json, at: self.at, len: wide(extent.len) }),
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Plain(_) | Node::Unescaped(_) | Node::List(_) => None,
        }
    }
}

impl Item<'_> {
    /// Equality as JSON Schema has it: numbers by value, so `1` and `1.0` are one, and members in any order.
    pub(crate) fn equals(self, other: &Value) -> bool {
        match (self.kind(), other) {
            (Kind::Null, Value::Null) => true,
            (Kind::Bool(a), Value::Bool(b)) => a == *b,
            (Kind::Number(a), Value::Number(b)) => a.compare(Num::of_number(b)) == Ordering::Equal,
            (Kind::Text(a), Value::String(b)) => a == b,
            (Kind::List(a), Value::Array(b)) => a.len() == b.len() && a.items().zip(b).all(|(a, b)| a.equals(b)),
            (Kind::Object(a), Value::Object(b)) => {
                let same = |key: &str, value: Self| b.get(key).is_some_and(|b| value.equals(b));
                a.len() == b.len() && a.members().all(|(key, value)| key.as_text().is_some_and(|key| same(key, value)))
            }
            (Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::List(_) | Kind::Object(_), _) => {
                false
            }
        }
    }
}

impl Item<'_> {
    /// As [`Item::equals`], with a value of another document.
    pub(crate) fn is_same(self, other: Item<'_>) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::Null, Kind::Null) => true,
            (Kind::Bool(a), Kind::Bool(b)) => a == b,
            (Kind::Number(a), Kind::Number(b)) => a.compare(b) == Ordering::Equal,
            (Kind::Text(a), Kind::Text(b)) => a == b,
            (Kind::List(a), Kind::List(b)) => a.len() == b.len() && a.items().zip(b.items()).all(|(a, b)| a.is_same(b)),
            (Kind::Object(a), Kind::Object(b)) => {
                let same = |key: &str, value: Self| b.get(key).is_some_and(|b| value.is_same(b));
                a.len() == b.len() && a.members().all(|(key, value)| key.as_text().is_some_and(|key| same(key, value)))
            }
            (Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::List(_) | Kind::Object(_), _) => {
                false
            }
        }
    }
}

impl<'j> List<'j> {
    pub(crate) const fn len(self) -> usize {
        self.len
    }

    pub(crate) const fn items(self) -> Items<'j> {
        Items { json: self.json, at: self.at.saturating_add(1), n_left: self.len }
    }
}

/// Goes through the items of a list.
#[derive(Clone, Debug)]
pub(crate) struct Items<'j> {
    json: &'j Json,
    at: usize,
    n_left: usize,
}

impl<'j> Iterator for Items<'j> {
    type Item = Item<'j>;

    fn next(&mut self) -> Option<Item<'j>> {
        self.n_left = self.n_left.checked_sub(1)?;
        let item = Item::new(self.json, self.at);
        self.at = self.json.after(self.at);
        Some(item)
    }
}

impl<'j> Object<'j> {
    pub(crate) const fn len(self) -> usize {
        self.len
    }

    pub(crate) fn get(self, key: &str) -> Option<Item<'j>> {
        let at = self.json.find(self.at, self.len, key)?;
        Some(Item::new(self.json, at.saturating_add(1)))
    }

    /// Each key, as the string that it is, and its value.
    pub(crate) fn members(self) -> Members<'j> {
        Members { json: self.json, at: self.at.saturating_add(1), n_left: self.len }
    }

    pub(crate) fn keys(self) -> impl Iterator<Item = &'j str> + use<'j> {
        self.members().map(|(key, _)| key.as_text().unwrap_or_default())
    }
}

/// Goes through the members of an object.
#[derive(Clone, Debug)]
pub(crate) struct Members<'j> {
    json: &'j Json,
    at: usize,
    n_left: usize,
}

impl<'j> Iterator for Members<'j> {
    type Item = (Item<'j>, Item<'j>);

    fn next(&mut self) -> Option<Self::Item> {
        self.n_left = self.n_left.checked_sub(1)?;
        let value = self.at.saturating_add(1);
        let member = (Item::new(self.json, self.at), Item::new(self.json, value));
        self.at = self.json.after(value);
        Some(member)
    }
}

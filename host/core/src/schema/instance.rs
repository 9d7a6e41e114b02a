//! Instance: a document as the validator crate looks at one, so that its verdict is given on what the reader built, with no
//! copy in between.

use std::borrow::Cow;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json as Representation, JsonNumber, Node, NodeIdentity, Object as JsonObject};
use serde_json::{Number, Value};

use crate::json::{Item, Items, Json, Kind, List, Members, Num, Object};

/// Our documents, as a representation.
#[derive(Debug)]
pub(super) struct Documents;

impl Representation for Documents {
    type Node<'a> = Item<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = Json;

    // A key of a small object is found by looking at all of them, so one pass over the members is never dearer.
    const KEYS_PER_LOOKUP: usize = 16;
    const ACYCLIC: bool = true;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>(buffer: &mut Json, string: &str, f: impl FnOnce(Item<'_>) -> T) -> T {
        buffer.set_string(string);
        f(buffer.root())
    }
}

impl<'a> Node<'a, Documents> for Item<'a> {
    type Object = Object<'a>;
    type Array = List<'a>;
    type Number = Num;

    fn as_object(&self) -> Option<Object<'a>> {
        Item::as_object(*self)
    }

    fn as_array(&self) -> Option<List<'a>> {
        self.as_list()
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.as_text().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<Num> {
        match self.kind() {
            Kind::Number(number) => Some(number),
            Kind::Null | Kind::Bool(_) | Kind::Text(_) | Kind::List(_) | Kind::Object(_) => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self.kind() {
            Kind::Bool(said) => Some(said),
            Kind::Null | Kind::Number(_) | Kind::Text(_) | Kind::List(_) | Kind::Object(_) => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.kind(), Kind::Null)
    }

    fn json_type(&self) -> JsonType {
        match self.kind() {
            Kind::Null => JsonType::Null,
            Kind::Bool(_) => JsonType::Boolean,
            Kind::Number(_) => JsonType::Number,
            Kind::Text(_) => JsonType::String,
            Kind::List(_) => JsonType::Array,
            Kind::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        self.equals(expected)
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(Item::to_value(*self))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        let document = std::ptr::from_ref(self.json()).addr();
        u32::try_from(self.place()).ok().map(|place| NodeIdentity::tagged(document, place))
    }
}

impl<'a> JsonObject<'a, Documents> for Object<'a> {
    type Node = Item<'a>;
    type MemberName = &'a str;
    type MembersIter = NamedMembers<'a>;

    fn len(&self) -> usize {
        Object::len(*self)
    }

    fn get(&self, key: &Box<str>) -> Option<Item<'a>> {
        Object::get(*self, key)
    }

    fn members(&self) -> NamedMembers<'a> {
        NamedMembers(Object::members(*self))
    }
}

/// Members with their keys as text.
#[derive(Debug)]
pub(super) struct NamedMembers<'a>(Members<'a>);

impl<'a> Iterator for NamedMembers<'a> {
    type Item = (&'a str, Item<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key.as_text().unwrap_or_default(), value))
    }
}

impl<'a> Array<'a, Documents> for List<'a> {
    type Node = Item<'a>;
    type ElementsIter = Items<'a>;

    fn len(&self) -> usize {
        List::len(*self)
    }

    fn elements(&self) -> Self::ElementsIter {
        self.items()
    }
}

impl JsonNumber for Num {
    fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Whole(number) => Some(*number),
            Self::Negative(_) | Self::Double(_) => None,
        }
    }

    fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Negative(number) => Some(*number),
            Self::Whole(number) => i64::try_from(*number).ok(),
            Self::Double(_) => None,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        Some(Self::as_f64(*self))
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(Self::to_number(*self).to_string())
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Owned(Self::to_number(*self))
    }

    fn is_integer(&self) -> bool {
        self.is_whole()
    }

    fn is_written_as_integer(&self) -> bool {
        !matches!(self, Self::Double(_))
    }
}

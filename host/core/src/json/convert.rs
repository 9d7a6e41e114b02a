//! Convert: a document as a `Value` and back, for what works on values: declarations, other crates, an embedder.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Number, Value};

use super::{Extent, Item, Json, Kind, MAX_SCANNED, Node, Num, Span, small};

impl Item<'_> {
    /// The value as others hold it. Every number keeps its value and its kind.
    pub(crate) fn to_value(self) -> Value {
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::Bool(said) => said.into(),
            Kind::Number(number) => Value::Number(number.to_number()),
            Kind::Text(text) => text.into(),
            Kind::List(list) => list.items().map(Self::to_value).collect(),
            Kind::Object(object) => {
                let members =
                    object.members().map(|(key, value)| (key.as_text().unwrap_or_default().to_owned(), value));
                Value::Object(members.map(|(key, value)| (key, value.to_value())).collect::<Map<_, _>>())
            }
        }
    }
}

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind() {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool(said) => serializer.serialize_bool(said),
            Kind::Number(Num::Negative(number)) => serializer.serialize_i64(number),
            Kind::Number(Num::Whole(number)) => serializer.serialize_u64(number),
            Kind::Number(Num::Double(number)) => serializer.serialize_f64(number),
            Kind::Text(text) => serializer.serialize_str(text),
            Kind::List(list) => {
                let mut seq = serializer.serialize_seq(Some(list.len()))?;
                list.items().try_for_each(|item| seq.serialize_element(&item))?;
                seq.end()
            }
            Kind::Object(object) => {
                let mut map = serializer.serialize_map(Some(object.len()))?;
                object.members().try_for_each(|(key, value)| map.serialize_entry(&key, &value))?;
                map.end()
            }
        }
    }
}

impl Num {
    /// As others hold it.
    pub(crate) fn to_number(self) -> Number {
        match self {
            Self::Negative(number) => number.into(),
            Self::Whole(number) => number.into(),
            Self::Double(number) => Number::from_f64(number).unwrap_or_else(|| 0.into()),
        }
    }

    /// From what others hold.
    pub(crate) fn of_number(number: &Number) -> Self {
        match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => Self::Whole(number),
            (None, Some(number)) => Self::Negative(number),
            (None, None) => Self::Double(number.as_f64().unwrap_or_default()),
        }
    }
}

impl Json {
    /// A document of a value that was built, not read. It holds whatever the value holds.
    pub(crate) fn of_value(value: &Value) -> Self {
        let mut json = Self { text: value.to_string(), ..Self::default() };
        json.add(value);
        json
    }

    /// The document without white space.
    pub(crate) fn print(&self) -> String {
        serde_json::to_string(&self.root()).expect("a document has text keys only, and writing to memory cannot fail")
    }

    /// As [`Json::print`], where the document is no longer needed: most are written as they are printed.
    pub(crate) fn into_printed(self) -> String {
        if self.is_compact { self.into_text() } else { self.print() }
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Null => self.nodes.push(Node::Null),
            Value::Bool(said) => self.nodes.push(Node::Bool(*said)),
            Value::Number(number) => self.nodes.push(Node::Number(Num::of_number(number))),
            Value::String(text) => self.add_string(text),
            Value::Array(items) => {
                let list = self.nodes.len();
                self.nodes.push(Node::Null);
                items.iter().for_each(|item| self.add(item));
                self.close(list, items.len(), Node::List);
            }
            Value::Object(members) => {
                let object = self.nodes.len();
                self.nodes.push(Node::Null);
                for (key, member) in members {
                    self.add_string(key);
                    self.add(member);
                }
                self.close(object, members.len(), Node::Object);
                if members.len() > MAX_SCANNED {
                    self.note_keys(object, members.len());
                }
            }
        }
    }

    fn add_string(&mut self, text: &str) {
        let start = self.unescaped.len();
        self.unescaped.push_str(text);
        self.nodes.push(Node::Unescaped(Span::new(start, self.unescaped.len())));
    }

    fn close(&mut self, container: usize, len: usize, kind: fn(Extent) -> Node) {
        let extent = Extent { len: small(len), end: small(self.nodes.len()) };
        if let Some(node) = self.nodes.get_mut(container) {
            *node = kind(extent);
        }
    }
}

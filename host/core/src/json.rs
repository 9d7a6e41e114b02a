//! JSON: one document, read strictly and held so that a refused call costs little more than reading it.
//!
//! A document keeps its text; strings are looked up in it and only those with escapes are copied. `json::reader` builds
//! it, `json::number` says which numbers can be held, `json::item` looks at it, `json::pointer` names a place in it,
//! `json::convert` turns it into a `Value` and back, `json::canonical` writes it the one way by which equal values are told.
//! Knows neither calls nor results nor schemas: `gate` and `check` give the faults their codes.

mod canonical;
mod convert;
mod fault;
mod item;
mod number;
mod pointer;
mod reader;

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

pub(crate) use self::fault::Fault;
pub(crate) use self::item::{Item, Items, Kind, List, Members, Object};
pub(crate) use self::number::Num;
pub(crate) use self::pointer::{Pointer, index};
pub(crate) use self::reader::{Leniency, Mended, Prefix, Unread, read, read_prefix};
use crate::units::{ByteCount, Depth};

/// Most values of one document, keys included. Each is 16 bytes and is looked at by every rule that applies to it; a
/// megabyte of `[[],[],…]` would be half a million. The longest lists that tools exchange have some ten thousand.
pub const MAX_NODES: usize = 100_000;

/// Most bytes of one string. What is longer is a file, and belongs in a directory that is granted.
pub const MAX_STRING: ByteCount = ByteCount::mib(1);

/// Most bytes of one number as it is written. A double takes 17 digits, the longest integer 20; what is longer is an attack
/// on whoever has to compare it exactly.
pub const MAX_NUMBER: usize = 64;

/// Up to here a key is found by looking at all of them, beyond by its hash.
const MAX_SCANNED: usize = 16;

/// What a document may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonLimits {
    /// Deepest nesting.
    pub(crate) depth: Depth,
    /// Most values, keys included.
    pub(crate) nodes: usize,
    /// Most bytes of one string.
    pub(crate) string: ByteCount,
}

impl JsonLimits {
    /// The host's own bounds, with this nesting.
    pub(crate) const fn deep(depth: Depth) -> Self {
        Self { depth, nodes: MAX_NODES, string: MAX_STRING }
    }
}

/// A document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Json {
    text: String,
    /// The strings that are written with escapes, without them, one after the other.
    unescaped: String,
    /// Every value and key in the order of the text: a container is followed by what it holds.
    nodes: Vec<Node>,
    /// Only where an object is too large to be looked through.
    index: Option<Box<Index>>,
    /// Known to be printed as it is written: no space between its parts, no escape, no number that has two forms.
    is_compact: bool,
}

/// One value or key.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    Null,
    Bool(bool),
    Number(Num),
    /// A part of the text.
    Plain(Span),
    /// A part of the unescaped strings.
    Unescaped(Span),
    List(Extent),
    Object(Extent),
}

/// A part of a string, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn new(start: usize, end: usize) -> Self {
        Self { start: small(start), end: small(end) }
    }

    fn len(self) -> usize {
        wide(self.end.saturating_sub(self.start))
    }

    fn of(self, text: &str) -> &str {
        text.get(wide(self.start)..wide(self.end)).unwrap_or_default()
    }
}

/// How much a container holds: this many items, or members of a key and a value, all of them before node `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Extent {
    len: u32,
    end: u32,
}

/// A text is at most 32 MiB and a document has a node per byte at most, so both are counted in 32 bits.
fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn wide(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The keys of objects with more than [`MAX_SCANNED`] members. Keys are a model's, so the hash is keyed at random: nobody can
/// choose keys that collide.
#[derive(Clone, Debug, Default)]
struct Index {
    hasher: RandomState,
    /// The node of a key by the node of its object and its hash; a collision takes the next free hash.
    keys: HashMap<(u32, u64), u32>,
}

impl Json {
    /// The document as it was read.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Its text, where the document is no longer needed.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// All strings that are written with escapes, without them.
    pub(crate) fn unescaped(&self) -> &str {
        &self.unescaped
    }

    /// How many values and keys it has.
    pub(crate) fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The outermost value; `null` for a document that holds nothing.
    pub(crate) const fn root(&self) -> Item<'_> {
        Item::new(self, 0)
    }

    /// The value or key at a place that [`Item::place`] gave.
    pub(crate) const fn item(&self, place: usize) -> Item<'_> {
        Item::new(self, place)
    }

    /// Makes it a document that is this one string.
    pub(crate) fn set_string(&mut self, said: &str) {
        self.text.clear();
        self.text.push_str(said);
        self.is_compact = false;
        self.unescaped.clear();
        self.nodes.clear();
        self.nodes.push(Node::Plain(Span::new(0, said.len())));
    }

    fn node(&self, at: usize) -> Node {
        self.nodes.get(at).copied().unwrap_or(Node::Null)
    }

    /// The node behind the value at this one.
    fn after(&self, at: usize) -> usize {
        match self.node(at) {
            Node::List(extent) | Node::Object(extent) => wide(extent.end),
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Plain(_) | Node::Unescaped(_) => at.saturating_add(1),
        }
    }

    /// The text of a string node.
    fn string(&self, at: usize) -> Option<&str> {
        match self.node(at) {
            Node::Plain(span) => Some(span.of(&self.text)),
            Node::Unescaped(span) => Some(span.of(&self.unescaped)),
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Object(_) => None,
        }
    }

    /// Whether a node is this string. Most are not, and differ in length already.
    fn is_string(&self, at: usize, said: &str) -> bool {
        match self.node(at) {
            Node::Plain(span) => span.len() == said.len() && span.of(&self.text) == said,
            Node::Unescaped(span) => span.len() == said.len() && span.of(&self.unescaped) == said,
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Object(_) => false,
        }
    }

    /// The node of a key in the object at `object`, which has `len` members so far.
    fn find(&self, object: usize, len: usize, key: &str) -> Option<usize> {
        if len > MAX_SCANNED {
            return self.find_by_hash(object, key);
        }
        let mut at = object.saturating_add(1);
        for _ in 0..len {
            if self.is_string(at, key) {
                return Some(at);
            }
            at = self.after(at.saturating_add(1));
        }
        None
    }

    fn find_by_hash(&self, object: usize, key: &str) -> Option<usize> {
        let index = self.index.as_ref()?;
        let mut hash = index.hasher.hash_one(key);
        while let Some(found) = index.keys.get(&(small(object), hash)) {
            if self.string(wide(*found)) == Some(key) {
                return Some(wide(*found));
            }
            hash = hash.wrapping_add(1);
        }
        None
    }

    /// Notes the key at `key` of the object at `object`.
    fn note_key(&mut self, object: usize, key: usize) {
        let mut index = self.index.take().unwrap_or_default();
        let mut hash = index.hasher.hash_one(self.string(key).unwrap_or_default());
        while index.keys.contains_key(&(small(object), hash)) {
            hash = hash.wrapping_add(1);
        }
        index.keys.insert((small(object), hash), small(key));
        self.index = Some(index);
    }

    /// Notes all keys of an object that has just become too large to be scanned.
    fn note_keys(&mut self, object: usize, len: usize) {
        let mut at = object.saturating_add(1);
        for _ in 0..len {
            self.note_key(object, at);
            at = self.after(at.saturating_add(1));
        }
    }
}

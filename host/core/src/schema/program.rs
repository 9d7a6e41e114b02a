//! Program: a schema as numbered nodes with their keywords read out, so that a value is explained without looking keywords
//! up, and what it costs can be told before it is built.
//!
//! Made of a document that passed `lint`. Holds data; `explain` walks it with a value, `cost` without one.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{lint, refs};
use crate::json::Num;

/// One schema of the document, by number. The root is 0.
pub(super) type NodeId = usize;

/// A pattern or format of the document, by number.
pub(super) type LeafId = usize;

/// All schemas of a document.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) nodes: Vec<Rules>,
    /// The assertions that are left to the validator: patterns, formats, steps, each once.
    pub(super) leaves: Vec<LeafText>,
    /// Whether schemas meet in one place, so that a value may be looked at by one schema twice.
    pub(super) has_in_place: bool,
}

/// One assertion as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LeafText {
    pub(super) keyword: &'static str,
    pub(super) held: Value,
}

/// What one schema says.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// The place of the schema, as a JSON Pointer.
    pub(super) at: String,
    /// Nothing fits.
    pub(super) is_never: bool,
    pub(super) types: Option<Types>,
    pub(super) permitted: Vec<Vec<Value>>,
    pub(super) numbers: Vec<NumberRule>,
    pub(super) text: Option<Box<TextRules>>,
    pub(super) list: Option<Box<ListRules>>,
    pub(super) object: Option<Box<ObjectRules>>,
    pub(super) in_place: Option<Box<InPlace>>,
}

impl Rules {
    /// Whether every value fits.
    pub(super) fn say_nothing(&self) -> bool {
        let Self { at: _, is_never, types, permitted, numbers, text, list, object, in_place } = self;
        let are_open = types.is_none() && permitted.is_empty() && numbers.is_empty();
        !is_never && are_open && text.is_none() && list.is_none() && object.is_none() && in_place.is_none()
    }
}

/// A set of the seven types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Types(u8);

/// The types in the order in which a sentence lists them, with their words.
const TYPES: [(&str, &str); 7] = [
    ("string", "a string"),
    ("integer", "an integer"),
    ("number", "a number"),
    ("boolean", "true or false"),
    ("object", "an object"),
    ("array", "a list"),
    ("null", "null"),
];

impl Types {
    pub(crate) const STRING: Self = Self(1);
    pub(crate) const INTEGER: Self = Self(1 << 1);
    pub(crate) const NUMBER: Self = Self(1 << 2);
    pub(crate) const BOOLEAN: Self = Self(1 << 3);
    pub(crate) const OBJECT: Self = Self(1 << 4);
    pub(crate) const ARRAY: Self = Self(1 << 5);
    pub(crate) const NULL: Self = Self(1 << 6);

    pub(crate) const ALL: Self = Self((1 << TYPES.len()) - 1);

    fn of(held: &Value) -> Self {
        let names = held.as_str().into_iter().chain(held.as_array().into_iter().flatten().filter_map(Value::as_str));
        let bits = names.filter_map(|name| TYPES.iter().position(|(known, _)| *known == name));
        Self(bits.fold(0, |set, bit| set | (1 << bit)))
    }

    pub(crate) const fn has(self, one: Self) -> bool {
        self.0 & one.0 != 0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// An integer is a number, so who takes numbers takes integers.
    pub(super) const fn with_whole_numbers(self) -> Self {
        if self.has(Self::NUMBER) { self.or(Self::INTEGER) } else { self }
    }

    /// The names, in the order of a sentence.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let known = TYPES.iter().enumerate().filter(|(bit, _)| self.0 & (1 << bit) != 0);
        known.map(|(_, (name, _))| *name).collect()
    }
}

/// A type's name as a sentence says it: `an integer`.
pub(crate) fn type_in_words(name: &str) -> &'static str {
    TYPES.iter().find(|(known, _)| *known == name).map_or("of a declared type", |(_, words)| words)
}

/// A bound of a number.
#[derive(Debug)]
pub(super) struct NumberRule {
    pub(super) kind: Bound,
    pub(super) bound: Num,
    /// For `multipleOf`.
    pub(super) leaf: Option<LeafId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Least,
    Most,
    Above,
    Below,
    Step,
}

/// The fewest and the most of something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range {
    pub(super) least: Option<u64>,
    pub(super) most: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct TextRules {
    pub(super) length: Range,
    pub(super) pattern: Option<LeafId>,
    pub(super) format: Option<LeafId>,
}

#[derive(Debug, Default)]
pub(super) struct ListRules {
    pub(super) length: Range,
    pub(super) prefix: Vec<NodeId>,
    pub(super) items: Option<NodeId>,
    pub(super) contains: Option<NodeId>,
    /// How many items fit `contains`; one at least where nothing is said.
    pub(super) contained: Range,
    pub(super) is_set: bool,
    pub(super) unevaluated: Option<NodeId>,
}

#[derive(Debug, Default)]
pub(super) struct ObjectRules {
    pub(super) length: Range,
    /// Sorted by length and then by key, so that a look-up compares lengths until they are equal.
    pub(super) properties: Vec<(Arc<str>, NodeId)>,
    pub(super) patterns: Vec<(LeafId, NodeId)>,
    pub(super) additional: Option<NodeId>,
    pub(super) names: Option<NodeId>,
    pub(super) required: Vec<Arc<str>>,
    pub(super) dependent_required: Vec<(Arc<str>, Vec<Arc<str>>)>,
    pub(super) unevaluated: Option<NodeId>,
}

impl ObjectRules {
    pub(super) fn property(&self, key: &str) -> Option<NodeId> {
        let at = self.properties.binary_search_by(|(declared, _)| by_length(declared, key)).ok()?;
        self.properties.get(at).map(|(_, node)| *node)
    }
}

/// Schemas applied to the very value the schema around them is applied to.
#[derive(Debug, Default)]
pub(super) struct InPlace {
    pub(super) reference: Option<NodeId>,
    pub(super) all: Vec<NodeId>,
    pub(super) any: Vec<NodeId>,
    pub(super) one: Vec<NodeId>,
    pub(super) not: Option<NodeId>,
    pub(super) condition: Option<Condition>,
    pub(super) dependent: Vec<(Arc<str>, NodeId)>,
}

impl InPlace {
    /// All of them.
    pub(super) fn each(&self) -> impl Iterator<Item = NodeId> {
        let condition = self.condition.as_ref();
        let branches = condition.into_iter().flat_map(|held| [Some(held.test), held.then, held.otherwise]).flatten();
        let lists = self.all.iter().chain(&self.any).chain(&self.one).copied();
        let dependent = self.dependent.iter().map(|(_, node)| *node);
        self.reference.into_iter().chain(self.not).chain(lists).chain(branches).chain(dependent)
    }
}

#[derive(Debug)]
pub(super) struct Condition {
    pub(super) test: NodeId,
    pub(super) then: Option<NodeId>,
    pub(super) otherwise: Option<NodeId>,
}

impl Program {
    /// Reads a document that passed `lint`.
    pub(super) fn of(root: &Value) -> Self {
        let mut reader = Reader { root, ids: HashMap::new(), program: Self::default() };
        reader.node(root, "");
        reader.program
    }

    pub(super) fn rules(&self, node: NodeId) -> Option<&Rules> {
        self.nodes.get(node)
    }

    /// Whether a node is the schema `false`.
    pub(super) fn is_never(&self, node: Option<NodeId>) -> bool {
        node.and_then(|node| self.rules(node)).is_some_and(|rules| rules.is_never)
    }
}

struct Reader<'s> {
    root: &'s Value,
    ids: HashMap<*const Value, NodeId>,
    program: Program,
}

impl<'s> Reader<'s> {
    fn node(&mut self, schema: &'s Value, at: &str) -> NodeId {
        if let Some(id) = self.ids.get(&std::ptr::from_ref(schema)) {
            return *id;
        }
        let id = self.program.nodes.len();
        self.ids.insert(std::ptr::from_ref(schema), id);
        // The number is taken first: what follows may refer back to it.
        self.program.nodes.push(Rules::default());
        let mut rules = match schema {
            Value::Object(members) => self.rules(members, at),
            schema => Rules { is_never: *schema == Value::Bool(false), ..Rules::default() },
        };
        at.clone_into(&mut rules.at);
        self.program.has_in_place |= rules.in_place.is_some();
        if let Some(place) = self.program.nodes.get_mut(id) {
            *place = rules;
        }
        id
    }

    fn rules(&mut self, members: &'s Map<String, Value>, at: &str) -> Rules {
        let permitted =
            [members.get("enum").and_then(Value::as_array).cloned(), members.get("const").map(|one| vec![one.clone()])];
        Rules {
            at: String::new(),
            is_never: false,
            types: members.get("type").map(Types::of),
            permitted: permitted.into_iter().flatten().collect(),
            numbers: self.number_rules(members),
            text: self.text_rules(members),
            list: self.list_rules(members, at),
            object: self.object_rules(members, at),
            in_place: self.in_place(members, at),
        }
    }

    fn number_rules(&mut self, members: &Map<String, Value>) -> Vec<NumberRule> {
        const BOUNDS: [(&str, Bound); 5] = [
            ("minimum", Bound::Least),
            ("maximum", Bound::Most),
            ("exclusiveMinimum", Bound::Above),
            ("exclusiveMaximum", Bound::Below),
            ("multipleOf", Bound::Step),
        ];
        let mut rules = Vec::new();
        for (keyword, kind) in BOUNDS {
            if let Some(Value::Number(bound)) = members.get(keyword) {
                let held = Value::Number(bound.clone());
                let leaf = (kind == Bound::Step).then(|| self.leaf(keyword, held));
                rules.push(NumberRule { kind, bound: Num::of_number(bound), leaf });
            }
        }
        rules
    }

    fn text_rules(&mut self, members: &Map<String, Value>) -> Option<Box<TextRules>> {
        has_any(members, &["minLength", "maxLength", "pattern", "format"]).then(|| {
            let mut leaf = |keyword| members.get(keyword).map(|held| self.leaf(keyword, held.clone()));
            let (pattern, format) = (leaf("pattern"), leaf("format"));
            Box::new(TextRules { length: range(members, "minLength", "maxLength"), pattern, format })
        })
    }

    fn list_rules(&mut self, members: &'s Map<String, Value>, at: &str) -> Option<Box<ListRules>> {
        const KEYWORDS: [&str; 7] =
            ["minItems", "maxItems", "prefixItems", "items", "contains", "uniqueItems", "unevaluatedItems"];
        has_any(members, &KEYWORDS).then(|| {
            Box::new(ListRules {
                length: range(members, "minItems", "maxItems"),
                prefix: self.several(members, "prefixItems", at),
                items: self.one(members, "items", at),
                contains: self.one(members, "contains", at),
                contained: range(members, "minContains", "maxContains"),
                is_set: members.get("uniqueItems") == Some(&Value::Bool(true)),
                unevaluated: self.one(members, "unevaluatedItems", at),
            })
        })
    }

    fn object_rules(&mut self, members: &'s Map<String, Value>, at: &str) -> Option<Box<ObjectRules>> {
        const KEYWORDS: [&str; 9] = [
            "minProperties",
            "maxProperties",
            "properties",
            "patternProperties",
            "additionalProperties",
            "propertyNames",
            "required",
            "dependentRequired",
            "unevaluatedProperties",
        ];
        has_any(members, &KEYWORDS).then(|| {
            let patterns = self.named(members, "patternProperties", at);
            let patterns = patterns.into_iter().map(|(pattern, node)| (self.leaf("pattern", (*pattern).into()), node));
            let patterns = patterns.collect();
            let dependent = members.get("dependentRequired").and_then(Value::as_object).into_iter().flatten();
            let mut properties = self.named(members, "properties", at);
            properties.sort_unstable_by(|(a, _), (b, _)| by_length(a, b));
            Box::new(ObjectRules {
                length: range(members, "minProperties", "maxProperties"),
                properties,
                patterns,
                additional: self.one(members, "additionalProperties", at),
                names: self.one(members, "propertyNames", at),
                required: names(members.get("required")),
                dependent_required: dependent.map(|(key, held)| (key.as_str().into(), names(Some(held)))).collect(),
                unevaluated: self.one(members, "unevaluatedProperties", at),
            })
        })
    }

    fn in_place(&mut self, members: &'s Map<String, Value>, at: &str) -> Option<Box<InPlace>> {
        const KEYWORDS: [&str; 7] = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas"];
        has_any(members, &KEYWORDS).then(|| {
            let root = self.root;
            let target = members.get("$ref").and_then(Value::as_str);
            let definition = target.and_then(|target| refs::resolve(root, target).map(|found| (found, target)));
            let test = self.one(members, "if", at);
            Box::new(InPlace {
                reference: definition.map(|(found, target)| self.node(found, target.trim_start_matches('#'))),
                all: self.several(members, "allOf", at),
                any: self.several(members, "anyOf", at),
                one: self.several(members, "oneOf", at),
                not: self.one(members, "not", at),
                condition: test.map(|test| Condition {
                    test,
                    then: self.one(members, "then", at),
                    otherwise: self.one(members, "else", at),
                }),
                dependent: self.named(members, "dependentSchemas", at),
            })
        })
    }

    fn one(&mut self, members: &'s Map<String, Value>, keyword: &str, at: &str) -> Option<NodeId> {
        members.get(keyword).map(|schema| self.node(schema, &format!("{at}/{keyword}")))
    }

    fn several(&mut self, members: &'s Map<String, Value>, keyword: &str, at: &str) -> Vec<NodeId> {
        let schemas = members.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate();
        schemas.map(|(nth, schema)| self.node(schema, &format!("{at}/{keyword}/{nth}"))).collect()
    }

    fn named(&mut self, members: &'s Map<String, Value>, keyword: &str, at: &str) -> Vec<(Arc<str>, NodeId)> {
        let schemas = members.get(keyword).and_then(Value::as_object).into_iter().flatten();
        let step = crate::field_path::pointer_step;
        schemas
            .map(|(name, schema)| (name.as_str().into(), self.node(schema, &format!("{at}/{keyword}/{}", step(name)))))
            .collect()
    }

    fn leaf(&mut self, keyword: &'static str, held: Value) -> LeafId {
        let leaf = LeafText { keyword, held };
        let leaves = &mut self.program.leaves;
        leaves.iter().position(|known| *known == leaf).unwrap_or_else(|| {
            leaves.push(leaf);
            leaves.len().saturating_sub(1)
        })
    }
}

fn by_length(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn has_any(members: &Map<String, Value>, keywords: &[&str]) -> bool {
    keywords.iter().any(|keyword| members.contains_key(*keyword))
}

fn range(members: &Map<String, Value>, least: &str, most: &str) -> Range {
    let count = |keyword: &str| members.get(keyword).and_then(lint::count);
    Range { least: count(least), most: count(most) }
}

fn names(held: Option<&Value>) -> Vec<Arc<str>> {
    held.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(Into::into).collect()
}

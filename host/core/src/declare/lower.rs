//! Lower: a schema written anew with nothing but what a provider takes.
//!
//! Each place is gathered into facts, and the facts are written by the provider's profile; what the profile cannot carry is
//! said in words. A lowering may loosen and never changes the meaning: what the declared schema accepts, the lowered one
//! accepts, with `null` for an absent key where every key has to be there. Where that cannot be had it refuses, and the tool
//! is declared without `strict`.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value, json};

use super::extent::Extent;
use super::facts::{Facts, Kind, Kinds, Rest, Source, any_of, distinct, is_less};
use super::profile::{Null, Objects, OptionalKeys, Profile, Recursion, Tuples, Untyped};
use super::words::{Constraints, Words};
use super::{Loss, NotStrict};

/// Most schemas of one lowering. References to references multiply when they are put in place: a chain of thirty, each
/// naming the next one twice, would be a billion.
const MAX_SCHEMAS: usize = 4_000;

/// Most schemas inside each other. A chain of references puts one into the other as often as it likes.
const MAX_DEPTH: usize = 32;

/// Most alternatives that several choices in one place are multiplied out to.
const MAX_ALTERNATIVES: usize = 24;

/// A lowered schema.
#[derive(Debug)]
pub(super) struct Lowered {
    /// The schema.
    pub(super) schema: Value,
    /// What its root loses, for the description of the tool.
    pub(super) words: Words,
    /// What was lost without a word, by JSON Pointer.
    pub(super) losses: Vec<(String, Loss)>,
    /// Optional keys that may hold `null` for their absence and could not before, as dotted patterns.
    pub(super) nulls: Vec<String>,
}

/// Why a schema is not lowered.
#[derive(Debug)]
pub(super) struct Refusal {
    /// Where, as a JSON Pointer.
    pub(super) at: String,
    /// Why.
    pub(super) why: Loss,
}

/// A schema as its members.
type Members = Map<String, Value>;

/// Lowers a schema for a profile.
///
/// # Errors
/// What the profile cannot carry and no loosening can mend.
pub(super) fn lower(declared: &Value, profile: &Profile) -> Result<Lowered, Refusal> {
    let mut walk = Walk {
        source: Source::new(declared),
        profile,
        around: vec![Frame { target: "#".to_owned(), n_optional: 0 }],
        n_optional: 0,
        pointer: Vec::new(),
        path: Vec::new(),
        n_schemas: 0,
        definitions: BTreeMap::new(),
        pending: VecDeque::new(),
        losses: Vec::new(),
        nulls: Vec::new(),
    };
    let (mut root, words) = walk.root(declared)?;
    let definitions = walk.definitions()?;
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    let schema = Value::Object(root);
    walk.check_size(&schema)?;
    Ok(Lowered { schema, words, losses: walk.losses, nulls: distinct_texts(walk.nulls) })
}

fn distinct_texts(texts: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

/// A reference that is being put in place.
struct Frame {
    target: String,
    /// How many optional keys stood around it.
    n_optional: usize,
}

/// A definition that refers to itself, to be written into `$defs`.
struct Pending {
    target: String,
    pointer: String,
    path: Vec<String>,
}

struct Walk<'s> {
    source: Source<'s>,
    profile: &'s Profile,
    around: Vec<Frame>,
    n_optional: usize,
    /// The way to the schema being written, for warnings.
    pointer: Vec<String>,
    /// The way to the value it is about.
    path: Vec<String>,
    n_schemas: usize,
    /// Names of definitions by what refers to them.
    definitions: BTreeMap<String, String>,
    pending: VecDeque<Pending>,
    losses: Vec<(String, Loss)>,
    nulls: Vec<String>,
}

/// Where in the document a schema stands.
enum Step<'n> {
    Property(&'n str, Optional),
    Item(&'static str),
    Place(usize),
    Rest,
}

/// Whether a key may be absent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Optional {
    Yes,
    No,
}

impl Walk<'_> {
    /// The root takes no alternatives in any provider's form.
    fn root(&mut self, declared: &Value) -> Result<(Members, Words), Refusal> {
        let targets = self.targets();
        let facts = self.source.facts(declared, &targets);
        let facts = self.source.flat(facts, &targets);
        let depth = self.enter(&facts.via);
        let written = self.write(facts);
        self.around.truncate(depth);
        let (mut root, set_aside) = written?;
        root.insert("type".to_owned(), "object".into());
        Ok((root, self.say(set_aside)))
    }

    fn targets(&self) -> Vec<String> {
        self.around.iter().map(|frame| frame.target.clone()).collect()
    }

    /// Notes references that were put in place; gives back where to cut the notes off again.
    fn enter(&mut self, via: &[String]) -> usize {
        let depth = self.around.len();
        let n_optional = self.n_optional;
        self.around.extend(via.iter().map(|target| Frame { target: target.clone(), n_optional }));
        depth
    }

    fn at(&self) -> String {
        self.pointer.concat()
    }

    fn refuse<T>(&self, why: NotStrict) -> Result<T, Refusal> {
        Err(Refusal { at: self.at(), why: Loss::NotStrict(why) })
    }

    /// The schema of a part; `None` where no value fits.
    fn part(&mut self, declared: &Value, step: &Step<'_>) -> Result<Option<Members>, Refusal> {
        let (n_pointer, n_path, n_optional) = (self.pointer.len(), self.path.len(), self.n_optional);
        match step {
            Step::Property(key, optional) => {
                self.pointer.push(format!("/properties/{}", crate::field_path::pointer_step(key)));
                self.path.push(crate::field_path::FieldPath::root().key(key).to_string());
                self.n_optional = n_optional.saturating_add(usize::from(*optional == Optional::Yes));
            }
            Step::Item(keyword) => {
                self.pointer.push(format!("/{keyword}"));
                self.path.push("*".to_owned());
            }
            Step::Place(idx) => {
                self.pointer.push(format!("/prefixItems/{idx}"));
                self.path.push(idx.to_string());
            }
            Step::Rest => {
                self.pointer.push("/additionalProperties".to_owned());
                self.path.push("*".to_owned());
            }
        }
        let targets = self.targets();
        let facts = self.source.facts(declared, &targets);
        let depth = self.enter(&facts.via);
        let written = self.place(facts);
        self.around.truncate(depth);
        self.pointer.truncate(n_pointer);
        self.path.truncate(n_path);
        self.n_optional = n_optional;
        written
    }

    fn place(&mut self, facts: Facts) -> Result<Option<Members>, Refusal> {
        if facts.takes_nothing() {
            return Ok(None);
        }
        self.n_schemas = self.n_schemas.saturating_add(1);
        if self.n_schemas > MAX_SCHEMAS || self.pointer.len() > MAX_DEPTH {
            return self.cut_large(&facts).map(Some);
        }
        if let Some(target) = facts.recursive.clone() {
            return self.again(&target, facts).map(Some);
        }
        if facts.choices.is_empty() {
            return self.write_with_words(facts).map(Some);
        }
        let n_alternatives = facts.choices.iter().fold(1_usize, |n, choice| n.saturating_mul(choice.arms.len()));
        if facts.has_joint_closure() || n_alternatives > MAX_ALTERNATIVES {
            let facts = self.source.flat(facts, &self.targets());
            return if facts.takes_nothing() { Ok(None) } else { self.write_with_words(facts).map(Some) };
        }
        self.alternatives(facts)
    }

    /// Writes a choice as `anyOf`, each alternative with everything that is said around it: no provider reads an
    /// alternative together with its neighbours.
    fn alternatives(&mut self, mut facts: Facts) -> Result<Option<Members>, Refusal> {
        let description = facts.description.take();
        let set_aside = std::mem::take(&mut facts.set_aside);
        let choice = facts.choices.remove(0);
        let mut alternatives = Vec::new();
        for (idx, arm) in choice.arms.iter().enumerate() {
            let both = self.source.with_arm(&facts, arm, &self.targets());
            self.pointer.push(format!("/anyOf/{idx}"));
            let depth = self.enter(&both.via);
            let written = self.place(both);
            self.around.truncate(depth);
            self.pointer.pop();
            alternatives.extend(written?.map(Value::Object));
        }
        let nullable = self.profile.null == Null::Flag && alternatives.iter().any(is_only_nullable);
        if nullable {
            alternatives.retain(|alternative| !is_only_nullable(alternative));
        }
        let mut members = match distinct(alternatives) {
            none if none.is_empty() && nullable => Members::new(),
            none if none.is_empty() => return Ok(None),
            mut one if one.len() == 1 => one.pop().and_then(into_members).unwrap_or_default(),
            several => Members::from_iter([("anyOf".to_owned(), Value::Array(several))]),
        };
        if nullable {
            members.insert("nullable".to_owned(), true.into());
        }
        if let Some(description) = description {
            describe(&mut members, description);
        }
        let words = self.say(set_aside);
        add_words(&mut members, &words);
        Ok(Some(members))
    }

    /// A reference back into what is being written.
    fn again(&mut self, target: &str, facts: Facts) -> Result<Members, Refusal> {
        let n_around = self.around.iter().rev().find(|frame| frame.target == target).map(|frame| frame.n_optional);
        let keep = match self.profile.recursion {
            Recursion::Kept => true,
            Recursion::KeptUnderOptional => n_around.is_some_and(|n_around| self.n_optional > n_around),
            Recursion::Cut => false,
            Recursion::Refused => return self.refuse(NotStrict::Recursion),
        };
        let mut members = Members::new();
        if keep {
            members.insert("$ref".to_owned(), format!("#/$defs/{}", self.name_of(target)).into());
        } else {
            self.losses.push((self.at(), Loss::Cut));
            let kinds =
                self.source.resolve(target).and_then(|definition| self.source.facts(definition, &self.targets()).kinds);
            members = self.of_kinds(kinds.as_ref());
        }
        let alone = Facts { recursive: None, ..facts.clone() };
        if !alone.is_blank() || !alone.set_aside.is_empty() {
            self.losses.push((self.at(), Loss::Beside));
        }
        if let Some(description) = facts.description {
            describe(&mut members, description);
        }
        Ok(members)
    }

    /// Where a lowering has become too large: the types, and nothing of what is inside.
    fn cut_large(&mut self, facts: &Facts) -> Result<Members, Refusal> {
        if self.profile.untyped == Untyped::Refused {
            return self.refuse(NotStrict::TooLarge { what: "schemas", max: MAX_SCHEMAS });
        }
        if !self.losses.iter().any(|(_, loss)| *loss == Loss::CutLarge) {
            self.losses.push((self.at(), Loss::CutLarge));
        }
        Ok(self.of_kinds(facts.kinds.as_ref()))
    }

    /// A schema that says its types and no more.
    fn of_kinds(&self, kinds: Option<&Kinds>) -> Members {
        let mut members = Members::new();
        self.write_kinds(&mut members, kinds);
        if members.get("type").is_some_and(|kind| kind == Kind::Array.name() || kind.is_array()) {
            members.insert("items".to_owned(), Value::Object(Members::new()));
        }
        members
    }

    /// The name of a definition that has to be written apart.
    fn name_of(&mut self, target: &str) -> String {
        if let Some(name) = self.definitions.get(target) {
            return name.clone();
        }
        let last = target.rsplit('/').next().unwrap_or_default();
        let plain: String = last.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_' || *c == '-').collect();
        let base = if plain.is_empty() { "root".to_owned() } else { plain };
        let taken = |name: &String| self.definitions.values().any(|there| there == name);
        let numbered = (2_usize..).map(|nth| format!("{base}_{nth}"));
        let name = std::iter::once(base.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or_default();
        self.definitions.insert(target.to_owned(), name.clone());
        self.pending.push_back(Pending {
            target: target.to_owned(),
            pointer: format!("/$defs/{name}"),
            path: self.path.clone(),
        });
        name
    }

    fn definitions(&mut self) -> Result<Members, Refusal> {
        let mut written = Members::new();
        while let Some(Pending { target, pointer, path }) = self.pending.pop_front() {
            let Some(definition) = self.source.resolve(&target) else { continue };
            self.around = vec![Frame { target: target.clone(), n_optional: 0 }];
            (self.pointer, self.path, self.n_optional) = (vec![pointer], path, 0);
            let facts = self.source.facts(definition, &self.targets());
            self.enter(&facts.via);
            let schema = self.place(facts)?.unwrap_or_default();
            let name = self.definitions.get(&target).cloned().unwrap_or_default();
            written.insert(name, Value::Object(schema));
        }
        Ok(written)
    }

    fn write_with_words(&mut self, facts: Facts) -> Result<Members, Refusal> {
        let (mut members, set_aside) = self.write(facts)?;
        let words = self.say(set_aside);
        add_words(&mut members, &words);
        Ok(members)
    }

    fn say(&mut self, set_aside: Constraints) -> Words {
        let words = Words::of(set_aside);
        for keyword in &words.unsaid {
            self.losses.push((self.at(), Loss::Unsaid { keyword }));
        }
        words
    }

    /// Writes facts without alternatives; gives back what has to be said in words.
    fn write(&mut self, mut facts: Facts) -> Result<(Members, Constraints), Refusal> {
        let mut members = Members::new();
        if let Some(description) = facts.description.take() {
            members.insert("description".to_owned(), description.into());
        }
        let kinds = facts.kinds_or_of_values();
        if kinds.is_none() && self.profile.untyped == Untyped::Refused {
            return self.refuse(NotStrict::Untyped);
        }
        if self.profile.null == Null::Flag {
            let n_kinds = kinds.iter().flatten().filter(|kind| **kind != Kind::Null).count();
            if n_kinds > 1 {
                return self.apart(members, facts, &kinds.unwrap_or_default());
            }
        }
        self.write_kinds(&mut members, kinds.as_ref());
        let has = |kind: Kind| kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind));
        self.write_values(&mut members, &mut facts);
        let typed = kinds.is_some() || self.profile.null == Null::Type;
        if typed && has(Kind::Object) {
            self.write_keys(&mut members, &mut facts)?;
        }
        if typed && has(Kind::Array) {
            self.write_items(&mut members, &mut facts, kinds.is_some())?;
        }
        self.write_assertions(&mut members, &mut facts, kinds.as_ref());
        let beside_null = self.profile.null == Null::Type && members.remove("nullable").is_some();
        if beside_null {
            let description = members.remove("description");
            members = Members::from_iter([("anyOf".to_owned(), json!([members, nothing()]))]);
            members.extend(description.map(|description| ("description".to_owned(), description)));
        }
        Ok((members, facts.set_aside))
    }

    /// Several types, where a schema has one: an alternative for each.
    fn apart(&mut self, mut members: Members, facts: Facts, kinds: &Kinds) -> Result<(Members, Constraints), Refusal> {
        let (mut alternatives, mut set_aside) = (Vec::new(), Vec::new());
        for kind in kinds.iter().filter(|kind| **kind != Kind::Null) {
            let mut of_kind = Facts { kinds: Some(Kinds::from([*kind])), ..facts.clone() };
            if let Some(values) = &mut of_kind.values {
                values.retain(|value| Kind::of(value) == *kind || (*kind == Kind::Number && value.is_number()));
                if values.is_empty() {
                    continue;
                }
            }
            let (alternative, of_kind) = self.write(of_kind)?;
            alternatives.push(Value::Object(alternative));
            set_aside.extend(of_kind.into_iter().filter(|said| !set_aside.contains(said)).collect::<Vec<_>>());
        }
        members.insert("anyOf".to_owned(), Value::Array(distinct(alternatives)));
        if kinds.contains(&Kind::Null) {
            members.insert("nullable".to_owned(), true.into());
        }
        Ok((members, set_aside))
    }

    fn write_kinds(&self, members: &mut Members, kinds: Option<&Kinds>) {
        let Some(kinds) = kinds else { return };
        let mut names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        if self.profile.null == Null::Flag && kinds.contains(&Kind::Null) {
            names.retain(|name| *name != Kind::Null.name());
            members.insert("nullable".to_owned(), true.into());
        }
        match names.as_slice() {
            [] => {}
            [only] => {
                members.insert("type".to_owned(), (*only).into());
            }
            several if self.profile.null == Null::Type => {
                members.insert("type".to_owned(), json!(several));
            }
            _ => {}
        }
    }

    /// Writes the permitted values. `nullable` is left as a mark where null is one of them and may not be listed.
    fn write_values(&self, members: &mut Members, facts: &mut Facts) {
        let Some(values) = facts.values.take() else { return };
        let of_kind: Vec<Value> = values.iter().filter(|value| facts.takes_kind_of(value)).cloned().collect();
        let values = if of_kind.is_empty() { values } else { of_kind };
        let (taken, others): (Vec<Value>, Vec<Value>) =
            values.iter().cloned().partition(|value| self.profile.takes_value(value));
        if taken.is_empty() || others.iter().any(|value| !value.is_null()) {
            if !values.iter().all(Value::is_null) {
                facts.set_aside.push(("enum", Value::Array(values)));
            }
            return;
        }
        if !others.is_empty() {
            let kinds = Facts { values: Some(taken.clone()), ..Facts::default() }.kinds_or_of_values();
            self.write_kinds(members, kinds.as_ref());
            members.insert("nullable".to_owned(), true.into());
        }
        members.insert("enum".to_owned(), Value::Array(taken));
    }

    fn write_keys(&mut self, members: &mut Members, facts: &mut Facts) -> Result<(), Refusal> {
        let mut properties = Members::new();
        let at_root = self.pointer.is_empty();
        let mut required = Vec::new();
        for (key, declared) in &facts.properties {
            if let Some(rule) = self.profile.names.broken_by(key, at_root) {
                return Err(Refusal { at: self.at(), why: Loss::Name { key: key.clone(), rule } });
            }
            let optional = if facts.required.contains(key) { Optional::No } else { Optional::Yes };
            let Some(mut schema) = self.part(declared, &Step::Property(key, optional))? else { continue };
            if optional == Optional::Yes && self.profile.optional == OptionalKeys::Null {
                if allow_null(&mut schema) {
                    let key = crate::field_path::FieldPath::root().key(key).to_string();
                    let path: Vec<&str> = self.path.iter().map(String::as_str).chain([key.as_str()]).collect();
                    self.nulls.push(path.join("."));
                }
                required.push(key.clone());
            }
            properties.insert(key.clone(), Value::Object(schema));
        }
        let (known, unknown): (Vec<String>, Vec<String>) =
            std::mem::take(&mut facts.required).into_iter().partition(|key| properties.contains_key(key));
        let required: Vec<String> = known.into_iter().chain(required).collect();
        if !unknown.is_empty() {
            facts.set_aside.push(("required", json!(unknown)));
        }
        let is_shown = !properties.is_empty() || self.profile.objects != Objects::Silent;
        let says_keys = facts.kinds.is_some() || !properties.is_empty();
        if is_shown && says_keys {
            members.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() {
            members.insert("required".to_owned(), json!(required));
        }
        self.write_rest(members, &facts.rest)
    }

    fn write_rest(&mut self, members: &mut Members, rest: &Rest) -> Result<(), Refusal> {
        let closure = match (self.profile.objects, rest) {
            (Objects::Silent, Rest::Closed | Rest::Silent) => return Ok(()),
            (Objects::Silent, Rest::Open | Rest::Schema(_)) => {
                self.losses.push((self.at(), Loss::FreeMap));
                return Ok(());
            }
            (Objects::Closed, Rest::Silent | Rest::Open | Rest::Schema(_)) => return self.refuse(NotStrict::FreeMap),
            (_, Rest::Closed) => Value::Bool(false),
            (Objects::AsDeclared, Rest::Silent) => return Ok(()),
            (Objects::AsDeclared, Rest::Open) => Value::Bool(true),
            (Objects::AsDeclared, Rest::Schema(schema)) => match self.part(schema, &Step::Rest)? {
                None => Value::Bool(false),
                Some(anything) if anything.is_empty() => Value::Bool(true),
                Some(schema) => Value::Object(schema),
            },
        };
        members.insert("additionalProperties".to_owned(), closure);
        Ok(())
    }

    fn write_items(&mut self, members: &mut Members, facts: &mut Facts, is_typed: bool) -> Result<(), Refusal> {
        let prefix = std::mem::take(&mut facts.prefix);
        let items = facts.items.take();
        if prefix.is_empty() || self.profile.tuples == Tuples::Kept {
            let mut places = Vec::new();
            for (idx, place) in prefix.iter().enumerate() {
                match self.part(place, &Step::Place(idx))? {
                    Some(place) => places.push(Value::Object(place)),
                    None => {
                        facts.assert("maxItems", idx.into());
                        break;
                    }
                }
            }
            if !places.is_empty() {
                members.insert("prefixItems".to_owned(), Value::Array(places));
            }
            return match items {
                Some(items) => self.write_other_items(members, facts, &items),
                None if is_typed => self.write_other_items(members, facts, &Value::Bool(true)),
                None => Ok(()),
            };
        }
        let n_places = u64::try_from(prefix.len()).unwrap_or(u64::MAX);
        let is_full =
            |facts: &Facts| facts.asserted.get("maxItems").and_then(Value::as_u64).is_some_and(|n| n <= n_places);
        if self.profile.tuples == Tuples::OnlyOfOne && !(prefix.len() == 1 && is_full(facts)) {
            return self.refuse(NotStrict::Tuple);
        }
        let others = (!is_full(facts)).then(|| items.unwrap_or(Value::Bool(true)));
        if self.profile.tuples == Tuples::Widened {
            let places = super::parts::without_annotations("prefixItems", &Value::Array(prefix.clone()));
            facts.set_aside.push(("prefixItems", places));
        }
        let any_place = any_of(prefix.into_iter().chain(others).collect());
        self.write_other_items(members, facts, &any_place)
    }

    fn write_other_items(&mut self, members: &mut Members, facts: &mut Facts, items: &Value) -> Result<(), Refusal> {
        let n_places = members.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        match self.part(items, &Step::Item("items"))? {
            Some(items) => {
                members.insert("items".to_owned(), Value::Object(items));
            }
            None => {
                facts.assert("maxItems", n_places.into());
                if self.profile.untyped == Untyped::Refused {
                    return self.refuse(NotStrict::Untyped);
                }
                members.insert("items".to_owned(), Value::Object(Members::new()));
            }
        }
        Ok(())
    }

    fn write_assertions(&self, members: &mut Members, facts: &mut Facts, kinds: Option<&Kinds>) {
        let mut asserted = std::mem::take(&mut facts.asserted);
        if kinds.is_some_and(|kinds| kinds.contains(&Kind::Integer) && !kinds.contains(&Kind::Number)) {
            self.include_bounds(&mut asserted);
        }
        for (keyword, value) in asserted {
            if !is_about(keyword, kinds) {
                continue;
            }
            let taken = match (keyword, &value) {
                ("format", Value::String(format)) => {
                    self.profile.takes(keyword) && self.profile.formats.contains(&format.as_str())
                }
                ("pattern", Value::String(pattern)) => self.profile.takes_pattern(pattern),
                ("minItems", value) => value.as_u64().is_some_and(|n_items| self.profile.takes_min_items(n_items)),
                (keyword, _) => self.profile.takes(keyword),
            };
            if taken {
                members.insert(keyword.to_owned(), value);
            } else if !says_nothing(keyword, &value) {
                facts.set_aside.push((keyword, value));
            }
        }
    }

    /// For integers a bound that is left out is the next one that is included.
    fn include_bounds(&self, asserted: &mut BTreeMap<&'static str, Value>) {
        for (exclusive, inclusive, step) in
            [("exclusiveMinimum", "minimum", 1_i64), ("exclusiveMaximum", "maximum", -1)]
        {
            if self.profile.takes(exclusive) || !self.profile.takes(inclusive) {
                continue;
            }
            let Some(next) = asserted.get(exclusive).and_then(Value::as_i64).and_then(|bound| bound.checked_add(step))
            else {
                continue;
            };
            asserted.remove(exclusive);
            let next = Value::from(next);
            let stricter = asserted.get(inclusive).is_none_or(|there| match step {
                1 => is_less(there, &next),
                _ => is_less(&next, there),
            });
            if stricter {
                asserted.insert(inclusive, next);
            }
        }
    }

    fn check_size(&mut self, schema: &Value) -> Result<(), Refusal> {
        let mut extent = Extent::default();
        extent.add(schema, 0);
        let over = extent.over(self.profile.size);
        self.pointer.clear();
        match over {
            Some((what, max)) => self.refuse(NotStrict::TooLarge { what, max }),
            None => Ok(()),
        }
    }
}

/// Describes a schema. A reference takes no neighbours, so a described one is an only alternative.
fn describe(members: &mut Members, description: String) {
    if members.contains_key("$ref") {
        let of = std::mem::take(members);
        members.insert("anyOf".to_owned(), json!([of]));
    }
    members.insert("description".to_owned(), description.into());
}

/// Puts words behind a schema's description.
fn add_words(members: &mut Members, words: &Words) {
    if !words.is_empty() {
        let (described, _) = words.behind(members.get("description").and_then(Value::as_str), usize::MAX);
        describe(members, described);
    }
}

fn into_members(schema: Value) -> Option<Members> {
    match schema {
        Value::Object(members) => Some(members),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

/// Whether an alternative says nothing but that null is taken.
fn is_only_nullable(schema: &Value) -> bool {
    schema.as_object().is_some_and(|members| {
        members.keys().all(|key| matches!(key.as_str(), "nullable" | "description")) && members.contains_key("nullable")
    })
}

/// The schema of null.
fn nothing() -> Value {
    json!({ "type": Kind::Null.name() })
}

/// Whether a schema takes null.
fn takes_null(members: &Members) -> bool {
    let named = Value::from(Kind::Null.name());
    let typed = match members.get("type") {
        Some(Value::Array(kinds)) => kinds.contains(&named),
        kind => kind == Some(&named),
    };
    let listed = members.get("enum").and_then(Value::as_array).is_none_or(|values| values.contains(&Value::Null));
    let alternatives = members.get("anyOf").and_then(Value::as_array);
    typed && listed || alternatives.into_iter().flatten().filter_map(Value::as_object).any(takes_null)
}

/// Makes a schema take null where it does not; whether it had to.
fn allow_null(members: &mut Members) -> bool {
    if takes_null(members) {
        return false;
    }
    if let Some(Value::Array(alternatives)) = members.get_mut("anyOf") {
        alternatives.push(nothing());
        return true;
    }
    if members.contains_key("$ref") {
        let of = std::mem::take(members);
        members.insert("anyOf".to_owned(), json!([of, nothing()]));
        return true;
    }
    let named = Value::from(Kind::Null.name());
    match members.get_mut("type") {
        Some(Value::Array(kinds)) if kinds.contains(&named) => {}
        Some(Value::Array(kinds)) => kinds.push(named),
        Some(kind) if *kind != named => *kind = json!([kind.take(), named]),
        _ => {}
    }
    if let Some(Value::Array(values)) = members.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    true
}

/// Whether an assertion is about values of one of these types.
fn is_about(keyword: &str, kinds: Option<&Kinds>) -> bool {
    let has = |wanted: &[Kind]| kinds.is_none_or(|kinds| wanted.iter().any(|kind| kinds.contains(kind)));
    match keyword {
        "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum" | "multipleOf" => {
            has(&[Kind::Integer, Kind::Number])
        }
        "minLength" | "maxLength" | "pattern" => has(&[Kind::String]),
        "minItems" | "maxItems" | "uniqueItems" => has(&[Kind::Array]),
        "minProperties" | "maxProperties" | "propertyNames" => has(&[Kind::Object]),
        _ => true,
    }
}

/// Whether an assertion turns nothing down.
fn says_nothing(keyword: &str, value: &Value) -> bool {
    match keyword {
        "minLength" | "minItems" | "minProperties" => value.as_f64() == Some(0.0),
        "uniqueItems" => *value == false,
        "propertyNames" => *value == true,
        _ => false,
    }
}

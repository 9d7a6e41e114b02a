//! Schema: one JSON Schema 2020-12 document, compiled once, that says yes or no and names the first violation.
//!
//! The only room that knows the `jsonschema` crate, whose `is_valid` is the verdict. A document passes `schema::lint` (known
//! keywords that hold what they can hold), `refs` (nothing outside is opened), `closed` (no object left open by silence) and
//! `cost` (no value can make it slow) before a validator is built; `explain` finds what to say about a value the verdict
//! turned down. Knows neither calls nor results: the codes are given in `registry` and `check`.

mod closed;
mod cost;
mod error;
mod explain;
mod instance;
mod leaf;
mod lint;
mod nulls;
mod places;
mod program;
mod refs;
mod remedy;
mod violation;
mod wants;

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;

pub use self::error::SchemaError;
pub(crate) use self::program::{Types, type_in_words};
pub use self::violation::{Keyword, Misfit, Violation, Wants};
use crate::field_path::FieldPath;
use crate::json::{self, Fault, Json, JsonLimits, Pointer};
use crate::text;
use crate::units::ByteCount;
use cost::Cost;
use explain::Parts;
use instance::Documents;
use leaf::Leaves;
use program::{Program, Rules};

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    text: Box<str>,
    program: Program,
    leaves: Leaves,
    validator: Validator<Documents>,
    cost: Cost,
}

impl Schema {
    /// Compiles a schema whose root is an object: arguments are one, and providers take nothing else.
    ///
    /// # Errors
    /// See [`SchemaError`].
    pub fn of_object(text: &str) -> Result<Self, SchemaError> {
        let schema = Self::compile(text)?;
        let types = schema.program.rules(0).and_then(|rules| rules.types);
        if types.is_some_and(|types| types == Types::OBJECT) { Ok(schema) } else { Err(SchemaError::RootNotObject) }
    }

    /// Compiles a schema.
    ///
    /// # Errors
    /// See [`SchemaError`]; nothing outside the document is ever opened.
    pub fn compile(text: &str) -> Result<Self, SchemaError> {
        Self::build(text, closed::check)
    }

    /// As above, for a document that no contract carries: it may leave objects open by silence, as JSON Schema has it.
    ///
    /// # Errors
    /// See [`SchemaError`].
    pub fn compile_open(text: &str) -> Result<Self, SchemaError> {
        Self::build(text, |_| Ok(()))
    }

    fn build(text: &str, closed: impl FnOnce(&Value) -> Result<(), SchemaError>) -> Result<Self, SchemaError> {
        let root = read(text)?;
        if let Some(hidden) = text::first_hidden(&root) {
            return Err(SchemaError::HiddenText(text::one_line(hidden, 80)));
        }
        lint::check(&root)?;
        let program = Program::of(&root);
        let cost = cost::measure(&program)?;
        closed(&root)?;
        let leaves = Leaves::of(&program)?;
        cost::check_overlaps(&program, &leaves)?;
        let validator = leaf::build(&root).map_err(|said| SchemaError::Invalid(text::one_line(&said, 300)))?;
        Ok(Self { text: text.into(), program, leaves, validator, cost })
    }

    /// The document, byte for byte as it was declared.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The verdict.
    pub fn accepts(&self, value: &Value) -> bool {
        self.admits(&Json::of_value(value))
    }

    /// The first violation of a value that [`Schema::accepts`] turned down, in the order missing, unexpected, type, range,
    /// allowed, shape, and by path inside one of them.
    pub fn explain(&self, value: &Value) -> Violation {
        self.violation(&Json::of_value(value))
    }

    /// What the explainer finds in a value, whatever the verdict: nothing exactly where [`Schema::accepts`] says yes.
    pub fn find_violation(&self, value: &Value) -> Option<Violation> {
        let json = Json::of_value(value);
        explain::first_violation(self.parts(), json.root()).map(|found| violation::violation(self, &json, Some(&found)))
    }

    /// How many values and keys a document may have, so that checking it costs a bounded time.
    pub fn most_values(&self) -> u64 {
        self.cost.most_values()
    }

    /// The verdict on a document.
    pub(crate) fn admits(&self, json: &Json) -> bool {
        self.validator.is_valid(json.root())
    }

    /// The first violation of a document that [`Schema::admits`] turned down.
    pub(crate) fn violation(&self, json: &Json) -> Violation {
        violation::violation(self, json, explain::first_violation(self.parts(), json.root()).as_ref())
    }

    /// As above, keeping the document, for whoever may not want the words.
    pub(crate) fn misfit(self: &Arc<Self>, json: Json) -> Misfit {
        let found = explain::first_violation(self.parts(), json.root());
        Misfit::new(Arc::clone(self), json, found)
    }

    /// Whether the outermost object declares a key by name.
    pub(crate) fn declares(&self, key: &str) -> bool {
        let object = self.program.rules(0).and_then(|rules| rules.object.as_ref());
        object.is_some_and(|object| object.property(key).is_some())
    }

    /// The keys that the outermost object declares by name, for whoever looks for the nearest.
    pub(crate) fn declared_keys(&self) -> impl Iterator<Item = &str> {
        let object = self.program.rules(0).and_then(|rules| rules.object.as_ref());
        object.into_iter().flat_map(|object| object.properties.iter().map(|(key, _)| &**key))
    }

    /// Whether a value can stand at a place: it is declared by name, or an object on the way is open on purpose.
    pub(crate) fn lets(&self, place: &Pointer) -> bool {
        self.program.lets(place)
    }

    /// The optional keys that are `null` where the schema refuses it.
    pub(crate) fn refused_nulls(&self, json: &Json) -> Vec<FieldPath> {
        nulls::refused(self.parts(), json.root())
    }

    /// Compiles the schema of a result. One that any value fits is no promise, and nothing could be held to it.
    ///
    /// # Errors
    /// See [`SchemaError`].
    pub(crate) fn of_result(text: &str) -> Result<Self, SchemaError> {
        let schema = Self::compile(text)?;
        if schema.program.kinds(0) == Types::ALL { Err(SchemaError::PromisesNothing) } else { Ok(schema) }
    }

    /// Compiles a schema that stands over another: it may say as little as it likes, but it says something.
    ///
    /// # Errors
    /// See [`SchemaError`].
    pub(crate) fn over_another(text: &str) -> Result<Self, SchemaError> {
        let schema = Self::compile_open(text)?;
        if schema.program.rules(0).is_some_and(Rules::say_nothing) { Err(SchemaError::AsksNothing) } else { Ok(schema) }
    }

    /// The first key that this schema names in the outermost object and that another lets nowhere stand there.
    pub(crate) fn stranger_to(&self, other: &Self) -> Option<&str> {
        let own = self.program.rules(0)?.object.as_ref()?;
        let theirs = other.program.rules(0)?.object.as_ref()?;
        let is_closed = other.program.is_never(theirs.additional) && theirs.patterns.is_empty();
        let declares = |key: &str| other.kinds_at(&Pointer::to_member(Some(key))).is_some();
        let mut named = own.properties.iter().map(|(key, _)| &**key).chain(own.required.iter().map(|key| &**key));
        named.find(|key| is_closed && !declares(key))
    }

    /// The types of the values at a place; nothing where the schema does not declare it by name.
    pub(crate) fn kinds_at(&self, place: &Pointer) -> Option<Types> {
        self.program.kinds_at(place)
    }

    /// Whether a key of the outermost object declares a list, or a list or `null`; without a key, the value itself.
    pub(crate) fn is_list(&self, key: Option<&str>) -> bool {
        let place = Pointer::to_member(key);
        self.kinds_at(&place).is_some_and(|kinds| kinds.without(Types::NULL) == Types::ARRAY)
    }

    /// Checks that each of these JSON Pointers names a list that is declared in the top level.
    pub(crate) fn has_lists(&self, pointers: &[String]) -> Result<(), SchemaError> {
        let is_top_list = |written: &&String| {
            let place = Pointer::parse(written).filter(|place| place.steps().len() <= 1);
            place.and_then(|place| self.kinds_at(&place)).is_some_and(|kinds| kinds.has(Types::ARRAY))
        };
        match pointers.iter().find(|written| !is_top_list(written)) {
            Some(pointer) => Err(SchemaError::NoSuchList(text::one_line(pointer, 80))),
            None => Ok(()),
        }
    }

    const fn parts(&self) -> Parts<'_> {
        Parts { program: &self.program, leaves: &self.leaves }
    }
}

/// Reads a document. A repeated key would be shown to the model and not enforced, so schemas pass the strict reader too.
fn read(text: &str) -> Result<Value, SchemaError> {
    let size = ByteCount::of(text.as_bytes());
    if size > lint::MAX_SCHEMA {
        return Err(SchemaError::TooLarge { size, max: lint::MAX_SCHEMA });
    }
    let limits = JsonLimits::deep(lint::MAX_SCHEMA_DEPTH);
    match json::read(text.to_owned(), &limits) {
        Ok((json, _)) => Ok(json.root().to_value()),
        Err(Fault::TooDeep { byte: _, max }) => Err(SchemaError::TooDeep { max }),
        Err(fault) => Err(SchemaError::Unreadable(text::one_line(&fault.to_string(), 300))),
    }
}

//! Schemas of a tool's types, as the model reads and the host enforces them: JSON Schema 2020-12, everything in place, and
//! meaning what the author means rather than what serde would let pass.
//!
//! * Every object is closed, unless its author opened it: a free map, or a type that says so itself.
//! * A field that may be left out is left out; `null` is not a second way to say so. A field that is always written as
//!   `null` when there is nothing (an `Option` in a result without `skip_serializing_if`) is required and keeps its `null`,
//!   so the schema agrees with what serde writes.
//! * Documented variants are one `enum` with the documentation in its description. As a `oneOf` of constants, which is what
//!   schemars makes of them, a wrong value would read as a wrong shape.
//! * A `format` that 2020-12 does not know says nothing to a validator. It goes; the range of a 32-bit number stays as
//!   bounds, so that no number is admitted that the type then refuses.
//!
//! Leaves out recursive types' expansion (they stay a `$ref` into `$defs`) and bounds of 64-bit integers: those numbers are
//! beyond what JSON readers keep exact, and the host refuses inexact ones before it looks at a schema.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// What a caller has to send for this type to read it.
pub(crate) fn input<T: JsonSchema>() -> Value {
    root::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// What this type writes.
pub(crate) fn output<T: JsonSchema>() -> Value {
    root::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn root<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Value::Object(root) = &mut schema {
        // The name of a Rust type is nothing a model can use.
        root.remove("title");
        // Providers want to read at the root that it is an object, also where every branch says so.
        if !root.contains_key("type") && says_object(root) {
            root.insert("type".to_owned(), "object".into());
        }
    }
    settle(&mut schema, Closed::No);
    schema
}

/// Whether a schema around this one already decides about undeclared keys of the same object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closed {
    No,
    /// Closing this one as well would refuse the keys of its neighbours.
    Outside,
}

/// Applies every rule to a schema, then to those inside it. `not` and `if` are left alone: they ask, they do not demand.
fn settle(schema: &mut Value, closed: Closed) {
    let Value::Object(schema) = schema else { return };
    strip_null_of_optional_fields(schema);
    fold_constants(schema);
    strip_foreign_format(schema);
    let inside = close(schema, closed);
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            // These look at the same value as the schema they stand in, the others at a part of it.
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                branches.iter_mut().for_each(|branch| settle(branch, inside));
            }
            ("then" | "else", branch) => settle(branch, inside),
            ("prefixItems", Value::Array(parts)) => parts.iter_mut().for_each(|part| settle(part, Closed::No)),
            ("properties" | "patternProperties" | "$defs", Value::Object(parts)) => {
                parts.values_mut().for_each(|part| settle(part, Closed::No));
            }
            ("items" | "additionalProperties" | "contains" | "propertyNames", part) => settle(part, Closed::No),
            _ => {}
        }
    }
}

/// Forbids undeclared keys, at the one place where every declared key can be seen.
fn close(schema: &mut Map<String, Value>, closed: Closed) -> Closed {
    if closed == Closed::Outside
        || schema.contains_key("unevaluatedProperties")
        || schema.contains_key("additionalProperties")
    {
        return Closed::Outside;
    }
    if !says_object(schema) {
        return Closed::No;
    }
    if is_one_object(schema) {
        // Some providers refuse an object schema without the keyword, even for no fields at all.
        schema.entry("properties").or_insert_with(|| Map::new().into());
        schema.insert("additionalProperties".to_owned(), false.into());
        return Closed::No;
    }
    if !schema.contains_key("type") && !schema.contains_key("properties") && !schema.contains_key("allOf") {
        // A plain choice between shapes: each branch sees all of its keys and closes itself.
        return Closed::No;
    }
    schema.insert("unevaluatedProperties".to_owned(), false.into());
    Closed::Outside
}

/// Whether no other schema has a say about the keys of the same object.
fn is_one_object(schema: &Map<String, Value>) -> bool {
    !["allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas", "$ref"].iter().any(|key| schema.contains_key(*key))
}

/// Whether a schema, by itself or in every branch, is about an object.
fn says_object(schema: &Map<String, Value>) -> bool {
    let by_itself = match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => schema.contains_key("properties"),
    };
    by_itself
        || ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).any(|branches| {
            !branches.is_empty() && branches.iter().all(|branch| branch.as_object().is_some_and(says_object))
        })
}

/// A field that is not required is absent when there is nothing to say: schemars' `null` for `Option` goes.
fn strip_null_of_optional_fields(schema: &mut Map<String, Value>) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
    let Some(Value::Object(fields)) = schema.get_mut("properties") else {
        return;
    };
    for (_, field) in fields.iter_mut().filter(|(name, _)| !is_required(name)) {
        if let Value::Object(field) = field {
            strip_null(field);
        }
    }
}

fn strip_null(field: &mut Map<String, Value>) {
    if field.get("default").is_some_and(Value::is_null) {
        field.remove("default");
    }
    if let Some(Value::Array(values)) = field.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(names)) = field.get_mut("type") {
        names.retain(|name| name != "null");
        if let [only] = names.as_slice() {
            let only = only.clone();
            field.insert("type".to_owned(), only);
        }
    }
    let Some(Value::Array(branches)) = field.get_mut("anyOf") else {
        return;
    };
    branches.retain(|branch| branch.get("type").is_none_or(|name| name != "null"));
    if let [Value::Object(only)] = branches.as_mut_slice() {
        let only = std::mem::take(only);
        field.remove("anyOf");
        // What the field says about itself is closer to the reader than what its type says.
        for (keyword, value) in only {
            field.entry(keyword).or_insert(value);
        }
    }
}

/// Makes a choice between documented constants one `enum`.
fn fold_constants(schema: &mut Map<String, Value>) {
    let Some(variants) = schema.get("oneOf").and_then(Value::as_array).and_then(|branches| variants(branches)) else {
        return;
    };
    schema.remove("oneOf");
    let lines: Vec<String> = variants.iter().filter_map(Variant::line).collect();
    if !lines.is_empty() {
        let mut text: Vec<String> = Vec::new();
        text.extend(schema.get("description").and_then(Value::as_str).map(str::to_owned));
        text.extend(lines);
        schema.insert("description".to_owned(), text.join("\n").into());
    }
    if variants.iter().all(|variant| variant.value.is_string()) {
        schema.insert("type".to_owned(), "string".into());
    }
    schema.insert("enum".to_owned(), variants.into_iter().map(|variant| variant.value).collect());
}

struct Variant {
    value: Value,
    description: Option<String>,
}

impl Variant {
    fn line(&self) -> Option<String> {
        let name = self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned);
        Some(format!("- `{name}`: {}", self.description.as_deref()?))
    }
}

/// The constants of a choice, or nothing if any branch is more than constants.
fn variants(branches: &[Value]) -> Option<Vec<Variant>> {
    let mut variants = Vec::new();
    for branch in branches {
        let branch = branch.as_object()?;
        if !branch.keys().all(|key| matches!(key.as_str(), "const" | "enum" | "type" | "description" | "deprecated")) {
            return None;
        }
        let description = branch.get("description").and_then(Value::as_str).map(str::to_owned);
        let values = match (branch.get("const"), branch.get("enum")) {
            (Some(value), None) => vec![value.clone()],
            (None, Some(Value::Array(values))) => values.clone(),
            _ => return None,
        };
        variants.extend(values.into_iter().map(|value| Variant { value, description: description.clone() }));
    }
    Some(variants)
}

/// Every `format` that JSON Schema 2020-12 defines, validation vocabulary, section 7.3.
const FORMATS: [&str; 19] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

fn strip_foreign_format(schema: &mut Map<String, Value>) {
    let Some(format) = schema.get("format").and_then(Value::as_str).filter(|name| !FORMATS.contains(name)) else {
        return;
    };
    // schemars writes the bounds of smaller integers itself.
    let bounds = match format {
        "int32" => Some((Value::from(i32::MIN), Value::from(i32::MAX))),
        "uint32" => Some((Value::from(u32::MIN), Value::from(u32::MAX))),
        _ => None,
    };
    schema.remove("format");
    if let Some((minimum, maximum)) = bounds {
        schema.entry("minimum").or_insert(minimum);
        schema.entry("maximum").or_insert(maximum);
    }
}

#[cfg(test)]
mod tests;

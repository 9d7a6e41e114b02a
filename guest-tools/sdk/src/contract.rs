//! The contract as a JSON document: a [`Declaration`]'s facts under the keys that `schemas/contract.schema.json` names,
//! and the two schemas of the tool's types. What an author left at its default is left out.
//!
//! Does not write the schemas' insides (`schema`) and does not check the declaration: the host refuses a bad one at load.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::declaration::{Access, Declaration, Directory, Effects, Limits, Relation, Tie};
use crate::schema;

/// The contract of a tool with this declaration and these input and output types.
///
/// # Errors
/// If the input type is not a JSON object: no provider can call such a tool.
pub fn document<I: JsonSchema, O: JsonSchema>(declaration: &Declaration) -> Result<Value, String> {
    let input = schema::input::<I>();
    if input.get("type").and_then(Value::as_str) != Some("object") {
        return Err(format!("its input must be an object with named fields, and its schema is {input}"));
    }
    let mut document = Map::new();
    let mut put = |key: &str, value: Value| document.insert(key.to_owned(), value);
    put("name", declaration.name.into());
    put("version", declaration.version.into());
    if let Some(title) = declaration.title {
        put("title", title.into());
    }
    put("description", declaration.description.into());
    put("input", input);
    put("output", schema::output::<O>());
    put("effects", effects(declaration.effects).into());
    if let Some(limits) = limits(&declaration.limits) {
        put("limits", limits);
    }
    if !declaration.capabilities.fs.is_empty() {
        put("capabilities", json!({ "fs": declaration.capabilities.fs.iter().map(directory).collect::<Value>() }));
    }
    if !declaration.may_be_empty.is_empty() {
        put("may_be_empty", declaration.may_be_empty.into());
    }
    if declaration.repeatable {
        put("repeatable", true.into());
    }
    if !declaration.relations.is_empty() {
        put("relations", declaration.relations.iter().map(relation).collect());
    }
    Ok(Value::Object(document))
}

fn effects(effects: Effects) -> &'static str {
    match effects {
        Effects::Read => "read",
        Effects::Write => "write",
    }
}

fn limits(limits: &Limits) -> Option<Value> {
    let Limits { fuel, time_ms, memory_bytes, result_bytes } = *limits;
    let rows = [("fuel", fuel), ("time_ms", time_ms), ("memory_bytes", memory_bytes), ("result_bytes", result_bytes)];
    let asked: Map<String, Value> =
        rows.into_iter().filter_map(|(key, limit)| Some((key.to_owned(), limit?.into()))).collect();
    (!asked.is_empty()).then_some(Value::Object(asked))
}

fn relation(relation: &Relation) -> Value {
    let Relation { at, tie, argument } = *relation;
    match tie {
        Tie::MaxItems => json!({ "at": at, "max_items": argument }),
        Tie::Equals => json!({ "at": at, "equals": argument }),
    }
}

fn directory(directory: &Directory) -> Value {
    let access = match directory.access {
        Access::ReadOnly => "read",
        Access::ReadWrite => "read-write",
    };
    json!({ "path": directory.path, "access": access, "reason": directory.reason })
}

#[cfg(test)]
mod tests;

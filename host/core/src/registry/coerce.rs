//! Coerce: a value that its tool's schema turns down and that means only one thing, for operators who want it read so.
//!
//! Mends the violation that would be said, one after the other, and the whole is checked again each time. Nothing is guessed:
//! where a text is not exactly how the value would be written, or the schema takes the text too, the call is refused.

use serde_json::Value;

use crate::amendment::Amendment;
use crate::field_path::FieldPath;
use crate::json::{self, Json, JsonLimits};
use crate::schema::{Keyword, Schema, Violation, Wants};

/// Most amendments of one call. Each costs a check and a walk; a call with more slips than this is no slip.
const MAX_AMENDMENTS: usize = 32;

/// Keys that models wrap arguments in.
const WRAPPERS: [&str; 8] = ["args", "arguments", "input", "kwargs", "parameters", "params", "tool_input", "toolInput"];

/// Prefixes that models take from the lists of tools they were trained on.
const PREFIXES: [&str; 6] = ["creating:", "default_api.", "default_api:", "functions.", "google:", "tool:"];

/// Where a model's control token starts.
const TOKEN: &str = "<|";

/// The names that were probably meant by one that no tool has, with what was left out.
pub(super) fn tool_names(asked: &str) -> impl Iterator<Item = (&str, Amendment)> {
    let prefixed = PREFIXES.iter().filter_map(|prefix| asked.strip_prefix(prefix));
    let with_token = asked.split_once(TOKEN).map(|(name, _)| (name, Amendment::ToolToken));
    prefixed.map(|name| (name, Amendment::ToolPrefix)).chain(with_token)
}

/// The arguments as they are meant, or as far as that is plain. What was amended is recorded in both cases.
pub(super) fn arguments(
    schema: &Schema,
    tool: &str,
    mut json: Json,
    limits: &JsonLimits,
    recorded: &mut Vec<Amendment>,
) -> Result<Json, Json> {
    if let Some((inner, key)) = unwrapped(schema, tool, &json, limits) {
        recorded.push(Amendment::Unwrapped(key));
        return Ok(inner);
    }
    for _ in 0..MAX_AMENDMENTS {
        let violation = schema.violation(&json);
        let Some((mended, amendment)) = mend(schema, &json, &violation, limits) else { return Err(json) };
        json = mended;
        recorded.push(amendment);
        if schema.admits(&json) {
            return Ok(json);
        }
    }
    Err(json)
}

/// The one object that stands in a wrapper, where that is what the schema wants. A name beside it is the tool's.
fn unwrapped(schema: &Schema, tool: &str, json: &Json, limits: &JsonLimits) -> Option<(Json, String)> {
    let object = json.root().as_object()?;
    let key = object.keys().find(|key| WRAPPERS.contains(key))?;
    let names_the_tool = object.get("name").is_none_or(|name| name.as_text() == Some(tool));
    let n_expected = if object.get("name").is_some() { 2 } else { 1 };
    let is_declared = schema.declares(key);
    let inner = object.get(key).filter(|_| names_the_tool && !is_declared && object.len() == n_expected)?;
    inner.as_object()?;
    let (inner, _) = json::read(print(&inner.to_value()), limits).ok()?;
    schema.admits(&inner).then(|| (inner, key.to_owned()))
}

/// The document with one violation mended.
fn mend(schema: &Schema, json: &Json, violation: &Violation, limits: &JsonLimits) -> Option<(Json, Amendment)> {
    let mut value = json.root().to_value();
    let at = &violation.at;
    let amendment = match (&violation.wants, violation.keyword) {
        (Wants::Type(_), Keyword::Type) if at.find(&value) == Some(&Value::Null) => drop_null(&mut value, at)?,
        (Wants::Type(types), Keyword::Type) => {
            let place = at.find_mut(&mut value)?;
            let (mended, amendment) = as_type(place, types, at, limits)?;
            *place = mended;
            amendment
        }
        (Wants::OneOf { values: _, n_more: _, nearest: _, in_another_case: Some(meant) }, Keyword::Enum) => {
            *at.find_mut(&mut value)? = meant.as_str().into();
            Amendment::EnumCase(at.clone())
        }
        _ => return None,
    };
    let (mended, _) = json::read(print(&value), limits).ok()?;
    // A key that was left out must not be one that is required.
    let is_required = |mended: &Json| {
        let left = schema.violation(mended);
        left.keyword == Keyword::Required && left.at == *at
    };
    if matches!(amendment, Amendment::DroppedNull(_)) && !schema.admits(&mended) && is_required(&mended) {
        return None;
    }
    Some((mended, amendment))
}

/// Leaves out a member that is `null`.
fn drop_null(value: &mut Value, at: &FieldPath) -> Option<Amendment> {
    let (parent, key) = at.split_key()?;
    parent.find_mut(value)?.as_object_mut()?.remove(key)?;
    Some(Amendment::DroppedNull(at.clone()))
}

/// A value as one of these types, where it is exactly how that would be written as text, or the other way round.
fn as_type(value: &Value, types: &[&str], at: &FieldPath, limits: &JsonLimits) -> Option<(Value, Amendment)> {
    let wants = |name: &str| types.contains(&name);
    match value {
        Value::String(said) if !wants("string") => {
            let (json, _) = json::read(said.clone(), limits).ok()?;
            let meant = json.root().to_value();
            let is_canonical = print(&meant) == *said;
            let amendment = match &meant {
                Value::Number(_)
                    if is_canonical && (wants("number") || (wants("integer") && !said.contains(['.', 'e', 'E']))) =>
                {
                    Amendment::NumberFromString(at.clone())
                }
                Value::Bool(_) if is_canonical && wants("boolean") => Amendment::BooleanFromString(at.clone()),
                Value::Array(_) if wants("array") => Amendment::DecodedString(at.clone()),
                Value::Object(_) if wants("object") => Amendment::DecodedString(at.clone()),
                _ => return None,
            };
            Some((meant, amendment))
        }
        Value::Number(number) if wants("string") && (number.is_i64() || number.is_u64()) => {
            Some((number.to_string().into(), Amendment::StringFromInteger(at.clone())))
        }
        _ => None,
    }
}

/// Leaves out every optional key that is `null` only because a strict declaration wants it.
pub(super) fn without_strict_nulls(
    schema: &Schema,
    json: &Json,
    limits: &JsonLimits,
    recorded: &mut Vec<Amendment>,
) -> Option<Json> {
    let nulls = schema.refused_nulls(json);
    if nulls.is_empty() {
        return None;
    }
    let mut value = json.root().to_value();
    for at in &nulls {
        let (parent, key) = at.split_key()?;
        parent.find_mut(&mut value)?.as_object_mut()?.remove(key)?;
    }
    let (mended, _) = json::read(print(&value), limits).ok()?;
    recorded.extend(nulls.into_iter().map(Amendment::StrictNull));
    Some(mended)
}

fn print(value: &Value) -> String {
    serde_json::to_string(value).expect("a value has text keys only, and writing to memory cannot fail")
}

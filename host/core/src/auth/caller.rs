//! Caller: on whose behalf a model calls, and the tools that there are for it.
//!
//! A tool that a caller may not use is not in its view of the registry: it is not listed, not suggested and unknown to it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::{AuthError, shown};
use super::settings::CallerSettings;
use crate::json::Json;
use crate::registry::Registry;

/// The attribute that every caller has.
pub(super) const NAME: &str = "name";

/// Most characters of a name.
const MAX_NAME: usize = 64;

/// Somebody who calls, checked.
#[derive(Debug)]
pub(crate) struct Caller {
    name: String,
    /// The name and the attributes, as rules see them.
    facts: Json,
}

impl Caller {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn facts(&self) -> &Json {
        &self.facts
    }
}

/// Whose host it is: the tools that there are for somebody, and who that is. Without a caller it is the operator's own.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) registry: Registry,
    pub(crate) caller: Option<Arc<Caller>>,
}

impl View {
    /// The operator's own.
    pub(super) const fn of_operator(registry: Registry) -> Self {
        Self { registry, caller: None }
    }

    /// A caller's, of the tools that are loaded.
    pub(super) fn of(settings: &CallerSettings, loaded: &Registry) -> Result<Self, Vec<AuthError>> {
        let CallerSettings { name, tools, attributes } = settings;
        let whose = whose(name);
        let mut errors = Vec::new();
        if !is_name(name) {
            errors.push(AuthError::new(&whose, "a name is 1 to 64 letters, digits and `_`, `-`, `.`, `@`"));
        }
        for (key, value) in attributes {
            errors.extend(attribute_problem(key, value).map(|problem| AuthError::new(&whose, problem)));
        }
        errors.extend(tools.iter().flatten().filter_map(|tool| unknown_tool(&whose, tool, loaded)));
        if !errors.is_empty() {
            return Err(errors);
        }
        let registry = match tools {
            Some(tools) => loaded.restricted_to(&tools.iter().map(String::as_str).collect::<BTreeSet<_>>()),
            None => loaded.clone(),
        };
        let name_of_it = (NAME.to_owned(), Value::from(name.as_str()));
        let facts: Map<String, Value> = attributes.clone().into_iter().chain([name_of_it]).collect();
        let caller = Caller { name: name.clone(), facts: Json::of_value(&Value::Object(facts)) };
        Ok(Self { registry, caller: Some(Arc::new(caller)) })
    }
}

/// How an error calls a caller.
pub(super) fn whose(name: &str) -> String {
    format!("caller `{}`", shown(name))
}

/// That no tool of this name is loaded, if none is.
pub(super) fn unknown_tool(whose: &str, tool: &str, loaded: &Registry) -> Option<AuthError> {
    if loaded.get(tool).is_some() {
        return None;
    }
    let problem = format!("no tool `{}` is loaded", shown(tool));
    Some(AuthError::unknown(whose, problem, tool, loaded.tools().map(|tool| tool.name())))
}

fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.@-".contains(&byte);
    !name.is_empty() && name.len() <= MAX_NAME && name.bytes().all(is_plain)
}

fn attribute_problem(key: &str, value: &Value) -> Option<String> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_identifier = key.bytes().all(is_word) && key.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    let is_plain = |value: &Value| matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_));
    if key == NAME {
        return Some("the attribute `name` is its name already".to_owned());
    }
    if !is_identifier {
        return Some(format!(
            "no rule can say `caller.{}`: an attribute is letters, digits and `_`, no digit first",
            shown(key)
        ));
    }
    match value {
        value if is_plain(value) => None,
        Value::Array(items) if items.iter().all(is_plain) => None,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            Some(format!("the attribute `{key}` is no text, no number, not `true` or `false`, and no list of those"))
        }
    }
}

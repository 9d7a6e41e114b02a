//! Rule: conditions for calls of some tools, made from an operator's text and held against the tools that are loaded.

use super::caller::{NAME, unknown_tool};
use super::condition::Condition;
use super::error::{AuthError, shown};
use super::look::TOOL_FACTS;
use super::settings::{CallerSettings, RuleSettings};
use crate::json::Pointer;
use crate::registry::Registry;
use crate::tool::Tool;

/// Most characters of a rule's name.
const MAX_NAME: usize = 64;

/// A rule.
#[derive(Debug)]
pub(super) struct Rule {
    /// What the operator knows it by.
    pub(super) name: String,
    /// Each has to be true.
    pub(super) conditions: Vec<Condition>,
    /// The tools that it concerns; none for all.
    tools: Option<Vec<String>>,
}

impl Rule {
    /// The rule at this place of the file, counted from 0.
    pub(super) fn of(
        idx: usize,
        settings: &RuleSettings,
        loaded: &Registry,
        callers: &[CallerSettings],
    ) -> Result<Self, Vec<AuthError>> {
        let RuleSettings { name, tools, allow } = settings;
        let name = name.as_deref().map_or_else(|| idx.saturating_add(1).to_string(), shown);
        let whose = format!("rule `{name}`");
        let mut errors: Vec<AuthError> =
            tools.iter().flatten().filter_map(|tool| unknown_tool(&whose, tool, loaded)).collect();
        if name.is_empty() || name.len() > MAX_NAME {
            errors.push(AuthError::new(&whose, format!("a name is 1 to {MAX_NAME} characters")));
        }
        if tools.as_ref().is_some_and(Vec::is_empty) {
            let hint = Some("name tools, or leave `tools` out for all of them");
            errors.push(AuthError::new(&whose, "`tools` is empty, so it concerns no call").hint(hint));
        }
        let conditions = Condition::all_of(&whose, allow).unwrap_or_else(|error| {
            errors.push(error);
            Vec::new()
        });
        let rule = Self { name, conditions, tools: tools.clone() };
        // Of a rule that names no tool there is, nothing is known of its arguments.
        if errors.is_empty() {
            errors.extend(rule.conditions.iter().filter_map(|of_it| rule.stranger(&whose, of_it, loaded, callers)));
        }
        if errors.is_empty() { Ok(rule) } else { Err(errors) }
    }

    /// Whether it concerns calls of this tool.
    pub(super) fn concerns(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.iter().any(|named| named == tool))
    }

    /// The first name in a condition that nothing will ever stand behind.
    fn stranger(
        &self,
        whose: &str,
        condition: &Condition,
        loaded: &Registry,
        callers: &[CallerSettings],
    ) -> Option<AuthError> {
        let names = condition.names();
        let tools: Vec<&Tool> =
            loaded.tools().map(AsRef::as_ref).filter(|tool: &&Tool| self.concerns(tool.name())).collect();
        if let Some(at) = names.args.iter().find(|at| !tools.iter().any(|tool| tool.input.lets(at))) {
            return Some(no_such_argument(whose, at, &tools));
        }
        if let Some(fact) = names.tool.iter().find(|fact| !TOOL_FACTS.contains(&fact.as_str())) {
            let problem = format!("there is no `tool.{}`", shown(fact));
            let facts = TOOL_FACTS.into_iter();
            return Some(
                AuthError::unknown(whose, problem, fact, facts).or_hint("a tool has `name`, `effects` and `version`"),
            );
        }
        let known = || callers.iter().flat_map(|caller| caller.attributes.keys().map(String::as_str)).chain([NAME]);
        // Without callers in the file, the program around may know some.
        let unknown =
            names.caller.iter().find(|key| !callers.is_empty() && !known().any(|known| known == key.as_str()));
        unknown
            .map(|key| AuthError::unknown(whose, format!("no caller has the attribute `{}`", shown(key)), key, known()))
    }
}

fn no_such_argument(whose: &str, at: &Pointer, tools: &[&Tool]) -> AuthError {
    let path = at.steps().join(".");
    let of = match tools {
        [tool] => format!("`{}` does not take", shown(tool.name())),
        _ => "no tool that it concerns takes".to_owned(),
    };
    let keys = tools.iter().flat_map(|tool| tool.input.declared_keys());
    let key = at.steps().first().map(String::as_str).unwrap_or_default();
    AuthError::unknown(
        whose,
        format!("it names `args.{}`, which {of}", shown(&path)),
        key,
        keys.filter(|near| *near != key),
    )
}

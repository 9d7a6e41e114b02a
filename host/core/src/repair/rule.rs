//! Rule: an operator's rule for calls that came to no answer, held against the loaded tools.
//!
//! A rule that could never apply, or that would change something nobody named, is a load error: an operator relies on it.
//! Whether it applies to one call, and what becomes of that, is for `repair::remedy` to say.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::reason::{Reason, is_passing};
use super::settings::{RepairRule, SetArgument, SetTo, Source, SwitchTool};
use crate::json::Pointer;
use crate::near::nearest;
use crate::refusal::Rule;
use crate::registry::Registry;
use crate::schema::{Schema, Types, type_in_words};
use crate::text;
use crate::tool::Tool;

/// Most characters of a rule's name.
const MAX_NAME: usize = 64;

/// Why what stands under `[repair]` cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("load:policy: {whose} {problem}")]
pub struct RepairError {
    /// The rule, by its name or its place in the list, or the key.
    pub whose: String,
    /// What is wrong with it, as the rest of a sentence.
    pub problem: String,
}

impl RepairError {
    pub(super) fn of_rule(name: &str, problem: String) -> Self {
        Self { whose: format!("the repair rule `{}`", text::one_line(name, MAX_NAME)), problem }
    }

    pub(super) fn of_key(key: &str, problem: String) -> Self {
        Self { whose: format!("`repair.{key}`"), problem }
    }
}

/// A rule that can be followed.
#[derive(Debug)]
pub(super) struct HeldRule {
    pub(super) name: Arc<str>,
    /// The tools it names; all where it names none.
    tools: Option<Vec<String>>,
    reason: Reason,
    pub(super) remedy: Remedy,
}

/// What is done about a call.
#[derive(Debug)]
pub(super) enum Remedy {
    /// Set an argument; the one that the reason is about where none is named.
    Set { argument: Option<Pointer>, to: SetTo },
    /// Ask another tool, with its arguments made of those of the call, or with the same ones.
    Switch { to: Arc<str>, arguments: Option<Vec<(Pointer, Origin)>> },
    /// Ask again, after this long at first.
    Retry { wait: Duration },
}

/// Where an argument of another tool comes from.
#[derive(Debug)]
pub(super) enum Origin {
    /// An argument of the call.
    From(Pointer),
    /// The rule.
    Constant(Value),
}

impl HeldRule {
    /// Whether it is for calls of this tool that end by one of `reason`'s codes.
    pub(super) fn concerns(&self, asked: &str, tool: Option<&Tool>) -> bool {
        let name = tool.map_or(asked, Tool::name);
        self.tools.as_ref().is_none_or(|tools| tools.iter().any(|named| named == name))
    }

    pub(super) const fn reason(&self) -> &Reason {
        &self.reason
    }

    /// Whether it may be followed for a tool that writes: what that is asked to write changes only by a rule that names both the
    /// tool and the argument.
    pub(super) const fn is_for_writes(&self) -> bool {
        match &self.remedy {
            Remedy::Set { argument, to: _ } => self.tools.is_some() && argument.is_some(),
            Remedy::Switch { to: _, arguments } => self.tools.is_some() && arguments.is_some(),
            Remedy::Retry { wait: _ } => true,
        }
    }
}

/// Holds a rule against the tools.
pub(super) fn hold(nth: usize, rule: &RepairRule, registry: &Registry) -> Result<HeldRule, RepairError> {
    let name = text::one_line(&rule.name, MAX_NAME);
    let shown = if name.is_empty() { format!("#{}", nth.saturating_add(1)) } else { name.clone() };
    let error = |problem: String| RepairError::of_rule(&shown, problem);
    if name.is_empty() || name != rule.name {
        return Err(error("needs a name of one line, at most 64 characters".to_owned()));
    }
    let reason =
        Reason::parse(&rule.reason).map_err(|problem| error(format!("is for a reason that is none: {problem}")))?;
    let subjects = Subjects::of(rule, &reason, registry).map_err(error)?;
    let remedy = match (&rule.set, &rule.switch, &rule.retry) {
        (Some(set), None, None) => held_set(set, &reason, &subjects),
        (None, Some(switch), None) => held_switch(switch, &subjects, registry),
        (None, None, Some(retry)) if reason.rules.iter().all(|rule| is_passing(*rule)) => {
            Ok(Remedy::Retry { wait: retry.wait() })
        }
        (None, None, Some(_)) => {
            Err("asks again as it is, which helps with `tool:unavailable` and `host:overloaded` only".to_owned())
        }
        _ => Err("needs exactly one of `set`, `switch` and `retry`".to_owned()),
    };
    let held = HeldRule { name: name.into(), tools: rule.tools.clone(), reason, remedy: remedy.map_err(error)? };
    if let Some(writes) = subjects.writes().filter(|_| subjects.all_write() && !held.is_for_writes()) {
        return Err(error(format!("changes what `{writes}` is asked to write, and does not name the arguments")));
    }
    match held.reason.exact_place().filter(|_| held.reason.rules.iter().all(|rule| rule.is_of_a_declared_place())) {
        Some(place) if !subjects.loaded.iter().any(|tool| tool.input.lets(&place)) => {
            Err(error(format!("is for `{}`, which is no argument of its tools", text::one_line(&rule.reason, 80))))
        }
        Some(_) | None => Ok(held),
    }
}

/// The tools that a rule names, as far as they are loaded.
struct Subjects<'r> {
    /// Whether it names any.
    are_named: bool,
    /// Those that are loaded: all but for rules about tools that are not there.
    loaded: Vec<&'r Arc<Tool>>,
}

impl<'r> Subjects<'r> {
    fn of(rule: &RepairRule, reason: &Reason, registry: &'r Registry) -> Result<Self, String> {
        let is_about_strangers = reason.rules.contains(&Rule::CallUnknownTool);
        let Some(names) = &rule.tools else {
            return match is_about_strangers {
                true => Err("is about tools that are not there, and needs `tools` to name them".to_owned()),
                false => Ok(Self { are_named: false, loaded: registry.tools().collect() }),
            };
        };
        if names.is_empty() {
            return Err("names no tool; leave `tools` out for all of them".to_owned());
        }
        let mut loaded = Vec::with_capacity(names.len());
        for name in names {
            match registry.tools().find(|tool| tool.name() == name) {
                Some(tool) if is_about_strangers => {
                    return Err(format!("is about tools that are not there, and `{}` is", tool.name()));
                }
                Some(tool) => loaded.push(tool),
                None if is_about_strangers => {}
                None => return Err(no_such_tool(name, registry)),
            }
        }
        Ok(Self { are_named: true, loaded })
    }

    /// Whether there are any, and each of them writes.
    fn all_write(&self) -> bool {
        !self.loaded.is_empty() && self.loaded.iter().all(|tool| tool.writes())
    }

    fn writes(&self) -> Option<&str> {
        self.loaded.iter().find(|tool| tool.writes()).map(|tool| tool.name())
    }
}

fn no_such_tool(name: &str, registry: &Registry) -> String {
    let near = nearest(name, registry.tools().map(|tool| tool.name()));
    let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    format!("names the tool `{}`, which is not loaded{hint}", text::one_line(name, 64))
}

fn held_set(set: &SetArgument, reason: &Reason, subjects: &Subjects<'_>) -> Result<Remedy, String> {
    let only = |wanted: Rule, what: &str| match reason.rules.as_slice() {
        [rule] if *rule == wanted => Ok(()),
        _ => Err(format!("sets {what}, which mends `{}` only", wanted.code())),
    };
    if reason.rules.contains(&Rule::CallUnknownTool) {
        return Err("sets an argument, and a tool that is not there has none".to_owned());
    }
    match &set.to {
        SetTo::Clamp => only(Rule::ArgsRange, "the nearest number in bounds")?,
        SetTo::Nearest => only(Rule::ArgsAllowed, "the nearest permitted value")?,
        SetTo::Constant(_) | SetTo::Default => {}
    }
    let Some(written) = &set.argument else {
        if reason.rules.iter().any(|rule| rule.family() != "args") {
            return Err("names no argument, and the reason is not about one".to_owned());
        }
        if let Some(writes) = subjects.writes().filter(|_| subjects.are_named) {
            return Err(format!("names no argument, and `{writes}` writes: say which one may be set"));
        }
        return Ok(Remedy::Set { argument: None, to: set.to.clone() });
    };
    let argument = argument(written)?;
    for tool in &subjects.loaded {
        let kinds = kinds_at(tool.name(), &tool.input, &argument, written);
        match (kinds, &set.to) {
            // A rule for all tools is for those that have the argument.
            (Err(_), _) if !subjects.are_named => {}
            (Err(problem), _) => return Err(problem),
            (Ok(kinds), SetTo::Constant(value)) => fits(tool.name(), kinds, value, written)?,
            (Ok(_), SetTo::Default) if subjects.are_named && tool.input.default_at(&argument).is_none() => {
                return Err(format!("sets `{written}` to its default, and the schema of `{}` has none", tool.name()));
            }
            (Ok(_), SetTo::Default | SetTo::Clamp | SetTo::Nearest) => {}
        }
    }
    if !subjects.are_named && subjects.loaded.iter().all(|tool| tool.input.kinds_at(&argument).is_none()) {
        return Err(format!("sets `{}`, which no tool declares", text::one_line(written, 80)));
    }
    if set.to == SetTo::Default && subjects.loaded.iter().all(|tool| tool.input.default_at(&argument).is_none()) {
        return Err(format!("sets `{}` to its default, and no tool has one", text::one_line(written, 80)));
    }
    Ok(Remedy::Set { argument: Some(argument), to: set.to.clone() })
}

fn held_switch(switch: &SwitchTool, subjects: &Subjects<'_>, registry: &Registry) -> Result<Remedy, String> {
    let Some(target) = registry.tools().find(|tool| tool.name() == switch.to) else {
        return Err(no_such_tool(&switch.to, registry));
    };
    if subjects.loaded.iter().any(|tool| tool.name() == target.name()) && subjects.are_named {
        return Err(format!("switches from `{0}` to `{0}`", target.name()));
    }
    if target.writes() {
        // Reads of a turn run beside each other and beside the writes, so what was asked as a read cannot become a write.
        let all_write =
            subjects.are_named && !subjects.loaded.is_empty() && subjects.loaded.iter().all(|tool| tool.writes());
        if !all_write || switch.arguments.is_none() {
            return Err(format!(
                "switches to `{}`, which writes: only from tools that it names and that write too, with `arguments`",
                target.name()
            ));
        }
    }
    let arguments = switch.arguments.as_ref().map(|map| held_map(map, target, subjects)).transpose()?;
    Ok(Remedy::Switch { to: target.name().into(), arguments })
}

fn held_map(
    map: &BTreeMap<String, Source>,
    target: &Tool,
    subjects: &Subjects<'_>,
) -> Result<Vec<(Pointer, Origin)>, String> {
    let hold = |(to, source): (&String, &Source)| {
        let place = argument(to)?;
        let kinds = kinds_at(target.name(), &target.input, &place, to)?;
        let origin = match source {
            Source::Constant(value) => {
                fits(target.name(), kinds, value, to)?;
                Origin::Constant(value.clone())
            }
            Source::From(from) => {
                let origin = argument(from)?;
                for tool in &subjects.loaded {
                    let theirs = kinds_at(tool.name(), &tool.input, &origin, from)?;
                    if theirs.and(kinds).is_empty() {
                        return Err(format!(
                            "gives `{to}` of `{}` what is at `{from}` of `{}`, which never fits",
                            target.name(),
                            tool.name()
                        ));
                    }
                }
                Origin::From(origin)
            }
        };
        Ok((place, origin))
    };
    map.iter().map(hold).collect()
}

/// The place of an argument: a pointer that is not the root.
fn argument(written: &str) -> Result<Pointer, String> {
    let problem = || format!("names `{}`, which is no JSON Pointer such as `/region`", text::one_line(written, 80));
    Pointer::parse(written).filter(|place| !place.steps().is_empty()).ok_or_else(problem)
}

fn kinds_at(tool: &str, schema: &Schema, place: &Pointer, written: &str) -> Result<Types, String> {
    let problem = || format!("names `{}`, which `{tool}` does not declare", text::one_line(written, 80));
    schema.kinds_at(place).ok_or_else(problem)
}

fn fits(tool: &str, kinds: Types, value: &Value, written: &str) -> Result<(), String> {
    let kind = Types::of_value(value);
    if !kind.and(kinds).is_empty() {
        return Ok(());
    }
    let words: Vec<&str> = kinds.names().iter().map(|name| type_in_words(name)).collect();
    let shown = text::quote(value);
    Err(format!("sets `{written}` of `{tool}` to {shown}, where {} is declared", words.join(" or ")))
}

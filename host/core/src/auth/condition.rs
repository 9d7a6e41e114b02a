//! Condition: one thing that has to be true of a call, in CEL (the Common Expression Language), compiled and evaluated.
//!
//! Together with `auth::look`, which reads what it names, and `auth::value`, which hands it its values, the only room that
//! knows the `cel` crate. Optional values, regular expressions and dates are left out: the first make two absent values equal,
//! the second can be written by a model, the third depend on the day.

use std::panic::catch_unwind;
use std::sync::{Arc, LazyLock};

use cel::common::types::{CelBool, CelMap};
use cel::common::value::CowVal;
use cel::context::VariableResolver;
use cel::parser::{Expression, Parser};
use cel::{Context, Env, ExecutionError, Value};

use super::error::AuthError;
use super::look::{self, Looked, Names};
use super::value::{self, TooLargeNumber};
use crate::json::Item;
use crate::text;
use crate::units::ByteCount;

/// Most bytes of a rule's condition. What is longer is several rules, and its parser recurses.
pub(super) const MAX_CONDITION: ByteCount = ByteCount::kib(2);

/// Deepest nesting of a rule's text, conditions and what joins them together.
const MAX_RECURSION: u16 = 32;

/// Most steps of a loop: what the arguments weigh times what the operator's side weighs. As many as a schema may take
/// for one check; a step is some ten nanoseconds.
const MAX_STEPS: usize = 2_000_000;

/// How many bytes of text weigh as much as a value: comparing them takes about as long.
const BYTES_OF_A_VALUE: usize = 16;

/// The functions that `auth::look` lets through.
static LANGUAGE: LazyLock<Arc<Env>> =
    LazyLock::new(|| Arc::new(Env::default().with_optional_support(false).with_stdlib()));

/// What conditions are evaluated over: four objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts<'f> {
    pub(super) session: Item<'f>,
    pub(super) caller: Item<'f>,
    pub(super) tool: Item<'f>,
    pub(super) args: Item<'f>,
}

/// A condition that is true or the call is denied.
#[derive(Debug)]
pub(super) struct Condition {
    expression: Expression,
    names: Names,
    /// Its parts, and the text in it.
    weight: usize,
    has_loop: bool,
}

/// How a condition ended that was not true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotTrue {
    /// It is false.
    False,
    /// It has no value, and why; for the operator.
    Undecided(String),
}

impl Condition {
    /// Compiles a rule's text to the conditions that all have to be true, in the order written; `whose` is for the error.
    pub(super) fn all_of(whose: &str, rule: &str) -> Result<Vec<Self>, AuthError> {
        if ByteCount::of(rule.as_bytes()) > MAX_CONDITION {
            let hint = Some("make it several rules: all that concern a call have to hold");
            return Err(AuthError::new(whose, format!("`allow` is longer than {MAX_CONDITION}")).hint(hint));
        }
        let parsed = catch_unwind(|| parser().parse(rule).map_err(|errors| first_line(&errors.to_string())));
        let parsed = parsed.unwrap_or_else(|_panic| Err("the parser gave up on it".to_owned()));
        let parsed = parsed.map_err(|said| AuthError::new(whose, format!("`allow` is no CEL: {said}")))?;
        let mut parts = Vec::new();
        look::conjuncts(parsed, &mut parts);
        let texts = rule.len().div_euclid(BYTES_OF_A_VALUE);
        let looked = parts.into_iter().map(|expression| {
            let Looked { names, n_parts, has_loop } = look::look(whose, &expression)?;
            Ok(Self { expression, names, weight: n_parts.saturating_add(texts), has_loop })
        });
        looked.collect()
    }

    pub(super) const fn names(&self) -> &Names {
        &self.names
    }

    /// Evaluates it. What has no value is not true.
    pub(super) fn check(&self, facts: &Facts<'_>) -> Result<(), NotTrue> {
        if self.has_loop && self.n_steps(facts) > MAX_STEPS {
            return Err(NotTrue::Undecided("there are too many values to go through".to_owned()));
        }
        let known = self
            .known(facts)
            .map_err(|TooLargeNumber| NotTrue::Undecided("a whole number has more than 64 bits".to_owned()))?;
        let mut context = Context::with_env(Arc::clone(&LANGUAGE));
        context.set_variable_resolver(&known);
        let found = Value::resolve_val(&self.expression, &context);
        match found.map(|value| value.downcast_ref::<CelBool>().map(|said| *said.inner())) {
            Ok(Some(true)) => Ok(()),
            Ok(Some(false)) => Err(NotTrue::False),
            Ok(None) => Err(NotTrue::Undecided("it is neither true nor false".to_owned())),
            Err(error) => Err(NotTrue::Undecided(self.absent(facts).unwrap_or_else(|| in_words(&error)))),
        }
    }

    fn known<'f>(&self, facts: &Facts<'f>) -> Result<Known<'f>, TooLargeNumber> {
        let Names { session, caller, tool, args } = &self.names;
        let mut args: Vec<&str> = args.iter().filter_map(|at| at.steps().first()).map(String::as_str).collect();
        args.dedup();
        Ok(Known {
            session: value::members(facts.session, session.iter().map(String::as_str))?,
            caller: value::members(facts.caller, caller.iter().map(String::as_str))?,
            tool: value::members(facts.tool, tool.iter().map(String::as_str))?,
            args: value::members(facts.args, args.into_iter())?,
        })
    }

    /// A name that nothing is known of, which is the likely reason why there is no value.
    fn absent(&self, facts: &Facts<'_>) -> Option<String> {
        let Names { session, caller, tool: _, args } = &self.names;
        let is_absent = |of: Item<'_>, key: &str| of.as_object().is_none_or(|of| of.get(key).is_none());
        let session = session.iter().find(|key| is_absent(facts.session, key)).map(|key| ("session", key));
        let caller = || caller.iter().find(|key| is_absent(facts.caller, key)).map(|key| ("caller", key));
        let names = args.iter().filter_map(|at| at.steps().first());
        let args = || names.clone().find(|key| is_absent(facts.args, key)).map(|key| ("args", key));
        let (of, key) = session.or_else(caller).or_else(args)?;
        Some(format!("`{of}.{}` is not there", text::one_line(key, 64)))
    }

    fn n_steps(&self, facts: &Facts<'_>) -> usize {
        let Facts { session, caller, tool: _, args } = facts;
        let others = weight(*session).saturating_add(weight(*caller)).saturating_add(self.weight);
        weight(*args).saturating_mul(others)
    }
}

fn weight(item: Item<'_>) -> usize {
    let json = item.json();
    json.n_nodes().saturating_add(json.text().len().div_euclid(BYTES_OF_A_VALUE))
}

/// The values that a condition names.
struct Known<'k> {
    session: CelMap<'k>,
    caller: CelMap<'k>,
    tool: CelMap<'k>,
    args: CelMap<'k>,
}

impl VariableResolver for Known<'_> {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        Some(CowVal::Borrowed(match variable {
            "session" => &self.session,
            "caller" => &self.caller,
            "tool" => &self.tool,
            "args" => &self.args,
            _ => return None,
        }))
    }
}

/// Why there is no value, without any value of the call.
fn in_words(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchOverload(types) => text::one_line(&types.to_string(), 200),
        ExecutionError::UnexpectedType { got, want } => format!("it has a value of type {got} where {want} is due"),
        ExecutionError::UnsupportedBinaryOperator(operator, _, _) => {
            format!("`{operator}` does not take values of these types")
        }
        ExecutionError::FunctionError { function, message: _ } => format!("`{function}` has no answer"),
        ExecutionError::NoSuchKey(_) => "an object does not have a key".to_owned(),
        ExecutionError::IndexOutOfBounds(_) => "a list does not have an item".to_owned(),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => "it divides by zero".to_owned(),
        ExecutionError::Overflow(_, _, _) => "a number would not fit 64 bits".to_owned(),
        _ => "it cannot be evaluated".to_owned(),
    }
}

/// Without the syntax of optional values, and with a recursion that ends before the stack does.
fn parser() -> Parser {
    Parser::new().max_recursion_depth(MAX_RECURSION)
}

/// What the parser says first: line, column and what it met there, without the drawing below it.
fn first_line(said: &str) -> String {
    if said.contains("Recursion limit of") {
        return format!("it is nested deeper than {MAX_RECURSION}");
    }
    let line = said.lines().next().unwrap_or_default().trim_start_matches("ERROR: <input>:");
    // What could have stood there is a list of all beginnings that there are.
    text::one_line(line.split(" expecting {").next().unwrap_or(line), 200)
}

#[cfg(test)]
mod tests;

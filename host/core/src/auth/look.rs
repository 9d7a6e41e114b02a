//! Look: what a condition names and does, read out of its syntax before it ever runs.
//!
//! Everything here is about load: names that nobody will ever set, functions that there are not, and shapes whose cost would
//! be a hostile model's to choose are refused, so that what is left takes a bounded time and can say which argument it is
//! about.

use std::collections::BTreeSet;

use cel::common::ast::operators as op;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedEntryExpr, LiteralValue};
use cel::parser::Expression;

use super::caller::NAME;
use super::error::{AuthError, shown};
use crate::json::Pointer;

/// Deepest nesting of a condition. It is evaluated by recursion that takes some 50 KiB a level, on the stack of whoever
/// answers the call: a worker's usual 2 MiB have to hold that and everything around it.
const MAX_DEPTH: usize = 12;

/// Most parts of a condition. Each may look at every value of the arguments once.
const MAX_PARTS: usize = 500;

/// From here on a double no longer tells neighbouring whole numbers apart (2^53).
const MAX_WHOLE_DOUBLE: f64 = 9_007_199_254_740_992.0;

/// The four things that a condition is about.
const SUBJECTS: [&str; 4] = ["args", "caller", "session", "tool"];

/// What rules may ask of a tool.
pub(super) const TOOL_FACTS: [&str; 3] = [NAME, "effects", "version"];

/// What a condition may call: linear in what it is given, the same today and tomorrow, and the same on every machine.
const FUNCTIONS: [&str; 8] = ["contains", "double", "endsWith", "int", "size", "startsWith", "string", "uint"];

/// What is written with signs.
const OPERATORS: [&str; 19] = [
    op::ADD,
    op::CONDITIONAL,
    op::DIVIDE,
    op::EQUALS,
    op::GREATER,
    op::GREATER_EQUALS,
    op::IN,
    op::INDEX,
    op::LESS,
    op::LESS_EQUALS,
    op::LOGICAL_AND,
    op::LOGICAL_NOT,
    op::LOGICAL_OR,
    op::MODULO,
    op::MULTIPLY,
    op::NEGATE,
    op::NOT_EQUALS,
    op::NOT_STRICTLY_FALSE,
    op::SUBSTRACT,
];

/// What a condition names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) session: BTreeSet<String>,
    pub(super) caller: BTreeSet<String>,
    pub(super) tool: BTreeSet<String>,
    /// The arguments, as far down as they are named.
    pub(super) args: BTreeSet<Pointer>,
}

/// What was read out of a condition.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) names: Names,
    pub(super) n_parts: usize,
    /// Whether it goes through a list or an object, so that its cost is a product.
    pub(super) has_loop: bool,
}

/// Looks through a condition; `whose` is for the error.
pub(super) fn look(whose: &str, condition: &Expression) -> Result<Looked, AuthError> {
    let mut look =
        Look { whose, names: Names::default(), n_parts: 0, n_args: 0, bound: Vec::new(), loops: Loops::None };
    look.part(condition, 0)?;
    Ok(Looked { names: look.names, n_parts: look.n_parts, has_loop: look.loops != Loops::None })
}

/// The conditions that all have to hold for this one to hold, in the order written.
pub(super) fn conjuncts(condition: Expression, into: &mut Vec<Expression>) {
    match condition.expr {
        Expr::Call(CallExpr { func_name, target: None, args }) if func_name == op::LOGICAL_AND => {
            args.into_iter().for_each(|arm| conjuncts(arm, into));
        }
        expr => into.push(Expression { id: condition.id, expr }),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loops {
    /// None so far.
    None,
    /// There was one.
    Outside,
    /// In one.
    Inside,
}

struct Look<'e> {
    whose: &'e str,
    names: Names,
    n_parts: usize,
    /// How often an argument was named.
    n_args: usize,
    /// The variables of the loop around.
    bound: Vec<&'e str>,
    loops: Loops,
}

impl<'e> Look<'e> {
    fn part(&mut self, part: &'e Expression, depth: usize) -> Result<(), AuthError> {
        let named = named(part);
        let steps = named.as_ref().map_or(0, |(_, steps)| steps.len());
        self.n_parts = self.n_parts.saturating_add(steps).saturating_add(1);
        if depth.saturating_add(steps) > MAX_DEPTH {
            return Err(self.bad(
                format!("a condition is nested deeper than {MAX_DEPTH}"),
                Some("join shorter conditions by `&&`, or make it several rules"),
            ));
        }
        if self.n_parts > MAX_PARTS {
            return Err(self.bad(
                format!("a condition has more than {MAX_PARTS} parts"),
                Some("join shorter conditions by `&&`, or make it several rules"),
            ));
        }
        if let Some((root, steps)) = named {
            return self.name(root, steps);
        }
        let below = depth.saturating_add(1);
        match &part.expr {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Call(call) => self.call(call, below),
            Expr::Select(select) => self.part(&select.operand, below),
            Expr::List(list) => list.elements.iter().try_for_each(|element| self.part(element, below)),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| self.entry(entry, below)),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension, below),
            Expr::Struct(made) => Err(self.bad(format!("there is no type `{}`", shown(&made.type_name)), NO_HINT)),
            Expr::Ident(_) | Expr::Unspecified => Err(self.bad("a condition has a part without a meaning", NO_HINT)),
        }
    }

    fn name(&mut self, root: &str, mut steps: Vec<String>) -> Result<(), AuthError> {
        if self.bound.contains(&root) {
            return Ok(());
        }
        let names = match root {
            "args" => None,
            "session" => Some(&mut self.names.session),
            "caller" => Some(&mut self.names.caller),
            "tool" => Some(&mut self.names.tool),
            other => {
                let known = SUBJECTS.into_iter().chain(self.bound.iter().copied());
                return Err(AuthError::unknown(
                    self.whose,
                    format!("it names `{}`, which nobody sets", shown(other)),
                    other,
                    known,
                )
                .or_hint("a rule is about `args`, `caller`, `session` and `tool`"));
            }
        };
        if steps.is_empty() {
            return Err(self.bad(
                format!("`{root}` stands alone"),
                Some(format!(
                    "say which of its values is meant: `{root}.NAME`, and `has({root}.NAME)` for whether it is there"
                )),
            ));
        }
        match names {
            None => {
                self.n_args = self.n_args.saturating_add(1);
                self.names.args.insert(Pointer::to_steps(steps));
            }
            Some(names) => {
                names.insert(steps.swap_remove(0));
            }
        }
        Ok(())
    }

    fn literal(&self, literal: &LiteralValue) -> Result<(), AuthError> {
        match literal {
            LiteralValue::Double(number) if number.inner().abs() >= MAX_WHOLE_DOUBLE => Err(self.bad(
                format!("as a double, {} would be equal to its neighbours", number.inner()),
                Some("write it as an integer, without a fraction or an exponent"),
            )),
            LiteralValue::Boolean(_)
            | LiteralValue::Bytes(_)
            | LiteralValue::Double(_)
            | LiteralValue::Int(_)
            | LiteralValue::Null
            | LiteralValue::String(_)
            | LiteralValue::UInt(_) => Ok(()),
        }
    }

    fn call(&mut self, call: &'e CallExpr, depth: usize) -> Result<(), AuthError> {
        let name = call.func_name.as_str();
        if !OPERATORS.contains(&name) && !FUNCTIONS.contains(&name) {
            return Err(AuthError::unknown(
                self.whose,
                format!("there is no function `{}`", shown(name)),
                name,
                FUNCTIONS.into_iter(),
            )
            .or_hint(format!(
                "the functions are {}, has, all, exists, exists_one, filter and map",
                FUNCTIONS.join(", ")
            )));
        }
        call.target.iter().try_for_each(|target| self.part(target, depth))?;
        call.args.iter().try_for_each(|argument| self.part(argument, depth))
    }

    fn entry(&mut self, entry: &'e IdedEntryExpr, depth: usize) -> Result<(), AuthError> {
        match &entry.expr {
            EntryExpr::MapEntry(entry) => self.part(&entry.key, depth).and_then(|()| self.part(&entry.value, depth)),
            EntryExpr::StructField(field) => self.part(&field.value, depth),
        }
    }

    /// A loop stands alone, and meets the arguments on one side only: what a loop costs is then the arguments' size times
    /// something that the operator or the program around wrote.
    fn comprehension(&mut self, comprehension: &'e ComprehensionExpr, depth: usize) -> Result<(), AuthError> {
        let ComprehensionExpr { iter_range, iter_var, iter_var2, accu_var, accu_init, loop_cond, loop_step, result } =
            comprehension;
        if self.loops != Loops::None {
            return Err(self.bad(
                "a condition has a loop beside or inside another",
                Some("join conditions by `&&`, with one loop in each"),
            ));
        }
        for variable in [Some(iter_var), iter_var2.as_ref()].into_iter().flatten() {
            if SUBJECTS.contains(&variable.as_str()) {
                return Err(self.bad(format!("a loop calls its variable `{variable}`"), Some("give it another name")));
            }
        }
        self.loops = Loops::Inside;
        self.part(iter_range, depth)?;
        let n_args_in_range = std::mem::take(&mut self.n_args);
        self.bound.extend([iter_var.as_str(), accu_var.as_str()].into_iter().chain(iter_var2.as_deref()));
        for part in [accu_init, loop_cond, loop_step, result] {
            self.part(part, depth)?;
        }
        self.bound.clear();
        self.loops = Loops::Outside;
        if n_args_in_range > 0 && self.n_args > 0 {
            return Err(self.bad(
                "a loop goes through the arguments and names them again for each item",
                Some("compare the items with values of `session` or `caller`"),
            ));
        }
        Ok(())
    }

    fn bad(&self, problem: impl Into<String>, hint: Option<impl Into<String>>) -> AuthError {
        AuthError::new(self.whose, problem).hint(hint)
    }
}

const NO_HINT: Option<&str> = None;

/// A name and the constant steps that go on from it: `args.rows[0].sku`, also inside `has(…)`.
fn named(part: &Expression) -> Option<(&str, Vec<String>)> {
    let mut steps = Vec::new();
    let mut part = part;
    loop {
        match &part.expr {
            Expr::Ident(name) => {
                steps.reverse();
                return Some((name, steps));
            }
            Expr::Select(select) => {
                steps.push(select.field.clone());
                part = &select.operand;
            }
            Expr::Call(CallExpr { func_name, target: None, args }) if func_name == op::INDEX => {
                let [of, step] = args.as_slice() else { return None };
                steps.push(constant(step)?);
                part = of;
            }
            Expr::Call(_)
            | Expr::Comprehension(_)
            | Expr::List(_)
            | Expr::Literal(_)
            | Expr::Map(_)
            | Expr::Struct(_)
            | Expr::Unspecified => return None,
        }
    }
}

fn constant(step: &Expression) -> Option<String> {
    match &step.expr {
        Expr::Literal(LiteralValue::String(key)) => Some(key.inner().to_owned()),
        Expr::Literal(LiteralValue::Int(index)) => u64::try_from(*index.inner()).ok().map(|index| index.to_string()),
        Expr::Literal(_)
        | Expr::Call(_)
        | Expr::Comprehension(_)
        | Expr::Ident(_)
        | Expr::List(_)
        | Expr::Map(_)
        | Expr::Select(_)
        | Expr::Struct(_)
        | Expr::Unspecified => None,
    }
}

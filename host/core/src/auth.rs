//! Auth: may this caller make this call, with these values?
//!
//! Stands between `registry` and everything that would cost or answer something: what a session remembers is not asked
//! before. The tools a caller has at all are settled earlier, by its view of the registry ([`View`]); here are the rules of
//! the operator, which see the arguments as the tool would get them. What is not allowed is denied, and so is whatever a
//! rule cannot decide.

mod caller;
mod condition;
mod error;
mod look;
mod rule;
mod settings;
mod value;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use serde_json::json;

use self::caller::whose;
pub(crate) use self::caller::{Caller, View};
use self::condition::{Facts, NotTrue};
pub use self::error::{AuthError, UnknownCaller};
use self::rule::Rule;
pub use self::settings::{CallerSettings, RuleSettings};
use crate::field_path::FieldPath;
use crate::json::{Json, Pointer};
use crate::registry::{Matched, Registry};
use crate::text;
use crate::tool::Tool;

/// An object without members: what is known where nothing is.
static NOTHING: LazyLock<Json> = LazyLock::new(|| Json::of_value(&json!({})));

/// A call that its caller may make. Made only by [`Authority::authorise`].
#[derive(Debug)]
pub(crate) struct Authorised {
    matched: Matched,
    caller: Option<Arc<Caller>>,
}

impl Authorised {
    pub(crate) const fn tool(&self) -> &Arc<Tool> {
        self.matched.tool()
    }

    /// Who makes it; nobody where the operator does.
    pub(crate) fn caller(&self) -> Option<&str> {
        self.caller.as_deref().map(Caller::name)
    }

    pub(crate) const fn document(&self) -> &Json {
        self.matched.document()
    }

    pub(crate) fn arguments(&self) -> &str {
        self.matched.arguments()
    }

    pub(crate) fn into_arguments(self) -> Json {
        self.matched.into_arguments()
    }
}

/// Why a call may not be made. What a model is told of it is the argument; the rule is the operator's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    at: FieldPath,
    got: Option<String>,
    rule: String,
    undecided: Option<String>,
}

impl Denial {
    /// The argument that it is about; the root where it is about none.
    pub const fn at(&self) -> &FieldPath {
        &self.at
    }

    /// What came there, cut; nothing where nothing came.
    pub fn got(&self) -> Option<&str> {
        self.got.as_deref()
    }

    /// The rule that does not allow it, by the name or number that the operator knows it by.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// Why the rule could not be decided, where that is what happened. For the operator, as the rule is.
    pub fn undecided(&self) -> Option<&str> {
        self.undecided.as_deref()
    }
}

impl fmt::Display for Denial {
    /// For the operator.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.undecided {
            None => write!(f, "rule `{}` does not allow it", self.rule),
            Some(why) => write!(f, "rule `{}` cannot be decided: {why}", self.rule),
        }
    }
}

/// Who may do what: the callers' views, and what the operator's rules say of each tool.
#[derive(Debug)]
pub(crate) struct Authority {
    operator: Arc<View>,
    callers: BTreeMap<String, Arc<View>>,
    /// Tools without rules are not in it.
    tools: BTreeMap<String, OfTool>,
}

/// What concerns one tool.
#[derive(Debug)]
struct OfTool {
    /// The tool as rules see it.
    facts: Json,
    rules: Vec<Arc<Rule>>,
}

impl Authority {
    /// Takes callers and rules as the operator wrote them, for the tools that are loaded.
    ///
    /// # Errors
    /// Everything that cannot be meant.
    pub(crate) fn new(
        callers: &[CallerSettings],
        rules: &[RuleSettings],
        loaded: Registry,
    ) -> Result<Self, Vec<AuthError>> {
        let (mut views, mut errors) = (BTreeMap::new(), Vec::new());
        for caller in callers {
            match View::of(caller, &loaded).map(|view| views.insert(caller.name.clone(), Arc::new(view))) {
                Ok(None) => {}
                Ok(Some(_other)) => errors.push(AuthError::new(&whose(&caller.name), "two callers have this name")),
                Err(more) => errors.extend(more),
            }
        }
        let mut checked = Vec::new();
        for (idx, rule) in rules.iter().enumerate() {
            match Rule::of(idx, rule, &loaded, callers) {
                Ok(rule) => checked.push(Arc::new(rule)),
                Err(more) => errors.extend(more),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let of_tool = |tool: &Tool| {
            let rules: Vec<_> = checked.iter().filter(|rule| rule.concerns(tool.name())).map(Arc::clone).collect();
            (!rules.is_empty()).then(|| (tool.name().to_owned(), OfTool { facts: facts(tool), rules }))
        };
        let tools = loaded.tools().filter_map(|tool| of_tool(tool)).collect();
        Ok(Self { operator: Arc::new(View::of_operator(loaded)), callers: views, tools })
    }

    /// The view with every tool and no caller.
    pub(crate) fn view_of_operator(&self) -> Arc<View> {
        Arc::clone(&self.operator)
    }

    /// The view of a caller that the operator named.
    pub(crate) fn view_of(&self, name: &str) -> Result<Arc<View>, UnknownCaller> {
        let names = || self.callers.keys().cloned().collect();
        self.callers.get(name).cloned().ok_or_else(|| UnknownCaller { asked: name.to_owned(), names: names() })
    }

    /// The view of a caller that only the program around knows.
    pub(crate) fn view_for(&self, caller: &CallerSettings) -> Result<View, Vec<AuthError>> {
        View::of(caller, &self.operator.registry)
    }

    /// Lets a call go on for which every rule that concerns it is true. `session` holds the values that the program around
    /// set; a call outside of any has none.
    pub(crate) fn authorise(
        &self,
        matched: Matched,
        caller: Option<&Arc<Caller>>,
        session: Option<&Json>,
    ) -> Result<Authorised, Denial> {
        if let Some(of_tool) = self.tools.get(matched.tool().name()) {
            let facts = Facts {
                session: session.unwrap_or(&NOTHING).root(),
                caller: caller.map_or(&*NOTHING, |caller| caller.facts()).root(),
                tool: of_tool.facts.root(),
                args: matched.document().root(),
            };
            of_tool.rules.iter().try_for_each(|rule| rule.allow(&facts))?;
        }
        Ok(Authorised { matched, caller: caller.cloned() })
    }
}

impl Rule {
    fn allow(&self, facts: &Facts<'_>) -> Result<(), Denial> {
        for condition in &self.conditions {
            condition.check(facts).map_err(|why| self.denial(condition.names().args.iter(), facts, why))?;
        }
        Ok(())
    }

    /// Of several arguments that a condition names it is the first that came, by path in alphabetical order.
    fn denial<'p>(&self, named: impl Iterator<Item = &'p Pointer> + Clone, facts: &Facts<'_>, why: NotTrue) -> Denial {
        let came = named.clone().find_map(|at| at.find(facts.args).map(|got| (at, got)));
        let at = came.map(|(at, _)| at).or_else(|| named.clone().next());
        Denial {
            at: at.map(|at| at.path(facts.args)).unwrap_or_default(),
            got: came.map(|(_, got)| text::quote(&got)),
            rule: self.name.clone(),
            undecided: match why {
                NotTrue::False => None,
                NotTrue::Undecided(why) => Some(why),
            },
        }
    }
}

/// A tool as rules see it: `auth::look` knows the names.
fn facts(tool: &Tool) -> Json {
    let effects = if tool.writes() { "write" } else { "read" };
    Json::of_value(&json!({ "name": tool.name(), "effects": effects, "version": tool.contract().version }))
}

//! Registry: is there such a tool, and do the arguments meet the schema that was published?
//!
//! One immutable snapshot of all loaded tools. The list a model is shown is made from it, so a tool that is listed and
//! not dispatched, or the other way round, cannot be expressed.

mod coerce;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::amendment::{Amendment, Coercion};
use crate::gate::Admitted;
use crate::json::{Json, JsonLimits};
use crate::load::{LoadError, LoadProblem};
use crate::near::nearest;
use crate::schema::Violation;
use crate::text;
use crate::tool::Tool;

/// Most names that a refusal lists. Up to here the right one is a few words away from the mistake; beyond it the three
/// nearest are cheaper and more useful.
pub(crate) const MAX_LISTED: usize = 10;

/// How many names are suggested beyond [`MAX_LISTED`].
const NEAREST: usize = 3;

/// Why no tool takes the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryRejection {
    /// There is no tool of that name.
    UnknownTool {
        /// All names, sorted, or the nearest ones where there are too many.
        names: Vec<String>,
        /// Whether `names` is all there is.
        complete: bool,
        /// The name that is probably meant.
        nearest: Option<String>,
    },
    /// The arguments have more values than this tool's schema can be held against in time.
    TooManyValues {
        /// How many values and keys came.
        n: usize,
        /// The most for this tool.
        max: u64,
    },
    /// The arguments do not fit the tool's input schema.
    Arguments(Box<Violation>),
}

/// How arguments are held against a schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    /// What amended arguments may be.
    pub(crate) limits: JsonLimits,
    /// Whether they are amended by the schema at all.
    pub(crate) coercion: Coercion,
    /// Whether the model was shown strict declarations, in which `null` stands for an absent key.
    pub(crate) strict_nulls: bool,
}

/// A call that one tool takes. Made only by [`Registry::find`].
#[derive(Debug)]
pub(crate) struct Matched {
    tool: Arc<Tool>,
    admitted: Admitted,
}

impl Matched {
    pub(crate) const fn tool(&self) -> &Arc<Tool> {
        &self.tool
    }

    /// The arguments as JSON text.
    pub(crate) fn arguments(&self) -> &str {
        self.admitted.arguments().text()
    }
}

/// All loaded tools, by name.
#[derive(Debug)]
pub(crate) struct Registry {
    tools: BTreeMap<String, Arc<Tool>>,
    policy: Policy,
}

impl Registry {
    /// Takes tools in the order of their loading. Of two names that clash the newcomer is refused.
    pub(crate) fn new(tools: Vec<Tool>, policy: Policy) -> Result<Self, Vec<LoadError>> {
        let mut folded: BTreeMap<String, Arc<Tool>> = BTreeMap::new();
        let mut errors = Vec::new();
        for tool in tools {
            match folded.get(&tool.contract.name.folded()) {
                Some(first) => errors.push(collision(&tool, first)),
                None => {
                    folded.insert(tool.contract.name.folded(), Arc::new(tool));
                }
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let tools = folded.into_values().map(|tool| (tool.name().to_owned(), tool)).collect();
        Ok(Self { tools, policy })
    }

    /// The loaded tools, sorted by name.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values()
    }

    /// The tool that a call is for, and what its name was amended by.
    pub(crate) fn named(&self, asked: &str) -> Option<(&Arc<Tool>, Option<Amendment>)> {
        if let Some(tool) = self.tools.get(asked) {
            return Some((tool, None));
        }
        if self.policy.coercion == Coercion::Off {
            return None;
        }
        coerce::tool_names(asked).find_map(|(name, amendment)| self.tools.get(name).map(|tool| (tool, Some(amendment))))
    }

    /// Finds the tool and holds the arguments against its schema.
    pub(crate) fn find(&self, admitted: Admitted, recorded: &mut Vec<Amendment>) -> Result<Matched, RegistryRejection> {
        let Some((tool, amendment)) = self.named(admitted.tool()) else {
            return Err(self.unknown(admitted.tool()));
        };
        recorded.extend(amendment);
        let (n, max) = (admitted.arguments().n_nodes(), tool.input.most_values());
        if u64::try_from(n).unwrap_or(u64::MAX) > max {
            return Err(RegistryRejection::TooManyValues { n, max });
        }
        if tool.input.admits(admitted.arguments()) {
            return Ok(Matched { tool: Arc::clone(tool), admitted });
        }
        let arguments = self
            .amend(tool, admitted.arguments(), recorded)
            .map_err(|violation| RegistryRejection::Arguments(Box::new(violation)))?;
        Ok(Matched { tool: Arc::clone(tool), admitted: admitted.amended(arguments) })
    }

    /// Arguments that do not fit, as what they mean where the policy lets them be read so.
    fn amend(&self, tool: &Tool, arguments: &Json, recorded: &mut Vec<Amendment>) -> Result<Json, Violation> {
        let Policy { limits, coercion, strict_nulls } = &self.policy;
        let without_nulls =
            strict_nulls.then(|| coerce::without_strict_nulls(&tool.input, arguments, limits, recorded)).flatten();
        if let Some(arguments) = without_nulls.as_ref().filter(|arguments| tool.input.admits(arguments)) {
            return Ok(arguments.clone());
        }
        let arguments = without_nulls.as_ref().unwrap_or(arguments);
        match coercion {
            Coercion::Off => Err(tool.input.violation(arguments)),
            Coercion::Lossless => coerce::arguments(&tool.input, tool.name(), arguments, limits, recorded),
        }
    }

    fn unknown(&self, asked: &str) -> RegistryRejection {
        let nearest = nearest(asked, self.tools.keys().map(String::as_str)).map(str::to_owned);
        let complete = self.tools.len() <= MAX_LISTED;
        let names = if complete { self.tools.keys().cloned().collect() } else { self.nearest_names(asked) };
        RegistryRejection::UnknownTool { names, complete, nearest }
    }

    fn nearest_names(&self, asked: &str) -> Vec<String> {
        let asked = text::one_line(asked, 64);
        let mut by_distance: Vec<(usize, &String)> =
            self.tools.keys().map(|name| (strsim::osa_distance(&asked, name), name)).collect();
        by_distance.sort_unstable();
        by_distance.into_iter().take(NEAREST).map(|(_, name)| name.clone()).collect()
    }
}

fn collision(tool: &Tool, first: &Tool) -> LoadError {
    LoadError {
        file: tool.file.clone(),
        problem: LoadProblem::Collision {
            name: tool.name().to_owned(),
            other: first.name().to_owned(),
            other_file: first.file.clone(),
        },
    }
}

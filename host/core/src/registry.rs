//! Registry: is there such a tool, and do the arguments meet the schema that was published?
//!
//! One immutable snapshot of all loaded tools. The list a model is shown is made from it, so a tool that is listed and
//! not dispatched, or the other way round, cannot be expressed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::gate::Admitted;
use crate::load::{LoadError, LoadProblem};
use crate::schema::{Violation, nearest};
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
    /// The arguments do not fit the tool's input schema.
    Arguments(Box<Violation>),
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
        self.admitted.text()
    }
}

/// All loaded tools, by name.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    tools: BTreeMap<String, Arc<Tool>>,
}

impl Registry {
    /// Takes tools in the order of their loading. Of two names that clash the newcomer is refused.
    pub(crate) fn new(tools: Vec<Tool>) -> Result<Self, Vec<LoadError>> {
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
        Ok(Self { tools: folded.into_values().map(|tool| (tool.name().to_owned(), tool)).collect() })
    }

    /// The loaded tools, sorted by name.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)
    }

    /// Finds the tool and holds the arguments against its schema.
    pub(crate) fn find(&self, admitted: Admitted) -> Result<Matched, RegistryRejection> {
        let Some(tool) = self.tools.get(admitted.tool()) else {
            return Err(self.unknown(admitted.tool()));
        };
        if tool.input.accepts(admitted.arguments()) {
            return Ok(Matched { tool: Arc::clone(tool), admitted });
        }
        Err(RegistryRejection::Arguments(Box::new(tool.input.explain(admitted.arguments()))))
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

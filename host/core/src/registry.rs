//! Registry: is there such a tool, and do the arguments meet the schema that was published?
//!
//! One immutable snapshot of all loaded tools. The list a model is shown is made from it, so a tool that is listed and
//! not dispatched, or the other way round, cannot be expressed.

mod coerce;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::amendment::{Amendment, Coercion};
use crate::gate::Admitted;
use crate::json::{Json, JsonLimits};
use crate::load::{LoadError, LoadProblem};
use crate::near::nearest;
use crate::schema::Misfit;
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
    UnknownTool(UnknownTool),
    /// The arguments have more values than this tool's schema can be held against in time.
    TooManyValues {
        /// How many values and keys came.
        n: usize,
        /// The most for this tool.
        max: u64,
    },
    /// The arguments do not fit the tool's input schema.
    Arguments(Box<Misfit>),
}

/// A name that no tool has, and the ones there are. What is said of it is made when somebody reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTool {
    asked: String,
    names: Arc<[String]>,
}

impl UnknownTool {
    /// Whether [`UnknownTool::names`] gives all there are.
    pub fn is_complete(&self) -> bool {
        self.names.len() <= MAX_LISTED
    }

    /// All names, sorted, or the nearest ones where there are too many.
    pub fn names(&self) -> Vec<&str> {
        let names = self.names.iter().map(String::as_str);
        if self.is_complete() {
            return names.collect();
        }
        let asked = text::one_line(&self.asked, 64);
        let mut by_distance: Vec<(usize, &str)> =
            names.map(|name| (strsim::osa_distance(&asked, name), name)).collect();
        by_distance.sort_unstable();
        by_distance.into_iter().take(NEAREST).map(|(_, name)| name).collect()
    }

    /// The name that is probably meant.
    pub fn nearest(&self) -> Option<&str> {
        nearest(&self.asked, self.names.iter().map(String::as_str))
    }
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
    arguments: Json,
}

impl Matched {
    pub(crate) const fn tool(&self) -> &Arc<Tool> {
        &self.tool
    }

    /// The arguments, read.
    pub(crate) const fn document(&self) -> &Json {
        &self.arguments
    }

    /// The arguments as JSON text.
    pub(crate) fn arguments(&self) -> &str {
        self.arguments.text()
    }

    /// The arguments, where nobody has to be handed their text any more.
    pub(crate) fn into_arguments(self) -> Json {
        self.arguments
    }
}

/// All loaded tools, or those of them that there are for somebody, by name.
#[derive(Clone, Debug)]
pub(crate) struct Registry {
    tools: BTreeMap<String, Arc<Tool>>,
    names: Arc<[String]>,
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
        let tools: BTreeMap<String, Arc<Tool>> =
            folded.into_values().map(|tool| (tool.name().to_owned(), tool)).collect();
        let names = tools.keys().cloned().collect();
        Ok(Self { tools, names, policy })
    }

    /// The same with no other tools than these.
    pub(crate) fn restricted_to(&self, names: &BTreeSet<&str>) -> Self {
        let tools: BTreeMap<String, Arc<Tool>> = self
            .tools
            .iter()
            .filter(|(name, _)| names.contains(name.as_str()))
            .map(|(name, tool)| (name.clone(), Arc::clone(tool)))
            .collect();
        Self { names: tools.keys().cloned().collect(), tools, policy: self.policy }
    }

    /// The tool of exactly this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)
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
            let names = Arc::clone(&self.names);
            return Err(RegistryRejection::UnknownTool(UnknownTool { asked: admitted.into_tool(), names }));
        };
        recorded.extend(amendment);
        let (n, max) = (admitted.arguments().n_nodes(), tool.input.most_values());
        if u64::try_from(n).unwrap_or(u64::MAX) > max {
            return Err(RegistryRejection::TooManyValues { n, max });
        }
        let arguments = admitted.into_arguments();
        if tool.input.admits(&arguments) {
            return Ok(Matched { tool: Arc::clone(tool), arguments });
        }
        match self.amend(tool, arguments, recorded) {
            Ok(arguments) => Ok(Matched { tool: Arc::clone(tool), arguments }),
            Err(arguments) => Err(RegistryRejection::Arguments(Box::new(tool.input.misfit(arguments)))),
        }
    }

    /// Arguments that do not fit, as what they mean where the policy lets them be read so; else as far as that went.
    fn amend(&self, tool: &Tool, mut arguments: Json, recorded: &mut Vec<Amendment>) -> Result<Json, Json> {
        let Policy { limits, coercion, strict_nulls } = &self.policy;
        if *strict_nulls && let Some(mended) = coerce::without_strict_nulls(&tool.input, &arguments, limits, recorded) {
            if tool.input.admits(&mended) {
                return Ok(mended);
            }
            arguments = mended;
        }
        match coercion {
            Coercion::Off => Err(arguments),
            Coercion::Lossless => coerce::arguments(&tool.input, tool.name(), arguments, limits, recorded),
        }
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

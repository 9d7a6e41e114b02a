//! Findings: whom each number concerns, in a sentence.
//!
//! Refusals lead to the declarations and failures to the tools, their limits and what they stand on. What a sentence says of
//! a tool is its name and numbers; nothing here has ever seen an argument.

use serde::Serialize;

use super::rates::{CodeRow, ToolRow};
use super::recovery::Recovery;
use super::slips::{SlipRow, Slips};
use crate::call_log::Slip;
use crate::refusal::Rule;

/// How often something has to happen before it is a finding: what happens once may be chance.
const LEAST: u64 = 2;

/// Most findings of one kind. Who has mended five things makes a new log.
const MOST: usize = 5;

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LookAt {
    /// At what models are told: names, descriptions, schemas.
    Declaration,
    /// At the tool, whose author breaks a promise or crashes.
    Tool,
    /// At what the tool is given or stands on: limits, files, services.
    Surroundings,
    /// At the refusal bound.
    Bound,
}

impl LookAt {
    /// The word for a person.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Declaration => "declaration",
            Self::Tool => "tool",
            Self::Surroundings => "surroundings",
            Self::Bound => "bound",
        }
    }
}

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where.
    pub look_at: LookAt,
    /// Calls, or episodes, that say so.
    pub n: u64,
    /// What to do.
    pub text: String,
}

/// What the numbers say.
pub(super) fn of(tools: &[ToolRow], slips: &Slips, recovery: &Recovery) -> Vec<Finding> {
    let slips = slips.rows.iter().filter(|row| row.calls >= LEAST).take(MOST).map(of_slip);
    let failures = tools.iter().flat_map(|tool| tool.codes.iter().filter_map(|code| of_failure(tool, code)));
    let mut failures: Vec<Finding> = failures.filter(|finding| finding.n >= LEAST).collect();
    failures.sort_by_key(|finding| std::cmp::Reverse(finding.n));
    failures.truncate(MOST);
    let mut findings: Vec<Finding> = slips.chain(failures).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.n));
    findings.extend(of_bound(recovery));
    findings
}

fn of_slip(row: &SlipRow) -> Finding {
    let SlipRow { tool, code, calls, slip, values: _, example: _ } = row;
    let place = code.splitn(3, ':').nth(2).filter(|at| !at.is_empty()).unwrap_or("the arguments");
    let text = match slip {
        Some(Slip::UnknownTool { nearest: Some(near) }) => {
            format!(
                "`{tool}` is asked for where `{near}` is meant: give the tool the name that models use, or one unlike it"
            )
        }
        Some(Slip::UnknownTool { nearest: None }) => {
            format!("`{tool}` is asked for and is like no tool: offer one, or say in a description what does its work")
        }
        Some(Slip::MissingKey { key, sent: Some(sent) }) => {
            format!("`{tool}` is sent `{sent}` for `{key}`: rename the key, or name the other in its description")
        }
        Some(Slip::MissingKey { key, sent: None }) => {
            format!("`{tool}` is called without `{key}`: say where its value comes from, or make it optional")
        }
        Some(Slip::UndeclaredKey { key, nearest: Some(near) }) => {
            format!(
                "`{tool}` is sent `{key}`, nearest is `{near}`: rename the key, or name the other in its description"
            )
        }
        Some(Slip::UndeclaredKey { key, nearest: None }) => {
            format!(
                "`{tool}` is sent `{key}`, which is not declared: declare it, or say in its description that there is none"
            )
        }
        Some(Slip::WrongType { wants, got }) => {
            format!(
                "`{place}` of `{tool}` is {} where the type is {}: say it in its description",
                got.name(),
                wants.join(" or ")
            )
        }
        Some(Slip::WrongValue { got: _, n_permitted: Some(n), nearest: _, digest: _, value: _ }) => {
            format!(
                "`{place}` of `{tool}` is none of the {n} permitted values: use the words that models use, or add one"
            )
        }
        Some(Slip::WrongValue { got: _, n_permitted: None, nearest: _, digest: _, value: _ }) => {
            format!("`{place}` of `{tool}` breaks its bounds or its form: say them in its description")
        }
        None => format!("calls of `{tool}` end by `{code}`: ask for less at once, or look at how they are sent"),
    };
    Finding { look_at: LookAt::Declaration, n: *calls, text }
}

fn of_failure(tool: &ToolRow, row: &CodeRow) -> Option<Finding> {
    let rule = Rule::of_code(row.code).filter(|rule| !rule.is_refusal())?;
    let name = tool.tool.as_deref()?;
    let (look_at, what) = match rule {
        Rule::ToolFuel | Rule::ToolTimeout | Rule::ToolMemory => {
            (LookAt::Surroundings, "reaches its limits: raise them, or make smaller requests possible")
        }
        Rule::ToolUnavailable => (LookAt::Surroundings, "stands on something that is not there: find its owner"),
        Rule::HostOverloaded => (LookAt::Surroundings, "finds no room: run fewer calls at once, or another host"),
        Rule::HostCancelled => {
            (LookAt::Surroundings, "is not waited for: see who cancels, and whether it is too slow for them")
        }
        Rule::HostInternal => (LookAt::Surroundings, "met a bug of the host: report it"),
        Rule::ResultEmpty => {
            (LookAt::Tool, "gives nothing where something is promised: declare that it may, or find out why")
        }
        Rule::ToolNotFound | Rule::ToolRefused | Rule::ToolFailed => {
            (LookAt::Tool, "says no: see whether its description tells a model when to ask")
        }
        Rule::ToolStack | Rule::ToolTrap | Rule::ToolExit => (LookAt::Tool, "crashes: its author has to look"),
        _ => (LookAt::Tool, "breaks its own contract: its author has to look"),
    };
    Some(Finding { look_at, n: row.calls, text: format!("`{name}` {what} (`{}`)", row.code) })
}

fn of_bound(recovery: &Recovery) -> Option<Finding> {
    let bound = &recovery.bound;
    let stopped = recovery.unknown_names.stopped.saturating_add(recovery.arguments.stopped);
    let n = recovery.unknown_names.episodes.saturating_add(recovery.arguments.episodes);
    let text = match (bound.suggested, bound.cuts_off) {
        (None, false) => return None,
        (_, true) => format!(
            "the bound in force ended {stopped} of {n} runs of refusals: whether they would have recovered cannot be seen here; \
             to see it, log a while with a higher one"
        ),
        (Some(suggested), false) => {
            format!(
                "{suggested} refusals in a row are enough: of {n} runs none was accepted after more than {}",
                suggested.saturating_sub(1)
            )
        }
    };
    Some(Finding { look_at: LookAt::Bound, n, text })
}

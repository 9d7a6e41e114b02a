//! Repair: what an operator's rules make of a call that came to no answer, for another try.
//!
//! Decides whether there is one, and gives the call anew. The next try walks the whole line as the first one did: a repair is
//! never a way around a gate. What is never repaired is fixed here and in `repair::reason`, whatever a file says.

mod reason;
mod remedy;
mod rule;
pub(crate) mod settings;

use std::sync::Arc;
use std::time::Duration;

use self::reason::Reason;
use self::rule::{HeldRule, Remedy};
use self::settings::{MAX_REPAIR_RULES, RepairSettings};
use crate::attempt::{Attempt, Change};
use crate::field_path::FieldPath;
use crate::json::JsonLimits;
use crate::refusal::{Code, NotDone, Rule};
use crate::registry::Registry;
use crate::tool::Tool;

pub use self::rule::RepairError;

/// The rules of a host, each held against its tools.
#[derive(Debug)]
pub(crate) struct Repairs {
    rules: Vec<HeldRule>,
    /// The only reasons that are repaired, where the operator names them.
    fixable: Option<Vec<Reason>>,
    attempts: u32,
    deadline: Duration,
    limits: JsonLimits,
}

/// A try that came to no answer.
#[derive(Debug)]
pub(crate) struct Ended<'a> {
    /// The name that was asked for.
    pub(crate) asked: &'a str,
    /// The tool, where there is one.
    pub(crate) tool: Option<&'a Arc<Tool>>,
    /// The arguments, as far as they could be read as an object.
    pub(crate) arguments: Option<&'a str>,
    pub(crate) not_done: &'a NotDone,
    /// Whether anything outside may have changed by it.
    pub(crate) may_have_changed: bool,
}

/// The call anew.
#[derive(Debug)]
pub(crate) struct Retrial {
    pub(crate) tool: String,
    pub(crate) arguments: String,
    /// How long to wait before it.
    pub(crate) wait: Duration,
    /// What is said of it.
    pub(crate) attempt: Attempt,
}

impl Repairs {
    /// Holds an operator's rules against the tools; nothing where there are none.
    pub(crate) fn hold(
        settings: &RepairSettings,
        registry: &Registry,
        limits: JsonLimits,
    ) -> Result<Option<Self>, Vec<RepairError>> {
        let mut errors = Vec::new();
        if let Some((key, max)) = settings.beyond_maximum() {
            return Err(vec![RepairError::of_key(&key, format!("is outside 1 to {max}"))]);
        }
        if let Some(rule) = settings.rules.get(MAX_REPAIR_RULES) {
            let problem = format!("is one too many: the most is {MAX_REPAIR_RULES}");
            return Err(vec![RepairError::of_rule(&rule.name, problem)]);
        }
        let mut rules: Vec<HeldRule> = Vec::with_capacity(settings.rules.len());
        for (nth, rule) in settings.rules.iter().enumerate() {
            match rule::hold(nth, rule, registry) {
                Ok(held) if rules.iter().any(|other| other.name == held.name) => {
                    errors.push(RepairError::of_rule(&rule.name, "stands twice".to_owned()));
                }
                Ok(held) => rules.push(held),
                Err(error) => errors.push(error),
            }
        }
        let fixable = settings.fixable.as_ref().map(|reasons| {
            let reasons = reasons.iter().map(|reason| Reason::parse(reason));
            reasons.collect::<Result<Vec<_>, _>>()
        });
        let fixable = fixable.transpose().unwrap_or_else(|problem| {
            errors.push(RepairError::of_key("fixable", format!("names a reason that is none: {problem}")));
            None
        });
        for rule in rules.iter().filter(|rule| fixable.as_ref().is_some_and(|fixable| !rule.reason().is_among(fixable)))
        {
            let problem = "is for a reason that `fixable` does not list".to_owned();
            errors.push(RepairError::of_rule(&rule.name, problem));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let (attempts, deadline) = (settings.attempts(), settings.deadline());
        Ok((!rules.is_empty()).then_some(Self { rules, fixable, attempts, deadline, limits }))
    }

    /// The time after which no further try goes on, from the beginning of the call.
    pub(crate) const fn deadline(&self) -> Duration {
        self.deadline
    }

    /// What to try next, after `n_before` repairs and with this much time left.
    pub(crate) fn next(&self, ended: &Ended<'_>, n_before: usize, time_left: Duration) -> Option<Retrial> {
        let n_tries = u32::try_from(n_before).unwrap_or(u32::MAX).saturating_add(1);
        // What was done stays done, and what may have been done might be done twice.
        if ended.may_have_changed || n_tries >= self.attempts {
            return None;
        }
        let code = ended.not_done.code();
        let is_fixable = self.fixable.as_ref().is_none_or(|reasons| reasons.iter().any(|reason| reason.covers(&code)));
        let arguments = ended.arguments.filter(|_| is_fixable)?;
        let rules = self.rules.iter().filter(|rule| rule.reason().covers(&code));
        let mut rules = rules.filter(|rule| rule.concerns(ended.asked, ended.tool.map(Arc::as_ref)));
        let retrial = rules.find_map(|rule| self.follow(rule, ended, arguments, &code, n_before))?;
        (retrial.wait < time_left).then_some(retrial)
    }

    fn follow(
        &self,
        rule: &HeldRule,
        ended: &Ended<'_>,
        arguments: &str,
        code: &Code,
        n_before: usize,
    ) -> Option<Retrial> {
        if ended.tool.is_some_and(|tool| tool.writes()) && !rule.is_for_writes() {
            return None;
        }
        let asked = ended.tool.map_or(ended.asked, |tool| tool.name());
        let (tool, arguments, change) = match &rule.remedy {
            Remedy::Set { argument, to } => {
                let mended = remedy::set(argument.as_ref(), to, ended.tool?, arguments, ended.not_done, &self.limits)?;
                (mended.tool, mended.arguments, mended.change)
            }
            Remedy::Switch { to, arguments: map } if **to != *asked => {
                let mended = remedy::switch(to, map.as_deref(), arguments, &self.limits)?;
                (mended.tool, mended.arguments, mended.change)
            }
            Remedy::Switch { to: _, arguments: _ } => return None,
            Remedy::Retry { wait } => {
                let change = Change::Waited { time: back_off(*wait, n_before) };
                (asked.to_owned(), arguments.to_owned(), change)
            }
        };
        let wait = if let Change::Waited { time } = &change { *time } else { Duration::ZERO };
        let attempt = Attempt {
            tool: asked.to_owned(),
            reason: code.clone(),
            rule: rule.name.to_string(),
            change,
            // What it is if nobody ever hears how the next try ended.
            outcome: Some(Code { rule: Rule::HostInternal, at: FieldPath::root() }),
        };
        Some(Retrial { tool, arguments, wait, attempt })
    }
}

/// Twice as long each time, of it a random part of at least a half: calls that failed together are not asked again together.
fn back_off(first: Duration, n_before: usize) -> Duration {
    let doublings = u32::try_from(n_before).unwrap_or(u32::MAX).min(16);
    let whole = first.saturating_mul(2_u32.saturating_pow(doublings));
    whole.mul_f64(0.5 + fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::back_off;

    #[test]
    fn each_wait_is_twice_as_long_and_at_least_half_of_that() {
        let first = Duration::from_millis(100);
        for (n_before, whole) in [(0, 100), (1, 200), (2, 400), (40, 6_553_600)] {
            let waits: Vec<Duration> = (0..100).map(|_| back_off(first, n_before)).collect();
            let (half, whole) = (Duration::from_millis(whole / 2), Duration::from_millis(whole));
            assert!(waits.iter().all(|wait| (half..=whole).contains(wait)), "{n_before}: {waits:?}");
            assert!(waits.iter().any(|wait| *wait != waits[0]), "they differ");
        }
    }
}

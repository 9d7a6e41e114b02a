//! Reason: which ends of a call a rule is for, and which can be repaired at all.

use crate::json::Pointer;
use crate::refusal::{Code, FixableBy, Rule};
use crate::text;

/// What a step of a place may be: this one, or any.
const ANY: &str = "*";

/// Ends that a rule is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    /// At least one.
    pub(super) rules: Vec<Rule>,
    /// The steps of the place, where the rule is for one.
    place: Option<Vec<String>>,
}

impl Reason {
    /// Reads `stage:*`, `stage:rule` or `stage:rule:place`.
    ///
    /// # Errors
    /// Why it is none that can be repaired, as the rest of a sentence that begins with what is asked for.
    pub(super) fn parse(written: &str) -> Result<Self, String> {
        let mut parts = written.splitn(3, ':');
        let (stage, rule, place) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let known = |code: &str| Rule::ALL.iter().copied().find(|rule| rule.code() == code);
        let shown = text::one_line(written, 80);
        let rules = match rule {
            Some(ANY) => Rule::ALL.iter().copied().filter(|rule| rule.family() == stage).collect(),
            Some(rule) => known(&format!("{stage}:{rule}")).into_iter().collect::<Vec<_>>(),
            None => Vec::new(),
        };
        if rules.is_empty() {
            return Err(format!("`{shown}` is no code of a call; docs/CODES.md lists them"));
        }
        let fixable: Vec<Rule> = rules.iter().copied().filter(|rule| is_fixable(*rule)).collect();
        if fixable.is_empty() {
            return Err(format!("`{shown}` is never repaired"));
        }
        if place.is_some() && !fixable.iter().all(|rule| rule.has_place()) {
            return Err(format!("`{shown}` names a place, and the code has none"));
        }
        let place = place.map(|place| place.split('.').map(str::to_owned).collect());
        Ok(Self { rules: fixable, place })
    }

    /// Whether some end may be one of these and of those.
    pub(super) fn is_among(&self, others: &[Self]) -> bool {
        let share = |other: &Self| {
            let places_agree = match (&self.place, &other.place) {
                (Some(a), Some(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || a == ANY || b == ANY)
                }
                (None, _) | (_, None) => true,
            };
            places_agree && self.rules.iter().any(|rule| other.rules.contains(rule))
        };
        others.iter().any(share)
    }

    /// The place that it is for, where every step of it is said.
    pub(super) fn exact_place(&self) -> Option<Pointer> {
        let place = self.place.as_ref().filter(|place| !place.iter().any(|step| step == ANY))?;
        Some(Pointer::to_steps(place.clone()))
    }

    /// Whether this end is one of them.
    pub(super) fn covers(&self, code: &Code) -> bool {
        let is_there = |place: &Vec<String>| {
            let at = code.at.to_string();
            let mut steps = at.split('.');
            place.iter().all(|step| steps.next().is_some_and(|at| step == ANY || step == at)) && steps.next().is_none()
        };
        self.rules.contains(&code.rule) && self.place.as_ref().is_none_or(is_there)
    }
}

/// Whether a call that ended so may be tried again with a change. Never where nobody can do anything about it (an empty
/// result, a rule of the tool's world), where the text of the call was broken (it is not known what was meant), where somebody
/// decided against it (authorisation, cancellation), and where the host itself is at fault.
pub(super) fn is_fixable(rule: Rule) -> bool {
    match (rule, rule.family()) {
        (Rule::CallUnknownTool | Rule::HostOverloaded, _) | (_, "args") => true,
        (_, "tool" | "result") => rule.fixable_by() != FixableBy::Nobody,
        _ => false,
    }
}

/// Whether asking again as it is can help.
pub(super) fn is_passing(rule: Rule) -> bool {
    matches!(rule, Rule::ToolUnavailable | Rule::HostOverloaded)
}

#[cfg(test)]
mod tests {
    use super::{Reason, is_fixable};
    use crate::field_path::{FieldPath, Segment};
    use crate::refusal::{Code, Rule};

    #[test]
    fn what_nobody_can_mend_is_never_repaired() {
        for code in [
            "call:truncated",
            "call:unparsable",
            "call:duplicate_key",
            "call:too_many",
            "tool:refused",
            "result:empty",
            "host:cancelled",
            "host:ran_before",
            "host:internal",
        ] {
            assert!(!is_fixable(Rule::of_code(code).expect(code)), "{code}");
            assert_eq!(Reason::parse(code), Err(format!("`{code}` is never repaired")));
        }
        assert!(Rule::ALL.iter().filter(|rule| rule.family() == "auth").all(|rule| !is_fixable(*rule)));
    }

    #[test]
    fn a_reason_covers_its_codes_and_its_places() {
        let rows =
            FieldPath::from_segments(vec![Segment::Key("rows".into()), Segment::Index(7), Segment::Key("qty".into())]);
        let code = Code { rule: Rule::ArgsRange, at: rows };
        for (written, covers) in [
            ("args:range", true),
            ("args:*", true),
            ("args:range:rows.*.qty", true),
            ("args:range:rows.7.qty", true),
            ("args:range:rows.8.qty", false),
            ("args:range:rows.*", false),
            ("args:range:rows.*.qty.*", false),
            ("args:allowed", false),
            ("result:*", false),
        ] {
            assert_eq!(Reason::parse(written).expect(written).covers(&code), covers, "{written}");
        }
        for (written, said) in [
            ("args", "is no code"),
            ("args:rnge", "is no code"),
            ("", "is no code"),
            ("tool:unavailable:x", "names a place"),
        ] {
            assert!(Reason::parse(written).expect_err(written).contains(said), "{written}");
        }
        assert!(!Reason::parse("result:*").expect("reads").rules.contains(&Rule::ResultEmpty));
    }
}

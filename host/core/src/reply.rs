//! Reply: what became of a call, said once for the model, once for the operator, once for a program.
//!
//! One value, rendered in one place, so that the three copies cannot drift. Decides nothing.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::amendment::Amendment;
use crate::attempt::Attempt;
use crate::auth::Denial;
use crate::check::{BrokenRelation, Checked, Promise, ResultFailure};
use crate::contract::Tie;
use crate::field_path::FieldPath;
use crate::gate::CallRejection;
use crate::refusal::{CallCap, Code, Failure, HostFailure, RanBefore, Rejection, Rule};
use crate::registry::{RegistryRejection, UnknownTool};
use crate::sandbox::guest_state::LogLine;
use crate::sandbox::output::OutputLine;
use crate::sandbox::stop::{GuestText, Scarce, ToolFailure};
use crate::schema::{Keyword, Violation, Wants, type_in_words};
use crate::text;
use crate::units::ByteCount;
use crate::usage::Usage;

/// Most bytes of what the model reads of a call that was not done: a sentence and a hint, never a payload.
const MAX_TEXT: usize = 1023;

/// Most bytes of the hint in it.
const MAX_HINT: usize = 300;

/// Most bytes of what is said of repairs.
const MAX_NOTE: usize = 400;

/// What a call may have changed outside its sandbox. It decides whether asking again is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Effects {
    /// Nothing can have changed: the tool did not run, or has no grant that lets it change anything.
    None,
    /// The tool finished; what it changed stays changed, even where its result was thrown away.
    Done,
    /// It was stopped midway with a grant that reaches outside.
    Unknown,
}

impl Effects {
    /// The word in tables and in the machine's copy.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Done => "done",
            Self::Unknown => "unknown",
        }
    }
}

/// Where the answer comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// From this call's own way down the line.
    #[default]
    Run,
    /// From an equal read of the same session; the tool did not run for this call.
    Memory,
    /// From an identical write that ran before in the same session; it did not run again.
    EarlierWrite,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// With a result that keeps every promise.
    Done(Checked),
    /// It never ran: the request is not in order.
    Refused(Rejection),
    /// The request was in order and there is no answer to use.
    Failed(Failure),
}

impl Verdict {
    /// `done`, `refused` or `failed`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
        }
    }

    /// The rule that a call which was not done ended by.
    pub(crate) fn rule(&self) -> Option<Rule> {
        match self {
            Self::Done(_) => None,
            Self::Refused(rejection) => Some(rejection.rule()),
            Self::Failed(failure) => Some(failure.code().rule),
        }
    }
}

/// The one answer to one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The id of the call.
    pub id: String,
    /// The name that was asked for, on one line and cut.
    pub tool: String,
    /// The tool that the verdict speaks of, where a repair asked another one.
    pub answered_by: Option<String>,
    /// How it ended.
    pub verdict: Verdict,
    /// What it may have changed.
    pub effects: Effects,
    /// Where the answer comes from.
    pub origin: Origin,
    /// What it cost.
    pub usage: Usage,
    /// Slips that were read as what they mean.
    pub recorded: Vec<Amendment>,
    /// What the operator's repair rules changed, one after the other.
    pub attempts: Vec<Attempt>,
    /// What was wrong with the call as it was asked, where a repair made up for it: a report of what models get wrong must not
    /// lose it.
    pub mended: Option<Box<Rejection>>,
    /// Whether the tool can reach nothing outside: then the same call gives the same bytes for the same fuel.
    pub pure: bool,
    /// What the tool wrote to its log, for the operator.
    pub log: Vec<LogLine>,
    /// What the tool printed, for the operator.
    pub output: Vec<OutputLine>,
}

/// The reply for a program, beside the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineReply {
    /// `done`, `refused` or `failed`.
    pub verdict: &'static str,
    /// The stable code; absent where the call was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The kind of schema rule that broke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword: Option<&'static str>,
    /// The place, dotted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where in the text of the arguments, in bytes from its start, for what is wrong with the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte: Option<usize>,
    /// What may have changed.
    pub effects: Effects,
    /// `model`, `retry`, `operator` or `nobody`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixable_by: Option<&'static str>,
    /// Whether the same call always gets the same answer; left out where it may not.
    #[serde(skip_serializing_if = "is_false")]
    pub pure: bool,
    /// Whether a session remembered the answer of an equal read.
    #[serde(skip_serializing_if = "is_false")]
    pub remembered: bool,
    /// Whether it is what an identical write of the session was answered with, which did not run again.
    #[serde(skip_serializing_if = "is_false")]
    pub replayed: bool,
    /// What was read as what it means.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recorded: Vec<String>,
    /// The tool that the verdict speaks of, where it is not the one that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// What repair rules changed, one after the other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<MachineAttempt>,
    /// Characters of the result, or of what the tool said instead of one, that were made visible.
    #[serde(skip_serializing_if = "is_zero")]
    pub sanitised: usize,
}

/// One repair, for a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineAttempt {
    /// The rule's name.
    pub rule: String,
    /// The code that it was followed for.
    pub reason: String,
    /// What was changed, in words.
    pub change: String,
    /// `done`, or the code that the call ended by then.
    pub outcome: String,
}

impl MachineAttempt {
    fn of(attempt: &Attempt) -> Self {
        Self {
            rule: attempt.rule.clone(),
            reason: attempt.reason.to_string(),
            change: attempt.change.to_string(),
            outcome: attempt.ended(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(n: &usize) -> bool {
    *n == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_false(is: &bool) -> bool {
    !*is
}

impl Reply {
    /// Whether the result can be used.
    pub const fn is_done(&self) -> bool {
        matches!(self.verdict, Verdict::Done(_))
    }

    /// The checked result, as the JSON that it is.
    pub fn result(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Done(checked) => Some(checked.text()),
            Verdict::Refused(_) | Verdict::Failed(_) => None,
        }
    }

    /// The stable code of a call that was not done.
    pub fn code(&self) -> Option<Code> {
        match &self.verdict {
            Verdict::Done(_) => None,
            Verdict::Refused(rejection) => Some(rejection.code()),
            Verdict::Failed(failure) => Some(failure.code()),
        }
    }

    /// For the model: the checked result, or one violation with what to do about it; where the call was repaired, with a note
    /// of it in front.
    pub fn text(&self) -> String {
        let note = self.note().map_or_else(String::new, |note| format!("note: {note}\n\n"));
        let tool = self.answered_by.as_ref().unwrap_or(&self.tool);
        let (code, said) = match &self.verdict {
            Verdict::Done(checked) => return format!("{note}{}", checked.text()),
            Verdict::Refused(rejection) => (rejection.code(), refusal(tool, rejection)),
            Verdict::Failed(failure) => (failure.code(), failure_said(tool, failure)),
        };
        let code = code.to_string();
        let effects = self.effects_said();
        let hint = said.hint.map_or_else(String::new, |hint| format!("\n\nhint: {}", cut(hint, MAX_HINT)));
        // The sentence gets what the parts that may not be cut leave of it; 8 bytes are the punctuation and the `…`.
        let fixed = [&note, &code, effects, &hint].iter().fold(8, |sum: usize, part| sum.saturating_add(part.len()));
        format!("{note}{code}: {}; {effects}{hint}", cut(said.sentence, MAX_TEXT.saturating_sub(fixed)))
    }

    /// For the model: what was changed of its call, where an answer would else be taken for one to what it asked.
    pub fn note(&self) -> Option<String> {
        let changes: Vec<String> = self
            .in_force()
            .iter()
            .filter(|attempt| attempt.change.changes_the_call())
            .map(|attempt| format!("`{}` ended with {}: {}", attempt.tool, attempt.reason, attempt.change.in_short()))
            .collect();
        // With a result all of them are said, however many; beside a failure they leave room for it.
        let room = if self.is_done() { usize::MAX } else { MAX_NOTE };
        let said = || {
            format!("repaired by a rule of the operator; {}", joined(changes.iter().map(String::as_str), "; ", room))
        };
        (!changes.is_empty()).then(said)
    }

    /// The repairs behind the verdict. Those that only led to a refusal are not: then it speaks of the call before them.
    fn in_force(&self) -> &[Attempt] {
        let ran = |attempt: &Attempt| attempt.outcome.as_ref().is_none_or(|code| !code.rule.is_refusal());
        let n = match &self.verdict {
            Verdict::Refused(_) => 0,
            Verdict::Done(_) | Verdict::Failed(_) => {
                self.attempts.iter().rposition(ran).map_or(0, |last| last.saturating_add(1))
            }
        };
        self.attempts.get(..n).unwrap_or_default()
    }

    const fn effects_said(&self) -> &'static str {
        match (&self.verdict, self.effects) {
            (Verdict::Refused(_), _) => "the tool did not run",
            (_, Effects::None) => "nothing was changed",
            (_, Effects::Done) => "the tool had finished, so what it changed stays changed",
            (_, Effects::Unknown) => "part of its work may have been done",
        }
    }

    /// For a program.
    pub fn machine(&self) -> MachineReply {
        let code = self.code();
        let (byte, at) = self.text_place();
        let at = code.as_ref().map(|code| &code.at).filter(|at| !at.is_root()).or(at);
        MachineReply {
            verdict: self.verdict.name(),
            path: at.filter(|at| !at.is_root()).map(ToString::to_string),
            byte,
            keyword: self.keyword(),
            fixable_by: code.as_ref().map(|code| code.rule.fixable_by().name()),
            code: code.map(|code| code.to_string()),
            effects: self.effects,
            pure: self.pure,
            remembered: self.origin == Origin::Memory,
            replayed: self.origin == Origin::EarlierWrite,
            recorded: self.recorded.iter().map(ToString::to_string).collect(),
            answered_by: self.answered_by.clone(),
            repaired: self.attempts.iter().map(MachineAttempt::of).collect(),
            sanitised: match &self.verdict {
                Verdict::Done(checked) => checked.n_sanitised(),
                Verdict::Failed(Failure::Tool(failure)) => failure.said().map_or(0, GuestText::n_sanitised),
                Verdict::Refused(_) | Verdict::Failed(_) => 0,
            },
        }
    }

    /// For the operator: one line with the cause and the cost, without arguments and without the result.
    pub fn operator_line(&self) -> String {
        let mut line = format!("{} call={} tool={}", self.verdict.name(), field(&self.id), field(&self.tool));
        let mut add = |key: &str, value: &str| {
            write!(line, " {key}={value}").expect("writing to a String cannot fail");
        };
        if let Some(code) = self.code() {
            add("code", &code.to_string());
        }
        if let Verdict::Failed(Failure::Result(failure)) = &self.verdict
            && let Some(promise) = failure.promise().filter(|promise| *promise != Promise::Contract)
        {
            add("promise", promise.name());
        }
        if !self.recorded.is_empty() {
            let recorded: Vec<String> = self.recorded.iter().map(ToString::to_string).collect();
            add("recorded", &recorded.join(","));
        }
        if let Some(answered_by) = &self.answered_by {
            add("answered_by", &field(answered_by));
        }
        for attempt in &self.attempts {
            add("repaired", &format!("{:?}", format!("{}: {}: {}", attempt.rule, attempt.reason, attempt.ended())));
        }
        match self.origin {
            Origin::Run => {}
            Origin::Memory => add("origin", "memory"),
            Origin::EarlierWrite => add("origin", "earlier_write"),
        }
        add("effects", self.effects.name());
        add("fuel", &self.usage.fuel.to_string());
        add("memory", &self.usage.memory.get().to_string());
        add("time_us", &self.usage.total().as_micros().to_string());
        if self.usage.log_dropped.get() > 0 {
            add("log_dropped", &self.usage.log_dropped.get().to_string());
        }
        if self.usage.output_dropped.get() > 0 {
            add("output_dropped", &self.usage.output_dropped.get().to_string());
        }
        if let Some(cause) = self.cause() {
            add("cause", &format!("{:?}", text::one_line(&cause, 300)));
        }
        line
    }

    /// The last line that a guest logged, where it is known to be that.
    fn last_words(&self) -> Option<&LogLine> {
        let last = self.log.last()?;
        (self.usage.log_dropped == ByteCount::default() || last.level == "error").then_some(last)
    }

    /// What the operator has to know and a model must not: the host's internals and a guest's last words.
    fn cause(&self) -> Option<String> {
        let failure = match &self.verdict {
            Verdict::Failed(failure) => failure,
            Verdict::Refused(Rejection::Denied(denial)) => return Some(denial.to_string()),
            Verdict::Done(_) | Verdict::Refused(_) => return None,
        };
        match failure {
            Failure::Host(HostFailure::Internal(problem) | HostFailure::GrantGone(problem)) => Some(problem.clone()),
            // Where lines were dropped, the last one that was kept need not be the guest's last one, unless it is an error.
            Failure::Tool(ToolFailure::Trapped { kind }) => Some(match self.last_words() {
                Some(last) => format!("{kind}; it logged: {}", last.text),
                None => kind.clone(),
            }),
            Failure::Tool(ToolFailure::Exited { status }) => Some(format!("status {status}")),
            Failure::Tool(_)
            | Failure::Result(_)
            | Failure::RanBefore(_)
            | Failure::Host(HostFailure::Overloaded | HostFailure::Cancelled { began: _ }) => None,
        }
    }

    /// Where the text of the arguments goes wrong: the byte, and the path where that is not in the code.
    const fn text_place(&self) -> (Option<usize>, Option<&FieldPath>) {
        let Verdict::Refused(Rejection::Call(rejection)) = &self.verdict else {
            return (None, None);
        };
        match rejection {
            CallRejection::Truncated { byte } => (*byte, None),
            CallRejection::BadText { byte, at, what: _ } => (*byte, Some(at)),
            CallRejection::Unparsable { byte, problem: _ }
            | CallRejection::TooManyValues { byte, max: _ }
            | CallRejection::LongString { byte, max: _ }
            | CallRejection::LongNumber { byte, max: _ }
            | CallRejection::TooDeep { byte, max: _ }
            | CallRejection::DuplicateKey { byte, at: _ }
            | CallRejection::InexactNumber { byte, at: _ } => (Some(*byte), None),
            CallRejection::NotObject { got: _ } | CallRejection::TooLarge { size: _, max: _ } => (None, None),
        }
    }

    /// The rule of a schema or of a relation that broke.
    pub(crate) fn keyword(&self) -> Option<&'static str> {
        let misfit = match &self.verdict {
            Verdict::Refused(Rejection::Registry(RegistryRejection::Arguments(misfit))) => Some(&**misfit),
            Verdict::Failed(Failure::Result(ResultFailure::Relation(broken))) => return Some(broken.tie.name()),
            Verdict::Failed(Failure::Result(failure)) => failure.misfit(),
            Verdict::Done(_) | Verdict::Refused(_) | Verdict::Failed(_) => None,
        };
        misfit.map(|misfit| keyword_name(misfit.keyword()))
    }
}

/// A foreign word in the operator's line: quoted unless it is plain, so that it cannot pass for fields of its own.
fn field(word: &str) -> String {
    let word = text::one_line(word, 80);
    let plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.:".contains(&b));
    if plain { word } else { format!("{word:?}") }
}

const fn keyword_name(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Required => "required",
        Keyword::Undeclared => "additionalProperties",
        Keyword::Type => "type",
        Keyword::NumberRange => "range",
        Keyword::TooFew => "min",
        Keyword::TooMany => "max",
        Keyword::Enum => "enum",
        Keyword::Pattern => "pattern",
        Keyword::Format => "format",
        Keyword::Schema => "schema",
    }
}

/// A sentence and, apart from it, what to do.
struct Said {
    sentence: String,
    hint: Option<String>,
}

fn said(sentence: impl Into<String>, hint: Option<impl Into<String>>) -> Said {
    Said { sentence: sentence.into(), hint: hint.map(Into::into) }
}

fn refusal(tool: &str, rejection: &Rejection) -> Said {
    match rejection {
        Rejection::Call(rejection) => call_refusal(tool, rejection),
        Rejection::Registry(RegistryRejection::UnknownTool(unknown)) => unknown_tool(tool, unknown),
        Rejection::TooManyCalls(CallCap::Turn { max }) => said(
            format!("`{tool}` comes after the {max} calls that one turn may have"),
            Some("read the other answers, then send this call again"),
        ),
        Rejection::TooManyCalls(CallCap::Session { max }) => said(
            format!("`{tool}` comes after the {max} calls that this conversation may have"),
            Some("answer with what is known, without calling tools"),
        ),
        Rejection::Denied(denial) => denied(tool, denial),
        Rejection::Registry(RegistryRejection::TooManyValues { n, max }) => said(
            format!("the arguments of `{tool}` have {n} values and keys, the most that it takes is {max}"),
            Some("make a smaller request: fewer items"),
        ),
        Rejection::Registry(RegistryRejection::Arguments(misfit)) => {
            let violation = misfit.violation();
            let sentence = sentence(&format!("{} of `{tool}`", place(&violation.at)), &violation.wants);
            let sentence = match &violation.got {
                Some(got) => format!("{sentence}, got {got}"),
                None => sentence,
            };
            Said { sentence, hint: hint(&violation) }
        }
    }
}

fn call_refusal(tool: &str, rejection: &CallRejection) -> Said {
    let of = format!("the arguments of `{tool}`");
    let (sentence, hint) = match rejection {
        CallRejection::Truncated { byte: _ } => (
            format!("{of} were cut off before they ended"),
            "make a smaller request: fewer items or shorter texts; sending the same again will be cut again",
        ),
        CallRejection::Unparsable { byte, problem } => {
            (format!("{of} are not JSON: {problem} at byte {byte}"), "send one JSON object and nothing else")
        }
        CallRejection::NotObject { got } => {
            (format!("{of} must be one JSON object, got {got}"), "send an object whose keys are the tool's parameters")
        }
        CallRejection::TooLarge { size, max } => {
            (format!("{of} have {size}, the most is {max}"), "make a smaller request")
        }
        CallRejection::TooManyValues { byte: _, max } => {
            (format!("{of} have more than {max} values and keys"), "make a smaller request")
        }
        CallRejection::LongString { byte, max } => {
            (format!("{of} hold a text of more than {max}, at byte {byte}"), "send a shorter text")
        }
        CallRejection::LongNumber { byte, max } => {
            (format!("{of} hold a number of more than {max} characters, at byte {byte}"), "send a shorter number")
        }
        CallRejection::TooDeep { byte: _, max } => {
            (format!("{of} are nested deeper than {max}"), "send the values without the nesting")
        }
        CallRejection::DuplicateKey { byte: _, at } => {
            (format!("`{at}` of `{tool}` stands twice in one object"), "send each key once")
        }
        CallRejection::InexactNumber { byte: _, at } => {
            let place = place(at);
            (
                format!("{place} of `{tool}` is a number that cannot be held exactly"),
                "send an integer of at most 64 bits, or a number with at most 15 digits",
            )
        }
        CallRejection::BadText { byte, at, what } => {
            let whose = if at.is_root() { of } else { format!("`{at}` of `{tool}`") };
            let place = byte.map_or_else(String::new, |byte| format!(", at byte {byte}"));
            (format!("{whose}: {what}{place}, where text is due"), "send the text without broken characters")
        }
    };
    said(sentence, Some(hint))
}

/// The argument and what came, and nothing of the rule.
fn denied(tool: &str, denial: &Denial) -> Said {
    if denial.at().is_root() {
        return said(
            format!("`{tool}` is not permitted here"),
            Some("do without it: no other arguments will make a difference"),
        );
    }
    let at = place(denial.at());
    match denial.got() {
        Some(got) => said(
            format!("`{tool}` is not permitted here with this {at}, got {got}"),
            Some("the same value will be refused again: send the one that is meant here, or do without the call"),
        ),
        None => said(
            format!("`{tool}` is not permitted here without {at}"),
            Some("send it with the value that is meant here, or do without the call"),
        ),
    }
}

fn unknown_tool(asked: &str, unknown: &UnknownTool) -> Said {
    let names = unknown.names();
    let tools = match (names.as_slice(), unknown.is_complete()) {
        ([], _) => "no tool is loaded".to_owned(),
        (names, true) => format!("the tools are {}", listed(names.iter().copied(), 380)),
        (names, false) => format!("the nearest are {}", listed(names.iter().copied(), 380)),
    };
    let hint = unknown.nearest().map(|near| format!("did you mean `{near}`?"));
    said(format!("there is no tool `{asked}`; {tools}"), hint)
}

/// What a value has to be, as a sentence that begins with the name of its place.
fn sentence(of: &str, wants: &Wants) -> String {
    match wants {
        Wants::Key { holds: _, misspelt: Some(other) } => format!("{of} is missing, and `{other}` is not declared"),
        Wants::Key { holds: _, misspelt: None } => format!("{of} is missing"),
        Wants::DeclaredKeys { keys: _, nearest: _ } => format!("{of} is not declared"),
        Wants::Type(names) => {
            let words: Vec<&str> = names.iter().map(|name| type_in_words(name)).collect();
            format!("{of} must be {}", words.join(" or "))
        }
        Wants::Bound(words) => format!("{of} {words}"),
        Wants::OneOf { values, n_more, nearest: _, in_another_case: _ } => {
            let more = if *n_more > 0 { format!(" or {n_more} more") } else { String::new() };
            format!("{of} must be one of {}{more}", listed(values.iter().map(String::as_str), 300))
        }
        Wants::Pattern(pattern) => format!("{of} must match `{pattern}`"),
        Wants::Format(format) => format!("{of} must be in the format `{format}`"),
        Wants::Rule(words) => format!("{of} {words}"),
    }
}

fn hint(violation: &Violation) -> Option<String> {
    let key = violation.at.last_key().map(|key| text::one_line(key, 64)).unwrap_or_default();
    match &violation.wants {
        Wants::Key { holds, misspelt } => {
            let holds = if holds.is_empty() { String::new() } else { format!(": {holds}") };
            Some(match misspelt {
                Some(other) => format!("send `{key}` instead of `{other}`{holds}"),
                None => format!("add `{key}`{holds}"),
            })
        }
        Wants::DeclaredKeys { keys, nearest } => {
            let declared = match keys.as_slice() {
                [] => "no keys are declared here".to_owned(),
                keys => format!("the declared keys are {}", listed(keys.iter().map(String::as_str), 220)),
            };
            Some(match nearest {
                Some(near) => format!("did you mean `{near}`? {declared}"),
                None => format!("leave `{key}` out; {declared}"),
            })
        }
        Wants::OneOf { values: _, n_more: _, nearest: Some(near), in_another_case: _ } => {
            Some(format!("did you mean \"{near}\"?"))
        }
        Wants::OneOf { values: _, n_more: _, nearest: None, in_another_case: _ }
        | Wants::Type(_)
        | Wants::Bound(_)
        | Wants::Pattern(_)
        | Wants::Format(_)
        | Wants::Rule(_) => None,
    }
}

fn failure_said(tool: &str, failure: &Failure) -> Said {
    match failure {
        Failure::Tool(failure) => said(format!("`{tool}` {}", failure.sentence()), failure.hint()),
        Failure::Result(failure) => result_said(tool, failure),
        Failure::Host(HostFailure::Overloaded) => {
            said(format!("there was no room to run `{tool}`"), Some("ask again later, or for less at once"))
        }
        Failure::Host(HostFailure::Cancelled { began: _ }) => {
            said(format!("`{tool}` was cancelled before it answered"), Some("ask again if the answer is still wanted"))
        }
        Failure::Host(HostFailure::GrantGone(_)) => {
            said(format!("something that `{tool}` needs is not there now"), Some("ask again later, or do without it"))
        }
        Failure::Host(HostFailure::Internal(_)) => said(
            format!("the host failed while it answered `{tool}`"),
            Some("do without it; the operator has been told"),
        ),
        Failure::RanBefore(RanBefore { ended, finished: _ }) => said(
            format!(
                "the same call of `{tool}` ran before in this conversation, ended with `{ended}`, and is not run again"
            ),
            Some("look what became of it with another tool, if there is one, before trying otherwise"),
        ),
    }
}

fn result_said(tool: &str, failure: &ResultFailure) -> Said {
    const UNUSABLE: &str = "do not use its answer; do without it or use another tool";
    match failure {
        ResultFailure::NotJson { problem, at: _ } => {
            said(format!("what `{tool}` returned is not JSON: {problem}"), Some(UNUSABLE))
        }
        ResultFailure::Shape { misfit, promise: _ } => said(broken_promise(tool, &misfit.violation()), Some(UNUSABLE)),
        ResultFailure::Empty { at, promise: _ } => said(
            format!("{} in the result of `{tool}` came back with nothing", place(at)),
            Some("asking the same again will not help: check the arguments, or go on without it"),
        ),
        ResultFailure::TooMany { misfit, promise: _ } => said(
            broken_promise(tool, &misfit.violation()),
            Some("ask for less; if it still returns too much, use another tool"),
        ),
        ResultFailure::TooLarge { size, max } => said(
            match size {
                Some(size) => format!("`{tool}` returned {size}, the most is {max}"),
                None => format!("`{tool}` returned more than {max}"),
            },
            Some("ask for fewer items or a part"),
        ),
        ResultFailure::TooManyValues { n, max } => said(
            match n {
                Some(n) => format!("`{tool}` returned {n} values and keys, the most is {max}"),
                None => format!("`{tool}` returned more than {max} values and keys"),
            },
            Some("ask for fewer items or a part"),
        ),
        ResultFailure::TooDeep { max } => {
            said(format!("what `{tool}` returned is nested deeper than {max}"), Some(UNUSABLE))
        }
        ResultFailure::Range { misfit, promise: _ } => {
            let mut violation = misfit.violation();
            // Both bounds: which unit was meant shows between them.
            if let Some(range) = misfit.declared_range() {
                violation.wants = Wants::Bound(format!("must be {range}"));
            }
            let sentence = broken_promise(tool, &violation);
            said(
                violation.got.map_or(sentence.clone(), |got| format!("{sentence}, got {got}")),
                Some("do not use the number: it may be in another unit than declared"),
            )
        }
        ResultFailure::Relation(broken) => said(broken_relation(tool, broken), Some(UNUSABLE)),
        ResultFailure::Inexact { at } => {
            said(format!("{} in the result of `{tool}` is a number that cannot be held", place(at)), Some(UNUSABLE))
        }
    }
}

/// Both sides of it.
fn broken_relation(tool: &str, broken: &BrokenRelation) -> String {
    let BrokenRelation { at, tie, argument, got, asked } = broken;
    let (at, argument) = (place(at), place(argument));
    let came = match tie {
        Tie::MaxItems => format!("{at} has {got} items"),
        Tie::Equals => format!("{at} is {got}"),
    };
    format!("the result of `{tool}` breaks its contract: {came}, and {argument} asked for {asked}")
}

fn broken_promise(tool: &str, violation: &Violation) -> String {
    format!("the result of `{tool}` breaks its contract: {}", sentence(&place(&violation.at), &violation.wants))
}

impl ToolFailure {
    /// How the tool ended, as the rest of a sentence that begins with its name.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::OutOfFuel { fuel } => format!("was stopped after {fuel} units of work"),
            Self::OutOfTime { after } => format!("was stopped after {after:?}"),
            Self::TooManyHostCalls { max } => format!("was stopped after {max} calls to its host"),
            Self::OutOfMemory { of } => match of {
                Scarce::Memory(max) => format!("wanted more memory than its {max}"),
                Scarce::Parts => "wanted more memories, tables or instances than a call has".to_owned(),
                Scarce::Handles(max) => format!("wanted to hold more than {max} handles"),
                Scarce::HostCall(max) => format!("passed more than {max} to its host at once"),
                Scarce::Random(max) => format!("asked for more than {max} of random bytes at once"),
            },
            Self::OutOfStack => "recursed past its stack".to_owned(),
            Self::Trapped { kind: _ } => "crashed".to_owned(),
            Self::Exited { status: _ } => "ended without an answer".to_owned(),
            Self::NotFound(text) | Self::SaidNo(text) | Self::Unavailable(text) | Self::Failed(text) => {
                let text = text.as_str();
                format!("says: {}", if text.is_empty() { "(no text)" } else { text })
            }
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::OutOfFuel { fuel: _ }
            | Self::TooManyHostCalls { max: _ }
            | Self::OutOfTime { after: _ }
            | Self::OutOfMemory { of: _ } => "ask for less: fewer items, a shorter range",
            Self::OutOfStack | Self::Trapped { kind: _ } | Self::Exited { status: _ } => {
                "the same call will end the same way; change the arguments or do without it"
            }
            Self::Unavailable(_) => "the same call may work later",
            Self::NotFound(_) | Self::SaidNo(_) | Self::Failed(_) => return None,
        };
        Some(hint.to_owned())
    }
}

fn place(at: &FieldPath) -> String {
    if at.is_root() { "the value".to_owned() } else { format!("`{at}`") }
}

/// A list within a budget of bytes, and how many were left out.
fn listed<'i>(items: impl ExactSizeIterator<Item = &'i str>, max: usize) -> String {
    joined(items, ", ", max)
}

/// As above, with this between two of them.
fn joined<'i>(items: impl ExactSizeIterator<Item = &'i str>, separator: &str, max: usize) -> String {
    let n_items = items.len();
    let mut out = String::new();
    for (idx, item) in items.enumerate() {
        if idx > 0 && out.len().saturating_add(item.len()) > max {
            let n_left = n_items.saturating_sub(idx);
            write!(out, " … ({n_left} more)").expect("writing to a String cannot fail");
            break;
        }
        if idx > 0 {
            out.push_str(separator);
        }
        out.push_str(item);
    }
    out
}

/// The text in at most this many bytes, with `…` where something was left out.
fn cut(mut text: String, max: usize) -> String {
    if text.len() > max {
        let end = (0..=max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

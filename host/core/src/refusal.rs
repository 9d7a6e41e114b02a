//! Refusal: why a call was not answered, and the one table that gives each reason its stable code.
//!
//! The reasons themselves are the stages'; here they become `stage:rule:where`. What they say to whom is for `reply`.

use std::fmt;

use crate::auth::Denial;
use crate::check::ResultFailure;
use crate::dispatch::NotPlaced;
use crate::field_path::FieldPath;
use crate::gate::CallRejection;
use crate::registry::RegistryRejection;
use crate::sandbox::RunFailure;
use crate::sandbox::stop::ToolFailure;
use crate::schema::Keyword;

/// A statement about the request: the tool never ran, nothing changed anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It is no call.
    Call(CallRejection),
    /// No tool takes it.
    Registry(RegistryRejection),
    /// There were too many before it.
    TooManyCalls(CallCap),
    /// A rule of the operator's does not allow it.
    Denied(Box<Denial>),
}

/// How many calls there may be, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallCap {
    /// Of one turn.
    Turn {
        /// The most.
        max: u32,
    },
    /// Of one session.
    Session {
        /// The most.
        max: u32,
    },
}

/// A statement about the world or the host: the request was in order, and there is no answer to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The tool came to no answer.
    Tool(ToolFailure),
    /// The answer breaks a promise.
    Result(ResultFailure),
    /// The host could not run the call, or has a bug.
    Host(HostFailure),
    /// The same write ran before in this session and left no answer; it did not run again.
    RanBefore(RanBefore),
}

/// How the same write ended before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RanBefore {
    /// `done` where its result is not kept any more, `unfinished` where nobody waited for its end, or the code.
    pub ended: String,
    /// Whether the tool had come to its end.
    pub finished: bool,
}

/// What is not the tool's doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostFailure {
    /// There was no room. Nothing ran.
    Overloaded,
    /// The caller did not want the answer any more.
    Cancelled {
        /// Whether the tool had been started.
        began: bool,
    },
    /// A directory the tool was granted is gone. Nothing ran. The text is for the operator.
    GrantGone(String),
    /// A bug. Whether the tool ran is not known. The text is for the operator.
    Internal(String),
}

/// The end of a call that is not an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotDone {
    Refused(Rejection),
    Failed(Failure),
}

impl NotDone {
    /// The stable code.
    pub(crate) fn code(&self) -> Code {
        match self {
            Self::Refused(rejection) => rejection.code(),
            Self::Failed(failure) => failure.code(),
        }
    }
}

impl From<CallRejection> for NotDone {
    fn from(rejection: CallRejection) -> Self {
        Self::Refused(Rejection::Call(rejection))
    }
}

impl From<RegistryRejection> for NotDone {
    fn from(rejection: RegistryRejection) -> Self {
        Self::Refused(Rejection::Registry(rejection))
    }
}

impl From<Denial> for NotDone {
    fn from(denial: Denial) -> Self {
        Self::Refused(Rejection::Denied(Box::new(denial)))
    }
}

impl From<NotPlaced> for NotDone {
    fn from(not_placed: NotPlaced) -> Self {
        Self::Failed(Failure::Host(match not_placed {
            NotPlaced::Overloaded => HostFailure::Overloaded,
            NotPlaced::Cancelled => HostFailure::Cancelled { began: false },
        }))
    }
}

impl From<RunFailure> for NotDone {
    fn from(failure: RunFailure) -> Self {
        Self::Failed(match failure {
            RunFailure::Tool(failure) => Failure::Tool(failure),
            RunFailure::NoRoom => Failure::Host(HostFailure::Overloaded),
            RunFailure::Cancelled { began } => Failure::Host(HostFailure::Cancelled { began }),
            RunFailure::GrantGone(problem) => Failure::Host(HostFailure::GrantGone(problem)),
            RunFailure::Internal(problem) => Failure::Host(HostFailure::Internal(problem)),
        })
    }
}

impl From<ResultFailure> for NotDone {
    fn from(failure: ResultFailure) -> Self {
        Self::Failed(Failure::Result(failure))
    }
}

/// Who can do something about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixableBy {
    /// The model, by asking differently.
    Model,
    /// Anybody, by asking again later.
    Retry,
    /// The operator or the tool's author.
    Operator,
    /// Nobody: that is how the world is.
    Nobody,
}

impl FixableBy {
    /// The word in the machine's copy.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Retry => "retry",
            Self::Operator => "operator",
            Self::Nobody => "nobody",
        }
    }
}

macro_rules! rules {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $code:literal, $located:literal, $fixable:ident;)+) => {
        /// Every rule a call can end by. A code never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[doc = $meaning])+ $variant,)+
        }

        impl Rule {
            /// All of them, in the order of the line.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable part of the code, `stage:rule`.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// Whether the code goes on with a place, `stage:rule:where`.
            pub const fn has_place(self) -> bool {
                match self { $(Self::$variant => $located,)+ }
            }

            /// What it means, as the table in the documents says it.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($meaning,)+).trim_ascii(),)+ }
            }

            /// Who can do something about it.
            pub const fn fixable_by(self) -> FixableBy {
                match self { $(Self::$variant => FixableBy::$fixable,)+ }
            }

            /// The first part of the code.
            pub fn family(self) -> &'static str {
                self.code().split(':').next().unwrap_or_default()
            }

            /// Whether a call that ends by it never ran: a statement about the request, not about the world.
            pub fn is_refusal(self) -> bool {
                ["call", "args", "auth"].contains(&self.family())
            }

            /// Whether its place is one that a schema of arguments declares.
            pub(crate) fn is_of_a_declared_place(self) -> bool {
                self.family() == "args" && self != Self::ArgsUnexpected
            }

            /// The rule of a code, whatever place it goes on with.
            pub fn of_code(code: &str) -> Option<Self> {
                let is_it = |rule: &Self| {
                    code.strip_prefix(rule.code()).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
                };
                Self::ALL.iter().copied().find(is_it)
            }
        }
    };
}

rules! {
    /// The turn or the session has had all the calls that it may have.
    CallTooMany = "call:too_many", false, Model;
    /// The provider cut the turn inside this call, or its arguments end inside a value.
    CallTruncated = "call:truncated", false, Model;
    /// The arguments are more bytes than allowed.
    CallTooLarge = "call:too_large", false, Model;
    /// The arguments hold text that is not Unicode.
    CallBadText = "call:bad_text", false, Model;
    /// The arguments break the JSON grammar.
    CallUnparsable = "call:unparsable", false, Model;
    /// The arguments are nested deeper than allowed.
    CallTooDeep = "call:too_deep", false, Model;
    /// An object in the arguments has one key twice.
    CallDuplicateKey = "call:duplicate_key", true, Model;
    /// A number in the arguments cannot be held exactly.
    CallInexactNumber = "call:inexact_number", true, Model;
    /// The arguments are JSON, but no object.
    CallNotObject = "call:not_object", false, Model;
    /// No tool has this name.
    CallUnknownTool = "call:unknown_tool", false, Model;
    /// A required key is not there.
    ArgsMissing = "args:missing", true, Model;
    /// A key is not declared.
    ArgsUnexpected = "args:unexpected", true, Model;
    /// A value has another type than declared.
    ArgsType = "args:type", true, Model;
    /// A number, a length or a count is out of bounds.
    ArgsRange = "args:range", true, Model;
    /// A value is none of the permitted ones, or does not match its pattern or format.
    ArgsAllowed = "args:allowed", true, Model;
    /// A value fits none of the declared alternatives, or breaks a rule with no code of its own.
    ArgsShape = "args:shape", true, Model;
    /// The operator does not allow this caller's call of the tool, whatever the arguments.
    AuthTool = "auth:tool", false, Operator;
    /// The operator does not allow this caller's call with this value, or without one.
    AuthArgs = "auth:args", true, Model;
    /// The tool spent all its fuel, or called the host more often than any tool may.
    ToolFuel = "tool:fuel", false, Model;
    /// The tool ran or waited past its deadline.
    ToolTimeout = "tool:timeout", false, Model;
    /// The tool wanted more memory, tables or handles than it is given.
    ToolMemory = "tool:memory", false, Model;
    /// The tool recursed past its stack.
    ToolStack = "tool:stack", false, Operator;
    /// The tool crashed.
    ToolTrap = "tool:trap", false, Operator;
    /// The tool ended its program instead of answering.
    ToolExit = "tool:exit", false, Operator;
    /// The tool says that what was asked for does not exist.
    ToolNotFound = "tool:not_found", false, Model;
    /// The tool says that a rule of its world forbids the request.
    ToolRefused = "tool:refused", false, Nobody;
    /// The tool says, or the host sees, that something it needs is not there now.
    ToolUnavailable = "tool:unavailable", false, Retry;
    /// The tool says that it failed.
    ToolFailed = "tool:failed", false, Model;
    /// The result does not have the declared shape.
    ResultShape = "result:shape", true, Operator;
    /// Nothing came where something was promised.
    ResultEmpty = "result:empty", true, Nobody;
    /// The result has more items, characters, keys, levels or bytes than promised or allowed.
    ResultTooBig = "result:too_big", true, Operator;
    /// A number in the result is out of its declared bounds.
    ResultRange = "result:range", true, Operator;
    /// The result breaks a promise that ties it to the arguments.
    ResultRelation = "result:relation", true, Operator;
    /// The host has no room for the call. Nothing ran.
    HostOverloaded = "host:overloaded", false, Retry;
    /// The caller cancelled the call before it was answered.
    HostCancelled = "host:cancelled", false, Retry;
    /// The same write ran before in this session and left no answer that can be used. It did not run again.
    HostRanBefore = "host:ran_before", false, Nobody;
    /// The host has a bug.
    HostInternal = "host:internal", false, Operator;
}

/// A stable code with its place, such as `args:range:rows.0.qty`; the place is left out at the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The rule.
    pub rule: Rule,
    /// The place, where the rule has one.
    pub at: FieldPath,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule.code())?;
        if self.at.is_root() { Ok(()) } else { write!(f, ":{}", self.at) }
    }
}

impl Rejection {
    /// The stable code.
    pub fn code(&self) -> Code {
        let at = match self {
            Self::Call(rejection) => call_code(rejection).1.cloned().unwrap_or_default(),
            Self::Registry(RegistryRejection::Arguments(misfit)) => misfit.at(),
            Self::Registry(RegistryRejection::UnknownTool(_) | RegistryRejection::TooManyValues { n: _, max: _ }) => {
                FieldPath::root()
            }
            Self::TooManyCalls(_) => FieldPath::root(),
            Self::Denied(denial) => denial.at().clone(),
        };
        Code { rule: self.rule(), at }
    }

    /// The code's rule. Costs nothing, as the place in it does.
    pub fn rule(&self) -> Rule {
        match self {
            Self::Call(rejection) => call_code(rejection).0,
            Self::Registry(RegistryRejection::UnknownTool(_)) => Rule::CallUnknownTool,
            Self::Registry(RegistryRejection::TooManyValues { n: _, max: _ }) => Rule::CallTooLarge,
            Self::Registry(RegistryRejection::Arguments(misfit)) => match misfit.keyword() {
                Keyword::Required => Rule::ArgsMissing,
                Keyword::Undeclared => Rule::ArgsUnexpected,
                Keyword::Type => Rule::ArgsType,
                Keyword::NumberRange | Keyword::TooFew | Keyword::TooMany => Rule::ArgsRange,
                Keyword::Enum | Keyword::Pattern | Keyword::Format => Rule::ArgsAllowed,
                Keyword::Schema => Rule::ArgsShape,
            },
            Self::TooManyCalls(_) => Rule::CallTooMany,
            Self::Denied(denial) if denial.at().is_root() => Rule::AuthTool,
            Self::Denied(_) => Rule::AuthArgs,
        }
    }
}

const fn call_code(rejection: &CallRejection) -> (Rule, Option<&FieldPath>) {
    match rejection {
        CallRejection::Truncated { byte: _ } => (Rule::CallTruncated, None),
        CallRejection::Unparsable { byte: _, problem: _ } => (Rule::CallUnparsable, None),
        CallRejection::NotObject { got: _ } => (Rule::CallNotObject, None),
        CallRejection::TooLarge { size: _, max: _ }
        | CallRejection::TooManyValues { byte: _, max: _ }
        | CallRejection::LongString { byte: _, max: _ }
        | CallRejection::LongNumber { byte: _, max: _ } => (Rule::CallTooLarge, None),
        CallRejection::TooDeep { byte: _, max: _ } => (Rule::CallTooDeep, None),
        CallRejection::DuplicateKey { byte: _, at } => (Rule::CallDuplicateKey, Some(at)),
        CallRejection::InexactNumber { byte: _, at } => (Rule::CallInexactNumber, Some(at)),
        CallRejection::BadText { byte: _, at: _, what: _ } => (Rule::CallBadText, None),
    }
}

impl Failure {
    /// The stable code.
    pub fn code(&self) -> Code {
        let (rule, at) = match self {
            Self::Tool(failure) => (tool_rule(failure), FieldPath::root()),
            Self::Result(failure) => result_code(failure),
            Self::Host(HostFailure::Overloaded) => (Rule::HostOverloaded, FieldPath::root()),
            Self::Host(HostFailure::Cancelled { began: _ }) => (Rule::HostCancelled, FieldPath::root()),
            Self::Host(HostFailure::GrantGone(_)) => (Rule::ToolUnavailable, FieldPath::root()),
            Self::Host(HostFailure::Internal(_)) => (Rule::HostInternal, FieldPath::root()),
            Self::RanBefore(_) => (Rule::HostRanBefore, FieldPath::root()),
        };
        Code { rule, at }
    }
}

const fn tool_rule(failure: &ToolFailure) -> Rule {
    match failure {
        ToolFailure::OutOfFuel { fuel: _ } | ToolFailure::TooManyHostCalls { max: _ } => Rule::ToolFuel,
        ToolFailure::OutOfTime { after: _ } => Rule::ToolTimeout,
        ToolFailure::OutOfMemory { of: _ } => Rule::ToolMemory,
        ToolFailure::OutOfStack => Rule::ToolStack,
        ToolFailure::Trapped { kind: _ } => Rule::ToolTrap,
        ToolFailure::Exited { status: _ } => Rule::ToolExit,
        ToolFailure::NotFound(_) => Rule::ToolNotFound,
        ToolFailure::SaidNo(_) => Rule::ToolRefused,
        ToolFailure::Unavailable(_) => Rule::ToolUnavailable,
        ToolFailure::Failed(_) => Rule::ToolFailed,
    }
}

fn result_code(failure: &ResultFailure) -> (Rule, FieldPath) {
    match failure {
        ResultFailure::NotJson { problem: _, at } => (Rule::ResultShape, at.clone()),
        ResultFailure::Shape { misfit, promise: _ } => (Rule::ResultShape, misfit.at()),
        ResultFailure::Empty { at, promise: _ } => (Rule::ResultEmpty, at.clone()),
        ResultFailure::TooMany { misfit, promise: _ } => (Rule::ResultTooBig, misfit.at()),
        ResultFailure::TooLarge { size: _, max: _ }
        | ResultFailure::TooDeep { max: _ }
        | ResultFailure::TooManyValues { n: _, max: _ } => (Rule::ResultTooBig, FieldPath::root()),
        ResultFailure::Range { misfit, promise: _ } => (Rule::ResultRange, misfit.at()),
        ResultFailure::Inexact { at } => (Rule::ResultRange, at.clone()),
        ResultFailure::Relation(broken) => (Rule::ResultRelation, broken.at.clone()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Rule;

    #[test]
    fn every_rule_has_a_code_of_its_own_and_a_meaning() {
        let codes: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();
        assert_eq!(codes.len(), Rule::ALL.len());
        for rule in Rule::ALL {
            let (stage, name) = rule.code().split_once(':').expect("`stage:rule`");
            assert!(["call", "args", "auth", "tool", "result", "host"].contains(&stage), "{stage}");
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
            assert!(rule.meaning().ends_with('.'), "{}", rule.code());
            assert_eq!(Rule::of_code(rule.code()), Some(*rule));
            assert_eq!(Rule::of_code(&format!("{}:a.b", rule.code())), Some(*rule));
            assert_eq!(Rule::of_code(&format!("{}s", rule.code())), None);
        }
    }
}

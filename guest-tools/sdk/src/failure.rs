//! Why a tool has no answer: the four kinds that an agent would act on differently, and one short constructor for each.
//!
//! The kinds themselves stand in `wit/tool.wit`. Leaves out panics (`panic`): those are a bug, not an answer.

pub use crate::bindings::exports::toolgate::tool::tool::Failure;

impl Failure {
    /// What was asked for does not exist. Say what does, if the list is short.
    pub fn not_found(text: impl Into<String>) -> Self {
        Self::NotFound(text.into())
    }

    /// It exists, and a rule forbids the request. Say the rule and what would be allowed.
    pub fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }

    /// Something the tool depends on is not there now; the same call may work later.
    pub fn unavailable(text: impl Into<String>) -> Self {
        Self::Unavailable(text.into())
    }

    /// Anything else.
    pub fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }
}

//! Error: why something is no turn that can be answered.

use super::bounds::{MAX_CALLS_IN_MESSAGE, MAX_MESSAGE};
use crate::text;

/// Why something is no turn that can be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// More bytes than are held.
    #[error("the message has more than {MAX_MESSAGE}, the most that is read")]
    TooLarge,
    /// Not one JSON object or list.
    #[error(
        "the message is not one JSON object or list, such as a provider's response body or its assistant message: {0}"
    )]
    NotJson(String),
    /// The shape of no known dialect.
    #[error("the message has the shape of no known dialect: looked for {looked_for}")]
    NoDialect {
        /// By what each dialect would have been told.
        looked_for: String,
    },
    /// The shape of two dialects.
    #[error("the message has the shape of several dialects ({0}): say which with `--dialect`")]
    Ambiguous(String),
    /// The dialect is known, and this part is not as it wants it.
    #[error("`{at}` {problem}")]
    Shape {
        /// The part, dotted.
        at: String,
        /// What is wrong with it.
        problem: String,
    },
    /// More calls than are answered at once.
    #[error("the message has {n_calls} calls, the most is {MAX_CALLS_IN_MESSAGE}")]
    TooManyCalls {
        /// How many.
        n_calls: usize,
    },
    /// Nothing to answer.
    #[error("the message calls no tool, so there is nothing to answer")]
    NoCalls,
    /// The provider itself says that the turn has no call that can be used, after its list of stop reasons.
    #[error("the provider reports no usable call (`{word}`): leave the message out and retry the turn")]
    NoUsableCall {
        /// The provider's word for it.
        word: String,
    },
}

pub(super) fn not_json(problem: String) -> TurnError {
    TurnError::NotJson(text::one_line(&problem, 200))
}

pub(super) fn shape(at: impl Into<String>, problem: impl Into<String>) -> TurnError {
    TurnError::Shape { at: at.into(), problem: text::one_line(&problem.into(), 200) }
}

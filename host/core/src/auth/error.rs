//! Error: what of callers and rules cannot be meant, said to the operator at load.

use std::fmt;

use crate::near::nearest;
use crate::text;

/// Most characters of a name that an error repeats.
const MAX_NAME: usize = 80;

/// Why callers and rules are not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct AuthError {
    /// Whom or what it is about: `caller`, `rule` and its name or number.
    whose: String,
    problem: String,
    hint: Option<String>,
}

impl AuthError {
    pub(super) fn new(whose: &str, problem: impl Into<String>) -> Self {
        Self { whose: whose.to_owned(), problem: problem.into(), hint: None }
    }

    /// One that names something which is not there, with the one that was probably meant.
    pub(super) fn unknown<'c>(
        whose: &str,
        problem: impl Into<String>,
        word: &str,
        candidates: impl Iterator<Item = &'c str>,
    ) -> Self {
        Self::new(whose, problem).hint(nearest(word, candidates).map(|near| format!("did you mean `{near}`?")))
    }

    pub(super) fn hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }

    /// The same with this hint, where nothing was near.
    pub(super) fn or_hint(self, hint: impl Into<String>) -> Self {
        let hint = self.hint.or_else(|| Some(hint.into()));
        Self { hint, ..self }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        "load:policy"
    }
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { whose, problem, hint } = self;
        write!(f, "{}: {whose}: {problem}", self.code())?;
        match hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

/// A caller that no host knows, and the ones that it does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no caller `{}`; {}", text::one_line(.asked, MAX_NAME), known(.names))]
pub struct UnknownCaller {
    pub(super) asked: String,
    pub(super) names: Vec<String>,
}

fn known(names: &[String]) -> String {
    match names {
        [] => "none is named under `[[callers]]`".to_owned(),
        names => format!("the callers are {}", text::one_line(&names.join(", "), 400)),
    }
}

/// A name as an error repeats it.
pub(super) fn shown(name: &str) -> String {
    text::one_line(name, MAX_NAME)
}

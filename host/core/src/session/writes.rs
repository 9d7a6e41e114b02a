//! Writes: what ran in a session and is not run again.
//!
//! A model that is not sure whether its refund went through asks for it again, and a second refund is worse than any answer.
//! So an identical write is answered with what the first one said; where that was nothing usable, with how it ended.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::key::CallKey;
use crate::check::Checked;
use crate::refusal::{Failure, HostFailure, NotDone, RanBefore};
use crate::tool::Tool;
use crate::units::ByteCount;

/// Most bytes of results of writes that a session keeps. Each may have 4 MiB, and all of them stand in the session's document;
/// of a write beyond this it is only kept that it ran.
const MAX_KEPT: ByteCount = ByteCount::mib(8);

/// How a write ended that was begun and of which nothing more is known.
const UNFINISHED: &str = "unfinished";

/// How one ended whose result was good.
const DONE: &str = "done";

/// The writes of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Writes {
    ran: BTreeMap<CallKey, Ran>,
}

/// One that ran, or was begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ran {
    tool: String,
    /// `done`, `unfinished`, or the code.
    ended: String,
    /// Whether the tool came to its end.
    finished: bool,
    /// What it said, where that is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    /// How many characters of that were made visible.
    #[serde(default, skip_serializing_if = "is_zero")]
    sanitised: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Writes {
    /// What the same write was answered with, if it ran.
    pub(crate) fn find(&self, key: &CallKey) -> Option<Result<Checked, NotDone>> {
        let ran = self.ran.get(key)?;
        let result = ran.result.clone().and_then(|text| Checked::kept(text, ran.sanitised));
        let before = || RanBefore { ended: ran.ended.clone(), finished: ran.finished };
        Some(result.ok_or_else(|| NotDone::Failed(Failure::RanBefore(before()))))
    }

    /// Notes a write before it runs: if its caller goes away midway, it may still have done something.
    pub(crate) fn begin(&mut self, key: CallKey, tool: &Tool) {
        let tool = tool.name().to_owned();
        let begun = Ran { tool, ended: UNFINISHED.to_owned(), finished: false, result: None, sanitised: 0 };
        self.ran.insert(key, begun);
    }

    /// Notes how it ended. One that can have changed nothing, or whose tool itself said that it did not do it, may be asked
    /// again.
    pub(crate) fn end(&mut self, key: &CallKey, tool: &Tool, outcome: &Result<Checked, NotDone>) {
        let kept = self.kept();
        let Some(ran) = self.ran.get_mut(key) else {
            return;
        };
        match outcome {
            Ok(checked) => {
                let size = ByteCount::of(checked.text().as_bytes());
                let fits = kept.get().saturating_add(size.get()) <= MAX_KEPT.get();
                ran.result = fits.then(|| checked.text().to_owned());
                (ran.ended, ran.finished, ran.sanitised) = (DONE.to_owned(), true, checked.n_sanitised());
            }
            Err(NotDone::Failed(failure)) if may_have_changed(failure, tool) => {
                ran.ended = failure.code().to_string();
                ran.finished = matches!(failure, Failure::Result(_));
            }
            Err(_) => {
                self.ran.remove(key);
            }
        }
    }

    /// Whether every result that is kept can be given to a model.
    pub(crate) fn are_sound(&self) -> bool {
        self.ran.values().all(|ran| {
            let result = ran.result.as_ref();
            result.is_none_or(|text| Checked::kept(text.clone(), ran.sanitised).is_some_and(|kept| kept.text() == text))
        })
    }

    fn kept(&self) -> ByteCount {
        let sizes = self.ran.values().filter_map(|ran| ran.result.as_ref()).map(|text| ByteCount::of(text.as_bytes()));
        ByteCount::new(sizes.fold(0, |sum, size| sum.saturating_add(size.get())))
    }
}

fn may_have_changed(failure: &Failure, tool: &Tool) -> bool {
    tool.grants().can_write()
        && match failure {
            Failure::Tool(failure) => !failure.is_said_by_the_tool(),
            Failure::Result(_) | Failure::RanBefore(_) => true,
            Failure::Host(HostFailure::Internal(_) | HostFailure::Cancelled { began: true }) => true,
            Failure::Host(
                HostFailure::Overloaded | HostFailure::GrantGone(_) | HostFailure::Cancelled { began: false },
            ) => false,
        }
}

//! Tries: one call until it is answered, or the operator's rules know nothing more to change.
//!
//! Each try walks the whole line. Which of several ends a reply speaks of is decided here; what to change, in `repair`.

use std::sync::Arc;
use std::time::Duration;

use super::{MAX_NAME, Record, Scene, Stages, effects};
use crate::amendment::Amendment;
use crate::call::RawCall;
use crate::check::Checked;
use crate::gate::Admitted;
use crate::refusal::{Failure, HostFailure, NotDone, Rejection};
use crate::registry::Matched;
use crate::repair::{Ended, Repairs};
use crate::reply::Effects;
use crate::text;

/// What a try was about, kept for the next one where there are rules for that.
#[derive(Debug)]
pub(super) struct Subject {
    /// The name that was asked for, as far as a tool can be found by it.
    asked: String,
    /// The arguments, as far as they could be read as an object.
    arguments: Option<String>,
    /// How many amendments had been recorded by then, where those that follow are made again in reading these arguments.
    n_recorded: Option<usize>,
}

impl Subject {
    fn of(call: &RawCall) -> Self {
        Self { asked: text::one_line(&call.tool, MAX_NAME), arguments: None, n_recorded: None }
    }

    pub(super) fn admitted(&mut self, call: &Admitted, n_recorded: usize) {
        self.arguments = Some(call.arguments().text().to_owned());
        self.n_recorded = Some(n_recorded);
    }

    /// From here on they are the arguments as they were amended.
    pub(super) fn matched(&mut self, call: &Matched) {
        self.arguments = Some(call.arguments().to_owned());
        self.n_recorded = None;
    }

    /// Leaves out the amendments that the next try makes again.
    fn forget_what_comes_again(&self, recorded: &mut Vec<Amendment>) {
        let Some(n_recorded) = self.n_recorded.filter(|n| *n < recorded.len()) else { return };
        let of_the_name = |amendment: &Amendment| matches!(amendment, Amendment::ToolPrefix | Amendment::ToolToken);
        let later = recorded.split_off(n_recorded);
        recorded.extend(later.into_iter().filter(of_the_name));
    }
}

/// The end that a reply speaks of unless something better comes.
struct Standing {
    not_done: NotDone,
    asked: String,
    /// What was wrong with the call as it was asked, where a repair made up for it.
    mended: Option<Rejection>,
}

impl Standing {
    /// The last end of a try that ran, or else that of the call as it was asked: a model that is told why a call was refused
    /// has to find in it what it wrote itself.
    fn after(before: Option<Self>, not_done: NotDone, asked: &str) -> Self {
        match (before, not_done) {
            (Some(before), NotDone::Refused(_)) => before,
            (before, not_done) => {
                Self { not_done, asked: asked.to_owned(), mended: before.and_then(Self::into_mended) }
            }
        }
    }

    /// What was wrong with the call as it was asked, now that it was made up for.
    fn into_mended(self) -> Option<Rejection> {
        match self.not_done {
            NotDone::Refused(rejection) => Some(rejection),
            NotDone::Failed(_) => self.mended,
        }
    }
}

impl Stages {
    /// Answers a call, in as many tries as there are rules for.
    pub(super) async fn answer(
        &self,
        raw: RawCall,
        scene: Scene<'_>,
        record: &mut Record<'_>,
    ) -> Result<Checked, NotDone> {
        match &self.repairs {
            None => self.walk(raw, scene, record).await,
            // Boxed, so that a host without rules does not carry the room for them.
            Some(repairs) => Box::pin(self.try_until_done(repairs, raw, scene, record)).await,
        }
    }

    async fn try_until_done(
        &self,
        repairs: &Repairs,
        mut call: RawCall,
        mut scene: Scene<'_>,
        record: &mut Record<'_>,
    ) -> Result<Checked, NotDone> {
        let until = self.clock.now().saturating_add(repairs.deadline());
        let mut standing: Option<Standing> = None;
        loop {
            record.subject = Some(Subject::of(&call));
            let outcome = self.walk(call, scene.clone(), record).await;
            if let Some(attempt) = record.attempts.last_mut() {
                attempt.outcome = outcome.as_ref().err().map(NotDone::code);
            }
            let Err(not_done) = outcome else {
                record.mended = standing.and_then(Standing::into_mended);
                return outcome;
            };
            let Some(subject) = record.subject.take() else { return Err(not_done) };
            let tool = scene.view.registry.named(&subject.asked).map(|(tool, _)| tool);
            let ended = Ended {
                asked: &subject.asked,
                tool,
                arguments: subject.arguments.as_deref(),
                may_have_changed: effects(Some(&not_done), tool.map(Arc::as_ref)) != Effects::None,
                not_done: &not_done,
            };
            let time_left = until.saturating_sub(self.clock.now());
            let retrial = repairs.next(&ended, record.attempts.len(), time_left);
            let end = Standing::after(standing, not_done, &subject.asked);
            let Some(retrial) = retrial else { return Err(end.spoken_of(record)) };
            if retrial.wait > Duration::ZERO {
                if scene.terms.cancel.or(tokio::time::sleep(retrial.wait)).await.is_err() {
                    return Err(NotDone::Failed(Failure::Host(HostFailure::Cancelled { began: false })));
                }
                // A wait may end late, and a try without time would only be begun to be stopped.
                if self.clock.now() >= until {
                    return Err(end.spoken_of(record));
                }
            }
            subject.forget_what_comes_again(&mut record.recorded);
            record.asked_last = Some(retrial.tool.clone());
            record.attempts.push(retrial.attempt);
            standing = Some(end);
            call = RawCall::new(retrial.tool, retrial.arguments);
            scene.terms.until = Some(until);
        }
    }
}

impl Standing {
    /// The end, which the reply is to speak of.
    fn spoken_of(self, record: &mut Record<'_>) -> NotDone {
        let Self { not_done, asked, mended } = self;
        record.asked_last = Some(asked);
        record.mended = mended;
        not_done
    }
}

//! Tries: one call until it is answered, or the operator's rules know nothing more to change.
//!
//! Each try walks the whole line. Which of several ends a reply speaks of is decided here; what to change, in `repair`.

use std::sync::Arc;
use std::time::Duration;

use super::{Record, Scene, Stages, effects};
use crate::call::RawCall;
use crate::check::Checked;
use crate::gate::Admitted;
use crate::refusal::{Failure, HostFailure, NotDone};
use crate::registry::Matched;
use crate::repair::{Ended, Repairs};
use crate::reply::Effects;

/// What a try was about, kept for the next one where there are rules for that.
#[derive(Debug)]
pub(super) struct Subject {
    /// The name that was asked for.
    pub(super) asked: String,
    /// The arguments, as far as they could be read as an object.
    arguments: Option<String>,
}

impl Subject {
    pub(super) fn admitted(&mut self, call: &Admitted) {
        self.arguments = Some(call.arguments().text().to_owned());
    }

    pub(super) fn matched(&mut self, call: &Matched) {
        self.arguments = Some(call.arguments().to_owned());
    }
}

/// The end that a reply speaks of unless something better comes.
struct Standing {
    not_done: NotDone,
    asked: String,
}

impl Standing {
    /// The last end of a try that ran, or else that of the call as it was asked: a model that is told why a call was refused
    /// has to find in it what it wrote itself.
    fn after(before: Option<Self>, not_done: NotDone, asked: &str) -> Self {
        match (before, not_done) {
            (Some(before), NotDone::Refused(_)) => before,
            (_, not_done) => Self { not_done, asked: asked.to_owned() },
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
        let mut standing = None;
        loop {
            record.subject = Some(Subject { asked: call.tool.clone(), arguments: None });
            let outcome = self.walk(call, scene.clone(), record).await;
            if let Some(attempt) = record.attempts.last_mut() {
                attempt.outcome = outcome.as_ref().err().map(NotDone::code);
            }
            let Err(not_done) = outcome else { return outcome };
            let time_left = until.saturating_sub(self.clock.now());
            let Some(Subject { asked, arguments }) = record.subject.take() else { return Err(not_done) };
            let tool = scene.view.registry.named(&asked).map(|(tool, _)| tool);
            let ended = Ended {
                asked: &asked,
                tool,
                arguments: arguments.as_deref(),
                may_have_changed: effects(Some(&not_done), tool.map(Arc::as_ref)) != Effects::None,
                not_done: &not_done,
            };
            let retrial = repairs.next(&ended, record.attempts.len(), time_left);
            let end = Standing::after(standing, not_done, &asked);
            let Some(retrial) = retrial else {
                record.asked_last = Some(end.asked);
                return Err(end.not_done);
            };
            record.asked_last = Some(retrial.tool.clone());
            record.attempts.push(retrial.attempt);
            if retrial.wait > Duration::ZERO && scene.terms.cancel.or(tokio::time::sleep(retrial.wait)).await.is_err() {
                return Err(NotDone::Failed(Failure::Host(HostFailure::Cancelled { began: false })));
            }
            standing = Some(end);
            call = RawCall::new(retrial.tool, retrial.arguments);
            scene.terms.time_left = Some(until.saturating_sub(self.clock.now()));
        }
    }
}

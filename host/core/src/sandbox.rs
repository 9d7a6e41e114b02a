//! Sandbox: run the tool once, in a store of its own, with its budget and its grants.
//!
//! Gives out what the guest said, unread. Whether that is an answer is for `check` to say.

pub(crate) mod bindings;
pub(crate) mod budget;
pub(crate) mod cell;
pub(crate) mod deadline;
pub(crate) mod grants;
pub(crate) mod guest_state;
pub(crate) mod output;
pub(crate) mod seed;
pub(crate) mod stop;

use std::sync::Arc;
use std::time::Duration;

use self::cell::{Around, Question, Spent};
use self::guest_state::LogLine;
use self::output::OutputLine;
use self::stop::{Stop, ToolFailure};
use crate::cancel::Cancelled;
use crate::clock::Clock;
use crate::dispatch::{Company, Placed};
use crate::json::Json;
use crate::stats::Stores;
use crate::tool::Tool;
use crate::usage::Usage;

/// What a guest handed out.
#[derive(Debug)]
pub(crate) enum Said {
    /// This text.
    Text(String),
    /// More than the host takes out of a guest at once.
    TooMuch,
}

/// The end of one run that came to an answer. Made only by [`Sandbox::run`].
#[derive(Debug)]
pub(crate) struct Output {
    tool: Arc<Tool>,
    arguments: Json,
    said: Said,
}

impl Output {
    /// The tool, what it was asked and what it said.
    pub(crate) fn into_parts(self) -> (Arc<Tool>, Json, Said) {
        (self.tool, self.arguments, self.said)
    }
}

/// Why there is no output.
#[derive(Debug)]
pub(crate) enum RunFailure {
    /// The guest's doing.
    Tool(ToolFailure),
    /// No slot was free.
    NoRoom,
    /// Its caller did not want the answer any more.
    Cancelled {
        /// Whether the guest had begun by then.
        began: bool,
    },
    /// A granted directory is gone; the text is for the operator.
    GrantGone(String),
    /// A bug of the runtime or of this host; the text is for the operator.
    Internal(String),
}

/// What the runs of a call left behind, answer or not.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) spent: Spent,
}

impl Trace {
    pub(crate) fn take_log(&mut self) -> Vec<LogLine> {
        std::mem::take(&mut self.spent.log_lines)
    }

    pub(crate) fn take_output(&mut self) -> Vec<OutputLine> {
        std::mem::take(&mut self.spent.output_lines)
    }

    /// What they cost. The time of the whole stage is counted by whoever asked for the run.
    pub(crate) fn charge(&self, usage: &mut Usage) {
        let spent = &self.spent;
        (usage.fuel, usage.memory, usage.result) = (spent.fuel, spent.memory, spent.result);
        (usage.host_calls, usage.host_bytes) = (spent.host_calls, spent.host_bytes);
        (usage.log, usage.log_dropped) = (spent.log, spent.log_dropped);
        (usage.output, usage.output_dropped) = (spent.output, spent.output_dropped);
        usage.phases = spent.phases;
    }
}

/// The stage that runs guests.
#[derive(Debug)]
pub(crate) struct Sandbox {
    clock: Arc<dyn Clock>,
    stores: Arc<Stores>,
}

impl Sandbox {
    pub(crate) const fn new(clock: Arc<dyn Clock>, stores: Arc<Stores>) -> Self {
        Self { clock, stores }
    }

    /// Runs a call to its end, which got its place then, by the host's clock.
    pub(crate) async fn run(&self, placed: Placed, then: Duration, trace: &mut Trace) -> Result<Output, RunFailure> {
        let tool = Arc::clone(placed.tool());
        let ((answer, spent), placed) = match placed.terms().company {
            Company::Alone => (ask(&placed, then, &self.clock, &self.stores).await, placed),
            Company::Others => self.run_beside_others(placed, trace).await?,
        };
        let arguments = placed.into_arguments();
        trace.spent.add(spent);
        match answer {
            Ok(text) => Ok(Output { tool, arguments, said: Said::Text(text) }),
            Err(Stop::TooBigToLift) => Ok(Output { tool, arguments, said: Said::TooMuch }),
            Err(Stop::Tool(failure)) => Err(RunFailure::Tool(failure)),
            Err(Stop::NoRoom) => Err(RunFailure::NoRoom),
            Err(Stop::Cancelled { began }) => Err(RunFailure::Cancelled { began }),
            Err(Stop::GrantGone(problem)) => Err(RunFailure::GrantGone(problem)),
            Err(Stop::Internal(problem)) => Err(RunFailure::Internal(problem)),
        }
    }

    /// On a task of its own, so that the calls of one turn use every core; it ends when nobody waits for it any more.
    async fn run_beside_others(&self, placed: Placed, trace: &mut Trace) -> Result<(Ended, Placed), RunFailure> {
        let mut task = tokio::task::JoinSet::new();
        let (clock, stores) = (Arc::clone(&self.clock), Arc::clone(&self.stores));
        task.spawn(async move {
            // It may have waited for its turn; its time begins now, and nothing is begun that nobody wants any more.
            let ended = match placed.terms().cancel.or(std::future::ready(())).await {
                Ok(()) => ask(&placed, clock.now(), &clock, &stores).await,
                Err(Cancelled) => (Err(Stop::Cancelled { began: false }), Spent::default()),
            };
            (ended, placed)
        });
        let joined = task.join_next().await;
        trace.spent.ended = self.clock.now();
        match joined {
            Some(Ok(ended)) => Ok(ended),
            Some(Err(error)) => Err(RunFailure::Internal(error.to_string())),
            None => Err(RunFailure::Internal("the call's task is gone".to_owned())),
        }
    }
}

/// The end of a guest.
type Ended = (Result<String, Stop>, Spent);

/// The call's place is kept until its store is gone.
async fn ask(placed: &Placed, began: Duration, clock: &Arc<dyn Clock>, stores: &Stores) -> Ended {
    let tool = placed.tool();
    let terms = placed.terms();
    let around = Around { clock, began, stores, cancel: &terms.cancel };
    let question = Question::Call(placed.arguments());
    let limits = tool.limits.within(terms.time_left(clock.as_ref()));
    cell::ask(&tool.code, &limits, &tool.grants, around, question).await
}

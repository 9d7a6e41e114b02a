//! Explain: what became of each call and what it cost, for a person or a program.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Map, Value, json};
use toolgate::{Attempt, Failure, Rejection, Reply, Stage, Verdict, one_line};

use crate::args::{ExplainFormat, ExplainOption};
use crate::screen::Screen;
use crate::table;

/// Prints what was asked for: each reply's line or object, what was changed of its call, and what its tool logged and printed.
pub(crate) fn print(replies: &[Reply], option: &ExplainOption, screen: &mut Screen<'_>) -> Result<()> {
    if option.logs {
        replies.iter().try_for_each(|reply| say_logs(reply, screen))?;
    }
    match option.explain {
        None => {}
        Some(ExplainFormat::Table) => {
            screen.say(&as_table(replies))?;
            replies.iter().try_for_each(|reply| say_repairs(reply, screen))?;
        }
        Some(ExplainFormat::Json) => screen.say_json(&as_json(replies)?)?,
    }
    Ok(())
}

/// Says what is wrong with the host itself or with a rule, asked for or not: nobody else will hear of it.
pub(crate) fn tell_operator(replies: &[Reply], screen: &mut Screen<'_>) -> Result<()> {
    for reply in replies {
        let concerns_the_operator = match &reply.verdict {
            Verdict::Failed(failure) => matches!(failure, Failure::Host(_)),
            Verdict::Refused(Rejection::Denied(denial)) => denial.undecided().is_some(),
            Verdict::Done(_) | Verdict::Refused(_) => false,
        };
        if concerns_the_operator {
            screen.say(&reply.operator_line())?;
        }
    }
    Ok(())
}

/// What the operator's rules changed, try by try.
fn say_repairs(reply: &Reply, screen: &mut Screen<'_>) -> Result<()> {
    let id = one_line(&reply.id, 40);
    for Attempt { tool, reason, rule, change, outcome: _ } in &reply.attempts {
        screen.say(&format!("{id} {tool} ended with {reason}; by the rule `{rule}` {change}"))?;
    }
    Ok(())
}

/// The host has cleaned and cut each line; what was dropped is said too.
fn say_logs(reply: &Reply, screen: &mut Screen<'_>) -> Result<()> {
    let id = one_line(&reply.id, 40);
    let of = if id.is_empty() { reply.tool.clone() } else { format!("{id} {}", reply.tool) };
    for line in &reply.log {
        screen.say(&format!("{of} {}: {}", line.level, line.text))?;
    }
    for line in &reply.output {
        screen.say(&format!("{of} {}: {}", line.channel.name(), line.text))?;
    }
    for (what, dropped) in [("log", reply.usage.log_dropped), ("output", reply.usage.output_dropped)] {
        if dropped.get() > 0 {
            screen.say(&format!("{of}: {dropped} more of {what} was dropped"))?;
        }
    }
    Ok(())
}

fn as_table(replies: &[Reply]) -> String {
    let stages = Stage::ALL.iter().map(|stage| stage.name().to_owned());
    let head = ["id", "tool", "verdict", "code", "effects", "fuel", "memory"].map(str::to_owned);
    let rows = replies.iter().map(|reply| {
        let head = [
            one_line(&reply.id, 40),
            reply.tool.clone(),
            reply.verdict.name().to_owned(),
            reply.code().map_or_else(String::new, |code| code.to_string()),
            reply.effects.name().to_owned(),
            reply.usage.fuel.to_string(),
            reply.usage.memory.to_string(),
        ];
        let stages = Stage::ALL.iter().map(|stage| stage_time(reply, *stage).map_or_else(|| "-".to_owned(), short));
        head.into_iter().chain(stages)
    });
    table::plain(head.into_iter().chain(stages), rows, Some(5))
}

fn as_json(replies: &[Reply]) -> Result<String> {
    let mut lines = Vec::with_capacity(replies.len());
    for reply in replies {
        let stages: Map<String, Value> = reply
            .usage
            .stages
            .iter()
            .map(|(stage, time)| (stage.name().to_owned(), json!(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))))
            .collect();
        let log: Vec<Value> = reply.log.iter().map(|line| json!({ "level": line.level, "text": line.text })).collect();
        let output: Vec<Value> =
            reply.output.iter().map(|line| json!({ "channel": line.channel.name(), "text": line.text })).collect();
        let usage = &reply.usage;
        lines.push(json!({
            "id": reply.id,
            "tool": reply.tool,
            "reply": serde_json::to_value(reply.machine())?,
            "fuel": usage.fuel,
            "memory_bytes": usage.memory.get(),
            "host_calls": usage.host_calls,
            "host_bytes": usage.host_bytes.get(),
            "result_bytes": usage.result.get(),
            "log_bytes": usage.log.get(),
            "log_dropped_bytes": usage.log_dropped.get(),
            "output_bytes": usage.output.get(),
            "output_dropped_bytes": usage.output_dropped.get(),
            "stages_ns": stages,
            "operator": reply.operator_line(),
            "log": log,
            "output": output,
        }));
    }
    Ok(serde_json::to_string_pretty(&lines)?)
}

fn stage_time(reply: &Reply, wanted: Stage) -> Option<Duration> {
    reply.usage.stages.of(wanted)
}

/// Microseconds below a millisecond, milliseconds above.
pub(crate) fn short(time: Duration) -> String {
    match time.as_micros() {
        micros @ 0..=999 => format!("{micros} µs"),
        _ => format!("{:.1} ms", time.as_secs_f64() * 1000.0),
    }
}

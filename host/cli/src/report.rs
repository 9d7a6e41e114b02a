//! `toolgate report`: what a call log says is to be mended, for a person or a program.

mod tables;

use std::fs::File;
use std::io::BufReader;

use anyhow::{Context, Result, bail};
use toolgate::Report;

use crate::args::ReportArguments;
use crate::screen::{Outcome, Screen};

/// Reads the log and prints what it says. Damaged lines are named on stderr; a file with nothing else is no log.
pub(crate) async fn run(arguments: ReportArguments, screen: &mut Screen<'_>) -> Result<Outcome> {
    let path = &arguments.log;
    let failed = || format!("cannot read `{}`", path.display());
    if path.is_dir() {
        bail!("cannot read `{}`: it is a directory", path.display());
    }
    let report = Report::read(BufReader::new(File::open(path).with_context(failed)?)).with_context(failed)?;
    say_damaged(&report, screen)?;
    if report.lines.read == 0 && report.lines.damaged > 0 {
        bail!("no line of `{}` is a call\nhint: `toolgate answer --log FILE` writes a log", path.display());
    }
    if arguments.json {
        screen.data(&serde_json::to_string_pretty(&report)?)?;
    } else {
        screen.text(&tables::all(&report))?;
    }
    Ok(Outcome::Good)
}

fn say_damaged(report: &Report, screen: &mut Screen<'_>) -> Result<()> {
    for damaged in &report.lines.first_damaged {
        screen.say(&format!("warning: line {} is damaged: {}", damaged.line, damaged.problem))?;
    }
    let named = u64::try_from(report.lines.first_damaged.len()).unwrap_or(u64::MAX);
    let more = report.lines.damaged.saturating_sub(named);
    if more > 0 {
        screen.say(&format!("warning: {more} more lines are damaged"))?;
    }
    Ok(())
}

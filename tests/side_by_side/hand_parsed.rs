//! The hand-parsed loop: a pattern finds the action in the model's prose, its values are split at commas and handed to a
//! function in their order.
//!
//! Written as such loops are, with nothing added to make it fail: it reads every turn that keeps to the form it shows the
//! model. It knows the names of functions and nothing else of them, since what they take stands nowhere but in their bodies.

use anyhow::Result;
use regex::Regex;

use super::{Dispatch, Ended, functions};

/// One action on one line. The closing bracket may be missing: a model that stops early writes none.
const ACTION: &str = r"(?m)^Action:[ \t]*(\w+)\[(.*?)\]?[ \t]*$";

pub(super) struct HandParsed {
    action: Regex,
}

impl HandParsed {
    pub(super) fn new() -> Result<Self> {
        Ok(Self { action: Regex::new(ACTION)? })
    }

    pub(super) fn run(&self, text: &str) -> Ended {
        let Some((_, [name, values])) = self.action.captures(text).map(|found| found.extract()) else {
            return Ended::Refused("no action".to_owned());
        };
        let Some(function) = functions::named(name) else {
            return Ended::Refused(format!("no function `{name}`"));
        };
        let values: Vec<&str> = values.split(',').map(str::trim).collect();
        match function(&values) {
            Ok(arguments) => Ended::Acted(Dispatch { tool: name.to_owned(), arguments }),
            Err(raised) => Ended::Raised(raised.to_string()),
        }
    }
}

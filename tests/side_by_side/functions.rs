//! The functions behind the loop, with the conveniences that functions for human callers have: values that may be left out,
//! values too many that do no harm, values that are made to fit.
//!
//! Each was kind to a programmer once, who would have seen the result. Where a value is needed and cannot be had, they raise
//! as a function of a dynamic language does. They change nothing: each answers with the arguments it would have acted on.

use std::fmt;

use serde_json::{Map, Value};

pub(super) type Function = fn(&[&str]) -> Result<Value, Raised>;

const FUNCTIONS: [(&str, Function); 4] = [
    ("create_ticket", create_ticket),
    ("issue_refund", issue_refund),
    ("list_invoices", list_invoices),
    ("stock_lookup", stock_lookup),
];

pub(super) fn named(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

/// What a call raises.
#[derive(Debug)]
pub(super) enum Raised {
    /// It does not take that many values.
    Count(usize),
    /// A value that has to be a number is none.
    NotNumber(String),
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "cannot be called with {count} values"),
            Self::NotNumber(value) => write!(f, "no number: {value}"),
        }
    }
}

/// Opens a case. Values after the third are for versions to come; what is no priority can wait.
fn create_ticket(values: &[&str]) -> Result<Value, Raised> {
    let [customer_id, subject, priority, ..] = values else { return Err(Raised::Count(values.len())) };
    let asked = priority.to_lowercase();
    let queue = ["urgent", "high", "normal"].into_iter().find(|queue| *queue == asked).unwrap_or("low");
    Ok(acted([
        ("customer_id", Some((*customer_id).into())),
        ("subject", Some((*subject).into())),
        ("priority", Some(queue.into())),
    ]))
}

/// Pays money back, with a reason or without.
fn issue_refund(values: &[&str]) -> Result<Value, Raised> {
    let (order_id, amount_cents, reason) = match values {
        [order_id, amount_cents] => (order_id, amount_cents, None),
        [order_id, amount_cents, reason] => (order_id, amount_cents, Some(*reason)),
        _ => return Err(Raised::Count(values.len())),
    };
    Ok(acted([
        ("order_id", Some((*order_id).into())),
        ("amount_cents", Some(number(amount_cents)?)),
        ("reason", reason.map(Into::into)),
    ]))
}

/// Lists invoices since a day; all of them where no day can be read.
fn list_invoices(values: &[&str]) -> Result<Value, Raised> {
    let (customer_id, since) = match values {
        [customer_id] => (customer_id, None),
        [customer_id, since] => (customer_id, Some(*since).filter(|since| is_day(since))),
        _ => return Err(Raised::Count(values.len())),
    };
    Ok(acted([("customer_id", Some((*customer_id).into())), ("since", since.map(Into::into))]))
}

/// Looks for an article in a region, however that is written.
fn stock_lookup(values: &[&str]) -> Result<Value, Raised> {
    let (sku, region, limit) = match values {
        [sku, region] => (sku, region, None),
        [sku, region, limit] => (sku, region, Some(number(limit)?)),
        _ => return Err(Raised::Count(values.len())),
    };
    Ok(acted([("sku", Some((*sku).into())), ("region", Some(region.to_lowercase().into())), ("limit", limit)]))
}

/// The arguments that are there, by name.
fn acted<const N: usize>(arguments: [(&str, Option<Value>); N]) -> Value {
    let present = arguments.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(Map::from_iter(present))
}

fn number(value: &str) -> Result<Value, Raised> {
    value.parse::<i64>().map(Into::into).map_err(|_not_digits| Raised::NotNumber(value.to_owned()))
}

/// Whether it is year, month and day in digits. That the month has such a day is for the calendar to say.
fn is_day(text: &str) -> bool {
    let lengths = text.split('-').map(|part| part.bytes().all(|byte| byte.is_ascii_digit()).then_some(part.len()));
    lengths.eq([Some(4), Some(2), Some(2)])
}

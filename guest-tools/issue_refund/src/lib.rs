//! `issue_refund`: pays money back for an order, one JSON line per refund in `/desk/refunds.jsonl`.
//!
//! Holds the amount against the order's total and what was paid back before. Leaves out approval by a person and the
//! customer's right to it: who may call it for how much is the operator's policy, not the tool's. Assumes one writer at a
//! time: the writes of one turn run one after the other; a shop that answers two turns at once needs a ledger behind it.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::{Access, Capabilities, Declaration, Directory, Failure};

const REFUNDS: &str = "/desk/refunds.jsonl";

toolgate_sdk::tool!(
    issue_refund,
    Declaration {
        name: "issue_refund",
        version: "1.0.0",
        title: Some("Issue a refund"),
        description: "Pays money back for an order, in cents, at most what is left of its total. Cannot be undone.",
        capabilities: Capabilities {
            fs: &[Directory {
                path: "/desk",
                access: Access::ReadWrite,
                reason: "refunds are appended to `refunds.jsonl`"
            }],
        },
        ..Declaration::write()
    }
);

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Order number, for example `5531`.
    order_id: String,
    /// Amount to pay back.
    #[schemars(range(min = 1))]
    amount_cents: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Output {
    /// Number of the refund.
    #[schemars(regex(pattern = r"^R-[0-9]{4,}$"))]
    refund_id: String,
    order_id: String,
    #[schemars(range(min = 1))]
    amount_cents: u32,
}

fn issue_refund(input: Input) -> Result<Output, Failure> {
    let total = total(&input.order_id)?;
    let earlier = earlier_refunds()?;
    let paid: u32 = earlier
        .iter()
        .filter(|refund| refund.order_id == input.order_id)
        .fold(0, |sum, refund| sum.saturating_add(refund.amount_cents));
    let left = total.saturating_sub(paid);
    if input.amount_cents > left {
        return Err(Failure::refused(format!(
            "order {} has {left} cents left to pay back ({total} in all), not {}",
            input.order_id, input.amount_cents
        )));
    }
    let refund = Output {
        refund_id: format!("R-{:04}", earlier.len().saturating_add(1)),
        order_id: input.order_id,
        amount_cents: input.amount_cents,
    };
    append(&refund).map_err(|error| Failure::unavailable(format!("the refund could not be written: {error}")))?;
    Ok(refund)
}

fn total(order_id: &str) -> Result<u32, Failure> {
    let totals: BTreeMap<String, u32> = serde_json::from_str(include_str!("../data/totals.json"))
        .map_err(|error| Failure::failed(format!("the order table is damaged: {error}")))?;
    let total = totals.get(order_id).copied();
    total.ok_or_else(|| Failure::not_found(format!("no order `{order_id}`; look for it with the customer's number")))
}

/// Refunds on file. A line that cannot be read stops the tool: a refund that is overlooked would be paid twice.
fn earlier_refunds() -> Result<Vec<Output>, Failure> {
    let lines = match fs::read_to_string(REFUNDS) {
        Ok(lines) => lines,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(Failure::unavailable(format!("earlier refunds could not be read: {error}")));
        }
    };
    let refunds = lines.lines().enumerate().map(|(before, line)| {
        serde_json::from_str(line).map_err(|error| {
            Failure::failed(format!("line {} of the refunds on file is damaged: {error}", before.saturating_add(1)))
        })
    });
    refunds.collect()
}

fn append(refund: &Output) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(refund)?;
    line.push(b'\n');
    OpenOptions::new().append(true).create(true).open(REFUNDS)?.write_all(&line)
}

//! `create_ticket`: opens a case at the support desk, one JSON line per ticket in `/desk/tickets.jsonl`.
//!
//! Leaves out reading, changing and closing tickets. Assumes one writer at a time for the numbers: the writes
//! of one turn run one after the other, those of two turns at once may get one number. A line is appended in one piece, so that a tool which is stopped midway
//! leaves no half of one.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_sdk::{Access, Capabilities, Declaration, Directory, Failure};

const TICKETS: &str = "/desk/tickets.jsonl";

toolgate_sdk::tool!(
    create_ticket,
    Declaration {
        name: "create_ticket",
        version: "1.0.0",
        title: Some("Create a ticket"),
        description: "Opens a case at the support desk for a customer and gives back its number. A person reads it.",
        capabilities: Capabilities {
            fs: &[Directory {
                path: "/desk",
                access: Access::ReadWrite,
                reason: "tickets are appended to `tickets.jsonl`"
            }],
        },
        ..Declaration::write()
    }
);

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Customer number, for example `cus_8812`.
    #[schemars(regex(pattern = r"^cus_[a-zA-Z0-9]+$"))]
    customer_id: String,
    /// What it is about, in one sentence.
    #[schemars(length(min = 1, max = 200))]
    subject: String,
    /// How soon a person should look at it.
    priority: Priority,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Priority {
    Low,
    Normal,
    High,
    Urgent,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// Number of the new ticket.
    #[schemars(regex(pattern = r"^T-[0-9]{4,}$"))]
    ticket_id: String,
    customer_id: String,
    subject: String,
    priority: Priority,
}

fn create_ticket(input: Input) -> Result<Output, Failure> {
    let ticket = Output {
        ticket_id: format!("T-{:04}", next_number()?),
        customer_id: input.customer_id,
        subject: input.subject,
        priority: input.priority,
    };
    append(&ticket).map_err(|error| Failure::unavailable(format!("the ticket could not be written: {error}")))?;
    Ok(ticket)
}

/// One more than there are lines.
fn next_number() -> Result<usize, Failure> {
    match fs::read_to_string(TICKETS) {
        Ok(lines) => Ok(lines.lines().count().saturating_add(1)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(1),
        Err(error) => Err(Failure::unavailable(format!("the desk's tickets could not be read: {error}"))),
    }
}

fn append(ticket: &Output) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(ticket)?;
    line.push(b'\n');
    OpenOptions::new().append(true).create(true).open(TICKETS)?.write_all(&line)
}

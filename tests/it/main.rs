//! Every test that crosses a boundary, in one binary. Modules are named after the stage or promise they hold to account.

#![cfg(test)]

/// Components written by hand, for what no compiler makes.
mod by_hand;
/// Prepared components, hosts and turns for all of them.
mod support;

/// Memory made on demand instead of taken from a pool.
mod allocation;
/// Schemas, contracts, names and arguments that were made to hurt.
mod attacks;
/// Who may call what, and with which values.
mod auth;
/// What a line of the call log holds.
mod call_log;
/// Cancelling and dropping at every point of a call.
mod cancel;
/// Each code, with what the model, the operator and a program get.
mod codes;
/// Components that break a rule of the machine or of the interface.
mod components;
/// Calls beside each other: who waits for whom.
mod concurrency;
/// The dialects: how each provider writes a turn, and what goes back to it.
mod dialects;
/// The documents: commands, tables and links are what the code says.
mod documents;
/// What a grant opens and what it does not.
mod grants;
/// The SDK's settings: what a tool imports and how large it is.
mod guests;
/// A fault in the host's own code.
mod internal;
/// What is left behind: stores, slots, permits.
mod leaks;
/// What is refused at load, and how it is said.
mod load;
/// What a tool prints.
mod output;
/// The program's whole screens.
mod program;
/// Promises about every input.
mod properties;
/// Tools that can only compute: the same call, the same answer.
mod pure;
/// The program's call log and its report.
mod repair;
mod report;
/// The result gate.
mod results;
/// The budget: every stop has its name.
mod sandbox;
/// The published schemas agree with the types and with every contract that is shipped.
mod schemas;
/// One conversation: what stops it, what is not run twice, what is remembered.
mod session;
/// Labelled turns, through the host and through a hand-parsed loop.
mod side_by_side;
/// The official JSON Schema suite, and our own cases.
mod suite;
/// The repository's own rules.
mod tidy;
/// Whole messages in, whole messages out.
mod turns;
/// Malformed calls as they were met.
mod vectors;
/// A generated week of calls, and what a report makes of it.
mod week;

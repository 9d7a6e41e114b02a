//! Cost: what of a component would make compiling it dear out of proportion to its size.
//!
//! The runtime's own bounds are those of the format (bodies of 7 MB, a million functions), and it promises nothing of how long
//! it compiles or with how much memory. Each bound here is above what the largest known tools have (the interpreters of CPython
//! and of JavaScript, as said beside it); where one was chosen by what it costs, it says so. `tests/it/components.rs` has a component
//! beyond each of them. They are no wall: what compiles within them may still take seconds.

use wasmparser::{Element, ElementItems, ElementKind, FunctionBody, Operator, Payload, TypeRef};

use super::{NotComponent, damaged};
use crate::units::ByteCount;

/// Bytes of one function: a MiB takes 0.7 s and 0.2 GB. The largest of CPython has 427 KB.
const MAX_BODY: u64 = 1 << 20;

/// Local variables of one function.
const MAX_LOCALS: u64 = 5_000;

/// Targets of one `br_table`.
const MAX_TARGETS: u64 = 10_000;

/// Instructions on tables in all modules together. Each is compiled to a loop of its own (20 000 of them took 17 s), and compilers
/// of languages make a few.
const MAX_TABLE_WORK: u64 = 2_000;

/// Functions of all modules together. CPython has 13 000.
const MAX_FUNCTIONS: u64 = 100_000;

/// Global variables of all modules together, imported ones included. Each takes room in every instance of its module, of which
/// a component may have tens. Position-independent libraries import one for each address they share: CPython has 2 000.
const MAX_GLOBALS: u64 = 10_000;

/// Data segments of all modules together (the runtime panics at some 32 000, wasmtime#15050), and what they hold: a second copy of
/// it is made at load. A snapshot of QuickJS has 6 000, one of CPython 12 MB.
const MAX_DATA_SEGMENTS: u64 = 30_000;
const MAX_DATA: u64 = 24 << 20;

/// Items of element segments that are known only when they are instantiated, or at a place that is: each becomes code (360 000 of
/// them took 19 s). Position-independent
/// libraries have as many as they have functions with an address: CPython has 5 000.
const MAX_MOVED_ITEMS: u64 = 25_000;

/// Bytes of all custom sections together. Names for debugging are most of them.
const MAX_CUSTOM: u64 = 8 << 20;

/// Modules and components inside. CPython has 40.
const MAX_PARTS: u64 = 64;

/// What was met so far.
#[derive(Debug, Default)]
pub(super) struct Cost {
    functions: u64,
    globals: u64,
    data_segments: u64,
    data: u64,
    moved_items: u64,
    table_work: u64,
    custom: u64,
    parts: u64,
}

impl Cost {
    /// Counts what a part of the file would cost.
    ///
    /// # Errors
    /// The bound that it breaks; a part that cannot be read.
    pub(super) fn note(&mut self, payload: &Payload<'_>) -> Result<(), NotComponent> {
        match payload {
            Payload::ModuleSection { parser: _, unchecked_range: _ }
            | Payload::ComponentSection { parser: _, unchecked_range: _ } => {
                add(&mut self.parts, 1, MAX_PARTS, "modules and components inside it")
            }
            Payload::FunctionSection(functions) => {
                add(&mut self.functions, functions.count().into(), MAX_FUNCTIONS, "functions")
            }
            Payload::GlobalSection(globals) => add(&mut self.globals, globals.count().into(), MAX_GLOBALS, "globals"),
            Payload::ImportSection(imports) => {
                for import in imports.clone().into_imports() {
                    if matches!(import.map_err(damaged)?.ty, TypeRef::Global(_)) {
                        add(&mut self.globals, 1, MAX_GLOBALS, "globals")?;
                    }
                }
                Ok(())
            }
            Payload::DataSection(segments) => {
                add(&mut self.data_segments, segments.count().into(), MAX_DATA_SEGMENTS, "data segments")?;
                for segment in segments.clone() {
                    let size = ByteCount::of(segment.map_err(damaged)?.data).get();
                    add(&mut self.data, size, MAX_DATA, "bytes of data segments")?;
                }
                Ok(())
            }
            Payload::ElementSection(segments) => {
                for segment in segments.clone() {
                    let what = "items of element segments that are no constants at a constant offset";
                    add(&mut self.moved_items, moved_items(&segment.map_err(damaged)?)?, MAX_MOVED_ITEMS, what)?;
                }
                Ok(())
            }
            Payload::CustomSection(section) => {
                let size = ByteCount::of(section.data()).get();
                add(&mut self.custom, size, MAX_CUSTOM, "bytes of custom sections")
            }
            Payload::CodeSectionEntry(body) => self.note_function(body),
            _ => Ok(()),
        }
    }

    fn note_function(&mut self, body: &FunctionBody<'_>) -> Result<(), NotComponent> {
        let size = ByteCount::of(body.as_bytes()).get();
        at_most(size, MAX_BODY, "bytes in one function")?;
        let mut n_locals = 0;
        for locals in body.get_locals_reader().map_err(damaged)? {
            let (n, _) = locals.map_err(damaged)?;
            add(&mut n_locals, n.into(), MAX_LOCALS, "local variables in one function")?;
        }
        for operator in body.get_operators_reader().map_err(damaged)? {
            match operator.map_err(damaged)? {
                Operator::BrTable { targets } => {
                    at_most(targets.len().into(), MAX_TARGETS, "targets of one `br_table`")?;
                }
                Operator::TableCopy { .. }
                | Operator::TableInit { .. }
                | Operator::TableFill { .. }
                | Operator::TableGrow { .. } => {
                    add(&mut self.table_work, 1, MAX_TABLE_WORK, "instructions on tables")?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// How many items of a segment are not known before it is instantiated.
fn moved_items(segment: &Element<'_>) -> Result<u64, NotComponent> {
    let ElementKind::Active { table_index: _, offset_expr } = &segment.kind else { return Ok(0) };
    let mut offset = offset_expr.get_operators_reader();
    let is_constant = matches!(offset.read().map_err(damaged)?, Operator::I32Const { .. } | Operator::I64Const { .. })
        && matches!(offset.read().map_err(damaged)?, Operator::End);
    Ok(match &segment.items {
        ElementItems::Functions(_) if is_constant => 0,
        ElementItems::Functions(items) => items.count().into(),
        ElementItems::Expressions(_, items) => items.count().into(),
    })
}

/// Adds up to a bound.
fn add(sum: &mut u64, more: u64, max: u64, what: &'static str) -> Result<(), NotComponent> {
    *sum = sum.saturating_add(more);
    at_most(*sum, max, what)
}

fn at_most(n: u64, max: u64, what: &'static str) -> Result<(), NotComponent> {
    if n > max { Err(NotComponent::Dear { n, max, what }) } else { Ok(()) }
}

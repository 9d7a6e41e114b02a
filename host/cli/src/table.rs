//! Table: columns without lines between them, the way every table of this program looks.

use comfy_table::{CellAlignment, Table, presets};

/// Prints rows under a head; columns from `numbers_from` on are aligned to the right.
pub(crate) fn plain<R: IntoIterator<Item = String>>(
    head: impl IntoIterator<Item = String>,
    rows: impl IntoIterator<Item = R>,
    numbers_from: Option<usize>,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(head);
    for row in rows {
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(numbers_from.unwrap_or(usize::MAX)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

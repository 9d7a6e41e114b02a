//! The query itself: conditions, then either plain rows or groups, then order and limit.

use std::collections::BTreeMap;
use std::io::Read;

use csv::StringRecord;
use rust_decimal::Decimal;
use toolgate_sdk::Failure;

use crate::cell::{fits, number, order};
use crate::table::{Row, Table, place};
use crate::{Condition, Input, Output, Sort};

/// Answers a query about an open table.
pub(crate) fn answer<R: Read>(table: Table<R>, input: Input) -> Result<Output, Failure> {
    if input.sum.is_none() && input.group_by.is_none() {
        return plain(table, input);
    }
    if input.select.is_some() {
        return Err(Failure::refused(
            "`select` does not go with `sum` or `group_by`: their answer has columns of its own",
        ));
    }
    grouped(table, input)
}

fn plain<R: Read>(table: Table<R>, input: Input) -> Result<Output, Failure> {
    let columns = input.select.unwrap_or_else(|| table.columns().to_vec());
    let places = columns.iter().map(|column| table.column(column)).collect::<Result<Vec<usize>, Failure>>()?;
    let by = input.sort.map(|sort| Ok((table.column(&sort.column)?, sort.descending))).transpose()?;
    let mut rows = matching(table, &input.conditions)?;
    if let Some((by, descending)) = by {
        sort_by(&mut rows, descending, |row| row.cell(by));
    }
    let found = count(rows.len());
    let cells = |row: Row| places.iter().map(|place| row.cell(*place).to_owned()).collect();
    Ok(Output { columns, rows: rows.into_iter().take(input.limit.into()).map(cells).collect(), found })
}

fn grouped<R: Read>(table: Table<R>, input: Input) -> Result<Output, Failure> {
    let group = input.group_by.as_ref().map(|column| table.column(column)).transpose()?;
    let summed = input.sum.as_ref().map(|column| Ok((table.column(column)?, column))).transpose()?;
    let columns: Vec<String> =
        [input.group_by.clone(), input.sum.as_ref().map(|column| format!("sum({column})")), Some("count".to_owned())]
            .into_iter()
            .flatten()
            .collect();

    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    if group.is_none() {
        // Without groups there is one answer, also about no rows at all.
        groups.insert(String::new(), Group::default());
    }
    for row in matching(table, &input.conditions)? {
        let name = group.map(|place| row.cell(place).to_owned()).unwrap_or_default();
        groups.entry(name).or_default().add(&row, summed)?;
    }

    let mut rows: Vec<Vec<String>> = Vec::new();
    for (name, Group { sum, rows: members }) in groups {
        let cells = [group.map(|_| name), summed.map(|_| sum.to_string()), Some(members.to_string())];
        rows.push(cells.into_iter().flatten().collect());
    }
    if let Some(Sort { column, descending }) = &input.sort {
        let by = place(&columns, column, "the answer")?;
        sort_by(&mut rows, *descending, |row| row.get(by).map_or("", String::as_str));
    }
    let found = count(rows.len());
    rows.truncate(input.limit.into());
    Ok(Output { columns, rows, found })
}

#[derive(Default)]
struct Group {
    sum: Decimal,
    rows: u64,
}

impl Group {
    fn add(&mut self, row: &Row, summed: Option<(usize, &String)>) -> Result<(), Failure> {
        self.rows = self.rows.saturating_add(1);
        let Some((place, column)) = summed else { return Ok(()) };
        let cell = row.cell(place);
        if cell.is_empty() {
            return Ok(());
        }
        let what = || format!("`{column}` in line {}", row.line());
        let number = number(cell).ok_or_else(|| Failure::failed(format!("{} is no number: `{cell}`", what())))?;
        self.sum = exact_sum(self.sum, number).ok_or_else(|| {
            Failure::failed(format!("the sum at {} has more digits than can be kept exactly", what()))
        })?;
        Ok(())
    }
}

/// The sum, unless it would have to be rounded.
fn exact_sum(left: Decimal, right: Decimal) -> Option<Decimal> {
    let sum = left.checked_add(right)?;
    (sum.scale() >= left.scale().max(right.scale())).then_some(sum)
}

fn matching<R: Read>(table: Table<R>, conditions: &[Condition]) -> Result<Vec<Row>, Failure> {
    let mut tests = Vec::new();
    for condition in conditions {
        tests.push((table.column(&condition.column)?, condition));
    }
    table.rows(|cells: &StringRecord| {
        tests.iter().all(|(place, test)| fits(cells.get(*place).unwrap_or_default(), test.op, &test.value))
    })
}

/// Sorts by one cell. Rows that are equal in it stay in the order of the file, whichever way it goes.
fn sort_by<T>(rows: &mut [T], descending: bool, cell: impl Fn(&T) -> &str) {
    rows.sort_by(|left, right| {
        let order = order(cell(left), cell(right));
        if descending { order.reverse() } else { order }
    });
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;

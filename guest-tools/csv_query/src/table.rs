//! A CSV file of the granted directory: found by name, its columns by name, its rows by line.
//!
//! Everything in a file is foreign. A row that does not fit its header ends the query with the line's number; nothing is
//! padded or skipped. What the rows mean is `query`'s business.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path};

use csv::{Position, Reader, StringRecord};
use toolgate_sdk::Failure;

const DIRECTORY: &str = "/data";

/// Most names in an answer about a missing file.
const NAMES_SHOWN: usize = 20;

/// An open file, read up to its header.
pub(crate) struct Table<R> {
    name: String,
    columns: Vec<String>,
    reader: Reader<R>,
}

/// Opens a file of the directory.
pub(crate) fn open(name: &str) -> Result<Table<File>, Failure> {
    if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(Failure::refused(format!("`{name}` leads out of the data directory; give a file's name in it")));
    }
    match File::open(Path::new(DIRECTORY).join(name)) {
        Ok(file) => Table::read(name, file),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(missing(name)),
        Err(error) => Err(Failure::unavailable(format!("`{name}` could not be opened: {error}"))),
    }
}

fn missing(name: &str) -> Failure {
    let entries = match fs::read_dir(DIRECTORY) {
        Ok(entries) => entries,
        Err(error) => return Failure::unavailable(format!("the data directory could not be listed: {error}")),
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> = names.filter(|name| name.ends_with(".csv")).map(|name| format!("`{name}`")).collect();
    files.sort();
    files.truncate(NAMES_SHOWN);
    if files.is_empty() {
        return Failure::not_found(format!("no file `{name}`; the data directory has no CSV file"));
    }
    Failure::not_found(format!("no file `{name}`; files are {}", files.join(", ")))
}

impl<R: Read> Table<R> {
    /// Reads the header.
    pub(crate) fn read(name: &str, source: R) -> Result<Self, Failure> {
        let mut reader = Reader::from_reader(source);
        let header = reader.headers().map_err(|error| damaged(name, &error))?;
        let columns: Vec<String> = header.iter().map(str::to_owned).collect();
        if columns.is_empty() {
            return Err(Failure::failed(format!("`{name}` is empty; its first line has to name the columns")));
        }
        let twice =
            columns.iter().enumerate().find(|(before, column)| columns.iter().take(*before).any(|c| &c == column));
        if let Some((_, column)) = twice {
            return Err(Failure::failed(format!("`{name}` has two columns named `{column}`")));
        }
        Ok(Self { name: name.to_owned(), columns, reader })
    }

    /// Names of the columns, in the order of the file.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Place of a column.
    pub(crate) fn column(&self, column: &str) -> Result<usize, Failure> {
        place(&self.columns, column, &self.name)
    }

    /// The rows that fit, each with the number of its line.
    pub(crate) fn rows(mut self, fits: impl Fn(&StringRecord) -> bool) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        for record in self.reader.records() {
            let cells = record.map_err(|error| damaged(&self.name, &error))?;
            if fits(&cells) {
                rows.push(Row { line: cells.position().map_or(0, Position::line), cells });
            }
        }
        Ok(rows)
    }
}

/// One row that fits.
pub(crate) struct Row {
    line: u64,
    cells: StringRecord,
}

impl Row {
    /// The text of a cell. Every row is as long as the header, so a place that came from `column` has one.
    pub(crate) fn cell(&self, place: usize) -> &str {
        self.cells.get(place).unwrap_or_default()
    }

    /// Where it stands in the file.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }
}

/// Place of a name in a list of columns, or a failure that says which there are.
pub(crate) fn place(columns: &[String], column: &str, of: &str) -> Result<usize, Failure> {
    columns.iter().position(|known| known == column).ok_or_else(|| {
        let known: Vec<String> = columns.iter().map(|known| format!("`{known}`")).collect();
        Failure::not_found(format!("`{of}` has no column `{column}`; columns are {}", known.join(", ")))
    })
}

fn damaged(name: &str, error: &csv::Error) -> Failure {
    let line = error.position().map_or(1, Position::line);
    Failure::failed(match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("line {line} of `{name}` has {len} cells where the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => format!("line {line} of `{name}` is not UTF-8 text"),
        _ => format!("`{name}` could not be read: {error}"),
    })
}

//! The official JSON Schema test suite for 2020-12, and our own cases in its shape, through our reader and our schemas.
//!
//! A schema is either enforced as the suite has it, by the verdict and by the explainer alike, or refused at load: never
//! ignored. What is refused stands in a list that has to be exact, both ways.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use toolgate::{Schema, oracle};

use crate::schemas::is_current;
use crate::support::repository;

/// Where `tests/suite/fetch` puts it.
const SUITE: &str = "target/json-schema-test-suite/draft2020-12";

/// How the suite ends the names of cases whose text has a wrong format: by default a format only explains, and here every
/// format that is taken is checked.
const ONLY_AN_ANNOTATION: &str = "string is only an annotation by default";

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Box<RawValue>,
    tests: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    description: String,
    data: Box<RawValue>,
    valid: bool,
}

/// Every case file below a directory, in the order of their names.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|error| {
        panic!("{} is not there ({error}): run `tests/suite/fetch`, which needs python3 and pip", directory.display())
    });
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    paths.into_iter().flat_map(below).filter(|path| path.extension().is_some_and(|ext| ext == "json")).collect()
}

/// What came of a directory of cases.
#[derive(Default)]
struct Outcome {
    n_checked: usize,
    refused: String,
    wrong: Vec<String>,
}

fn run(directory: &Path) -> Outcome {
    let mut outcome = Outcome::default();
    for file in files(directory) {
        let name = file.strip_prefix(directory).expect("below it").with_extension("");
        let text = std::fs::read_to_string(&file).expect("reads");
        let groups: Vec<Group> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        for group in groups {
            outcome.group(&format!("{}: {}", name.display(), group.description), &group);
        }
    }
    outcome
}

impl Outcome {
    fn group(&mut self, name: &str, group: &Group) {
        match Schema::compile_open(group.schema.get()) {
            Ok(schema) => group.tests.iter().for_each(|case| self.case(name, &schema, case)),
            Err(error) => {
                let said = error.to_string();
                writeln!(self.refused, "{name}\n    {}: {said}", error.code()).expect("writes");
            }
        }
    }

    fn case(&mut self, group: &str, schema: &Schema, case: &Case) {
        let name = format!("{group}: {}", case.description);
        let value = match oracle::read(case.data.get()) {
            Ok(value) => value,
            Err(fault) => {
                writeln!(self.refused, "{name}\n    the value: {fault}").expect("writes");
                return;
            }
        };
        self.n_checked = self.n_checked.saturating_add(1);
        let valid = case.valid && !case.description.ends_with(ONLY_AN_ANNOTATION);
        let verdict = schema.accepts(&value);
        let explained = schema.find_violation(&value);
        if verdict != valid || explained.is_none() != valid {
            self.wrong.push(format!("{name}: valid is {valid}, the verdict {verdict}, explained {explained:?}"));
        }
    }
}

#[test]
fn the_official_suite_is_kept_or_refused_at_load_and_never_ignored() {
    let outcome = run(&repository().join(SUITE));
    assert!(outcome.wrong.is_empty(), "{} are wrong:\n{}", outcome.wrong.len(), outcome.wrong.join("\n"));
    assert!(outcome.n_checked > 1_000, "only {} cases were checked", outcome.n_checked);
    is_current("tests/suite/refused.txt", &outcome.refused);
}

#[test]
fn our_own_cases_are_kept() {
    let outcome = run(&repository().join("schemas/cases"));
    assert!(outcome.wrong.is_empty(), "{} are wrong:\n{}", outcome.wrong.len(), outcome.wrong.join("\n"));
    assert!(outcome.n_checked > 0 && outcome.refused.is_empty(), "{}", outcome.refused);
}

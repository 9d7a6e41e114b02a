//! The documents: generated parts are current, commands work, names of tests and links are real.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use toolgate::{Provider, Rule};

use crate::schemas::is_current;
use crate::side_by_side::COMPARED;
use crate::support::{program, repository};

const BOOKS: [&str; 14] = [
    "README.md",
    "SECURITY.md",
    "docs/ARCHITECTURE.md",
    "docs/CODES.md",
    "docs/SPECIFICATION.md",
    "docs/TESTING.md",
    "docs/THREAT-MODEL.md",
    "docs/guide/authorisation.md",
    "docs/guide/declarations.md",
    "docs/guide/first-tool.md",
    "docs/guide/other-languages.md",
    "docs/guide/side-by-side.md",
    "docs/guide/repair.md",
    "docs/guide/report.md",
];

fn read(file: &str) -> String {
    fs::read_to_string(repository().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn the_table_of_codes_is_what_the_code_says() {
    let mut table = String::from(
        "# Codes\n\nEvery way a call can end that is not an answer. A code never changes its meaning. `call`, `args` and `auth` \
         are refusals: the tool did not run. The rest are failures: the request was in order, and there is no answer to use. Where a \
         code has a place, it goes on with the dotted path of it (`args:missing:priority`), which is left out at the root.\n\n\
         | code | place | means | who can mend it |\n|---|---|---|---|\n",
    );
    for rule in Rule::ALL {
        let place = if rule.has_place() { "yes" } else { "" };
        writeln!(table, "| `{}` | {place} | {} | {} |", rule.code(), rule.meaning(), rule.fixable_by().name())
            .expect("writing to a String cannot fail");
    }
    is_current("docs/CODES.md", &table);
}

#[test]
fn the_help_texts_are_what_the_program_says() {
    let mut book = String::from("# The program\n");
    let commands = ["", "answer", "call", "tools", "inspect", "pack", "check", "report"];
    for command in commands {
        let arguments: Vec<&str> = [command, "--help"].into_iter().filter(|argument| !argument.is_empty()).collect();
        let shown = program(&arguments, b"");
        assert_eq!(shown.code, ExitCode::SUCCESS, "{}", shown.stderr);
        let title = format!("toolgate {command}");
        let lines: Vec<&str> = shown.stdout.lines().map(str::trim_end).collect();
        write!(book, "\n## `{}`\n\n```text\n{}\n```\n", title.trim(), lines.join("\n").trim())
            .expect("writing to a String cannot fail");
    }
    is_current("docs/CLI.md", &book);
}

/// The text with every marked block filled: `<!-- file: PATH -->` with a file, `<!-- screen: ARGUMENTS -->` with what the
/// program writes, `<!-- counted: BENCHMARK -->` with what a benchmark that only counts prints.
fn filled(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let marked = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let Some((kind, of)) = marked.and_then(|mark| mark.split_once(": ")) else {
            continue;
        };
        let fence = lines.next().expect("a block follows its mark");
        assert!(fence.starts_with("```"), "a block follows its mark: {fence}");
        lines.by_ref().find(|line| *line == "```").expect("the block ends");
        let content = match kind {
            "file" => read(of),
            "screen" => screen(of),
            "counted" if of == "side_by_side" => COMPARED.to_string(),
            other => panic!("unknown mark `{other}`"),
        };
        writeln!(out, "{fence}\n{}\n```", content.trim_end()).expect("writing to a String cannot fail");
    }
    out
}

fn screen(arguments: &str) -> String {
    let root = repository();
    let absolute = arguments.split(' ').map(|argument| match argument.starts_with("examples/") {
        true => root.join(argument).display().to_string(),
        false => argument.to_owned(),
    });
    let absolute: Vec<String> = absolute.collect();
    let shown = program(&absolute.iter().map(String::as_str).collect::<Vec<_>>(), b"");
    assert_eq!(shown.code, ExitCode::SUCCESS, "{}", shown.stderr);
    if let Some(desk) = shown.stderr.trim().strip_prefix("tickets and refunds are in ") {
        fs::remove_dir_all(desk).expect("the desk is there");
    }
    shown.stdout
}

#[test]
fn what_the_readme_shows_is_what_is_there() {
    for book in ["README.md", "docs/guide/declarations.md", "docs/guide/first-tool.md", "docs/guide/report.md"] {
        is_current(book, &filled(&read(book)));
    }
    assert!(read("README.md").contains("cargo run -- answer examples/support.anthropic.json\n"));
    assert!(
        read(".ci/run").contains("test() { tests/suite/fetch && cargo test; }"),
        "CI runs the command that the README gives"
    );
}

#[test]
fn the_guide_to_the_two_designs_shows_what_is_counted() {
    let book = "docs/guide/side-by-side.md";
    is_current(book, &filled(&read(book)));
}

#[test]
fn the_guide_to_declarations_has_a_command_for_every_provider() {
    let guide = read("docs/guide/declarations.md");
    let commands: Vec<&str> = guide.lines().filter_map(|line| line.strip_prefix("toolgate tools --for ")).collect();
    for provider in Provider::ALL {
        assert!(commands.iter().any(|rest| rest.split(' ').next() == Some(provider.name())), "{provider}");
    }
    for command in commands {
        // Nothing is loaded: the help comes first, and only from arguments that are in order.
        let arguments = ["tools", "--for"]
            .into_iter()
            .chain(command.split(" >").next().into_iter().flat_map(|rest| rest.split(' ')));
        let shown = program(&arguments.chain(["--help"]).collect::<Vec<_>>(), b"");
        assert_eq!(shown.code, ExitCode::SUCCESS, "{command}: {}", shown.stderr);
    }
}

/// Every `module::test_name` that a text names in backticks.
fn named_tests(text: &str) -> Vec<(String, String)> {
    let quoted = text.split('`').skip(1).step_by(2);
    let names = quoted.filter_map(|quoted| quoted.split_once("::"));
    let names = names.filter(|(module, test)| {
        let plain =
            |word: &str| word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'*');
        plain(module) && plain(test) && (test.contains('_') || *test == "*")
    });
    names.map(|(module, test)| (module.to_owned(), test.to_owned())).collect()
}

/// Whether the file of a module, or of its tests, in a directory or below it holds a text.
fn holds(directory: &Path, module: &str, text: &str) -> bool {
    fs::read_dir(directory).expect("lists").map(|entry| entry.expect("an entry").path()).any(|path| {
        if path.is_dir() {
            return holds(&path, module, text);
        }
        let is_it = path.ends_with(format!("{module}.rs"))
            || path.ends_with(format!("{module}/tests.rs"))
            || path.ends_with(format!("{module}/main.rs"));
        is_it && fs::read_to_string(&path).is_ok_and(|source| source.contains(text))
    })
}

#[test]
fn every_promise_names_a_test_that_is_there() {
    for (book, at_least) in [("docs/SPECIFICATION.md", 30), ("docs/THREAT-MODEL.md", 18)] {
        let text = read(book);
        let named = named_tests(&text);
        assert!(named.len() >= at_least, "{book} names {} tests", named.len());
        for (module, test) in named {
            let wanted = format!("fn {}", test.trim_end_matches('*'));
            let is_there = |directory: &str| holds(&repository().join(directory), &module, &wanted);
            assert!(
                ["tests", "host/core/src", "host/cli/src"].into_iter().any(is_there),
                "{book}: no module `{module}` has a test `{test}`"
            );
        }
    }
    assert!(read("docs/SPECIFICATION.md").contains(&format!("| {} codes |", Rule::ALL.len())));
}

#[test]
fn every_open_advisory_is_of_the_runtime_in_use_and_counts_until_a_day() {
    let security = read("SECURITY.md");
    let lock = read("Cargo.lock");
    let runtime = lock.split("name = \"wasmtime\"\nversion = \"").nth(1).and_then(|rest| rest.split('"').next());
    let runtime = runtime.expect("the runtime is a dependency");
    assert!(
        security.contains(&format!("Toolgate is built on wasmtime {runtime}.")),
        "{runtime}: look at its advisories"
    );
    let rows: Vec<Vec<&str>> = security
        .lines()
        .filter(|line| line.contains("GHSA-") || line.contains("RUSTSEC-"))
        .map(|row| row.split('|').map(str::trim).collect())
        .collect();
    let day = regex::Regex::new(r"^20\d\d-[01]\d-[0-3]\d$").expect("is a pattern");
    for row in &rows {
        let ["", ids, _what, here, until, ""] = row.as_slice() else { panic!("not a row of the table: {row:?}") };
        assert!(!here.is_empty() && day.is_match(until), "{ids}: why, and until when");
    }
    let ignored = read("deny.toml");
    let ignored = ignored.lines().filter(|line| !line.trim_start().starts_with('#')).flat_map(|line| line.split('"'));
    for id in ignored.filter(|part| part.starts_with("RUSTSEC-") || part.starts_with("GHSA-")) {
        assert!(rows.iter().any(|row| row.iter().any(|cell| cell.contains(id))), "{id} is ignored without a day");
    }
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    for book in BOOKS {
        let folder = repository().join(book);
        let folder = folder.parent().expect("a file stands in a folder");
        for link in read(book).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if !target.starts_with("http") && !target.is_empty() {
                assert!(folder.join(target).exists(), "{book}: {link}");
            }
        }
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = read("Cargo.toml");
    let dependencies = manifest.split("[workspace.dependencies]").nth(1).and_then(|rest| rest.split("\n[").next());
    let architecture = read("docs/ARCHITECTURE.md");
    let reasons = architecture.split("## Dependencies").nth(1).expect("the chapter is there");
    let names = dependencies.expect("the table is there").lines().filter_map(|line| line.split_once(" = "));
    for (name, _) in names.filter(|(name, _)| !name.starts_with("toolgate") && !name.starts_with('#')) {
        let listed = reasons.lines().filter(|line| line.starts_with('|'));
        let mut listed = listed.filter_map(|line| line.split('|').nth(1));
        let has_row = listed.any(|row| row.split(',').any(|entry| entry.trim() == name));
        assert!(has_row, "{name}: one line of reason in docs/ARCHITECTURE.md");
    }
}

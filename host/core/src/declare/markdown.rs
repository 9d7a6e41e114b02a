//! Markdown: what the loaded tools are, for people: made from the registry that dispatches, so that it cannot be out of date.
//!
//! Names, titles and descriptions are a tool author's text: none of it can end a cell, open a tag or make a link.

use std::fmt::Write;

use serde_json::Value;

use super::facts::{Facts, Kind, Rest, Source};
use super::words::Words;
use crate::contract::{Contract, Relation};
use crate::refusal::Rule;
use crate::text;
use crate::tool::Tool;

/// Most rows of one table. A schema whose references multiply would otherwise fill a disk.
const MAX_ROWS: usize = 500;

/// Most values inside each other that get rows of their own.
const MAX_DEPTH: usize = 8;

/// What the columns of a table are called.
const HEAD: &str = "| name | type | required | constraints | description |\n|---|---|---|---|---|\n";

/// The documentation of tools, as one Markdown document: per tool what it does, what it may reach and use, what it takes and
/// gives; then the codes that any call can fail with.
pub fn documentation<'t>(tools: impl IntoIterator<Item = &'t Tool>) -> String {
    let mut out = String::from("# Tools\n");
    for tool in tools {
        out.push_str(&section(tool));
    }
    out.push_str("\n## When there is no answer\n\nAny of these tools can fail with:\n\n| code | means |\n|---|---|\n");
    for rule in Rule::ALL.iter().filter(|rule| !rule.code().starts_with("call:")) {
        row(&mut out, [code(rule.code()), escape(rule.meaning())]);
    }
    out
}

fn section(tool: &Tool) -> String {
    let contract = tool.contract();
    let mut out = format!("\n## {}\n\n", code(tool.name()));
    let title = contract.title.as_deref().unwrap_or(tool.name());
    line(
        &mut out,
        &format!("**{}** {}: {}\n", escape(title), escape(&contract.version), escape(&contract.description)),
    );
    line(&mut out, &format!("* Effects: {}", effects(tool)));
    line(&mut out, &format!("* Granted: {}", granted(tool)));
    let limits = tool.limits();
    line(
        &mut out,
        &format!(
            "* Limits: {} units of work, {} ms, {} of memory, {} of result",
            limits.fuel,
            limits.time.as_millis(),
            limits.memory,
            limits.result
        ),
    );
    line(&mut out, "\n### Arguments\n");
    out.push_str(&table(contract.input.get()));
    line(&mut out, "\n### Result\n");
    out.push_str(&table(contract.output.get()));
    out.push_str(&empty_lists(contract));
    out.push_str(&relations(contract));
    out
}

const fn effects(tool: &Tool) -> &'static str {
    match (tool.writes(), tool.contract().repeatable) {
        (false, _) => "only reads; calls of one turn run at once",
        (true, false) => "changes something; calls of one turn run in the order given",
        (true, true) => {
            "changes something, and an identical call may be meant twice; calls of one turn run in the order given"
        }
    }
}

fn granted(tool: &Tool) -> String {
    let reason = |path: &str| {
        let asked = tool.contract().capabilities.fs.iter().find(|asked| asked.path == path);
        asked
            .and_then(|asked| asked.reason.as_deref())
            .map_or_else(String::new, |reason| format!(": {}", escape(reason)))
    };
    let directories = tool.grants().directories().iter();
    let directories =
        directories.map(|grant| format!("{} ({}){}", code(&grant.guest), grant.access, reason(&grant.guest)));
    let granted: Vec<String> = directories.collect();
    if granted.is_empty() { "nothing outside its sandbox".to_owned() } else { granted.join("; ") }
}

/// Which lists of the result may come back with nothing.
fn empty_lists(contract: &Contract) -> String {
    let may: Vec<String> = contract.may_be_empty.iter().map(|pointer| code(pointer.trim_start_matches('/'))).collect();
    match may.as_slice() {
        [] => "\nNo list in the top level of the result may come back empty.\n".to_owned(),
        may => format!("\nMay come back empty: {}.\n", may.join(", ")),
    }
}

/// What ties the result to the arguments.
fn relations(contract: &Contract) -> String {
    let place = |pointer: &str| match pointer.trim_start_matches('/') {
        "" => "the whole".to_owned(),
        steps => code(steps),
    };
    let said = contract.relations.iter().filter_map(|Relation { at, max_items, equals }| {
        let at = place(at);
        let most = |argument: &String| format!("has at most as many items as the argument {} says", place(argument));
        let equal = |argument: &String| format!("equals the argument {}", place(argument));
        let tie = max_items.as_ref().map(most).or_else(|| equals.as_ref().map(equal))?;
        Some(format!("\n{at} of the result {tie}.\n"))
    });
    said.collect()
}

/// The rows of a schema.
fn table(schema: &str) -> String {
    let root: Value = serde_json::from_str(schema).unwrap_or_default();
    let mut rows = Rows { source: Source::new(&root), around: vec!["#".to_owned()], out: String::new(), n_rows: 0 };
    let facts = rows.flat(&root);
    if facts.kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|kind| *kind != Kind::Object)) {
        rows.value("", "yes", &facts, 0);
    } else {
        rows.parts("", &facts, 0);
    }
    if rows.out.is_empty() {
        return "None.\n".to_owned();
    }
    format!("{HEAD}{}", rows.out)
}

struct Rows<'s> {
    source: Source<'s>,
    /// References whose rows are being written.
    around: Vec<String>,
    out: String,
    n_rows: usize,
}

impl Rows<'_> {
    fn flat(&self, schema: &Value) -> Facts {
        self.source.flat(self.source.facts(schema, &self.around), &self.around)
    }

    /// A row for a value, and those of its parts.
    fn value(&mut self, path: &str, required: &str, facts: &Facts, depth: usize) {
        self.n_rows = self.n_rows.saturating_add(1);
        if self.n_rows > MAX_ROWS {
            return;
        }
        let name = if path.is_empty() { String::new() } else { code(path) };
        let description = facts.description.as_deref().unwrap_or_default();
        let cells = [name, escape(&self.kind(facts)), required.to_owned(), constraints(facts), escape(description)];
        row(&mut self.out, cells);
        if depth < MAX_DEPTH {
            self.parts(path, facts, depth);
        }
    }

    fn parts(&mut self, path: &str, facts: &Facts, depth: usize) {
        let n_around = self.around.len();
        self.around.extend(facts.via.iter().cloned());
        let join = |step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") };
        let inside = depth.saturating_add(1);
        for (key, schema) in &facts.properties {
            let part = self.flat(schema);
            let required = if facts.required.contains(key) { "yes" } else { "no" };
            self.value(&join(key), required, &part, inside);
        }
        if let Rest::Schema(rest) = &facts.rest {
            let part = self.flat(rest);
            self.value(&join("*"), "no", &part, inside);
        }
        for (idx, place) in facts.prefix.iter().enumerate() {
            let part = self.flat(place);
            self.value(&join(&idx.to_string()), "no", &part, inside);
        }
        // Items that are plain values are said in the type of the list.
        if let Some(items) = facts.items.as_ref().map(|items| self.flat(items)) {
            let has_parts =
                !items.properties.is_empty() || items.items.is_some() || matches!(items.rest, Rest::Schema(_));
            if has_parts || !constraints(&items).is_empty() {
                self.value(&join("*"), "", &items, inside);
            }
        }
        self.around.truncate(n_around);
    }

    /// The type in words.
    fn kind(&self, facts: &Facts) -> String {
        if facts.recursive.is_some() {
            return "the same as what it stands in".to_owned();
        }
        let Some(kinds) = facts.kinds_or_of_values() else { return "anything".to_owned() };
        let words = kinds.iter().map(|kind| match kind {
            Kind::String => "text".to_owned(),
            Kind::Integer => "whole number".to_owned(),
            Kind::Number => "number".to_owned(),
            Kind::Boolean => "true or false".to_owned(),
            Kind::Null => "null".to_owned(),
            Kind::Object if matches!(facts.rest, Rest::Open | Rest::Schema(_)) => "object with any keys".to_owned(),
            Kind::Object => "object".to_owned(),
            Kind::Array => match facts.items.as_ref().map(|items| self.flat(items).kinds_or_of_values()) {
                Some(Some(kinds)) => {
                    format!("list of {}", kinds.iter().map(|kind| plural(*kind)).collect::<Vec<_>>().join(" or "))
                }
                _ => "list".to_owned(),
            },
        });
        words.collect::<Vec<_>>().join(" or ")
    }
}

const fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "texts",
        Kind::Integer => "whole numbers",
        Kind::Number => "numbers",
        Kind::Boolean => "true or false",
        Kind::Array => "lists",
        Kind::Object => "objects",
        Kind::Null => "null",
    }
}

fn constraints(facts: &Facts) -> String {
    let asserted = facts.asserted.iter().map(|(keyword, value)| (*keyword, value.clone()));
    let values = facts.values.iter().map(|values| ("enum", Value::Array(values.clone())));
    let words = Words::of(asserted.chain(values).chain(facts.set_aside.iter().cloned()).collect());
    let said: Vec<String> = words.said().iter().map(|said| code(said)).collect();
    let unsaid = words.unsaid.iter().map(|keyword| format!("{} …", code(keyword)));
    said.into_iter().chain(unsaid).collect::<Vec<_>>().join(", ")
}

fn row<const N: usize>(out: &mut String, cells: [String; N]) {
    line(out, &format!("| {} |", cells.join(" | ")));
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("writing to a String cannot fail");
}

/// Foreign text as text of one line, whatever is in it.
fn escape(foreign: &str) -> String {
    let cleaned = text::clean(foreign.trim()).0;
    let mut out = String::with_capacity(cleaned.len());
    for c in cleaned.chars() {
        match c {
            '\n' => out.push_str("<br>"),
            '\t' => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '#' | '&' | '@' | '!' | '$' | ':' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    // What begins like a host's name is made a link too.
    out.replace("www.", "www\\.")
}

/// Foreign text as code of one line. A backtick would end it, so text with one is no code.
fn code(foreign: &str) -> String {
    let one_line = text::one_line(foreign, 300);
    if one_line.contains('`') || one_line.trim().is_empty() {
        return escape(&one_line);
    }
    format!("`{}`", one_line.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::{code, escape, table};

    #[test]
    fn foreign_text_stays_text() {
        for (foreign, escaped) in [
            ("a | b", r"a \| b"),
            ("a\n# b", r"a<br>\# b"),
            ("`x` <script>", r"\`x\` \<script\>"),
            ("[a](https://x) www.x.de", r"\[a\](https\://x) www\.x.de"),
            (r"\| ![i](x)", r"\\\| \!\[i\](x)"),
            ("a\u{202e}b", r"a\\u{202e}b"),
        ] {
            assert_eq!(escape(foreign), escaped);
        }
        assert_eq!(code("a|b"), r"`a\|b`");
        assert_eq!(code("a`b\n|"), r"a\`b\\n\|");
    }

    #[test]
    fn a_schema_is_a_table_of_its_values() {
        let schema = r##"{
            "type": "object", "additionalProperties": false, "required": ["filters"],
            "properties": {
                "filters": {"type": "object", "additionalProperties": false, "properties": {
                    "status": {"enum": ["open", "a|b"], "description": "Which `state`."},
                    "any": true
                }},
                "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}, "maxItems": 2},
                "next": {"$ref": "#"},
                "map": {"type": "object", "additionalProperties": {"type": "integer"}},
                "names": {"type": "array", "items": {"type": "string"}},
                "either": {"oneOf": [{"type": "string"}, {"type": "integer", "minimum": 1}]}
            },
            "$defs": {"row": {"type": "object", "additionalProperties": false, "properties": {"qty": {"type": "integer", "minimum": 1}}, "required": ["qty"]}}
        }"##;
        insta::assert_snapshot!(table(schema), @r#"
        | name | type | required | constraints | description |
        |---|---|---|---|---|
        | `either` | text or whole number | no | `oneOf [{"type":"string"},{"minimum":1,"type":"integer"}]` |  |
        | `filters` | object | yes |  |  |
        | `filters.any` | anything | no |  |  |
        | `filters.status` | text | no | `enum ["open","a\|b"]` | Which \`state\`. |
        | `map` | object with any keys | no |  |  |
        | `map.*` | whole number | no |  |  |
        | `names` | list of texts | no |  |  |
        | `next` | the same as what it stands in | no |  |  |
        | `rows` | list of objects | no | `maxItems 2` |  |
        | `rows.*` | object |  |  |  |
        | `rows.*.qty` | whole number | yes | `minimum 1` |  |
        "#);
        assert_eq!(table(r#"{"type":"object","additionalProperties":false}"#), "None.\n");
    }
}

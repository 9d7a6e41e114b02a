//! The published schemas: generated from the types, current, and true of every contract that is shipped.

use std::path::Path;

use serde_json::Value;
use toolgate::{CallRecord, Config, Contract, Mode, Provider, Tool};

use crate::support::{desk_host, guests, on_one_thread, repository, tool};

/// Compares a generated file with the repository's, or writes it where `UPDATE=1` asks for that.
pub(crate) fn is_current(file: &str, generated: &str) {
    let path = repository().join(file);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, generated).expect("writes");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == generated,
        "{file} is not what the code says; run `UPDATE=1 cargo test` and look at the difference"
    );
}

fn schema<T: schemars::JsonSchema>(title: &str) -> String {
    let settings = schemars::generate::SchemaSettings::draft2020_12();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), title.into());
    let mut text = serde_json::to_string_pretty(&schema).expect("serializes");
    text.push('\n');
    text
}

#[test]
fn the_schemas_are_what_the_types_say() {
    is_current("schemas/contract.schema.json", &schema::<Contract>("Contract of a Toolgate tool"));
    is_current("schemas/config.schema.json", &schema::<Config>("toolgate.toml"));
    is_current("schemas/call-log.schema.json", &schema::<CallRecord>("A line of Toolgate's call log"));
}

#[test]
fn every_contract_that_is_shipped_fits_the_published_schema() {
    let text = std::fs::read_to_string(repository().join("schemas/contract.schema.json")).expect("is there");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("compiles");
    on_one_thread(async {
        let desk = tempfile::tempdir().expect("a directory");
        let more = [
            tool("json_query.wasm", guests::JSON_QUERY),
            tool("word_count.wasm", guests::WORD_COUNT),
            tool("stock_lookup_v1.wasm", guests::STOCK_LOOKUP_V1),
            tool("budget_spins.wasm", guests::BUDGET_SPINS),
            tool("trap_panics.wasm", guests::TRAP_PANICS),
        ];
        let host = desk_host(desk.path(), more).await;
        for contract in host.tools().map(Tool::contract) {
            let value = serde_json::to_value(contract).expect("serializes");
            let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{}: {errors:?}", contract.name);
        }
    });
    let typo = serde_json::json!({"name": "a b", "version": "1"});
    assert!(!validator.is_valid(&typo), "the schema refuses what the host refuses");
}

#[test]
fn the_schema_a_model_is_shown_is_byte_for_byte_the_one_enforced() {
    on_one_thread(async {
        let desk = tempfile::tempdir().expect("a directory");
        let host = desk_host(desk.path(), []).await;
        for provider in [Provider::Anthropic, Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Bedrock] {
            let declared = provider.declare(host.tools().map(Tool::contract), Mode::Plain);
            assert_eq!(declared.warnings, []);
            let list: Vec<Value> = serde_json::from_str(&declared.json).expect("a list");
            assert_eq!(list.len(), host.tools().count(), "what is listed is what is dispatched");
            for tool in host.tools() {
                assert!(declared.json.contains(tool.contract().input.get()), "{}", tool.name());
            }
        }
    });
}

#[test]
fn the_example_configuration_reads_and_its_paths_are_there() {
    let file = repository().join("examples/toolgate.toml");
    let config = Config::parse(&std::fs::read_to_string(&file).expect("is there")).expect("reads");
    assert!(!config.tools.is_empty());
    let escapes = config.tools.iter().any(|tool| tool.path.is_absolute() || tool.path.starts_with(Path::new("..")));
    assert!(!escapes, "an example stays where it is");
}

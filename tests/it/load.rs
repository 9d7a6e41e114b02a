//! Load: a tool that breaks a rule is refused with its file and the rule, and nothing is half-loaded.

use std::borrow::Cow;

use toolgate::{BuildError, Host, LimitSettings, MAX_CALLS, ToolSource, with_contract};

use crate::support::{guests, host, on_one_thread, tool};

/// What a load of these says.
fn refused(sources: impl IntoIterator<Item = ToolSource>) -> String {
    on_one_thread(async {
        match Host::builder().tools(sources).build().await {
            Ok(host) => panic!("it loaded: {:?}", host.tools().map(toolgate::Tool::name).collect::<Vec<_>>()),
            Err(error) => error.to_string(),
        }
    })
}

fn says(source: ToolSource, parts: &[&str]) {
    let said = refused([source]);
    for part in parts {
        assert!(said.contains(part), "`{part}` in: {said}");
    }
}

fn bytes(file: &str, bytes: impl Into<Cow<'static, [u8]>>) -> ToolSource {
    ToolSource::new(file, bytes)
}

#[test]
fn a_file_that_is_no_component_is_said_to_be_what_it_is() {
    says(bytes("a.wasm", b"".as_slice()), &["load:not_component: a.wasm", "empty"]);
    says(bytes("a.wasm", b"#!/bin/sh\n".as_slice()), &["load:not_component: a.wasm", "does not start as"]);
    says(bytes("a.wasm", b"(component)".as_slice()), &["load:not_component", "WebAssembly text", "hint: "]);
    says(
        bytes("a.wasm", b"\0asm\x01\0\0\0".as_slice()),
        &["load:not_component", "core module", "hint: ", "wasm-component-ld"],
    );
    says(bytes("a.wasm", b"\0asm\x0d\0\x01\0".as_slice()), &["load:not_component", "exports no `toolgate:tool/tool`"]);
    says(bytes("a.wasm", vec![0; 33 << 20]), &["load:limit", "33 MiB"]);
}

/// A component that exports something else under the names of the interface.
fn named_like_a_tool(exports: &str) -> ToolSource {
    let text = format!(
        r#"(component
          (core module $m (memory (export "memory") 1)
            (func (export "nothing"))
            (func (export "text") (result i32) (loop (br 0)) (unreachable)))
          (core instance $i (instantiate $m))
          (func $nothing (canon lift (core func $i "nothing")))
          (func $contract (result string) (canon lift (core func $i "text") (memory $i "memory")))
          (instance $tool {exports})
          (export "toolgate:tool/tool@1.0.0" (instance $tool)))"#
    );
    bytes("a.wasm", wat::parse_str(text).expect("is a component"))
}

#[test]
fn a_component_whose_exports_only_have_the_right_names_is_refused_before_any_of_it_runs() {
    let contract = "load:not_component: a.wasm: it exports `toolgate:tool/tool` without `contract: func() -> string`";
    for exports in [
        "",
        r#"(export "contract" (func $nothing)) (export "call" (func $nothing))"#,
        r#"(export "contract" (core module $m)) (export "call" (func $nothing))"#,
    ] {
        says(named_like_a_tool(exports), &[contract, "hint: "]);
    }
    let call = "without `call: func(arguments: string) -> result<string, failure>`";
    for exports in [
        r#"(export "contract" (func $contract))"#,
        r#"(export "contract" (func $contract)) (export "call" (func $contract))"#,
        r#"(export "contract" (func $contract)) (export "call" (core module $m))"#,
    ] {
        says(named_like_a_tool(exports), &[call]);
    }
}

#[test]
fn an_import_that_nobody_can_have_is_refused_before_the_guest_is_asked_for_its_contract() {
    let text = r#"(component
      (import "wasi:sockets/instance-network@0.2.0" (instance))
      (core module $m (memory (export "memory") 1)
        (func (export "text") (result i32) (loop (br 0)) (unreachable)))
      (core instance $i (instantiate $m))
      (func $contract (result string) (canon lift (core func $i "text") (memory $i "memory")))
      (instance $tool (export "contract" (func $contract)))
      (export "toolgate:tool/tool@1.0.0" (instance $tool)))"#;
    let source = bytes("a.wasm", wat::parse_str(text).expect("is a component"));
    says(source, &["load:import: a.wasm", "wasi:sockets/instance-network"]);
}

#[test]
fn every_truncation_of_a_component_is_refused_and_none_runs() {
    let whole = guests::OK_ECHO;
    let step = whole.len() / 97;
    let mut sources = Vec::new();
    for cut in (0..whole.len()).step_by(step) {
        sources.push(bytes("cut.wasm", &whole[..cut]));
    }
    let n_cuts = sources.len();
    on_one_thread(async {
        match Host::builder().tools(sources).build().await {
            Err(BuildError::Tools(errors)) => assert_eq!(errors.len(), n_cuts),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn a_contract_is_read_from_a_guest_that_may_be_hostile() {
    says(tool("p.wasm", guests::CONTRACT_IS_NOT_JSON), &["load:contract: p.wasm", "does not read"]);
    says(
        tool("p.wasm", guests::CONTRACT_BAD_SCHEMA),
        &["load:schema: p.wasm", "its input schema: `type` at `/properties/text`", "\"strin\""],
    );
    says(tool("p.wasm", guests::CONTRACT_LEAVES_OBJECT_OPEN), &["load:open_object", "additionalProperties"]);
    says(tool("p.wasm", guests::CONTRACT_SPINS), &["load:contract", "`contract()` was stopped after"]);
    says(tool("p.wasm", guests::INIT_SPINS), &["load:contract", "`contract()` was stopped after"]);
}

#[test]
fn an_import_that_nobody_granted_is_named() {
    says(
        tool("p.wasm", guests::IMPORT_FILESYSTEM_UNASKED),
        &["load:import: p.wasm", "wasi:filesystem/preopens@", "hint: "],
    );
}

#[test]
fn two_tools_of_one_name_clash_and_nothing_is_loaded() {
    let said = refused([tool("first.wasm", guests::OK_ECHO), tool("second.wasm", guests::OK_ECHO)]);
    assert!(
        said.starts_with("load:collision: second.wasm: its name `echo` clashes with `echo` of first.wasm"),
        "{said}"
    );
}

#[test]
fn names_that_some_mapping_makes_equal_clash_too() {
    let renamed = |name: &str| {
        let contract = format!(
            r#"{{"name":"{name}","version":"1","description":"d","effects":"read",
               "input":{{"type":"object","additionalProperties":false}},"output":{{"type":"string"}}}}"#
        );
        bytes("b.wasm", with_contract(guests::OK_ECHO, &contract).expect("packs"))
    };
    for name in ["Echo", "ECHO", "echo_", "echo-"] {
        let said = refused([tool("a.wasm", guests::OK_ECHO), renamed(name)]);
        assert!(said.contains("load:collision: b.wasm"), "{said}");
    }
}

#[test]
fn every_refused_tool_is_named_not_only_the_first() {
    let said = refused([
        bytes("one.wasm", b"".as_slice()),
        tool("good.wasm", guests::OK_ECHO),
        tool("two.wasm", guests::CONTRACT_IS_NOT_JSON),
    ]);
    assert!(said.contains("one.wasm") && said.contains("two.wasm") && !said.contains("good.wasm"), "{said}");
}

#[test]
fn a_packed_contract_is_believed_without_running_the_guest() {
    on_one_thread(async {
        let contract = r#"{"name":"packed","version":"1","description":"d","effects":"read",
            "input":{"type":"object","additionalProperties":false},"output":{"type":"string"}}"#;
        let packed = with_contract(guests::CONTRACT_SPINS, contract).expect("packs");
        let host = host([bytes("packed.wasm", packed)]).await;
        assert_eq!(host.tools().map(toolgate::Tool::name).collect::<Vec<_>>(), ["packed"]);
        assert_eq!(host.stats().stores_created_at_load, 0);
    });
}

#[test]
fn a_contract_that_breaks_a_rule_is_named_by_it() {
    let packed = |from: &str, to: &str| {
        let contract = r#"{"name":"echo","version":"1","description":"d","effects":"read",
            "input":{"type":"object","additionalProperties":false},"output":{"type":"string"}}"#;
        bytes("p.wasm", with_contract(guests::OK_ECHO, &contract.replace(from, to)).expect("packs"))
    };
    for (from, to, code) in [
        (r#""echo""#, r#""a.b""#, "load:name"),
        (r#""read""#, r#""reads""#, "load:contract"),
        (r#""d""#, "\"d\u{202e}\"", "load:text"),
        (r#""read""#, r#""read","relations":[{"at":"/a","equals":"/b"}]"#, "load:relation"),
        (r#""read""#, r#""read","relations":[{"at":"","max_items":"/b"}]"#, "load:relation"),
        (r#""read""#, r#""read","relations":[{"at":"/a"}]"#, "load:relation"),
        (r#""read""#, r#""read","relations":[{"at":"/a","equal":"/b"}]"#, "load:contract"),
        (r#"{"type":"string"}"#, "{}", "load:schema"),
        (r#"{"type":"string"}"#, "true", "load:schema"),
        (r#"{"type":"string"}"#, r#"{"maxLength":10}"#, "load:schema"),
        (r#"{"type":"string"}"#, r#"{"$ref":"http://example.com/s.json"}"#, "load:schema_ref"),
        (r#"{"type":"string"}"#, r##"{"$ref":"#"}"##, "load:schema_cost"),
        (r#"{"type":"string"}"#, r#"{"type":"string","maxLenght":3}"#, "load:schema_keyword"),
        (r#"{"type":"string"}"#, r#"{"type":"string","type":"integer"}"#, "load:schema"),
        (r#"{"type":"string"}"#, r#"{"type":"string","description":"\u202e\udb40\udc41"}"#, "load:text"),
        (r#"{"type":"string"}"#, r#"{"type":"string","pattern":"(a"}"#, "load:pattern"),
        (r#"{"type":"string"}"#, r#"{"type":"string","pattern":"(?=a)"}"#, "load:pattern"),
        (r#"{"type":"object","additionalProperties":false}"#, r#"{"type":"string"}"#, "load:schema"),
        (r#""read""#, r#""read","may_be_empty":["/rows"]"#, "load:schema"),
        (r#""read""#, r#""read","capabilities":{"http":["example.com"]}"#, "load:grant"),
        (r#""read""#, r#""read","capabilities":{"fs":[{"path":"data","access":"read"}]}"#, "load:contract"),
        ("{\"name\"", "{} {\"name\"", "load:contract"),
    ] {
        says(packed(from, to), &[code, "p.wasm"]);
    }
}

#[test]
fn a_limit_beyond_what_the_host_gives_is_an_error_not_a_clamp() {
    let limits = LimitSettings { memory_bytes: Some(u64::MAX), ..LimitSettings::default() };
    says(tool("p.wasm", guests::OK_ECHO).limits(limits), &["load:policy", "memory_bytes", "hint: "]);
}

#[test]
fn more_unpacked_tools_than_the_pool_has_slots_are_loaded_or_refused_one_by_one() {
    let spinners = (0..MAX_CALLS + 8).map(|nth| tool(&format!("spins_{nth}.wasm"), guests::CONTRACT_SPINS));
    on_one_thread(async {
        let good = tool("z_good.wasm", guests::OK_ECHO);
        match Host::builder().tools(spinners.chain([good])).build().await {
            Err(BuildError::Tools(errors)) => {
                assert_eq!(errors.len(), MAX_CALLS + 8, "the good one is not among them");
                assert!(errors.iter().all(|error| error.to_string().contains("`contract()` was stopped after")));
            }
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn an_operators_output_schema_that_breaks_a_rule_is_named_with_the_rule() {
    let over = |text: &str| tool("p.wasm", guests::OK_ECHO).stricter_output(text);
    for (text, code, part) in [
        ("{}", "load:schema", "asks for nothing"),
        ("true", "load:schema", "asks for nothing"),
        ("{", "load:schema", "does not read"),
        (r#"{"maxLenght":3}"#, "load:schema_keyword", "`maxLength`"),
        (r#"{"$ref":"other.json"}"#, "load:schema_ref", "other.json"),
        (r#"{"properties":{"txt":{"maxLength":3}}}"#, "load:schema", "names `txt`, a key"),
        (r#"{"required":["txt"]}"#, "load:schema", "names `txt`, a key"),
    ] {
        says(over(text), &[code, "p.wasm", "the operator's output schema (", part]);
    }
}

//! Rows for the document: a declaration, and the whole contract it has to become.

#![expect(dead_code, reason = "the types here are described, never made")]

use super::*;
use crate::declaration::Capabilities;

#[derive(JsonSchema)]
struct Input {
    sku: String,
}

#[derive(JsonSchema)]
struct Output {
    rows: Vec<bool>,
}

fn check(declaration: Declaration, expected: &Value) {
    let got = document::<Input, Output>(&declaration).expect("the input is an object");
    let mut whole = json!({
        "input": {
            "type": "object",
            "properties": { "sku": { "type": "string" } },
            "required": ["sku"],
            "additionalProperties": false
        },
        "output": {
            "type": "object",
            "properties": { "rows": { "type": "array", "items": { "type": "boolean" } } },
            "required": ["rows"],
            "additionalProperties": false
        }
    });
    for (key, value) in expected.as_object().expect("every row is an object") {
        whole[key] = value.clone();
    }
    assert_eq!(got, whole, "\n--- got\n{got:#}\n--- expected\n{whole:#}");
}

#[test]
fn what_is_left_at_its_default_is_left_out() {
    check(
        Declaration { name: "look", version: "1.2.0", description: "Looks.", ..Declaration::read() },
        &json!({ "name": "look", "version": "1.2.0", "description": "Looks.", "effects": "read" }),
    );
}

#[test]
fn everything_that_can_be_said_has_its_key() {
    const RELATIONS: &[Relation] = &[Relation::max_items("/rows", "/limit"), Relation::equals("/sku", "/sku")];
    const DIRECTORIES: &[Directory] = &[
        Directory { path: "/desk", access: Access::ReadWrite, reason: "tickets are kept there" },
        Directory { path: "/data", access: Access::ReadOnly, reason: "tables are read there" },
    ];
    check(
        Declaration {
            name: "file",
            version: "0.1.0",
            title: Some("File it"),
            description: "Files.",
            limits: Limits { fuel: Some(1), time_ms: Some(2), memory_bytes: Some(3), result_bytes: Some(4) },
            capabilities: Capabilities { fs: DIRECTORIES },
            may_be_empty: &["/rows"],
            repeatable: true,
            relations: RELATIONS,
            ..Declaration::write()
        },
        &json!({
            "name": "file",
            "version": "0.1.0",
            "title": "File it",
            "description": "Files.",
            "effects": "write",
            "limits": { "fuel": 1, "time_ms": 2, "memory_bytes": 3, "result_bytes": 4 },
            "capabilities": {
                "fs": [
                    { "path": "/desk", "access": "read-write", "reason": "tickets are kept there" },
                    { "path": "/data", "access": "read", "reason": "tables are read there" }
                ]
            },
            "may_be_empty": ["/rows"],
            "repeatable": true,
            "relations": [{ "at": "/rows", "max_items": "/limit" }, { "at": "/sku", "equals": "/sku" }]
        }),
    );
}

#[test]
fn a_limit_that_is_not_asked_for_is_left_out() {
    check(
        Declaration {
            name: "look",
            version: "1.2.0",
            description: "Looks.",
            limits: Limits { time_ms: Some(20), ..Limits::none() },
            ..Declaration::read()
        },
        &json!({ "name": "look", "version": "1.2.0", "description": "Looks.", "effects": "read", "limits": { "time_ms": 20 } }),
    );
}

#[test]
fn an_input_that_is_no_object_is_no_contract() {
    let declaration = Declaration { name: "look", version: "1.2.0", description: "Looks.", ..Declaration::read() };
    let refusal = document::<Vec<bool>, Output>(&declaration).expect_err("a list has no named fields");
    assert!(refusal.starts_with("its input must be an object"), "{refusal}");
}

//! Rows for the transform: a Rust type, and the whole schema it has to become.

#![expect(dead_code, reason = "the types here are described, never made")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;

fn check_input<T: JsonSchema>(expected: Value) {
    let got = input::<T>();
    assert_eq!(got, expected, "\n--- got\n{got:#}\n--- expected\n{expected:#}");
}

fn check_output<T: JsonSchema>(expected: Value) {
    let got = output::<T>();
    assert_eq!(got, expected, "\n--- got\n{got:#}\n--- expected\n{expected:#}");
}

/// Where the goods lie.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Region {
    /// The port.
    Busan,
    /// The island.
    Jeju,
    Seoul,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Plain {
    Low,
    High,
}

#[test]
fn objects_are_closed_at_every_level() {
    #[derive(JsonSchema)]
    struct Row {
        sku: String,
    }
    #[derive(JsonSchema)]
    struct Input {
        /// What to look for.
        first: Row,
        rest: Vec<Row>,
    }
    let row = json!({
        "type": "object",
        "properties": { "sku": { "type": "string" } },
        "required": ["sku"],
        "additionalProperties": false
    });
    let mut first = row.clone();
    first["description"] = "What to look for.".into();
    check_input::<Input>(json!({
        "type": "object",
        "properties": { "first": first, "rest": { "type": "array", "items": row } },
        "required": ["first", "rest"],
        "additionalProperties": false
    }));
}

#[test]
fn an_object_without_fields_is_closed_and_says_that_it_has_none() {
    #[derive(JsonSchema)]
    struct Input {}
    check_input::<Input>(json!({ "type": "object", "properties": {}, "additionalProperties": false }));
}

#[test]
fn a_free_map_and_an_object_opened_on_purpose_stay_open() {
    #[derive(JsonSchema)]
    #[schemars(extend("additionalProperties" = true))]
    struct Open {
        known: bool,
    }
    #[derive(JsonSchema)]
    struct Input {
        counts: BTreeMap<String, bool>,
        anything: Map<String, Value>,
        open: Open,
        any: Value,
    }
    check_input::<Input>(json!({
        "type": "object",
        "properties": {
            "counts": { "type": "object", "additionalProperties": { "type": "boolean" } },
            "anything": { "type": "object", "additionalProperties": true },
            "open": {
                "type": "object",
                "properties": { "known": { "type": "boolean" } },
                "required": ["known"],
                "additionalProperties": true
            },
            "any": true
        },
        "required": ["counts", "anything", "open", "any"],
        "additionalProperties": false
    }));
}

#[test]
fn a_flattened_struct_gives_its_fields_to_one_closed_object() {
    #[derive(JsonSchema)]
    struct Page {
        limit: u8,
    }
    #[derive(JsonSchema)]
    struct Input {
        sku: String,
        #[serde(flatten)]
        page: Page,
    }
    check_input::<Input>(json!({
        "type": "object",
        "properties": {
            "sku": { "type": "string" },
            "limit": { "type": "integer", "minimum": 0, "maximum": 255 }
        },
        "required": ["sku", "limit"],
        "additionalProperties": false
    }));
}

#[test]
fn a_flattened_choice_is_closed_once_outside_its_branches() {
    #[derive(JsonSchema)]
    #[serde(tag = "by", rename_all = "snake_case")]
    enum Key {
        Sku { sku: String },
        Name { name: String },
    }
    #[derive(JsonSchema)]
    struct Input {
        exact: bool,
        #[serde(flatten)]
        key: Key,
    }
    check_input::<Input>(json!({
        "type": "object",
        "properties": { "exact": { "type": "boolean" } },
        "required": ["exact"],
        "oneOf": [
            {
                "type": "object",
                "properties": { "by": { "type": "string", "const": "sku" }, "sku": { "type": "string" } },
                "required": ["by", "sku"]
            },
            {
                "type": "object",
                "properties": { "by": { "type": "string", "const": "name" }, "name": { "type": "string" } },
                "required": ["by", "name"]
            }
        ],
        "unevaluatedProperties": false
    }));
}

#[test]
fn a_choice_inside_a_value_is_closed_branch_by_branch() {
    #[derive(JsonSchema)]
    #[serde(untagged)]
    enum Amount {
        Cents { cents: bool },
        Free {},
        Text(String),
    }
    #[derive(JsonSchema)]
    struct Input {
        amount: Amount,
    }
    check_input::<Input>(json!({
        "type": "object",
        "properties": {
            "amount": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": { "cents": { "type": "boolean" } },
                        "required": ["cents"],
                        "additionalProperties": false
                    },
                    { "type": "object", "properties": {}, "additionalProperties": false },
                    { "type": "string" }
                ]
            }
        },
        "required": ["amount"],
        "additionalProperties": false
    }));
}

#[test]
fn a_choice_at_the_root_says_there_that_it_is_an_object() {
    #[derive(JsonSchema)]
    #[serde(tag = "do", rename_all = "snake_case")]
    enum Input {
        Stop,
        Go { far: bool },
    }
    check_input::<Input>(json!({
        "type": "object",
        "oneOf": [
            { "type": "object", "properties": { "do": { "type": "string", "const": "stop" } }, "required": ["do"] },
            {
                "type": "object",
                "properties": { "do": { "type": "string", "const": "go" }, "far": { "type": "boolean" } },
                "required": ["do", "far"]
            }
        ],
        "unevaluatedProperties": false
    }));
}

#[test]
fn documented_variants_are_one_enum() {
    #[derive(JsonSchema)]
    struct Input {
        region: Region,
        /// Where to look.
        other: Region,
        plain: Plain,
    }
    let lines = "- `busan`: The port.\n- `jeju`: The island.";
    let values = json!(["seoul", "busan", "jeju"]);
    check_input::<Input>(json!({
        "type": "object",
        "properties": {
            "region": { "type": "string", "enum": values, "description": format!("Where the goods lie.\n{lines}") },
            "other": { "type": "string", "enum": values, "description": format!("Where to look.\n{lines}") },
            "plain": { "type": "string", "enum": ["low", "high"] }
        },
        "required": ["region", "other", "plain"],
        "additionalProperties": false
    }));
}

#[test]
fn an_optional_field_is_absent_and_never_null() {
    #[derive(JsonSchema)]
    struct Input {
        text: Option<String>,
        /// Where to look.
        region: Option<Region>,
        plain: Option<Plain>,
        #[serde(default)]
        defaulted: Option<bool>,
        elements: Vec<Option<bool>>,
    }
    check_input::<Input>(json!({
        "type": "object",
        "properties": {
            "text": { "type": "string" },
            "region": {
                "type": "string",
                "enum": ["seoul", "busan", "jeju"],
                "description": "Where to look.\n- `busan`: The port.\n- `jeju`: The island."
            },
            "plain": { "type": "string", "enum": ["low", "high"] },
            "defaulted": { "type": "boolean" },
            "elements": { "type": "array", "items": { "type": ["boolean", "null"] } }
        },
        "required": ["elements"],
        "additionalProperties": false
    }));
}

#[test]
fn a_result_keeps_the_null_that_serde_writes_and_no_other() {
    #[derive(Serialize, JsonSchema)]
    struct Output {
        written: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        skipped: Option<bool>,
    }
    check_output::<Output>(json!({
        "type": "object",
        "properties": { "written": { "type": ["boolean", "null"] }, "skipped": { "type": "boolean" } },
        "required": ["written"],
        "additionalProperties": false
    }));
    let nothing = serde_json::to_value(Output { written: None, skipped: None }).expect("plain values are JSON");
    assert_eq!(nothing, json!({ "written": null }));
}

#[test]
fn numbers_keep_their_range_and_lose_formats_that_no_validator_knows() {
    #[derive(JsonSchema)]
    struct Input {
        a_u32: u32,
        an_i32: i32,
        a_u64: u64,
        an_i64: i64,
        an_f64: f64,
        #[schemars(range(min = 1, max = 2))]
        ranged: u32,
        #[schemars(extend("format" = "date"))]
        date: String,
    }
    check_input::<Input>(json!({
        "type": "object",
        "properties": {
            "a_u32": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 },
            "an_i32": { "type": "integer", "minimum": -2_147_483_648, "maximum": 2_147_483_647 },
            "a_u64": { "type": "integer", "minimum": 0 },
            "an_i64": { "type": "integer" },
            "an_f64": { "type": "number" },
            "ranged": { "type": "integer", "minimum": 1, "maximum": 2 },
            "date": { "type": "string", "format": "date" }
        },
        "required": ["a_u32", "an_i32", "a_u64", "an_i64", "an_f64", "ranged", "date"],
        "additionalProperties": false
    }));
}

#[test]
fn a_field_named_like_a_keyword_is_a_field() {
    #[derive(JsonSchema)]
    struct Input {
        properties: bool,
        items: Option<bool>,
        format: u64,
    }
    check_input::<Input>(json!({
        "type": "object",
        "properties": {
            "properties": { "type": "boolean" },
            "items": { "type": "boolean" },
            "format": { "type": "integer", "minimum": 0 }
        },
        "required": ["properties", "format"],
        "additionalProperties": false
    }));
}

#[test]
fn a_recursive_type_stays_a_reference_and_is_closed_where_it_is_defined() {
    #[derive(JsonSchema)]
    struct Node {
        next: Option<Box<Self>>,
    }
    #[derive(JsonSchema)]
    struct Input {
        first: Node,
    }
    let node = json!({
        "type": "object",
        "properties": { "next": { "$ref": "#/$defs/Node" } },
        "additionalProperties": false
    });
    check_input::<Input>(json!({
        "type": "object",
        "properties": { "first": node },
        "required": ["first"],
        "additionalProperties": false,
        "$defs": { "Node": node }
    }));
}

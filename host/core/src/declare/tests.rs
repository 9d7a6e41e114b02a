//! Declarations held against the rules they are made by: no keyword that a provider refuses, nothing refused that the
//! declared schema takes, and whole declarations as they are sent.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::profile::{Column, MinItems, Null, Objects, OptionalKeys, Profile, Tuples, Untyped};
use super::{Declarations, Mode, Provider, parts, profile};
use crate::contract::Contract;
use crate::schema::{Schema, SchemaError};

/// What a target takes: each provider's forms.
const COLUMNS: [(&str, &Column); 7] = [
    ("anthropic", &profile::ANTHROPIC),
    ("anthropic strict", &profile::ANTHROPIC_STRICT),
    ("openai", &profile::OPENAI),
    ("openai strict", &profile::OPENAI_STRICT),
    ("gemini", &profile::GEMINI),
    ("gemini-api", &profile::GEMINI_API),
    ("bedrock strict", &profile::BEDROCK_STRICT),
];

/// A contract with this input schema.
fn contract(name: &str, input: &Value) -> Contract {
    let contract = json!({
        "name": name, "version": "1.0.0", "description": "A test.", "effects": "read", "input": input,
        "output": {"type": "object", "additionalProperties": false},
    });
    Contract::parse(contract.to_string().as_bytes()).expect("reads")
}

fn declare(provider: Provider, mode: Mode, input: &Value) -> Declarations {
    provider.declare([&contract("tested", input)], mode)
}

/// The schema of the only tool.
fn schema_of(provider: Provider, declared: &Declarations) -> Value {
    let list: Value = serde_json::from_str(&declared.json).expect("JSON");
    let at = match provider {
        Provider::Anthropic => "/0/input_schema",
        Provider::OpenAiChat | Provider::Mistral => "/0/function/parameters",
        Provider::OpenAiResponses => "/0/parameters",
        Provider::Gemini => "/0/functionDeclarations/0/parametersJsonSchema",
        Provider::GeminiApi => "/0/functionDeclarations/0/parameters",
        Provider::Bedrock => "/0/toolSpec/inputSchema/json",
    };
    list.pointer(at).cloned().unwrap_or_else(|| json!({"type": "object"}))
}

fn warnings(declared: &Declarations) -> Vec<String> {
    declared.warnings.iter().map(ToString::to_string).collect()
}

fn stock_lookup() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["sku", "region", "limit"],
        "properties": {
            "sku": {"type": "string"},
            "region": {"enum": ["busan", "jeju", "seoul"], "type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 2},
        },
    })
}

/// The schema with something changed.
fn changed(mut schema: Value, change: impl FnOnce(&mut Value)) -> Value {
    change(&mut schema);
    schema
}

#[test]
fn stock_lookup_is_what_each_provider_takes_of_it() {
    let open = changed(stock_lookup(), |schema| {
        schema.as_object_mut().expect("an object").remove("additionalProperties");
    });
    let said = changed(stock_lookup(), |schema| {
        schema["properties"]["limit"] = json!({"type": "integer", "description": "(minimum 1, maximum 2)"});
    });
    for (provider, mode, expected) in [
        (Provider::Anthropic, Mode::Plain, stock_lookup()),
        (Provider::Anthropic, Mode::Strict, said.clone()),
        (Provider::OpenAiChat, Mode::Plain, stock_lookup()),
        (Provider::OpenAiChat, Mode::Strict, stock_lookup()),
        (Provider::OpenAiResponses, Mode::Plain, stock_lookup()),
        (Provider::OpenAiResponses, Mode::Strict, stock_lookup()),
        (Provider::Gemini, Mode::Plain, stock_lookup()),
        (Provider::GeminiApi, Mode::Plain, open),
        (Provider::Bedrock, Mode::Plain, stock_lookup()),
        (Provider::Bedrock, Mode::Strict, said),
        (Provider::Mistral, Mode::Plain, stock_lookup()),
    ] {
        let declared = declare(provider, mode, &stock_lookup());
        assert_eq!(schema_of(provider, &declared), expected, "{provider} {mode:?}");
        assert_eq!(declared.warnings, [], "{provider} {mode:?}");
        assert_eq!(declared.tools[0].strict, mode == Mode::Strict, "{provider} {mode:?}");
        assert_eq!(declared, declare(provider, mode, &stock_lookup()), "the same bytes again");
    }
}

/// A schema with every keyword, closed everywhere, so that strict forms take it.
fn every_keyword() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "T", "$comment": "c",
        "type": "object", "unevaluatedProperties": false, "minProperties": 1, "maxProperties": 40,
        "required": ["kind", "text"],
        "properties": {
            "text": {"type": "string", "title": "t", "description": "A text.", "minLength": 1, "maxLength": 9, "pattern": "^[a-z]+\\b", "examples": ["a"]},
            "day": {"type": "string", "format": "date", "default": "2026-01-01"},
            "link": {"type": "string", "format": "uri-reference"},
            "count": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10, "multipleOf": 2},
            "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "fixed": {"const": 7},
            "mixed": {"enum": ["a", 1, null, true]},
            "maybe": {"type": ["string", "null"], "maxLength": 3},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 5, "uniqueItems": true, "contains": {"const": "a"}, "minContains": 1, "maxContains": 2},
            "one": {"type": "array", "prefixItems": [{"type": "integer"}], "items": false},
            "either": {"description": "One of two.", "oneOf": [{"type": "string"}, {"type": "integer", "minimum": 1}]},
            "both": {"allOf": [{"type": "integer", "minimum": 1}, {"minimum": 3, "maximum": 9}]},
            "odd": {"type": "integer", "not": {"const": 4}, "if": {"minimum": 5}, "then": {"multipleOf": 5}, "else": {"maximum": 3}},
            "place": {"$ref": "#/$defs/place", "description": "Where."},
            "never": false,
        },
        "oneOf": [
            {"properties": {"kind": {"const": "short"}}},
            {"properties": {"kind": {"const": "long"}, "more": {"type": "string"}}, "required": ["more"]},
        ],
        "dependentRequired": {"day": ["link"]},
        "$defs": {"place": {"type": "object", "additionalProperties": false, "required": ["x"], "properties": {
            "x": {"type": "integer"}, "name": {"type": "string", "description": "Its name."},
        }}},
    })
}

/// The declaration and what was said beside it: the envelope, and each member and property of the schema on its line.
fn shown(provider: Provider, mode: Mode, input: &Value) -> String {
    let declared = declare(provider, mode, input);
    let mut schema = schema_of(provider, &declared);
    let text = serde_json::to_string(&schema).expect("serializes");
    let mut lines = vec![declared.json.replace(&text, "SCHEMA")];
    let properties = schema.as_object_mut().and_then(|schema| schema.remove("properties")).unwrap_or_default();
    for (of, members) in [("", &schema), ("properties/", &properties)] {
        let members = members.as_object().into_iter().flatten();
        lines.extend(members.map(|(key, member)| format!("{of}{key}: {member}")));
    }
    lines.extend(warnings(&declared).iter().map(|warning| format!("warning: {warning}")));
    lines.extend(declared.tools[0].nulls.iter().map(|place| format!("null: {place}")));
    lines.join("\n")
}

#[test]
fn every_keyword_in_the_declarations_of_anthropic() {
    insta::assert_snapshot!(shown(Provider::Anthropic, Mode::Plain, &every_keyword()), @r##"
    [
      {
        "name": "tested",
        "description": "A test. (oneOf [{\"properties\":{\"kind\":{\"const\":\"short\"}}},{\"properties\":{\"kind\":{\"const\":\"long\"},\"more\":{\"type\":\"string\"}},\"required\":[\"more\"]}])",
        "input_schema": SCHEMA,
        "strict": false
      }
    ]
    $defs: {"place":{"additionalProperties":false,"properties":{"name":{"description":"Its name.","type":"string"},"x":{"type":"integer"}},"required":["x"],"type":"object"}}
    additionalProperties: false
    dependentRequired: {"day":["link"]}
    maxProperties: 40
    minProperties: 1
    required: ["kind","text"]
    type: "object"
    properties/both: {"allOf":[{"minimum":1,"type":"integer"},{"maximum":9,"minimum":3}]}
    properties/count: {"exclusiveMaximum":10,"exclusiveMinimum":0,"multipleOf":2,"type":"integer"}
    properties/day: {"default":"2026-01-01","format":"date","type":"string"}
    properties/either: {"description":"One of two.","oneOf":[{"type":"string"},{"minimum":1,"type":"integer"}]}
    properties/fixed: {"const":7}
    properties/kind: {"enum":["short","long"]}
    properties/link: {"format":"uri-reference","type":"string"}
    properties/maybe: {"maxLength":3,"type":["string","null"]}
    properties/mixed: {"enum":["a",1,null,true]}
    properties/more: {"type":"string"}
    properties/never: false
    properties/odd: {"else":{"maximum":3},"if":{"minimum":5},"not":{"const":4},"then":{"multipleOf":5},"type":"integer"}
    properties/one: {"items":false,"prefixItems":[{"type":"integer"}],"type":"array"}
    properties/place: {"$ref":"#/$defs/place","description":"Where."}
    properties/share: {"exclusiveMinimum":0,"maximum":1,"type":"number"}
    properties/tags: {"contains":{"const":"a"},"items":{"type":"string"},"maxContains":2,"maxItems":5,"minContains":1,"minItems":2,"type":"array","uniqueItems":true}
    properties/text: {"description":"A text.","maxLength":9,"minLength":1,"pattern":"^[a-z]+\\b","type":"string"}
    "##);
    insta::assert_snapshot!(shown(Provider::Anthropic, Mode::Strict, &every_keyword()), @r#"
    [
      {
        "name": "tested",
        "description": "A test. (minProperties 1, maxProperties 40, dependentRequired {\"day\":[\"link\"]}, oneOf [{\"properties\":{\"kind\":{\"const\":\"short\"}}},{\"properties\":{\"kind\":{\"const\":\"long\"},\"more\":{\"type\":\"string\"}},\"required\":[\"more\"]}])",
        "input_schema": SCHEMA,
        "strict": true
      }
    ]
    additionalProperties: false
    required: ["kind","text"]
    type: "object"
    properties/both: {"description":"(minimum 3, maximum 9)","type":"integer"}
    properties/count: {"description":"(exclusiveMinimum 0, exclusiveMaximum 10, multipleOf 2)","type":"integer"}
    properties/day: {"format":"date","type":"string"}
    properties/either: {"anyOf":[{"type":"string"},{"description":"(minimum 1)","type":"integer"}],"description":"One of two."}
    properties/fixed: {"enum":[7],"type":"integer"}
    properties/kind: {"enum":["short","long"],"type":"string"}
    properties/link: {"description":"(format \"uri-reference\")","type":"string"}
    properties/maybe: {"description":"(maxLength 3)","type":["string","null"]}
    properties/mixed: {"enum":["a",1,null,true],"type":["string","integer","boolean","null"]}
    properties/more: {"type":"string"}
    properties/odd: {"description":"(not {\"const\":4}, if {\"minimum\":5} then {\"multipleOf\":5} else {\"maximum\":3})","type":"integer"}
    properties/one: {"description":"(prefixItems [{\"type\":\"integer\"}], maxItems 1)","items":{"type":"integer"},"type":"array"}
    properties/place: {"additionalProperties":false,"description":"Where.","properties":{"name":{"description":"Its name.","type":"string"},"x":{"type":"integer"}},"required":["x"],"type":"object"}
    properties/share: {"description":"(exclusiveMinimum 0, maximum 1)","type":"number"}
    properties/tags: {"description":"(minItems 2, maxItems 5, uniqueItems true, contains {\"const\":\"a\"}, minContains 1, maxContains 2)","items":{"type":"string"},"type":"array"}
    properties/text: {"description":"A text. (minLength 1, maxLength 9, pattern \"^[a-z]+\\\\b\")","type":"string"}
    "#);
}

#[test]
fn every_keyword_in_the_declarations_of_openai() {
    insta::assert_snapshot!(shown(Provider::OpenAiChat, Mode::Plain, &every_keyword()), @r##"
    [
      {
        "type": "function",
        "function": {
          "name": "tested",
          "description": "A test. (oneOf [{\"properties\":{\"kind\":{\"const\":\"short\"}}},{\"properties\":{\"kind\":{\"const\":\"long\"},\"more\":{\"type\":\"string\"}},\"required\":[\"more\"]}])",
          "parameters": SCHEMA,
          "strict": false
        }
      }
    ]
    $defs: {"place":{"additionalProperties":false,"properties":{"name":{"description":"Its name.","type":"string"},"x":{"type":"integer"}},"required":["x"],"type":"object"}}
    additionalProperties: false
    dependentRequired: {"day":["link"]}
    maxProperties: 40
    minProperties: 1
    required: ["kind","text"]
    type: "object"
    properties/both: {"allOf":[{"minimum":1,"type":"integer"},{"maximum":9,"minimum":3}]}
    properties/count: {"exclusiveMaximum":10,"exclusiveMinimum":0,"multipleOf":2,"type":"integer"}
    properties/day: {"default":"2026-01-01","format":"date","type":"string"}
    properties/either: {"description":"One of two.","oneOf":[{"type":"string"},{"minimum":1,"type":"integer"}]}
    properties/fixed: {"const":7}
    properties/kind: {"enum":["short","long"]}
    properties/link: {"format":"uri-reference","type":"string"}
    properties/maybe: {"maxLength":3,"type":["string","null"]}
    properties/mixed: {"enum":["a",1,null,true]}
    properties/more: {"type":"string"}
    properties/never: false
    properties/odd: {"else":{"maximum":3},"if":{"minimum":5},"not":{"const":4},"then":{"multipleOf":5},"type":"integer"}
    properties/one: {"items":false,"prefixItems":[{"type":"integer"}],"type":"array"}
    properties/place: {"$ref":"#/$defs/place","description":"Where."}
    properties/share: {"exclusiveMinimum":0,"maximum":1,"type":"number"}
    properties/tags: {"contains":{"const":"a"},"items":{"type":"string"},"maxContains":2,"maxItems":5,"minContains":1,"minItems":2,"type":"array","uniqueItems":true}
    properties/text: {"description":"A text.","maxLength":9,"minLength":1,"pattern":"^[a-z]+\\b","type":"string"}
    "##);
    insta::assert_snapshot!(shown(Provider::OpenAiResponses, Mode::Strict, &every_keyword()), @r#"
    [
      {
        "type": "function",
        "name": "tested",
        "description": "A test. (minProperties 1, maxProperties 40, dependentRequired {\"day\":[\"link\"]}, oneOf [{\"properties\":{\"kind\":{\"const\":\"short\"}}},{\"properties\":{\"kind\":{\"const\":\"long\"},\"more\":{\"type\":\"string\"}},\"required\":[\"more\"]}])",
        "parameters": SCHEMA,
        "strict": true
      }
    ]
    additionalProperties: false
    required: ["kind","text","both","count","day","either","fixed","link","maybe","mixed","more","odd","one","place","share","tags"]
    type: "object"
    properties/both: {"maximum":9,"minimum":3,"type":["integer","null"]}
    properties/count: {"exclusiveMaximum":10,"exclusiveMinimum":0,"multipleOf":2,"type":["integer","null"]}
    properties/day: {"format":"date","type":["string","null"]}
    properties/either: {"anyOf":[{"type":"string"},{"minimum":1,"type":"integer"},{"type":"null"}],"description":"One of two."}
    properties/fixed: {"enum":[7,null],"type":["integer","null"]}
    properties/kind: {"enum":["short","long"],"type":"string"}
    properties/link: {"description":"(format \"uri-reference\")","type":["string","null"]}
    properties/maybe: {"description":"(maxLength 3)","type":["string","null"]}
    properties/mixed: {"enum":["a",1,null,true],"type":["string","integer","boolean","null"]}
    properties/more: {"type":["string","null"]}
    properties/odd: {"description":"(not {\"const\":4}, if {\"minimum\":5} then {\"multipleOf\":5} else {\"maximum\":3})","type":["integer","null"]}
    properties/one: {"items":{"type":"integer"},"maxItems":1,"type":["array","null"]}
    properties/place: {"additionalProperties":false,"description":"Where.","properties":{"name":{"description":"Its name.","type":["string","null"]},"x":{"type":"integer"}},"required":["x","name"],"type":["object","null"]}
    properties/share: {"exclusiveMinimum":0,"maximum":1,"type":["number","null"]}
    properties/tags: {"description":"(uniqueItems true, contains {\"const\":\"a\"}, minContains 1, maxContains 2)","items":{"type":"string"},"maxItems":5,"minItems":2,"type":["array","null"]}
    properties/text: {"description":"A text. (minLength 1, maxLength 9)","pattern":"^[a-z]+\\b","type":"string"}
    null: both
    null: count
    null: day
    null: either
    null: fixed
    null: link
    null: more
    null: odd
    null: one
    null: place.name
    null: place
    null: share
    null: tags
    "#);
}

#[test]
fn every_keyword_in_the_declarations_of_gemini() {
    insta::assert_snapshot!(shown(Provider::Gemini, Mode::Plain, &every_keyword()), @r#"
    [
      {
        "functionDeclarations": [
          {
            "name": "tested",
            "description": "A test. (minProperties 1, maxProperties 40, dependentRequired {\"day\":[\"link\"]}, oneOf [{\"properties\":{\"kind\":{\"const\":\"short\"}}},{\"properties\":{\"kind\":{\"const\":\"long\"},\"more\":{\"type\":\"string\"}},\"required\":[\"more\"]}])",
            "parametersJsonSchema": SCHEMA
          }
        ]
      }
    ]
    additionalProperties: false
    required: ["kind","text"]
    type: "object"
    properties/both: {"maximum":9,"minimum":3,"type":"integer"}
    properties/count: {"description":"(multipleOf 2)","maximum":9,"minimum":1,"type":"integer"}
    properties/day: {"description":"(format \"date\")","type":"string"}
    properties/either: {"anyOf":[{"type":"string"},{"minimum":1,"type":"integer"}],"description":"One of two."}
    properties/fixed: {"enum":[7],"type":"integer"}
    properties/kind: {"enum":["short","long"],"type":"string"}
    properties/link: {"description":"(format \"uri-reference\")","type":"string"}
    properties/maybe: {"description":"(maxLength 3)","type":["string","null"]}
    properties/mixed: {"description":"(enum [\"a\",1,null,true])","type":["string","integer","boolean","null"]}
    properties/more: {"type":"string"}
    properties/odd: {"description":"(not {\"const\":4}, if {\"minimum\":5} then {\"multipleOf\":5} else {\"maximum\":3})","type":"integer"}
    properties/one: {"items":{},"maxItems":1,"prefixItems":[{"type":"integer"}],"type":"array"}
    properties/place: {"additionalProperties":false,"description":"Where.","properties":{"name":{"description":"Its name.","type":"string"},"x":{"type":"integer"}},"required":["x"],"type":"object"}
    properties/share: {"description":"(exclusiveMinimum 0)","maximum":1,"type":"number"}
    properties/tags: {"description":"(uniqueItems true, contains {\"const\":\"a\"}, minContains 1, maxContains 2)","items":{"type":"string"},"maxItems":5,"minItems":2,"type":"array"}
    properties/text: {"description":"A text. (minLength 1, maxLength 9, pattern \"^[a-z]+\\\\b\")","type":"string"}
    "#);
    insta::assert_snapshot!(shown(Provider::GeminiApi, Mode::Plain, &every_keyword()), @r#"
    [
      {
        "functionDeclarations": [
          {
            "name": "tested",
            "description": "A test. (dependentRequired {\"day\":[\"link\"]}, oneOf [{\"properties\":{\"kind\":{\"const\":\"short\"}}},{\"properties\":{\"kind\":{\"const\":\"long\"},\"more\":{\"type\":\"string\"}},\"required\":[\"more\"]}])",
            "parameters": SCHEMA
          }
        ]
      }
    ]
    maxProperties: 40
    minProperties: 1
    required: ["kind","text"]
    type: "object"
    properties/both: {"maximum":9,"minimum":3,"type":"integer"}
    properties/count: {"description":"(multipleOf 2)","maximum":9,"minimum":1,"type":"integer"}
    properties/day: {"format":"date","type":"string"}
    properties/either: {"anyOf":[{"type":"string"},{"minimum":1,"type":"integer"}],"description":"One of two."}
    properties/fixed: {"description":"(enum [7])","type":"integer"}
    properties/kind: {"enum":["short","long"],"type":"string"}
    properties/link: {"description":"(format \"uri-reference\")","type":"string"}
    properties/maybe: {"maxLength":3,"nullable":true,"type":"string"}
    properties/mixed: {"anyOf":[{"enum":["a"],"type":"string"},{"type":"integer"},{"type":"boolean"}],"description":"(enum [1], enum [true])","nullable":true}
    properties/more: {"type":"string"}
    properties/odd: {"description":"(not {\"const\":4}, if {\"minimum\":5} then {\"multipleOf\":5} else {\"maximum\":3})","type":"integer"}
    properties/one: {"description":"(prefixItems [{\"type\":\"integer\"}])","items":{"type":"integer"},"maxItems":1,"type":"array"}
    properties/place: {"description":"Where.","properties":{"name":{"description":"Its name.","type":"string"},"x":{"type":"integer"}},"required":["x"],"type":"object"}
    properties/share: {"description":"(exclusiveMinimum 0)","maximum":1,"type":"number"}
    properties/tags: {"description":"(uniqueItems true, contains {\"const\":\"a\"}, minContains 1, maxContains 2)","items":{"type":"string"},"maxItems":5,"minItems":2,"type":"array"}
    properties/text: {"description":"A text.","maxLength":9,"minLength":1,"pattern":"^[a-z]+\\b","type":"string"}
    "#);
}

#[test]
fn every_keyword_in_the_declarations_of_bedrock_and_mistral() {
    insta::assert_snapshot!(shown(Provider::Bedrock, Mode::Strict, &every_keyword()), @r#"
    [
      {
        "toolSpec": {
          "name": "tested",
          "description": "A test. (minProperties 1, maxProperties 40, dependentRequired {\"day\":[\"link\"]}, oneOf [{\"properties\":{\"kind\":{\"const\":\"short\"}}},{\"properties\":{\"kind\":{\"const\":\"long\"},\"more\":{\"type\":\"string\"}},\"required\":[\"more\"]}])",
          "inputSchema": {
            "json": SCHEMA
          },
          "strict": true
        }
      }
    ]
    additionalProperties: false
    required: ["kind","text"]
    type: "object"
    properties/both: {"description":"(minimum 3, maximum 9)","type":"integer"}
    properties/count: {"description":"(exclusiveMinimum 0, exclusiveMaximum 10, multipleOf 2)","type":"integer"}
    properties/day: {"format":"date","type":"string"}
    properties/either: {"anyOf":[{"type":"string"},{"description":"(minimum 1)","type":"integer"}],"description":"One of two."}
    properties/fixed: {"enum":[7],"type":"integer"}
    properties/kind: {"enum":["short","long"],"type":"string"}
    properties/link: {"description":"(format \"uri-reference\")","type":"string"}
    properties/maybe: {"description":"(maxLength 3)","type":["string","null"]}
    properties/mixed: {"enum":["a",1,null,true],"type":["string","integer","boolean","null"]}
    properties/more: {"type":"string"}
    properties/odd: {"description":"(not {\"const\":4}, if {\"minimum\":5} then {\"multipleOf\":5} else {\"maximum\":3})","type":"integer"}
    properties/one: {"description":"(prefixItems [{\"type\":\"integer\"}], maxItems 1)","items":{"type":"integer"},"type":"array"}
    properties/place: {"additionalProperties":false,"description":"Where.","properties":{"name":{"description":"Its name.","type":"string"},"x":{"type":"integer"}},"required":["x"],"type":"object"}
    properties/share: {"description":"(exclusiveMinimum 0, maximum 1)","type":"number"}
    properties/tags: {"description":"(minItems 2, maxItems 5, uniqueItems true, contains {\"const\":\"a\"}, minContains 1, maxContains 2)","items":{"type":"string"},"type":"array"}
    properties/text: {"description":"A text. (minLength 1, maxLength 9)","pattern":"^[a-z]+\\b","type":"string"}
    "#);
    insta::assert_snapshot!(shown(Provider::Mistral, Mode::Strict, &stock_lookup()), @r#"
    [
      {
        "type": "function",
        "function": {
          "name": "tested",
          "description": "A test.",
          "parameters": SCHEMA,
          "strict": false
        }
      }
    ]
    additionalProperties: false
    required: ["sku","region","limit"]
    type: "object"
    properties/limit: {"maximum":2,"minimum":1,"type":"integer"}
    properties/region: {"enum":["busan","jeju","seoul"],"type":"string"}
    properties/sku: {"type":"string"}
    warning: mistral has no `strict` whose rules are published, so the tools are declared without it
    "#);
}

/// A closed object with one key of this schema.
fn holding(schema: &Value) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": {"held": schema}})
}

#[test]
fn what_strict_would_change_is_declared_without_it() {
    let map = holding(&json!({"type": "object", "additionalProperties": {"type": "string"}}));
    let untyped = holding(&json!({"description": "Anything."}));
    let recursive = json!({"type": "object", "additionalProperties": false, "properties": {"next": {"$ref": "#"}}});
    let pair =
        holding(&json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}));
    let listed = holding(&json!({"enum": [[1], [2]]}));
    for (provider, input, said) in [
        (
            Provider::Anthropic,
            &map,
            "an object takes undeclared keys, which `strict` would refuse (at `/properties/held`)",
        ),
        (
            Provider::OpenAiChat,
            &map,
            "an object takes undeclared keys, which `strict` would refuse (at `/properties/held`)",
        ),
        (Provider::Bedrock, &untyped, "a schema says no type (at `/properties/held`)"),
        (Provider::OpenAiResponses, &untyped, "a schema says no type (at `/properties/held`)"),
        (Provider::Anthropic, &recursive, "a schema refers to itself (at `/properties/next`)"),
        (Provider::OpenAiChat, &pair, "the places of a list differ (at `/properties/held`)"),
        (Provider::Anthropic, &listed, "a schema says no type (at `/properties/held/items`)"),
    ] {
        let declared = declare(provider, Mode::Strict, input);
        assert_eq!(warnings(&declared), [format!("tested: declared without `strict`: {said}")]);
        assert!(!declared.tools[0].strict);
        assert_eq!(schema_of(provider, &declared), *input, "as it is declared");
    }
    let declared = declare(Provider::OpenAiChat, Mode::Strict, &recursive);
    assert_eq!((warnings(&declared), declared.tools[0].strict), (Vec::new(), true));
    let node = json!({"anyOf": [{"$ref": "#/$defs/root"}, {"type": "null"}]});
    let node =
        json!({"type": "object", "additionalProperties": false, "properties": {"next": node}, "required": ["next"]});
    let expected = changed(node.clone(), |schema| schema["$defs"] = json!({"root": node}));
    assert_eq!(schema_of(Provider::OpenAiChat, &declared), expected);
    assert_eq!(declared.tools[0].nulls, ["next", "next.next"]);
}

#[test]
fn an_optional_key_takes_null_where_every_key_has_to_be_there() {
    let input = json!({
        "type": "object", "additionalProperties": false, "required": ["b"],
        "properties": {
            "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": ["string", "null"]}, "d": {"enum": ["x"]},
            "rows": {"type": "array", "items": {"type": "object", "additionalProperties": false, "properties": {"note": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}},
        },
    });
    let declared = declare(Provider::OpenAiChat, Mode::Strict, &input);
    let schema = schema_of(Provider::OpenAiChat, &declared);
    assert_eq!(schema["required"], json!(["b", "a", "c", "d", "rows"]));
    assert_eq!(schema["properties"]["a"], json!({"type": ["string", "null"]}));
    assert_eq!(schema["properties"]["c"], json!({"type": ["string", "null"]}));
    assert_eq!(schema["properties"]["d"], json!({"type": ["string", "null"], "enum": ["x", null]}));
    let note = &schema["properties"]["rows"]["items"]["properties"]["note"];
    assert_eq!(*note, json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}));
    assert_eq!(declared.tools[0].nulls, ["a", "d", "rows.*.note", "rows"], "not `c`, which takes null anyway");
}

#[test]
fn a_root_of_alternatives_becomes_one_object() {
    let arm = |kind: &str, key: &str| {
        json!({
            "type": "object", "additionalProperties": false, "required": ["kind", key],
            "properties": {"kind": {"const": kind}, key: {"type": "string"}},
        })
    };
    let input = json!({"type": "object", "description": "Either.", "oneOf": [arm("cat", "fur"), arm("fish", "fins")]});
    let merged = json!({
        "type": "object", "description": "Either.", "additionalProperties": false, "required": ["kind"],
        "properties": {"kind": {"enum": ["cat", "fish"]}, "fur": {"type": "string"}, "fins": {"type": "string"}},
    });
    for provider in [Provider::Anthropic, Provider::OpenAiChat, Provider::Bedrock, Provider::Mistral] {
        let declared = declare(provider, Mode::Plain, &input);
        assert_eq!(schema_of(provider, &declared), merged, "{provider}");
        assert!(declared.json.contains("A test. (oneOf [{"), "{}", declared.json);
    }
    let wide = changed(input, |input| {
        input["oneOf"][0]["properties"]["fur"]["enum"] = json!(vec!["x".repeat(500)]);
    });
    let declared = declare(Provider::Anthropic, Mode::Plain, &wide);
    assert_eq!(warnings(&declared), ["tested: `oneOf` cannot be declared and is too long to be said in words"]);
}

#[test]
fn a_reference_into_what_was_merged_still_leads_there() {
    let input = json!({
        "type": "object", "unevaluatedProperties": false,
        "properties": {"again": {"$ref": "#/anyOf/0/properties/a"}, "whole": {"$ref": "#"}, "named": {"$ref": "#/$defs/d"}},
        "anyOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {"type": "string"}}}],
        "$defs": {"d": {"type": "boolean"}},
    });
    let schema = schema_of(Provider::Anthropic, &declare(Provider::Anthropic, Mode::Plain, &input));
    for (key, target) in
        [("again", "#/$defs/declared/anyOf/0/properties/a"), ("whole", "#/$defs/declared"), ("named", "#/$defs/d")]
    {
        assert_eq!(schema["properties"][key]["$ref"], target);
        assert!(schema.pointer(target.trim_start_matches('#')).is_some(), "{target}");
    }
}

#[test]
fn a_request_holds_no_more_strict_tools_than_the_provider_takes() {
    let closed = json!({"type": "object", "additionalProperties": false});
    let named = |nth: usize, input: &Value| contract(&format!("tool_{nth:02}"), input);
    let larger = holding(&json!({"type": "string", "description": "x".repeat(50)}));
    let many: Vec<Contract> = (0..22).map(|nth| named(nth, if nth == 3 { &larger } else { &closed })).collect();
    let declared = Provider::Anthropic.declare(&many, Mode::Strict);
    let plain: Vec<&str> = declared.tools.iter().filter(|tool| !tool.strict).map(|tool| tool.name.as_str()).collect();
    assert_eq!(plain, ["tool_00", "tool_03"], "the largest schema first, then in order");
    assert_eq!(
        warnings(&declared),
        [
            "tool_03: declared without `strict`: a request takes at most 20 tools with `strict`",
            "tool_00: declared without `strict`: a request takes at most 20 tools with `strict`",
        ]
    );
    let optional = |n_keys: usize| {
        let keys: Map<String, Value> = (0..n_keys).map(|nth| (format!("k{nth}"), json!({"type": "string"}))).collect();
        json!({"type": "object", "additionalProperties": false, "properties": keys})
    };
    let unions = |n_keys: usize| {
        changed(optional(n_keys), |schema| {
            let keys = schema["properties"].as_object_mut().expect("an object");
            schema_keys(keys);
            schema["required"] = json!(keys_of(schema));
        })
    };
    for (inputs, said) in [
        ([optional(20), optional(5), closed.clone()], "24 optional keys"),
        ([unions(10), unions(7), closed.clone()], "16 types and alternatives to choose from"),
    ] {
        let tools: Vec<Contract> = inputs.iter().enumerate().map(|(nth, input)| named(nth, input)).collect();
        let declared = Provider::Bedrock.declare(&tools, Mode::Strict);
        let strict: Vec<bool> = declared.tools.iter().map(|tool| tool.strict).collect();
        assert_eq!(strict, [false, true, true]);
        assert!(warnings(&declared)[0].contains(said), "{:?}", warnings(&declared));
    }
    let many: Vec<Contract> = (0..129).map(|nth| contract(&format!("tool_{nth}"), &closed)).collect();
    let declared = Provider::OpenAiChat.declare(&many, Mode::Plain);
    assert_eq!(warnings(&declared), ["129 tools are declared, and a request takes at most 128"]);
}

fn schema_keys(keys: &mut Map<String, Value>) {
    keys.values_mut().for_each(|schema| *schema = json!({"type": ["string", "null"]}));
}

fn keys_of(schema: &Value) -> Vec<&String> {
    schema["properties"].as_object().expect("an object").keys().collect()
}

#[test]
fn a_schema_too_large_for_strict_is_declared_without_it() {
    let many = json!({"type": "string", "enum": (0..999).map(|nth| format!("v{nth}")).collect::<Vec<_>>()});
    let two = json!({"type": "object", "additionalProperties": false, "properties": {"a": many, "b": many}});
    let deep = (0..11).fold(json!({"type": "string"}), |inner, _| holding(&inner));
    for (input, said) in [(two, "1000 values of enums"), (deep, "10 levels")] {
        let declared = declare(Provider::OpenAiChat, Mode::Strict, &input);
        assert_eq!(warnings(&declared), [format!("tested: declared without `strict`: it has more than {said}")]);
    }
}

#[test]
fn references_that_multiply_end() {
    let mut definitions = Map::new();
    for nth in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", nth + 1)});
        definitions.insert(format!("d{nth}"), holding(&json!({"anyOf": [next, {"type": "array", "items": next}]})));
    }
    definitions.insert("d40".to_owned(), json!({"type": "string"}));
    let input = json!({"type": "object", "additionalProperties": false, "properties": {"d": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    for provider in Provider::ALL {
        for mode in [Mode::Plain, Mode::Strict] {
            let declared = declare(provider, mode, &input);
            assert!(declared.json.len() < 4 << 20, "{provider}");
            assert!(declared.warnings.len() < 10, "{provider}: {}", declared.warnings.len());
        }
    }
    let said = warnings(&declare(Provider::Gemini, Mode::Plain, &input));
    assert!(said[0].contains("too large with its references put in place"), "{said:?}");
}

#[test]
fn a_key_that_no_request_is_taken_with_leaves_the_tool_out() {
    let input = json!({"type": "object", "additionalProperties": false, "properties": {"a b\n|": {"type": "string"}}});
    for (provider, rule) in
        [(Provider::Anthropic, "^[a-zA-Z0-9_.-]{1,64}$"), (Provider::Gemini, "^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
    {
        for mode in [Mode::Plain, Mode::Strict] {
            let declared = declare(provider, mode, &input);
            assert_eq!((declared.json.as_str(), declared.tools.len()), ("[]", 0));
            let said = format!("tested: the tool is left out: its key `a b\\n|` does not fit `{rule}`");
            assert!(warnings(&declared).contains(&said), "{:?}", warnings(&declared));
        }
    }
    assert_eq!(declare(Provider::OpenAiChat, Mode::Plain, &input).warnings, []);
}

#[test]
fn a_tool_without_arguments_is_declared_as_each_provider_wants_it() {
    let input = json!({"type": "object", "additionalProperties": false});
    let with_keys = json!({"type": "object", "additionalProperties": false, "properties": {}});
    let schema = |provider, mode| schema_of(provider, &declare(provider, mode, &input));
    assert_eq!(schema(Provider::Anthropic, Mode::Plain), input);
    assert_eq!(schema(Provider::OpenAiChat, Mode::Plain), with_keys);
    assert_eq!(schema(Provider::OpenAiChat, Mode::Strict), with_keys);
    assert!(!declare(Provider::GeminiApi, Mode::Plain, &input).json.contains("parameters"));
}

// ---- Random schemas ----

/// Every keyword that the profile refuses in a schema, with where.
fn refused(schema: &Value, profile: &Profile) -> Vec<String> {
    let mut found = Vec::new();
    if schema["type"] != "object" {
        found.push("the root is no object".to_owned());
    }
    let mut root = schema.clone();
    if let Some(definitions) = root.as_object_mut().and_then(|members| members.remove("$defs")) {
        for definition in definitions.as_object().expect("definitions").values() {
            refused_in(definition, profile, schema, &mut found);
        }
    }
    refused_in(&root, profile, schema, &mut found);
    found
}

fn refused_in(schema: &Value, profile: &Profile, root: &Value, found: &mut Vec<String>) {
    let mut refuse = |why: &str| found.push(format!("{why}: {schema}"));
    let Value::Object(members) = schema else {
        return refuse("a boolean schema");
    };
    for keyword in members.keys().filter(|keyword| keyword.as_str() == "$defs" || !profile.takes(keyword)) {
        refuse(keyword);
    }
    let says = |kind: &str| {
        members
            .get("type")
            .is_some_and(|named| named == kind || named.as_array().is_some_and(|all| all.contains(&kind.into())))
    };
    let strings = |keyword: &str| members.get(keyword).and_then(Value::as_str);
    if strings("format").is_some_and(|format| !profile.formats.contains(&format)) {
        refuse("format");
    }
    if strings("pattern").is_some_and(|pattern| !profile.takes_pattern(pattern)) {
        refuse("pattern");
    }
    if profile.min_items == MinItems::UpToOne && members.get("minItems").is_some_and(|n| n.as_u64() > Some(1)) {
        refuse("minItems");
    }
    if members
        .get("enum")
        .and_then(Value::as_array)
        .is_some_and(|values| values.iter().any(|value| !profile.takes_value(value)) || values.is_empty())
    {
        refuse("enum");
    }
    if profile.null == Null::Flag && members.get("type").is_some_and(|kind| !kind.is_string() || kind == "null") {
        refuse("type");
    }
    if profile.tuples != Tuples::Kept && members.contains_key("prefixItems") {
        refuse("prefixItems");
    }
    if let Some(target) = strings("$ref")
        && (members.len() > 1 || !target.starts_with("#/$defs/") || root.pointer(&target[1..]).is_none())
    {
        refuse("$ref");
    }
    if profile.untyped == Untyped::Refused
        && !["type", "anyOf", "$ref"].iter().any(|keyword| members.contains_key(*keyword))
    {
        refuse("no type");
    }
    if profile.untyped == Untyped::Refused && members.contains_key("enum") && !members.contains_key("type") {
        refuse("an enum without type");
    }
    if says("array") && !members.contains_key("items") {
        refuse("a list without items");
    }
    let keys = members.get("properties").and_then(Value::as_object);
    if says("object")
        && profile.objects == Objects::Closed
        && (members.get("additionalProperties") != Some(&false.into()) || keys.is_none())
    {
        refuse("an open object");
    }
    let required: Vec<&str> =
        members.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    if profile.optional == OptionalKeys::Null
        && keys.is_some_and(|keys| keys.keys().any(|key| !required.contains(&key.as_str())))
    {
        refuse("an optional key");
    }
    if required.iter().any(|key| keys.is_none_or(|keys| !keys.contains_key(*key))) {
        refuse("a required key that is not declared");
    }
    if members.get("anyOf").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        refuse("no alternative");
    }
    let mut copy = members.clone();
    parts::each(&mut copy, &mut |part| {
        let closure = part.is_boolean();
        if !closure {
            refused_in(part, profile, root, found);
        }
    });
}

/// Every fault of a schema that is shown nearly as it is declared.
fn refused_plain(schema: &Value, column: &profile::AsDeclared) -> Vec<String> {
    let mut found: Vec<String> = column
        .root_refuses
        .iter()
        .filter(|keyword| schema.get(keyword).is_some())
        .map(|keyword| (*keyword).to_owned())
        .collect();
    let mut said = schema.clone();
    if column.parts_are_said {
        parts::say_items(&mut said);
        said["properties"] = said.get("properties").cloned().unwrap_or(json!({}));
    }
    parts::strip_annotations(&mut said);
    if said != *schema {
        found.push("parts that are not said, or annotations".to_owned());
    }
    let mut copy = schema.clone();
    parts::map_references(&mut copy, &|target| {
        assert!(schema.pointer(target.trim_start_matches('#')).is_some(), "{target} leads nowhere in {schema}");
        None
    });
    found
}

/// What the schema means to a validator: `nullable` is one more alternative, and a key that takes null may be absent, since
/// null is sent for it then.
fn readable(schema: &mut Value, optional: OptionalKeys) {
    let Value::Object(members) = schema else { return };
    parts::each(members, &mut |part| readable(part, optional));
    if optional == OptionalKeys::Null {
        let keys = members.get("properties").cloned().unwrap_or_default();
        if let Some(Value::Array(required)) = members.get_mut("required") {
            required.retain(|key| {
                let text = keys[key.as_str().expect("text")].to_string();
                !text.contains("null")
            });
        }
    }
    if members.remove("nullable").is_some() {
        *schema = json!({"anyOf": [schema.take(), {"type": "null"}]});
    }
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(true)
        .build(schema)
        .unwrap_or_else(|error| panic!("{error}: {schema}"))
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        (-2_i64..4).prop_map(Value::from),
        Just(json!(1.5)),
        Just(json!(1.0)),
        "[ab]{0,3}".prop_map(Value::from),
    ]
}

/// A map with some of these members.
fn some_of(members: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Map<String, Value>> {
    let each: Vec<_> = members
        .into_iter()
        .map(|(key, value)| prop::option::weighted(0.35, value.prop_map(move |value| (key.to_owned(), value))).boxed())
        .collect();
    each.prop_map(|members| members.into_iter().flatten().collect()).boxed()
}

fn with(base: Value, more: Map<String, Value>) -> Value {
    let mut members = base.as_object().cloned().expect("an object");
    members.extend(more);
    Value::Object(members)
}

fn any_leaf() -> BoxedStrategy<Value> {
    let small = || (0_u64..4).prop_map(Value::from).boxed();
    let bound = || prop_oneof![(-2_i64..4).prop_map(Value::from), Just(json!(1.5))].boxed();
    let text = some_of(vec![
        ("minLength", small()),
        ("maxLength", small()),
        ("pattern", prop_oneof![Just("^a"), Just("b\\b"), Just("^[ab]*$")].prop_map(Value::from).boxed()),
        ("format", prop_oneof![Just("date"), Just("uri"), Just("regex")].prop_map(Value::from).boxed()),
    ]);
    let number = || {
        some_of(vec![
            ("minimum", bound()),
            ("exclusiveMinimum", bound()),
            ("maximum", bound()),
            ("exclusiveMaximum", bound()),
            ("multipleOf", prop_oneof![Just(json!(2)), Just(json!(0.5))].boxed()),
        ])
    };
    let kinds = prop::sample::subsequence(vec!["string", "integer", "number", "null", "boolean"], 1..4);
    prop_oneof![
        3 => text.prop_map(|more| with(json!({"type": "string"}), more)),
        3 => number().prop_map(|more| with(json!({"type": "integer"}), more)),
        2 => number().prop_map(|more| with(json!({"type": "number"}), more)),
        1 => number().prop_map(Value::Object),
        1 => Just(json!({"type": "boolean"})),
        1 => Just(json!({"type": "null"})),
        1 => (kinds, number()).prop_map(|(kinds, more)| with(json!({"type": kinds}), more)),
        2 => any_scalar().prop_map(|only| json!({"const": only})),
        2 => prop::collection::vec(any_scalar(), 1..4).prop_map(|values| json!({"enum": values})),
        1 => (prop::collection::vec(any_scalar(), 1..4)).prop_map(|values| json!({"type": ["string", "null"], "enum": values})),
        1 => prop_oneof![Just(json!(true)), Just(json!(false)), Just(json!({})), Just(json!({"enum": [{"a": 1}, [1], "a"]}))],
        1 => prop_oneof![Just("#"), Just("#/$defs/d"), Just("#/$defs/e")].prop_map(|target| json!({"$ref": target})),
    ]
    .boxed()
}

fn any_object(inner: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let keys = || prop::sample::subsequence(vec!["a", "b", "c"], 0..3);
    let properties = prop::collection::btree_map(prop_oneof![Just("a"), Just("b"), Just("c")], inner.clone(), 0..3);
    let closure = prop_oneof![6 => Just(json!(false)), 1 => Just(json!(true)), 1 => inner.clone()];
    let more = some_of(vec![
        ("patternProperties", inner.clone().prop_map(|schema| json!({"^b": schema})).boxed()),
        ("if", keys().prop_map(|keys| json!({"required": keys})).boxed()),
        ("then", inner.clone()),
        ("dependentRequired", keys().prop_map(|keys| json!({"a": keys})).boxed()),
        ("maxProperties", (0_u64..4).prop_map(Value::from).boxed()),
        ("propertyNames", Just(json!({"maxLength": 1})).boxed()),
    ]);
    let more = prop_oneof![3 => Just(Map::new()), 1 => more];
    (properties, keys(), closure, prop::option::weighted(0.8, Just(())), any::<bool>(), more)
        .prop_map(|(properties, required, closure, typed, unevaluated, more)| {
            let mut object = json!({"properties": properties, "required": required});
            if typed.is_some() {
                object["type"] = json!("object");
            }
            match (unevaluated, closure) {
                (true, closure) if closure == json!(false) => object["unevaluatedProperties"] = closure,
                (_, closure) if closure == json!(true) && properties.len() == 2 => {}
                (_, closure) => object["additionalProperties"] = closure,
            }
            with(object, more)
        })
        .boxed()
}

fn any_schema() -> BoxedStrategy<Value> {
    any_leaf()
        .prop_recursive(4, 24, 4, |inner| {
            let inner = inner.boxed();
            let small = || (0_u64..3).prop_map(Value::from).boxed();
            let list = some_of(vec![
                ("items", inner.clone()),
                ("prefixItems", prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from).boxed()),
                ("minItems", small()),
                ("maxItems", small()),
                ("uniqueItems", any::<bool>().prop_map(Value::from).boxed()),
                ("contains", inner.clone()),
            ]);
            let arms = || prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from).boxed();
            let combined =
                some_of(vec![("anyOf", arms()), ("oneOf", arms()), ("allOf", arms()), ("not", inner.clone())]);
            prop_oneof![
                4 => any_object(inner.clone()),
                2 => list.prop_map(|more| with(json!({"type": "array"}), more)),
                2 => combined.clone().prop_map(Value::Object),
                3 => (any_object(inner.clone()), combined).prop_map(|(object, more)| with(object, more)),
            ]
        })
        .boxed()
}

/// A root that a host loads, but for objects left open by silence.
fn any_root() -> impl Strategy<Value = Value> {
    let arms = || prop::collection::vec(any_object(any_leaf()), 1..3).prop_map(Value::from).boxed();
    let combined = some_of(vec![("anyOf", arms()), ("oneOf", arms()), ("allOf", arms())]);
    (any_object(any_schema()), combined, any_schema(), any_object(any_leaf())).prop_filter_map(
        "no schema that a host loads",
        |(root, more, d, e)| {
            let mut root = with(root, more);
            root["type"] = json!("object");
            root["$defs"] = json!({"d": d, "e": e});
            match Schema::of_object(&root.to_string()) {
                Ok(_) | Err(SchemaError::OpenObject { at: _ }) => Some(root),
                Err(_) => None,
            }
        },
    )
}

/// A small source of chance, the same again from the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(n.max(1)).expect("fits")).expect("fits")
    }
}

/// A value that has a chance to fit a schema.
fn sample(schema: &Value, root: &Value, chance: &mut Chance, room: usize) -> Value {
    let scalars = [
        json!(null),
        json!(true),
        json!(1),
        json!(2),
        json!(3),
        json!(1.5),
        json!("a"),
        json!("b"),
        json!("ab"),
        json!("2026-01-01"),
        json!({}),
        json!([]),
    ];
    let scalar = scalars[chance.below(scalars.len())].clone();
    let Value::Object(members) = schema else { return scalar };
    if room == 0 || chance.below(20) == 0 {
        return scalar;
    }
    if let Some(Value::String(target)) = members.get("$ref") {
        return sample(root.pointer(&target[1..]).expect("resolves"), root, chance, room - 1);
    }
    if let Some(Value::Array(values)) = members.get("enum") {
        return values[chance.below(values.len())].clone();
    }
    if let Some(only) = members.get("const") {
        return only.clone();
    }
    let mut value = match members.get("type") {
        Some(Value::String(kind)) => match kind.as_str() {
            "object" => json!({}),
            "array" => json!([]),
            "string" => ["a", "b", "ab", "2026-01-01", ""][chance.below(5)].into(),
            "integer" => [0, 1, 2, 3][chance.below(4)].into(),
            "number" => scalars[2 + chance.below(4)].clone(),
            "boolean" => true.into(),
            _ => Value::Null,
        },
        Some(Value::Array(_)) => scalar,
        _ if members.contains_key("properties") => json!({}),
        _ => scalar,
    };
    if value.is_array() {
        let part = |idx: usize| schema["prefixItems"].get(idx).or(members.get("items")).cloned().unwrap_or(json!(true));
        value = (0..chance.below(4)).map(|idx| sample(&part(idx), root, chance, room - 1)).collect();
    }
    if let (Value::Object(of), Some(Value::Object(properties))) = (&mut value, members.get("properties")) {
        let required = |key: &str| {
            members.get("required").and_then(Value::as_array).is_some_and(|keys| keys.iter().any(|there| there == key))
        };
        for (key, schema) in properties {
            if chance.below(if required(key) { 20 } else { 2 }) > 0 {
                of.insert(key.clone(), sample(schema, root, chance, room - 1));
            }
        }
        if chance.below(6) == 0 {
            of.insert(["a", "b", "c", "d"][chance.below(4)].to_owned(), json!(1));
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for arm in members.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            if keyword != "allOf" && chance.below(2) == 0 {
                continue;
            }
            match (&mut value, sample(arm, root, chance, room - 1)) {
                (Value::Object(of), Value::Object(more)) => of.extend(more),
                (value, other) if !members.contains_key("type") => *value = other,
                _ => {}
            }
        }
    }
    value
}

#[test]
fn a_lowering_may_loosen_and_never_refuses_what_the_declared_schema_takes() {
    let config = ProptestConfig {
        cases: 400,
        failure_persistence: None,
        max_global_rejects: 100_000,
        ..ProptestConfig::default()
    };
    let (n_values, n_strict) = (std::cell::Cell::new(0_usize), std::cell::Cell::new(0_usize));
    proptest!(config, |(declared in any_root(), seed in 1_u64..)| {
        let full = validator(&declared);
        let mut chance = Chance(seed);
        let values: Vec<Value> = (0..100).map(|_| sample(&declared, &declared, &mut chance, 6)).filter(|value| full.is_valid(value)).collect();
        n_values.set(n_values.get() + values.len());
        for (name, column) in COLUMNS {
            let (lowered, optional) = match column {
                Column::AsDeclared(column) => {
                    let plain = super::plain::declare(&declared, column).expect("every name fits");
                    let faults = refused_plain(&plain.schema, column);
                    prop_assert!(faults.is_empty(), "{}: {:#?} of {} as {}", name, faults, declared, plain.schema);
                    (plain.schema, OptionalKeys::Absent)
                }
                Column::Lowered(profile) => {
                    let Ok(lowered) = super::lower::lower(&declared, profile) else { continue };
                    n_strict.set(n_strict.get() + usize::from(profile.untyped == Untyped::Refused));
                    let faults = refused(&lowered.schema, profile);
                    prop_assert!(faults.is_empty(), "{}: {:#?} of {} as {}", name, faults, declared, lowered.schema);
                    (lowered.schema, profile.optional)
                }
            };
            let mut meant = lowered.clone();
            readable(&mut meant, optional);
            let shown = validator(&meant);
            for value in &values {
                prop_assert!(shown.is_valid(value), "{} refuses {} of {} as {}", name, value, declared, lowered);
            }
        }
    });
    assert!(n_values.get() > 1_500, "enough values fit: {}", n_values.get());
    assert!(n_strict.get() > 100, "enough schemas are strict: {}", n_strict.get());
}

//! Declarations as they are sent, whole; and what becomes of a tool that a provider cannot be sent as it is.

use serde_json::{Map, Value, json};

use super::{Declarations, Mode, Provider};
use crate::contract::Contract;

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
    // `not` cannot be said in words, which is worth no warning where the schema is sent as it is declared after all.
    let larger = holding(&json!({"type": "string", "not": {"const": "x".repeat(500)}}));
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
    for nth in 0_usize..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", nth.saturating_add(1))});
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

#[test]
fn a_closure_takes_no_key_that_something_beside_it_lets_in() {
    let input = json!({
        "type": "object", "unevaluatedProperties": false,
        "allOf": [{"additionalProperties": true}],
        "oneOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {"type": "string"}}, "additionalProperties": false},
        ],
    });
    let schema = schema_of(Provider::Anthropic, &declare(Provider::Anthropic, Mode::Plain, &input));
    assert_ne!(schema["additionalProperties"], json!(false), "{schema}");
    let input = json!({
        "type": "object", "additionalProperties": false,
        "properties": {"a": {"anyOf": [{"$ref": "#"}], "unevaluatedProperties": false}},
    });
    let schema = schema_of(Provider::Gemini, &declare(Provider::Gemini, Mode::Plain, &input));
    assert_ne!(schema["properties"]["a"]["additionalProperties"], json!(false), "{schema}");
}

//! Envelope: the JSON that each provider wants around a tool's name, description and schema.
//!
//! Settles shapes only. `strict` stands explicitly wherever it exists, since leaving it out may be read either way.

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Draft, Provider};

#[derive(Serialize)]
struct AnthropicTool<'d> {
    name: &'d str,
    description: &'d str,
    input_schema: &'d RawValue,
    strict: bool,
}

#[derive(Serialize)]
struct Chat<'d> {
    r#type: &'static str,
    function: Function<'d>,
}

#[derive(Serialize)]
struct Responses<'d> {
    r#type: &'static str,
    #[serde(flatten)]
    function: Function<'d>,
}

#[derive(Serialize)]
struct Function<'d> {
    name: &'d str,
    description: &'d str,
    parameters: &'d RawValue,
    strict: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Gemini<'d> {
    function_declarations: Vec<GeminiFunction<'d>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiFunction<'d> {
    name: &'d str,
    description: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<&'d RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'d RawValue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bedrock<'d> {
    tool_spec: ToolSpec<'d>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolSpec<'d> {
    name: &'d str,
    description: &'d str,
    input_schema: InputSchema<'d>,
    strict: bool,
}

#[derive(Serialize)]
struct InputSchema<'d> {
    json: &'d RawValue,
}

/// What goes into the request's list of tools.
pub(super) fn write(provider: Provider, drafts: &[Draft<'_>]) -> String {
    let each = drafts.iter();
    match provider {
        Provider::Anthropic => print(&each.map(anthropic).collect::<Vec<_>>()),
        Provider::OpenAiChat | Provider::Mistral => print(&each.map(chat).collect::<Vec<_>>()),
        Provider::OpenAiResponses => {
            print(&each.map(|draft| Responses { r#type: "function", function: function(draft) }).collect::<Vec<_>>())
        }
        Provider::Gemini | Provider::GeminiApi => {
            let function_declarations: Vec<_> = each.map(|draft| gemini(provider, draft)).collect();
            let tools = (!function_declarations.is_empty()).then_some(Gemini { function_declarations });
            print(&tools.into_iter().collect::<Vec<_>>())
        }
        Provider::Bedrock => print(&each.map(bedrock).collect::<Vec<_>>()),
    }
}

fn anthropic<'d>(draft: &'d Draft<'_>) -> AnthropicTool<'d> {
    AnthropicTool {
        name: draft.name(),
        description: &draft.description,
        input_schema: &draft.schema,
        strict: draft.is_strict(),
    }
}

fn chat<'d>(draft: &'d Draft<'_>) -> Chat<'d> {
    Chat { r#type: "function", function: function(draft) }
}

fn function<'d>(draft: &'d Draft<'_>) -> Function<'d> {
    Function {
        name: draft.name(),
        description: &draft.description,
        parameters: &draft.schema,
        strict: draft.is_strict(),
    }
}

/// The API's own form takes no object without properties (kubernetes-mcp-server#340): a tool without arguments says nothing.
fn gemini<'d>(provider: Provider, draft: &'d Draft<'_>) -> GeminiFunction<'d> {
    let schema: &RawValue = &draft.schema;
    let (parameters_json_schema, parameters) = match provider {
        Provider::GeminiApi => (None, draft.has_keys.then_some(schema)),
        _ => (Some(schema), None),
    };
    GeminiFunction { name: draft.name(), description: &draft.description, parameters_json_schema, parameters }
}

fn bedrock<'d>(draft: &'d Draft<'_>) -> Bedrock<'d> {
    Bedrock {
        tool_spec: ToolSpec {
            name: draft.name(),
            description: &draft.description,
            input_schema: InputSchema { json: &draft.schema },
            strict: draft.is_strict(),
        },
    }
}

fn print(tools: &impl Serialize) -> String {
    serde_json::to_string_pretty(tools).expect("text keys only, and writing to memory cannot fail")
}

//! The list of tools in the formats of model APIs and descriptions, for programs that call the tools themselves.

use serde_json::{Map, Value, json};

use crate::{Catalog, Tool};

/// Formats of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolFormat {
    /// `tools` of OpenAI's chat completions, which many servers of models accept.
    Openai,
    /// `tools` of Anthropic's messages.
    Anthropic,
    /// `tools` of Gemini's `generateContent`.
    Gemini,
    /// `contributes.languageModelTools` in the manifest of an extension of VS Code.
    VsCodeLm,
    /// An OpenRPC document of the JSON-RPC methods.
    Openrpc,
}

/// Version of OpenRPC.
const OPENRPC: &str = "1.3.2";

/// Returns the tools in a format: all, or one.
pub fn list(catalog: &Catalog, only: Option<&Tool>, format: ToolFormat) -> Value {
    let tools: Vec<&Tool> = match only {
        Some(tool) => vec![tool],
        None => catalog.tools().iter().collect(),
    };
    match format {
        ToolFormat::Openai => tools.iter().map(|tool| openai(tool)).collect(),
        ToolFormat::Anthropic => tools.iter().map(|tool| anthropic(tool)).collect(),
        ToolFormat::Gemini => {
            json!([{ "functionDeclarations": tools.iter().map(|tool| gemini(tool)).collect::<Vec<_>>() }])
        }
        ToolFormat::VsCodeLm => tools.iter().map(|tool| vs_code_lm(tool)).collect(),
        ToolFormat::Openrpc => openrpc(&tools),
    }
}

fn openai(tool: &Tool) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.input_schema() },
    })
}

fn anthropic(tool: &Tool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.input_schema() })
}

fn gemini(tool: &Tool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.input_schema() })
}

/// The names have the prefixes of the extension, because all extensions share them.
fn vs_code_lm(tool: &Tool) -> Value {
    json!({
        "name": format!("marquetry_{}", tool.name),
        "displayName": tool.title,
        "toolReferenceName": format!("marq_{}", tool.name),
        "canBeReferencedInPrompt": true,
        "modelDescription": tool.description,
        "inputSchema": tool.input_schema(),
    })
}

fn openrpc(tools: &[&Tool]) -> Value {
    json!({
        "openrpc": OPENRPC,
        "info": { "title": "marq", "version": env!("CARGO_PKG_VERSION") },
        "methods": tools.iter().map(|tool| method(tool)).collect::<Vec<_>>(),
    })
}

/// Arguments are given by name. Required ones come first, as OpenRPC demands.
fn method(tool: &Tool) -> Value {
    let schema = tool.input_schema();
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let parameter = |(name, schema): (&String, &Value)| {
        let is_required = required.contains(&name.as_str());
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        json!({ "name": name, "description": description, "required": is_required, "schema": schema })
    };
    let (mut params, optional): (Vec<Value>, Vec<Value>) =
        properties.iter().map(parameter).partition(|parameter| parameter["required"] == true);
    params.extend(optional);
    json!({
        "name": tool.method,
        "summary": tool.title,
        "description": tool.description,
        "paramStructure": "by-name",
        "params": params,
        "result": { "name": "result", "schema": tool.output_schema() },
    })
}

#[cfg(test)]
#[path = "tool_formats_tests.rs"]
mod tests;

//! Tests the formats of the list of tools: their shapes, and that each contains every tool.

use std::{fs, path::Path};

use super::*;
use crate::catalog::tests::catalog as test_catalog;

/// Formats whose list has one item for each tool.
const FORMATS: [ToolFormat; 5] =
    [ToolFormat::Openai, ToolFormat::Anthropic, ToolFormat::Gemini, ToolFormat::VsCodeLm, ToolFormat::Openrpc];

/// Returns the items of a list.
fn items(list: &Value, format: ToolFormat) -> Vec<Value> {
    let items = match format {
        ToolFormat::Gemini => &list[0]["functionDeclarations"],
        ToolFormat::Openrpc => &list["methods"],
        _ => list,
    };
    items.as_array().expect("a list").clone()
}

/// The first item with its texts and schemas replaced by their types.
fn shape(format: ToolFormat) -> String {
    let catalog = test_catalog();
    let tool = catalog.find("file_undo").expect("a tool");
    let list = list(&catalog, Some(tool), format);
    let mut item = items(&list, format).remove(0);
    for name in ["description", "modelDescription"] {
        if let Some(text) = item.get_mut(name) {
            *text = "…".into();
        }
    }
    if let Some(text) = item.pointer_mut("/function/description") {
        *text = "…".into();
    }
    for name in ["/inputSchema", "/input_schema", "/parametersJsonSchema", "/function/parameters", "/result/schema"] {
        if let Some(schema) = item.pointer_mut(name) {
            *schema = schema["type"].take();
        }
    }
    if let Some(params) = item.get_mut("params").and_then(Value::as_array_mut) {
        params.truncate(1);
    }
    item.to_string()
}

#[test]
fn items_have_the_members_of_their_format() {
    let check = |format, expected: &str| assert_eq!(shape(format), expected, "{format:?}");
    check(
        ToolFormat::Openai,
        r#"{"type":"function","function":{"name":"file_undo","description":"…","parameters":"object"}}"#,
    );
    check(ToolFormat::Anthropic, r#"{"name":"file_undo","description":"…","input_schema":"object"}"#);
    check(ToolFormat::Gemini, r#"{"name":"file_undo","description":"…","parametersJsonSchema":"object"}"#);
    check(
        ToolFormat::VsCodeLm,
        r#"{"name":"marquetry_file_undo","displayName":"Undo Change","toolReferenceName":"marq_file_undo","canBeReferencedInPrompt":true,"modelDescription":"…","inputSchema":"object"}"#,
    );
    check(
        ToolFormat::Openrpc,
        r#"{"name":"file/undo","summary":"Undo Change","description":"…","paramStructure":"by-name","params":[{"name":"root","description":"Project root (default: the server's).","required":false,"schema":{"type":"string"}}],"result":{"name":"result","schema":"object"}}"#,
    );
}

#[test]
fn every_tool_is_in_every_format() {
    let catalog = test_catalog();
    for format in FORMATS {
        let list = list(&catalog, None, format);
        let text = list.to_string();
        assert_eq!(items(&list, format).len(), catalog.tools().len(), "{format:?}");
        for tool in catalog.tools() {
            let name = if format == ToolFormat::Openrpc { tool.method } else { tool.name };
            assert!(text.contains(&format!("{name}\"")), "{format:?}: {name}");
        }
    }
}

/// APIs of models accept names of letters, digits, `_` and `-` with at most 64 characters.
#[test]
fn names_are_valid_for_model_apis() {
    for tool in test_catalog().tools() {
        assert!(tool.name.len() <= 64 && tool.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    }
}

#[test]
fn required_parameters_of_openrpc_come_first() {
    let catalog = test_catalog();
    let list = list(&catalog, Some(catalog.find("query").expect("a tool")), ToolFormat::Openrpc);
    let params = list["methods"][0]["params"].as_array().expect("a list").clone();
    let required: Vec<bool> = params.iter().map(|param| param["required"] == true).collect();
    assert!(required.is_sorted_by(|a, b| a >= b) && required[0], "{required:?}");
    assert_eq!((&list["openrpc"], &list["info"]["title"]), (&json!("1.3.2"), &json!("marq")));
}

/// The extension of VS Code declares the tools in exactly this form.
#[test]
fn extension_declares_the_same_tools() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/editors/vscode/extension/package.json");
    let manifest: Value = serde_json::from_str(&fs::read_to_string(manifest).expect("a manifest")).expect("JSON");
    let declared = &manifest["contributes"]["languageModelTools"];
    assert_eq!(*declared, list(&test_catalog(), None, ToolFormat::VsCodeLm));
}

//! The catalog: names, descriptions, schemas in a subset of JSON Schema that all clients accept, and calls that
//! panic.

use std::collections::BTreeSet;

use marquetry_model::Kind;
use marquetry_native::idle_workbench;
use serde_json::json;

use super::*;
use crate::{error_json, tools::tools};

/// A catalog with two roots, `/one` and `/two`.
pub(crate) fn catalog() -> Catalog {
    Catalog::new(idle_workbench(&["/one", "/two"]))
}

/// JSON Schema keywords that all clients and model APIs support.
const KEYWORDS: [&str; 12] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "description",
    "additionalProperties",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "default",
];
/// Additional keywords in result schemas, which only validators read.
const FOR_RESULTS: [&str; 4] = ["$ref", "$defs", "anyOf", "const"];

fn visit(schema: &Value, path: &str, keywords: &[&str], wrong: &mut Vec<String>) {
    let Some(object) = schema.as_object() else { return wrong.push(format!("{path}: {schema}")) };
    wrong.extend(object.keys().filter(|key| !keywords.contains(&key.as_str())).map(|key| format!("{path}: {key}")));
    if object.get("type").is_some_and(|of| !of.is_string()) {
        wrong.push(format!("{path}: several types"));
    }
    if schema["type"] == "array" && schema.get("items").is_none() {
        wrong.push(format!("{path}: a list of nothing"));
    }
    let properties = schema["properties"].as_object();
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if properties.is_none_or(|properties| !properties.contains_key(name)) {
            wrong.push(format!("{path}: requires {name}"));
        }
    }
    for (name, inner) in properties.into_iter().flatten() {
        visit(inner, &format!("{path}.{name}"), keywords, wrong);
    }
    for (name, inner) in schema["$defs"].as_object().into_iter().flatten() {
        visit(inner, &format!("{path}#{name}"), keywords, wrong);
    }
    for inner in ["items", "additionalProperties"].iter().filter_map(|key| schema.get(*key)).filter(|s| !s.is_boolean())
    {
        visit(inner, &format!("{path}[]"), keywords, wrong);
    }
    for inner in schema["anyOf"].as_array().into_iter().flatten() {
        visit(inner, &format!("{path}|"), keywords, wrong);
    }
}

#[test]
fn schemas_avoid_constructs_that_clients_refuse() {
    let (catalog, mut wrong) = (catalog(), Vec::new());
    for tool in catalog.tools() {
        let input = tool.input_schema();
        visit(input, tool.name, &KEYWORDS, &mut wrong);
        assert_eq!(
            (&input["type"], &input["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{}",
            tool.name
        );
        // APIs of models refuse alternatives at the root.
        for choice in ["oneOf", "anyOf", "allOf", "not", "if"] {
            assert!(input.get(choice).is_none(), "{} has `{choice}` at its root", tool.name);
        }
        let all: Vec<&str> = KEYWORDS.iter().chain(&FOR_RESULTS).copied().collect();
        visit(&tool.output_schema(), tool.name, &all, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tool_descriptions_are_short() {
    let catalog = catalog();
    let mut names = BTreeSet::new();
    for tool in catalog.tools() {
        assert!(names.insert(tool.name) && (tool.method == tool.name || names.insert(tool.method)), "{}", tool.name);
        assert!(tool.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{}", tool.name);
        assert_eq!(tool.method.replace('/', "_"), tool.name);
        assert!(!tool.title.is_empty() && (40..2048).contains(&tool.description.len()), "{}", tool.name);
        assert!(!(tool.read_only && tool.destructive), "{}", tool.name);
        assert!(tool.input_schema()["properties"].get("root").is_some(), "{}", tool.name);
        assert!(tool.input_schema()["properties"].get("preferences").is_none(), "{}", tool.name);
        for (name, schema) in tool.input_schema()["properties"].as_object().expect("properties") {
            assert!(schema["description"].is_string(), "{} {name} must have a description", tool.name);
        }
    }
    let core: Vec<&str> = catalog.tools().iter().filter(|tool| tool.core).map(|tool| tool.name).collect();
    assert_eq!(core, ["file_read", "file_edit", "file_move", "query"]);
}

#[test]
fn tools_are_found_by_name_or_method_with_suggestions() {
    let catalog = catalog();
    for tool in catalog.tools() {
        assert_eq!(catalog.find(tool.name).expect("found").name, tool.name);
        assert_eq!(catalog.find(tool.method).expect("found").name, tool.name);
    }
    let error = catalog.find("file_raed").err().expect("no such tool");
    assert_eq!(error.content().candidates[0], "file_read");
    let error = catalog.find("zzzzzz").err().expect("no such tool");
    assert_eq!(error.content().candidates.len(), catalog.tools().len(), "all tools must be candidates");
}

#[test]
fn errors_keep_their_hint_and_candidates_as_json() {
    let error = Error::new(Kind::Stale, "the file changed").hint("read it again").candidates(["a".to_owned()]);
    assert_eq!(
        error_json(&error),
        json!({ "kind": "Stale", "message": "the file changed", "hint": "read it again", "candidates": ["a"] })
    );
}

fn called(catalog: &Catalog, tool: &str, given: &Value, work: &Work) -> Result<Value> {
    let Value::Object(given) = given.clone() else { panic!("an object") };
    catalog.call(catalog.find(tool)?, given, work)?.to_json()
}

#[test]
fn text_and_json_answers_agree() {
    let catalog = catalog();
    let Value::Object(given) = json!({ "limit": 2 }) else { panic!("an object") };
    let answer = catalog.call(catalog.find("file_history").expect("found"), given, &Work::default()).expect("answered");
    let text: Value = serde_json::from_str(answer.to_json_text().expect("written").get()).expect("JSON");
    assert_eq!(text, answer.to_json().expect("written"));
    assert_eq!(text["changes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn panics_and_cancellation_affect_only_their_call() {
    let catalog = catalog();
    let error = called(&catalog, "file_undo", &json!({ "id": "panic" }), &Work::default()).expect_err("it panicked");
    assert_eq!(error.kind(), Kind::Internal);
    assert!(error.content().message.contains("as requested by the test"), "{error}");
    let work = Work::default();
    work.cancel();
    let error = called(&catalog, "file_history", &json!({}), &work).expect_err("cancelled");
    assert_eq!(error.kind(), Kind::Cancelled);
    assert!(called(&catalog, "file_history", &json!({}), &Work::default()).is_ok());
}

#[test]
fn narrowed_catalog_serves_fewer_roots() {
    let catalog = catalog();
    let narrow = catalog.narrowed(&["file:///two".to_owned()]).expect("served");
    let in_root = |catalog: &Catalog, given: Value| {
        called(catalog, "file_history", &given, &Work::default()).map(|value| value["changes"][0]["title"].clone())
    };
    assert_eq!(in_root(&narrow, json!({})).expect("answered"), "Edited a.txt in /two");
    assert_eq!(in_root(&catalog, json!({})).expect("answered"), "Edited a.txt in /one");
    assert_eq!(
        in_root(&narrow, json!({ "root": "/one" })).err().map(|error| error.kind()),
        Some(Kind::OutsideWorkspace)
    );
    assert!(catalog.narrowed(&["file:///elsewhere".to_owned()]).is_none() && catalog.narrowed(&[]).is_none());
}

/// Compares the files in `schemas/` with the types. `UPDATE_EXPECT=1` rewrites them.
#[test]
fn schemas_describe_the_types() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let mut outdated = Vec::new();
    for tool in catalog().tools() {
        let (file, text) = (folder.join(tool.name).with_extension("json"), tool.types.text());
        if text != tool.schemas.text {
            outdated.push(tool.name);
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                std::fs::write(file, text).expect("the file can be written");
            }
        }
    }
    assert!(outdated.is_empty(), "UPDATE_EXPECT=1 writes the schemas of {outdated:?}");
}

#[test]
fn calls_are_described_by_their_arguments() {
    let tools = tools();
    for (name, arguments, expected) in [
        ("query", json!({"type": "references", "path": "a.ts", "symbol": "f"}), "references a.ts f"),
        ("query", json!({"type": "workspaceSymbols", "query": "Cart"}), "workspaceSymbols Cart"),
        ("query", json!({"type": "search", "text": "TODO", "files": ["src"]}), "search src TODO"),
        ("query", json!({"type": "search", "regex": "a+"}), "search a+"),
        ("file_move", json!({"source": "a", "destination": "b", "dryRun": true}), "a b"),
        ("file_edit", json!({"file": "a.ts", "symbol": "f", "operation": "delete"}), "a.ts f delete"),
    ] {
        let tool = tools.iter().find(|tool| tool.name == name).expect("a tool");
        assert_eq!(tool.call_description(arguments.as_object().expect("arguments")), expected);
    }
}

/// Returns a value with every property of a schema.
fn example(schema: &Value) -> Value {
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    match schema["type"].as_str() {
        Some("string") => "x".into(),
        Some("integer") => 3.into(),
        Some("boolean") => true.into(),
        Some("array") => json!([example(&schema["items"])]),
        Some("object") => match schema["properties"].as_object() {
            Some(properties) => properties.iter().map(|(name, schema)| (name.clone(), example(schema))).collect(),
            None => json!({ "x": example(&schema["additionalProperties"]) }),
        },
        _ => "any".into(),
    }
}

/// Typed arguments are serialized to the same JSON that a program without types would write.
#[test]
fn typed_arguments_are_written_as_they_are_read() {
    for tool in tools() {
        let mut given = example(tool.input_schema());
        given.as_object_mut().expect("an object").remove(WHY);
        let rewritten = (tool.types.rewritten)(&given);
        let Value::Object(rewritten) = rewritten else { panic!("{}: not an object", tool.name) };
        let validated = arguments::validate(tool.name, tool.input_schema(), rewritten).expect(tool.name);
        let mut validated = Value::Object(validated);
        // Empty preferences are the same as none.
        validated.as_object_mut().expect("an object").remove("preferences");
        assert_eq!(validated, given, "{}", tool.name);
    }
}

//! Tests that the answers of every tool match the schema given to clients. The schemas use few keywords (a test of
//! `host/wire` checks that), which this file implements; `e2e/clients` uses validators of other projects.

use std::collections::BTreeMap;

use crate::common::{Project, Talk};
use serde_json::{Value, json};

/// Returns violations of a schema, for all keywords that the schemas use.
fn schema_violations(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let definition = root.pointer(name.trim_start_matches('#')).expect("a definition");
        return schema_violations(root, definition, value, at);
    }
    if let Some(variants) = schema["anyOf"].as_array() {
        let all: Vec<Vec<String>> =
            variants.iter().map(|variant| schema_violations(root, variant, value, at)).collect();
        return if all.iter().any(Vec::is_empty) { Vec::new() } else { all.concat() };
    }
    let mut wrong = Vec::new();
    let is = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some(other) => panic!("{at}: the type {other}"),
        None => true,
    };
    if !is {
        wrong.push(format!("{at}: {value} is not of type {}", schema["type"]));
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        wrong.push(format!("{at}: {value} is not one of {}", schema["enum"]));
    }
    if value.as_i64().zip(schema["minimum"].as_i64()).is_some_and(|(value, least)| value < least) {
        wrong.push(format!("{at}: {value} is too little"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            wrong.push(format!("{at}: `{name}` is missing"));
        }
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(property), _) => wrong.extend(schema_violations(root, property, inner, &at)),
            (None, Value::Bool(false)) => wrong.push(format!("{at}: unknown")),
            (None, others @ Value::Object(_)) => wrong.extend(schema_violations(root, others, inner, &at)),
            (None, _) => {}
        }
    }
    for (place, inner) in value.as_array().into_iter().flatten().enumerate() {
        wrong.extend(schema_violations(root, &schema["items"], inner, &format!("{at}[{place}]")));
    }
    wrong
}

#[test]
fn schema_check_finds_invalid_values() {
    let schema = json!({
        "type": "object", "properties": { "a": { "type": "integer", "minimum": 0 }, "b": { "type": "array", "items": { "$ref": "#/$defs/c" } } },
        "required": ["a"], "additionalProperties": false, "$defs": { "c": { "anyOf": [{ "type": "string", "enum": ["x"] }, { "type": "boolean" }] } },
    });
    let count = |value: Value| schema_violations(&schema, &schema, &value, "").len();
    assert_eq!(count(json!({ "a": 1, "b": ["x", true] })), 0);
    for wrong in [
        json!([]),
        json!({}),
        json!({ "a": null }),
        json!({ "a": -1 }),
        json!({ "a": 1, "c": 1 }),
        json!({ "a": 1, "b": ["y"] }),
    ] {
        assert!(count(wrong.clone()) > 0, "{wrong}");
    }
}

/// A client that validates everything against the schemas.
struct Client {
    talk: Talk,
    schemas: BTreeMap<String, Value>,
    arguments: BTreeMap<String, Value>,
    id: u64,
    wrong: Vec<String>,
    answered: BTreeMap<String, usize>,
}

impl Client {
    fn start(project: &Project) -> Client {
        let mut client = Client {
            talk: project.talk(&["mcp", "--answers", "both"]),
            schemas: BTreeMap::new(),
            arguments: BTreeMap::new(),
            id: 0,
            wrong: Vec::new(),
            answered: BTreeMap::new(),
        };
        client.ask("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }));
        let listed = client.ask("tools/list", json!({}));
        for tool in listed["result"]["tools"].as_array().expect("a list") {
            let name = tool["name"].as_str().expect("a name").to_owned();
            client.schemas.insert(name.clone(), tool["outputSchema"].clone());
            client.arguments.insert(name, tool["inputSchema"].clone());
        }
        client
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        self.talk.send(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }));
        self.talk.next()
    }

    /// Makes a call that succeeds and checks its answer.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let schema = &self.arguments[tool];
        let given = schema_violations(schema, schema, &arguments, tool);
        assert!(given.is_empty(), "{tool} {arguments}: {given:?}");
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        assert!(result.get("isError").is_none_or(|error| error == false), "{tool} {arguments}: {answer}");
        let structured = result["structuredContent"].clone();
        let schema = &self.schemas[tool];
        let wrong = schema_violations(schema, schema, &structured, tool);
        self.wrong.extend(wrong.into_iter().map(|wrong| format!("{arguments}: {wrong}")));
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        assert!(!text.trim().is_empty(), "{tool} {arguments}: the text must not be empty");
        *self.answered.entry(tool.to_owned()).or_default() += 1;
        structured
    }

    /// Makes a call that fails. Its answer must not have structured content.
    fn fails(&mut self, tool: &str, arguments: Value) {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], true, "{tool} {arguments}: {answer}");
        assert!(answer["result"].get("structuredContent").is_none(), "{answer}");
    }
}

fn project() -> Project {
    let project = Project::new(2);
    project
        .write("package.json", "{\n  \"name\": \"shop\",\n  \"tags\": [1, 2, 3],\n  \"deep\": { \"er\": null }\n}\n");
    project.write(
        "README.md",
        "# Shop\n\nText.\n\n## Install\n\n```ts\nconst a = 1;\n```\n\n## Use\n\nSee [it](src/shared.ts).\n",
    );
    project.write(
        "page.html",
        "<!doctype html>\n<html><head><title>a</title></head><body><p class=\"b\">c</p><p>d</p></body></html>\n",
    );
    project.write("style.css", ".a { color: red; }\n.b { color: blue; }\n");
    project.write("data.xml", "<root><item id=\"1\">a</item><item id=\"2\">b</item></root>\n");
    project.write("notes.txt", "one\ntwo\nthree\n");
    project.write("broken.json", "{ \"a\": \n");
    project.write(
        "src/types.ts",
        "/** Base. */\nexport class Base {\n  /** Area. */\n  area(): number {\n    return 1;\n  }\n}\nexport class Derived extends Base {\n  area(): number {\n    return helper();\n  }\n}\nfunction helper(): number {\n  return 2;\n}\nimport './missing';\n",
    );
    project
}

#[test]
fn answers_of_reads_match_their_schema() {
    let project = project();
    let mut client = Client::start(&project);
    for arguments in [
        json!({ "file": "package.json" }),
        json!({ "file": "package.json", "path": "$.name" }),
        json!({ "file": "package.json", "path": "$.tags[*]", "values": true }),
        json!({ "file": "package.json", "path": "$.tags[*]", "limit": 1 }),
        json!({ "file": "package.json", "path": "$.deep.er", "values": true }),
        json!({ "file": "src/types.ts", "symbol": "Base" }),
        json!({ "file": "src/types.ts", "symbol": "Base.area", "includeDoc": true }),
        json!({ "file": "src/types.ts", "symbol": "Base", "format": "signature" }),
        json!({ "file": "src/types.ts", "symbol": "Base", "format": "body" }),
        json!({ "file": "src/types.ts", "symbol": "Base", "format": "summary" }),
        json!({ "file": "src/types.ts", "symbol": "Base", "maxLines": 1 }),
        json!({ "file": "src/types.ts", "symbols": ["Base", "Nope"] }),
        json!({ "file": "src/types.ts", "region": "imports" }),
        json!({ "file": "src/types.ts", "format": "summary" }),
        json!({ "file": "src/types.ts", "symbol": "Base", "includeMetadata": false }),
        json!({ "file": "src/part0/file0.ts", "symbol": "value0" }),
        json!({ "file": "README.md", "heading": "Install" }),
        json!({ "file": "page.html", "selector": "p" }),
        json!({ "file": "page.html", "selector": "p@class" }),
        json!({ "file": "style.css", "selector": ".a@color" }),
        json!({ "file": "data.xml", "xpath": "//item" }),
        json!({ "file": "data.xml", "xpath": "count(//item)" }),
        json!({ "file": "data.xml", "xpath": "string(//item)" }),
        json!({ "file": "data.xml", "xpath": "//item = 'a'" }),
        json!({ "file": "notes.txt" }),
        json!({ "file": "notes.txt", "lines": "2" }),
        json!({ "file": "notes.txt", "around": { "target": "two", "context": 1 } }),
        json!({ "file": "package.json", "around": { "target": "$.name" } }),
        json!({ "file": "broken.json" }),
    ] {
        client.call("file_read", arguments);
    }
    for arguments in [
        json!({ "file": "nothing.txt" }),
        json!({ "file": "package.json", "path": "$.nam" }),
        json!({ "file": "package.json", "path": "$[" }),
        json!({ "file": "package.json", "pth": "$" }),
        json!({ "file": 7 }),
        json!({}),
    ] {
        client.fails("file_read", arguments);
    }
    assert!(client.wrong.is_empty(), "{}", client.wrong.join("\n"));
}

#[test]
fn answers_of_changes_match_their_schemas() {
    let project = project();
    let mut client = Client::start(&project);
    let edit = |client: &mut Client, arguments: Value| client.call("file_edit", arguments);
    for dry in [true, false] {
        edit(
            &mut client,
            json!({ "file": "package.json", "path": "$.name", "operation": "replace", "content": "\"a\"", "dryRun": dry }),
        );
        edit(
            &mut client,
            json!({ "file": "package.json", "path": "$.tags", "operation": "insert_into", "content": "4", "position": "first", "preview": true, "dryRun": dry }),
        );
        edit(
            &mut client,
            json!({ "file": "notes.txt", "operation": "replace_text", "old": "one", "content": "1", "dryRun": dry }),
        );
        edit(
            &mut client,
            json!({ "file": "src/types.ts", "edits": [
            { "symbol": "helper", "operation": "replace_body", "content": "return 3;" },
            { "symbol": "Base.area", "operation": "delete" },
        ], "dryRun": true }),
        );
        edit(
            &mut client,
            json!({ "file": "page.html", "selector": "p.b", "operation": "wrap", "wrapper": { "before": "<div>", "after": "</div>" }, "dryRun": dry }),
        );
        edit(
            &mut client,
            json!({ "refactor": "rename_symbol", "file": "src/shared.ts", "symbol": "shared", "newName": "common", "dryRun": dry }),
        );
        client.call("file_create", json!({ "path": "new/a.txt", "content": "a\n", "dryRun": dry }));
        client.call("file_create", json!({ "path": "notes.txt", "content": "a\n", "overwrite": true, "dryRun": dry }));
        client.call(
            "file_duplicate",
            json!({ "source": "src/shared.ts", "destination": "src/copy.ts", "renameSymbols": true, "dryRun": dry }),
        );
        client.call("file_move", json!({ "source": "src/types.ts", "destination": "lib/types.ts", "dryRun": dry }));
        client.call(
            "file_rename",
            json!({ "path": "src/part1/file1.ts", "newName": "other.ts", "renameExports": true, "dryRun": dry }),
        );
        client.call("file_delete", json!({ "path": "src/shared.ts", "dryRun": dry }));
        client.call("file_delete", json!({ "paths": ["style.css", "src/part0"], "recursive": true, "dryRun": dry }));
    }
    client.call("file_history", json!({}));
    client.call("file_history", json!({ "limit": 1 }));
    client.call("file_undo", json!({ "dryRun": true }));
    client.call("file_undo", json!({}));
    client.call("file_history", json!({}));
    for (tool, arguments) in [
        ("file_edit", json!({ "file": "data.xml", "xpath": "//item", "operation": "delete" })),
        ("file_edit", json!({ "file": "data.xml", "xpath": "//none", "operation": "delete" })),
        (
            "file_edit",
            json!({ "file": "data.xml", "edits": [{ "xpath": "//item[1]", "operation": "delete", "dryRun": true }] }),
        ),
        ("file_create", json!({ "path": "notes.txt", "content": "b" })),
        ("file_delete", json!({ "path": "nothing" })),
        ("file_move", json!({ "source": "nothing", "destination": "b" })),
        ("file_undo", json!({ "id": "nothing" })),
    ] {
        client.fails(tool, arguments);
    }
    assert!(project.texts()["data.xml"].contains("id=\"1\""), "failed calls must not change the file");
    assert!(client.wrong.is_empty(), "{}", client.wrong.join("\n"));
}

#[test]
fn answers_of_queries_match_their_schema() {
    let project = project();
    let mut client = Client::start(&project);
    for arguments in [
        json!({ "type": "documentSymbols", "path": "src/types.ts" }),
        json!({ "type": "documentSymbols", "path": "README.md" }),
        json!({ "type": "documentSymbols", "path": "package.json" }),
        json!({ "type": "diagnostics", "path": "broken.json" }),
        json!({ "type": "diagnostics", "path": "package.json" }),
        json!({ "type": "diagnostics" }),
        json!({ "type": "diagnostics", "severity": "error" }),
        json!({ "type": "dependencies", "path": "src/part0/file0.ts" }),
        json!({ "type": "dependencies", "path": "src/types.ts" }),
        json!({ "type": "dependencies", "path": "src/shared.ts", "direction": "importedBy" }),
        json!({ "type": "references", "path": "src/shared.ts", "symbol": "shared" }),
        json!({ "type": "references", "path": "src/shared.ts", "symbol": "shared", "includeDeclaration": true }),
        json!({ "type": "workspaceSymbols", "query": "value*" }),
        json!({ "type": "workspaceSymbols", "query": "*", "limit": 2 }),
        json!({ "type": "workspaceSymbols", "query": "nothing such" }),
        json!({ "type": "implementations", "path": "src/types.ts", "symbol": "Base" }),
        json!({ "type": "typeHierarchy", "path": "src/types.ts", "symbol": "Derived", "direction": "supertypes" }),
        json!({ "type": "typeHierarchy", "path": "src/types.ts", "symbol": "Base", "direction": "subtypes" }),
        json!({ "type": "callHierarchy", "path": "src/types.ts", "symbol": "helper", "direction": "incoming" }),
        json!({ "type": "callHierarchy", "path": "src/types.ts", "symbol": "Derived.area", "direction": "outgoing", "depth": 3 }),
        json!({ "type": "symbolInfo", "path": "src/shared.ts", "symbol": "shared" }),
        json!({ "type": "hover", "path": "src/types.ts", "line": 2, "column": 13 }),
        json!({ "type": "typeDefinition", "path": "src/types.ts", "symbol": "Derived" }),
        json!({ "type": "projectInfo" }),
        json!({ "type": "diagnostics", "path": "src/*.ts", "checks": ["links", "names"] }),
    ] {
        client.call("query", arguments);
    }
    for arguments in [
        json!({ "type": "nothing" }),
        json!({ "type": "references", "path": "src/shared.ts" }),
        json!({ "type": "documentSymbols" }),
        json!({ "type": "documentSymbols", "path": "notes.txt" }),
        json!({ "type": "documentSymbols", "path": "src/nothing.ts" }),
    ] {
        client.fails("query", arguments);
    }
    assert!(client.wrong.is_empty(), "{}", client.wrong.join("\n"));
}

//! Argument validation, with a schema that has every kind of argument.

use serde_json::{Value, json};

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "root": { "type": "string" },
            "file": { "type": "string", "description": "The file." },
            "path": { "type": "string" },
            "old": { "type": "string" },
            "content": { "type": "string" },
            "all": { "type": "boolean" },
            "dryRun": { "type": "boolean" },
            "line": { "type": "integer", "minimum": 0 },
            "operation": { "type": "string", "enum": ["replace", "insert_before", "replace_text"] },
            "wrapper": {
                "type": "object",
                "properties": { "before": { "type": "string" }, "after": { "type": "string" } },
                "required": ["before", "after"],
                "additionalProperties": false,
            },
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": { "symbol": { "type": "string" }, "path": { "type": "string" }, "includeDoc": { "type": "boolean" }, "content": { "type": "string" }, "old": { "type": "string" }, "operation": { "type": "string" } },
                    "additionalProperties": false,
                },
            },
            "names": { "type": "array", "items": { "type": "string" } },
            "mapping": { "type": "object", "additionalProperties": { "type": "string" } },
            "variables": { "type": "object" },
            "either": { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] },
        },
        "required": ["file"],
        "additionalProperties": false,
    })
}

fn understood(given: Value) -> Value {
    let Value::Object(given) = given else { panic!("an object") };
    validate("tool", &schema(), given).map(Value::Object).expect("understood")
}

/// Message, hint and candidates of the error.
fn refused(given: Value) -> String {
    let Value::Object(given) = given else { panic!("an object") };
    let explained =
        |given: Map<String, Value>| enum_value_error("tool", &schema(), &Value::Object(given)).expect("refused");
    let error = validate("tool", &schema(), given).map_or_else(|error| error, explained);
    let content = error.content();
    let candidates = if content.candidates.is_empty() { String::new() } else { format!(" {:?}", content.candidates) };
    format!("{} | {}{candidates}", content.message, content.hint.clone().unwrap_or_default())
}

#[test]
fn valid_arguments_are_passed_on() {
    for given in [
        json!({ "file": "a" }),
        json!({ "file": "a", "path": "$.a", "dryRun": true, "line": 3, "operation": "replace", "names": ["b"] }),
        json!({ "file": "a", "wrapper": { "before": "(", "after": ")" }, "edits": [{ "symbol": "A", "includeDoc": false }] }),
        json!({ "file": "a", "mapping": { "any name": "b" }, "variables": { "deep": { "er": [1, null] } } }),
        json!({ "file": "a", "either": "b" }),
        json!({ "file": "a", "either": ["b"] }),
    ] {
        assert_eq!(understood(given.clone()), given);
    }
}

#[test]
fn unambiguous_synonyms_are_accepted() {
    let cases = [
        (json!({ "filePath": "a" }), json!({ "file": "a" })),
        (json!({ "file_path": "a" }), json!({ "file": "a" })),
        (json!({ "source": "a" }), json!({ "file": "a" })),
        (json!({ "filename": "a", "path": "$.b" }), json!({ "file": "a", "path": "$.b" })),
        // A `path` that is not a JSONPath, without a `file`.
        (json!({ "path": "src/a.ts" }), json!({ "file": "src/a.ts" })),
        (json!({ "file": "a", "path": "b" }), json!({ "file": "a", "path": "b" })),
        (json!({ "file": "a", "dry_run": true }), json!({ "file": "a", "dryRun": true })),
        (json!({ "file": "a", "dry-run": true }), json!({ "file": "a", "dryRun": true })),
        (
            json!({ "file": "a", "old_string": "b", "operation": "replace" }),
            json!({ "file": "a", "old": "b", "operation": "replace" }),
        ),
        (
            json!({ "file": "a", "edits": [{ "include_doc": true, "newText": "b" }] }),
            json!({ "file": "a", "edits": [{ "includeDoc": true, "content": "b" }] }),
        ),
        // `null` is the same as leaving the argument out.
        (json!({ "file": "a", "line": null, "wrapper": null }), json!({ "file": "a" })),
        (json!({ "file": "a", "edits": [{ "symbol": null }] }), json!({ "file": "a", "edits": [{}] })),
        (json!({ "file": "a", "line": 3.0 }), json!({ "file": "a", "line": 3 })),
        (
            json!({ "file": "a", "preferences": { "quoteStyle": "double" } }),
            json!({ "file": "a", "preferences": { "quoteStyle": "double" } }),
        ),
    ];
    for (given, expected) in cases {
        assert_eq!(understood(given), expected);
    }
}

#[test]
fn first_of_several_unknown_arguments_is_reported() {
    for given in [r#"{"xx": 1, "yy": 2, "zz": 3}"#, r#"{"preferences": {}, "xx": 1, "yy": 2, "zz": 3}"#] {
        let refusal = refused(serde_json::from_str(given).expect("JSON"));
        assert!(refusal.contains("`xx`") && !refusal.contains("`zz`"), "{given}: {refusal}");
    }
}

#[test]
fn unknown_arguments_are_refused_at_every_depth() {
    let cases = [
        (
            json!({ "file": "a", "dryrun": true }),
            "tool has no argument `dryrun` | use one of the candidates [\"dryRun\"",
        ),
        (json!({ "file": "a", "zzz": true }), "tool has no argument `zzz` | its arguments are: "),
        (
            json!({ "file": "a", "new": "b" }),
            "tool has no argument `new` | `content` is the new text, `newName` is the new name [\"content\", \"newName\"]",
        ),
        (
            json!({ "file": "a", "edits": [{ "symbol": "A", "dryRun": true }] }),
            "tool has no argument `edits[0].dryRun` | `dryRun` belongs beside `edits`, not inside an edit [\"dryRun\"]",
        ),
        (
            json!({ "file": "a", "edits": [{}, { "file": "b" }] }),
            "tool has no argument `edits[1].file` | give one entry of `changes` for each edit, with its `file`; several entries may have the same `file` [\"changes\"]",
        ),
        (
            json!({ "file": "a", "edits": [{ "dryrun": true }] }),
            "tool has no argument `edits[0].dryrun` | `dryRun` belongs beside `edits`, not inside an edit [\"dryRun\"]",
        ),
        (
            json!({ "file": "a", "wrapper": { "before": "(", "after": ")", "line": 1 } }),
            "tool has no argument `wrapper.line` | `line` belongs beside `wrapper`, not inside it [\"line\"]",
        ),
        (
            json!({ "file": "a", "before": "(" }),
            "tool has no argument `before` | `before` belongs inside `wrapper` [\"wrapper.before\"]",
        ),
        (
            json!({ "file": "a", "symbol": "A" }),
            "tool has no argument `symbol` | `symbol` belongs inside `edits` [\"edits.symbol\"]",
        ),
        (
            json!({ "file": "a", "filePath": "b" }),
            "tool has no argument `filePath` | `filePath` means `file`, which is given as well: give one of them [\"file\"]",
        ),
        (
            json!({ "file": "a", "dryRun": false, "dry_run": true }),
            "tool has no argument `dry_run` | `dry_run` means `dryRun`, which is given as well: give one of them [\"dryRun\"]",
        ),
        (
            json!({ "file": "a", "edits": [{ "symbl": "A" }] }),
            "tool has no argument `edits[0].symbl` | use one of the candidates [\"symbol\"",
        ),
    ];
    for (given, expected) in cases {
        let error = refused(given);
        assert!(error.starts_with(expected), "{error}\nand not\n{expected}");
    }
    assert!(refused(json!({ "file": "a", "dryrun": true })).contains("[\"dryRun\""));
}

#[test]
fn errors_show_given_and_expected_values() {
    let cases = [
        (json!({}), "tool: `file` is missing | `file`: The file."),
        (
            json!({ "path": "$.a" }),
            "tool: `file` is missing | in this call `path` is a JSONPath inside the file: pass the path of the file as `file`",
        ),
        (json!({ "file": null }), "tool: `file` is null, and must be a string | The file."),
        (json!({ "file": 3 }), "tool: `file` is 3, and must be a string | The file."),
        (json!({ "file": ["a"] }), "tool: `file` is the list [\"a\"], and must be a string | The file."),
        (
            json!({ "file": "a", "line": "3" }),
            "tool: `line` is the string \"3\", and must be a whole number, 0 or more | ",
        ),
        (json!({ "file": "a", "line": -1 }), "tool: `line` is -1, and must be a whole number, 0 or more | "),
        (json!({ "file": "a", "line": 1.5 }), "tool: `line` is 1.5, and must be a whole number, 0 or more | "),
        (
            json!({ "file": "a", "dryRun": "true" }),
            "tool: `dryRun` is the string \"true\", and must be `true` or `false` | ",
        ),
        (json!({ "file": "a", "edits": {} }), "tool: `edits` is the object {}, and must be a list of objects | "),
        (json!({ "file": "a", "edits": ["b"] }), "tool: `edits[0]` is the string \"b\", and must be an object with `"),
        (json!({ "file": "a", "names": [1] }), "tool: `names[0]` is 1, and must be a string | "),
        (json!({ "file": "a", "names": "b" }), "tool: `names` is the string \"b\", and must be a list of strings | "),
        (json!({ "file": "a", "mapping": { "b": 1 } }), "tool: `mapping.b` is 1, and must be a string | "),
        (json!({ "file": "a", "wrapper": { "before": "(" } }), "tool: `wrapper.after` is missing | "),
        (
            json!({ "file": "a", "operation": "insert" }),
            "tool: the string \"insert\" is not a valid `operation` | use one of the candidates [\"insert_before\", \"replace\", \"replace_text\"]",
        ),
        (
            json!({ "file": "a", "operation": "update" }),
            "tool: the string \"update\" is not a valid `operation` | `replace` replaces the target with `content` [\"replace\", \"insert_before\", \"replace_text\"]",
        ),
        (
            json!({ "file": "a", "operation": "rename" }),
            "tool: the string \"rename\" is not a valid `operation` | `refactor: \"rename_symbol\"` with `symbol` and `newName` renames a symbol and all its uses [\"refactor: \\\"rename_symbol\\\"\"]",
        ),
        (
            json!({ "file": "a", "operation": "inline_variable" }),
            "tool: the string \"inline_variable\" is not a valid `operation` | this is a refactor, not an operation: pass it as `refactor`; query `codeActions` lists the ones that apply [\"refactor: \\\"inline_variable\\\"\"]",
        ),
        (
            json!({ "file": "a", "operation": "undo" }),
            "tool: the string \"undo\" is not a valid `operation` | `file_undo` takes the last change back",
        ),
        (
            json!({ "file": "a", "operation": 1 }),
            "tool: 1 is not a valid `operation` | use one of the candidates [\"replace\", \"insert_before\", \"replace_text\"]",
        ),
        (json!({ "file": "a", "either": 1 }), "tool: `either` is 1, and must be a string | "),
    ];
    for (given, expected) in cases {
        let error = refused(given);
        assert!(error.starts_with(expected), "{error}\nand not\n{expected}");
    }
    let long = refused(json!({ "file": "a", "line": "x".repeat(5000) }));
    assert!(long.len() < 300, "{long}");
}

/// Edit calls in the style of other tools: `old` with `content` needs no `operation`.
#[test]
fn edit_calls_in_the_style_of_other_tools_are_accepted() {
    let edited = json!({ "file": "a", "old": "b", "content": "c", "operation": "replace_text" });
    for given in [
        json!({ "file_path": "a", "old_string": "b", "new_string": "c" }),
        json!({ "path": "a", "old_str": "b", "new_str": "c" }),
        json!({ "filePath": "a", "oldString": "b", "newString": "c" }),
        json!({ "path": "a", "oldText": "b", "newText": "c" }),
        json!({ "file": "a", "search": "b", "replace": "c" }),
        json!({ "file": "a", "find": "b", "replace_with": "c" }),
        json!({ "file": "a", "old": "b", "new": "c" }),
        json!({ "file": "a", "old": "b", "content": "c", "operation": "replace_text" }),
    ] {
        assert_eq!(understood(given.clone()), edited, "{given}");
    }
    let listed =
        json!({ "path": "a", "edits": [{ "oldText": "b", "newText": "c" }, { "search": "d", "replace": "" }] });
    let edits = json!([
        { "old": "b", "content": "c", "operation": "replace_text" },
        { "old": "d", "content": "", "operation": "replace_text" }
    ]);
    assert_eq!(understood(listed), json!({ "file": "a", "edits": edits }));
    let all = json!({ "file_path": "a", "old_string": "b", "new_string": "c", "replace_all": true });
    assert_eq!(understood(all)["all"], true);
    // Calls with another meaning are not changed.
    let other = json!({ "file": "a", "old": "b", "content": "c", "operation": "insert_before" });
    assert_eq!(understood(other.clone()), other);
    let alone = json!({ "file": "a", "content": "c" });
    assert_eq!(understood(alone.clone()), alone);
}

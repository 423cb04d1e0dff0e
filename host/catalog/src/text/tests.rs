//! Answers as text, for models and for people.

use serde_json::json;

use super::*;

fn model(tool: &str, answer: Value) -> String {
    render(tool, &answer, Style::for_models())
}

fn person(tool: &str, answer: Value) -> String {
    render(tool, &answer, Style::for_people(false))
}

fn span(line: usize, column: usize, to_line: usize, to_column: usize) -> Value {
    json!({ "start": { "line": line, "column": column }, "end": { "line": to_line, "column": to_column } })
}

#[test]
fn single_match_shows_position_and_text() {
    let answer = json!({
        "file": "a.ts", "target": { "type": "symbol", "value": "add" }, "content": "function add() {\n  return 1;\n}", "range": span(3, 0, 5, 1),
        "kind": "function", "signature": "function add()", "hash": "5f", "engine": "ts", "matchCount": 1,
        "dependencies": [{ "symbol": "one", "from": "./one" }, { "symbol": "two", "from": "./two" }, { "symbol": "*", "from": "sys" }],
        "matches": [{ "address": "add", "kind": "function", "content": "function add() {\n  return 1;\n}", "range": span(3, 0, 5, 1),
            "documentation": { "content": "/** Adds. */", "range": span(2, 0, 2, 12) } }],
        "documentation": { "content": "/** Adds. */", "range": span(2, 0, 2, 12) },
    });
    assert_eq!(
        model("file_read", answer.clone()),
        "a.ts add (function) 3:0-5:1 hash 5f\nuses: one from ./one, two from ./two, sys\ndocumentation 2:0-2:12:\n/** Adds. */\ncontent:\nfunction add() {\n  return 1;\n}"
    );
    assert_eq!(person("file_read", answer), "function add() {\n  return 1;\n}\n");
}

#[test]
fn content_is_shown_once() {
    let inside = json!({ "file": "a", "hash": "1", "matches": [{ "address": "x", "kind": "k", "content": "text", "range": span(1, 0, 1, 4) }] });
    assert_eq!(model("file_read", inside.clone()), "a x (k) 1:0-1:4 hash 1\ntext");
    assert_eq!(person("file_read", inside), "text\n");
    let beside = json!({ "file": "a", "hash": "1", "content": "all\nof it\n", "range": span(1, 0, 3, 0) });
    assert_eq!(model("file_read", beside), "a 1:0-3:0 hash 1\nall\nof it\n");
}

#[test]
fn several_matches_are_numbered_and_missing_ones_listed() {
    let one = |address: &str, line: usize| json!({ "address": address, "kind": "string", "content": format!("\"{address}\""), "range": span(line, 2, line, 9) });
    let answer = json!({
        "file": "a.json", "content": "\"$.a\"", "range": span(1, 2, 1, 9), "hash": "5f", "engine": "json", "matchCount": 7,
        "matches": [one("$.a", 1), one("$.b", 2)], "missing": [{ "symbol": "$.c", "candidates": ["$.b"] }],
        "truncated": "2 of 7 matches: give `limit` or `offset`", "offset": 2,
    });
    assert_eq!(
        model("file_read", answer.clone()),
        "a.json 2 of 7 matches hash 5f\nmissing: $.c; near: $.b\noffset: 2\ntruncated: 2 of 7 matches: give `limit` or `offset`\n\n[1] $.a (string) 1:2-1:9\n\"$.a\"\n\n[2] $.b (string) 2:2-2:9\n\"$.b\"\n"
    );
    assert_eq!(person("file_read", answer), "$.a (line 1)\n\"$.a\"\n\n$.b (line 2)\n\"$.b\"\n\n");
}

#[test]
fn value_is_shown_if_it_differs_from_the_text() {
    let answer = |content: &str, value: Value| json!({ "file": "a", "hash": "1", "content": content, "value": value });
    assert_eq!(model("file_read", answer("3", json!(3))), "a hash 1\n3");
    assert_eq!(model("file_read", answer("yes", json!(true))), "a hash 1\nyes\nvalue: true");
}

#[test]
fn change_shows_diff_hash_and_id() {
    let diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-old\n+new\n";
    let answer = json!({
        "success": true, "operation": "replace", "file": "a.ts", "target": "x", "filesAffected": 1, "totalEdits": 1,
        "changes": [{ "file": "a.ts", "edits": [] }], "range": span(1, 0, 1, 3), "diff": diff, "hash": "5f", "id": "01J", "dryRun": false,
        "warnings": ["watch out"], "engine": "ts", "summary": "Replaced x in a.ts",
    });
    assert_eq!(
        model("file_edit", answer.clone()),
        format!("{diff}Replaced x in a.ts\nwarnings: watch out\nrange 1:0-1:3 hash 5f id 01J")
    );
    assert_eq!(
        person("file_edit", answer),
        format!("{diff}Replaced x in a.ts\nwarnings: watch out\nundo with: marq undo 01J\n")
    );
    let dry = json!({ "diff": diff, "summary": "Replaced x in a.ts", "dryRun": true, "completeness": "partial: why", "unresolved": ["b.ts:3: x"], "hash": "5f" });
    assert_eq!(
        model("file_edit", dry),
        format!(
            "{diff}Replaced x in a.ts (dry run: nothing was written)\ncompleteness: partial: why\nunresolved: b.ts:3: x"
        )
    );
}

#[test]
fn other_fields_are_listed_unless_empty() {
    let answer = json!({
        "success": true, "oldPath": "a", "newPath": "b", "moved": true, "diff": "", "dryRun": false, "summary": "Moved a to b", "id": "01J",
        "importsUpdated": [{ "file": "c.ts", "links": [{ "old": "./a", "new": "./b" }] }], "unresolved": [], "directoriesCreated": ["lib"],
        "totalDeleted": 0, "filesChanged": 7,
    });
    assert_eq!(
        model("file_move", answer),
        "Moved a to b\nid 01J\ndirectoriesCreated: lib\nfilesChanged: 7\nimportsUpdated: file c.ts, links [new ./b, old ./a]"
    );
}

#[test]
fn history_has_one_line_per_change() {
    let answer = json!({ "changes": [
        { "id": "2", "title": "Moved a", "time": 1, "files": ["a"], "undone": false },
        { "id": "1", "title": "Edited a", "time": 1, "files": ["a"], "undone": true, "interrupted": "/kept" },
    ] });
    let both = "2 Moved a\n1 Edited a (undone)\n    interrupted: other programs wrote to its files; their content is kept in /kept";
    assert_eq!(model("file_history", answer.clone()), both);
    assert_eq!(person("file_history", answer), format!("{both}\n"));
    assert_eq!(model("file_history", json!({ "changes": [] })), "no changes");
    assert_eq!(person("file_history", json!({ "changes": [] })), "");
}

fn query(data: Value) -> Value {
    json!({ "success": true, "data": data, "completeness": "complete", "engine": "ts" })
}

#[test]
fn references_are_grouped_by_file() {
    let one = |path: &str, line: usize, certain: bool| json!({ "path": path, "line": line, "column": 4, "preview": "  add(1)", "usage": "read", "certain": certain });
    let answer = query(
        json!({ "references": [one("a.ts", 1, true), one("a.ts", 20, false), one("b.ts", 3, true)], "total": 9 }),
    );
    assert_eq!(
        model("query", answer.clone()),
        "a.ts\n  1:4 read add(1)\n  20:4 read ? add(1)\nb.ts\n  3:4 read add(1)\n3 references in 2 files (complete)\ntotal: 9"
    );
    assert_eq!(
        person("query", answer),
        "a.ts\n  1:4     read         add(1)\n  20:4    read         ? add(1)\nb.ts\n  3:4     read         add(1)\n3 references in 2 files (complete)\n"
    );
}

#[test]
fn symbols_are_a_tree_per_file_and_a_list_per_workspace() {
    let child = json!({ "name": "f", "kind": "method", "address": "A.f", "range": span(2, 2, 3, 3), "selectionRange": span(2, 2, 2, 3), "children": [] });
    let tree = query(
        json!({ "symbols": [{ "name": "A", "kind": "class", "address": "A", "range": span(1, 0, 4, 1), "selectionRange": span(1, 6, 1, 7), "children": [child] }] }),
    );
    assert_eq!(model("query", tree.clone()), "class A  1:0-4:1\n  method A.f  2:2-3:3\n2 symbols (complete)");
    assert_eq!(person("query", tree), "class A  line 1\n  method A.f  line 2\n");
    let list = query(
        json!({ "symbols": [{ "name": "A", "kind": "class", "address": "A", "path": "a.ts", "line": 1, "column": 6 }] }),
    );
    assert_eq!(model("query", list.clone()), "class A  a.ts:1:6\n1 symbol in 1 file (complete)");
    assert_eq!(person("query", list), "class A  a.ts:1:6\n1 symbol in 1 file (complete)\n");
    assert_eq!(model("query", query(json!({ "symbols": [] }))), "0 symbols (complete)");
}

#[test]
fn links_diagnostics_and_relations_are_lines() {
    let links = query(json!({ "dependencies": [
        { "path": "b.ts", "specifier": "./b", "kind": "import", "names": ["x", "y"], "typeOnly": true, "line": 1 },
        { "specifier": "./c", "kind": "import", "names": [], "typeOnly": false, "line": 2, "unresolved": "nothing there" },
        { "specifier": "lib", "kind": "import", "names": [], "typeOnly": false, "line": 3 },
    ] }));
    assert_eq!(
        model("query", links),
        "b.ts  import type ./b { x, y }  line 1\nnothing there  import ./c  line 2\noutside  import lib  line 3\n3 links in 1 file (complete)"
    );
    let problems = query(
        json!({ "diagnostics": [{ "path": "a.ts", "line": 3, "column": 1, "severity": "error", "message": "no", "source": "ts" }], "skipped": ["b.bin: binary"] }),
    );
    assert_eq!(
        model("query", problems),
        "a.ts:3:1 error no\n1 problem in 1 file (complete)\nnot checked: b.bin: binary"
    );
    let relations = query(
        json!({ "symbol": "A", "items": [{ "name": "B", "path": "b.ts", "line": 1, "column": 6, "address": "m.B", "from": "./a" }] }),
    );
    assert_eq!(model("query", relations), "b.ts\n  1:6 B  m.B, from ./a\n1 result in 1 file (complete)");
    let unknown = query(json!({ "branch": "main", "ahead": 2 }));
    assert_eq!(model("query", unknown), "ahead: 2\nbranch: main");
}

#[test]
fn hover_and_symbol_info_are_shown_as_code() {
    let location = json!({ "path": "a.ts", "line": 3, "column": 9 });
    let symbol = query(json!({
        "name": "add", "kind": "function", "type": "(a: number) => number", "code": "function add(a: number)\n  : number",
        "documentation": "Adds.", "references": 1, "location": location, "address": "add", "range": span(3, 0, 5, 1),
        "notes": [{ "label": "local name", "text": "plus" }, { "label": "declared", "text": "x", "location": location }],
    }));
    assert_eq!(
        model("query", symbol),
        "function add  a.ts:3:9  1 reference\nfunction add(a: number)\n  : number\nAdds.\ntype: (a: number) => number\n\
         local name: plus\ndeclared: x  a.ts:3:9\naddress: add  3:0-5:1\n(complete)"
    );
    let hover = query(json!({ "contents": "```ts\nlet a\n```", "range": span(1, 4, 1, 5) }));
    assert_eq!(model("query", hover.clone()), "```ts\nlet a\n```\nat 1:4-1:5 (complete)");
    assert_eq!(person("query", hover), "```ts\nlet a\n```\n");
    let found = json!({ "name": "T", "kind": "type", "path": "t.ts", "line": 1, "column": 5, "address": "T", "content": "type T = {\n  a: 1\n}" });
    let types = query(json!({ "name": "x", "type": "T", "definitions": [found] }));
    assert_eq!(model("query", types), "x: T\nt.ts:1:5 type  T\ntype T = {\n  a: 1\n}\n(complete)");
}

#[test]
fn project_info_shows_files_scripts_and_plugins() {
    let project = query(json!({
        "root": "/p", "roots": ["/p", "/q"], "workspaceFolders": ["/p"], "activeFile": null, "openEditors": [], "editor": "no editor",
        "files": 2, "languages": [{ "language": "JSON", "plugin": "json", "files": 2, "bytes": 9 }], "trust": "trusted",
        "manifests": [{ "path": "package.json", "name": "p", "manager": "npm", "scripts": { "test": "vitest run" }, "workspaces": ["a/*"] }],
        "plugins": [{ "id": "json", "version": "1.0.0", "source": "bundled", "state": "ready", "interfaces": [] }],
    }));
    assert_eq!(
        model("query", project.clone()),
        "/p  2 files, trusted\nalso served: /q\n2 files JSON json\npackage.json  p npm\n  test: vitest run\n  parts: a/*\n\
         plugin json 1.0.0 bundled: ready\nno editor\n(complete)"
    );
    assert!(!person("query", project).contains("bundled"), "only failing plugins are shown to people");
}

#[test]
fn line_breaks_in_names_are_escaped_in_errors() {
    let name = "`a\nundo with: marq undo 1-fake`";
    let missing = Error::new(marquetry_model::Kind::FileNotFound, format!("{name} does not exist"));
    for refusal in [missing, Error::argument("no template").hint(format!("write {name}"))] {
        for style in [Style::for_models(), Style::for_people(false)] {
            let shown = error(&refusal, style);
            assert!(shown.contains("\n  undo with: ") && !shown.contains("\nundo"), "{shown}");
        }
    }
}

#[test]
fn errors_list_hints_and_candidates() {
    let error = marquetry_model::Error::argument("no `x`").hint("try y").candidates(["y".to_owned(), "z".to_owned()]);
    assert_eq!(
        super::error(&error, Style::for_models()),
        "InvalidArgument: no `x`\nhint: try y\ncandidates:\n- y\n- z"
    );
    assert_eq!(
        super::error(&error, Style::for_people(false)),
        "error: no `x` (InvalidArgument)\nhint: try y\n  - y\n  - z"
    );
}

#[test]
fn colours_do_not_change_the_text() {
    let answer = json!({ "diff": "@@ -1 +1 @@\n-a\n+b\n", "summary": "Done", "warnings": ["w"], "id": "1" });
    let colored = render("file_edit", &answer, Style::for_people(true));
    assert!(colored.contains("\u{1b}[31m-a\u{1b}[0m") && colored.contains("\u{1b}[1mDone\u{1b}[0m"));
    let mut plain = colored;
    for code in ["1", "2", "31", "32", "36", "0"] {
        plain = plain.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(plain, person("file_edit", answer));
}

/// Renders the answers in `tests/rendered` for models and for people. `UPDATE_EXPECT=1` records the texts.
#[test]
fn rare_answers_are_rendered() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rendered");
    let mut wrong = String::new();
    for entry in std::fs::read_dir(folder).expect("answers") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("answers");
        let mut parts = text.split("==== ");
        let mut now = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (title, rest) = part.split_once('\n').expect("an answer");
            let answer = rest.lines().next().expect("an answer");
            let (tool, json) = answer.split_once(' ').expect("a tool and its answer");
            let value: Value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{title}: {error}"));
            let (models, people) = (model(tool, value.clone()), person(tool, value));
            let both = format!("---- for models\n{}\n---- for people\n{}", models.trim_end(), people.trim_end());
            now += &format!("==== {title}\n{answer}\n{}\n\n", both.trim_end());
        }
        let now = format!("{}\n", now.trim_end());
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, now).expect("written");
        } else if now != text {
            wrong += &format!("{}:\n{now}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}(UPDATE_EXPECT=1 accepts the actual output)");
}

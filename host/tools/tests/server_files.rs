//! Files without a pack whose language server is approved: outline, targets, edits and renames by the server's ranges.
//! The server here reads a small language; `e2e servers` tests real ones.

use std::sync::Arc;

use marquetry_model::{
    Edit, Error, Kind, Result, Span,
    ports::Files,
    servers::{
        Server, ServerAnswer, ServerDiagnostic, ServerEdits, ServerHover, ServerLocation, ServerQuestion, ServerSymbol,
        Servers,
    },
};
use marquetry_native::Project;
use serde_json::Value;

/// A server for `*.zz`, a language with `class NAME { … }` and `fn NAME() { … }`.
struct Blocks;

impl Servers for Blocks {
    fn for_path(&self, _: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Server>> {
        if path.ends_with(".zz") {
            return Ok(Arc::new(Blocks));
        }
        Err(Error::new(Kind::Unsupported, format!("no language server is configured for {path}")))
    }
}

/// Returns the span from an offset to the brace that closes the next one.
fn block(text: &str, start: usize) -> Option<Span> {
    let mut depth = 0;
    for (at, c) in text[start..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(Span::new(start, start + at + 1)),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn symbols_of(text: &str) -> Vec<ServerSymbol> {
    let mut found: Vec<ServerSymbol> = Vec::new();
    let mut starts: Vec<(usize, &str)> = text.match_indices("class ").chain(text.match_indices("fn ")).collect();
    starts.sort_unstable();
    for (start, word) in starts {
        let name = start + word.len();
        let length = text[name..].find(|c: char| !c.is_alphanumeric()).unwrap_or_default();
        let Some(span) = block(text, start) else { continue };
        let parent = found.iter().rposition(|other| other.span.contains(span));
        found.push(ServerSymbol {
            name: text[name..name + length].to_owned(),
            kind: if word == "fn " { "function" } else { "class" },
            span,
            selection: Span::new(name, name + length),
            parent,
        });
    }
    found
}

fn answer<T>(answer: T) -> Result<ServerAnswer<T>> {
    Ok(ServerAnswer { answer, incomplete: None })
}

fn places(question: ServerQuestion<'_>) -> Vec<Span> {
    let text = &question.source.text;
    let word = text[question.offset..].split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    text.match_indices(word).map(|(at, _)| Span::new(at, at + word.len())).collect()
}

impl Server for Blocks {
    fn id(&self) -> &str {
        "blocks"
    }
    fn hover(&self, _: ServerQuestion<'_>) -> Result<ServerAnswer<Option<ServerHover>>> {
        answer(Some(("a block".to_owned(), None)))
    }
    fn references(&self, question: ServerQuestion<'_>, _: bool) -> Result<ServerAnswer<Vec<ServerLocation>>> {
        let path = &question.source.path;
        answer(places(question).into_iter().map(|span| ServerLocation { path: path.clone(), span }).collect())
    }
    fn diagnostics(&self, _: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerDiagnostic>>> {
        answer(Vec::new())
    }
    fn symbols(&self, question: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerSymbol>>> {
        answer(symbols_of(&question.source.text))
    }
    fn rename(&self, question: ServerQuestion<'_>, new_name: &str) -> Result<ServerAnswer<Vec<ServerEdits>>> {
        let mut edits: Vec<Edit> =
            places(question).into_iter().map(|span| Edit { span, text: new_name.to_owned() }).collect();
        if new_name == "lie" {
            edits.push(Edit { span: Span::new(0, 0), text: "deleted();".to_owned() });
        }
        answer(vec![(question.source.clone(), edits)])
    }
}

const FILES: &str = "//- /a.zz
class Store {
    # Finds it.
    fn find() {
        look()
    }

    fn save() {}
}

fn main() {
    find()
}
//- /b.zz
fn other() { find() }
//- /notes.md
Call find.
";

fn project() -> Project {
    Project::with_servers(FILES, Arc::new(Blocks))
}

fn edit(project: &Project, arguments: &str) -> Result<Value> {
    project.call("file_edit", &format!(r#"{{"file": "a.zz", {arguments}}}"#))
}

#[test]
fn outline_and_reads_come_from_the_server() {
    let project = project();
    let found = project.call("query", r#"{"type": "documentSymbols", "path": "a.zz"}"#).expect("an outline");
    assert_eq!(found["engine"], "server:blocks");
    assert_eq!(found["completeness"], "syntactic: the symbols are those of the language server");
    let symbols = &found["data"]["symbols"];
    assert_eq!((&symbols[0]["name"], &symbols[0]["kind"]), (&"Store".into(), &"class".into()));
    assert_eq!(symbols[0]["children"][1]["address"], "Store.save");
    let read = project.call("file_read", r#"{"file": "a.zz", "symbol": "find"}"#).expect("a function");
    assert_eq!(read["content"], "fn find() {\n        look()\n    }");
    let missing = project.call("file_read", r#"{"file": "a.zz", "symbol": "Store.finds"}"#).expect_err("no symbol");
    assert_eq!(missing.content().message, "the server `blocks` reports no `Store.finds` in a.zz");
    assert_eq!(missing.content().candidates[0], "Store.find");
}

#[test]
fn edits_by_symbol_keep_the_rest() {
    let project = project();
    let body = r#""symbol": "Store.find", "operation": "replace_body", "content": "seek()\nreturn""#;
    let done = edit(&project, body).expect("edited");
    assert_eq!(done["engine"], "server:blocks");
    edit(&project, r#""symbol": "Store.save", "operation": "insert_after", "content": "fn drop() {}""#)
        .expect("edited");
    edit(&project, r#""symbol": "main", "operation": "insert_before", "content": "fn first() {\n    run()\n}""#)
        .expect("edited");
    assert_eq!(
        project.text("a.zz"),
        "class Store {\n    # Finds it.\n    fn find() {\n        seek()\n        return\n    }\n\n    fn save() {}\n\n    fn drop() {}\n}\n\nfn first() {\n    run()\n}\n\nfn main() {\n    find()\n}\n"
    );
    edit(&project, r#""symbol": "Store.find", "operation": "delete""#).expect("deleted");
    assert!(project.text("a.zz").starts_with("class Store {\n    fn save() {}\n"), "{}", project.text("a.zz"));
    project.call("file_undo", "{}").expect("undone");
    assert!(project.text("a.zz").contains("# Finds it."));
}

#[test]
fn edits_that_break_other_symbols_are_refused() {
    let project = project();
    let broken = r#""symbol": "Store.find", "operation": "replace", "content": "fn find() {""#;
    let error = edit(&project, broken).expect_err("refused");
    assert_eq!(error.content().message, "after the edit, the server would no longer report the class `Store`");
    assert!(project.text("a.zz").contains("look()"), "nothing was written");
    edit(&project, &format!(r#"{broken}, "force": true"#)).expect("forced");
    assert!(!project.text("a.zz").contains("look()"));
}

#[test]
fn renames_list_what_the_server_left() {
    let project = project();
    let rename = |name: &str| format!(r#""refactor": "rename_symbol", "symbol": "Store.find", "newName": "{name}""#);
    let done = edit(&project, &rename("seek")).expect("renamed");
    assert_eq!((&done["engine"], &done["totalEdits"]), (&"server:blocks".into(), &2.into()));
    assert_eq!(done["completeness"], "syntactic: the places are those of the language server");
    assert_eq!(done["unresolved"], serde_json::json!(["b.zz:1:13", "notes.md:1:5"]));
    let lie = r#""refactor": "rename_symbol", "symbol": "Store.seek", "newName": "lie""#;
    let error = edit(&project, lie).expect_err("refused");
    assert_eq!(error.content().message, "the server `blocks` would edit a.zz:1:0, which is not a name");
    assert!(project.text("a.zz").contains("fn seek()"), "nothing was written");
}

#[test]
fn queries_about_names_ask_the_server_by_themselves() {
    let project = project();
    let ask = |arguments: &str| project.call("query", arguments).expect("an answer");
    let found = ask(r#"{"type": "references", "path": "a.zz", "symbol": "Store.find"}"#);
    assert_eq!(found["engine"], "server:blocks");
    assert_eq!(found["data"]["references"].as_array().map(Vec::len), Some(2));
    let hover = ask(r#"{"type": "hover", "path": "a.zz", "line": 1, "column": 6}"#);
    assert_eq!(hover["data"]["contents"], "a block");
    let problems = ask(r#"{"type": "diagnostics", "path": "a.zz"}"#);
    assert_eq!(problems["engine"], "server:blocks");
}

#[test]
fn files_without_a_server_stay_plain_text() {
    let project = Project::with_servers("//- /a.yy\nfn a() {}\n", Arc::new(Blocks));
    let error = project.call("file_read", r#"{"file": "a.yy", "symbol": "a"}"#).expect_err("no pack");
    assert_eq!(error.content().message, "Plain text files do not support targets by `symbol`");
}

/// A server that is installed and not approved.
struct Unapproved;

impl Servers for Unapproved {
    fn for_path(&self, _: &Arc<dyn Files>, _: &str) -> Result<Arc<dyn Server>> {
        Err(Error::new(Kind::PermissionDenied, "the server `blocks` is not approved").hint("run `marq trust`"))
    }
    fn available_for_path(&self, _: &Arc<dyn Files>, _: &str) -> Result<Option<Arc<dyn Server>>> {
        Ok(None)
    }
}

#[test]
fn unapproved_servers_are_suggested_for_symbols() {
    let project = Project::with_servers(FILES, Arc::new(Unapproved));
    let error = project.call("file_read", r#"{"file": "a.zz", "symbol": "main"}"#).expect_err("not approved");
    let hint =
        "with its language server, symbols of a.zz are targets: the server `blocks` is not approved; run `marq trust`";
    assert_eq!(error.content().hint.as_deref(), Some(hint));
    // The file is still text.
    let change = r#"{"file": "a.zz", "operation": "replace_text", "old": "look", "content": "seek"}"#;
    project.call("file_edit", change).expect("edited");
}

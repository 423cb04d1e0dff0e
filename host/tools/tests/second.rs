//! Tools with the answers of a language server. The server here gives fixed answers; the tests of `marquetry-servers`
//! cover misbehaviour of real servers.

use std::sync::Arc;

use marquetry_model::{
    Edit, Error, Kind, Result, Span,
    pack::Severity,
    ports::Files,
    servers::{
        Server, ServerAnswer, ServerDiagnostic, ServerEdits, ServerHover, ServerLocation, ServerQuestion, ServerSymbol,
        Servers,
    },
};
use marquetry_native::Project;
use serde_json::Value;

/// A server for files with one extension: finds a word wherever it occurs in `a.ts`, and renames it there.
struct Words;

impl Servers for Words {
    fn for_path(&self, _: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Server>> {
        if path.ends_with(".ts") {
            return Ok(Arc::new(Words));
        }
        Err(Error::new(Kind::Unsupported, format!("no language server is configured for {path}")))
    }
}

fn word(place: ServerQuestion<'_>) -> &str {
    place.source.text[place.offset..].split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

fn spans(place: ServerQuestion<'_>) -> Vec<Span> {
    let word = word(place);
    place.source.text.match_indices(word).map(|(at, _)| Span::new(at, at + word.len())).collect()
}

fn server_answer<T>(answer: T) -> Result<ServerAnswer<T>> {
    Ok(ServerAnswer { answer, incomplete: None })
}

impl Server for Words {
    fn id(&self) -> &str {
        "words"
    }
    fn hover(&self, place: ServerQuestion<'_>) -> Result<ServerAnswer<Option<ServerHover>>> {
        let word = word(place);
        server_answer((!word.is_empty()).then(|| (format!("**{word}**"), spans(place).first().copied())))
    }
    fn references(&self, place: ServerQuestion<'_>, _: bool) -> Result<ServerAnswer<Vec<ServerLocation>>> {
        let places = spans(place).into_iter().map(|span| ServerLocation { path: place.source.path.clone(), span });
        Ok(ServerAnswer { answer: places.collect(), incomplete: Some("2 locations outside of the root".to_owned()) })
    }
    fn diagnostics(&self, place: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerDiagnostic>>> {
        let problem = |start, severity, line: &str| {
            let (source, code) = line.split_once(' ').map_or((line, None), |(source, code)| (source, Some(code)));
            ServerDiagnostic {
                span: Span::new(start, start + 1),
                severity,
                message: "wrong type".to_owned(),
                source: source.to_owned(),
                code: code.map(str::to_owned),
            }
        };
        // `bad` has a type error.
        let bad = place.source.text.match_indices("bad").map(|(at, _)| problem(at, Severity::Error, "ts 9"));
        server_answer(
            [problem(0, Severity::Error, "ts 7"), problem(20, Severity::Hint, "")].into_iter().chain(bad).collect(),
        )
    }
    fn symbols(&self, place: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerSymbol>>> {
        let names = place.source.text.match_indices("const ").map(|(at, word)| at + word.len());
        let symbols = names.map(|start| {
            let name = place.source.text[start..].split(' ').next().unwrap_or_default().to_owned();
            let span = Span::new(start, start + name.len());
            ServerSymbol { name, kind: "constant", span, selection: span, parent: None }
        });
        server_answer(symbols.collect())
    }
    fn rename(&self, place: ServerQuestion<'_>, new_name: &str) -> Result<ServerAnswer<Vec<ServerEdits>>> {
        let edits = spans(place).into_iter().map(|span| Edit { span, text: new_name.to_owned() });
        server_answer(vec![(place.source.clone(), edits.collect())])
    }
}

const FILES: &str = "//- /a.ts\nexport const one = 1;\nexport const two = one + one;\n//- /b.json\n{\"a\": 1}\n";

fn ask(project: &Project, arguments: &str) -> Value {
    project.call("query", arguments).expect("an answer")
}

fn refused(project: &Project, tool: &str, arguments: &str) -> String {
    let error = project.call(tool, arguments).expect_err("refused");
    format!("{}: {}", error.content().kind.name(), error.content().message)
}

#[test]
fn server_answers_name_the_engine_and_are_unverified() {
    let project = Project::with_servers(FILES, Arc::new(Words));
    let hover = ask(&project, r#"{"type": "hover", "path": "a.ts", "line": 1, "column": 13, "engine": "server"}"#);
    assert_eq!(hover["data"]["contents"], "**one**");
    assert_eq!(hover["data"]["range"]["start"]["column"], 13);
    assert_eq!(hover["engine"], "server:words");
    assert!(hover["completeness"].as_str().is_some_and(|word| word.starts_with("syntactic: ")));
    let found =
        ask(&project, r#"{"type": "references", "path": "a.ts", "symbol": "one", "engine": "server", "limit": 2}"#);
    let shown = |place: &Value| format!("{}:{} {}", place["line"], place["column"], place["preview"]);
    let places: Vec<String> = found["data"]["references"].as_array().expect("a list").iter().map(shown).collect();
    assert_eq!(places, ["1:13 \"export const one = 1;\"", "2:19 \"export const two = one + one;\""]);
    let partial = "partial: 2 locations outside of the root";
    assert_eq!((&found["total"], &found["completeness"]), (&3.into(), &partial.into()));
    let wrong = ask(&project, r#"{"type": "diagnostics", "path": "a.ts", "engine": "server"}"#);
    let shown = |found: &Value| {
        format!("{}:{} {} {} {}", found["line"], found["column"], found["severity"], found["source"], found["code"])
    };
    let found: Vec<String> = wrong["data"]["diagnostics"].as_array().expect("a list").iter().map(shown).collect();
    assert_eq!(found, ["1:0 \"error\" \"ts\" \"7\"", "1:20 \"hint\" \"server:words\" null"]);
    let errors = r#"{"type": "diagnostics", "path": "a.ts", "engine": "server", "severity": "error"}"#;
    assert_eq!(ask(&project, errors)["data"]["diagnostics"].as_array().map(Vec::len), Some(1));
}

#[test]
fn server_rename_is_one_undoable_change() {
    let project = Project::with_servers(FILES, Arc::new(Words));
    let rename = |new_name: &str, more: &str| {
        format!(
            r#"{{"file": "a.ts", "refactor": "rename_symbol", "symbol": "one", "newName": "{new_name}", "engine": "server"{more}}}"#
        )
    };
    let done = project.call("file_edit", &rename("first", "")).expect("renamed");
    assert_eq!(project.text("a.ts"), "export const first = 1;\nexport const two = first + first;\n");
    assert_eq!(
        (&done["engine"], &done["symbol"], &done["totalEdits"]),
        (&"server:words".into(), &"one".into(), &3.into())
    );
    assert_eq!(done["completeness"], "syntactic: the places are those of the language server");
    project.call("file_undo", "{}").expect("undone");
    assert_eq!(
        refused(&project, "file_edit", &rename("1 +", "")),
        "ParseError: the edit would add 2 syntax errors: line 1, column 13: unexpected token (`export const 1 + = 1;`)"
    );
    assert_eq!(
        refused(&project, "file_edit", &rename("x", r#", "scope": "file""#)),
        "Unsupported: a language server renames in all files"
    );
    assert!(project.text("a.ts").starts_with("export const one"), "nothing was written");
}

#[test]
fn checked_change_is_shown_to_the_server() {
    let project = Project::with_servers(FILES, Arc::new(Words));
    let edit = |content: &str, more: &str| {
        format!(
            r#"{{"file": "a.ts", "operation": "replace_text", "old": "one + one", "content": "{content}", "check": true{more}}}"#
        )
    };
    let message = refused(&project, "file_edit", &edit("one /* bad */", ""));
    assert_eq!(message, "RefactorFailed: the change would add 1 problem: a.ts:2:26: wrong type (ts)");
    assert!(project.text("a.ts").contains("one + one"), "nothing was written");
    let forced = project.call("file_edit", &edit("one /* bad */", r#", "force": true"#)).expect("made");
    assert_eq!(forced["checked"]["checked"], serde_json::json!(["syntax", "links", "names", "types"]));
    assert_eq!(
        (&forced["checked"]["added"][0]["code"], &forced["checked"]["removed"]),
        (&"9".into(), &serde_json::json!([]))
    );
    let mended = r#"{"file": "a.ts", "operation": "replace_text", "old": "bad", "content": "two", "check": true}"#;
    let mended = project.call("file_edit", mended).expect("made");
    assert_eq!(mended["checked"]["removed"].as_array().map(Vec::len), Some(1), "{mended}");
    // The server knows only the state on disk of a moved file.
    let moved =
        project.call("file_move", r#"{"source": "a.ts", "destination": "c.ts", "check": true}"#).expect("moved");
    assert_eq!(moved["checked"]["checked"], serde_json::json!(["syntax", "links", "names"]));
}

/// A server that is installed but not approved.
struct Installed;

impl Servers for Installed {
    fn for_path(&self, _: &Arc<dyn Files>, _: &str) -> Result<Arc<dyn Server>> {
        Err(Error::new(Kind::PermissionDenied, "the server is not approved"))
    }
    fn available_for_path(&self, _: &Arc<dyn Files>, _: &str) -> Result<Option<Arc<dyn Server>>> {
        Ok(None)
    }
}

#[test]
fn unapproved_server_is_reported() {
    let project = Project::with_servers(FILES, Arc::new(Installed));
    let asked = r#"{"type": "diagnostics", "path": "a.ts", "engine": "server"}"#;
    assert_eq!(refused(&project, "query", asked), "PermissionDenied: the server is not approved");
    let edit = r#"{"file": "a.ts", "operation": "replace_text", "old": "one + one", "content": "one", "check": true}"#;
    let checked = project.call("file_edit", edit).expect("made")["checked"].to_string();
    assert!(!checked.contains("types") && !checked.contains("allowed"), "{checked}");
}

#[test]
fn unsupported_server_queries_are_refused() {
    let project = Project::with_servers(FILES, Arc::new(Words));
    let query = |rest: &str| refused(&project, "query", &format!(r#"{{"engine": "server", {rest}}}"#));
    assert_eq!(
        query(r#""type": "documentSymbols", "path": "a.ts""#),
        "Unsupported: language servers do not answer `documentSymbols`"
    );
    let none = "Unsupported: no language server is configured for b.json";
    assert_eq!(query(r#""type": "diagnostics", "path": "b.json""#), none);
    let one = "Unsupported: a language server checks one file at a time";
    assert_eq!(query(r#""type": "diagnostics", "path": "*.ts""#), one);
    assert_eq!(
        query(r#""type": "references", "path": "a.ts", "symbol": "one", "usage": "call""#),
        "Unsupported: language servers do not report kinds of uses"
    );
    assert_eq!(
        query(r#""type": "hover", "path": "a.ts", "line": 1, "column": 12"#),
        "TargetNotFound: the server `words` has no hover information at this position"
    );
    let other = refused(&project, "query", r#"{"type": "hover", "path": "a.ts", "line": 1, "engine": "magic"}"#);
    assert_eq!(other, "InvalidArgument: unknown engine `magic`");
    let none = Project::new(FILES);
    let asked = r#"{"type": "diagnostics", "path": "a.ts", "engine": "server"}"#;
    assert_eq!(refused(&none, "query", asked), "Unsupported: this process has no language servers");
}

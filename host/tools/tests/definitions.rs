//! Renames and references whose unresolved occurrences a language server resolves. The server here knows the definitions
//! that a test gives it; `e2e servers` tests real ones.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use marquetry_model::{
    Edit, Error, Kind, Result, Span, Work,
    ports::{Files, Source},
    servers::{
        Server, ServerAnswer, ServerDefinition, ServerDefinitions, ServerDiagnostic, ServerEdits, ServerHover,
        ServerLocation, ServerQuestion, ServerSymbol, Servers,
    },
};
use marquetry_native::Project;
use serde_json::Value;

/// How the server behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Good,
    /// Its rename writes code in place of a name.
    RenameWritesCode,
    /// Its rename edits another occurrence of the name, too.
    RenameEditsMore,
    /// Its rename leaves out the uses.
    RenameOmitsUses,
    /// Its rename is incomplete.
    RenameIsPartial,
    /// It does not rename.
    NoRename,
    /// It fails.
    Fails,
    /// It does not support definitions.
    Unsupported,
    /// It answers nothing in time.
    Late,
    /// The call is cancelled while it is asked.
    Cancels,
    /// It is not approved.
    Unapproved,
    /// It is not approved, and the project does not request it.
    Installed,
}

/// A server for `.ts` and `.py` files. The definition of a name depends on the word before it: `x` in `x.label`.
#[derive(Clone)]
struct Script {
    mood: Mood,
    /// Words, each with the definitions: `PATH TEXT` for the name after this text of the file, or `outside`.
    known: Arc<Vec<(&'static str, Vec<&'static str>)>>,
    asked: Arc<AtomicUsize>,
}

impl Script {
    fn new(mood: Mood, known: &[(&'static str, &[&'static str])]) -> Script {
        let known = known.iter().map(|(word, places)| (*word, places.to_vec())).collect();
        Script { mood, known: Arc::new(known), asked: Arc::default() }
    }

    fn definitions_at(&self, files: &dyn Files, source: &Source, offset: usize) -> ServerDefinitions {
        let before = word_before(&source.text, offset);
        let mut found = ServerDefinitions::default();
        for place in self.known.iter().filter(|(word, _)| *word == before).flat_map(|(_, places)| places) {
            let Some((path, text)) = place.split_once(' ') else {
                found.outside += 1;
                continue;
            };
            let target = files.read(path).expect("a file").text;
            let start = target.find(text).expect("the text") + text.len();
            let word = word_at(&target, start);
            let span = Span::new(start, start + word.len());
            found.inside.push(ServerDefinition { path: path.to_owned(), span, name: word.to_owned() });
        }
        found
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word_at(text: &str, offset: usize) -> &str {
    text[offset..].split(|c: char| !is_part(c)).next().unwrap_or_default()
}

/// The word before a name and a separator.
fn word_before(text: &str, offset: usize) -> &str {
    let line = text[..offset].lines().last().unwrap_or_default();
    let end = line.trim_end_matches(['.', ' ', '{', '(', '\'']);
    &end[end.rfind([' ', '(', '{', ';', '[', ',']).map_or(0, |at| at + 1)..]
}

impl Servers for Script {
    fn for_path(&self, _: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Server>> {
        if matches!(self.mood, Mood::Unapproved | Mood::Installed) {
            return Err(Error::new(Kind::PermissionDenied, "the server is not approved"));
        }
        if path.ends_with(".ts") || path.ends_with(".py") {
            return Ok(Arc::new(self.clone()));
        }
        Err(Error::new(Kind::Unsupported, format!("no language server is configured for {path}")))
    }

    fn available_for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Option<Arc<dyn Server>>> {
        match self.for_path(files, path) {
            Err(error) if error.kind() == Kind::Unsupported || self.mood == Mood::Installed => Ok(None),
            other => other.map(Some),
        }
    }
}

fn server_answer<T>(answer: T) -> Result<ServerAnswer<T>> {
    Ok(ServerAnswer { answer, incomplete: None })
}

impl Server for Script {
    fn id(&self) -> &str {
        "script"
    }
    fn hover(&self, _: ServerQuestion<'_>) -> Result<ServerAnswer<Option<ServerHover>>> {
        server_answer(None)
    }
    fn references(&self, _: ServerQuestion<'_>, _: bool) -> Result<ServerAnswer<Vec<ServerLocation>>> {
        server_answer(Vec::new())
    }
    fn diagnostics(&self, _: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerDiagnostic>>> {
        server_answer(Vec::new())
    }
    fn symbols(&self, _: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerSymbol>>> {
        server_answer(Vec::new())
    }
    fn definitions(&self, places: &[ServerQuestion<'_>]) -> Result<ServerAnswer<Vec<Option<ServerDefinitions>>>> {
        self.asked.fetch_add(places.len(), Ordering::SeqCst);
        match self.mood {
            Mood::Fails => return Err(Error::new(Kind::PluginFailed, "the server `script` failed: it ended")),
            Mood::Unsupported => return Err(Error::new(Kind::Unsupported, "no definitions")),
            Mood::Cancels => {
                places[0].work.cancel();
                return Err(Error::new(Kind::Cancelled, "the call was cancelled"));
            }
            Mood::Late => {
                let answer = places.iter().map(|_| None).collect();
                return Ok(ServerAnswer { answer, incomplete: Some("it is still loading".to_owned()) });
            }
            _ => {}
        }
        let definitions =
            |place: &ServerQuestion<'_>| Some(self.definitions_at(place.files.as_ref(), place.source, place.offset));
        server_answer(places.iter().map(definitions).collect())
    }
    fn rename(&self, place: ServerQuestion<'_>, new_name: &str) -> Result<ServerAnswer<Vec<ServerEdits>>> {
        if self.mood == Mood::NoRename {
            return Err(Error::new(Kind::Unsupported, "the server refused the request"));
        }
        let name = word_at(&place.source.text, place.offset);
        let asked = (place.source.path.as_str(), place.offset);
        let mut all = Vec::new();
        for file in place.files.walk("")? {
            let source = place.files.read(&file.path)?;
            let mut edits = Vec::new();
            for (offset, _) in source.text.match_indices(name) {
                let definitions = self.definitions_at(place.files.as_ref(), &source, offset);
                let is_declared = (source.path.as_str(), offset) == asked;
                let is_use = definitions.inside.iter().any(|it| (it.path.as_str(), it.span.start) == asked);
                let is_renamed = match self.mood {
                    Mood::RenameEditsMore => source.path != asked.0 || is_declared,
                    Mood::RenameOmitsUses => is_declared,
                    _ => is_declared || is_use,
                };
                let text = match self.mood {
                    Mood::RenameWritesCode => format!("{new_name}(); steal"),
                    _ if source.text[..offset].ends_with("{ ") && !is_declared => format!("{new_name}: {name}"),
                    _ => new_name.to_owned(),
                };
                if is_renamed {
                    edits.push(Edit { span: Span::new(offset, offset + name.len()), text });
                }
            }
            if !edits.is_empty() {
                all.push((source, edits));
            }
        }
        let partial = (self.mood == Mood::RenameIsPartial).then(|| "the server is still loading".to_owned());
        Ok(ServerAnswer { answer: all, incomplete: partial })
    }
}

/// Two classes with a member of the same name, and uses of values whose types the pack does not know.
const FILES: &str = "//- /a.ts
export class A { label = 1; a = 1 }
export class B { label = 2; b = 2 }
//- /b.ts
import { A, B } from './a';
export function f(x: any, y: any, z: any) { return [x.label, y.label, z.label]; }
";

const A: &str = "a.ts class A { ";
const B: &str = "a.ts class B { ";

/// Renames `A.label` to `title`: the answer as lines, then the files that changed.
fn rename(project: &Project, more: &str) -> String {
    let call =
        format!(r#"{{"file": "a.ts", "refactor": "rename_symbol", "symbol": "A.label", "newName": "title"{more}}}"#);
    let done = project.call("file_edit", &call).expect("renamed");
    let mut shown = summary(&done);
    for file in done["filesAffected"].as_array().expect("a list") {
        let path = file.as_str().expect("a path");
        shown += &format!("--- {path}\n{}", project.text(path));
    }
    shown
}

/// The parts of an answer that depend on the server.
fn summary(answer: &Value) -> String {
    let list = |key: &str| {
        let all = answer[key].as_array().into_iter().flatten();
        all.map(|place| place.as_str().unwrap_or_default()).collect::<Vec<_>>().join(", ")
    };
    let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
    let mut shown = format!("{}; {}\n", text("engine"), text("completeness"));
    for key in ["unresolved", "warnings"] {
        if !list(key).is_empty() {
            shown += &format!("{key}: {}\n", list(key));
        }
    }
    shown
}

#[track_caller]
fn check(files: &str, script: &Script, more: &str, expected: &str) {
    let project = Project::with_servers(files, Arc::new(script.clone()));
    assert_eq!(rename(&project, more), expected, "{:?}", script.mood);
}

/// The answer without a server.
const ALONE: &str = "typescript; syntactic
unresolved: b.ts:2:54, b.ts:2:63, b.ts:2:72
--- a.ts
export class A { title = 1; a = 1 }
export class B { label = 2; b = 2 }
";

#[test]
fn occurrences_are_renamed_removed_or_listed() {
    let script = Script::new(Mood::Good, &[("x", &[A]), ("y", &[B])]);
    check(
        FILES,
        &script,
        "",
        "typescript, server:script; syntactic
unresolved: b.ts:2:72
--- a.ts
export class A { title = 1; a = 1 }
export class B { label = 2; b = 2 }
--- b.ts
import { A, B } from './a';
export function f(x: any, y: any, z: any) { return [x.title, y.label, z.label]; }
",
    );
    assert_eq!(script.asked.load(Ordering::SeqCst), 3);
    // Even if nothing is left, the answer is not complete.
    let script = Script::new(Mood::Good, &[("x", &[B]), ("y", &[B]), ("z", &["outside"])]);
    check(
        FILES,
        &script,
        "",
        "typescript, server:script; syntactic: 3 occurrences resolved by the language server, not verified
--- a.ts
export class A { title = 1; a = 1 }
export class B { label = 2; b = 2 }
",
    );
}

#[test]
fn dry_run_gives_the_same_answer_and_change_is_undone_at_once() {
    let script = Script::new(Mood::Good, &[("x", &[A]), ("y", &[B])]);
    let project = Project::with_servers(FILES, Arc::new(script));
    let before = project.text("b.ts");
    let call = |more: &str| {
        let call = r#"{"file": "a.ts", "refactor": "rename_symbol", "symbol": "A.label", "newName": "title""#;
        project.call("file_edit", &format!("{call}{more}}}")).expect("renamed")
    };
    let dry = call(r#", "dryRun": true"#);
    assert_eq!(project.text("b.ts"), before);
    let done = call("");
    assert_eq!((&dry["diff"], summary(&dry)), (&done["diff"], summary(&done)));
    assert_ne!(project.text("b.ts"), before);
    project.call("file_undo", "{}").expect("undone");
    assert_eq!(project.text("b.ts"), before);
}

#[test]
fn servers_are_asked_only_if_needed_and_approved() {
    let known: &[(&str, &[&str])] = &[("x", &[A]), ("y", &[B]), ("z", &[A])];
    for mood in [Mood::Unapproved, Mood::Installed] {
        let script = Script::new(mood, known);
        check(FILES, &script, "", ALONE);
        assert_eq!(script.asked.load(Ordering::SeqCst), 0);
    }
    let script = Script::new(Mood::Good, known);
    check(FILES, &script, r#", "engine": "plugin""#, ALONE);
    let proved = "//- /a.ts\nclass A { label = 1 }\nnew A().label;\n";
    check(proved, &script, "", "typescript; complete\n--- a.ts\nclass A { title = 1 }\nnew A().title;\n");
    assert_eq!(script.asked.load(Ordering::SeqCst), 0);
    assert_eq!(rename(&Project::new(FILES), ""), ALONE);
}

#[test]
fn failing_server_changes_nothing() {
    let known: &[(&str, &[&str])] = &[("x", &[A]), ("y", &[B]), ("z", &[A])];
    let with_warning = |warning: &str| {
        let (head, tail) = ALONE.split_once("--- a.ts").expect("the files");
        format!("{head}warnings: {warning}\n--- a.ts{tail}")
    };
    check(FILES, &Script::new(Mood::Unsupported, known), "", ALONE);
    let warning = "the language server was not used: the server `script` failed: it ended";
    check(FILES, &Script::new(Mood::Fails, known), "", &with_warning(warning));
    let warning = "the language server `script` did not resolve 3 occurrences: it is still loading";
    check(FILES, &Script::new(Mood::Late, known), "", &with_warning(warning));
}

#[test]
fn call_that_is_cancelled_while_the_server_is_asked_writes_nothing() {
    let project = Project::with_servers(FILES, Arc::new(Script::new(Mood::Cancels, &[("x", &[A])])));
    let call = r#"{"file": "a.ts", "refactor": "rename_symbol", "symbol": "A.label", "newName": "title"}"#;
    let error = project.call_with_work("file_edit", call, &Work::default()).expect_err("cancelled");
    assert_eq!(error.kind(), Kind::Cancelled);
    assert!(project.text("a.ts").contains("class A { label"));
}

#[test]
fn occurrence_is_edited_only_if_the_rename_of_the_server_agrees() {
    let known: &[(&str, &[&str])] = &[("x", &[A]), ("z", &[A])];
    let moods = [
        Mood::RenameWritesCode,
        Mood::RenameOmitsUses,
        Mood::RenameIsPartial,
        Mood::NoRename,
        // It would also rename `y.label`, of which it knows no definition.
        Mood::RenameEditsMore,
    ];
    for mood in moods {
        check(FILES, &Script::new(mood, known), "", ALONE);
    }
    // A definition that is not renamed is another one, whatever the rename says.
    let script = Script::new(Mood::RenameEditsMore, &[("x", &[A]), ("y", &[B]), ("z", &[A])]);
    check(FILES, &script, "", &ALONE.replace("typescript; ", "typescript, server:script; "));
}

#[test]
fn ambiguous_definitions_prove_nothing() {
    let other = "a.ts export class ";
    let pairs: [&[&str]; 6] = [
        // Of a union.
        &[A, B],
        &[A, "outside"],
        // Under another name only, such as a constructor or an alias.
        &[other],
        &["outside", other],
        &[B, other],
        // No definition.
        &[],
    ];
    for places in pairs {
        check(FILES, &Script::new(Mood::Good, &[("x", places), ("y", places), ("z", places)]), "", ALONE);
    }
    // A signature beside the definition does not matter.
    let script = Script::new(Mood::Good, &[("x", &[A, other]), ("y", &[B]), ("z", &["outside"])]);
    check(
        FILES,
        &script,
        "",
        "typescript, server:script; syntactic: 3 occurrences resolved by the language server, not verified
--- a.ts
export class A { title = 1; a = 1 }
export class B { label = 2; b = 2 }
--- b.ts
import { A, B } from './a';
export function f(x: any, y: any, z: any) { return [x.title, y.label, z.label]; }
",
    );
}

#[test]
fn definition_that_is_itself_unresolved_proves_nothing() {
    // The uses in b.ts are uncertain: a definition there may have to be renamed, too.
    let script = Script::new(Mood::Good, &[("x", &["b.ts [x."]), ("y", &["b.ts [x."]), ("z", &["b.ts , y."])]);
    check(FILES, &script, "", ALONE);
}

#[test]
fn definitions_in_build_outputs_may_be_copies() {
    let files = |path: &str| format!("{FILES}//- /{path}\nexport class C {{ label = 3; c = 3 }}\n");
    let script = |place: &'static str| Script::new(Mood::Good, &[("x", &[B]), ("y", &[B]), ("z", &[place])]);
    let listed = "typescript, server:script; syntactic\nunresolved: b.ts:2:72\n--- a.ts\n";
    let removed =
        "typescript, server:script; syntactic: 3 occurrences resolved by the language server, not verified\n--- a.ts\n";
    for (path, place, expected) in [
        ("dist/a.ts", "dist/a.ts class C { ", listed),
        ("node_modules/c/dist/a.ts", "node_modules/c/dist/a.ts class C { ", removed),
        ("other/a.ts", "other/a.ts class C { ", removed),
    ] {
        let project = Project::with_servers(&files(path), Arc::new(script(place)));
        assert!(rename(&project, "").starts_with(expected), "{path}: {}", rename(&project, ""));
    }
}

#[test]
fn new_name_that_the_file_has_already_is_not_written_without_a_qualifier() {
    let files = |body: &str| {
        format!("//- /a.ts\nexport class A {{ label = 1 }}\n//- /b.ts\nimport {{ A }} from './a';\n{body}\n")
    };
    let script = Script::new(Mood::Good, &[("x", &[A]), ("const", &[A])]);
    let project = |body: &str| Project::with_servers(&files(body), Arc::new(script.clone()));
    // The server expands a shorthand.
    let plain = project("export function f(x: any) { const { label } = x; return label; }");
    assert!(rename(&plain, "").contains("const { title: label } = x; return label;"), "{}", plain.text("b.ts"));
    let taken = project("export function f(x: any, title: any) { const { label } = x; return label + title; }");
    assert!(rename(&taken, "").contains("unresolved: b.ts:2:"), "{}", taken.text("b.ts"));
    assert!(taken.text("b.ts").contains("const { label } = x"));
    let qualified = project("export function f(x: any, title: any) { return x.label + title; }");
    assert!(rename(&qualified, "").contains("return x.title + title;"));
}

/// The references to `A.label`: places with `?` for uncertain ones, after engine and completeness.
fn references(script: &Script, more: &str) -> String {
    let project = Project::with_servers(FILES, Arc::new(script.clone()));
    let call =
        format!(r#"{{"type": "references", "path": "a.ts", "symbol": "A.label", "includeDeclaration": true{more}}}"#);
    let found = project.call("query", &call).expect("an answer");
    let shown = |place: &Value| {
        let doubt = if place["certain"] == true { "" } else { "?" };
        format!("{}:{}:{}{doubt}", place["path"].as_str().unwrap_or_default(), place["line"], place["column"])
    };
    let places: Vec<String> = found["data"]["references"].as_array().expect("a list").iter().map(shown).collect();
    format!("{}{}", summary(&found), places.join(", "))
}

#[test]
fn uncertain_references_become_certain_or_are_removed() {
    let without = "typescript; partial: 3 members with this name have an owner of unknown type\na.ts:1:17, b.ts:2:54?, b.ts:2:63?, b.ts:2:72?";
    let known: &[(&str, &[&str])] = &[("x", &[A]), ("y", &[B])];
    let expected = "typescript, server:script; partial: 1 occurrence may or may not refer to this name\na.ts:1:17, b.ts:2:54, b.ts:2:72?";
    assert_eq!(references(&Script::new(Mood::Good, known), ""), expected);
    assert_eq!(references(&Script::new(Mood::Good, known), r#", "engine": "plugin""#), without);
    for mood in [Mood::Unapproved, Mood::Installed, Mood::Unsupported] {
        assert_eq!(references(&Script::new(mood, known), ""), without, "{mood:?}");
    }
    let all: &[(&str, &[&str])] = &[("x", &[A]), ("y", &[B]), ("z", &[A])];
    assert_eq!(
        references(&Script::new(Mood::Good, all), ""),
        "typescript, server:script; syntactic: 3 occurrences resolved by the language server, not verified\n\
         a.ts:1:17, b.ts:2:54, b.ts:2:72"
    );
    let failed = references(&Script::new(Mood::Fails, all), "");
    assert!(failed.contains("\nwarnings: the language server was not used"), "{failed}");
}

#[test]
fn number_of_questions_is_limited() {
    let uses = "x.label; ".repeat(700);
    let files = format!(
        "//- /a.ts\nexport class A {{ label = 1 }}\n//- /b.ts\nimport {{ A }} from './a';\nexport function f(x: any) {{ {uses} }}\n"
    );
    let script = Script::new(Mood::Good, &[("x", &[A])]);
    let project = Project::with_servers(&files, Arc::new(script.clone()));
    let call =
        r#"{"file": "a.ts", "refactor": "rename_symbol", "symbol": "A.label", "newName": "title", "dryRun": true}"#;
    let done = project.call("file_edit", call).expect("renamed");
    assert_eq!(script.asked.load(Ordering::SeqCst), 500);
    // The rename of the server agrees only about the occurrences that were asked about, so the file is left as it is.
    assert_eq!(done["unresolved"].as_array().map(Vec::len), Some(700), "{}", summary(&done));
}

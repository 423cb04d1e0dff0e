//! Unsaved buffers: they are read and edited in the editor, or the call is refused with the name of the editor. The
//! test editor keeps texts and edits them by lines and columns, like real ones.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use marquetry_model::{
    Error, Kind, Result,
    editor::{
        Answer, AttachedEditor, Capability, Decision, EditorCall, EditorSelection, Editors, FileEdits, NoEditors,
        Point, Proposal, ProposalOwner, ReceivedEvent, Request, Subscription, Tab, UnsavedFile,
    },
};
use marquetry_native::Project;
use serde_json::{Value, json};

/// Behaviour of the editor when it receives an edit.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Manner {
    #[default]
    Edits,
    /// It can neither edit nor return its buffers.
    Keeps,
    /// The user types this many times before it handles the edit.
    IsTypedInto(u32),
    /// It disconnects before or after the edit.
    Dies { edited: bool },
    /// It reports that the file must not change.
    Refuses,
    /// There are two editors, and the one with `b.ts` refuses.
    SecondRefuses,
}

/// An editor with unsaved buffers, by absolute path.
#[derive(Default)]
struct Holding {
    texts: Mutex<BTreeMap<String, String>>,
    manner: Mutex<Manner>,
    asked: Mutex<Vec<String>>,
}

const NAME: &str = "ed";

impl Holding {
    fn text(&self, path: &str) -> String {
        let texts = self.texts.lock().expect("no panic");
        texts
            .iter()
            .find(|(known, _)| known.ends_with(&format!("/{path}")))
            .map(|(_, text)| text.clone())
            .expect("the editor has this file")
    }

    fn apply(&self, files: &[FileEdits]) -> Result<Answer> {
        let mut texts = self.texts.lock().expect("no panic");
        let mut after = texts.clone();
        for file in files {
            let text = texts.get(&file.path).ok_or_else(|| Error::argument("it is not open"))?;
            let spans: Vec<_> =
                file.edits.iter().map(|edit| offset(text, edit.region.start)..offset(text, edit.region.end)).collect();
            let mut new = text.clone();
            for (edit, span) in file.edits.iter().zip(spans).rev() {
                if text[span.clone()] != edit.old {
                    return Err(Error::argument(format!("`{}` is not there", edit.old)));
                }
                new.replace_range(span, &edit.new);
            }
            after.insert(file.path.clone(), new);
        }
        *texts = after;
        Ok(Answer::Done)
    }
}

/// Converts a position like an editor: there is no line after the last line break.
fn offset(text: &str, at: Point) -> usize {
    let line = text.split('\n').nth(at.line as usize).expect("a line");
    let before: usize = text.split('\n').take(at.line as usize).map(|line| line.len() + 1).sum();
    let mut units = 0;
    let column = line.chars().take_while(|c| (units < at.column, units += c.len_utf16() as u32).0);
    before + column.map(char::len_utf8).sum::<usize>()
}

impl Editors for Holding {
    fn attached(&self, _root: Option<&str>) -> Vec<AttachedEditor> {
        Vec::new()
    }

    fn send_request(&self, call: &EditorCall, request: Request) -> Result<Answer> {
        assert!(call.is_exact, "the text of another editor can differ");
        self.asked.lock().expect("no panic").push(Capability::required_by(&request).name().to_owned());
        let manner = *self.manner.lock().expect("no panic");
        match request {
            Request::Text(path) => {
                Ok(Answer::Text(self.texts.lock().expect("no panic").get(&path).map(|text| Arc::from(text.as_str()))))
            }
            Request::Apply(files) => match manner {
                Manner::Edits | Manner::Keeps => self.apply(&files),
                Manner::SecondRefuses if call.editor.as_deref() == Some(NAME) => self.apply(&files),
                Manner::IsTypedInto(0) => self.apply(&files),
                Manner::IsTypedInto(times) => {
                    *self.manner.lock().expect("no panic") = Manner::IsTypedInto(times - 1);
                    for text in self.texts.lock().expect("no panic").values_mut() {
                        text.insert_str(0, &format!("typed {times}\n"));
                    }
                    self.apply(&files)
                }
                Manner::Dies { edited } => {
                    if edited {
                        self.apply(&files)?;
                    }
                    Err(Error::new(Kind::Unsupported, "editor `ed` disconnected before it answered"))
                }
                Manner::Refuses | Manner::SecondRefuses => Err(Error::argument("it cannot be changed in Ed")),
            },
            _ => Err(NoEditors::error()),
        }
    }

    fn propose(&self, _: &EditorCall, _: Proposal, _: Box<dyn FnOnce(Decision) + Send>) -> Result<()> {
        Err(NoEditors::error())
    }

    fn close(&self, _owner: ProposalOwner, _tab: &str) -> bool {
        false
    }

    fn close_all(&self, _owner: ProposalOwner) -> usize {
        0
    }

    fn latest_selection(&self, _root: &str) -> Option<EditorSelection> {
        None
    }

    fn known_tabs(&self, _editor: &str) -> Vec<Tab> {
        Vec::new()
    }

    fn unsaved(&self, paths: &[String]) -> Vec<UnsavedFile> {
        let manner = *self.manner.lock().expect("no panic");
        let (edits_itself, is_second) = (manner != Manner::Keeps, manner == Manner::SecondRefuses);
        let texts = self.texts.lock().expect("no panic");
        let is_meant = |path: &&String| {
            paths.iter().any(|above| {
                path.strip_prefix(above.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let unsaved = |path: &String| UnsavedFile {
            editor: if is_second && path.ends_with("b.ts") { "second".to_owned() } else { NAME.to_owned() },
            title: "Ed 1".to_owned(),
            path: path.clone(),
            can_edit: edits_itself,
        };
        texts.keys().filter(is_meant).map(unsaved).collect()
    }

    fn subscribe(&self, _root: Option<&str>, _listener: Box<dyn Fn(&ReceivedEvent) + Send + Sync>) -> Subscription {
        Subscription::with_end(|| {})
    }
}

const FILES: &str = "\
//- /src/a.ts
export function add(a: number) { return a; }
//- /src/b.ts
import { add } from \"./a\";
export const two = add(2);
//- /notes.txt
one
two
";

/// A project with an editor that has these unsaved buffers.
fn project(unsaved: &[(&str, &str)], manner: Manner) -> (Project, Arc<Holding>) {
    let editor = Arc::<Holding>::default();
    let editors: Arc<dyn Editors> = Arc::<Holding>::clone(&editor);
    let project = Project::new(FILES).with_components(|bench| bench.with_editors(editors));
    let root = project.root().canonicalize().expect("there");
    let path = |name: &str| root.join(name).display().to_string();
    let texts = unsaved.iter().map(|(name, text)| (path(name), (*text).to_owned())).collect();
    *editor.texts.lock().expect("no panic") = texts;
    *editor.manner.lock().expect("no panic") = manner;
    (project, editor)
}

fn call(project: &Project, tool: &str, arguments: &Value) -> Result<Value> {
    project.call(tool, &arguments.to_string())
}

/// Edits `notes.txt`, which is unsaved with this text, and checks the buffer.
#[track_caller]
fn edited(unsaved: &str, arguments: Value, after: &str) {
    let (project, editor) = project(&[("notes.txt", unsaved)], Manner::Edits);
    let mut arguments = arguments;
    arguments["file"] = json!("notes.txt");
    let answer = call(&project, "file_edit", &arguments).unwrap_or_else(|error| panic!("{arguments}: {error}"));
    assert_eq!(editor.text("notes.txt"), after, "{answer}");
    assert_eq!(project.text("notes.txt"), "one\ntwo\n", "only the user saves the file");
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("notes.txt was edited in Ed 1 (`ed`), where it had unsaved changes"), "{warnings}");
}

#[test]
fn edits_apply_to_unsaved_text() {
    edited("one\nmine 😀 é\n", json!({ "operation": "replace_text", "old": "é", "content": "e" }), "one\nmine 😀 e\n");
    edited("a\nb\nc\n", json!({ "operation": "replace", "lines": "2", "content": "x\ny" }), "a\nx\ny\nc\n");
    edited("a\nb\nc\n", json!({ "operation": "delete", "lines": "3" }), "a\nb\n");
    edited("a\nb\nc\n", json!({ "operation": "delete", "lines": "1-3" }), "");
    edited("a\nb\n", json!({ "operation": "insert_after", "lines": "2", "content": "c" }), "a\nb\nc\n");
    edited("a\nb", json!({ "operation": "insert_after", "lines": "2", "content": "c" }), "a\nb\nc");
    edited("", json!({ "operation": "insert_into", "content": "c" }), "c\n");
}

#[test]
fn reads_and_searches_use_unsaved_text() {
    let unsaved = "import { add } from \"./a\";\nexport const mine = add(3);\n";
    let (project, editor) = project(&[("src/b.ts", unsaved)], Manner::Edits);
    let read = call(&project, "file_read", &json!({ "file": "src/b.ts", "symbol": "mine" })).expect("read");
    assert_eq!(read["content"], "export const mine = add(3);");
    let warning = "src/b.ts was read with the unsaved changes in Ed 1 (`ed`)";
    assert!(read["warnings"].to_string().contains(warning), "{read}");
    let pinned = json!({ "file": "src/b.ts", "symbol": "mine", "operation": "replace", "expectedHash": read["hash"],
        "content": "export const mine = add(4);" });
    call(&project, "file_edit", &pinned).expect("the hash is current");
    let old = call(&project, "file_edit", &pinned).expect_err("the text has changed");
    assert_eq!(old.kind(), Kind::Stale);
    let found = call(&project, "query", &json!({ "type": "search", "text": "mine" })).expect("found");
    assert!(found.to_string().contains("src/b.ts"), "{found}");
    let symbols = call(&project, "query", &json!({ "type": "workspaceSymbols", "query": "mine" })).expect("found");
    assert!(symbols.to_string().contains("src/b.ts"), "{symbols}");
    // A saved buffer is read from the file again.
    project.write("src/b.ts", editor.text("src/b.ts"));
    editor.texts.lock().expect("no panic").clear();
    let read = call(&project, "file_read", &json!({ "file": "src/b.ts", "symbol": "mine" })).expect("read");
    assert_eq!((read["content"].as_str(), read.get("warnings")), (Some("export const mine = add(4);"), None));
}

#[test]
fn rename_changes_files_and_unsaved_buffers_together() {
    let unsaved = "import { add } from \"./a\";\nexport const mine = add(3);\n";
    let rename = json!({ "file": "src/a.ts", "symbol": "add", "refactor": "rename_symbol", "newName": "sum" });
    let mut dry = rename.clone();
    dry["dryRun"] = json!(true);
    let (project, editor) = project(&[("src/b.ts", unsaved)], Manner::Edits);
    let shown = call(&project, "file_edit", &dry).expect("shown");
    assert!(shown["diff"].to_string().contains("mine = sum(3)"), "{shown}");
    assert!(shown["warnings"].to_string().contains("src/b.ts would be edited in Ed 1"), "{shown}");
    assert_eq!((editor.text("src/b.ts").as_str(), project.text("src/a.ts").contains("add")), (unsaved, true));
    call(&project, "file_edit", &rename).expect("made");
    assert_eq!(editor.text("src/b.ts"), unsaved.replace("add", "sum"));
    assert!(project.text("src/a.ts").contains("function sum") && project.text("src/b.ts").contains("add(2)"));
}

/// The editor and the call use different paths for the same file. A change of a symbolic link itself does not affect
/// the file.
#[test]
fn unsaved_file_is_found_under_all_its_paths() {
    use std::os::unix::fs::symlink;
    let unsaved = "one\nmine\n";
    for (opened, named) in [
        ("notes.txt", "linked.txt"),
        ("notes.txt", "folder/notes.txt"),
        ("linked.txt", "notes.txt"),
        ("folder/linked.txt", "linked.txt"),
    ] {
        let (project, editor) = project(&[(opened, unsaved)], Manner::Edits);
        symlink("notes.txt", project.root().join("linked.txt")).expect("made");
        symlink(".", project.root().join("folder")).expect("made");
        let about = format!("opened as {opened}, named {named}");
        let read = call(&project, "file_read", &json!({ "file": named })).expect(&about);
        assert!(read.to_string().contains("mine"), "{about}: {read}");
        assert!(
            read["warnings"].to_string().contains(&format!("{named} was read with the unsaved changes in Ed 1")),
            "{about}: {read}"
        );
        let edit = json!({ "file": named, "operation": "replace_text", "old": "mine", "content": "ours" });
        call(&project, "file_edit", &edit).expect(&about);
        assert_eq!((editor.text(opened).as_str(), project.text("notes.txt").as_str()), ("one\nours\n", "one\ntwo\n"));
        let found = call(&project, "query", &json!({ "type": "search", "text": "ours" })).expect(&about);
        assert!(found.to_string().contains("notes.txt"), "{about}: {found}");
        for (tool, arguments) in [
            ("file_create", json!({ "path": named, "content": "x", "overwrite": true })),
            ("file_duplicate", json!({ "source": named, "destination": "other.txt" })),
            ("file_delete", json!({ "paths": ["notes.txt"] })),
        ] {
            let error = call(&project, tool, &arguments).expect_err(&about);
            assert_eq!(error.kind(), Kind::OverwriteBlocked, "{about}, {tool}: {error}");
        }
        let removed = call(&project, "file_delete", &json!({ "paths": ["linked.txt"] }));
        assert_eq!(removed.is_ok(), opened == "notes.txt", "{about}: {removed:?}");
        assert_eq!(project.text("notes.txt"), "one\ntwo\n", "{about}");
    }
}

#[test]
fn concurrent_user_edit_is_not_overwritten() {
    let edit = json!({ "file": "notes.txt", "operation": "replace_text", "old": "two", "content": "2" });
    let (project, editor) = project(&[("notes.txt", "one\ntwo\n")], Manner::IsTypedInto(2));
    call(&project, "file_edit", &edit).expect("the third attempt uses the current text");
    assert_eq!(editor.text("notes.txt"), "typed 1\ntyped 2\none\n2\n");
    *editor.manner.lock().expect("no panic") = Manner::IsTypedInto(100);
    let error = call(
        &project,
        "file_edit",
        &json!({ "file": "notes.txt", "operation": "replace_text", "old": "one", "content": "1" }),
    );
    assert_eq!(error.expect_err("the text changes all the time").kind(), Kind::Stale);
    assert!(editor.text("notes.txt").contains("\none\n2\n"));
}

#[test]
fn editor_that_disconnects_during_edit_loses_nothing() {
    for edited in [false, true] {
        let unsaved = "import { add } from \"./a\";\nadd(3);\n";
        let (project, editor) = project(&[("src/b.ts", unsaved)], Manner::Dies { edited });
        let before = project.text("src/a.ts");
        let rename = json!({ "file": "src/a.ts", "symbol": "add", "refactor": "rename_symbol", "newName": "sum" });
        let error = call(&project, "file_edit", &rename).expect_err("it went away");
        assert_eq!(
            error.content().message,
            "it is not known whether Ed 1 (`ed`) edited src/b.ts, which has unsaved changes there: editor `ed` \
             disconnected before it answered"
        );
        assert_eq!((project.text("src/a.ts"), project.text("src/b.ts").contains("add(2)")), (before, true));
        assert!(editor.text("src/b.ts").contains("(3);"));
    }
}

#[test]
fn edit_that_editor_cannot_apply_is_refused() {
    let edit = json!({ "file": "notes.txt", "operation": "replace_text", "old": "one", "content": "1" });
    let (project, editor) = project(&[("notes.txt", "mine\none\n")], Manner::Keeps);
    let refused = |tool: &str, arguments: &Value, part: &str| {
        let error = call(&project, tool, arguments).expect_err("it is unsaved");
        assert_eq!(error.kind(), Kind::OverwriteBlocked, "{error}");
        assert!(error.content().message.contains(part), "{error}");
        assert_eq!(
            (project.text("notes.txt").as_str(), editor.text("notes.txt").as_str()),
            ("one\ntwo\n", "mine\none\n")
        );
    };
    let unsaved = "notes.txt has unsaved changes in Ed 1 (`ed`)";
    refused("file_edit", &edit, unsaved);
    let read = call(&project, "file_read", &json!({ "file": "notes.txt" })).expect("read");
    assert!(read["warnings"].to_string().contains("the version on disk was read"), "{read}");
    *editor.manner.lock().expect("no panic") = Manner::Refuses;
    refused("file_edit", &edit, "which did not apply the edit: it cannot be changed in Ed");
    *editor.manner.lock().expect("no panic") = Manner::Edits;
    refused("file_delete", &json!({ "paths": ["notes.txt"] }), unsaved);
    refused("file_move", &json!({ "source": "notes.txt", "destination": "other.txt" }), unsaved);
    refused("file_duplicate", &json!({ "source": "notes.txt", "destination": "other.txt" }), unsaved);
    refused("file_create", &json!({ "path": "notes.txt", "content": "x", "overwrite": true }), unsaved);
    editor.texts.lock().expect("no panic").values_mut().for_each(|text| *text = "mine\r\rone\n".to_owned());
    let error = call(&project, "file_edit", &edit).expect_err("mixed");
    assert!(error.content().message.contains("mixed line endings"), "{error}");
}

#[test]
fn files_on_disk_are_checked_before_the_editor_edits() {
    let unsaved = "import { add } from \"./a\";\nadd(3);\n";
    let (project, editor) = project(&[("src/b.ts", unsaved)], Manner::Edits);
    let rename = json!({ "file": "src/a.ts", "symbol": "add", "refactor": "rename_symbol", "newName": "sum",
        "expectedHash": "0000" });
    let error = call(&project, "file_edit", &rename).expect_err("another hash");
    assert_eq!((error.kind(), editor.text("src/b.ts").as_str()), (Kind::Stale, unsaved));
    assert!(!editor.asked.lock().expect("no panic").contains(&"apply".to_owned()));
}

#[test]
fn edit_is_reverted_if_another_editor_refuses() {
    let (a, b) = ("export function add(a: number) { return a + 1; }\n", "import { add } from \"./a\";\nadd(3);\n");
    let (project, editor) = project(&[("src/a.ts", a), ("src/b.ts", b)], Manner::SecondRefuses);
    let rename = json!({ "file": "src/a.ts", "symbol": "add", "refactor": "rename_symbol", "newName": "sum" });
    let error = call(&project, "file_edit", &rename).expect_err("the second refuses");
    assert!(error.content().message.contains("src/b.ts has unsaved changes in Ed 1 (`second`)"), "{error}");
    assert_eq!((editor.text("src/a.ts").as_str(), editor.text("src/b.ts").as_str()), (a, b));
    let asked = editor.asked.lock().expect("no panic").iter().filter(|name| *name == "apply").count();
    assert_eq!(asked, 3, "one edit per editor, and one to revert the first");
}

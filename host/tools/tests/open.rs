//! `open` with real packs, an editor that records its requests, and a repository that is a list. Tests requests and
//! answers.

use std::sync::{Arc, Mutex};

use marquetry_model::{
    Error, Kind, Result, Work,
    editor::{
        Answer, AttachedEditor, ConnectionState, Decision, DiffSide, EditorCall, EditorDiagnostic, EditorSelection,
        Editors, FileDiagnostics, NoEditors, Opened, Point, Proposal, ProposalOwner, ReceivedEvent, Region, Request,
        Reveal, Revealed, Subscription, Tab, UnsavedFile,
    },
    pack::Severity,
    repository::{ChangeArea, FileVersion, Repositories, Status, StatusEntry},
};
use marquetry_native::Project;
use serde_json::{Value, json};

const FILES: &str = "\
//- /src/a.ts
export function add(a: number, b: number) {
  return a + b;
}
export class Shape { area() { return 0 } }
//- /src/b.ts
export class Circle { area() { return 1 } }
export const only = 1;
//- /same.txt
same
//- /new.txt
new
";

/// An editor that records its requests.
#[derive(Default)]
struct Recorder {
    asked: Mutex<Vec<String>>,
    alone: bool,
    /// Open files; the last one is focused.
    open: Mutex<Vec<String>>,
}

fn side(side: &DiffSide) -> String {
    let text = side.text.as_ref().map_or_else(|| "the file".to_owned(), |text| format!("{text:?}"));
    format!("{} [{}] {text}", side.path.as_deref().unwrap_or("-"), side.label)
}

impl Editors for Recorder {
    fn attached(&self, _root: Option<&str>) -> Vec<AttachedEditor> {
        let attached = AttachedEditor {
            name: "one".to_owned(),
            integration: "one".to_owned(),
            title: "One".to_owned(),
            channel: String::new(),
            state: ConnectionState::Ready,
            folders: Vec::new(),
            capabilities: vec!["diagnostics"],
            focus_order: 1,
        };
        if self.alone { Vec::new() } else { vec![attached] }
    }

    fn send_request(&self, call: &EditorCall, request: Request) -> Result<Answer> {
        if self.alone {
            return Err(NoEditors::error());
        }
        if let Some(editor) = call.editor.as_deref().filter(|editor| *editor != "one") {
            return Err(Error::argument(format!("no editor `{editor}`")).candidates(["one".to_owned()]));
        }
        let (recorded, answer) = match request {
            Request::Open(file) => {
                let reveal = match file.reveal {
                    Reveal::Region(region) => {
                        let (start, end) = (region.start, region.end);
                        format!(" {}:{}-{}:{}", start.line, start.column, end.line, end.column)
                    }
                    _ => String::new(),
                };
                let opened = Opened { revealed: Revealed::All, ..Opened::default() };
                (format!("open {}{reveal}", file.path), Answer::Opened(opened))
            }
            Request::ShowDiff(diff) => {
                (format!("diff {} | {} | {}", diff.title, side(&diff.left), side(&diff.right)), Answer::Done)
            }
            Request::Diagnostics(path) => {
                let at = |line, column| Point { line, column };
                let region = Region { start: at(1, 9), end: at(1, 10) };
                let (message, source, code) = ("`a` is odd".to_owned(), "lint".to_owned(), "odd".to_owned());
                let finding = EditorDiagnostic { region, severity: Severity::Warning, message, source, code };
                let recorded = |path: String| FileDiagnostics { path, diagnostics: vec![finding.clone()] };
                let all = [format!("{}/src/a.ts", call.root), "/elsewhere.ts".to_owned()];
                let answer = Answer::Diagnostics(all.into_iter().map(recorded).collect());
                (format!("diagnostics {}", path.unwrap_or_default()), answer)
            }
            other => return Err(Error::internal(format!("{other:?}"))),
        };
        self.asked.lock().expect("no panic").push(recorded.replace(call.root.as_str(), "$root"));
        Ok(answer)
    }

    fn propose(&self, _: &EditorCall, _: Proposal, _: Box<dyn FnOnce(Decision) + Send>) -> Result<()> {
        Err(Error::internal("nothing is proposed"))
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
        let open = self.open.lock().expect("no panic");
        let tab = |path: &String| {
            let active = open.last() == Some(path);
            Tab { path: Some(path.clone()), active, group_active: true, ..Tab::default() }
        };
        open.iter().map(tab).collect()
    }

    fn unsaved(&self, _paths: &[String]) -> Vec<UnsavedFile> {
        Vec::new()
    }

    fn subscribe(&self, _root: Option<&str>, _listener: Box<dyn Fn(&ReceivedEvent) + Send + Sync>) -> Subscription {
        Subscription::with_end(|| {})
    }
}

/// A repository with a fixed list of files at revisions.
struct List;

const VERSIONS: [(&str, &str, &str); 6] = [
    ("same.txt", "main", "same\n"),
    ("same.txt", "HEAD", "other\n"),
    ("same.txt", "staged", "same\r\n"),
    ("gone.txt", "HEAD", "gone\n"),
    ("new.txt", "staged", "new\n"),
    ("src/b.ts", "HEAD~1", "export const only = 0;\n"),
];

impl Repositories for List {
    fn status(&self, _root: &str, path: Option<&str>, _work: &Work) -> Result<Status> {
        let entry = |area, path: &str, status, from: Option<&str>| StatusEntry {
            area,
            path: path.to_owned(),
            status,
            from: from.map(str::to_owned),
        };
        let mut entries = vec![
            entry(ChangeArea::Staged, "b", "renamed", Some("a")),
            entry(ChangeArea::Unstaged, "c", "modified", None),
            entry(ChangeArea::Untracked, "d/", "untracked", None),
            entry(ChangeArea::Conflict, "e", "both modified", None),
        ];
        entries.retain(|entry| path.is_none_or(|path| entry.path == path));
        Ok(Status {
            branch: Some("main".to_owned()),
            commit: Some("0123456789abcdef".to_owned()),
            upstream: Some("origin/main".to_owned()),
            ahead: Some(1),
            behind: Some(2),
            operation: Some("merge"),
            entries,
            ..Status::default()
        })
    }

    fn version(&self, _root: &str, path: &str, revision: &str, _work: &Work) -> Result<Option<FileVersion>> {
        if !VERSIONS.iter().any(|(_, known, _)| *known == revision) {
            return Err(Error::new(Kind::TargetNotFound, format!("unknown revision `{revision}`"))
                .candidates(["main".to_owned()]));
        }
        let found = VERSIONS.iter().find(|(of, at, _)| (*of, *at) == (path, revision));
        Ok(found.map(|(_, _, text)| FileVersion { bytes: text.as_bytes().to_vec(), commit: None }))
    }
}

fn project(editor: &Arc<Recorder>) -> Project {
    let editors: Arc<dyn Editors> = Arc::<Recorder>::clone(editor);
    Project::new(FILES).with_components(|bench| bench.with_editors(editors).with_repositories(Arc::new(List)))
}

/// Opens something and checks the requests to the editor and the answer, without the fixed parts of a success.
#[track_caller]
fn check(arguments: &Value, asked: &[&str], expected: &Value) {
    let editor = Arc::<Recorder>::default();
    let answer = project(&editor).call("open", &arguments.to_string()).expect("an answer");
    assert_eq!(*editor.asked.lock().expect("no panic"), asked, "{arguments}: {answer}");
    assert_eq!(answer["success"], expected.get("error").is_none(), "{answer}");
    for (name, value) in expected.as_object().expect("fields") {
        let field = if name == "error" { &answer[name] } else { &answer["results"][0][name] };
        assert_eq!(field, value, "{name} of {answer}");
    }
}

#[test]
fn open_selects_lines_of_a_file() {
    check(&json!({ "type": "file", "path": "src/a.ts" }), &["open $root/src/a.ts"], &json!({ "path": "src/a.ts" }));
    check(&json!({ "path": "src/a.ts" }), &["open $root/src/a.ts"], &json!({ "type": "file" }));
    let lines = json!({ "start": { "line": 2, "column": 0 }, "end": { "line": 3, "column": 1 } });
    check(
        &json!({ "type": "file", "path": "src/a.ts", "startLine": 2, "endLine": 3 }),
        &["open $root/src/a.ts 1:0-2:1"],
        &json!({ "range": lines }),
    );
    check(&json!({ "path": "src/a.ts", "startLine": 4 }), &["open $root/src/a.ts 3:0-3:42"], &json!({}));
    for (arguments, error) in [
        (json!({ "path": "src/nowhere.ts" }), "Failed to open file: `src/nowhere.ts` does not exist"),
        (json!({ "path": "src" }), "Failed to open file: `src` is a folder"),
        (json!({ "path": "src/a.ts", "startLine": 99 }), "Failed to open file: no line 99"),
        (
            json!({ "path": "src/a.ts", "startLine": 3, "endLine": 2 }),
            "Failed to open file: `endLine` 2 is above `startLine` 3",
        ),
        (json!({ "type": "flie", "path": "a" }), "Failed to open item: items of the type `flie` cannot be opened"),
        (json!({ "type": "diff", "left": "same.txt" }), "Failed to open diff: `right` is missing"),
        (json!({ "path": "same.txt", "editor": "two" }), "Failed to open file: no editor `two`"),
    ] {
        check(&arguments, &[], &json!({ "error": error }));
    }
    let editor = Arc::<Recorder>::default();
    let outside = project(&editor).call("open", r#"{"path": "/etc/passwd"}"#).expect("an answer");
    assert_eq!(outside["results"][0]["kind"], "OutsideWorkspace", "{outside}");
}

#[test]
fn open_shows_diff_of_two_files() {
    check(
        &json!({ "type": "diff", "left": "same.txt", "right": "new.txt" }),
        &["diff same.txt ↔ new.txt | $root/same.txt [same.txt] the file | $root/new.txt [new.txt] the file"],
        &json!({ "type": "diff", "change": "modified" }),
    );
    check(
        &json!({ "type": "diff", "left": "same.txt", "right": "same.txt", "title": "Custom Title" }),
        &["diff Custom Title | $root/same.txt [same.txt] the file | $root/same.txt [same.txt] the file"],
        &json!({ "note": "the files are the same" }),
    );
}

#[test]
fn open_shows_diff_of_two_revisions() {
    let diff = |path: &str, from: &str, to: &str| json!({ "type": "gitDiff", "path": path, "from": from, "to": to });
    check(
        &diff("same.txt", "HEAD", "working"),
        &[
            "diff same.txt (HEAD ↔ working) | $root/same.txt [same.txt (HEAD)] \"other\\n\" | $root/same.txt [same.txt] the file",
        ],
        &json!({ "type": "gitDiff", "change": "modified" }),
    );
    check(
        &json!({ "type": "gitDiff", "path": "same.txt" }),
        &[
            "diff same.txt (HEAD ↔ working) | $root/same.txt [same.txt (HEAD)] \"other\\n\" | $root/same.txt [same.txt] the file",
        ],
        &json!({}),
    );
    check(
        &diff("new.txt", "HEAD", "staged"),
        &[
            "diff new.txt (HEAD ↔ staged) | $root/new.txt [new.txt (not in HEAD)] \"\" | $root/new.txt [new.txt (staged)] \"new\\n\"",
        ],
        &json!({ "change": "created" }),
    );
    check(
        &diff("gone.txt", "HEAD", "working"),
        &[
            "diff gone.txt (HEAD ↔ working) | $root/gone.txt [gone.txt (HEAD)] \"gone\\n\" | $root/gone.txt [gone.txt (not in working)] \"\"",
        ],
        &json!({ "change": "deleted" }),
    );
    check(
        &diff("same.txt", "staged", "working"),
        &[
            "diff same.txt (staged ↔ working) | $root/same.txt [same.txt (staged)] \"same\\n\" | $root/same.txt [same.txt] the file",
        ],
        &json!({ "note": "only line endings differ" }),
    );
    for (arguments, error) in [
        (diff("same.txt", "main", "working"), "Failed to open git diff: File has no changes between main and working"),
        (
            diff("nowhere.txt", "HEAD", "working"),
            "Failed to open git diff: `nowhere.txt` is neither in HEAD nor in working",
        ),
        (diff("same.txt", "mian", "working"), "Failed to open git diff: unknown revision `mian`"),
        (diff("src", "HEAD", "working"), "Failed to open git diff: `src` is a folder"),
    ] {
        check(&arguments, &[], &json!({ "error": error }));
    }
}

#[test]
fn open_finds_symbol_by_name_and_address() {
    let find = |query: &str, path: Option<&str>| match path {
        Some(path) => json!({ "type": "symbol", "query": query, "path": path }),
        None => json!({ "type": "symbol", "query": query }),
    };
    check(&find("add", None), &["open $root/src/a.ts 0:0-2:1"], &json!({ "path": "src/a.ts", "address": "add" }));
    check(&find("Circle.area", None), &["open $root/src/b.ts 0:22-0:41"], &json!({ "address": "Circle.area" }));
    check(&find("ONLY", None), &["open $root/src/b.ts 1:0-1:22"], &json!({ "address": "only" }));
    check(&find("area", Some("src/a.ts")), &["open $root/src/a.ts 3:21-3:40"], &json!({ "address": "Shape.area" }));
    check(
        &find("area", None),
        &[],
        &json!({
            "error": "Failed to open symbol: 2 symbols are called `area`",
            "candidates": ["src/a.ts: Shape.area", "src/b.ts: Circle.area"],
        }),
    );
    check(
        &find("ad", None),
        &[],
        &json!({ "error": "Failed to open symbol: no symbol `ad` in the workspace", "candidates": ["add"] }),
    );
}

#[test]
fn failed_item_does_not_stop_the_others() {
    let editor = Arc::<Recorder>::default();
    let project = project(&editor);
    let items = json!([{ "path": "same.txt" }, { "path": "nowhere.txt" }, { "type": "symbol", "query": "only" }]);
    let answer = project.call("open", &json!({ "items": items }).to_string()).expect("an answer");
    let succeeded: Vec<&Value> =
        answer["results"].as_array().expect("a list").iter().map(|one| &one["success"]).collect();
    assert_eq!(succeeded, [true, false, true]);
    assert_eq!(answer["error"], "1 of 3 were not opened: Failed to open file: `nowhere.txt` does not exist");
    assert_eq!(*editor.asked.lock().expect("no panic"), ["open $root/same.txt", "open $root/src/b.ts 1:0-1:22"]);
    let one =
        project.call("open", r#"{"items": {"type": "file", "path": "same.txt"}}"#).expect("one item needs no list");
    assert_eq!(one["success"], true);
    for wrong in [r#"{"items": []}"#, r#"{"items": [{"path": "a"}], "path": "b"}"#, r#"{"items": [{"pth": "a"}]}"#] {
        assert_eq!(project.call("open", wrong).expect_err(wrong).kind(), Kind::InvalidArgument, "{wrong}");
    }
}

#[test]
fn without_editor_open_fails_and_show_prints() {
    let alone = Arc::new(Recorder { alone: true, ..Recorder::default() });
    let project = project(&alone);
    let error = project.call("open", r#"{"path": "same.txt"}"#).expect_err("there is none");
    assert_eq!((error.kind(), error.content().message.as_str()), (Kind::Unsupported, "no editor is attached"));
    assert!(error.content().hint.is_some());
    let show = |arguments: Value| {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        project.catalog().open_content(arguments, &Work::default()).expect("shown")["results"][0].clone()
    };
    assert_eq!(show(json!({ "path": "src/a.ts", "startLine": 2, "endLine": 3 }))["content"], "  return a + b;\n}\n");
    assert_eq!(
        show(json!({ "type": "gitDiff", "path": "new.txt", "from": "HEAD", "to": "working" }))["diff"],
        "--- /dev/null\n+++ new.txt\n@@ -0,0 +1 @@\n+new\n"
    );
    let made =
        project.call("file_create", r#"{"path": "made.txt", "content": "1\n", "openInEditor": true}"#).expect("made");
    assert_eq!(made["warnings"], json!(["the file was not opened: no editor is attached"]));
}

#[test]
fn created_file_is_opened_on_request() {
    let editor = Arc::<Recorder>::default();
    let project = project(&editor);
    let made =
        project.call("file_create", r#"{"path": "made.txt", "content": "1\n", "openInEditor": true}"#).expect("made");
    assert!(made.get("warnings").is_none(), "{made}");
    project.call("file_create", r#"{"path": "dry.txt", "openInEditor": true, "dryRun": true}"#).expect("a dry run");
    assert_eq!(*editor.asked.lock().expect("no panic"), ["open $root/made.txt"]);
}

#[test]
fn git_status_is_paged() {
    let project = project(&Arc::default());
    let ask = |more: Value| {
        let mut arguments = json!({ "type": "gitStatus" });
        for (name, value) in more.as_object().expect("fields") {
            arguments[name] = value.clone();
        }
        project.call("query", &arguments.to_string()).expect("an answer")
    };
    let all = ask(json!({}));
    assert_eq!(
        all["data"],
        json!({
            "branch": "main", "commit": "0123456789abcdef", "upstream": "origin/main", "ahead": 1, "behind": 2,
            "operation": "merge",
            "staged": [{ "path": "b", "status": "renamed", "from": "a" }],
            "unstaged": [{ "path": "c", "status": "modified" }],
            "untracked": [{ "path": "d/", "status": "untracked" }],
            "conflicts": [{ "path": "e", "status": "both modified" }],
        })
    );
    assert_eq!((&all["engine"], &all["completeness"]), (&json!("git"), &json!("complete")));
    let second = ask(json!({ "offset": 1, "limit": 2 }));
    assert_eq!((&second["total"], &second["data"]["staged"]), (&json!(4), &json!([])), "{second}");
    assert_eq!(
        (&second["data"]["unstaged"][0]["path"], &second["data"]["untracked"][0]["path"]),
        (&json!("c"), &json!("d/"))
    );
    assert_eq!(ask(json!({ "path": "c" }))["data"]["staged"], json!([]));
}

#[test]
fn project_info_lists_open_files() {
    let editor = Arc::<Recorder>::default();
    let project = project(&editor);
    let root = project.root().display().to_string();
    let open = ["/src/a.ts", "/src/b.ts"].map(|path| format!("{root}{path}"));
    *editor.open.lock().expect("no panic") = open.into_iter().chain(["/elsewhere.ts".to_owned()]).rev().collect();
    let data = &project.call("query", r#"{"type": "projectInfo"}"#).expect("an answer")["data"];
    assert_eq!(data["openEditors"], json!(["src/b.ts", "src/a.ts"]), "{data}");
    assert_eq!((&data["activeFile"], &data["editor"]), (&json!("src/a.ts"), &json!("One")));
    let alone = Arc::new(Recorder { alone: true, ..Recorder::default() });
    let data = &self::project(&alone).call("query", r#"{"type": "projectInfo"}"#).expect("an answer")["data"];
    assert_eq!((&data["activeFile"], &data["openEditors"]), (&Value::Null, &json!([])));
    assert_eq!(data["editor"], "no editor is attached");
}

#[test]
fn editor_engine_returns_editor_diagnostics() {
    let editor = Arc::<Recorder>::default();
    let project = project(&editor);
    let ask = |more: &str| project.call("query", &format!(r#"{{"type": "diagnostics", "engine": "editor"{more}}}"#));
    let answer = ask(r#", "path": "src/a.ts""#).expect("an answer");
    assert_eq!(
        answer["data"]["diagnostics"],
        json!([{ "path": "src/a.ts", "line": 2, "column": 9, "severity": "warning", "message": "`a` is odd",
            "source": "lint", "code": "odd" }])
    );
    assert_eq!((&answer["engine"], &answer["data"]["files"]), (&json!("editor:one"), &json!(1)));
    assert!(
        answer["completeness"]
            .as_str()
            .is_some_and(|completeness| completeness.starts_with("syntactic: reported by One")),
        "{answer}"
    );
    let all = ask("").expect("an answer");
    assert_eq!(all["data"]["diagnostics"].as_array().map(Vec::len), Some(1), "only those of this root: {all}");
    assert_eq!(ask(r#", "severity": "error""#).expect("an answer")["data"]["diagnostics"], json!([]));
    assert_eq!(*editor.asked.lock().expect("no panic"), ["diagnostics $root/src/a.ts", "diagnostics ", "diagnostics "]);
    assert_eq!(ask(r#", "path": "src/no.ts""#).expect_err("not there").kind(), Kind::FileNotFound);
    assert_eq!(ask(r#", "checks": ["links"]"#).expect_err("an editor chooses its checks").kind(), Kind::Unsupported);
    let other =
        project.call("query", r#"{"type": "references", "engine": "editor", "path": "src/a.ts", "symbol": "add"}"#);
    assert_eq!(other.expect_err("editors only report diagnostics").kind(), Kind::Unsupported);
    let alone = self::project(&Arc::new(Recorder { alone: true, ..Recorder::default() }));
    let error = alone.call("query", r#"{"type": "diagnostics", "engine": "editor"}"#).expect_err("there is none");
    assert_eq!(error.content().message, "no attached editor reports diagnostics");
}

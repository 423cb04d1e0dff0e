//! Calls without packs: typed and by name, in the background, cancellation, and events.

use std::sync::{
    Arc, Condvar, Mutex,
    atomic::{AtomicBool, Ordering},
    mpsc::{TryRecvError, channel},
};

use marquetry::{
    CreateArgs, Event, EventKind, Host, Kind, MemoryFiles, MoveArgs, QueryArgs, Result, ToolFormat, Work,
    ports::{Change, ChangeEffects, EntryKind, FileStamp, Files, PastChange, Source},
};
use serde_json::json;

fn memory() -> (MemoryFiles, Host) {
    let files = MemoryFiles::new([("a.txt", "one\n"), ("docs/b.txt", "two\n")]);
    (files.clone(), Host::builder().files(files).build().expect("built"))
}

#[test]
fn typed_calls_and_json_give_the_same_answer() {
    let (_, host) = memory();
    let typed = host.query(&QueryArgs { r#type: "files".to_owned(), ..QueryArgs::default() }).expect("answered");
    let named = host.call("query", json!({ "type": "files" })).expect("answered");
    assert_eq!(serde_json::to_value(typed).expect("JSON"), named);
    let method = host.call("files/nothing", json!({})).expect_err("no such tool");
    assert_eq!(method.content().hint.as_deref(), Some("use one of the candidates"));
}

#[test]
fn typed_arguments_are_validated_like_json() {
    let (files, host) = memory();
    let empty = host.file_create(&CreateArgs::default()).expect_err("a path is missing");
    assert_eq!(empty.kind(), Kind::InvalidArgument);
    let named = host.call("file_create", json!({ "path": "" })).expect_err("a path is missing");
    assert_eq!(empty, named);
    let list = host.call("file_create", json!(["a.txt"])).expect_err("no object");
    assert_eq!(list.content().message, "the arguments are not an object");
    assert_eq!(files.paths().len(), 2);
}

#[test]
fn changes_are_undone_and_described_in_the_history() {
    let (files, host) = memory();
    let (source, destination) = (Some("docs".to_owned()), Some("pages".to_owned()));
    let args = MoveArgs { source, destination, ..MoveArgs::default() };
    host.with_reason("pages are published").file_move(&args).expect("moved");
    assert_eq!(files.paths(), ["a.txt", "pages/b.txt"]);
    let history = host.call("file_history", json!({})).expect("listed");
    assert_eq!(history["changes"][0]["why"], "pages are published");
    assert_eq!(history["changes"][0]["tool"], "file_move");
    host.call("file_undo", json!({})).expect("undone");
    assert_eq!(files.paths(), ["a.txt", "docs/b.txt"]);
}

#[test]
fn calls_of_one_work_have_their_own_origin() {
    let (_, host) = memory();
    let work = Work::default();
    let part = host.with_work(&work).with_reason("a series");
    part.call("query", json!({ "type": "files" })).expect("answered");
    part.call("file_delete", json!({ "path": "a.txt" })).expect("deleted");
    let history = host.call("file_history", json!({})).expect("listed");
    assert_eq!(history["changes"][0]["tool"], "file_delete");
    assert_eq!(history["changes"][0]["why"], "a series");
    work.cancel();
    assert_eq!(part.call("query", json!({ "type": "files" })).expect_err("cancelled").kind(), Kind::Cancelled);
}

#[test]
fn background_calls_run_at_the_same_time() {
    let (files, host) = memory();
    let create =
        |number: usize| host.call_async("file_create", json!({ "path": format!("n{number}.txt"), "content": "x" }));
    let calls: Vec<_> = (0..40).map(create).collect();
    for call in calls {
        call.wait().expect("created");
    }
    assert_eq!(files.paths().len(), 42);
    let nested = host.run_async(|host| host.query(&QueryArgs { r#type: "files".to_owned(), ..QueryArgs::default() }));
    assert_eq!(nested.wait().expect("answered").completeness, "complete");
}

#[test]
fn dropped_future_cancels_its_own_calls_only() {
    let (_, host) = memory();
    let work = Work::default();
    let part = host.with_work(&work);
    drop(part.run_async(|host| host.call("query", json!({ "type": "files" }))));
    part.call_async("file_history", json!({})).wait().expect("another call of the same work goes on");
    work.check().expect("the work itself goes on");
}

#[test]
fn calls_that_wait_for_calls_end() {
    let (_, host) = memory();
    let nested = |host: &Host| host.call_async("file_history", json!({})).wait();
    let calls: Vec<_> = (0..40).map(|_| host.run_async(nested)).collect();
    for call in calls {
        call.wait().expect("answered");
    }
}

#[test]
fn files_in_memory_have_the_protected_names_of_files_on_disk() {
    let (_, host) = memory();
    for path in [".git/config", ".GIT/config", ".git./config", ".jj/x", "docs/.hg/hgrc"] {
        let error = host.call("file_create", json!({ "path": path, "content": "x" })).expect_err(path);
        assert_eq!(error.kind(), Kind::PermissionDenied, "{path}");
    }
}

#[test]
fn folder_on_disk_with_the_same_root_is_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("registry.toml"), "marquetry = \"no number\"\n").expect("written");
    let (gate, begun) = (Arc::new((Mutex::new(true), Condvar::new())), Arc::default());
    let root = folder.path().to_string_lossy().into_owned();
    let files = SlowFiles { root, files: MemoryFiles::new([("a.txt", "one\n")]), gate, begun };
    let host = Host::builder().files(files).build().expect("built");
    let list = host.call("query", json!({ "type": "projectInfo" })).expect("the registry on disk is not read");
    assert_eq!(list["completeness"], "complete");
}

#[test]
fn events_report_each_call() {
    let (seen, files) = (Arc::new(Mutex::new(Vec::new())), MemoryFiles::new([("a.txt", "")]));
    let sink = Arc::clone(&seen);
    let report = move |event: &Event| sink.lock().expect("no panic").push(*event);
    let host = Host::builder().files(files).on_event(report).build().expect("built");
    host.call("query", json!({ "type": "files" })).expect("answered");
    host.call("file_move", json!({ "source": "b.txt", "destination": "c.txt" })).expect_err("missing");
    let seen = seen.lock().expect("no panic");
    let kinds: Vec<_> = seen.iter().map(|event| (event.call, event.tool, event.kind)).collect();
    let ended = |failure| EventKind::Ended { failure };
    assert_eq!(
        kinds,
        [
            (1, "query", EventKind::Begun),
            (1, "query", ended(None)),
            (2, "file_move", EventKind::Begun),
            (2, "file_move", ended(Some(Kind::FileNotFound))),
        ]
    );
}

/// Files whose changes wait until the gate opens, and fail if the call is cancelled.
struct SlowFiles {
    root: String,
    files: MemoryFiles,
    gate: Arc<(Mutex<bool>, Condvar)>,
    begun: Arc<AtomicBool>,
}

impl Files for SlowFiles {
    fn root(&self) -> &str {
        &self.root
    }
    fn is_on_disk(&self) -> bool {
        false
    }
    fn locate(&self, path: &str) -> Result<String> {
        self.files.locate(path)
    }
    fn read(&self, path: &str) -> Result<Source> {
        self.files.read(path)
    }
    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.files.read_bytes(path)
    }
    fn stat(&self, path: &str) -> Option<EntryKind> {
        self.files.stat(path)
    }
    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        self.files.entries(path)
    }
    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        self.files.walk(below)
    }
    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<ChangeEffects> {
        self.begun.store(true, Ordering::SeqCst);
        let open = self.gate.0.lock().expect("no panic");
        drop(self.gate.1.wait_while(open, |open| !*open).expect("no panic"));
        work.check()?;
        self.files.apply(change, dry_run, work)
    }
    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(PastChange, ChangeEffects)> {
        self.files.undo(id, dry_run, work)
    }
    fn history(&self, limit: usize) -> Result<Vec<PastChange>> {
        self.files.history(limit)
    }
}

#[test]
fn dropped_future_cancels_a_running_change_of_own_files() {
    let (files, gate, begun) = (MemoryFiles::default(), Arc::default(), Arc::<AtomicBool>::default());
    let slow = SlowFiles {
        root: "/slow".to_owned(),
        files: files.clone(),
        gate: Arc::clone(&gate),
        begun: Arc::clone(&begun),
    };
    let (sender, ended) = channel();
    let report = move |event: &Event| {
        if let EventKind::Ended { failure } = event.kind {
            sender.send(failure).expect("received");
        }
    };
    let host = Host::builder().files(slow).on_event(report).build().expect("built");
    let call = host.call_async("file_create", json!({ "path": "a.txt", "content": "one" }));
    while !begun.load(Ordering::SeqCst) {
        assert_eq!(ended.try_recv(), Err(TryRecvError::Empty), "the call must not end before its change");
        std::thread::yield_now();
    }
    drop(call);
    *gate.0.lock().expect("no panic") = true;
    gate.1.notify_all();
    assert_eq!(ended.recv().expect("an end"), Some(Kind::Cancelled));
    assert!(files.paths().is_empty(), "nothing must be written");
    host.call("file_create", json!({ "path": "a.txt", "content": "one" })).expect("the host goes on");
}

#[test]
fn definitions_have_all_tools_in_each_format() {
    let (_, host) = memory();
    for format in [ToolFormat::Openai, ToolFormat::Anthropic] {
        let list = host.tool_definitions(format);
        assert_eq!(list.as_array().map(Vec::len), Some(host.tools().len()));
    }
    let error = host.call("file_read", json!({ "file": "c.txt" }));
    assert!(host.text_for_model("file_read", &error).contains("candidates:\n- a.txt"));
}

#[test]
fn settings_that_exclude_each_other_are_refused() {
    let refuse = |built: Result<Host>| built.err().expect("refused").content().message.clone();
    assert_eq!(refuse(Host::builder().build()), "a host needs a root");
    let both = Host::builder().root("/tmp").files(MemoryFiles::default());
    assert_eq!(refuse(both.build()), "`root` and `files` exclude each other");
    let twice = Host::builder().files(MemoryFiles::default()).files(MemoryFiles::default());
    assert_eq!(refuse(twice.build()), "two `files` have the same root");
    let ignored = Host::builder().files(MemoryFiles::default()).any_root(true);
    assert_eq!(refuse(ignored.build()), "`any_root` needs a folder on disk, and `files` has none");
}

#[cfg(unix)]
#[test]
fn state_folder_of_everyone_is_refused() {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    let folder = tempfile::tempdir().expect("a folder");
    let (root, state) = (folder.path().join("root"), folder.path().join("state"));
    fs::create_dir(&root).expect("created");
    fs::create_dir(&state).expect("created");
    let build = || Host::builder().root(&root).state(&state).build();
    for (mode, is_private) in [(0o777, false), (0o770, false), (0o700, true)] {
        fs::set_permissions(&state, fs::Permissions::from_mode(mode)).expect("set");
        let refused = build().err().map(|error| error.kind());
        assert_eq!(refused, (!is_private).then_some(Kind::PermissionDenied), "{mode:o}");
    }
}

#[test]
fn shut_down_host_refuses_calls() {
    let (_, host) = memory();
    assert!(host.shut_down());
    assert_eq!(host.clone().call("query", json!({ "type": "files" })).expect_err("ended").kind(), Kind::Cancelled);
}

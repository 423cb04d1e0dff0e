//! Controls a real Neovim through the sandboxed integration and simulated key presses. `MARQ_NVIM` names the program;
//! `cargo xtask e2e neovim` installs the pinned version and sets it. The tests are skipped without it.
#![cfg(unix)]

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use crate::editor::{EventRecorder, Project, TIMEOUT, wait_until};
use marquetry_model::{
    Kind,
    editor::{
        Answer, Decision, DiffSide, DirtyState, EditorEvent, EditorSelection, Editors, FileEdits, Level, Message,
        OpenFile, Opened, Point, ProposalOwner, Region, Rejection, Request, Reveal, Revealed, TextEdit,
    },
};

/// A headless Neovim.
struct Nvim {
    program: PathBuf,
    socket: PathBuf,
    process: Child,
}

impl Nvim {
    fn start(program: PathBuf, project: &Project) -> Nvim {
        let socket = project.socket();
        let process = Command::new(&program)
            .args(["--headless", "--clean", "-n", "--listen"])
            .arg(&socket)
            .args(["--cmd", "set columns=120 lines=40"])
            .current_dir(&project.root)
            .env("XDG_STATE_HOME", project.state())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Neovim starts");
        wait_until(|| socket.exists());
        Nvim { program, socket, process }
    }

    fn remote(&self, what: &str, text: &str) -> String {
        let output = Command::new(&self.program)
            .args(["--clean", "-n", "--server"])
            .arg(&self.socket)
            .args([what, text])
            .output()
            .expect("Neovim starts");
        String::from_utf8(output.stdout).expect("text").trim().to_owned()
    }

    /// Presses keys.
    fn keys(&self, keys: &str) {
        self.remote("--remote-send", keys);
    }

    fn value(&self, expression: &str) -> String {
        self.remote("--remote-expr", expression)
    }
}

impl Drop for Nvim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A project with a Neovim attached; `None` if Neovim is not available.
fn neovim() -> Option<(Project, Nvim)> {
    let program = std::env::var_os("MARQ_NVIM")?;
    let project = Project::new();
    let nvim = Nvim::start(PathBuf::from(program), &project);
    wait_until(|| !project.host.attached(Some(&project.root.display().to_string())).is_empty());
    Some((project, nvim))
}

fn region(a: u32, b: u32, c: u32, d: u32) -> Region {
    Region { start: Point { line: a, column: b }, end: Point { line: c, column: d } }
}

fn selected(answer: Answer) -> EditorSelection {
    let Answer::Selection(Some(selected)) = answer else { panic!("{answer:?}") };
    selected
}

fn open(project: &Project, name: &str, reveal: Reveal) -> Answer {
    project.ask(Request::Open(OpenFile { path: project.path(name), reveal, preview: false, focus: true }))
}

#[test]
fn neovim_introduces_itself_and_opens_files_at_lines() {
    let Some((project, nvim)) = neovim() else { return };
    let attached = project.host.attached(None);
    assert!(attached[0].title.starts_with("Neovim 0."), "{attached:?}");
    assert_eq!(attached[0].folders[0].path, project.root.display().to_string());
    let opened = Opened { language: "text".to_owned(), lines: 4, revealed: Revealed::All };
    assert_eq!(open(&project, "a.txt", Reveal::Region(region(1, 0, 3, 0))), Answer::Opened(opened));
    let selection = selected(project.ask(Request::Selection));
    assert_eq!(
        (selection.region, &*selection.text, selection.mode.as_str()),
        (region(1, 0, 3, 0), "two 😀 é\nthree\n", "visual-line")
    );
    assert_eq!(nvim.value("mode() .. line('v') .. line('.')"), "V23");
    open(&project, "a.txt", Reveal::Region(region(1, 4, 1, 8)));
    let selection = selected(project.ask(Request::Selection));
    assert_eq!((&*selection.text, selection.region), ("😀 é", region(1, 4, 1, 8)), "columns must be in UTF-16 units");
    open(&project, "a.txt", Reveal::Text { start: "two".to_owned(), end: Some("hr".to_owned()), to_line_end: true });
    assert_eq!(&*selected(project.ask(Request::Selection)).text, "two 😀 é\nthree");
    let nowhere = open(&project, "b.txt", Reveal::Text { start: "x".to_owned(), end: None, to_line_end: false });
    assert!(matches!(nowhere, Answer::Opened(Opened { revealed: Revealed::Nothing, .. })), "{nowhere:?}");
    let missing = Request::Open(OpenFile { path: project.path("no.txt"), ..OpenFile::default() });
    assert_eq!(project.host.send_request(&project.call(), missing).expect_err("not there").kind(), Kind::FileNotFound);
    let Answer::Tabs(tabs) = project.ask(Request::Tabs) else { panic!("no tabs") };
    assert_eq!(
        tabs.iter().map(|tab| (tab.label.as_str(), tab.active)).collect::<Vec<_>>(),
        [("a.txt", false), ("b.txt", true)]
    );
    let shown = project.ask(Request::Show(Message { level: Level::Info, text: "it's \"here\"".to_owned() }));
    assert_eq!((shown, nvim.value("execute('messages')").contains("it's \"here\"")), (Answer::Done, true));
}

#[test]
fn keys_send_selections_and_mentions() {
    let Some((project, nvim)) = neovim() else { return };
    let ears = EventRecorder::subscribe(&project.host);
    open(&project, "a.txt", Reveal::Nothing);
    nvim.keys("ggvjl");
    let text = ears.wait_for_event(|event| match event {
        EditorEvent::Selection(Some(selection)) if selection.region == region(0, 0, 1, 2) => {
            Some(selection.text.clone())
        }
        _ => None,
    });
    assert_eq!(&*text, "one\ntw");
    assert_eq!(
        project.host.latest_selection(&project.root.display().to_string()).map(|selection| selection.region),
        Some(region(0, 0, 1, 2))
    );
    nvim.keys("<Esc>:2,3MarqMention<CR>");
    let lines = ears
        .wait_for_event(|event| if let EditorEvent::Mentioned(mention) = event { Some(mention.lines) } else { None });
    assert_eq!(lines, Some((1, 2)));
}

fn bench(project: &Project) -> marquetry_tools::Workbench {
    marquetry_tools::Workbench::new(
        Arc::clone(&project.roots),
        Arc::new(marquetry_testkit::packs("marquetry = 1\n[plugins.text]\n")),
        marquetry_graph::Graph::new(None),
    )
    .with_editors(Arc::<marquetry_editors::Host>::clone(&project.host))
}

#[test]
fn unsaved_buffer_is_read_and_edited() {
    let Some((project, nvim)) = neovim() else { return };
    open(&project, "a.txt", Reveal::Nothing);
    nvim.keys("ggOmine<Esc>");
    wait_until(|| !project.host.unsaved(&[project.path("a.txt")]).is_empty());
    let bench = bench(&project);
    let read =
        bench.read(&serde_json::from_value(serde_json::json!({ "file": "a.txt", "lines": "1" })).expect("arguments"));
    let read = serde_json::to_value(read.expect("read")).expect("JSON");
    assert_eq!(read["content"], "mine", "{read}");
    let edit = |arguments: serde_json::Value| {
        let edited = bench.edit(&serde_json::from_value(arguments).expect("arguments")).expect("edited");
        let edited = serde_json::to_value(edited).expect("JSON");
        assert!(edited["warnings"].to_string().contains("a.txt was edited in Neovim 0."), "{edited}");
    };
    edit(serde_json::json!({ "file": "a.txt", "operation": "replace_text", "old": "two 😀 é", "content": "zwei 😀" }));
    assert_eq!(nvim.value("getline(3)"), "zwei 😀");
    edit(serde_json::json!({ "file": "a.txt", "operation": "insert_after", "lines": "5", "content": "five" }));
    edit(serde_json::json!({ "file": "a.txt", "operation": "delete", "lines": "1-2" }));
    assert_eq!(nvim.value("join(getline(1, '$'), '|')"), "zwei 😀|three|four|five");
    assert_eq!(project.text("a.txt"), "one\ntwo 😀 é\nthree\nfour\n", "marq must not save the file");
    nvim.keys("u");
    wait_until(|| nvim.value("join(getline(1, '$'), '|')") == "mine|one|zwei 😀|three|four|five");
    nvim.keys("u");
    wait_until(|| nvim.value("getline('$')") == "four");
    nvim.keys(":w<CR>");
    wait_until(|| project.text("a.txt") == "mine\none\nzwei 😀\nthree\nfour\n");
}

#[test]
fn unsaved_buffer_is_not_changed_on_disk() {
    let Some((project, nvim)) = neovim() else { return };
    let ears = EventRecorder::subscribe(&project.host);
    open(&project, "a.txt", Reveal::Nothing);
    nvim.keys("ggOmine<Esc>");
    wait_until(|| !project.host.unsaved(&[project.path("a.txt")]).is_empty());
    let bench = bench(&project);
    let remove = |name: &str| {
        let args = serde_json::json!({ "paths": [name] });
        bench.delete(&serde_json::from_value(args).expect("arguments"))
    };
    let error = remove("a.txt").expect_err("it is unsaved");
    assert_eq!(error.kind(), Kind::OverwriteBlocked);
    assert!(error.content().message.starts_with("a.txt has unsaved changes in Neovim 0."), "{error}");
    assert_eq!(project.text("a.txt"), "one\ntwo 😀 é\nthree\nfour\n");
    assert_eq!(
        project.ask(Request::Dirty(project.path("a.txt"))),
        Answer::Dirty(Some(DirtyState { dirty: true, untitled: false }))
    );
    let Answer::Text(Some(text)) = project.ask(Request::Text(project.path("a.txt"))) else { panic!("no text") };
    assert!(text.starts_with("mine\none\n"));
    assert_eq!(project.ask(Request::CloseTab(project.path("a.txt"))), Answer::Closed { closed: 0, unsaved: 1 });
    assert_eq!(project.ask(Request::Save(project.path("a.txt"))), Answer::Saved(true));
    assert!(project.text("a.txt").starts_with("mine\n"));
    ears.wait_for_event(|event| matches!(event, EditorEvent::Saved(path) if path.ends_with("/a.txt")).then_some(()));
    wait_until(|| project.host.unsaved(&[project.path("a.txt")]).is_empty());
    remove("a.txt").expect("it is saved");
    assert_eq!(project.ask(Request::Dirty(project.path("b.txt"))), Answer::Dirty(None));
    assert_eq!(project.ask(Request::Save(project.path("b.txt"))), Answer::Saved(false));
}

#[test]
fn edits_are_made_in_the_editor_or_refused() {
    let Some((project, nvim)) = neovim() else { return };
    open(&project, "a.txt", Reveal::Nothing);
    open(&project, "b.txt", Reveal::Nothing);
    let edit = |name: &str, old: &str, at: Region, new: &str| FileEdits {
        path: project.path(name),
        edits: vec![TextEdit { region: at, old: old.to_owned(), new: new.to_owned() }],
        save: true,
    };
    let wrong = vec![edit("b.txt", "b", region(0, 0, 0, 1), "x"), edit("a.txt", "zwei", region(1, 0, 1, 3), "deux")];
    let error = project.host.send_request(&project.call(), Request::Apply(wrong)).expect_err("another text");
    assert_eq!(error.kind(), Kind::InvalidArgument);
    assert_eq!(
        (project.text("a.txt").as_str(), project.text("b.txt").as_str()),
        ("one\ntwo 😀 é\nthree\nfour\n", "b\n")
    );
    let right =
        vec![edit("a.txt", "é\nthree", region(1, 7, 2, 5), "e"), edit("b.txt", "b", region(0, 0, 0, 1), "x\ny")];
    assert_eq!(project.ask(Request::Apply(right)), Answer::Done);
    assert_eq!((project.text("a.txt").as_str(), project.text("b.txt").as_str()), ("one\ntwo 😀 e\nfour\n", "x\ny\n"));
    nvim.keys(":b a.txt<CR>u:w<CR>");
    wait_until(|| project.text("a.txt") == "one\ntwo 😀 é\nthree\nfour\n");
    let lua = "vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0, {{lnum=1, col=9, end_lnum=1, end_col=11, \
               message='odd', severity=2, source='s', code=7}})";
    nvim.value(&format!("luaeval(\"{lua}\")"));
    let Answer::Diagnostics(files) = project.ask(Request::Diagnostics(None)) else { panic!("no diagnostics") };
    let finding = &files[0].diagnostics[0];
    assert_eq!((finding.region, finding.message.as_str(), finding.code.as_str()), (region(1, 7, 1, 8), "odd", "7"));
}

#[test]
fn user_decides_on_proposals() {
    let Some((project, nvim)) = neovim() else { return };
    let (owner, ears) = (ProposalOwner::new(), EventRecorder::subscribe(&project.host));
    let decided = |receiver: std::sync::mpsc::Receiver<Decision>| receiver.recv_timeout(TIMEOUT).expect("decided");
    let accepted = |text: &str| Decision::Accepted(Arc::from(text));
    let receiver = project.propose(owner, "a.txt", "one\nnew\n");
    nvim.keys(":w<CR>");
    assert_eq!(decided(receiver), accepted("one\nnew\n"));
    assert_eq!(project.text("a.txt"), "one\ntwo 😀 é\nthree\nfour\n", "accepting a proposal must not write the file");
    assert!(project.host.close(owner, "a.txt"));
    wait_until(|| nvim.value("tabpagenr('$')") == "1");
    let receiver = project.propose(owner, "a.txt", "one\nnew\n");
    nvim.keys("ggOmine é<Esc>:w<CR>");
    assert_eq!(decided(receiver), accepted("mine é\none\nnew\n"));
    // A proposal of the same name replaces the earlier one, in the window and in the list.
    let receiver = project.propose(owner, "a.txt", "no end of line");
    nvim.keys(":MarqAccept<CR>");
    assert_eq!(decided(receiver), accepted("no end of line"));
    let receiver = project.propose(owner, "a.txt", "");
    nvim.keys(":w<CR>");
    assert_eq!(decided(receiver), accepted(""), "an empty proposal must be accepted as an empty text");
    let receiver = project.propose(owner, "a.txt", "x\n");
    nvim.keys(":MarqReject<CR>");
    assert_eq!(decided(receiver), Decision::Rejected(Rejection::Refused));
    let receiver = project.propose(owner, "a.txt", "x\n");
    nvim.keys(":q<CR>");
    assert_eq!(decided(receiver), Decision::Rejected(Rejection::Closed));
    let receiver = project.propose(owner, "new.txt", "new\n");
    nvim.keys(":tabclose!<CR>");
    assert_eq!(decided(receiver), Decision::Rejected(Rejection::Closed), "the same for a file that does not exist");
    let receiver = project.propose(owner, "b.txt", "x\n");
    assert_eq!(nvim.value("tabpagenr('$') .. &diff"), "21");
    assert_eq!(project.host.close_all(owner), 3, "the proposals a, new and b must be closed");
    assert_eq!(decided(receiver), Decision::Rejected(Rejection::Withdrawn));
    wait_until(|| nvim.value("tabpagenr('$') .. &diff") == "10");
    assert_eq!(
        nvim.value("len(filter(getbufinfo(), {_, b -> b.name =~ 'marquetry:'}))"),
        "0",
        "no buffer of a proposal may remain"
    );
    let receiver = project.propose(owner, "b.txt", "x\n");
    drop(nvim);
    assert_eq!(decided(receiver), Decision::Rejected(Rejection::EditorDisconnected));
    ears.wait_for_event(|event| matches!(event, EditorEvent::Disconnected).then_some(()));
    let error = project.host.send_request(&project.call(), Request::Tabs).expect_err("it is gone");
    assert_eq!(error.content().message, "no editor is attached");
}

#[test]
fn two_texts_are_shown_side_by_side() {
    let Some((project, nvim)) = neovim() else { return };
    let side = |path: Option<&str>, text: Option<&str>| DiffSide {
        path: path.map(|name| project.path(name)),
        text: text.map(Arc::from),
        label: "b.txt (HEAD)".to_owned(),
    };
    let diff = marquetry_model::editor::Diff {
        id: marquetry_model::editor::DiffId(1 << 30),
        title: "b.txt".to_owned(),
        left: side(None, Some("old\n")),
        right: side(Some("b.txt"), None),
        decide: false,
        focus: true,
    };
    assert_eq!(project.ask(Request::ShowDiff(diff)), Answer::Done);
    assert_eq!(nvim.value("winnr('$') .. &diff .. expand('%:t') .. &modifiable"), "21b.txt1");
    assert_eq!(nvim.value("getbufline(winbufnr(1), 1)[0]"), "old");
    // The host assigns another id, which is part of the buffer's name.
    let name = nvim.value("bufname(winbufnr(1))");
    let id = name.split('/').nth(2).and_then(|id| id.parse().ok()).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(project.ask(Request::CloseDiff(marquetry_model::editor::DiffId(id))), Answer::Done);
    // Neovim closes them asynchronously.
    wait_until(|| nvim.value("tabpagenr('$')") == "1");
}

#[test]
fn proposed_diff_shows_its_title_and_the_commands_that_decide() {
    let Some((project, nvim)) = neovim() else { return };
    let _receiver = project.propose(ProposalOwner::new(), "a.txt", "x\n");
    wait_until(|| nvim.value("tabpagenr('$')") == "2");
    let bar = |window: usize| nvim.value(&format!("gettabwinvar(2, {window}, '&winbar')"));
    wait_until(|| bar(2).contains(":write accepts, :MarqReject rejects"));
    assert!(bar(2).contains("(proposed)%="), "{}", bar(2));
    assert!(!bar(1).is_empty() && !bar(1).contains("proposed"), "{}", bar(1));
    assert!(nvim.value("bufname(tabpagebuflist(2)[1])").starts_with("marquetry://"));
    assert!(nvim.value("execute('messages')").contains(":write accepts, :MarqReject rejects (tab 2): "));
    // Windows outside of the diff have no bar.
    assert_eq!(nvim.value("gettabwinvar(1, 1, '&winbar')"), "");
}

#[test]
fn ended_host_leaves_nothing_in_neovim() {
    let Some((project, nvim)) = neovim() else { return };
    let receiver = project.propose(ProposalOwner::new(), "a.txt", "x\n");
    project.host.end();
    assert_eq!(receiver.recv_timeout(TIMEOUT).expect("decided"), Decision::Rejected(Rejection::Withdrawn));
    wait_until(|| nvim.value("tabpagenr('$')") == "1");
    // The first event that cannot be delivered removes the autocommands.
    nvim.keys(":edit b.txt<CR>Gk");
    let left = "luaeval(\"vim.tbl_count(package.loaded['marquetry.sessions'])\")";
    wait_until(|| nvim.value(left) == "0");
}

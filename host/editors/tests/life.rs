//! Life cycle of attached editors: discovery, requests, choice among several, disconnects and reconnects.
#![cfg(unix)]

mod common;

use std::{
    sync::{Arc, Mutex, mpsc::channel},
    time::Duration,
};

use common::{TestEditor, call, host, proposal, wait_until};
use marquetry_model::{
    Kind,
    editor::{Answer, Decision, EditorEvent, Editors, OpenFile, ProposalOwner, Rejection, Request},
};

const ROOT: &str = "/p/a";

fn open(path: &str) -> Request {
    Request::Open(OpenFile { path: path.to_owned(), ..OpenFile::default() })
}

/// Returns a decision listener, and a function that waits for the decision.
fn listen() -> (Box<dyn FnOnce(Decision) + Send>, impl Fn() -> Decision) {
    let (sender, receiver) = channel();
    let listen = Box::new(move |decision| sender.send(decision).expect("the test waits for the decision"));
    (listen, move || receiver.recv_timeout(common::TIMEOUT).expect("decided"))
}

#[test]
fn editor_is_found_and_answers() {
    let sockets = tempfile::tempdir().expect("a folder");
    let toy = TestEditor::start(sockets.path(), "ed", ROOT);
    let host = host(ROOT, sockets.path(), &["ed"]);
    assert_eq!(host.send_request(&call(ROOT), open("/p/a/x.ts")), Ok(Answer::Done));
    toy.wait_for_line("welcome");
    assert!(toy.wait_for_line("ask 1").ends_with("open /p/a/x.ts"));
    let attached = host.attached(Some(ROOT));
    assert_eq!((attached.len(), attached[0].name.as_str(), attached[0].title.as_str()), (1, "lines", "ed"));
    assert_eq!(attached[0].folders[0].path, ROOT);
    let stray = host.send_request(&call(ROOT), open("/etc/passwd")).expect_err("outside");
    assert_eq!(stray.kind(), Kind::OutsideWorkspace);
    let unable = host.send_request(&call(ROOT), Request::Selection).expect_err("it cannot");
    assert_eq!(unable.content().message, "ed (`lines`) cannot do `selection`");
    let nobody = host.send_request(
        &marquetry_model::editor::EditorCall { editor: Some("vi".to_owned()), ..call(ROOT) },
        open("/p/a/x"),
    );
    let error = nobody.expect_err("no such editor");
    assert_eq!((error.kind(), error.content().candidates.clone()), (Kind::InvalidArgument, vec!["lines".to_owned()]));
}

#[test]
fn missing_editor_error_says_how_to_attach_one() {
    let sockets = tempfile::tempdir().expect("a folder");
    let host = host(ROOT, sockets.path(), &["ed"]);
    let error = host.send_request(&call(ROOT), open("/p/a/x.ts")).expect_err("no editor is attached");
    assert_eq!((error.kind(), error.content().message.as_str()), (Kind::Unsupported, "no editor is attached"));
    assert!(error.content().hint.is_some());
    // An editor that is started later is found by the next call.
    let _toy = TestEditor::start(sockets.path(), "ed", ROOT);
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(host.send_request(&call(ROOT), open("/p/a/x.ts")), Ok(Answer::Done));
}

#[test]
fn editor_of_another_folder_is_not_used() {
    let sockets = tempfile::tempdir().expect("a folder");
    let ours = TestEditor::start(sockets.path(), "ed.1", "/p/a/src");
    let other = TestEditor::start(sockets.path(), "ed.2", "/p/b");
    let host = host(ROOT, sockets.path(), &["ed.*"]);
    wait_until(|| host.attached(Some(ROOT)).len() == 1);
    ours.wait_for_line("welcome");
    assert!(
        other.received_lines().is_empty(),
        "an editor outside of the root gets no messages: {:?}",
        other.received_lines()
    );
    // An editor with an exact address is used wherever it works.
    let named = common::host(ROOT, sockets.path(), &["ed.2"]);
    wait_until(|| named.attached(Some(ROOT)).len() == 1);
}

#[test]
fn dialling_editor_is_attached_until_it_disconnects() {
    let sockets = tempfile::tempdir().expect("a folder");
    let host = host(ROOT, sockets.path(), &["none"]);
    let refused = TestEditor::dial(&host, "/editors/other", ROOT).err().expect("nobody listens there");
    assert_eq!(refused.content().message, "no editor integration listens at `/editors/other`");
    let elsewhere = TestEditor::dial(&host, "/editors/lines", "/p/b").expect("let in");
    let toy = TestEditor::dial(&host, "/editors/lines", ROOT).expect("let in");
    toy.wait_for_line("welcome");
    // The editor has not reported its folders yet, so the call waits until it does.
    assert_eq!(host.send_request(&call(ROOT), open("/p/a/x.ts")), Ok(Answer::Done));
    wait_until(|| host.attached(None).len() == 1);
    assert_eq!(host.attached(None)[0].channel, "websocket /editors/lines");
    assert!(elsewhere.received_lines().is_empty(), "an editor of another folder gets no messages");
    toy.disconnect();
    wait_until(|| host.attached(None).is_empty());
    let again = TestEditor::dial(&host, "/editors/lines", ROOT).expect("let in");
    again.wait_for_line("welcome");
}

#[test]
fn concurrent_diffs_have_distinct_ids() {
    let sockets = tempfile::tempdir().expect("a folder");
    let toy = TestEditor::start(sockets.path(), "ed", ROOT);
    let host = host(ROOT, sockets.path(), &["ed"]);
    let shown = |title: &str| {
        let diff = proposal(ProposalOwner::new(), title, "text").diff;
        host.send_request(&call(ROOT), Request::ShowDiff(diff)).expect("shown");
        hears_with(&toy, "show-diff").split(' ').nth(3).map(str::to_owned)
    };
    assert_ne!(shown("one"), shown("other"));
}

#[test]
fn last_focused_editor_answers() {
    let sockets = tempfile::tempdir().expect("a folder");
    let [one, two] = ["ed.1", "ed.2"].map(|name| TestEditor::start(sockets.path(), name, ROOT));
    let host = host(ROOT, sockets.path(), &["ed.*"]);
    wait_until(|| host.attached(Some(ROOT)).len() == 2);
    for (toy, path) in [(&one, "/p/a/1"), (&two, "/p/a/2"), (&one, "/p/a/3")] {
        toy.send_line(&format!("select {path} 4 text"));
        wait_until(|| host.latest_selection(ROOT).is_some_and(|selected| selected.path == path));
        host.send_request(&call(ROOT), open(path)).expect("opened");
        hears_with(toy, &format!(" open {path}"));
    }
    let names: Vec<String> = host.attached(Some(ROOT)).into_iter().map(|editor| editor.name).collect();
    let by_name = marquetry_model::editor::EditorCall { editor: Some(names[1].clone()), ..call(ROOT) };
    host.send_request(&by_name, open("/p/a/4")).expect("opened");
    two.wait_for_line("ask 2 open /p/a/4");
    // When an editor disconnects, its selection is removed, and the previous one becomes the latest.
    one.disconnect();
    wait_until(|| host.latest_selection(ROOT).is_some_and(|selected| selected.path == "/p/a/2"));
}

#[test]
fn only_events_of_the_roots_are_forwarded() {
    let sockets = tempfile::tempdir().expect("a folder");
    let toy = TestEditor::start(sockets.path(), "ed", ROOT);
    let host = host(ROOT, sockets.path(), &["ed"]);
    wait_until(|| host.attached(Some(ROOT)).len() == 1);
    let received: Arc<Mutex<Vec<EditorEvent>>> = Arc::default();
    let ears = Arc::clone(&received);
    let subscription = host
        .subscribe(Some(ROOT), Box::new(move |received| ears.lock().expect("no panic").push(received.event.clone())));
    toy.send_line("mention /etc/passwd");
    toy.send_line("select /etc/passwd 1 secret");
    toy.send_line("tabs /p/a/x* /etc/passwd* /p/a/y");
    toy.send_line("mention /p/a/x");
    wait_until(|| received.lock().expect("no panic").len() >= 3);
    let shown = format!("{:?}", received.lock().expect("no panic"));
    assert!(!shown.contains("/etc") && !shown.contains("secret"), "{shown}");
    assert!(shown.contains("Selection(None)") && shown.contains("Mentioned"), "{shown}");
    assert_eq!(host.known_tabs("lines").len(), 2);
    let unsaved = host.unsaved(&["/p/a".to_owned()]);
    assert_eq!((unsaved.len(), unsaved[0].path.as_str(), unsaved[0].title.as_str()), (1, "/p/a/x", "ed"));
    assert!(host.unsaved(&["/p/a/y".to_owned(), "/p/a/xx".to_owned()]).is_empty());
    drop(subscription);
    let before = received.lock().expect("no panic").len();
    toy.send_line("mention /p/a/y");
    toy.send_line("select /p/a/z 1 t");
    wait_until(|| host.latest_selection(ROOT).is_some_and(|selected| selected.path == "/p/a/z"));
    assert_eq!(received.lock().expect("no panic").len(), before, "an unsubscribed listener gets no events");
}

#[test]
fn unsaved_buffers_are_known_once_attached() {
    let sockets = tempfile::tempdir().expect("a folder");
    let toy = TestEditor::start(sockets.path(), "ed", ROOT);
    toy.has_tabs("/p/a/x*");
    let host = host(ROOT, sockets.path(), &["ed"]);
    assert_eq!(host.unsaved(&["/p/a/x".to_owned()]).len(), 1);
}

#[test]
fn proposal_is_decided_once() {
    let sockets = tempfile::tempdir().expect("a folder");
    let toy = TestEditor::start(sockets.path(), "ed", ROOT);
    let (host, owner) = (host(ROOT, sockets.path(), &["ed"]), ProposalOwner::new());
    let propose = |tab: &str, text: &str| {
        let (listener, decided) = listen();
        host.propose(&call(ROOT), proposal(owner, tab, text), listener).expect("shown");
        let shown = hears_with(&toy, " show-diff ");
        let id: u32 = shown.split(' ').nth(3).expect("an id").parse().expect("a number");
        (id, decided)
    };
    let (id, decided) = propose("t", "new text");
    toy.send_line(&format!("accept {id} what the person made"));
    assert_eq!(decided(), Decision::Accepted(Arc::from("what the person made")));
    assert!(host.close(owner, "t") && !host.close(owner, "t"), "a decided proposal stays open until it is closed");
    hears_with(&toy, &format!(" close-diff {id}"));
    let (id, decided) = propose("t", "x");
    toy.send_line(&format!("reject {id}"));
    assert_eq!(decided(), Decision::Rejected(Rejection::Refused));
    let (id, decided) = propose("u", "");
    toy.send_line(&format!("closed {id}"));
    assert_eq!(decided(), Decision::Rejected(Rejection::Closed));
    let (_, first) = propose("v", "1");
    let (_, second) = propose("v", "2");
    assert_eq!(first(), Decision::Rejected(Rejection::Replaced));
    assert_eq!(host.close_all(owner), 3, "the proposals t, u and v are closed");
    assert_eq!(second(), Decision::Rejected(Rejection::Withdrawn));
    let (_, third) = propose("w", "3");
    toy.disconnect();
    assert_eq!(third(), Decision::Rejected(Rejection::EditorDisconnected));
}

/// Waits for a line that contains `part`, and removes it and the lines before it.
#[track_caller]
fn hears_with(toy: &TestEditor, part: &str) -> String {
    wait_until(|| toy.received_lines().iter().any(|line| line.contains(part)));
    loop {
        let line = toy.wait_for_line("");
        if line.contains(part) {
            return line;
        }
    }
}

#[test]
fn waiting_proposal_ends_with_its_call() {
    let sockets = tempfile::tempdir().expect("a folder");
    let toy = TestEditor::start(sockets.path(), "ed", ROOT);
    let host = host(ROOT, sockets.path(), &["ed"]);
    let error = host
        .propose_and_wait(&call(ROOT), proposal(ProposalOwner::new(), "t", "x"), Some(Duration::from_millis(50)))
        .expect_err("the proposal is not decided");
    assert_eq!(error.kind(), Kind::LimitExceeded);
    toy.wait_for_line("ask 2 close-diff");
    let cancelled = call(ROOT);
    let work = cancelled.work.clone();
    let waiting = {
        let host = Arc::clone(&host);
        std::thread::spawn(move || host.propose_and_wait(&cancelled, proposal(ProposalOwner::new(), "t", "x"), None))
    };
    toy.wait_for_line("ask 3 show-diff");
    work.cancel();
    assert_eq!(waiting.join().expect("no panic").expect_err("cancelled").kind(), Kind::Cancelled);
}

#[test]
fn silent_editor_does_not_block_others() {
    let sockets = tempfile::tempdir().expect("a folder");
    let toy = TestEditor::start(sockets.path(), "ed", ROOT);
    let host = host(ROOT, sockets.path(), &["ed"]);
    host.send_request(&call(ROOT), open("/p/a/x")).expect("opened");
    toy.silent(true);
    let soon = marquetry_model::editor::EditorCall { timeout: Some(Duration::from_millis(50)), ..call(ROOT) };
    let error = host.send_request(&soon, open("/p/a/x")).expect_err("no answer");
    assert_eq!(
        (error.kind(), error.content().message.as_str()),
        (Kind::LimitExceeded, "editor `lines` did not answer `open` in time")
    );
    toy.wait_for_line("cancelled 2");
    let waiting = {
        let host = Arc::clone(&host);
        std::thread::spawn(move || host.send_request(&call(ROOT), open("/p/a/x")))
    };
    toy.wait_for_line("ask 3");
    toy.disconnect();
    let error = waiting.join().expect("no panic").expect_err("gone");
    assert_eq!(error.content().message, "editor `lines` disconnected before it answered");
    // The host reconnects.
    toy.silent(false);
    wait_until(|| host.send_request(&call(ROOT), open("/p/a/y")).is_ok());
}

#[test]
fn trap_of_an_integration_affects_only_its_editor() {
    let sockets = tempfile::tempdir().expect("a folder");
    let [one, two] = ["ed.1", "ed.2"].map(|name| TestEditor::start(sockets.path(), name, ROOT));
    let host = host(ROOT, sockets.path(), &["ed.*"]);
    wait_until(|| host.attached(Some(ROOT)).len() == 2);
    one.send_line("trap");
    wait_until(|| host.attached(Some(ROOT)).len() == 1);
    assert_eq!(host.attached(Some(ROOT))[0].title, "ed.2");
    two.send_line("select /p/a/x 1 t");
    wait_until(|| host.latest_selection(ROOT).is_some());
    wait_until(|| host.attached(Some(ROOT)).len() == 2);
}

#[test]
fn excess_events_are_reported_at_intervals() {
    let sockets = tempfile::tempdir().expect("a folder");
    let toy = TestEditor::start(sockets.path(), "ed", ROOT);
    let host = host(ROOT, sockets.path(), &["ed"]);
    wait_until(|| host.attached(Some(ROOT)).len() == 1);
    let received: Arc<Mutex<Vec<EditorEvent>>> = Arc::default();
    let ears = Arc::clone(&received);
    let _subscription =
        host.subscribe(None, Box::new(move |received| ears.lock().expect("no panic").push(received.event.clone())));
    for line in 0..5_000 {
        toy.send_line(&format!("select /p/a/x {line} t"));
        toy.send_line("mention /p/a/x");
    }
    wait_until(|| host.latest_selection(ROOT).is_some_and(|selected| selected.region.start.line == 4_999));
    let is_last = |event: &EditorEvent| matches!(event, EditorEvent::Selection(Some(selected)) if selected.region.start.line == 4_999);
    wait_until(|| received.lock().expect("no panic").iter().any(is_last));
    let received = received.lock().expect("no panic");
    assert!(received.len() < 2_000, "{} events were received", received.len());
}

#[test]
fn shutdown_cancels_pending_requests() {
    let sockets = tempfile::tempdir().expect("a folder");
    let toy = TestEditor::start(sockets.path(), "ed", ROOT);
    let host = host(ROOT, sockets.path(), &["ed"]);
    let (listener, decided) = listen();
    host.propose(&call(ROOT), proposal(ProposalOwner::new(), "t", "x"), listener).expect("shown");
    host.end();
    assert_eq!(decided(), Decision::Rejected(Rejection::Withdrawn));
    toy.wait_for_line("ask 2 close-diff");
    assert!(host.attached(Some(ROOT)).is_empty());
}

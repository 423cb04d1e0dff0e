//! Tests of requests from the host, answers of Neovim, and events.

use marquetry_editor::{
    Diff, Edits, Event, Level, Message, OpenFile, Point, Region, Request, Reveal, Session, Side, TextEdit, TextRange,
};

use super::{accepted_session, format_actions, receive, send_request};

/// Checks the message that is sent for a request, and the converted answer of Neovim.
#[track_caller]
fn check(request: Request, sent: &str, answer: &str, answered: &str) {
    let mut session = accepted_session();
    assert_eq!(send_request(&mut session, request), format!(r#"> [0, 4, "nvim_exec_lua", […, [3, {sent}]]]"#));
    let heard = receive(&mut session, &format!("[1, 4, null, {answer}]"));
    let start = "Answer(AnswerMessage { id: 1, answer: ";
    assert_eq!(heard.strip_prefix(start).and_then(|rest| rest.strip_suffix(" })")), Some(answered), "{heard}");
}

fn region(a: u32, b: u32, c: u32, d: u32) -> Region {
    Region { start: Point { line: a, column: b }, end: Point { line: c, column: d } }
}

#[test]
fn files_are_opened_at_regions_and_texts() {
    let file = |reveal| Request::Open(OpenFile { path: "/p/a".to_owned(), reveal, preview: false, focus: true });
    check(
        file(Reveal::Region(region(1, 2, 3, 4))),
        r#""open", {"path": "/p/a", "preview": false, "focus": true, "region": [1, 2, 3, 4]}"#,
        r#"{"value": {"language": "rust", "lines": 9, "revealed": "all"}}"#,
        r#"Ok(Opened(Opened { language: "rust", lines: 9, revealed: All }))"#,
    );
    check(
        file(Reveal::Text(TextRange { start: "a".to_owned(), end: None, to_line_end: true })),
        r#""open", {"path": "/p/a", "preview": false, "focus": true, "start": "a", "to_line_end": true}"#,
        r#"{"value": {"revealed": "nothing"}}"#,
        r#"Ok(Opened(Opened { language: "", lines: 0, revealed: Nothing }))"#,
    );
    check(
        file(Reveal::Nothing),
        r#""open", {"path": "/p/a", "preview": false, "focus": true}"#,
        r#"{"failure": {"kind": "file-not-found", "message": "there is no file /p/a"}}"#,
        r#"Err(Failure { kind: FileNotFound, message: "there is no file /p/a", hint: None })"#,
    );
}

#[test]
fn diffs_are_shown_and_closed() {
    let side = |path: Option<&str>, text: Option<&str>| Side {
        path: path.map(str::to_owned),
        text: text.map(str::to_owned),
        label: "l".to_owned(),
    };
    let diff = Diff {
        id: 7,
        title: "t".to_owned(),
        left: side(Some("/p/a"), None),
        right: side(None, Some("")),
        decide: true,
        focus: false,
    };
    check(
        Request::ShowDiff(diff),
        r#""show_diff", {"id": 7, "title": "t", "left": {"path": "/p/a", "label": "l"}, "right": {"text": "", "label": "l"}, "decide": true, "focus": false}"#,
        "{}",
        "Ok(Done)",
    );
    check(Request::CloseDiff(7), r#""close_diff", 7"#, "{}", "Ok(Done)");
}

#[test]
fn closed_files_have_empty_answers() {
    let path = || "/p/a".to_owned();
    check(Request::Dirty(path()), r#""dirty", "/p/a""#, "{}", "Ok(Dirty(None))");
    check(Request::Text(path()), r#""text", "/p/a""#, "{}", "Ok(Text(None))");
    check(Request::Save(path()), r#""save", "/p/a""#, r#"{"value": false}"#, "Ok(Saved(false))");
    check(Request::Selection, r#""selection""#, "{}", "Ok(Selection(None))");
    check(Request::Tabs, r#""tabs""#, r#"{"value": []}"#, "Ok(Tabs([]))");
    check(Request::Diagnostics(None), r#""diagnostics""#, r#"{"value": {}}"#, "Ok(Diagnostics([]))");
}

#[test]
fn edits_and_messages_are_forwarded() {
    let edit = TextEdit { region: region(0, 0, 0, 1), old: "a".to_owned(), new: "b".to_owned() };
    check(
        Request::Apply(vec![Edits { path: "/p/a".to_owned(), edits: vec![edit], save: true }]),
        r#""apply", [{"path": "/p/a", "edits": [{"region": [0, 0, 0, 1], "old": "a", "new": "b"}], "save": true}]"#,
        "{}",
        "Ok(Done)",
    );
    let message = Message { level: Level::Warning, text: "hello".to_owned() };
    check(Request::Show(message), r#""show", "WARN", "hello""#, "{}", "Ok(Done)");
}

#[test]
fn neovim_errors_become_one_line() {
    let mut session = accepted_session();
    send_request(&mut session, Request::Save("/p/a".to_owned()));
    let said = receive(&mut session, r#"[1, 4, [0, "E45: 'readonly' option is set\nstack traceback:"], null]"#);
    assert!(said.contains(r#"message: "Neovim failed to save: E45: 'readonly' option is set""#), "{said}");
}

#[test]
fn unexpected_answers_are_ignored() {
    let mut session = accepted_session();
    send_request(&mut session, Request::Tabs);
    assert_eq!(format_actions(session.handle(Event::Cancelled(1))), "");
    assert_eq!(receive(&mut session, r#"[1, 4, null, {"value": []}]"#), "");
    assert_eq!(receive(&mut session, r#"[1, 99, null, {"value": []}]"#), "");
}

#[test]
fn events_are_forwarded() {
    let told = |json: &str| receive(&mut accepted_session(), &format!(r#"[2, "marquetry", {json}]"#));
    assert_eq!(told(r#"["saved", "/p/a"]"#), r#"Notify(Saved("/p/a"))"#);
    assert_eq!(told(r#"["focused", true]"#), "Notify(Focused(true))");
    assert_eq!(told(r#"["selection", null]"#), "Notify(Selection(None))");
    assert_eq!(
        told(r#"["mentioned", {"path": "/p/a", "first": 1, "last": 3}]"#),
        r#"Notify(Mentioned(Mention { path: "/p/a", lines: Some((1, 3)) }))"#
    );
    assert_eq!(
        told(r#"["decided", {"id": 7, "what": "accepted", "text": "x\n"}]"#),
        r#"Notify(Decided(Decided { id: 7, decision: Accepted("x\n") }))"#
    );
    assert_eq!(
        told(r#"["decided", {"id": 7, "what": "closed"}]"#),
        "Notify(Decided(Decided { id: 7, decision: Closed }))"
    );
    let selected = told(
        r#"["selection", {"path": "/p/a", "region": [0, 1, 2, 3], "text": "t", "mode": "visual", "language": "lua"}]"#,
    );
    assert!(selected.contains(r#"text: "t", truncated: false, language: "lua", mode: "visual""#), "{selected}");
    for nonsense in [r#"["selection", 7]"#, r#"["decided"]"#, r#"["tabs", {"a": 1}]"#, "[]", r#"["what", 1]"#, "[7]"] {
        told(nonsense);
    }
    assert_eq!(receive(&mut accepted_session(), r#"[2, "redraw", []]"#), "");
}

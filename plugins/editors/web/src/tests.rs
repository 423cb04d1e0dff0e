//! Tests that compare transcripts. A message from the page is a line. Messages to the page are shown after `>`, and all
//! other actions in debug format.

use std::collections::BTreeMap;

use marquetry_editor::{
    Action, Diff, Event, Integration, OpenFile, Point, Region, Request, RequestMessage, Reveal, Session, Side, testing,
};

use serde_json::Value;

use crate::Web;

const HELLO: &str = r#"{"jsonrpc":"2.0","method":"introduce","params":{"title":"Page in Chromium 148","folders":[{"name":"p","path":"/p"}],"abilities":["open","decide","fly"]}}"#;

/// Sorts the fields of objects by name.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<&String, &Value> = fields.iter().collect();
            fields.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect()
        }
        Value::Array(list) => list.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

fn shown(actions: Vec<Action>) -> String {
    let line = |action: Action| match action {
        Action::Send(bytes) => format!("> {}", sorted(&serde_json::from_slice(&bytes).expect("JSON"))),
        other => format!("{other:?}"),
    };
    actions.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

fn hear(session: &mut impl Session, line: &str) -> String {
    shown(session.handle(Event::Received(format!("{line}\n").into_bytes())))
}

fn welcome() -> impl Session {
    let mut session = Web::attach("{}");
    session.handle(Event::Opened);
    hear(&mut session, HELLO);
    session.handle(Event::Welcome);
    session
}

fn ask(session: &mut impl Session, id: u32, request: Request) -> String {
    shown(session.handle(Event::Request(RequestMessage { id, request })))
}

#[test]
fn companion_introduces_itself() {
    let mut session = Web::attach("{}");
    assert_eq!(shown(session.handle(Event::Opened)), "");
    let early = r#"{"jsonrpc":"2.0","method":"saved","params":{"path":"/p/a"}}"#;
    assert_eq!(hear(&mut session, early), "");
    let said = hear(&mut session, HELLO);
    assert!(said.starts_with("Action::Introduce(Introduction { title: \"Page in Chromium 148\""), "{said}");
    assert!(said.ends_with("abilities: [Ability::Open, Ability::Decide] })"), "{said}");
    assert_eq!(shown(session.handle(Event::Welcome)), r#"> {"jsonrpc":"2.0","method":"welcome","params":{}}"#);
    assert_eq!(hear(&mut session, HELLO), "Action::Close(\"it sent `introduce` twice\")");
    assert_eq!(hear(&mut session, HELLO), "");
}

#[test]
fn requests_and_answers_are_json_lines() {
    let mut session = welcome();
    let region = Region { start: Point { line: 1, column: 0 }, end: Point { line: 2, column: 3 } };
    let file = OpenFile { path: "/p/a".to_owned(), reveal: Reveal::Region(region), preview: false, focus: true };
    assert_eq!(
        ask(&mut session, 7, Request::Open(file)),
        r#"> {"id":7,"jsonrpc":"2.0","method":"open","params":{"focus":true,"path":"/p/a","preview":false,"reveal":{"region":{"end":{"column":3,"line":2},"start":{"column":0,"line":1}}}}}"#
    );
    let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"language":"text","lines":9,"revealed":"all"}}"#;
    let said = hear(&mut session, answer);
    assert!(said.contains("id: 7") && said.contains("lines: 9"), "{said}");
    assert_eq!(hear(&mut session, answer), "", "a second answer to the same request is ignored");
    for (request, result, expected) in [
        (Request::Selection, "null", "Ok(Answer::Selection(None))"),
        (Request::Dirty("/p/a".into()), r#"{"dirty":true}"#, "dirty: true, untitled: false"),
        (Request::Text("/p/a".into()), r#""""#, "Ok(Answer::Text(Some(\"\")))"),
        (Request::Text("/p/a".into()), "null", "Ok(Answer::Text(None))"),
        (Request::Save("/p/a".into()), "true", "Ok(Answer::Saved(true))"),
        (Request::Tabs, r#"[{"path":"/p/a","label":"a","active":true}]"#, "path: Some(\"/p/a\"), label: \"a\""),
        (Request::Tabs, "7", "the companion sent an answer of another type"),
        (Request::CloseTab("/p/a".into()), r#"{"closed":2}"#, "closed: 2, unsaved: 0"),
    ] {
        ask(&mut session, 8, request);
        let said = hear(&mut session, &format!(r#"{{"jsonrpc":"2.0","id":8,"result":{result}}}"#));
        assert!(said.contains(expected), "{result}: {said}");
    }
    ask(&mut session, 9, Request::Folders);
    let refused =
        r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"no","data":{"kind":"unsupported","hint":"h"}}}"#;
    let said = hear(&mut session, refused);
    assert!(said.contains("ErrorKind::Unsupported") && said.contains("hint: Some(\"h\")"), "{said}");
}

#[test]
fn accepted_decision_has_its_text() {
    let mut session = welcome();
    let side = |text: Option<&str>| Side { path: Some("/p/a".into()), text: text.map(Into::into), label: "a".into() };
    let diff = Diff { id: 3, title: "t".into(), left: side(None), right: side(Some("")), decide: true, focus: true };
    let said = ask(&mut session, 1, Request::ShowDiff(diff));
    assert!(
        said.contains(
            r#""left":{"label":"a","path":"/p/a","text":null},"right":{"label":"a","path":"/p/a","text":""}"#
        )
    );
    for (params, expected) in [
        (r#"{"id":3,"decision":"accepted","text":""}"#, "Accepted(\"\")"),
        (r#"{"id":3,"decision":"rejected"}"#, "Rejected"),
        (r#"{"id":3,"decision":"closed"}"#, "Closed"),
    ] {
        let said = hear(&mut session, &format!(r#"{{"jsonrpc":"2.0","method":"decided","params":{params}}}"#));
        assert!(said.contains(expected), "{said}");
    }
    for params in [r#"{"id":3,"decision":"accepted"}"#, r#"{"id":3,"decision":"maybe"}"#, "{}", "null"] {
        let said = hear(&mut session, &format!(r#"{{"jsonrpc":"2.0","method":"decided","params":{params}}}"#));
        assert_eq!(said, "", "{params}");
    }
}

#[test]
fn invalid_message_ends_the_connection() {
    for line in ["", "nonsense", "[]", "{}", r#"{"jsonrpc":"1.0","method":"introduce"}"#, "\u{0}"] {
        let mut session = welcome();
        assert_eq!(hear(&mut session, line), "Action::Close(\"it sent something that is not JSON-RPC 2.0\")", "{line}");
    }
    let mut session = Web::attach("{}");
    let nameless = r#"{"jsonrpc":"2.0","method":"introduce","params":{}}"#;
    assert_eq!(hear(&mut session, nameless), "Action::Close(\"its handshake message is invalid\")");
}

#[test]
fn cancellations_are_sent_to_the_page() {
    let mut session = welcome();
    ask(&mut session, 4, Request::Tabs);
    let cancel = r#"> {"jsonrpc":"2.0","method":"cancel","params":{"id":4}}"#;
    assert_eq!(shown(session.handle(Event::Cancelled(4))), cancel);
    assert_eq!(shown(session.handle(Event::Cancelled(4))), "");
}

/// A full session: handshake, requests, answers in another order, events, end.
fn life() -> Vec<Event> {
    let ask = |id, request| Event::Request(RequestMessage { id, request });
    let lines = [
        r#"{"jsonrpc":"2.0","id":2,"result":{"dirty":true,"untitled":false}}"#,
        r#"{"jsonrpc":"2.0","method":"tabs","params":{"tabs":[{"path":"/p/ä😀","label":"ä😀","lines":70000}]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"message":"E1: no"}}"#,
        r#"{"jsonrpc":"2.0","method":"decided","params":{"id":1,"decision":"accepted","text":"long\nlong\ntext\n"}}"#,
        r#"{"jsonrpc":"2.0","id":"q","method":"question","params":[1,2.5,null]}"#,
        "",
    ];
    vec![
        Event::Opened,
        Event::Received(format!("{HELLO}\n").into_bytes()),
        Event::Welcome,
        ask(1, Request::Tabs),
        ask(2, Request::Dirty("/p/a".to_owned())),
        Event::Cancelled(9),
        Event::Received(lines.join("\n").into_bytes()),
        Event::Closed("it ended".to_owned()),
    ]
}

#[test]
fn actions_do_not_depend_on_message_splits() {
    testing::check_laws::<Web>("{}", &life());
}

#[test]
fn arbitrary_bytes_do_not_break_the_session() {
    testing::check_random_bytes::<Web>("{}", &life(), 2_000);
}

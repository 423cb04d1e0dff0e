//! Tests of the features that VS Code has in addition to those of the web page: diagnostics and edits.

use marquetry_editor::{
    Action, Answer, Edits, Event, Integration, Point, Region, Request, RequestMessage, Session, Severity, TextEdit,
    testing,
};

use serde_json::json;

use crate::VsCode;

const HELLO: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"introduce\",\"params\":{\"title\":\"Visual Studio Code 1.139.1\",\"folders\":[]}}\n";

fn region() -> Region {
    Region { start: Point { line: 1, column: 2 }, end: Point { line: 1, column: 4 } }
}

fn answered(request: Request, result: &str) -> Result<Answer, marquetry_editor::Failure> {
    let mut session = VsCode::attach("{}");
    session.handle(Event::Received(HELLO.as_bytes().to_vec()));
    session.handle(Event::Welcome);
    session.handle(Event::Request(RequestMessage { id: 1, request }));
    let said = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}\n");
    match session.handle(Event::Received(said.into_bytes())).pop() {
        Some(Action::Answer(answered)) => answered.answer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn diagnostics_are_grouped_by_file() {
    let said = r#"[{"path":"/p/a.ts","diagnostics":[{"region":{"start":{"line":1,"column":2},"end":{"line":1,"column":4}},"severity":"warning","message":"m","source":"ts","code":"2345"}]},{"path":"/p/b.ts"}]"#;
    let Ok(Answer::Diagnostics(files)) = answered(Request::Diagnostics(None), said) else { panic!("no diagnostics") };
    assert_eq!((files.len(), files[1].diagnostics.len()), (2, 0));
    let diagnostic = &files[0].diagnostics[0];
    assert_eq!(
        (diagnostic.region, diagnostic.severity, diagnostic.code.as_str()),
        (region(), Severity::Warning, "2345")
    );
}

#[test]
fn edits_are_forwarded_unchanged() {
    let edit = TextEdit { region: region(), old: "ab".into(), new: "ü".into() };
    let mut session = VsCode::attach("{}");
    let request = Request::Apply(vec![Edits { path: "/p/a.ts".into(), edits: vec![edit], save: true }]);
    let [Action::Send(bytes)] = &session.handle(Event::Request(RequestMessage { id: 5, request }))[..] else {
        panic!("expected one message")
    };
    let sent: serde_json::Value = serde_json::from_slice(bytes).expect("JSON");
    let region = json!({ "start": { "line": 1, "column": 2 }, "end": { "line": 1, "column": 4 } });
    let edits = json!([{ "region": region, "old": "ab", "new": "ü" }]);
    let params = json!({ "files": [{ "path": "/p/a.ts", "edits": edits, "save": true }] });
    assert_eq!(sent, json!({ "jsonrpc": "2.0", "id": 5, "method": "apply", "params": params }));
}

#[test]
fn the_laws_hold() {
    let events = [Event::Opened, Event::Received(HELLO.as_bytes().to_vec()), Event::Welcome, Event::Closed("x".into())];
    testing::check_laws::<VsCode>("{}", &events);
    testing::check_random_bytes::<VsCode>("{}", &events, 500);
}

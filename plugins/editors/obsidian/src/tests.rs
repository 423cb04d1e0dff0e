//! Tests of the actions that result from the messages of the Obsidian plugin, for a vault with two notes.

use marquetry_editor::{
    Action, Answer, Channel, Decision, Event, Integration, Notification, Request, RequestMessage, testing,
};

use crate::Obsidian;

const HELLO: &str = r#"{"jsonrpc":"2.0","method":"introduce","params":{"title":"Obsidian 1.12.7","folders":[{"name":"notes","path":"/v"}],"abilities":["open","decide","apply","diagnostics"]}}"#;
const TABS: &str = r#"{"jsonrpc":"2.0","id":1,"result":[{"path":"/v/a.md","label":"a","language":"markdown","active":true,"dirty":true,"untitled":false,"pinned":true,"preview":false,"group":0,"groupActive":true,"lines":3}]}"#;
const DECIDED: &str =
    r#"{"jsonrpc":"2.0","method":"decided","params":{"id":7,"decision":"accepted","text":"as I like it\n"}}"#;

fn events() -> Vec<Event> {
    let said = |line: &str| Event::Received(format!("{line}\n").into_bytes());
    let asked = Event::Request(RequestMessage { id: 1, request: Request::Tabs });
    vec![Event::Opened, said(HELLO), Event::Welcome, asked, said(TABS), said(DECIDED), Event::Closed("it was".into())]
}

#[test]
fn integration_has_its_own_path() {
    assert_eq!(Obsidian::describe().channels, [Channel::Websocket("/editors/obsidian".to_owned())]);
}

#[test]
fn typed_note_is_unsaved_and_decision_has_text() {
    let actions = testing::replay::<Obsidian>("{}", &events());
    let introduced =
        actions.iter().find_map(|action| if let Action::Introduce(said) = action { Some(said) } else { None });
    assert_eq!(
        introduced.map(|said| (said.title.as_str(), said.folders[0].path.as_str())),
        Some(("Obsidian 1.12.7", "/v"))
    );
    let tabs = actions.iter().find_map(|action| match action {
        Action::Answer(answered) => answered.answer.clone().ok(),
        _ => None,
    });
    let Some(Answer::Tabs(tabs)) = tabs else { panic!("{actions:?}") };
    assert!(tabs[0].dirty && tabs[0].pinned && tabs[0].language == "markdown");
    let decided = actions.iter().find_map(|action| match action {
        Action::Notify(Notification::Decided(decided)) => Some(decided.decision.clone()),
        _ => None,
    });
    assert_eq!(decided, Some(Decision::Accepted("as I like it\n".to_owned())));
}

#[test]
fn the_laws_hold() {
    testing::check_laws::<Obsidian>("{}", &events());
    testing::check_random_bytes::<Obsidian>("{}", &events(), 500);
}

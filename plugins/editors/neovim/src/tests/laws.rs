//! Common tests for all editor integrations, with transcripts.

use marquetry_editor::{Event, Request, RequestMessage, testing};

use super::{HELLO, to_msgpack};
use crate::Neovim;

/// A full session: handshake, requests, answers in another order, events, end.
fn life() -> Vec<Event> {
    let ask = |id, request| Event::Request(RequestMessage { id, request });
    let notifications = [
        r#"[2, "marquetry", ["tabs", [{"path": "/p/ä😀", "label": "ä😀", "dirty": true, "lines": 70000}]]]"#,
        r#"[2, "marquetry", ["selection", {"path": "/p/a", "region": [0, 1, 2, 3], "text": "t\nu", "mode": "visual"}]]"#,
        r#"[1, 5, null, {"value": {"dirty": true, "untitled": false}}]"#,
        r#"[1, 4, [0, "E1: no"], null]"#,
        r#"[2, "marquetry", ["decided", {"id": 1, "what": "accepted", "text": "long long text\n"}]]"#,
        r#"[0, 9, "question", [1, 2.5, null]]"#,
    ];
    let mut events = vec![Event::Opened];
    events.extend(HELLO.map(|line| Event::Received(to_msgpack(line))));
    events.extend([Event::Welcome, Event::Received(to_msgpack("[1, 3, null, null]"))]);
    events.extend([ask(1, Request::Tabs), ask(2, Request::Dirty("/p/a".to_owned())), Event::Cancelled(9)]);
    // All events arrive in a single read, because a read can contain several messages.
    events.push(Event::Received(notifications.iter().flat_map(|line| to_msgpack(line)).collect()));
    events.push(Event::Closed("it ended".to_owned()));
    events
}

#[test]
fn actions_do_not_depend_on_message_splits() {
    testing::check_laws::<Neovim>("{}", &life());
}

#[test]
fn arbitrary_bytes_do_not_break_the_session() {
    testing::check_random_bytes::<Neovim>("{}", &life(), 2_000);
}

//! The laws of every integration, on transcripts.

use marquetry_editor::{Asked, Event, Request, testing};

use super::{HELLO, packed};
use crate::Neovim;

/// A whole life: greeting, welcome, requests, answers in another order, news, the end.
fn life() -> Vec<Event> {
    let ask = |id, request| Event::Request(Asked { id, request });
    let news = [
        r#"[2, "marquetry", ["tabs", [{"path": "/p/ä😀", "label": "ä😀", "dirty": true, "lines": 70000}]]]"#,
        r#"[2, "marquetry", ["selection", {"path": "/p/a", "region": [0, 1, 2, 3], "text": "t\nu", "mode": "visual"}]]"#,
        r#"[1, 5, null, {"value": {"dirty": true, "untitled": false}}]"#,
        r#"[1, 4, [0, "E1: no"], null]"#,
        r#"[2, "marquetry", ["decided", {"id": 1, "what": "accepted", "text": "long long text\n"}]]"#,
        r#"[0, 9, "question", [1, 2.5, null]]"#,
    ];
    let mut events = vec![Event::Opened];
    events.extend(HELLO.map(|line| Event::Received(packed(line))));
    events.extend([Event::Welcome, Event::Received(packed("[1, 3, null, null]"))]);
    events.extend([ask(1, Request::Tabs), ask(2, Request::Dirty("/p/a".to_owned())), Event::Cancelled(9)]);
    // In one piece: a read does not end where a message does.
    events.push(Event::Received(news.iter().flat_map(|line| packed(line)).collect()));
    events.push(Event::Closed("it ended".to_owned()));
    events
}

#[test]
fn a_transcript_gives_the_same_actions_however_it_is_split() {
    testing::laws::<Neovim>("{}", &life());
}

#[test]
fn whatever_bytes_come_nothing_breaks() {
    testing::survives::<Neovim>("{}", &life(), 2_000);
}

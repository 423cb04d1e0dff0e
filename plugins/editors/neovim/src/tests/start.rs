//! Handshake and end of a session.

use marquetry_editor::{Event, Integration, Request, Session};

use super::{HELLO, accepted_session, format_actions, receive, send_request, to_msgpack};
use crate::{Neovim, NeovimSession};

#[test]
fn neovim_is_identified_before_setup() {
    let mut session = NeovimSession::new("{}");
    assert_eq!(format_actions(session.handle(Event::Opened)), r#"> [0, 1, "nvim_get_api_info", []]"#);
    assert_eq!(receive(&mut session, HELLO[0]), r#"> [0, 2, "nvim_exec_lua", […, []]]"#);
    let introduced = receive(&mut session, HELLO[1]);
    assert!(introduced.starts_with(
        r#"Introduce(Introduction { title: "Neovim 0.11.4", folders: [Folder { name: "p", path: "/p" }]"#
    ));
    let installed = format_actions(session.handle(Event::Welcome));
    assert_eq!(
        installed,
        r#"> [2, "nvim_set_client_info", ["marquetry", {}, "plugin", {}, {}]]
> [0, 3, "nvim_exec_lua", […, [3, {"share_selection": true}]]]"#
    );
    assert_eq!(format_actions(session.handle(Event::Welcome)), "", "`session.lua` is installed only once");
}

#[test]
fn selection_can_be_kept_private() {
    let mut session = NeovimSession::new(r#"{"share-selection": false}"#);
    session.handle(Event::Opened);
    for line in HELLO {
        receive(&mut session, line);
    }
    assert!(format_actions(session.handle(Event::Welcome)).contains(r#"{"share_selection": false}"#));
    for nonsense in ["", "[]", "{\"share-selection\": 7}"] {
        NeovimSession::new(nonsense);
    }
}

#[test]
fn peer_that_is_not_neovim_is_disconnected() {
    let close = |json: &str| {
        let mut session = NeovimSession::new("{}");
        session.handle(Event::Opened);
        let said = receive(&mut session, json);
        assert_eq!(format_actions(session.handle(Event::Received(to_msgpack(HELLO[0])))), "", "the session is closed");
        said
    };
    assert_eq!(close("[1, 1, null, [3, {}]]"), r#"Close("its handshake message is invalid")"#);
    assert_eq!(close(r#"[1, 1, [0, "no"], null]"#), r#"Close("no")"#);
    assert_eq!(close("7"), r#"Close("it sent something that is not msgpack-rpc")"#);
    assert_eq!(close("[2, 7, []]"), r#"Close("it sent something that is not msgpack-rpc")"#);
    let mut session = NeovimSession::new("{}");
    session.handle(Event::Opened);
    let http = format_actions(session.handle(Event::Received(b"HTTP/1.1 400 Bad Request\r\n".to_vec())));
    assert_eq!(http, r#"Close("it sent something that is not msgpack-rpc")"#);
}

#[test]
fn nothing_is_sent_before_the_handshake() {
    let mut session = NeovimSession::new("{}");
    session.handle(Event::Opened);
    assert!(send_request(&mut session, Request::Tabs).contains("LimitExceeded"));
    assert_eq!(receive(&mut session, r#"[2, "marquetry", ["focused", true]]"#), "");
}

#[test]
fn requests_of_neovim_are_refused() {
    let mut session = accepted_session();
    let refusal = r#"> [1, 77, "this channel does not answer requests", nil]"#;
    assert_eq!(receive(&mut session, r#"[0, 77, "anything", []]"#), refusal);
}

#[test]
fn ended_session_ignores_messages() {
    let mut session = accepted_session();
    session.handle(Event::Closed("gone".to_owned()));
    assert_eq!(send_request(&mut session, Request::Tabs), "");
    assert_eq!(receive(&mut session, r#"[2, "marquetry", ["focused", true]]"#), "");
}

#[test]
fn description_is_valid() {
    let said = Neovim::describe();
    assert_eq!((said.id.as_str(), said.channels.len(), said.abilities.len()), ("neovim", 1, 13));
    let schema: serde_json::Value = serde_json::from_str(&said.settings_schema).expect("JSON");
    assert_eq!(schema["properties"]["share-selection"]["type"], "boolean");
}

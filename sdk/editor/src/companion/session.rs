//! State machine of one editor with a companion.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{decode, encode, lines::Lines};
use crate::{Action, AnswerMessage, ErrorKind, Event, Failure, Request, RequestMessage, Session};

/// Maximum number of pending requests.
const MAX_PENDING: usize = 1_000;

/// One attached editor whose companion uses the protocol of this module.
#[derive(Debug, Default)]
pub struct CompanionSession {
    lines: Lines,
    /// Requests without an answer yet.
    pending: BTreeMap<u32, Request>,
    introduced: bool,
    has_ended: bool,
}

/// A message of a companion.
#[derive(Deserialize)]
struct Message {
    jsonrpc: String,
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default, deserialize_with = "deserialize_present")]
    result: Option<Value>,
    #[serde(default, deserialize_with = "deserialize_present")]
    error: Option<Value>,
}

/// Distinguishes `null` from a missing field.
fn deserialize_present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl CompanionSession {
    fn handle_bytes(&mut self, bytes: &[u8]) -> Vec<Action> {
        self.lines.push(bytes);
        let mut actions = Vec::new();
        while !self.has_ended {
            match self.lines.next() {
                Ok(Some(line)) => {
                    let message = serde_json::from_slice::<Message>(line).ok();
                    self.handle_message(message.filter(|message| message.jsonrpc == "2.0"), &mut actions);
                }
                Ok(None) => break,
                Err(_) => self.close("a message is too long", &mut actions),
            }
        }
        actions
    }

    fn close(&mut self, why: &str, actions: &mut Vec<Action>) {
        self.has_ended = true;
        actions.push(Action::Close(why.to_owned()));
    }

    fn handle_message(&mut self, message: Option<Message>, actions: &mut Vec<Action>) {
        let Some(message) = message else { return self.close("it sent something that is not JSON-RPC 2.0", actions) };
        let Message { id, method, params, result, error, .. } = message;
        match (method, id) {
            (Some(_), Some(id)) => actions.push(Action::Send(encode::error_response(&id))),
            (Some(method), None) if method == "introduce" => self.introduce(params, actions),
            (Some(method), None) if self.introduced => {
                actions.extend(decode::event(&method, params).map(Action::Notify))
            }
            // Notifications before the introduction are ignored.
            (Some(_), None) => {}
            (None, id) => {
                let id = id.and_then(|id| u32::try_from(id.as_u64()?).ok());
                // A cancelled request may still be answered.
                let Some((id, request)) = id.and_then(|id| Some((id, self.pending.remove(&id)?))) else { return };
                let answer = match (result, error) {
                    (_, Some(error)) => Err(decode::failure(error)),
                    (result, None) => decode::answer(&request, result.unwrap_or_default()),
                };
                actions.push(Action::Answer(AnswerMessage { id, answer }));
            }
        }
    }

    fn introduce(&mut self, params: Value, actions: &mut Vec<Action>) {
        match decode::introduction(params) {
            // An editor introduces itself only once.
            Some(introduction) if !self.introduced => {
                self.introduced = true;
                actions.push(Action::Introduce(introduction));
            }
            Some(_) => self.close("it sent `introduce` twice", actions),
            None => self.close("its handshake message is invalid", actions),
        }
    }

    fn request(&mut self, RequestMessage { id, request }: RequestMessage) -> Action {
        if self.pending.len() >= MAX_PENDING {
            let failure = Failure::new(ErrorKind::LimitExceeded, "the editor has too many pending requests");
            return Action::Answer(AnswerMessage { id, answer: Err(failure) });
        }
        let message = encode::request(id, &request);
        self.pending.insert(id, request);
        Action::Send(message)
    }
}

impl Session for CompanionSession {
    fn handle(&mut self, event: Event) -> Vec<Action> {
        match event {
            _ if self.has_ended => Vec::new(),
            Event::Opened | Event::Woken(_) => Vec::new(),
            Event::Received(bytes) => self.handle_bytes(&bytes),
            Event::Closed(_) => {
                self.has_ended = true;
                Vec::new()
            }
            Event::Welcome => vec![Action::Send(encode::notification("welcome", &json!({})))],
            Event::Request(asked) => vec![self.request(asked)],
            Event::Cancelled(id) => match self.pending.remove(&id) {
                Some(_) => vec![Action::Send(encode::notification("cancel", &json!({ "id": id })))],
                None => Vec::new(),
            },
        }
    }
}

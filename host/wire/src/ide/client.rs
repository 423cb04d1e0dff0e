//! Serves one client: reads its messages, runs its calls and sends notifications.

use std::sync::Arc;

use futures_util::io::BufReader;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use marquetry_model::{Error, Work, nearest::nearest_names};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use soketto::{Receiver, Sender};
use tokio_util::compat::Compat;

use super::{
    answers,
    endpoint::Endpoint,
    events, open_diff,
    session::{MessageReceiver, Outgoing, PendingCall, Session},
    tools,
};
use crate::{
    queues::Slot,
    rpc::{self, Message, NO_METHOD},
    socket::Link,
};

type Stream = BufReader<Compat<TokioIo<Upgraded>>>;

/// MCP version that all clients of this endpoint use.
const PROTOCOL: &str = "2024-11-05";

/// Serves a client until it disconnects or the server stops.
pub(super) async fn run(endpoint: Endpoint, link: Arc<Link>, (sender, receiver): (Sender<Stream>, Receiver<Stream>)) {
    let alive = endpoint.alive.clone();
    let stop = endpoint.stop.clone();
    let (session, outgoing) = Session::new(endpoint, link);
    let session = Arc::new(session);
    let writing = tokio::spawn(write_messages(sender, outgoing));
    let telling = tokio::spawn(events::send_selections(Arc::clone(&session)));
    let listening = events::subscribe(&session);
    tokio::select! {
        () = read_messages(&session, receiver) => {}
        () = stop.shutdown() => {}
    }
    drop(listening);
    telling.abort();
    if session.is_ready() {
        session.endpoint().mentions.client_left();
    }
    session.calls.cancel_all();
    session.diffs.mark_disconnected();
    // Close the client's proposals. This also answers its pending `openDiff` calls.
    let (editors, owner) = (Arc::clone(session.editors()), session.owner);
    let _ = tokio::task::spawn_blocking(move || editors.close_all(owner)).await;
    session.end();
    let _ = writing.await;
    session.link.close("the client disconnected");
    drop(alive);
}

/// Writer task: sends messages until `Outgoing::End`.
async fn write_messages(mut sender: Sender<Stream>, mut outgoing: MessageReceiver) {
    while let Some(Outgoing::Text(text)) = outgoing.recv().await {
        if sender.send_text_owned(text).await.is_err() || sender.flush().await.is_err() {
            return;
        }
    }
    let _ = sender.close().await;
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    #[serde(default)]
    arguments: Value,
}

async fn read_messages(session: &Arc<Session>, mut receiver: Receiver<Stream>) {
    let mut message = Vec::new();
    // A message that is too long or malformed ends the connection.
    while receiver.receive_data(&mut message).await.is_ok() {
        session.link.record_message();
        match std::str::from_utf8(&message) {
            Ok(text) => handle_message(session, text).await,
            Err(_) => session.send(rpc::not_a_request("null", "a message is UTF-8")),
        }
        message.clear();
        message.shrink_to(1 << 16);
    }
}

async fn handle_message(session: &Arc<Session>, text: &str) {
    match Message::read(text) {
        Message::Invalid(answer) => session.send(answer),
        Message::Notification { method, params } => handle_notification(session, &method, params.as_deref()),
        Message::Request { id, method, params } => {
            if let Some(answer) = handle_request(session, &id, &method, params).await {
                session.send(answer);
            }
        }
    }
}

fn handle_notification(session: &Session, method: &str, params: Option<&RawValue>) {
    match method {
        "notifications/initialized" => {
            // A repeated notification has no effect.
            if session.make_ready() {
                events::send_pending(session);
            }
        }
        "notifications/cancelled" => {
            let params: Value = params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
            let id = params["requestId"].to_string();
            session.calls.cancel(0, Some(&json!({ "id": params["requestId"] }).to_string()));
            open_diff::withdraw(session, &id);
        }
        // `ide_connected` carries a process ID, which is not used.
        _ => {}
    }
}

/// Returns the response to a request. `None` if it is sent later.
async fn handle_request(
    session: &Arc<Session>,
    id: &str,
    method: &str,
    params: Option<Box<RawValue>>,
) -> Option<String> {
    let result = match method {
        "initialize" => {
            let parsed = params.as_deref().and_then(|params| serde_json::from_str(params.get()).ok());
            session.client.set_name(&parsed.unwrap_or_default());
            json!({
                "protocolVersion": PROTOCOL,
                "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
                "serverInfo": { "name": "marquetry", "version": env!("CARGO_PKG_VERSION") },
            })
        }
        "ping" | "ide_connected" => json!({}),
        "tools/list" => json!({ "tools": tools::list() }),
        "prompts/list" => json!({ "prompts": [] }),
        "resources/list" => json!({ "resources": [] }),
        "resources/templates/list" => json!({ "resourceTemplates": [] }),
        "tools/call" => return start_call(session, id, params).await,
        other => {
            let error = Error::argument(format!("no method `{other}`"));
            return Some(rpc::error_response(id, NO_METHOD, &error));
        }
    };
    Some(answers::response(id, &result))
}

/// Starts a tool call on its own thread, so that other messages are handled meanwhile. Returns the response only if
/// the call cannot start.
async fn start_call(session: &Arc<Session>, id: &str, params: Option<Box<RawValue>>) -> Option<String> {
    let text = params.as_deref().map_or("{}", RawValue::get);
    let given: ToolCall = match serde_json::from_str(text) {
        Ok(given) if text.trim_start().starts_with('{') => given,
        Ok(_) => {
            return Some(answers::error_response(id, &Error::argument("tools/call: the parameters are not an object")));
        }
        Err(error) => return Some(answers::error_response(id, &Error::argument(format!("tools/call: {error}")))),
    };
    let Some(tool) = tools::find(&given.name) else {
        let known = || tools::names().map(str::to_owned);
        let near = nearest_names(&given.name, known());
        let candidates = if near.is_empty() { known().collect() } else { near };
        let error = Error::argument(format!("no tool `{}`", given.name)).candidates(candidates);
        return Some(rpc::error_response(id, NO_METHOD, &error));
    };
    let queues = session.catalog().queues();
    let admitted = match queues.admit(&session.link.calls, 1, text.len()) {
        Ok(admitted) => admitted,
        Err(error) => return Some(answers::error_response(id, &error)),
    };
    session.link.unread.wait_until_read(queues.limits().unread).await;
    let call = session.register_call(id, admitted);
    let session = Arc::clone(session);
    tokio::spawn(async move {
        let place = match wait_for_slot(&session, tool).await {
            Ok(place) => place,
            Err(error) => return session.send(answers::error_response(&call.id, &error)),
        };
        if let Some(place) = &place {
            place.release_while_waiting(&call.call.work);
        }
        let carried_out = tokio::task::spawn_blocking(move || {
            run_tool(&session, tool, given.arguments, call);
            drop(place);
        });
        if carried_out.await.is_err() {
            tracing::error!("a tool of the endpoint panicked");
        }
    });
    None
}

/// Waits for a slot if language packs may have to answer the call.
async fn wait_for_slot(session: &Session, tool: tools::Tool) -> Result<Option<Slot>, Error> {
    match tools::queue(tool) {
        Some(queue) => session.catalog().queues().enter(queue).await.map(Some),
        None => Ok(None),
    }
}

fn run_tool(session: &Arc<Session>, tool: tools::Tool, given: Value, call: PendingCall) {
    if tool == tools::Tool::OpenDiff {
        return open_diff::propose(session, given, call);
    }
    let work: Work = call.call.work.clone();
    let carried_out =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tools::run(session, tool, given, &work)));
    let result = carried_out.unwrap_or_else(|_| Err(Error::internal("a tool panicked")));
    session.send(match result {
        Ok(result) => answers::response(&call.id, &result),
        Err(error) => answers::error_response(&call.id, &error),
    });
}

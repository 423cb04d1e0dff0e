//! State of one client's session, and sending messages to it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use marquetry_model::{
    Result,
    editor::{Editors, ProposalOwner},
};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{
    answers,
    diffs::PendingDiffs,
    endpoint::{Endpoint, Settings},
    paths::Located,
    pending::Selections,
};
use crate::{
    ServedCatalog,
    calls::{Call, Calls},
    clients::ConnectedClient,
    queues::Admitted,
    socket::Link,
};

/// State shared by all tasks of one client.
pub(super) struct Session {
    endpoint: Endpoint,
    pub(super) link: Arc<Link>,
    out: UnboundedSender<Outgoing>,
    pub(super) calls: Calls,
    pub(super) owner: ProposalOwner,
    pub(super) diffs: PendingDiffs,
    pub(super) selections: Selections,
    /// True once the client has sent `notifications/initialized`.
    ready: AtomicBool,
    pub(super) client: ConnectedClient,
}

/// Message to the writer task.
pub(super) enum Outgoing {
    Text(String),
    End,
}

/// A tool call that has not been answered.
pub(super) struct PendingCall {
    /// Request ID as JSON.
    pub(super) id: String,
    pub(super) call: Call,
    _admitted: Admitted,
}

/// Receiver of the writer task.
pub(super) type MessageReceiver = UnboundedReceiver<Outgoing>;

impl Session {
    /// Creates the session of a new client, and the receiver for its writer task.
    pub(super) fn new(endpoint: Endpoint, link: Arc<Link>) -> (Session, MessageReceiver) {
        let (out, outgoing) = unbounded_channel();
        let client = endpoint.catalog.clients().connect();
        let session = Session {
            endpoint,
            link,
            out,
            calls: Calls::default(),
            owner: ProposalOwner::new(),
            diffs: PendingDiffs::default(),
            selections: Selections::default(),
            ready: AtomicBool::new(false),
            client,
        };
        (session, outgoing)
    }

    /// Registers a tool call.
    pub(super) fn register_call(&self, id: &str, admitted: Admitted) -> PendingCall {
        PendingCall { id: id.to_owned(), call: self.calls.begin(0, id.to_owned()), _admitted: admitted }
    }

    /// Resolves a path or a `file:` URI from the client.
    pub(super) fn resolve_path(&self, given: &str) -> Result<Located> {
        Located::resolve(given, self.catalog().bench(), self.settings().home.as_deref())
    }

    pub(super) fn catalog(&self) -> &ServedCatalog {
        &self.endpoint.catalog
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.endpoint.settings
    }

    pub(super) fn editors(&self) -> &Arc<dyn Editors> {
        self.endpoint.catalog.bench().editors()
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(super) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// Marks the client as ready. Returns false if it already was.
    pub(super) fn make_ready(&self) -> bool {
        !self.ready.swap(true, Ordering::AcqRel)
    }

    /// Ends the writer task.
    pub(super) fn end(&self) {
        let _ = self.out.send(Outgoing::End);
    }

    /// Queues a message. The queue is unbounded, but the number of calls per client is limited.
    pub(super) fn send(&self, text: String) {
        self.link.unread.answered(text.len());
        // Sending fails if the client has disconnected; then the message is dropped.
        let _ = self.out.send(Outgoing::Text(text));
    }

    /// Sends a notification, unless the client has too many unread messages.
    pub(super) fn notify(&self, method: &str, params: &Value) {
        if !self.link.unread.exceeds(self.catalog().queues().limits().unread) {
            self.send(answers::notification(method, params));
        }
    }
}

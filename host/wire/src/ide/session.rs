//! What is known of one client, and how it is written to.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use marquetry_model::{
    Result,
    editor::{Editors, Owner},
};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{
    answers,
    diffs::Diffs,
    endpoint::{Endpoint, Settings},
    paths::Located,
    waiting::Selections,
};
use crate::{
    calls::{Call, Calls},
    catalog::Catalog,
    clients::Connected,
    lanes::Admitted,
    socket::Link,
};

/// What all tasks of one client share.
pub(super) struct Session {
    endpoint: Endpoint,
    pub(super) link: Arc<Link>,
    out: UnboundedSender<Outgoing>,
    pub(super) calls: Calls,
    pub(super) owner: Owner,
    pub(super) diffs: Diffs,
    pub(super) selections: Selections,
    /// It said that it is ready to be told things.
    ready: AtomicBool,
    pub(super) client: Connected,
}

/// What is written to a client.
pub(super) enum Outgoing {
    Text(String),
    End,
}

/// A call of a tool, until it is answered.
pub(super) struct Asked {
    /// As JSON.
    pub(super) id: String,
    pub(super) call: Call,
    _admitted: Admitted,
}

/// What is written to a client, and when to end.
pub(super) type Outbox = UnboundedReceiver<Outgoing>;

impl Session {
    /// The session of a client that has just come, and what is to be written to it.
    pub(super) fn new(endpoint: Endpoint, link: Arc<Link>) -> (Session, Outbox) {
        let (out, outgoing) = unbounded_channel();
        let client = endpoint.catalog.clients().connect();
        let session = Session {
            endpoint,
            link,
            out,
            calls: Calls::default(),
            owner: Owner::new(),
            diffs: Diffs::default(),
            selections: Selections::default(),
            ready: AtomicBool::new(false),
            client,
        };
        (session, outgoing)
    }

    /// A call of a tool begins.
    pub(super) fn asked(&self, id: &str, admitted: Admitted) -> Asked {
        Asked { id: id.to_owned(), call: self.calls.begin(0, id.to_owned()), _admitted: admitted }
    }

    /// A path or a `file:` URI of a client, as editors take it.
    pub(super) fn located(&self, given: &str) -> Result<Located> {
        Located::of(given, self.catalog().bench(), self.settings().home.as_deref())
    }

    pub(super) fn catalog(&self) -> &Catalog {
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

    /// It is ready from here on; whether it was not before.
    pub(super) fn make_ready(&self) -> bool {
        !self.ready.swap(true, Ordering::AcqRel)
    }

    /// Nothing more is written to it.
    pub(super) fn end(&self) {
        let _ = self.out.send(Outgoing::End);
    }

    /// Send a message. What a client does not read is kept for it: it has as many calls as it may have.
    pub(super) fn send(&self, text: String) {
        self.link.unread.answered(text.len());
        // A client that is gone misses it.
        let _ = self.out.send(Outgoing::Text(text));
    }

    /// Tell the client something that it did not ask for; one that does not read is not told.
    pub(super) fn tell(&self, method: &str, params: &Value) {
        if !self.link.unread.is_more_than(self.catalog().lanes().limits().unread) {
            self.send(answers::notification(method, params));
        }
    }
}

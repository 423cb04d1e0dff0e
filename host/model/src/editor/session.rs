//! Ports through which the host uses integrations: an integration's description, and the state machine of one attached
//! editor. Implemented by the crate `runtime` in the sandbox.

use std::sync::Arc;

use super::words::{Answer, DiffId, Folder, Mention, Request, Selected, Tab};
use crate::{Result, files::Files};

/// A kind of request that an editor supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they are those of the requests")]
pub enum Ability {
    Open,
    ShowDiff,
    Decide,
    CloseTab,
    Tabs,
    Selection,
    Dirty,
    Text,
    Save,
    Folders,
    Diagnostics,
    Apply,
    Show,
}

impl Ability {
    /// The name used in answers.
    pub fn name(self) -> &'static str {
        match self {
            Ability::Open => "open",
            Ability::ShowDiff => "show-diff",
            Ability::Decide => "decide",
            Ability::CloseTab => "close-tab",
            Ability::Tabs => "tabs",
            Ability::Selection => "selection",
            Ability::Dirty => "dirty",
            Ability::Text => "text",
            Ability::Save => "save",
            Ability::Folders => "folders",
            Ability::Diagnostics => "diagnostics",
            Ability::Apply => "apply",
            Ability::Show => "show",
        }
    }

    /// The ability that a request needs.
    pub fn of(request: &Request) -> Ability {
        match request {
            Request::Open(_) => Ability::Open,
            Request::ShowDiff(diff) if diff.decide => Ability::Decide,
            Request::ShowDiff(_) | Request::CloseDiff(_) => Ability::ShowDiff,
            Request::CloseTab(_) => Ability::CloseTab,
            Request::Tabs => Ability::Tabs,
            Request::Selection => Ability::Selection,
            Request::Dirty(_) => Ability::Dirty,
            Request::Text(_) => Ability::Text,
            Request::Save(_) => Ability::Save,
            Request::Folders => Ability::Folders,
            Request::Diagnostics(_) => Ability::Diagnostics,
            Request::Apply(_) => Ability::Apply,
            Request::Show(_) => Ability::Show,
        }
    }
}

/// How an editor is reached, with the default addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Channel {
    /// The host connects to a Unix socket.
    Socket(Vec<String>),
    /// The host connects to a port of this machine.
    Port(Vec<String>),
    /// Editors connect to the host, at this path.
    WebSocket(String),
    /// The host starts a program, with these arguments.
    Program(Vec<String>),
}

impl Channel {
    /// The name used in the registry.
    pub fn name(&self) -> &'static str {
        match self {
            Channel::Socket(_) => "socket",
            Channel::Port(_) => "port",
            Channel::WebSocket(_) => "websocket",
            Channel::Program(_) => "program",
        }
    }
}

/// An integration's description of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// The usual name in the registry.
    pub id: String,
    /// A display name.
    pub name: String,
    /// The semantic version.
    pub version: String,
    /// The channels, in order of preference.
    pub channels: Vec<Channel>,
    /// All requests that its editors may support.
    pub abilities: Vec<Ability>,
    /// JSON Schema of its settings.
    pub settings_schema: String,
    /// The help page.
    pub help: String,
}

/// An editor's description of itself, sent in the handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// The editor's name and version.
    pub title: String,
    /// Its workspace folders.
    pub folders: Vec<Folder>,
    /// The requests that it supports.
    pub abilities: Vec<Ability>,
}

/// An input of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The connection was opened.
    Opened,
    /// Bytes were received.
    Received(Vec<u8>),
    /// The connection was closed, for this reason.
    Closed(String),
    /// The host accepted this editor.
    Welcome,
    /// The host sends a request, with its id.
    Request(u32, Request),
    /// The request with this id was cancelled.
    Cancelled(u32),
    /// The timer with this id expired.
    Woken(u32),
}

/// An output of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Introduces the editor to the host.
    Introduce(Introduction),
    /// Answers a request.
    Answer(u32, Result<Answer>),
    /// Reports an event.
    Tell(Told),
    /// Starts a timer: its id, and the time in milliseconds.
    Wake(u32, u32),
    /// Closes the connection, for this reason.
    Close(String),
}

/// An event as an integration reports it; see [`super::News`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the news that come of them")]
pub enum Told {
    Selection(Option<Selected>),
    Tabs(Vec<Tab>),
    Folders(Vec<Folder>),
    Saved(String),
    Changed(String),
    Accepted(DiffId, Arc<str>),
    Rejected(DiffId),
    Closed(DiffId),
    Mentioned(Mention),
    Focused(bool),
}

/// The state machine of one attached editor.
pub trait Session: Send {
    /// Handles an input and returns the outputs.
    ///
    /// # Errors
    /// Fails if the integration crashed or returned invalid data. The session is over then.
    fn handle(&mut self, event: Event) -> Result<Vec<Action>>;
}

/// One integration, as configured by a project.
pub trait Integration: Send + Sync {
    /// The name in the registry.
    fn name(&self) -> &str;

    /// A key that distinguishes integrations of the same name, such as those of two projects.
    fn key(&self) -> &str;

    /// The names of the channels that the project grants.
    fn channels(&self) -> &[String];

    /// The addresses in the registry; `None` for the default ones.
    fn addresses(&self) -> Option<&[String]>;

    /// The integration's description of itself.
    ///
    /// # Errors
    /// Fails if the integration cannot be loaded.
    fn describe(&self) -> Result<Arc<Described>>;

    /// Creates a session for one editor.
    ///
    /// # Errors
    /// Fails if the integration cannot be loaded.
    fn attach(&self) -> Result<Box<dyn Session>>;
}

/// The integrations of all projects.
pub trait Integrations: Send + Sync {
    /// Returns the integrations of one project.
    ///
    /// # Errors
    /// Fails if the registry of the project is invalid.
    fn of(&self, files: &Arc<dyn Files>) -> Result<Vec<Arc<dyn Integration>>>;
}

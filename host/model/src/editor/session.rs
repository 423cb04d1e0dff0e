//! The ports through which the host reaches integrations: what is known of one, and the state machine of one attached
//! editor. `runtime` implements them in the sandbox.

use std::sync::Arc;

use super::words::{Answer, DiffId, Folder, Mention, Request, Selected, Tab};
use crate::{Result, files::Files};

/// A request that an editor can carry out.
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
    /// Its name in answers.
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

    /// What an editor has to be able to do for a request.
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

/// How an editor is reached, with the usual addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Channel {
    /// The host dials a Unix socket.
    Socket(Vec<String>),
    /// The host dials a port of this machine.
    Port(Vec<String>),
    /// Editors dial the host, at this path.
    WebSocket(String),
    /// The host starts a program, with these arguments.
    Program(Vec<String>),
}

impl Channel {
    /// What the registry calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Channel::Socket(_) => "socket",
            Channel::Port(_) => "port",
            Channel::WebSocket(_) => "websocket",
            Channel::Program(_) => "program",
        }
    }
}

/// What an integration says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// The name that the registry usually gives it.
    pub id: String,
    /// For people.
    pub name: String,
    /// Semantic.
    pub version: String,
    /// In order of preference.
    pub channels: Vec<Channel>,
    /// What its editors can do at best.
    pub abilities: Vec<Ability>,
    /// JSON Schema of the settings.
    pub settings_schema: String,
    /// A page for people.
    pub help: String,
}

/// What an editor says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// With the version.
    pub title: String,
    /// The folders that it works in.
    pub folders: Vec<Folder>,
    /// What it can do.
    pub abilities: Vec<Ability>,
}

/// What happens to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The connection is there.
    Opened,
    /// Bytes of it.
    Received(Vec<u8>),
    /// The connection is gone.
    Closed(String),
    /// The host works with this editor.
    Welcome,
    /// The host asks, under a number.
    Request(u32, Request),
    /// The answer is no longer wanted.
    Cancelled(u32),
    /// A timer is over.
    Woken(u32),
}

/// What a session does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Send bytes.
    Send(Vec<u8>),
    /// Say what the editor is.
    Introduce(Introduction),
    /// Answer a request.
    Answer(u32, Result<Answer>),
    /// Tell news.
    Tell(Told),
    /// Wake me in so many milliseconds.
    Wake(u32, u32),
    /// End the connection, for this reason.
    Close(String),
}

/// News as an integration tells them: see [`super::News`].
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
    /// What is done about something that happened.
    ///
    /// # Errors
    /// The integration misbehaved: there is no session any more.
    fn handle(&mut self, event: Event) -> Result<Vec<Action>>;
}

/// One integration, as a project uses it.
pub trait Integration: Send + Sync {
    /// Its name in the registry.
    fn name(&self) -> &str;

    /// What tells two integrations apart that have the same name, such as those of two projects.
    fn key(&self) -> &str;

    /// The channels that the project grants, by their names.
    fn channels(&self) -> &[String];

    /// Addresses that the registry gives; none where the usual ones are meant.
    fn addresses(&self) -> Option<&[String]>;

    /// What it says of itself.
    ///
    /// # Errors
    /// It cannot be loaded.
    fn describe(&self) -> Result<Arc<Described>>;

    /// A session for one editor.
    ///
    /// # Errors
    /// It cannot be loaded.
    fn attach(&self) -> Result<Box<dyn Session>>;
}

/// The integrations of projects.
pub trait Integrations: Send + Sync {
    /// Those of one project.
    ///
    /// # Errors
    /// Its registry cannot be understood.
    fn of(&self, files: &Arc<dyn Files>) -> Result<Vec<Arc<dyn Integration>>>;
}

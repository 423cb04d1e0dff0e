//! Ports through which the host uses integrations: an integration's description, and the state machine of one attached
//! editor. Implemented by the crate `runtime` in the sandbox.

use std::sync::Arc;

use super::messages::{Answer, DiffId, EditorSelection, Folder, Mention, Request, Tab};
use crate::{Result, files::Files};

/// A kind of request that an editor supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is documented at the request with the same name")]
pub enum Capability {
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

impl Capability {
    /// The name used in answers.
    pub fn name(self) -> &'static str {
        match self {
            Capability::Open => "open",
            Capability::ShowDiff => "show-diff",
            Capability::Decide => "decide",
            Capability::CloseTab => "close-tab",
            Capability::Tabs => "tabs",
            Capability::Selection => "selection",
            Capability::Dirty => "dirty",
            Capability::Text => "text",
            Capability::Save => "save",
            Capability::Folders => "folders",
            Capability::Diagnostics => "diagnostics",
            Capability::Apply => "apply",
            Capability::Show => "show",
        }
    }

    /// Returns the capability that an editor needs for a request.
    pub fn required_by(request: &Request) -> Capability {
        match request {
            Request::Open(_) => Capability::Open,
            Request::ShowDiff(diff) if diff.decide => Capability::Decide,
            Request::ShowDiff(_) | Request::CloseDiff(_) => Capability::ShowDiff,
            Request::CloseTab(_) => Capability::CloseTab,
            Request::Tabs => Capability::Tabs,
            Request::Selection => Capability::Selection,
            Request::Dirty(_) => Capability::Dirty,
            Request::Text(_) => Capability::Text,
            Request::Save(_) => Capability::Save,
            Request::Folders => Capability::Folders,
            Request::Diagnostics(_) => Capability::Diagnostics,
            Request::Apply(_) => Capability::Apply,
            Request::Show(_) => Capability::Show,
        }
    }
}

/// Transport to an editor, with its default addresses.
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
pub struct IntegrationInfo {
    /// The usual name in the registry.
    pub id: String,
    /// A display name.
    pub name: String,
    /// The semantic version.
    pub version: String,
    /// The channels, in order of preference.
    pub channels: Vec<Channel>,
    /// All requests that its editors may support.
    pub abilities: Vec<Capability>,
    /// JSON Schema of its settings.
    pub settings_schema: String,
    /// The help page.
    pub help: String,
}

/// An editor's description of itself, sent in the handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorInfo {
    /// The editor's name and version.
    pub title: String,
    /// Its workspace folders.
    pub folders: Vec<Folder>,
    /// The requests that it supports.
    pub abilities: Vec<Capability>,
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
    Accepted,
    /// The host sends a request, with its id.
    Request(u32, Request),
    /// The request with this id was cancelled.
    Cancelled(u32),
    /// The timer with this id expired.
    TimerExpired(u32),
}

/// An output of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Introduces the editor to the host.
    Introduce(EditorInfo),
    /// Answers a request.
    Answer(u32, Result<Answer>),
    /// Reports an event.
    Report(ReportedEvent),
    /// Starts a timer: its id, and the time in milliseconds.
    StartTimer(u32, u32),
    /// Closes the connection, for this reason.
    Close(String),
}

/// An event as an integration reports it; see [`super::EditorEvent`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is documented at the event with the same name")]
pub enum ReportedEvent {
    Selection(Option<EditorSelection>),
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
    fn describe(&self) -> Result<Arc<IntegrationInfo>>;

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
    fn for_project(&self, files: &Arc<dyn Files>) -> Result<Vec<Arc<dyn Integration>>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::editor::{Diff, DiffSide, Level, Message, OpenFile};

    /// Each kind of request, in the order of the capabilities that they need.
    fn requests() -> Vec<Request> {
        let diff = |decide| Diff {
            id: DiffId(1),
            title: String::new(),
            left: DiffSide::default(),
            right: DiffSide::default(),
            decide,
            focus: false,
        };
        vec![
            Request::Open(OpenFile::default()),
            Request::ShowDiff(diff(false)),
            Request::ShowDiff(diff(true)),
            Request::CloseDiff(DiffId(1)),
            Request::CloseTab(String::new()),
            Request::Tabs,
            Request::Selection,
            Request::Dirty(String::new()),
            Request::Text(String::new()),
            Request::Save(String::new()),
            Request::Folders,
            Request::Diagnostics(None),
            Request::Apply(Vec::new()),
            Request::Show(Message { level: Level::Info, text: String::new() }),
        ]
    }

    #[test]
    fn requests_need_the_capability_of_their_kind() {
        let names: Vec<&str> = requests().iter().map(|request| Capability::required_by(request).name()).collect();
        assert_eq!(
            names,
            [
                "open",
                "show-diff",
                "decide",
                "show-diff",
                "close-tab",
                "tabs",
                "selection",
                "dirty",
                "text",
                "save",
                "folders",
                "diagnostics",
                "apply",
                "show"
            ]
        );
    }

    #[test]
    fn channels_are_named_as_in_the_registry() {
        let channels = [
            Channel::Socket(Vec::new()),
            Channel::Port(Vec::new()),
            Channel::WebSocket(String::new()),
            Channel::Program(Vec::new()),
        ];
        assert_eq!(channels.each_ref().map(Channel::name), ["socket", "port", "websocket", "program"]);
    }
}

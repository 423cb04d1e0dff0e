//! Communication between the host and editors: requests, answers, events, and the port through which tools and
//! protocols reach the attached editors.
//!
//! **Units.** A [`Point`] has a line and a column, both from 0; columns count UTF-16 code units, as in LSP. A
//! [`Region`] is half-open. Tools report lines from 1 ([`crate::text::Position`]); converting adds or subtracts one
//! from lines and leaves columns alone. A point past the end of a line means the end of the line; a line past the last
//! one means the end of the text.
//!
//! **Paths** are absolute, canonical, and use `/`. Information about files outside the served roots is dropped: such a
//! tab is not listed, such a selection is not reported.
//!
//! **Texts** use `\n` between lines, whatever the file uses, and end with a line break if the file does.
//!
//! **Errors** of the port:
//! - `Unsupported`: no editor is attached (the hint says how to attach one), or the editor does not support the
//!   request.
//! - `InvalidArgument`: no attached editor has that name (the candidates list those that are attached).
//! - `FileNotFound`: the editor cannot open the file.
//! - `Cancelled`: the call was cancelled.
//! - `LimitExceeded`: the editor did not answer in time, or the content is too large.
//! - `PluginFailed`: the integration crashed or returned invalid data.
//! - `OutsideWorkspace`: the path is not below a served root.

mod messages;
mod port;
mod session;

pub use messages::{
    Answer, Decision, Diff, DiffId, DiffSide, DirtyState, EditorDiagnostic, EditorEvent, EditorSelection,
    FileDiagnostics, FileEdits, Folder, Level, Mention, Message, OpenFile, Opened, Point, Region, Rejection, Request,
    Reveal, Revealed, Tab, TextEdit,
};
pub use port::{
    AttachedEditor, ConnectionState, EditorCall, Editors, IncomingConnection, NoEditors, Proposal, ProposalOwner,
    ReceivedEvent, Subscription, UnsavedFile,
};
pub use session::{
    Action, Capability, Channel, EditorInfo, Event, Integration, IntegrationInfo, Integrations, ReportedEvent, Session,
};

//! What the host and an editor say to each other: requests, answers, news, and the port through which tools and protocols
//! reach the editors that are attached.
//!
//! **Units.** A [`Point`] has a line and a column, both from 0; columns count UTF-16 code units, as editors' protocols do; a
//! [`Region`] is half-open. Tools show lines from 1 ([`crate::text::Position`]): who crosses from one to the other adds or
//! takes one from lines and leaves columns alone. A point beyond the end of a line means the end of the line, a line beyond
//! the last one the end of the text.
//!
//! **Paths** are absolute, canonical, and with `/`. What an editor says of files outside the served roots is not passed on:
//! such a tab is not listed, such a selection is none.
//!
//! **Texts** have `\n` between lines, whatever the file has, and end with a line break if the file does.
//!
//! **Errors** of the port are typed like all others: `Unsupported` where no editor is attached (with how to attach one), or
//! where it cannot do what is asked; `InvalidArgument` for an editor that is none of the attached (with those that are);
//! `FileNotFound` for a file that it cannot open; `Cancelled` where the call was; `LimitExceeded` where it did not answer in
//! time or the content is too large; `PluginFailed` where its integration misbehaved; `OutsideWorkspace` for a path that is
//! not below a served root.

mod port;
mod session;
mod words;

pub use port::{Attached, Call, Dialled, Editors, Heard, NoEditors, Owner, Proposal, State, Subscription, Unsaved};
pub use session::{Ability, Action, Channel, Described, Event, Integration, Integrations, Introduction, Session, Told};
pub use words::{
    Answer, Decision, DiagnosticsOf, Diff, DiffId, Dirty, Edits, Finding, Folder, Level, Mention, Message, News,
    OpenFile, Opened, Point, Region, Rejection, Request, Reveal, Revealed, Selected, Side, Tab, TextEdit,
};

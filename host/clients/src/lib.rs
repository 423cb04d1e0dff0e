//! MCP clients: which of them are on this machine, where their configuration is, and the edits that add marq to it.
//!
//! The table of clients is data; the packs edit the files, so comments and formatting stay. This crate knows no
//! protocol and writes nothing itself: its result is a set of changes for the tools.

mod agents;
mod entry;
mod hook;
mod machine;
mod outcome;
mod plan;
mod select;
mod skill;
mod table;

pub use entry::{Connection, SERVER_NAME};
pub use hook::HOOK_COMMAND;
pub use machine::{Machine, System};
pub use outcome::Outcome;
pub use plan::{Extras, Plan, RootChange, Row, plan, snippet};
pub use select::{Choice, Selection, Skipped, configured, select};
pub use table::{CLIENTS, Client, Scope};

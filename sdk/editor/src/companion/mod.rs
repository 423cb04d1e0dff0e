//! Editors whose integration is one of two halves: a companion inside of the editor speaks the protocol of this module, and
//! the integration here understands it for all of them.
//!
//! **The protocol** is JSON-RPC 2.0, one message a line. The companion says `introduce` first, with the parameters `title`,
//! `folders` (`{name, path}`) and `abilities`, the names of requests. Then the host says `welcome`, and asks. Requests of
//! the host are called as in the contract: `open`, `show-diff`, `close-diff`, `close-tab`, `tabs`, `selection`, `dirty`,
//! `text`, `save`, `folders`, `diagnostics`, `apply`, `show`; `cancel` with an `id` says that an answer is not wanted any
//! more. The companion tells `selection`, `tabs`, `folders`, `saved`, `changed`, `decided`, `mentioned` and `focused` as
//! notifications. Records of the contract are objects with the same fields in camel case; a place is `{line, column}`, a
//! region `{start, end}`. An error has the kind of a failure and a hint in its `data`.
//!
//! [`lower`] makes requests into messages, [`lift`] messages into answers and news, [`session`] is the state machine, and
//! [`kind`] makes an integration of what a kind of editor says of itself.

mod kind;
mod lift;
mod lines;
mod lower;
mod session;

pub use kind::Companion;
pub use session::CompanionSession;

//! Support for editors with a companion: a plugin inside of the editor that uses the protocol of this module. This
//! module implements the host's side for all of them.
//!
//! **The protocol** is JSON-RPC 2.0, one message per line. The companion first sends `introduce` with the parameters
//! `title`, `folders` (`{name, path}`) and `abilities`, which are names of requests. The host then sends `welcome`,
//! and after it requests. Their methods are the names in the WIT interface: `open`, `show-diff`, `close-diff`,
//! `close-tab`, `tabs`, `selection`, `dirty`, `text`, `save`, `folders`, `diagnostics`, `apply`, `show`. The
//! notification `cancel` with an `id` means that the answer is no longer needed. The companion sends the
//! notifications `selection`, `tabs`, `folders`, `saved`, `changed`, `decided`, `mentioned` and `focused`. Records of
//! the WIT interface are objects with the same fields in camel case; a point is `{line, column}`, a region
//! `{start, end}`. The `data` of an error contains the kind of the failure and a hint.
//!
//! [`encode`] converts requests to messages, [`decode`] converts messages to answers and events, [`session`] is the
//! state machine, and [`integration`] implements an integration for every described kind of editor.

mod decode;
mod encode;
mod integration;
mod lines;
mod session;

pub use integration::Companion;
pub use session::CompanionSession;

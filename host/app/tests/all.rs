//! All integration tests of the crate in one binary, because linking each takes seconds.

mod answers;
mod cancel;
mod commands;
mod common;
mod crash;
mod discovery;
mod docs;
mod front_ends;
mod growth;
mod history;
mod hostile;
mod ide;
mod init;
mod kit;
mod moves;
mod page;
mod plugins;
mod registry;
mod shell;
mod sources;
mod torture;
mod unread;

//! Protocols: JSON-RPC, MCP, the command line and the tool manifests, all derived from one catalog of tools.
//!
//! No other crate knows a protocol. Calls are synchronous and run on the blocking pool; only this crate and the
//! binary use tokio.

mod arguments;
mod calls;
pub mod catalog;
mod clients;
mod connection;
#[cfg(test)]
mod dialogue;
mod disconnect;
mod editor_socket;
pub mod ide;
mod limits;
pub mod mcp;
pub mod probe;
pub mod proof;
mod queues;
pub mod rpc;
mod running;
#[cfg(test)]
mod schema;
mod secret;
pub mod serve;
mod socket;
pub mod stdio;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_client;
pub mod text;
pub mod tool_formats;
mod tool_schemas;
pub mod ui;
mod unread;

pub use catalog::{Catalog, Tool};

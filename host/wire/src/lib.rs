//! Protocols: JSON-RPC and MCP, derived from the catalog of tools.
//!
//! No other crate knows a protocol. Calls are synchronous and run on the blocking pool; only this crate and the
//! binary use tokio.

mod calls;
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
mod secret;
pub mod serve;
mod served;
mod socket;
pub mod stdio;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_client;
pub mod ui;
mod unread;

pub use served::ServedCatalog;

//! Protocols: one catalog of tools, from which JSON-RPC, MCP, the command line and the manifests are made.
//!
//! The only crate that names a protocol. Core calls are synchronous and run on the blocking pool; tokio stays here and
//! in the program.

mod calls;
pub mod catalog;
mod connection;
pub mod mcp;
pub mod rpc;
pub mod serve;
pub mod stdio;

pub use catalog::{Catalog, Tool};

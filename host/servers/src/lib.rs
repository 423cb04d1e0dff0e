//! Language servers, used in addition to the language packs. A server is a process that the project's registry names
//! and the user has approved. It is started on first use and ends with the host. This crate does not depend on tools or
//! language packs. It validates every answer of a server.

mod capabilities;
mod connection;
mod documents;
mod framing;
mod limits;
mod process;
mod server;
mod servers;
mod symbols;
mod validate;

pub use servers::LanguageServers;

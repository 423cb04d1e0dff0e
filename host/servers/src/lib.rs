//! Language servers: a second opinion beside the packs. Processes that a project names and the person allowed, started when
//! they are first asked, ended with the host. Knows no tool and no pack; what a server answers is checked here and nowhere
//! believed before.

mod believe;
mod connection;
mod documents;
mod framing;
mod limits;
mod process;
mod server;
mod servers;

pub use servers::LanguageServers;

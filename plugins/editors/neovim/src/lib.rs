//! Neovim integration. It uses Neovim's own protocol, msgpack-rpc, so no plugin has to be installed in Neovim.
//!
//! [`frames`] splits the byte stream into messages; [`rpc`] encodes and decodes requests, responses and notifications;
//! [`session`] is the state machine; [`encode`] converts requests to Lua arguments; [`decode`] converts answers and
//! events to the types of the plugin API. `session.lua` is a script that runs inside Neovim; the session sends it after
//! the handshake.

mod decode;
mod encode;
mod frames;
mod rpc;
mod session;
#[cfg(test)]
mod tests;

use marquetry_editor::{Channel, Description, Integration, abilities_without, export_editor};

pub use session::NeovimSession;

/// The Neovim integration.
#[derive(Debug)]
pub struct Neovim;

impl Integration for Neovim {
    type Session = NeovimSession;

    fn describe() -> Description {
        let addresses = ["$NVIM", "$NVIM_LISTEN_ADDRESS", "{runtime}/nvim.*.0", "{temporary}/nvim.{user}/*/nvim.*.0"];
        Description {
            id: "neovim".to_owned(),
            name: "Neovim".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            channels: vec![Channel::Socket(addresses.map(str::to_owned).to_vec())],
            abilities: abilities_without(&[]),
            settings_schema: include_str!("settings.json").to_owned(),
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn attach(settings: &str) -> NeovimSession {
        NeovimSession::new(settings)
    }
}

export_editor!(Neovim);

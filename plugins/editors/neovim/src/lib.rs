//! Neovim as an attached editor. It is spoken to in its own protocol, msgpack-rpc, and needs no plugin.
//!
//! [`frames`] finds where a message ends, however its bytes come; [`rpc`] knows requests, answers and notifications;
//! [`session`] is the state machine; [`lower`] makes requests into arguments, [`lift`] answers and news into words of the
//! contract. What is done inside of Neovim is done by `session.lua`, which a session brings along and nobody installs.

mod frames;
mod lift;
mod lower;
mod rpc;
mod session;
#[cfg(test)]
mod tests;

use marquetry_editor::{Channel, Description, Integration, abilities_without, export_editor};

pub use session::NeovimSession;

/// The integration.
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

//! The page of a server as an attached editor: it dials the host and speaks the protocol of companions.

#[cfg(test)]
mod tests;

use marquetry_editor::{Ability, companion::Companion, export_editor};

/// The integration.
#[derive(Debug)]
pub struct Web;

impl Companion for Web {
    const ID: &str = "web";
    const NAME: &str = "Page";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    // It knows of no problems, and carries out no edits of its own.
    const LACKS: &[Ability] = &[Ability::Diagnostics, Ability::Apply];
    const HELP: &str = include_str!("../help.md");
}

export_editor!(Web);

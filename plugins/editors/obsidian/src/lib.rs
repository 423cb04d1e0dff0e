//! Obsidian integration. A plugin in Obsidian connects to the host and uses the companion protocol.

#[cfg(test)]
mod tests;

use marquetry_editor::{Ability, companion::Companion, export_editor};

/// The Obsidian integration.
#[derive(Debug)]
pub struct Obsidian;

impl Companion for Obsidian {
    const ID: &str = "obsidian";
    const NAME: &str = "Obsidian";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    // Obsidian has no diagnostics that it could report.
    const LACKS: &[Ability] = &[Ability::Diagnostics];
    const HELP: &str = include_str!("../help.md");
}

export_editor!(Obsidian);

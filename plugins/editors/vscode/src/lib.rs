//! VS Code as an attached editor: its extension dials the host and speaks the protocol of companions.

#[cfg(test)]
mod tests;

use marquetry_editor::{Ability, companion::Companion, export_editor};

/// The integration.
#[derive(Debug)]
pub struct VsCode;

impl Companion for VsCode {
    const ID: &str = "vscode";
    const NAME: &str = "VS Code";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const LACKS: &[Ability] = &[];
    const HELP: &str = include_str!("../help.md");
}

export_editor!(VsCode);

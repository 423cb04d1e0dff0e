//! VS Code integration. An extension in VS Code connects to the host and uses the companion protocol.

#[cfg(test)]
mod tests;

use marquetry_editor::{Ability, companion::Companion, export_editor};

/// The VS Code integration.
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

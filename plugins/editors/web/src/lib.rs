//! Integration of the server's web page, which connects to the host and uses the companion protocol.

#[cfg(test)]
mod tests;

use marquetry_editor::{Ability, companion::Companion, export_editor};

/// The integration of the web page.
#[derive(Debug)]
pub struct Web;

impl Companion for Web {
    const ID: &str = "web";
    const NAME: &str = "Page";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    // The page does not report diagnostics and cannot apply edits to files.
    const LACKS: &[Ability] = &[Ability::Diagnostics, Ability::Apply];
    const HELP: &str = include_str!("../help.md");
}

export_editor!(Web);

//! The pack for files of `key = value` lines: `.env`, `.ini`, `.properties` and their relatives.
//!
//! Written to be read: whoever writes a pack of their own starts here (`cargo xtask new-pack`). A pack is four steps, each
//! in a file of its own, in the order in which a call meets them:
//!
//! 1. [`dialect`]: which of the formats a file is in, from its name.
//! 2. [`parse`]: the text, once, into a flat list of items. It never fails: what cannot be read becomes a problem.
//! 3. [`document`]: questions about the items: the outline, what a target names, what is shown of it.
//! 4. [`edit`]: operations, as byte splices. What they make is read again before it is answered.
//!
//! The SDK adds what all packs have (`lines` targets, `replace_text`), and the macro at the end exports it all. The host
//! does the rest: files, line endings, diffs, undo.

mod dialect;
mod document;
mod edit;
mod parse;
#[cfg(test)]
mod tests;

use marquetry_sdk::{Description, LanguagePack, TargetHelp, TargetKind, export_pack};

pub use document::PropertiesDocument;

/// The pack.
#[derive(Debug)]
pub struct Properties;

impl LanguagePack for Properties {
    type Document = PropertiesDocument;

    const FILES: &'static [&'static str] = &dialect::FILES;

    fn describe() -> Description {
        Description {
            // The name in `registry.toml`, and what `marq plugin show` takes.
            id: "properties".to_owned(),
            name: "Key-value".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            // The first kind of target is the one that a plain `target` means.
            targets: vec![TargetHelp {
                kind: TargetKind::Path,
                syntax: "`key` or `section.key`, as written in the file; `.` for the entries above the first section"
                    .to_owned(),
                examples: ["DATABASE_URL", "server.port", "*.md.indent_size", "path[2]"].map(str::to_owned).to_vec(),
            }],
            regions: Vec::new(),
            templates: Vec::new(),
            settings_schema: "{}".to_owned(),
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> PropertiesDocument {
        PropertiesDocument::new(path, text)
    }
}

export_pack!(Properties);

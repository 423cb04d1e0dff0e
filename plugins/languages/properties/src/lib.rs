//! The pack for files of `key = value` lines: `.env`, `.ini`, `.properties` and similar formats.
//!
//! This is the example for authors of packs (`cargo xtask new-pack` creates one). Its four modules are the four steps of
//! a call:
//!
//! 1. [`dialect`] selects the format of a file by its name.
//! 2. [`parse`] parses the text once, into a flat list of items. It never fails: lines that cannot be parsed become
//!    problems.
//! 3. [`document`] answers queries about the items: outline, targets and views.
//! 4. [`edit`] computes the edits of an operation, and parses the result to verify it.
//!
//! [`rename_key`] is optional: it implements the interfaces for renames.
//!
//! The macro at the end exports the pack. The host handles `lines` targets, `replace_text`, files, line endings, diffs
//! and undo.

mod dialect;
mod document;
mod edit;
mod keys;
mod parse;
mod rename_key;
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
            // The name in `registry.toml`, and the argument of `marq plugin show`.
            id: "properties".to_owned(),
            name: "Key-value".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            // A plain `target` has the first kind of this list.
            targets: vec![TargetHelp {
                kind: TargetKind::Path,
                syntax: "`key` or `section.key`, as written in the file; `.` for the entries above the first section"
                    .to_owned(),
                examples: ["DATABASE_URL", "server.port", "*.md.indent_size", "path[2]"].map(str::to_owned).to_vec(),
            }],
            regions: Vec::new(),
            templates: Vec::new(),
            settings_schema: "{}".to_owned(),
            relinks: false,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> PropertiesDocument {
        PropertiesDocument::new(path, text)
    }
}

export_pack!(Properties: links, symbols);

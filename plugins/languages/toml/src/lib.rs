//! The language pack for TOML.
//!
//! A file is parsed once into a [`table`] of values in tree order. All other modules use this table to read the text.
//! The table also stores headers and keys outside of brackets in text order.

mod brackets;
mod build;
mod comments;
mod content;
mod create;
mod document;
mod edit;
mod edit_ranges;
mod fast_path;
mod hover;
mod line_tables;
mod links;
mod manifest;
mod name_table;
mod parse;
mod recover;
mod refactor;
mod removals;
mod rename_key;
mod scalar;
mod sections;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod verify;

use marquetry_sdk::{Description, LanguagePack, TargetHelp, TargetKind, Template, export_pack};

pub use document::TomlDocument;

/// The language pack.
#[derive(Debug)]
pub struct Toml;

/// File name patterns of this pack.
const FILES: [&str; 7] = ["*.toml", "Cargo.lock", "Pipfile", "poetry.lock", "uv.lock", "pdm.lock", "Gopkg.lock"];

impl LanguagePack for Toml {
    type Document = TomlDocument;

    const FILES: &'static [&'static str] = &FILES;

    fn describe() -> Description {
        let examples = ["$.package.version", "$.dependencies['odd key']", "$.bin[?@.name == 'x'].path", "$..version"];
        Description {
            id: "toml".to_owned(),
            name: "TOML".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Path,
                syntax: "JSONPath (RFC 9535)".to_owned(),
                examples: examples.map(str::to_owned).to_vec(),
            }],
            regions: Vec::new(),
            templates: vec![Template {
                name: "toml".to_owned(),
                summary: "a key with a name".to_owned(),
                extension: "toml".to_owned(),
                body: "name = {{ name | tojson }}\n".to_owned(),
            }],
            settings_schema: "{}".to_owned(),
            relinks: false,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> TomlDocument {
        TomlDocument::new(path, text)
    }
}

export_pack!(Toml: links, symbols, refactors, hover);

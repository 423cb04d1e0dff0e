//! The language pack for JSON, JSON with comments, and JSON Lines.
//!
//! A document is scanned once into a flat [`table`] of spans. All other modules use this table to read the text.

mod comments;
mod content;
mod create;
mod dialect;
mod document;
mod edit;
mod hover;
mod links;
mod partial_check;
mod projects;
mod refactor;
mod removals;
mod rename_key;
mod scan;
mod source;
mod symbols;
mod table;
#[cfg(test)]
mod tests;
mod token;

use marquetry_sdk::{Description, LanguagePack, TargetHelp, TargetKind, Template, export_pack};

pub use document::JsonDocument;

/// The language pack.
#[derive(Debug)]
pub struct Json;

impl LanguagePack for Json {
    type Document = JsonDocument;

    const FILES: &'static [&'static str] = &dialect::FILES;

    fn describe() -> Description {
        let examples = ["$.scripts.build", "$['odd key'][0]", "$.servers[?@.port > 80].name", "$..version"];
        Description {
            id: "json".to_owned(),
            name: "JSON".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Path,
                syntax: "JSONPath (RFC 9535)".to_owned(),
                examples: examples.map(str::to_owned).to_vec(),
            }],
            regions: Vec::new(),
            templates: vec![Template {
                name: "json".to_owned(),
                summary: "an object with a name".to_owned(),
                extension: "json".to_owned(),
                body: "{\n  \"name\": {{ name | tojson }}\n}\n".to_owned(),
            }],
            settings_schema: "{}".to_owned(),
            relinks: false,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> JsonDocument {
        JsonDocument::new(path, text)
    }
}

export_pack!(Json: links, symbols, refactors, hover);

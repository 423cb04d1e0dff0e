//! The language pack for YAML.
//!
//! A file is parsed once into a flat [`table`] of spans. All other modules use this table to read the text.

mod anchor_check;
mod comment_edits;
mod content;
mod create;
mod dash;
mod document;
mod edit;
mod edit_errors;
mod flow_edits;
mod hover;
mod layout;
mod line_edits;
mod links;
mod parse;
mod placement;
mod refactor;
mod removals;
mod scalar;
mod source;
mod style;
mod symbols;
mod table;
#[cfg(test)]
mod tests;
mod verify;
mod wrap;

use marquetry_sdk::{Description, LanguagePack, TargetHelp, TargetKind, Template, export_pack};

pub use document::YamlDocument;

/// The language pack.
#[derive(Debug)]
pub struct Yaml;

impl LanguagePack for Yaml {
    type Document = YamlDocument;

    const FILES: &'static [&'static str] = &["*.yaml", "*.yml"];

    fn describe() -> Description {
        let examples = ["$.jobs.build.steps[0].run", "$['odd key']", "$.services[?@.image].ports", "$..image"];
        Description {
            id: "yaml".to_owned(),
            name: "YAML".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Path,
                syntax: "JSONPath (RFC 9535)".to_owned(),
                examples: examples.map(str::to_owned).to_vec(),
            }],
            regions: Vec::new(),
            templates: vec![Template {
                name: "yaml".to_owned(),
                summary: "a mapping with a name".to_owned(),
                extension: "yaml".to_owned(),
                body: "name: {{ name | tojson }}\n".to_owned(),
            }],
            settings_schema: "{}".to_owned(),
            relinks: false,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> YamlDocument {
        YamlDocument::new(path, text)
    }
}

export_pack!(Yaml: links, symbols, refactors, hover);

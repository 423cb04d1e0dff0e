//! The pack for Rust: `.rs` files.
//!
//! [`events`] runs the parser, [`lower`] converts its events to the arena of `marquetry_code`, and [`table`] describes
//! the language to that crate.

mod crates;
mod declare;
mod events;
mod hierarchy;
mod implemented;
mod kinds;
mod lifetimes;
mod links;
mod lower;
mod macro_search;
mod macros;
mod memo;
mod modules;
mod names;
mod nesting;
mod outline;
mod paths;
mod privacy;
mod refactor;
pub mod relink;
mod resolve;
mod submodules;
mod symbols;
mod table;
#[cfg(test)]
mod tests;
mod trees;
mod types;
mod undeclared;

use marquetry_code::{CodeDocument, search};
use marquetry_sdk::{
    Context, Description, LanguagePack, PatternInfo, RegionHelp, Result, Search, StructureMatches, TargetHelp,
    TargetKind, Template, export_pack,
};

/// The pack.
#[derive(Debug)]
pub struct Rust;

impl LanguagePack for Rust {
    type Document = CodeDocument;

    const FILES: &'static [&'static str] = &["*.rs"];

    fn describe() -> Description {
        Description {
            id: "rust".to_owned(),
            name: "Rust".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Symbol,
                syntax:
                    "the path of an item, from the outermost to the innermost name; `name[2]` is the second declaration of that name"
                        .to_owned(),
                examples: ["Point", "Point::new", "Point.x", "Color::Red", "impl Display for Point", "tests::adds"]
                    .map(str::to_owned)
                    .to_vec(),
            }],
            regions: vec![RegionHelp {
                name: "imports".to_owned(),
                summary: "the first run of `use` and `extern crate`, with `mod` lines between them".to_owned(),
            }],
            templates: vec![
                template("module", "a module with its documentation", include_str!("templates/module.jinja")),
                template("test", "an integration test", include_str!("templates/test.jinja")),
            ],
            settings_schema: "{}".to_owned(),
            relinks: true,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> CodeDocument {
        CodeDocument::open(&table::RUST, path, text)
    }
}

fn template(name: &str, summary: &str, body: &str) -> Template {
    Template { name: name.to_owned(), summary: summary.to_owned(), extension: "rs".to_owned(), body: body.to_owned() }
}

impl Search for Rust {
    fn read_pattern(context: &Context, pattern: &str) -> Result<PatternInfo> {
        search::read_pattern(&table::RUST, &context.path, pattern)
    }

    fn matches(document: &CodeDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
        macro_search::matches(document, pattern, limit)
    }
}

export_pack!(Rust: links, symbols, refactors, hover, search);

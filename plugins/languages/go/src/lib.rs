//! The pack for Go: `.go` files.
//!
//! [`parser`] builds a tree from the tokens of [`lexer`], [`lower`] converts the tree to the arena of `marquetry_code`,
//! and [`table`] describes the language to that crate.

mod document;
mod hierarchy;
mod implementations;
mod imports;
mod kinds;
mod lexer;
mod links;
mod lower;
mod memo;
mod mentions;
mod moves;
mod name_lists;
mod names;
mod packages;
mod parser;
mod refactor;
mod relink;
mod standard;
mod symbols;
mod table;
#[cfg(test)]
mod tests;
mod types;
mod typing;
mod undeclared;

pub use document::GoDocument;
use marquetry_code::search;
use marquetry_sdk::{
    Context, Description, LanguagePack, PatternInfo, RegionHelp, Result, Search, StructureMatches, TargetHelp,
    TargetKind, Template, export_pack,
};

/// The pack.
#[derive(Debug)]
pub struct Go;

impl LanguagePack for Go {
    type Document = GoDocument;

    const FILES: &'static [&'static str] = &["*.go"];

    fn describe() -> Description {
        Description {
            id: "go".to_owned(),
            name: "Go".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Symbol,
                syntax:
                    "a declaration, or a type and its method or field; `name[2]` is the second declaration of that name"
                        .to_owned(),
                examples: ["Cart", "Cart.Add", "Cart.items", "Limit", "init[2]", "import net/http"]
                    .map(str::to_owned)
                    .to_vec(),
            }],
            regions: vec![RegionHelp {
                name: "imports".to_owned(),
                summary: "the import declarations at the top of the file".to_owned(),
            }],
            templates: vec![
                template("package", "a file of a package", include_str!("templates/package.jinja")),
                template("test", "a test file", include_str!("templates/test.jinja")),
                template("main", "a program", include_str!("templates/main.jinja")),
            ],
            settings_schema: "{}".to_owned(),
            relinks: true,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> GoDocument {
        GoDocument::open(path, text)
    }
}

fn template(name: &str, summary: &str, body: &str) -> Template {
    Template { name: name.to_owned(), summary: summary.to_owned(), extension: "go".to_owned(), body: body.to_owned() }
}

impl Search for Go {
    fn read_pattern(context: &Context, pattern: &str) -> Result<PatternInfo> {
        search::read_pattern(&table::GO, &context.path, pattern)
    }

    fn matches(document: &GoDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
        search::matches(document, pattern, limit)
    }
}

export_pack!(Go: links, symbols, refactors, hover, search, mentions);

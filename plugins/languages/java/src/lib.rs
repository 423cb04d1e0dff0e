//! The pack for Java: `.java` files.
//!
//! The tree-sitter grammar builds the tree, [`grammar`] converts it to the arena of `marquetry_code`, and [`table`]
//! describes the language to that crate.

mod access;
mod grammar;
mod links;
mod notations;
mod packages;
mod references;
mod relink;
mod symbols;
mod table;
#[cfg(test)]
mod tests;

use marquetry_code::{CodeDocument, search};
use marquetry_sdk::{
    Context, Description, LanguagePack, PatternInfo, RegionHelp, Result, Search, StructureMatches, TargetHelp,
    TargetKind, Template, export_pack,
};

/// The pack.
#[derive(Debug)]
pub struct Java;

impl LanguagePack for Java {
    type Document = CodeDocument;

    const FILES: &'static [&'static str] = &["*.java"];

    fn describe() -> Description {
        Description {
            id: "java".to_owned(),
            name: "Java".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Symbol,
                syntax: "a type, or a type and its member; `name[2]` is the second declaration of that name".to_owned(),
                examples: ["Cart", "Cart.add", "Cart.Cart", "Cart.items", "add[2]", "import java.util.List"]
                    .map(str::to_owned)
                    .to_vec(),
            }],
            regions: vec![RegionHelp {
                name: "imports".to_owned(),
                summary: "the imports at the top of the file".to_owned(),
            }],
            templates: vec![
                template("class", "a class", include_str!("templates/class.jinja")),
                template("interface", "an interface", include_str!("templates/interface.jinja")),
                template("record", "a record", include_str!("templates/record.jinja")),
                template("enum", "an enum", include_str!("templates/enum.jinja")),
                template("test", "tests of a class, for JUnit", include_str!("templates/test.jinja")),
            ],
            settings_schema: "{}".to_owned(),
            relinks: true,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> CodeDocument {
        CodeDocument::open(&table::JAVA, path, text)
    }
}

fn template(name: &str, summary: &str, body: &str) -> Template {
    Template { name: name.to_owned(), summary: summary.to_owned(), extension: "java".to_owned(), body: body.to_owned() }
}

impl Search for Java {
    fn read_pattern(context: &Context, pattern: &str) -> Result<PatternInfo> {
        search::read_pattern(&table::JAVA, &context.path, pattern)
    }

    fn matches(document: &CodeDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
        search::matches(document, pattern, limit)
    }
}

export_pack!(Java: links, symbols, search);

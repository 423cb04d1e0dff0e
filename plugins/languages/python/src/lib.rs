//! The pack for Python: `.py` and `.pyi` files.
//!
//! [`lower`] converts the tree of the parser to the arena of `marquetry_code`, and [`table`] describes the language to
//! that crate.

mod callees;
mod classes;
mod hierarchy;
mod imports;
mod keywords;
mod links;
mod lower;
mod meanings;
mod members;
mod memo;
mod mentions;
mod missing_names;
mod modules;
mod name_strings;
mod nesting;
mod origins;
mod reexports;
mod refactor;
pub mod relink;
mod repair;
mod requirements;
mod symbols;
mod table;
#[cfg(test)]
mod tests;
mod type_strings;
mod undeclared;
mod uses;

use marquetry_code::{CodeDocument, search};
use marquetry_sdk::{
    Context, Description, LanguagePack, PatternInfo, RegionHelp, Result, Search, StructureMatches, TargetHelp,
    TargetKind, Template, export_pack,
};

/// The pack.
#[derive(Debug)]
pub struct Python;

impl LanguagePack for Python {
    type Document = CodeDocument;

    const FILES: &'static [&'static str] = &["*.py", "*.pyi"];

    fn describe() -> Description {
        Description {
            id: "python".to_owned(),
            name: "Python".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Symbol,
                syntax: "the path of a declaration, from the outermost to the innermost name; `name[2]` is the second declaration of that name"
                    .to_owned(),
                examples: ["Cart", "Cart.add", "LIMIT", "area[2]", "make.inner"].map(str::to_owned).to_vec(),
            }],
            regions: vec![RegionHelp {
                name: "imports".to_owned(),
                summary: "the imports at the top of the module".to_owned(),
            }],
            templates: vec![
                template("module", "a module with its documentation", include_str!("templates/module.jinja")),
                template("package", "the `__init__.py` of a package", include_str!("templates/package.jinja")),
                template("test", "tests of a module, for pytest", include_str!("templates/test.jinja")),
            ],
            settings_schema: "{}".to_owned(),
            relinks: true,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> CodeDocument {
        CodeDocument::open(&table::PYTHON, path, text)
    }
}

fn template(name: &str, summary: &str, body: &str) -> Template {
    Template { name: name.to_owned(), summary: summary.to_owned(), extension: "py".to_owned(), body: body.to_owned() }
}

impl Search for Python {
    fn read_pattern(context: &Context, pattern: &str) -> Result<PatternInfo> {
        search::read_pattern(&table::PYTHON, &context.path, pattern)
    }

    fn matches(document: &CodeDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
        search::matches(document, pattern, limit)
    }
}

export_pack!(Python: links, symbols, refactors, hover, search, mentions);

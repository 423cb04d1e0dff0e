//! The pack for `.NAME` files. The grammar of tree-sitter builds the tree, and [`table`] describes the language.

mod table;
#[cfg(test)]
mod tests;

use marquetry_code::{CodeDocument, search};
use marquetry_sdk::{
    Context, Description, LanguagePack, PatternInfo, RegionHelp, Result, Search, StructureMatches, TargetHelp,
    TargetKind, export_pack,
};
// The grammar: the C code in this crate.
use tree_sitter_SNAKE as _;

/// The pack.
#[derive(Debug)]
pub struct PASCAL;

impl LanguagePack for PASCAL {
    type Document = CodeDocument;

    const FILES: &'static [&'static str] = &["*.NAME"];

    fn describe() -> Description {
        Description {
            id: "NAME".to_owned(),
            name: "PASCAL".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: Self::files(),
            targets: vec![TargetHelp {
                kind: TargetKind::Symbol,
                syntax:
                    "a declaration, or a declaration and its member; `name[2]` is the second declaration of that name"
                        .to_owned(),
                examples: vec!["Bank".to_owned(), "Bank.deposit".to_owned()],
            }],
            regions: vec![RegionHelp { name: "imports".to_owned(), summary: "the imports of the file".to_owned() }],
            templates: Vec::new(),
            settings_schema: "{}".to_owned(),
            relinks: false,
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn open(path: &str, text: String, _settings: &str) -> CodeDocument {
        CodeDocument::open(&table::LANGUAGE, path, text)
    }
}

impl Search for PASCAL {
    fn read_pattern(context: &Context, pattern: &str) -> Result<PatternInfo> {
        search::read_pattern(&table::LANGUAGE, &context.path, pattern)
    }

    fn matches(document: &CodeDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
        search::matches(document, pattern, limit)
    }
}

export_pack!(PASCAL: search);

//! The pack for TypeScript and JavaScript: symbols at every depth, and edits by their names.
//!
//! Each room knows only those above it in this list:
//!
//! - `syntax`: the tree of a document, its problems, what a broken text still says
//! - `structure`: patterns of code, and the places that look like them
//! - `program`: the modules of a call, where specifiers lead, what modules export
//! - `infer`: types of values, members, calls, as far as they tell what a name refers to
//! - `rewrite`: what edits are made of: lists, content, fresh names, parentheses, the check at the end
//! - `imports`: the imports of a file, which of them are used, how others are added
//! - `outline`: declarations, their addresses, regions, views
//! - `operations`: the contract: documents, edits, links, symbols, renames, insight

mod describe;
mod document;
mod imports;
mod infer;
mod operations;
mod outline;
mod program;
mod rewrite;
mod structure;
mod syntax;

use marquetry_sdk::{Description, LanguagePack};

pub use document::TypeScriptDocument;

/// The pack.
#[derive(Debug)]
pub struct TypeScript;

impl LanguagePack for TypeScript {
    type Document = TypeScriptDocument;

    const FILES: &'static [&'static str] = &["*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs"];

    fn describe() -> Description {
        describe::describe()
    }

    fn open(path: &str, text: String, _settings: &str) -> TypeScriptDocument {
        TypeScriptDocument::open(path, text)
    }
}

marquetry_sdk::export_pack!(TypeScript: links, symbols, refactors, insight, search);

#[cfg(test)]
mod tests;

//! Language pack for TypeScript and JavaScript: symbols at every depth, and edits by symbol name.
//!
//! With few exceptions, each module depends only on those above it in this list:
//!
//! - `syntax`: the tree of a document, its diagnostics, error recovery
//! - `structure`: structural search patterns and their matches
//! - `program`: the modules loaded to answer one call of the host, module resolution, exports
//! - `infer`: types of values, members and calls, in the detail needed to resolve names
//! - `semantics`: what code means: selections, functions, free names, effects, promises, control flow
//! - `editor`: how text is written: lists, inserted text, indentation, parentheses, final checks
//! - `imports`: the imports of a file, their use, adding, removing and organizing them
//! - `outline`: declarations, their addresses, regions, views
//! - `rename`, `refactor`, `links`, `hover`: the features with an interface of their own
//! - `operations`: the rest of the interface to the host: documents, edits, symbols, search

mod describe;
mod document;
mod editor;
mod hover;
mod imports;
mod infer;
mod links;
mod operations;
mod outline;
mod program;
mod refactor;
mod rename;
mod semantics;
mod structure;
mod syntax;

use marquetry_sdk::{Description, LanguagePack};

pub use document::TypeScriptDocument;

/// The language pack.
#[derive(Debug)]
pub struct TypeScript;

impl LanguagePack for TypeScript {
    type Document = TypeScriptDocument;

    const FILES: &'static [&'static str] =
        &["*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue", "*.svelte", "*.astro"];

    fn describe() -> Description {
        describe::describe()
    }

    fn open(path: &str, text: String, _settings: &str) -> TypeScriptDocument {
        TypeScriptDocument::open(path, text)
    }
}

marquetry_sdk::export_pack!(TypeScript: links, symbols, refactors, hover, search);

#[cfg(test)]
mod tests;

//! The pack for TypeScript and JavaScript: symbols at every depth, and edits by their names.

mod describe;
mod document;
mod imports;
mod infer;
mod operations;
mod outline;
mod program;
mod rewrite;
mod syntax;

use marquetry_sdk::{Description, LanguagePack};

pub use document::TypeScriptDocument;

/// The pack.
#[derive(Debug)]
pub struct TypeScript;

impl LanguagePack for TypeScript {
    type Document = TypeScriptDocument;

    fn describe() -> Description {
        describe::describe()
    }

    fn open(path: &str, text: String, _settings: &str) -> TypeScriptDocument {
        TypeScriptDocument::open(path, text)
    }
}

marquetry_sdk::export_semantic_pack!(TypeScript);

#[cfg(test)]
mod tests;

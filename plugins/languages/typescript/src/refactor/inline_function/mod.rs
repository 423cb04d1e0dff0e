//! `inline_function`: replaces each call of a function by its body, and removes the declaration.
//!
//! ```text
//! function half(n) {         →   show(width / 2);
//!   return n / 2;
//! }
//! show(half(width));
//! ```
//!
//! An exported function is kept, because not all its users are known; importing files are asked to inline their calls.

mod importers;
mod writing;

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Result, Rewrite};

use super::removal::remove_declaration;
use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::semantics::inlining::callee::{InlinedFunction, exported_names, function_at_caret, is_declared_with_export};
use crate::semantics::inlining::sites::CallingFile;
use crate::semantics::{Semantics, refusal};

pub(super) use importers::answer;

pub(super) const ID: &str = "inline_function";

pub(super) const INLINE_FUNCTION: Refactoring<TypeScriptDocument> = Refactoring {
    id: ID,
    title: "Inline a function",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply,
};

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    Semantics::with_valid_syntax(document, |source| {
        let (symbol, function) = function_at_caret(source, input.at)?;
        let callee = InlinedFunction::new(source, function)?;
        let exported = exported_names(source, symbol);
        if exported.is_empty() && is_declared_with_export(source, function) {
            return Err(refusal("the namespace exports the function", "first remove the `export`"));
        }
        let caller =
            CallingFile { source, callee_source: source, callee: &callee, is_same_file: true, needed_names: &[] };
        let mut editor = SyntaxEditor::new(source);
        let done = caller.inline(symbol, exported.is_empty())?;
        let name = source.name_of(symbol);
        if done.edits.is_empty() && exported.is_empty() {
            return Err(refusal(format!("`{name}` is never called"), "delete it instead"));
        }
        editor.add_edits(done.edits);
        if exported.is_empty() {
            editor.add_edits(remove_declaration(document, source.scoping().symbol_span(symbol))?);
        }
        let mut rewrite = editor.finish()?;
        rewrite.unresolved = done.unresolved;
        if !exported.is_empty() {
            rewrite.incomplete =
                Some(format!("`{name}` is exported and was kept; delete it when it is no longer used"));
            let payload = importers::payload(source, &callee, &exported);
            rewrite.ask_importers(exported, payload);
        } else if source.is_script_global(symbol) {
            rewrite.incomplete =
                Some(format!("the file is not a module: other files could call `{name}` and were not checked"));
        }
        Ok(rewrite)
    })
}

#[cfg(test)]
mod tests;

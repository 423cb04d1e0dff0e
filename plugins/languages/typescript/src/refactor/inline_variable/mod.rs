//! `inline_variable`: replaces each use of a variable or type alias by its value, and removes the declaration.
//!
//! ```text
//! const area = w * h;        →   log((w * h) / 2);
//! log(area / 2);
//! ```

mod writing;

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Result, Rewrite};

use super::removal::remove_declaration;
use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::semantics::Semantics;
use crate::semantics::inlining::target::target_at;
use crate::semantics::inlining::variable::InlinedVariable;

pub(super) const INLINE_VARIABLE: Refactoring<TypeScriptDocument> = Refactoring {
    id: "inline_variable",
    title: "Inline a variable or type alias",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply,
};

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    Semantics::with_valid_syntax(document, |code| {
        let target = target_at(code, input.at.caret)?;
        let inlining = InlinedVariable { code, target: &target };
        let uses = inlining.find_uses()?;
        inlining.check_target(&uses)?;
        let mut editor = SyntaxEditor::new(code);
        inlining.replace_uses(&uses, &mut editor);
        if !target.is_kept {
            editor.add_edits(remove_declaration(document, target.name_span)?);
        }
        let mut rewrite = editor.finish()?;
        rewrite.incomplete = inlining.script_global_warning().or_else(|| inlining.narrowing_warning(&uses));
        Ok(rewrite)
    })
}

#[cfg(test)]
mod tests;

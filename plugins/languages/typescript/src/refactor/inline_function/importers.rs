//! Inlining in importing files: calls are inlined, and an import is removed if it becomes unused.

use marquetry_sdk::{Edit, Failure, Result, Rewrite, Span};

use super::ID;
use super::writing::InlineResult;
use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::semantics::inlining::callee::InlinedFunction;
use crate::semantics::inlining::importers::{declared_function, imported_symbols};
use crate::semantics::inlining::sites::CallingFile;
use crate::semantics::{ImplicitCell, Semantics, SymbolId, refusal};
use crate::syntax::spans::Place as _;

/// Returns the payload for importers: the path of this file, the exported names of the function, the names of this file
/// that the function uses, and the text of the function.
pub(super) fn payload(source: Semantics<'_, '_>, callee: &InlinedFunction<'_, '_>, exported: &[String]) -> String {
    let own = source.source(callee.function.span());
    let bound: Vec<&str> =
        callee.free_names.iter().filter(|name| name.symbol.is_some()).map(|name| name.name).collect();
    format!("{ID}\n{}\n{}\n{}\n({own})", source.tree().path(), exported.join(","), bound.join(","))
}

/// Inlines a function of the module at `from` in this document. `payload` is a [`payload`] without its first line.
pub(in crate::refactor) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let unreadable = || refusal("the request cannot be parsed", "run the refactoring again");
    let (path, rest) = payload.split_once('\n').ok_or_else(unreadable)?;
    let (names, rest) = rest.split_once('\n').ok_or_else(unreadable)?;
    let (bound, own) = rest.split_once('\n').ok_or_else(unreadable)?;
    let (names, bound): (Vec<&str>, Vec<&str>) = (names.split(',').collect(), bound.split(',').collect());
    let local = imported_symbols(document, from, &names);
    let program = TypeScriptDocument::open(path, format!("const inlined = {own};"));
    Semantics::with_valid_syntax(document, |source| {
        let mut all = InlineResult::default();
        let implicit = ImplicitCell::default();
        program.tree.with(|parsed| {
            let callee_source = Semantics::new(&program, parsed, &implicit);
            let function = declared_function(callee_source).ok_or_else(unreadable)?;
            let callee = InlinedFunction::new(callee_source, function)?;
            let caller =
                CallingFile { source, callee_source, callee: &callee, is_same_file: false, needed_names: &bound };
            local.iter().for_each(|(symbol, _)| inline_imported_calls(&caller, *symbol, &mut all));
            Ok::<(), Failure>(())
        })?;
        let mut editor = SyntaxEditor::new(source);
        let mut stays = None;
        for (symbol, name) in local.iter().filter(|(symbol, _)| is_unused(source, *symbol, &all.edits)) {
            match source.import_around(*name).filter(|(_, names)| *names > 1) {
                Some((import, _)) => editor.remove_module_names(import, &[*name]),
                None => {
                    let name = source.name_of(*symbol);
                    let why = "because loading the module may have side effects; `remove_unused_imports` removes it";
                    stays = Some(format!("the import of `{name}` was kept in `{}` {why}", document.tree.path()));
                }
            }
        }
        editor.add_edits(all.edits);
        let rewrite = editor.finish()?;
        Ok(Rewrite { unresolved: all.unresolved, incomplete: stays, ..rewrite })
    })
}

/// Inlines the calls that can be inlined, and reports the rest.
fn inline_imported_calls(caller: &CallingFile<'_, '_, '_, '_>, symbol: SymbolId, all: &mut InlineResult) {
    match caller.inline(symbol, false) {
        Ok(done) => {
            all.edits.extend(done.edits);
            all.unresolved.extend(done.unresolved);
        }
        Err(_) => {
            all.unresolved.extend(caller.source.references_of(symbol).map(|(_, span)| span.place()));
        }
    }
}

/// Returns whether the edits cover all uses of a name.
fn is_unused(source: Semantics<'_, '_>, symbol: SymbolId, edits: &[Edit]) -> bool {
    let is_covered = |span: Span| edits.iter().any(|edit| edit.span.contains(span));
    !edits.is_empty() && source.references_of(symbol).all(|(_, span)| is_covered(span.place()))
}

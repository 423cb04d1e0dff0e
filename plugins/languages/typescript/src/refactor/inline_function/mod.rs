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

mod bindings;
mod callee;
mod importers;
mod sites;
mod writing;

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring, refactor_failure};
use marquetry_sdk::{Failure, Result, Rewrite};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use super::removal::remove_declaration;
use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::semantics::Semantics;
use crate::semantics::functions::{self, FunctionNode};
use callee::InlinedFunction;
use sites::CallingFile;

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
        let (symbol, function) = function_at_caret(source, input)?;
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

fn refusal(message: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(message).hint(hint)
}

/// Returns the function whose name or head is at the caret, or that is used there.
fn function_at_caret<'a>(source: Semantics<'_, 'a>, input: &RefactorInput) -> Result<(SymbolId, FunctionNode<'a>)> {
    let used = source.nodes_at(input.at.caret).filter_map(|(_, kind)| match kind {
        AstKind::IdentifierReference(name) => source.symbol_of(name),
        AstKind::BindingIdentifier(name) => name.symbol_id.get(),
        _ => None,
    });
    let semantic = source.semantic();
    if let Some(symbol) = used.last() {
        let name = source.name_of(symbol);
        return match function_of(source, symbol) {
            Some(function) => Ok((symbol, function)),
            None => Err(refusal(
                format!("`{name}` is not a function with a body in this file"),
                "place the caret on the name of such a function",
            )),
        };
    }
    let function = functions::function_at(semantic, source.text(), input.at)
        .ok_or_else(|| functions::no_function_failure(semantic, source.text(), input.at))?;
    let name = match (function, source.parent_kind(function.id())) {
        (FunctionNode::Function(it), _) if it.id.is_some() && it.is_declaration() => it.id.as_ref(),
        (_, AstKind::VariableDeclarator(VariableDeclarator { id: BindingPattern::BindingIdentifier(name), .. })) => {
            Some(&**name)
        }
        _ => None,
    };
    let symbol = name.and_then(|name| name.symbol_id.get());
    let is_always = |symbol: &SymbolId| function_of(source, *symbol).is_some_and(|it| it.id() == function.id());
    match symbol.filter(is_always) {
        Some(symbol) => Ok((symbol, function)),
        None => Err(refusal(
            "the function has no fixed name",
            "only function declarations and functions assigned to a variable once can be inlined",
        )),
    }
}

/// Returns the function that a name always refers to.
fn function_of<'a>(source: Semantics<'_, 'a>, symbol: SymbolId) -> Option<FunctionNode<'a>> {
    let scoping = source.scoping();
    if !scoping.symbol_redeclarations(symbol).is_empty() {
        return None;
    }
    match source.kind(source.declaration_of(symbol)) {
        AstKind::Function(function) if function.is_declaration() && function.body.is_some() => {
            Some(FunctionNode::Function(function))
        }
        AstKind::VariableDeclarator(it) if !scoping.symbol_is_mutated(symbol) => match it.init.as_ref()? {
            Expression::ArrowFunctionExpression(arrow) => Some(FunctionNode::Arrow(arrow)),
            Expression::FunctionExpression(function) => Some(FunctionNode::Function(function)),
            _ => None,
        },
        _ => None,
    }
}

fn exported_names(source: Semantics<'_, '_>, symbol: SymbolId) -> Vec<String> {
    source.with_checker(|checker| {
        let mut names = checker.exported_symbol_names(Some(symbol));
        let here = checker.open_module();
        let is_default = here.program.body.iter().any(|statement| match statement {
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(it) => {
                    it.id.as_ref().is_some_and(|id| id.symbol_id.get() == Some(symbol))
                }
                ExportDefaultDeclarationKind::Identifier(it) => {
                    it.reference_id.get().and_then(|id| here.scoping().get_reference(id).symbol_id()) == Some(symbol)
                }
                _ => false,
            },
            _ => false,
        });
        if is_default && !names.iter().any(|name| name == "default") {
            names.push("default".to_owned());
        }
        names
    })
}

/// Returns whether the function is declared with `export`.
fn is_declared_with_export(source: Semantics<'_, '_>, function: FunctionNode<'_>) -> bool {
    let around = source.nodes().ancestor_kinds(function.id()).take(3);
    around.into_iter().any(|kind| matches!(kind, AstKind::ExportDeclaration(_)))
}

#[cfg(test)]
mod tests;

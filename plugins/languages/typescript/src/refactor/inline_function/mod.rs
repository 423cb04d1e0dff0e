//! `inline_function`: replaces each call of a function by its body, and removes the declaration.
//!
//! An exported function is kept, because not all its users are known; importing files are asked to inline their calls.

mod bindings;
mod callee;
mod importers;
mod sites;
mod writing;

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Failure, FailureKind, Result, Rewrite, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{Semantic, SymbolId};
use oxc_span::{GetSpan as _, Span};

use super::removal::remove_declaration;
use crate::TypeScriptDocument;
use crate::editor::final_checks;
use crate::semantics::functions::{self, FunctionNode};
use crate::semantics::with_checker;
use crate::syntax::spans::span_in;
use crate::syntax::tree::{Parsed, Tree};
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

/// A parsed file.
#[derive(Clone, Copy)]
struct Source<'s, 'a> {
    tree: &'s Tree,
    parsed: &'s Parsed<'a>,
    semantic: &'s Semantic<'a>,
}

impl<'s, 'a> Source<'s, 'a> {
    fn new(tree: &'s Tree, parsed: &'s Parsed<'a>) -> Source<'s, 'a> {
        Source { tree, parsed, semantic: parsed.semantic() }
    }

    fn text(&self) -> &'s str {
        self.tree.text()
    }

    fn source_text(&self, span: Span) -> &'s str {
        span_in(span, self.text()).slice(self.text())
    }
}

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    document.tree.with(|parsed| {
        if !parsed.is_exact(document.tree.text()) {
            return Err(refusal("the file cannot be parsed", "fix its syntax errors first"));
        }
        let source = Source::new(&document.tree, parsed);
        let (symbol, function) = function_at_caret(source, input)?;
        let callee = InlinedFunction::new(source, function)?;
        let exported = exported_names(document, symbol);
        if exported.is_empty() && is_declared_with_export(source, function) {
            return Err(refusal("the namespace exports the function", "first remove the `export`"));
        }
        let caller =
            CallingFile { source, callee_source: source, callee: &callee, is_same_file: true, needed_names: &[] };
        let done = caller.inline(symbol, exported.is_empty())?;
        if done.edits.is_empty() && exported.is_empty() {
            let name = source.semantic.scoping().symbol_name(symbol);
            return Err(refusal(format!("`{name}` is never called"), "delete it instead"));
        }
        let mut edits = done.edits;
        if exported.is_empty() {
            let name = source.semantic.scoping().symbol_span(symbol);
            edits.extend(remove_declaration(document, span_in(name, source.text()))?);
        }
        let edits = final_checks::sort_edits(edits)?;
        final_checks::check_syntax(parsed, &document.tree, &edits)?;
        let mut rewrite = Rewrite::from(edits);
        rewrite.unresolved = done.unresolved;
        let name = source.semantic.scoping().symbol_name(symbol);
        if !exported.is_empty() {
            rewrite.incomplete =
                Some(format!("`{name}` is exported and was kept; delete it when it is no longer used"));
            let payload = importers::payload(source, &callee, &exported);
            rewrite.ask_importers(exported, payload);
        } else if is_script_global(source, symbol) {
            rewrite.incomplete =
                Some(format!("the file is not a module: other files could call `{name}` and were not checked"));
        }
        Ok(rewrite)
    })
}

fn refusal(message: impl Into<String>, hint: &str) -> Failure {
    fail(FailureKind::RefactorFailed, message).hint(hint)
}

/// Returns the function whose name or head is at the caret, or that is used there.
fn function_at_caret<'a>(source: Source<'_, 'a>, input: &RefactorInput) -> Result<(SymbolId, FunctionNode<'a>)> {
    let (semantic, caret) = (source.semantic, input.at.caret);
    let (nodes, scoping) = (semantic.nodes(), semantic.scoping());
    let used = nodes.iter().filter(|node| {
        let span = node.kind().span();
        span.start <= caret && caret <= span.end
    });
    let used = used.filter_map(|node| match node.kind() {
        AstKind::IdentifierReference(name) => scoping.get_reference(name.reference_id.get()?).symbol_id(),
        AstKind::BindingIdentifier(name) => name.symbol_id.get(),
        _ => None,
    });
    if let Some(symbol) = used.last() {
        let name = scoping.symbol_name(symbol);
        return match function_of(semantic, symbol) {
            Some(function) => Ok((symbol, function)),
            None => Err(refusal(
                format!("`{name}` is not a function with a body in this file"),
                "place the caret on the name of such a function",
            )),
        };
    }
    let function = functions::function_at(semantic, source.text(), input.at)
        .ok_or_else(|| functions::no_function_failure(semantic, source.text(), input.at))?;
    let name = match (function, nodes.parent_kind(function.id())) {
        (FunctionNode::Function(it), _) if it.id.is_some() && it.is_declaration() => it.id.as_ref(),
        (_, AstKind::VariableDeclarator(it)) => it.id.get_binding_identifier_ref(),
        _ => None,
    };
    let symbol = name.and_then(|name| name.symbol_id.get());
    let is_always = |symbol: &SymbolId| function_of(semantic, *symbol).is_some_and(|it| it.id() == function.id());
    match symbol.filter(is_always) {
        Some(symbol) => Ok((symbol, function)),
        None => Err(refusal(
            "the function has no fixed name",
            "only function declarations and functions assigned to a variable once can be inlined",
        )),
    }
}

/// Access to the name of a pattern that consists only of a name.
trait SimpleBinding<'a> {
    fn get_binding_identifier_ref(&self) -> Option<&BindingIdentifier<'a>>;
}

impl<'a> SimpleBinding<'a> for BindingPattern<'a> {
    fn get_binding_identifier_ref(&self) -> Option<&BindingIdentifier<'a>> {
        match self {
            BindingPattern::BindingIdentifier(name) => Some(name),
            _ => None,
        }
    }
}

/// Returns the function that a name always refers to.
fn function_of<'a>(semantic: &Semantic<'a>, symbol: SymbolId) -> Option<FunctionNode<'a>> {
    let scoping = semantic.scoping();
    let node = scoping.symbol_declaration(symbol);
    if !scoping.symbol_redeclarations(symbol).is_empty() {
        return None;
    }
    match semantic.nodes().kind(node) {
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

fn exported_names(document: &TypeScriptDocument, symbol: SymbolId) -> Vec<String> {
    with_checker(document, |checker| {
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
fn is_declared_with_export(source: Source<'_, '_>, function: FunctionNode<'_>) -> bool {
    let around = source.semantic.nodes().ancestor_kinds(function.id()).take(3);
    around.into_iter().any(|kind| matches!(kind, AstKind::ExportDeclaration(_)))
}

/// Returns whether the name is visible to other scripts.
fn is_script_global(source: Source<'_, '_>, symbol: SymbolId) -> bool {
    let program = source.parsed.program;
    let is_module = program.source_type.is_module() || program.body.iter().any(|it| it.is_module_declaration());
    let scoping = source.semantic.scoping();
    !is_module && scoping.symbol_scope_id(symbol) == scoping.root_scope_id()
}

#[cfg(test)]
mod tests;

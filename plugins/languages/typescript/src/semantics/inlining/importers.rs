//! Imports of a function that is inlined.

use marquetry_sdk::{Destination, Span};
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use crate::TypeScriptDocument;
use crate::imports::model;
use crate::program::ids::OPEN_DOCUMENT;
use crate::semantics::functions::FunctionNode;
use crate::semantics::inlining::callee::function_of;
use crate::semantics::{Semantics, with_checker};
use crate::syntax::spans::{Place as _, to_sdk_span};

impl Semantics<'_, '_> {
    /// Returns the import declaration with a name, and the number of names in it.
    pub(crate) fn import_around(self, name: Span) -> Option<(Span, usize)> {
        self.program().body.iter().find_map(|statement| match statement {
            Statement::ImportDeclaration(it) if it.span.place().contains(name) => {
                Some((it.span.place(), it.specifiers.iter().flatten().count()))
            }
            _ => None,
        })
    }
}

/// Returns the function that the first variable of a file holds.
pub(crate) fn declared_function<'a>(source: Semantics<'_, 'a>) -> Option<FunctionNode<'a>> {
    let Some(Statement::VariableDeclaration(variables)) = source.parsed.program.body.first() else { return None };
    let declarator = variables.declarations.first()?;
    let BindingPattern::BindingIdentifier(name) = &declarator.id else { return None };
    function_of(source, name.symbol_id.get()?).or_else(|| match declarator.init.as_ref()?.get_inner_expression() {
        Expression::FunctionExpression(function) => Some(FunctionNode::Function(function)),
        Expression::ArrowFunctionExpression(arrow) => Some(FunctionNode::Arrow(arrow)),
        _ => None,
    })
}

/// Returns the local names of these imports from the module, with the spans of the names.
pub(crate) fn imported_symbols(document: &TypeScriptDocument, from: &str, names: &[&str]) -> Vec<(SymbolId, Span)> {
    with_checker(document, |checker| {
        let here = checker.open_module();
        let mut found = Vec::new();
        for import in model::imports(here.program) {
            let wanted = import.bindings.iter().filter(|binding| names.contains(&&*binding.name));
            let symbols: Vec<_> =
                wanted.filter_map(|it| Some((it.local.symbol_id.get()?, to_sdk_span(it.local.span)))).collect();
            let destination = || checker.destination(OPEN_DOCUMENT, &import.specifier);
            if !symbols.is_empty() && matches!(destination(), Destination::Inside(found) if found.path == from) {
                found.extend(symbols);
            }
        }
        found
    })
}

//! The type that an expression gets from its surroundings, where it would be another one without them.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use super::Extraction;
use super::choice::sdk;
use crate::rewrite::scopes::free_names;

impl<'a> Extraction<'_, 'a> {
    /// The type to write for the new variable; nothing where the value tells it.
    pub(super) fn annotation(&self) -> Option<String> {
        if self.tree.grammar().is_javascript() || !depends_on_context(&self.choice.chosen.kind, self.text()) {
            return None;
        }
        let semantic = self.parsed.semantic();
        let span = self.choice.chosen.kind.span();
        let written = match semantic.nodes().parent_kind(self.choice.chosen.node) {
            AstKind::VariableDeclarator(it) if it.init.as_ref().is_some_and(|init| init.span() == span) => {
                it.type_annotation.as_ref()?.type_annotation.span()
            }
            AstKind::CallExpression(call) if is_function(&self.choice.chosen.kind, self.text()) => {
                let index = call.arguments.iter().position(|argument| argument.span() == span)?;
                self.type_of_parameter(&call.callee, index)?
            }
            _ => return None,
        };
        Some(sdk(written).of(self.text()).to_owned())
    }

    /// The type of a parameter of a function of this file that is not generic.
    fn type_of_parameter(&self, callee: &Expression<'a>, index: usize) -> Option<oxc_span::Span> {
        let semantic = self.parsed.semantic();
        let scoping = semantic.scoping();
        let Expression::Identifier(name) = callee else { return None };
        let symbol: SymbolId = scoping.get_reference(name.reference_id.get()?).symbol_id()?;
        if !scoping.symbol_redeclarations(symbol).is_empty() {
            return None;
        }
        let AstKind::Function(function) = semantic.nodes().kind(scoping.symbol_declaration(symbol)) else {
            return None;
        };
        let parameter = function.params.items.get(index)?;
        let written = parameter.type_annotation.as_ref()?.type_annotation.span();
        let here = semantic.nodes().get_node(self.choice.chosen.node).scope_id();
        let means_the_same = |name: &str| scoping.find_binding(here, Ident::from(name));
        let names = free_names(semantic, written);
        (function.type_parameters.is_none() && names.iter().all(|it| means_the_same(it.name) == it.symbol))
            .then_some(written)
    }
}

/// Whether the type of an expression depends on what is around it.
fn depends_on_context(kind: &AstKind<'_>, text: &str) -> bool {
    matches!(kind, AstKind::ObjectExpression(_) | AstKind::ArrayExpression(_)) || is_function(kind, text)
}

/// Whether it is a function that leaves types to its surroundings: those of parameters, or that of `this`.
fn is_function(kind: &AstKind<'_>, text: &str) -> bool {
    let lacks = |params: &FormalParameters<'_>| params.items.iter().any(|it| it.type_annotation.is_none());
    match kind {
        AstKind::ArrowFunctionExpression(it) => lacks(&it.params),
        AstKind::Function(it) => {
            let body = it.body.as_ref().map_or("", |body| body.span.source_text(text));
            lacks(&it.params) || it.this_param.is_none() && body.contains("this")
        }
        _ => false,
    }
}

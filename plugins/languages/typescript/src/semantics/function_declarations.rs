//! Functions that can be function declarations or expressions with the same meaning.

use marquetry_sdk::{Result, Selection, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;

use crate::semantics::functions::{CallContext, FunctionNode};
use crate::semantics::{Semantics, positions, refusal_at};
use crate::syntax::spans::Place as _;

/// A function that can be written with the keyword `function`.
pub(crate) struct FunctionCandidate<'s, 'a> {
    code: Semantics<'s, 'a>,
    pub(crate) function: FunctionNode<'a>,
    /// The variable that holds the function, if a function declaration can replace it.
    pub(crate) variable: Option<FunctionVariable>,
}

/// The variable declaration that holds the function.
pub(crate) struct FunctionVariable {
    pub(crate) statement: Span,
    pub(crate) name: Span,
}

impl<'s, 'a> FunctionCandidate<'s, 'a> {
    /// Returns the function whose head contains the caret. Fails if `function` would change its meaning.
    pub(crate) fn at(code: Semantics<'s, 'a>, at: Selection) -> Result<FunctionCandidate<'s, 'a>> {
        let function = code.function_at(at)?;
        if function.is_arrow() {
            CallContext::from_function(function).check("a `function`")?;
        }
        let mut candidate = FunctionCandidate { code, function, variable: None };
        candidate.variable = candidate.holding_variable()?;
        if candidate.variable.is_none() && !function.is_arrow() {
            return Err(refusal_at("the function already uses the `function` keyword", function.span())
                .hint("only a function that is the value of a variable can become a function declaration"));
        }
        Ok(candidate)
    }

    /// Returns the variable that holds the function. Fails if a function declaration would have a different meaning.
    fn holding_variable(&self) -> Result<Option<FunctionVariable>> {
        let code = self.code;
        let node = code.parent(self.function.id());
        let AstKind::VariableDeclarator(variable) = code.kind(node) else { return Ok(None) };
        let BindingPattern::BindingIdentifier(name) = &variable.id else { return Ok(None) };
        let list = code.parent(node);
        let AstKind::VariableDeclaration(whole) = code.kind(list) else { return Ok(None) };
        if whole.declarations.len() > 1 {
            return Err(refusal_at("the statement declares several variables", whole.span)
                .hint("first move this variable to its own statement"));
        }
        if let Some(annotation) = &variable.type_annotation {
            return Err(refusal_at("the type annotation of the variable would be lost", annotation.span)
                .hint("first move the types to the parameters and the return type, then remove the annotation"));
        }
        self.check_symbol(name, whole, list)?;
        if let FunctionNode::Function(Function { id: Some(id), .. }) = self.function
            && id.name != name.name
            && id.symbol_id.get().is_some_and(|symbol| !code.scoping().symbol_is_unused(symbol))
        {
            return Err(refusal_at(format!("the function calls itself by another name, `{}`", id.name), id.span)
                .hint(format!("first let it call itself `{}`", name.name)));
        }
        Ok(Some(FunctionVariable { statement: whole.span.place(), name: name.span.place() }))
    }

    fn check_symbol(&self, name: &BindingIdentifier<'_>, whole: &VariableDeclaration<'_>, list: NodeId) -> Result<()> {
        let scoping = self.code.scoping();
        let symbol = name.symbol_id.get().ok_or_else(|| refusal_at("the variable could not be resolved", name.span))?;
        if scoping.symbol_is_mutated(symbol) {
            return Err(refusal_at(format!("`{}` is reassigned", name.name), name.span)
                .hint("a function declaration should not be reassigned"));
        }
        if !scoping.symbol_redeclarations(symbol).is_empty() {
            return Err(refusal_at(format!("`{}` is declared more than once", name.name), name.span));
        }
        let around = self.code.parent_kind(list);
        let is_top = matches!(around, AstKind::Program(_) | AstKind::FunctionBody(_) | AstKind::ExportDeclaration(_));
        let is_list = is_top || positions::is_statement_list(&around);
        if !is_list || whole.declare {
            return Err(refusal_at("a function cannot be declared here", whole.span));
        }
        if whole.kind.is_var() && !is_top {
            return Err(refusal_at(
                format!("`{}` may be used outside the block that would declare it", name.name),
                name.span,
            )
            .hint("first declare it with `const`"));
        }
        if !(whole.kind.is_var() || whole.kind.is_lexical()) {
            return Err(refusal_at("a `using` declaration disposes of its value at the end of the block", whole.span));
        }
        Ok(())
    }
}

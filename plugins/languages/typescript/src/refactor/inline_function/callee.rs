//! The function to inline: what it requires of a call site, and which of its code replaces the call.

use std::collections::HashSet;

use marquetry_sdk::Result;
use oxc_ast::ast::*;
use oxc_semantic::{ScopeId, SymbolId};
use oxc_span::{GetSpan as _, Span};

use super::refusal;
use crate::semantics::Semantics;
use crate::semantics::effects::contains;
use crate::semantics::functions::{CallContext, FunctionNode};
use crate::semantics::names::FreeName;
use crate::semantics::promises::ReturnedValues;
use crate::semantics::refusal_at;

/// A function that can be inlined.
pub(super) struct InlinedFunction<'s, 'a> {
    pub(super) function: FunctionNode<'a>,
    pub(super) parameters: HashSet<SymbolId>,
    pub(super) body: Body<'a>,
    /// True for an arrow function that uses the enclosing `this`.
    pub(super) needs_this: bool,
    /// Names that it uses without declaring them.
    pub(super) free_names: Vec<FreeName<'s>>,
    /// Variables that its body declares at the top level.
    pub(super) locals: Vec<&'s str>,
    /// True if one of these variables is a `var`, whose scope is not limited to the enclosing braces.
    pub(super) has_var: bool,
}

/// Form of the body.
#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    /// A single value.
    Value(&'a Expression<'a>),
    /// Statements, and the optional `return` at their end.
    Statements { inner: Span, statements: &'a [Statement<'a>], returned: Option<&'a ReturnStatement<'a>> },
}

impl<'s, 'a> InlinedFunction<'s, 'a> {
    /// Refused if the function cannot replace its calls.
    pub(super) fn new(source: Semantics<'s, 'a>, function: FunctionNode<'a>) -> Result<InlinedFunction<'s, 'a>> {
        let (is_async, is_generator) = match function {
            FunctionNode::Function(it) => (it.r#async, it.generator),
            FunctionNode::Arrow(it) => (it.r#async, false),
        };
        if is_async || is_generator {
            let what = if is_async { "the function is async" } else { "the function is a generator" };
            return Err(refusal(what, "its calls return a promise or an iterator, not the value of the body"));
        }
        let needs_this = match function {
            FunctionNode::Function(_) => {
                CallContext::from_function(function).check("the calling code")?;
                false
            }
            FunctionNode::Arrow(it) => source.effects_of(it.node_id.get(), it.body.span()).uses_this,
        };
        let body = function_body(function)?;
        let mut callee = InlinedFunction {
            function,
            parameters: parameter_symbols(function),
            body,
            needs_this,
            free_names: source.free_names(function.span()),
            locals: Vec::new(),
            has_var: false,
        };
        callee.check_parameters(source)?;
        if let Some(scope) = function.scope() {
            callee.find_locals(source, scope);
        }
        Ok(callee)
    }

    /// Returns the call that is the whole body, if the call certainly returns `undefined`. The function then returns
    /// the same value as the call.
    pub(super) fn only_call(&self, source: Semantics<'_, 'a>) -> Option<&'a Expression<'a>> {
        let Body::Statements { inner, statements: [Statement::ExpressionStatement(only)], returned: None } = self.body
        else {
            return None;
        };
        let Expression::CallExpression(call) = &only.expression else { return None };
        let Expression::StaticMemberExpression(method) = &call.callee else { return None };
        let Expression::Identifier(object) = &method.object else { return None };
        let is_global = source.symbol_of(object).is_none();
        let is_bare = !source.semantic().has_comments_between(inner);
        (is_global && is_bare && object.name == "console").then_some(&only.expression)
    }

    fn check_parameters(&self, source: Semantics<'_, '_>) -> Result<()> {
        for symbol in self.parameters.iter().copied() {
            let name = source.name_of(symbol);
            for (reference, span) in source.references_of(symbol) {
                if reference.is_write() {
                    return Err(refusal_at(format!("`{name}` is reassigned in the function"), span)
                        .hint("first copy it to a variable"));
                }
                if reference.flags().is_value_as_type() || !reference.flags().is_value() {
                    return Err(refusal_at(format!("`{name}` is used in a type"), span)
                        .hint("a value cannot be used in a type"));
                }
            }
        }
        let types = match self.function {
            FunctionNode::Function(it) => &it.type_parameters,
            FunctionNode::Arrow(it) => &it.type_parameters,
        };
        let body = self.function.body_span();
        for parameter in types.iter().flat_map(|types| &types.params) {
            let Some(symbol) = parameter.name.symbol_id.get() else { continue };
            if let Some((_, used)) = source.references_of(symbol).find(|(_, used)| contains(body, *used)) {
                let message = format!("the body uses the type parameter `{}`", parameter.name.name);
                return Err(refusal_at(message, used).hint("use a concrete type instead"));
            }
        }
        Ok(())
    }

    fn find_locals(&mut self, source: Semantics<'s, '_>, scope: ScopeId) {
        let scoping = source.scoping();
        let body = self.function.body_span();
        for symbol in scoping.iter_bindings_in(scope) {
            if self.parameters.contains(&symbol) || !contains(body, scoping.symbol_span(symbol)) {
                continue;
            }
            self.locals.push(scoping.symbol_name(symbol));
            self.has_var |= scoping.symbol_flags(symbol).is_function_scoped_declaration();
        }
    }
}

/// Returns the symbols of the parameters.
fn parameter_symbols(function: FunctionNode<'_>) -> HashSet<SymbolId> {
    let params = function.params();
    let mut names: Vec<&BindingIdentifier<'_>> = Vec::new();
    for item in &params.items {
        names.extend(item.pattern.get_binding_identifiers());
    }
    if let Some(rest) = &params.rest {
        names.extend(rest.rest.argument.get_binding_identifiers());
    }
    names.iter().filter_map(|name| name.symbol_id.get()).collect()
}

fn function_body<'a>(function: FunctionNode<'a>) -> Result<Body<'a>> {
    if let Some(value) = function.expression() {
        return Ok(Body::Value(value));
    }
    let Some(block) = function.block() else {
        return Err(refusal("the function has no body", "only a function with a body can be inlined"));
    };
    if !block.directives.is_empty() {
        return Err(refusal("the function has a directive", "a directive is only valid in a function"));
    }
    let returns = ReturnedValues::statements_of(block);
    let last = match block.statements.last() {
        Some(Statement::ReturnStatement(it)) => Some(&**it),
        _ => None,
    };
    let inner = Span::new(block.span.start + 1, block.span.end.saturating_sub(1));
    match (returns.as_slice(), last) {
        ([], _) => Ok(Body::Statements { inner, statements: &block.statements, returned: None }),
        ([only], Some(last)) if only.span == last.span => match &last.argument {
            Some(value) if block.statements.len() == 1 => Ok(Body::Value(value)),
            _ => Ok(Body::Statements { inner, statements: &block.statements, returned: Some(last) }),
        },
        ([only], _) => Err(refusal_at("the function returns before its end", only.span)
            .hint("only a function that returns at its end can be inlined")),
        ([first, ..], _) => Err(refusal_at("the function has several `return` statements", first.span)
            .hint("only a function that returns at its end can be inlined")),
    }
}

//! The function to inline: what it requires of a call site, and which of its code replaces the call.

use std::collections::HashSet;

use marquetry_sdk::{Result, Selection, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, ScopeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::semantics::effects::contains;
use crate::semantics::functions::{CallContext, FunctionNode};
use crate::semantics::names::FreeName;
use crate::semantics::promises::ReturnedValues;
use crate::semantics::{Semantics, refusal, refusal_at};
use crate::syntax::spans::Place as _;

/// A function that can be inlined.
pub(crate) struct InlinedFunction<'s, 'a> {
    pub(crate) function: FunctionNode<'a>,
    pub(crate) parameters: HashSet<SymbolId>,
    pub(crate) body: Body<'a>,
    /// True for an arrow function that uses the enclosing `this`.
    pub(crate) needs_this: bool,
    /// Names that the function uses without declaring them.
    pub(crate) free_names: Vec<FreeName<'s>>,
    /// Variables that the function declares at the top level of its body.
    pub(crate) locals: Vec<&'s str>,
    /// True if one of these variables is a `var`, whose scope is not limited to the enclosing braces.
    pub(crate) has_var: bool,
}

/// Form of the body.
#[derive(Clone, Copy)]
pub(crate) enum Body<'a> {
    /// A single value.
    Value(BodyValue),
    /// Statements, and the optional `return` at their end.
    Statements { inner: Span, statements: &'a [Statement<'a>], returned: Option<FinalReturn> },
}

/// An expression, and the part of it that is written: without parentheses, unless these contain comments.
#[derive(Clone, Copy)]
pub(crate) struct BodyValue {
    pub(crate) span: Span,
    pub(crate) bare: Span,
}

impl BodyValue {
    fn from_expression<'a>(source: Semantics<'_, 'a>, value: &Expression<'a>) -> BodyValue {
        BodyValue { span: value.span().place(), bare: source.without_parentheses(value).span().place() }
    }
}

/// The `return` statement at the end of a body.
#[derive(Clone, Copy)]
pub(crate) struct FinalReturn {
    pub(crate) node: NodeId,
    pub(crate) span: Span,
    pub(crate) value: Option<Span>,
}

impl<'s, 'a> InlinedFunction<'s, 'a> {
    /// Describes a function to inline. Fails if the function cannot replace its calls.
    pub(crate) fn new(source: Semantics<'s, 'a>, function: FunctionNode<'a>) -> Result<InlinedFunction<'s, 'a>> {
        if function.is_async() || function.is_generator() {
            let what = if function.is_async() { "the function is async" } else { "the function is a generator" };
            return Err(refusal(what, "its calls return a promise or an iterator, not the value of the body"));
        }
        if let FunctionNode::Function(it) = function
            && let Some(symbol) = it.id.as_ref().and_then(|id| id.symbol_id.get())
            && let Some((_, span)) = source.references_of(symbol).find(|(_, span)| contains(it.span, *span))
        {
            return Err(refusal_at("the function calls itself", span).hint("it cannot be inlined into itself"));
        }
        let needs_this = match function {
            FunctionNode::Function(_) => {
                CallContext::from_function(function).check("the calling code")?;
                false
            }
            FunctionNode::Arrow(it) => source.effects_of(it.node_id.get(), it.body.span()).uses_this,
        };
        let body = function_body(source, function)?;
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
    pub(crate) fn only_call(&self, source: Semantics<'_, 'a>) -> Option<BodyValue> {
        let Body::Statements { inner, statements: [Statement::ExpressionStatement(only)], returned: None } = self.body
        else {
            return None;
        };
        let Expression::CallExpression(call) = &only.expression else { return None };
        let Expression::StaticMemberExpression(method) = &call.callee else { return None };
        let Expression::Identifier(object) = &method.object else { return None };
        let is_global = source.symbol_of(object).is_none();
        let is_bare = !source.has_comments_in(inner);
        (is_global && is_bare && object.name == "console").then(|| BodyValue::from_expression(source, &only.expression))
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

fn function_body<'a>(source: Semantics<'_, 'a>, function: FunctionNode<'a>) -> Result<Body<'a>> {
    if let Some(value) = function.expression() {
        return Ok(Body::Value(BodyValue::from_expression(source, value)));
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
    let inner = Span { start: block.span.start + 1, end: block.span.end.saturating_sub(1) };
    match (returns.as_slice(), last) {
        ([], _) => Ok(Body::Statements { inner, statements: &block.statements, returned: None }),
        ([only], Some(last)) if only.span == last.span => match &last.argument {
            Some(value) if block.statements.len() == 1 => Ok(Body::Value(BodyValue::from_expression(source, value))),
            value => {
                let value = value.as_ref().map(|value| value.span().place());
                let returned = FinalReturn { node: last.node_id.get(), span: last.span.place(), value };
                Ok(Body::Statements { inner, statements: &block.statements, returned: Some(returned) })
            }
        },
        ([only], _) => Err(refusal_at("the function returns before its end", only.span)
            .hint("only a function that returns at its end can be inlined")),
        ([first, ..], _) => Err(refusal_at("the function has several `return` statements", first.span)
            .hint("only a function that returns at its end can be inlined")),
    }
}

/// Returns the function whose name or head is at the caret, or that is used there.
pub(crate) fn function_at_caret<'a>(source: Semantics<'_, 'a>, at: Selection) -> Result<(SymbolId, FunctionNode<'a>)> {
    let used = source.nodes_at(at.caret).filter_map(|(_, kind)| match kind {
        AstKind::IdentifierReference(name) => source.symbol_of(name),
        AstKind::BindingIdentifier(name) => name.symbol_id.get(),
        _ => None,
    });
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
    let function = source.function_at(at)?;
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
pub(crate) fn function_of<'a>(source: Semantics<'_, 'a>, symbol: SymbolId) -> Option<FunctionNode<'a>> {
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

pub(crate) fn exported_names(source: Semantics<'_, '_>, symbol: SymbolId) -> Vec<String> {
    source.with_checker(|checker| {
        let mut names = checker.exported_symbol_names(Some(symbol));
        let here = checker.open_module();
        let is_default = here.is_default_export(symbol);
        if is_default && !names.iter().any(|name| name == "default") {
            names.push("default".to_owned());
        }
        names
    })
}

/// Returns whether the function is declared with `export`.
pub(crate) fn is_declared_with_export(source: Semantics<'_, '_>, function: FunctionNode<'_>) -> bool {
    let around = source.nodes().ancestor_kinds(function.id()).take(3);
    around.into_iter().any(|kind| matches!(kind, AstKind::ExportDeclaration(_)))
}

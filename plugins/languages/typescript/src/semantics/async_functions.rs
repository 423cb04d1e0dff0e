//! Functions that return promise chains and can become async functions.

use marquetry_sdk::{Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::program::module::Module;
use crate::semantics::control_flow::never_completes;
use crate::semantics::functions::FunctionNode;
use crate::semantics::promise_chains::promise_call;
use crate::semantics::promises::{PromiseAnalysis, PromiseKind, ReturnedValues};
use crate::semantics::refusal_at;
use crate::syntax::spans::span_in;

/// A chain that a function returns.
pub(crate) struct ReturnedChain<'w> {
    /// The `return` statement, or the expression of an arrow function.
    pub(crate) span: oxc_span::Span,
    pub(crate) statement: Option<&'w ReturnStatement<'w>>,
    pub(crate) value: &'w Expression<'w>,
    /// True if the chain is awaited.
    pub(crate) awaited: bool,
}

/// Returns the chains among the returned values.
pub(crate) fn returned_chains<'w>(function: FunctionNode<'w>) -> Vec<ReturnedChain<'w>> {
    let chain = |statement: Option<&'w ReturnStatement<'w>>, value: &'w Expression<'w>| {
        let inner = value.without_parentheses();
        let (value, awaited) = match inner {
            Expression::AwaitExpression(inner) => (inner.argument.without_parentheses(), true),
            other => (other, false),
        };
        let span = statement.map_or(value.span(), |statement| statement.span);
        promise_call(value).map(|_| ReturnedChain { span, statement, value, awaited })
    };
    if let Some(value) = function.expression() {
        return chain(None, value).map(|found| ReturnedChain { span: value.span(), ..found }).into_iter().collect();
    }
    let statements = function.block().map(|body| body.statements.iter().flat_map(ReturnedValues::statements));
    let returns = statements.into_iter().flatten();
    returns.filter_map(|statement| chain(Some(statement), statement.argument.as_ref()?)).collect()
}

/// A function that becomes async.
pub(crate) struct AsyncCandidate<'c, 'w> {
    pub(crate) here: &'c Module<'w>,
    pub(crate) function: FunctionNode<'w>,
}

impl<'w> AsyncCandidate<'_, 'w> {
    /// Returns a warning if behavior or type checking may differ: an error that was thrown directly now rejects the
    /// promise, or a variable is assigned in one callback and used in another. Type checkers assume that such a
    /// variable has a value in a callback, but not after `await`.
    pub(crate) fn behavior_warning(&self) -> Option<String> {
        if !self.function.is_async() && self.may_throw() {
            return Some("errors that were thrown directly now reject the promise".to_owned());
        }
        if self.here.is_javascript() {
            return None;
        }
        let scoping = self.here.scoping();
        let chains: Vec<oxc_span::Span> = returned_chains(self.function).iter().map(|found| found.span).collect();
        let is_in_chain = |place: oxc_span::Span| chains.iter().any(|chain| chain.contains_inclusive(place));
        let own = self.function.span();
        let unset = scoping.symbol_ids().find(|symbol| {
            let AstKind::VariableDeclarator(it) = self.here.kind(scoping.symbol_declaration(*symbol)) else {
                return false;
            };
            let is_open = it.init.is_none() && it.type_annotation.is_some() && !it.definite;
            is_open
                && own.contains_inclusive(it.span)
                && !is_in_chain(it.span)
                && scoping
                    .get_resolved_references(*symbol)
                    .any(|reference| reference.is_read() && is_in_chain(self.here.kind(reference.node_id()).span()))
        })?;
        let name = scoping.symbol_name(unset);
        Some(format!("type checkers may report that `{name}` is used before it is assigned"))
    }

    /// Returns whether the function itself may throw to its caller.
    fn may_throw(&self) -> bool {
        let nodes = self.here.semantic().nodes();
        let own = self.function.id();
        nodes.iter().filter(|node| matches!(node.kind(), AstKind::ThrowStatement(_))).any(|node| {
            let mut around = nodes.ancestors(node.id());
            let home = around.find(|around| {
                matches!(
                    around.kind(),
                    AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) | AstKind::TryStatement(_)
                )
            });
            home.is_some_and(|home| home.id() == own)
        })
    }

    /// Returns the offset at which `async` is inserted; `None` if the function is async. Fails if it cannot be async.
    pub(crate) fn keyword_offset(&self) -> Result<Option<usize>> {
        let nodes = self.here.semantic().nodes();
        let span = self.function.span();
        if self.function.is_generator() {
            return Err(refusal_at("an async generator does not return a promise", span));
        }
        let method = |kind: &str| Err(refusal_at(format!("a {kind} cannot be async"), span));
        let key = match nodes.parent_kind(self.function.id()) {
            AstKind::MethodDefinition(it) => match it.kind {
                MethodDefinitionKind::Method => Some((it.key.span(), it.computed)),
                MethodDefinitionKind::Constructor => return method("constructor"),
                _ => return method("getter or setter"),
            },
            AstKind::ObjectProperty(it) if it.kind != PropertyKind::Init => {
                return method("getter or setter");
            }
            AstKind::ObjectProperty(it) if it.method => Some((it.key.span(), it.computed)),
            _ => None,
        };
        if self.function.is_async() {
            return Ok(None);
        }
        Ok(Some(match key {
            None => span.start as usize,
            Some((key, false)) => key.start as usize,
            Some((key, true)) => self.here.text()[..key.start as usize].rfind('[').unwrap_or(key.start as usize),
        }))
    }

    /// Refuses a function that does not always return a promise. Returns whether its type guarantees it.
    pub(crate) fn check_returns_promise(&self, promises: &PromiseAnalysis<'_, 'w>) -> Result<bool> {
        if self.function.is_async() {
            return Ok(true);
        }
        if let Some(annotation) = self.function.return_type() {
            let is_promise = promises.classify_annotation(annotation) == PromiseKind::Promise;
            let is_like = matches!(annotation, TSType::TSTypeReference(reference)
                if matches!(&reference.type_name, TSTypeName::IdentifierReference(name) if name.name == "PromiseLike"));
            return match is_promise && !is_like {
                true => Ok(true),
                false => Err(refusal_at("an async function can only return a `Promise`", annotation.span())
                    .hint("first let it return a `Promise` in all cases")),
            };
        }
        let Some(body) = self.function.block() else { return Ok(false) };
        for value in ReturnedValues::collect(body) {
            let nature = value.map_or(PromiseKind::Value, |value| promises.classify(value));
            let is_chain = value.is_some_and(|value| promise_call(value.without_parentheses()).is_some());
            if nature != PromiseKind::Promise && !is_chain {
                let at = value.map_or(body.span, |value| value.span());
                return Err(refusal_at("the function may return a value that is not a promise", at)
                    .hint("annotate the return type `Promise<…>` if it always returns a promise"));
            }
        }
        let last = body.statements.iter().rev().find(|it| !matches!(it, Statement::FunctionDeclaration(_)));
        if !last.is_some_and(never_completes) {
            return Err(refusal_at("the function may end without returning a promise", body.span)
                .hint("first let it return a promise in all cases"));
        }
        Ok(false)
    }

    /// Refuses a chain in a `try`, which would then catch later rejections.
    pub(crate) fn check_enclosing_try(&self, found: &ReturnedChain<'w>) -> Result<()> {
        let Some(statement) = found.statement.filter(|_| !found.awaited) else { return Ok(()) };
        let function = self.function.id();
        let mut inner = statement.node_id.get();
        for node in self.here.self_and_ancestors(statement.node_id.get()).skip(1).take_while(|node| *node != function) {
            if let AstKind::TryStatement(attempt) = self.here.kind(node)
                && (attempt.block.span == self.here.kind(inner).span() || attempt.finalizer.is_some())
            {
                return Err(refusal_at(
                    "the surrounding `try` would catch the rejection, which it does not do now",
                    statement.span,
                )
                .hint("move the chain out of the `try`, or convert it by hand"));
            }
            inner = node;
        }
        Ok(())
    }

    /// Returns whether no statement of the function follows the `return` of a chain.
    pub(crate) fn is_last_statement(&self, found: &ReturnedChain<'w>) -> bool {
        let Some(statement) = found.statement else { return true };
        let function = self.function.id();
        let mut inner: NodeId = statement.node_id.get();
        for node in self.here.self_and_ancestors(inner).skip(1).take_while(|node| *node != function) {
            let own = self.here.kind(inner).span();
            let is_last = |body: &[Statement<'w>]| {
                let mut behind = body.iter().skip_while(|statement| statement.span() != own).skip(1);
                behind.all(|statement| matches!(statement, Statement::FunctionDeclaration(_)))
            };
            let goes_on = match self.here.kind(node) {
                AstKind::FunctionBody(body) => return is_last(&body.statements),
                AstKind::BlockStatement(block) => is_last(&block.body),
                AstKind::IfStatement(_) => true,
                _ => false,
            };
            if !goes_on {
                return false;
            }
            inner = node;
        }
        true
    }

    /// Returns the list of statements that directly contains a `return`.
    pub(crate) fn statement_list(&self, statement: &ReturnStatement<'w>) -> Option<Span> {
        match self.here.parent_kind(statement.node_id.get()) {
            list @ (AstKind::FunctionBody(_) | AstKind::BlockStatement(_) | AstKind::SwitchCase(_)) => {
                Some(span_in(list.span(), self.here.text()))
            }
            _ => None,
        }
    }

    /// Returns the span of an arrow function's body, including parentheses.
    pub(crate) fn parenthesized_body_span(&self, found: &ReturnedChain<'w>) -> Span {
        let mut span = found.span;
        for node in self.here.semantic().nodes().iter() {
            if let AstKind::ArrowFunctionExpression(arrow) = node.kind()
                && let Some(value) = arrow.body.as_expression()
                && value.span().start <= found.span.start
                && found.span.end <= value.span().end
                && value.without_parentheses().span() == found.span
            {
                span = value.span();
            }
        }
        span_in(span, self.here.text())
    }
}

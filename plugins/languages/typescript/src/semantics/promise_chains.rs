//! Parsing chains of `then`, `catch` and `finally` into steps. Each step states how its callback uses the awaited
//! value.

use marquetry_sdk::Result;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::infer::ty::Callable;
use crate::program::ids::OPEN_DOCUMENT;
use crate::semantics::functions::{CallContext, FunctionNode};
use crate::semantics::promises::{PromiseAnalysis, PromiseKind, ReturnedValues};
use crate::semantics::refusal_at;

/// Limits of chains. Longer or more deeply nested chains are refused.
const MAX_STEPS: usize = 100;
const MAX_DEPTH: usize = 16;

/// A promise and its handlers in the order of execution.
pub(crate) struct PromiseChain<'w> {
    pub(crate) base: &'w Expression<'w>,
    pub(crate) steps: Vec<ChainStep<'w>>,
}

/// A call in the chain that has a callback.
pub(crate) struct ChainStep<'w> {
    pub(crate) kind: StepKind,
    pub(crate) handler: Handler<'w>,
    /// The declared type of its result: `then<T>(…)`.
    pub(crate) annotation: Option<&'w TSType<'w>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepKind {
    Then,
    Catch,
    Finally,
}

/// A callback.
pub(crate) enum Handler<'w> {
    Named(NamedCallback<'w>),
    Inline(FunctionNode<'w>, Vec<BodyItem<'w>>),
}

/// A callback that is passed by name.
pub(crate) struct NamedCallback<'w> {
    pub(crate) expression: &'w Expression<'w>,
    /// The name of its first parameter.
    pub(crate) parameter: Option<&'w str>,
    /// True if the callback has no parameters, so that it must be called without arguments.
    pub(crate) has_no_parameters: bool,
    pub(crate) promise_kind: PromiseKind,
    pub(crate) function: Option<FunctionNode<'w>>,
}

/// A part of a callback's body.
pub(crate) enum BodyItem<'w> {
    Statement(&'w Statement<'w>),
    /// The `return` statement and the result of the callback. Without a statement, the result is the expression of an
    /// arrow function.
    Result(Option<&'w ReturnStatement<'w>>, Outcome<'w>),
}

pub(crate) enum Outcome<'w> {
    Chain(PromiseChain<'w>),
    Value(&'w Expression<'w>),
    Nothing,
}

/// Returns the call of `then`, `catch` or `finally`, if the expression is one.
pub(crate) fn promise_call<'w>(expression: &'w Expression<'w>) -> Option<(&'w CallExpression<'w>, StepKind)> {
    let Expression::CallExpression(call) = expression.without_parentheses() else { return None };
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    let kind = match member.property.name.as_str() {
        "then" => StepKind::Then,
        "catch" => StepKind::Catch,
        "finally" => StepKind::Finally,
        _ => return None,
    };
    (!call.optional && !member.optional).then_some((call, kind))
}

fn receiver<'w>(call: &'w CallExpression<'w>) -> Option<&'w Expression<'w>> {
    match &call.callee {
        Expression::StaticMemberExpression(member) => Some(&member.object),
        _ => None,
    }
}

/// Parses chains.
pub(crate) struct ChainParser<'r, 'c, 'w> {
    pub(crate) promises: &'r PromiseAnalysis<'c, 'w>,
    pub(crate) typed: bool,
}

impl<'w> ChainParser<'_, '_, 'w> {
    /// Parses a chain. `None` if the expression is not one. With `trusted`, an unknown receiver counts as a promise.
    pub(crate) fn parse_chain(
        &self,
        expression: &'w Expression<'w>,
        trusted: bool,
        depth: usize,
    ) -> Result<Option<PromiseChain<'w>>> {
        let Some(outer) = promise_call(expression) else { return Ok(None) };
        if depth > MAX_DEPTH {
            return Err(refusal_at("the callbacks are nested too deeply", expression.span()));
        }
        let mut calls = vec![outer];
        let mut base = expression;
        while let Some((call, _)) = calls.last()
            && let Some(object) = receiver(call)
        {
            base = object;
            match promise_call(object) {
                Some(inner) => calls.push(inner),
                None => break,
            }
        }
        if calls.len() > MAX_STEPS {
            return Err(refusal_at("the chain is too long", expression.span()));
        }
        match self.promises.classify(base) {
            PromiseKind::Promise => {}
            PromiseKind::Unknown if trusted => {}
            _ if depth > 0 => return Ok(None),
            _ => {
                return Err(refusal_at("it is unknown whether this is a promise", base.span())
                    .hint("annotate the function, or the function that it calls, with the return type `Promise<…>`"));
            }
        }
        let mut steps = Vec::new();
        for (call, kind) in calls.into_iter().rev() {
            if let Some(step) = self.parse_step(call, kind, base, steps.is_empty(), depth)? {
                steps.push(step);
            }
        }
        Ok(Some(PromiseChain { base, steps }))
    }

    fn parse_step(
        &self,
        call: &'w CallExpression<'w>,
        kind: StepKind,
        base: &'w Expression<'w>,
        first: bool,
        depth: usize,
    ) -> Result<Option<ChainStep<'w>>> {
        let most = if kind == StepKind::Then { 2 } else { 1 };
        if let Some(more) = call.arguments.get(most) {
            return Err(refusal_at("the call has more arguments than the method takes callbacks", more.span()));
        }
        let given = |index: usize| match call.arguments.get(index) {
            None => Ok(None),
            Some(argument) => match argument.as_expression() {
                Some(expression) => Ok((!is_null_or_undefined(self.promises, expression)).then_some(expression)),
                None => Err(refusal_at("the callbacks in a spread argument cannot be determined", argument.span())),
            },
        };
        let (kind, handler, index) = match (kind, given(0)?, given(1)?) {
            (StepKind::Then, Some(_), Some(second)) => {
                return Err(refusal_at("`then` with two callbacks cannot be written with `try`", second.span())
                    .hint("the second callback does not catch errors of the first: write `try` and `catch` by hand"));
            }
            (StepKind::Then, None, Some(second)) => (StepKind::Catch, second, 1),
            (kind, Some(first), _) => (kind, first, 0),
            (_, None, None) => return Ok(None),
            (_, None, Some(_)) => return Ok(None),
        };
        let annotation = call.type_arguments.as_deref().and_then(|types| types.params.get(index));
        let annotation = annotation.filter(|_| kind != StepKind::Finally);
        Ok(Some(ChainStep { kind, handler: self.parse_handler(handler, kind, (base, first), depth)?, annotation }))
    }

    fn parse_handler(
        &self,
        given: &'w Expression<'w>,
        kind: StepKind,
        (base, first): (&'w Expression<'w>, bool),
        depth: usize,
    ) -> Result<Handler<'w>> {
        let function = match given.without_parentheses() {
            Expression::FunctionExpression(function) => FunctionNode::Function(function),
            Expression::ArrowFunctionExpression(arrow) => FunctionNode::Arrow(arrow),
            other => return Ok(Handler::Named(self.named_callback(other)?)),
        };
        self.check_inlinable(function, kind)?;
        if let (true, StepKind::Then, Some(FormalParameter { pattern: BindingPattern::BindingIdentifier(name), .. })) =
            (first, kind, function.params().items.first())
            && let Some(symbol) = name.symbol_id.get()
        {
            self.promises.bind_value(base, symbol);
        }
        Ok(Handler::Inline(function, self.body_items(function, depth)?))
    }

    /// Refuses callbacks whose body would have a different meaning outside of them.
    fn check_inlinable(&self, function: FunctionNode<'w>, kind: StepKind) -> Result<()> {
        if let FunctionNode::Function(own) = function {
            if own.generator {
                return Err(refusal_at("the callback is a generator and returns an iterator", own.span));
            }
            CallContext::from_function(function).check("the function around the callback")?;
            let symbol = own.id.as_ref().and_then(|id| id.symbol_id.get());
            let here = self.promises.checker.open_module();
            if let Some(symbol) = symbol.filter(|symbol| !here.scoping().symbol_is_unused(*symbol)) {
                let name = here.scoping().symbol_name(symbol);
                return Err(refusal_at(format!("the callback calls itself by its name `{name}`"), own.span));
            }
        }
        let params = function.params();
        if let Some(rest) = &params.rest {
            return Err(
                refusal_at("the callback has a rest parameter", rest.span).hint("first give it a single parameter")
            );
        }
        let taken = usize::from(kind != StepKind::Finally);
        if let Some(more) = params.items.get(taken) {
            return Err(refusal_at("the callback has a parameter that never gets an argument", more.span)
                .hint("first remove the parameter"));
        }
        if let Some(first) = params.items.first()
            && first.initializer.is_some()
        {
            return Err(refusal_at("the parameter of the callback has a default value", first.span));
        }
        Ok(())
    }

    /// Returns the parts of a callback's body.
    fn body_items(&self, function: FunctionNode<'w>, depth: usize) -> Result<Vec<BodyItem<'w>>> {
        if let Some(value) = function.expression() {
            return Ok(vec![BodyItem::Result(None, self.result_outcome(value, depth)?)]);
        }
        let Some(body) = function.block() else { return Ok(Vec::new()) };
        if let Some(directive) = body.directives.first() {
            return Err(refusal_at("the callback contains a directive", directive.span));
        }
        let mut items = Vec::new();
        for statement in &body.statements {
            if let Some(BodyItem::Result(..)) = items.last() {
                return Err(refusal_at("the callback has statements after its `return`", statement.span())
                    .hint("first remove the unreachable code"));
            }
            items.push(match statement {
                Statement::ReturnStatement(returned) => {
                    let outcome = match &returned.argument {
                        Some(value) => self.result_outcome(value, depth)?,
                        None => Outcome::Nothing,
                    };
                    BodyItem::Result(Some(returned), outcome)
                }
                other => BodyItem::Statement(other),
            });
        }
        Ok(items)
    }

    fn result_outcome(&self, value: &'w Expression<'w>, depth: usize) -> Result<Outcome<'w>> {
        Ok(match self.parse_chain(value, false, depth + 1)? {
            Some(chain) => Outcome::Chain(chain),
            None => Outcome::Value(value),
        })
    }

    /// Resolves a callback that is passed by name: a function of this program or of the platform.
    fn named_callback(&self, expression: &'w Expression<'w>) -> Result<NamedCallback<'w>> {
        let promises = self.promises;
        let unknown = || {
            refusal_at("it is unknown whether this is a function", expression.span())
                .hint("write the callback as an arrow function that calls it")
        };
        if promises.returns_plain_value(expression) {
            let parameter = is_member_of(expression, "console").then_some("data");
            let nature = PromiseKind::Value;
            return Ok(NamedCallback {
                expression,
                parameter,
                has_no_parameters: false,
                promise_kind: nature,
                function: None,
            });
        }
        let here = promises.checker.open_module();
        match expression {
            Expression::Identifier(name) => {
                let symbol = promises.checker.resolve_identifier(OPEN_DOCUMENT, name).ok_or_else(unknown)?;
                if here.scoping().symbol_is_mutated(symbol) {
                    return Err(refusal_at(
                        format!("`{}` is reassigned, possibly before it is called", name.name),
                        name.span,
                    ));
                }
            }
            Expression::StaticMemberExpression(_) => {}
            _ => return Err(unknown()),
        }
        let signatures =
            promises.checker.signatures(&promises.checker.expression_type(OPEN_DOCUMENT, expression), false);
        let mut found = None;
        for signature in &signatures {
            let function = match signature.callable {
                Callable::Function(function) => FunctionNode::Function(function),
                Callable::Arrow(arrow) => FunctionNode::Arrow(arrow),
                _ => return Err(unknown()),
            };
            found.get_or_insert((signature, function));
        }
        let (signature, function) = found.ok_or_else(unknown)?;
        let words = CallContext::from_function(function);
        let is_arrow = function.is_arrow();
        if let (Expression::StaticMemberExpression(_), Some(_), false) = (expression, words.this, is_arrow) {
            return Err(refusal_at(
                "`this` in the callback would have a different value if the callback were called as a method",
                expression.span(),
            ));
        }
        let params = function.params();
        let parameter = match params.items.first().map(|first| &first.pattern) {
            Some(BindingPattern::BindingIdentifier(name)) => Some(name.name.as_str()),
            _ => None,
        };
        let takes_nothing =
            self.typed && params.items.is_empty() && params.rest.is_none() && words.other_word.is_none();
        let is_here = signature.module == OPEN_DOCUMENT;
        let nature = if is_here { promises.classify_returned(function) } else { PromiseKind::Unknown };
        Ok(NamedCallback {
            expression,
            parameter,
            has_no_parameters: takes_nothing,
            promise_kind: nature,
            function: is_here.then_some(function),
        })
    }
}

fn is_member_of(expression: &Expression<'_>, object: &str) -> bool {
    matches!(expression, Expression::StaticMemberExpression(member)
        if matches!(&member.object, Expression::Identifier(name) if name.name == object))
}

/// Returns whether an expression is `null` or `undefined`.
fn is_null_or_undefined<'w>(promises: &PromiseAnalysis<'_, 'w>, expression: &'w Expression<'w>) -> bool {
    match expression {
        Expression::NullLiteral(_) => true,
        Expression::Identifier(name) => {
            name.name == "undefined" && promises.checker.resolve_identifier(OPEN_DOCUMENT, name).is_none()
        }
        _ => false,
    }
}

/// Refuses a callback that returns within a statement if its value is still needed.
pub(crate) fn check_returns(statement: &Statement<'_>) -> Result<()> {
    match ReturnedValues::statements(statement).first() {
        Some(early) => Err(refusal_at("the callback returns inside a nested statement", early.span)
            .hint("return in one place, at the end of the callback")),
        None => Ok(()),
    }
}

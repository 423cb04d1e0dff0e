//! Converting chains to statements: awaited values are bound to variables, the bodies of callbacks are inlined, and
//! calls of `catch` and `finally` become `try` statements.

use marquetry_sdk::{Edit, Result, Span};
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use crate::program::module::Module;
use crate::refactor::convert_to_async::layout::{Layout, OutputLine};
use crate::refactor::convert_to_async::names::ChosenNames;
use crate::semantics::awaited_types::TypePrinter;
use crate::semantics::control_flow::never_completes;
use crate::semantics::functions::FunctionNode;
use crate::semantics::promise_chains::{
    BodyItem, ChainStep, Handler, NamedCallback, Outcome, PromiseChain, StepKind, check_returns,
};
use crate::semantics::promises::{PromiseKind, ReturnedValues};
use crate::semantics::refusal_at;
use crate::syntax::spans::span_in;

/// Destination of a value.
enum ValueTarget {
    Return,
    Discard,
    Bind(BoundVariable),
    /// Assign it to an existing variable.
    Assign(String),
}

/// The variable or pattern to which a value is bound.
struct BoundVariable {
    pattern: String,
    is_name: bool,
    keyword: &'static str,
    annotation: Option<String>,
    /// True if a closure within the callback uses it.
    captured: bool,
}

/// Position at which statements are written.
#[derive(Clone, Copy)]
struct OutputPosition {
    level: usize,
    /// True within `try`: returned promises must be awaited, so that a rejection is caught.
    in_try: bool,
}

impl OutputPosition {
    fn indented(self) -> OutputPosition {
        OutputPosition { level: self.level + 1, in_try: true }
    }
}

pub(super) struct ChainWriter<'r, 'c, 'w> {
    pub(super) here: &'r Module<'w>,
    pub(super) types: &'r TypePrinter<'r, 'c, 'w>,
    pub(super) names: &'r mut ChosenNames,
    pub(super) layout: &'r Layout,
    /// Literals that span several lines.
    pub(super) literals: &'r [Span],
    /// The indentation of the replaced statement.
    pub(super) indent: String,
    pub(super) lines: Vec<OutputLine>,
    /// Comments to insert before the next statement on its line.
    pub(super) pending_comments: String,
    /// Moved spans, including comments in them.
    pub(super) moved_spans: Vec<Span>,
}

impl<'r, 'c, 'w> ChainWriter<'r, 'c, 'w> {
    pub(super) fn new(
        here: &'r Module<'w>,
        types: &'r TypePrinter<'r, 'c, 'w>,
        names: &'r mut ChosenNames,
        (layout, literals): (&'r Layout, &'r [Span]),
        indent: String,
    ) -> ChainWriter<'r, 'c, 'w> {
        ChainWriter {
            here,
            types,
            names,
            layout,
            literals,
            indent,
            lines: Vec::new(),
            pending_comments: String::new(),
            moved_spans: Vec::new(),
        }
    }

    /// Writes the statements that replace `return chain`. `explicit` means that other code follows, so that the
    /// statements must end with a `return`.
    pub(super) fn into_statements(
        mut self,
        chain: &PromiseChain<'w>,
        whole: Span,
        in_try: bool,
        explicit: bool,
    ) -> Result<String> {
        let completes = self.write_chain(chain, &ValueTarget::Return, OutputPosition { level: 0, in_try })?;
        if completes && explicit {
            self.write_statement(0, "return", None);
        }
        Ok(self.into_text(whole))
    }

    fn write_chain(&mut self, chain: &PromiseChain<'w>, into: &ValueTarget, at: OutputPosition) -> Result<bool> {
        let types = self.step_types(chain);
        self.write_steps(chain, &types, chain.steps.len(), into, at)
    }

    /// Returns the types to which a chain resolves, before its first step and after each.
    fn step_types(&self, chain: &PromiseChain<'w>) -> Vec<Option<String>> {
        let mut known = vec![self.types.awaited_type(chain.base)];
        for step in &chain.steps {
            let before = known.last().cloned().flatten();
            if let (StepKind::Then, Handler::Inline(function, _)) = (step.kind, &step.handler)
                && let Some(symbol) = first_parameter_symbol(*function)
            {
                self.types.set_parameter_type(symbol, before.clone());
            }
            let result = match &step.handler {
                Handler::Named(named) => named.function.and_then(|function| self.types.returned_type(function)),
                Handler::Inline(_, items) => match items.last() {
                    Some(BodyItem::Result(_, Outcome::Value(value))) => self.types.awaited_type(value),
                    Some(BodyItem::Result(_, Outcome::Chain(inner))) => self.step_types(inner).pop().flatten(),
                    _ => None,
                },
            };
            known.push(match step.kind {
                StepKind::Then => result,
                StepKind::Catch => self.types.common_type(before, result),
                StepKind::Finally => before,
            });
        }
        known
    }

    /// Writes the first `count` steps of a chain. Returns whether the code after them can be reached.
    fn write_steps(
        &mut self,
        chain: &PromiseChain<'w>,
        types: &[Option<String>],
        count: usize,
        into: &ValueTarget,
        at: OutputPosition,
    ) -> Result<bool> {
        let Some(step) = count.checked_sub(1).and_then(|last| chain.steps.get(last)) else {
            return Ok(self.write_base(chain.base, into, at));
        };
        let bound = self.callback_variable(step)?;
        if step.kind == StepKind::Then {
            let before = bound.map_or(ValueTarget::Discard, ValueTarget::Bind);
            self.write_steps(chain, types, count - 1, &before, at)?;
            let argument = match &before {
                ValueTarget::Bind(bound) => bound.pattern.as_str(),
                _ => "",
            };
            return self.write_handler(step, argument, into, at);
        }
        let ValueTarget::Bind(target) = into else {
            return self.write_try(chain, types, count, (step, bound), into, at);
        };
        // Both branches of the `try` statement assign the value, so the variable is declared before it.
        let name = if target.is_name { target.pattern.clone() } else { self.names.result_name() };
        self.names.reserve_name(&name);
        let ty = target.annotation.clone().filter(|_| target.is_name).or_else(|| types.get(count).cloned().flatten());
        // A captured variable needs an annotation; for others, type checkers infer it from the assignments.
        let ty = ty.or_else(|| target.captured.then(|| "any".to_owned()));
        let ty = ty.filter(|_| self.layout.typed).map_or(String::new(), |ty| format!(": {ty}"));
        self.write_statement(at.level, format!("let {name}{ty}"), None);
        let completes = self.write_try(chain, types, count, (step, bound), &ValueTarget::Assign(name.clone()), at)?;
        if !target.is_name {
            self.write_to_target(&name, into, None, at.level, None);
        }
        Ok(completes)
    }

    /// Writes `try { … } catch { … }` or `finally`.
    fn write_try(
        &mut self,
        chain: &PromiseChain<'w>,
        types: &[Option<String>],
        count: usize,
        (step, bound): (&ChainStep<'w>, Option<BoundVariable>),
        into: &ValueTarget,
        at: OutputPosition,
    ) -> Result<bool> {
        self.write_line(at.level, "try {", None);
        let tried = self.write_steps(chain, types, count - 1, into, at.indented())?;
        let within = OutputPosition { level: at.level + 1, in_try: at.in_try };
        let completes = if step.kind == StepKind::Finally {
            self.write_line(at.level, "} finally {", None);
            self.write_handler(step, "", &ValueTarget::Discard, within)?;
            tried
        } else {
            let head = bound.as_ref().map_or(String::new(), |bound| {
                let annotation = bound.annotation.as_ref().map_or(String::new(), |ty| format!(": {ty}"));
                format!(" ({}{annotation})", bound.pattern)
            });
            self.write_line(at.level, &format!("}} catch{head} {{"), None);
            let argument = bound.map_or(String::new(), |bound| bound.pattern);
            self.write_handler(step, &argument, into, within)? || tried
        };
        self.write_line(at.level, "}", None);
        Ok(completes)
    }

    /// Writes the promise with which a chain starts.
    fn write_base(&mut self, base: &'w Expression<'w>, into: &ValueTarget, at: OutputPosition) -> bool {
        let text = self.moved_text(base.span(), at.level);
        let is_return = matches!(into, ValueTarget::Return);
        let text = if is_return && !at.in_try { text } else { format!("await {text}") };
        self.write_to_target(&text, into, None, at.level, Some(base.span().start));
        !is_return
    }

    /// Returns the variable that replaces a callback's parameter.
    fn callback_variable(&mut self, step: &ChainStep<'w>) -> Result<Option<BoundVariable>> {
        let (function, kind) = match &step.handler {
            _ if step.kind == StepKind::Finally => return Ok(None),
            Handler::Named(NamedCallback { has_no_parameters: true, .. }) => return Ok(None),
            Handler::Named(named) => {
                let text = span_in(named.expression.span(), self.text()).slice(self.text());
                let pattern = self.names.callback_variable(text);
                return Ok(Some(BoundVariable {
                    pattern,
                    is_name: true,
                    keyword: "const",
                    annotation: None,
                    captured: false,
                }));
            }
            Handler::Inline(function, _) => (*function, step.kind),
        };
        let Some(parameter) = function.params().items.first() else { return Ok(None) };
        let scoping = self.here.scoping();
        let names = parameter.pattern.get_binding_identifiers();
        let symbols: Vec<SymbolId> = names.iter().filter_map(|name| name.symbol_id.get()).collect();
        if symbols.iter().any(|symbol| !scoping.symbol_redeclarations(*symbol).is_empty()) {
            return Err(refusal_at("the callback redeclares its parameter", parameter.span));
        }
        let mutated = symbols.iter().any(|symbol| scoping.symbol_is_mutated(*symbol));
        let is_name = matches!(parameter.pattern, BindingPattern::BindingIdentifier(_));
        let pattern = self.moved_text(parameter.pattern.span(), 0);
        // TypeScript allows no other annotations for a caught error.
        let annotation = parameter.type_annotation.as_ref().map(|annotation| &annotation.type_annotation);
        let annotation = annotation
            .filter(|ty| kind == StepKind::Then || matches!(ty, TSType::TSAnyKeyword(_) | TSType::TSUnknownKeyword(_)));
        let annotation = annotation.map(|ty| self.moved_text(ty.span(), 0));
        let own = function.scope();
        let captured = symbols.iter().any(|symbol| {
            let mut uses = scoping.get_resolved_references(*symbol);
            uses.any(|used| {
                let mut scopes = scoping.scope_ancestors(used.scope_id()).take_while(|scope| Some(*scope) != own);
                scopes.any(|scope| scoping.scope_flags(scope).is_function())
            })
        });
        let keyword = if mutated { "let" } else { "const" };
        Ok(Some(BoundVariable { pattern, is_name, keyword, annotation, captured }))
    }

    /// Writes the body or call of a callback.
    fn write_handler(
        &mut self,
        step: &ChainStep<'w>,
        argument: &str,
        into: &ValueTarget,
        at: OutputPosition,
    ) -> Result<bool> {
        let annotation = step.annotation.map(|ty| self.moved_text(ty.span(), at.level));
        match &step.handler {
            Handler::Named(named) => {
                let callee = self.moved_text(named.expression.span(), at.level);
                let is_return = matches!(into, ValueTarget::Return);
                let waits = !is_return || at.in_try && named.promise_kind != PromiseKind::Value;
                let word = if waits { "await " } else { "" };
                let call = format!("{word}{callee}({argument})");
                self.write_to_target(&call, into, annotation, at.level, Some(named.expression.span().start));
                Ok(!is_return)
            }
            Handler::Inline(function, items) => self.write_body(*function, items, (into, annotation), at),
        }
    }

    /// Writes the parts of a callback's body.
    fn write_body(
        &mut self,
        function: FunctionNode<'w>,
        items: &[BodyItem<'w>],
        (into, annotation): (&ValueTarget, Option<String>),
        at: OutputPosition,
    ) -> Result<bool> {
        let mut completes = true;
        let mut end = function.block().map(|body| body.span.start as usize + 1);
        let first = self.lines.len();
        for item in items {
            let span = match item {
                BodyItem::Statement(statement) => Some(statement.span()),
                BodyItem::Result(returned, _) => returned.map(|returned| returned.span),
            };
            let span = span.map(|span| span_in(span, self.text()));
            if let (Some(before), Some(span)) = (end, span) {
                self.write_gap(before, span.range().start, at.level, first);
            }
            match item {
                BodyItem::Statement(statement) => self.write_callback_statement(statement, into, at)?,
                BodyItem::Result(_, outcome) => {
                    completes = false;
                    match outcome {
                        Outcome::Chain(chain) => completes = self.write_chain(chain, into, at)?,
                        Outcome::Value(value) => self.write_value(value, into, annotation.clone(), at),
                        Outcome::Nothing => self.write_no_value(into, at, span),
                    }
                    completes |= !matches!(into, ValueTarget::Return);
                }
            }
            end = span.map(|span| span.range().end).or(end);
        }
        if let (Some(before), Some(body)) = (end, function.block()) {
            let close = (body.span.end as usize).saturating_sub(1).max(before);
            self.write_gap(before, close, at.level, first);
            match body.statements.last() {
                Some(Statement::ReturnStatement(_)) => {}
                Some(last) if never_completes(last) => completes = false,
                _ => self.write_no_value(into, at, None),
            }
        }
        Ok(completes)
    }

    /// Handles a callback that returns no value.
    fn write_no_value(&mut self, into: &ValueTarget, at: OutputPosition, returned: Option<Span>) {
        match into {
            ValueTarget::Bind(_) | ValueTarget::Assign(_) => {
                self.write_to_target("undefined", into, None, at.level, None)
            }
            ValueTarget::Return if returned.is_some() => {
                self.write_statement(at.level, "return", returned.map(|span| span.start))
            }
            _ => {}
        }
    }

    fn write_value(
        &mut self,
        value: &'w Expression<'w>,
        into: &ValueTarget,
        annotation: Option<String>,
        at: OutputPosition,
    ) {
        let nature = self.types.promises.classify(value);
        let waits = match into {
            ValueTarget::Return => nature == PromiseKind::Promise || at.in_try && nature == PromiseKind::Unknown,
            _ => nature != PromiseKind::Value,
        };
        let text = self.moved_text(value.span(), at.level);
        let text = match (waits, binds_looser_than_await(value)) {
            (true, true) => format!("await ({text})"),
            (true, false) => format!("await {text}"),
            (false, _) => text,
        };
        self.write_to_target(&text, into, annotation, at.level, Some(value.span().start));
    }

    /// Writes a value according to the target.
    fn write_to_target(
        &mut self,
        value: &str,
        into: &ValueTarget,
        annotation: Option<String>,
        level: usize,
        origin: Option<u32>,
    ) {
        let annotation = annotation.filter(|_| self.layout.typed);
        match into {
            ValueTarget::Return => match annotation {
                Some(ty) => {
                    let name = self.names.result_name();
                    self.write_statement(level, format!("const {name}: {ty} = {value}"), origin);
                    self.write_statement(level, format!("return {name}"), None);
                }
                None => self.write_statement(level, format!("return {value}"), origin),
            },
            ValueTarget::Bind(bound) => {
                let ty = bound.annotation.clone().or(annotation).map_or(String::new(), |ty| format!(": {ty}"));
                self.write_statement(level, format!("{} {}{ty} = {value}", bound.keyword, bound.pattern), origin);
            }
            ValueTarget::Assign(name) => self.write_statement(level, format!("{name} = {value}"), origin),
            ValueTarget::Discard => {
                let reads_otherwise = ["{", "function", "class", "let", "async function"];
                let enclosed = reads_otherwise.iter().any(|word| value.starts_with(word));
                // In code without semicolons, a line that starts like this would continue the line before.
                let parted = self.layout.style.semicolon.is_empty() && (enclosed || value.starts_with(['(', '[', '`']));
                let mark = if parted { ";" } else { "" };
                self.write_statement(
                    level,
                    if enclosed { format!("{mark}({value})") } else { format!("{mark}{value}") },
                    origin,
                );
            }
        }
    }

    /// Writes a statement of a callback.
    fn write_callback_statement(
        &mut self,
        statement: &'w Statement<'w>,
        into: &ValueTarget,
        at: OutputPosition,
    ) -> Result<()> {
        match into {
            ValueTarget::Return if at.in_try => self.await_returned(statement),
            ValueTarget::Return => {}
            _ => check_returns(statement)?,
        }
        let text = self.moved_text(statement.span(), at.level);
        let ends = matches!(
            statement,
            Statement::VariableDeclaration(_)
                | Statement::ExpressionStatement(_)
                | Statement::ThrowStatement(_)
                | Statement::DoWhileStatement(_)
        );
        let origin = Some(statement.span().start);
        if ends && !text.ends_with(';') {
            self.write_statement(at.level, text, origin);
        } else {
            self.write_line(at.level, &text, origin);
        }
        Ok(())
    }

    /// Awaits the values returned within a statement, so that the enclosing `try` catches rejections.
    fn await_returned(&mut self, statement: &'w Statement<'w>) {
        for returned in ReturnedValues::statements(statement) {
            let Some(value) = &returned.argument else { continue };
            if self.types.promises.classify(value) == PromiseKind::Value {
                continue;
            }
            let span = value.span();
            let enclosed = binds_looser_than_await(value);
            self.names.edits.push(Edit::insert(span.start as usize, if enclosed { "await (" } else { "await " }));
            if enclosed {
                self.names.edits.push(Edit::insert(span.end as usize, ")"));
            }
        }
        self.names.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    }
}

/// Returns the symbol of a function's first parameter, unless it is a pattern.
fn first_parameter_symbol(function: FunctionNode<'_>) -> Option<SymbolId> {
    match &function.params().items.first()?.pattern {
        BindingPattern::BindingIdentifier(name) => name.symbol_id.get(),
        _ => None,
    }
}

/// Returns whether `await` before an expression would only apply to its first operand.
fn binds_looser_than_await(expression: &Expression<'_>) -> bool {
    matches!(
        expression,
        Expression::BinaryExpression(_)
            | Expression::LogicalExpression(_)
            | Expression::ConditionalExpression(_)
            | Expression::AssignmentExpression(_)
            | Expression::SequenceExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::YieldExpression(_)
            | Expression::PrivateInExpression(_)
            | Expression::TSAsExpression(_)
            | Expression::TSSatisfiesExpression(_)
    )
}

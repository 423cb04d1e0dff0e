//! Converting chains to statements: awaited values are bound to variables, the bodies of callbacks are inlined, and
//! `catch` and `finally` become those of `try`.

use marquetry_sdk::{Edit, Result, Span};
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use crate::operations::refactor::convert_to_async::chain::{
    Chain, Handler, Item, Named, Outcome, Step, StepKind, check_returns, refusal,
};
use crate::operations::refactor::convert_to_async::layout::{Line, Style};
use crate::operations::refactor::convert_to_async::names::Names;
use crate::operations::refactor::convert_to_async::natures::{Nature, Returned};
use crate::operations::refactor::convert_to_async::types::Types;
use crate::operations::refactor::functions::FunctionNode;
use crate::program::module::Module;
use crate::syntax::spans::span_in;

/// Destination of a value.
enum Target {
    Return,
    Discard,
    Bind(Bound),
    /// Assign it to an existing variable.
    Assign(String),
}

/// The variable or pattern to which a value is bound.
struct Bound {
    pattern: String,
    is_name: bool,
    keyword: &'static str,
    annotation: Option<String>,
    /// True if a closure within the callback uses it.
    captured: bool,
}

/// Position of written statements.
#[derive(Clone, Copy)]
struct At {
    level: usize,
    /// True within `try`: returned promises must be awaited, so that a rejection is caught.
    in_try: bool,
}

impl At {
    fn inner(self) -> At {
        At { level: self.level + 1, in_try: true }
    }
}

pub(super) struct Writer<'r, 'c, 'w> {
    pub(super) here: &'r Module<'w>,
    pub(super) types: &'r Types<'r, 'c, 'w>,
    pub(super) names: &'r mut Names,
    pub(super) style: &'r Style,
    /// Literals that span several lines.
    pub(super) literals: &'r [Span],
    /// The indentation of the replaced statement.
    pub(super) indent: String,
    pub(super) lines: Vec<Line>,
    /// Comments to insert before the next statement on its line.
    pub(super) ahead: String,
    /// Moved spans, including comments in them.
    pub(super) moved: Vec<Span>,
}

impl<'r, 'c, 'w> Writer<'r, 'c, 'w> {
    pub(super) fn new(
        here: &'r Module<'w>,
        types: &'r Types<'r, 'c, 'w>,
        names: &'r mut Names,
        (style, literals): (&'r Style, &'r [Span]),
        indent: String,
    ) -> Writer<'r, 'c, 'w> {
        Writer {
            here,
            types,
            names,
            style,
            literals,
            indent,
            lines: Vec::new(),
            ahead: String::new(),
            moved: Vec::new(),
        }
    }

    /// Writes the statements that replace `return chain`. With `explicit`, ends with a `return`, because code follows.
    pub(super) fn write(mut self, chain: &Chain<'w>, whole: Span, in_try: bool, explicit: bool) -> Result<String> {
        let completes = self.chain(chain, &Target::Return, At { level: 0, in_try })?;
        if completes && explicit {
            self.line(0, "return", None);
        }
        Ok(self.finish(whole))
    }

    fn chain(&mut self, chain: &Chain<'w>, into: &Target, at: At) -> Result<bool> {
        let types = self.tell_types(chain);
        self.steps(chain, &types, chain.steps.len(), into, at)
    }

    /// Returns the types to which a chain resolves, before its first step and after each.
    fn tell_types(&self, chain: &Chain<'w>) -> Vec<Option<String>> {
        let mut known = vec![self.types.awaited(chain.base)];
        for step in &chain.steps {
            let before = known.last().cloned().flatten();
            if let (StepKind::Then, Handler::Inline(function, _)) = (step.kind, &step.handler)
                && let Some(symbol) = first_name(*function)
            {
                self.types.gives(symbol, before.clone());
            }
            let result = match &step.handler {
                Handler::Named(named) => named.function.and_then(|function| self.types.returned(function)),
                Handler::Inline(_, items) => match items.last() {
                    Some(Item::Result(_, Outcome::Value(value))) => self.types.awaited(value),
                    Some(Item::Result(_, Outcome::Chain(inner))) => self.tell_types(inner).pop().flatten(),
                    _ => None,
                },
            };
            known.push(match step.kind {
                StepKind::Then => result,
                StepKind::Catch => self.types.joined(before, result),
                StepKind::Finally => before,
            });
        }
        known
    }

    /// Writes the first `count` steps of a chain. Returns whether the code after them can be reached.
    fn steps(
        &mut self,
        chain: &Chain<'w>,
        types: &[Option<String>],
        count: usize,
        into: &Target,
        at: At,
    ) -> Result<bool> {
        let Some(step) = count.checked_sub(1).and_then(|last| chain.steps.get(last)) else {
            return Ok(self.base(chain.base, into, at));
        };
        let bound = self.bound(step)?;
        if step.kind == StepKind::Then {
            let before = bound.map_or(Target::Discard, Target::Bind);
            self.steps(chain, types, count - 1, &before, at)?;
            let argument = match &before {
                Target::Bind(bound) => bound.pattern.as_str(),
                _ => "",
            };
            return self.handler(step, argument, into, at);
        }
        let Target::Bind(target) = into else { return self.attempt(chain, types, count, (step, bound), into, at) };
        // Both branches of `try` yield the value, so the variable is declared before.
        let name = if target.is_name { target.pattern.clone() } else { self.names.result() };
        self.names.reserve(&name);
        let ty = target.annotation.clone().filter(|_| target.is_name).or_else(|| types.get(count).cloned().flatten());
        // A captured variable needs an annotation; for others, type checkers infer it from the assignments.
        let ty = ty.or_else(|| target.captured.then(|| "any".to_owned()));
        let ty = ty.filter(|_| self.style.typed).map_or(String::new(), |ty| format!(": {ty}"));
        self.line(at.level, format!("let {name}{ty}"), None);
        let completes = self.attempt(chain, types, count, (step, bound), &Target::Assign(name.clone()), at)?;
        if !target.is_name {
            self.put(&name, into, None, at.level, None);
        }
        Ok(completes)
    }

    /// Writes `try { … } catch { … }` or `finally`.
    fn attempt(
        &mut self,
        chain: &Chain<'w>,
        types: &[Option<String>],
        count: usize,
        (step, bound): (&Step<'w>, Option<Bound>),
        into: &Target,
        at: At,
    ) -> Result<bool> {
        self.push(at.level, "try {", None);
        let tried = self.steps(chain, types, count - 1, into, at.inner())?;
        let within = At { level: at.level + 1, in_try: at.in_try };
        let completes = if step.kind == StepKind::Finally {
            self.push(at.level, "} finally {", None);
            self.handler(step, "", &Target::Discard, within)?;
            tried
        } else {
            let head = bound.as_ref().map_or(String::new(), |bound| {
                let annotation = bound.annotation.as_ref().map_or(String::new(), |ty| format!(": {ty}"));
                format!(" ({}{annotation})", bound.pattern)
            });
            self.push(at.level, &format!("}} catch{head} {{"), None);
            let argument = bound.map_or(String::new(), |bound| bound.pattern);
            self.handler(step, &argument, into, within)? || tried
        };
        self.push(at.level, "}", None);
        Ok(completes)
    }

    /// Writes the promise with which a chain starts.
    fn base(&mut self, base: &'w Expression<'w>, into: &Target, at: At) -> bool {
        let text = self.moved(base.span(), at.level);
        let is_return = matches!(into, Target::Return);
        let text = if is_return && !at.in_try { text } else { format!("await {text}") };
        self.put(&text, into, None, at.level, Some(base.span().start));
        !is_return
    }

    /// Returns the variable that replaces a callback's parameter.
    fn bound(&mut self, step: &Step<'w>) -> Result<Option<Bound>> {
        let (function, kind) = match &step.handler {
            _ if step.kind == StepKind::Finally => return Ok(None),
            Handler::Named(Named { takes_nothing: true, .. }) => return Ok(None),
            Handler::Named(named) => {
                let text = span_in(named.expression.span(), self.text()).of(self.text());
                let pattern = self.names.of_callback(text);
                return Ok(Some(Bound { pattern, is_name: true, keyword: "const", annotation: None, captured: false }));
            }
            Handler::Inline(function, _) => (*function, step.kind),
        };
        let Some(parameter) = function.params().items.first() else { return Ok(None) };
        let scoping = self.here.scoping();
        let names = parameter.pattern.get_binding_identifiers();
        let symbols: Vec<SymbolId> = names.iter().filter_map(|name| name.symbol_id.get()).collect();
        if symbols.iter().any(|symbol| !scoping.symbol_redeclarations(*symbol).is_empty()) {
            return Err(refusal("the callback redeclares its parameter", parameter.span));
        }
        let mutated = symbols.iter().any(|symbol| scoping.symbol_is_mutated(*symbol));
        let is_name = matches!(parameter.pattern, BindingPattern::BindingIdentifier(_));
        let pattern = self.moved(parameter.pattern.span(), 0);
        // TypeScript allows no other annotations for a caught error.
        let annotation = parameter.type_annotation.as_ref().map(|annotation| &annotation.type_annotation);
        let annotation = annotation
            .filter(|ty| kind == StepKind::Then || matches!(ty, TSType::TSAnyKeyword(_) | TSType::TSUnknownKeyword(_)));
        let annotation = annotation.map(|ty| self.moved(ty.span(), 0));
        let own = function.scope();
        let captured = symbols.iter().any(|symbol| {
            let mut uses = scoping.get_resolved_references(*symbol);
            uses.any(|used| {
                let mut scopes = scoping.scope_ancestors(used.scope_id()).take_while(|scope| Some(*scope) != own);
                scopes.any(|scope| scoping.scope_flags(scope).is_function())
            })
        });
        let keyword = if mutated { "let" } else { "const" };
        Ok(Some(Bound { pattern, is_name, keyword, annotation, captured }))
    }

    /// Writes the body or call of a callback.
    fn handler(&mut self, step: &Step<'w>, argument: &str, into: &Target, at: At) -> Result<bool> {
        let annotation = step.annotation.map(|ty| self.moved(ty.span(), at.level));
        match &step.handler {
            Handler::Named(named) => {
                let callee = self.moved(named.expression.span(), at.level);
                let is_return = matches!(into, Target::Return);
                let waits = !is_return || at.in_try && named.nature != Nature::Value;
                let word = if waits { "await " } else { "" };
                let call = format!("{word}{callee}({argument})");
                self.put(&call, into, annotation, at.level, Some(named.expression.span().start));
                Ok(!is_return)
            }
            Handler::Inline(function, items) => self.body(*function, items, (into, annotation), at),
        }
    }

    /// Writes the parts of a callback's body.
    fn body(
        &mut self,
        function: FunctionNode<'w>,
        items: &[Item<'w>],
        (into, annotation): (&Target, Option<String>),
        at: At,
    ) -> Result<bool> {
        let mut completes = true;
        let mut end = function.block().map(|body| body.span.start as usize + 1);
        let first = self.lines.len();
        for item in items {
            let span = match item {
                Item::Statement(statement) => Some(statement.span()),
                Item::Result(returned, _) => returned.map(|returned| returned.span),
            };
            let span = span.map(|span| span_in(span, self.text()));
            if let (Some(before), Some(span)) = (end, span) {
                self.gap(before, span.range().start, at.level, first);
            }
            match item {
                Item::Statement(statement) => self.statement(statement, into, at)?,
                Item::Result(_, outcome) => {
                    completes = false;
                    match outcome {
                        Outcome::Chain(chain) => completes = self.chain(chain, into, at)?,
                        Outcome::Value(value) => self.value(value, into, annotation.clone(), at),
                        Outcome::Nothing => self.nothing(into, at, span),
                    }
                    completes |= !matches!(into, Target::Return);
                }
            }
            end = span.map(|span| span.range().end).or(end);
        }
        if let (Some(before), Some(body)) = (end, function.block()) {
            let close = (body.span.end as usize).saturating_sub(1).max(before);
            self.gap(before, close, at.level, first);
            match body.statements.last() {
                Some(Statement::ReturnStatement(_)) => {}
                Some(last) if never_completes(last) => completes = false,
                _ => self.nothing(into, at, None),
            }
        }
        Ok(completes)
    }

    /// Handles a callback that returns no value.
    fn nothing(&mut self, into: &Target, at: At, returned: Option<Span>) {
        match into {
            Target::Bind(_) | Target::Assign(_) => self.put("undefined", into, None, at.level, None),
            Target::Return if returned.is_some() => self.line(at.level, "return", returned.map(|span| span.start)),
            _ => {}
        }
    }

    fn value(&mut self, value: &'w Expression<'w>, into: &Target, annotation: Option<String>, at: At) {
        let nature = self.types.natures.of(value);
        let waits = match into {
            Target::Return => nature == Nature::Promise || at.in_try && nature == Nature::Unknown,
            _ => nature != Nature::Value,
        };
        let text = self.moved(value.span(), at.level);
        let text = match (waits, binds_looser_than_await(value)) {
            (true, true) => format!("await ({text})"),
            (true, false) => format!("await {text}"),
            (false, _) => text,
        };
        self.put(&text, into, annotation, at.level, Some(value.span().start));
    }

    /// Writes a value according to the target.
    fn put(&mut self, value: &str, into: &Target, annotation: Option<String>, level: usize, origin: Option<u32>) {
        let annotation = annotation.filter(|_| self.style.typed);
        match into {
            Target::Return => match annotation {
                Some(ty) => {
                    let name = self.names.result();
                    self.line(level, format!("const {name}: {ty} = {value}"), origin);
                    self.line(level, format!("return {name}"), None);
                }
                None => self.line(level, format!("return {value}"), origin),
            },
            Target::Bind(bound) => {
                let ty = bound.annotation.clone().or(annotation).map_or(String::new(), |ty| format!(": {ty}"));
                self.line(level, format!("{} {}{ty} = {value}", bound.keyword, bound.pattern), origin);
            }
            Target::Assign(name) => self.line(level, format!("{name} = {value}"), origin),
            Target::Discard => {
                let reads_otherwise = ["{", "function", "class", "let", "async function"];
                let enclosed = reads_otherwise.iter().any(|word| value.starts_with(word));
                // Without semicolons, a line that starts like this would continue the line before.
                let parted = self.style.semicolon.is_empty() && (enclosed || value.starts_with(['(', '[', '`']));
                let mark = if parted { ";" } else { "" };
                self.line(level, if enclosed { format!("{mark}({value})") } else { format!("{mark}{value}") }, origin);
            }
        }
    }

    /// Writes a statement of a callback.
    fn statement(&mut self, statement: &'w Statement<'w>, into: &Target, at: At) -> Result<()> {
        match into {
            Target::Return if at.in_try => self.await_returned(statement),
            Target::Return => {}
            _ => check_returns(statement)?,
        }
        let text = self.moved(statement.span(), at.level);
        let ends = matches!(
            statement,
            Statement::VariableDeclaration(_)
                | Statement::ExpressionStatement(_)
                | Statement::ThrowStatement(_)
                | Statement::DoWhileStatement(_)
        );
        let origin = Some(statement.span().start);
        if ends && !text.ends_with(';') {
            self.line(at.level, text, origin);
        } else {
            self.push(at.level, &text, origin);
        }
        Ok(())
    }

    /// Awaits the values returned within a statement, so that the enclosing `try` catches rejections.
    fn await_returned(&mut self, statement: &'w Statement<'w>) {
        for returned in Returned::statements(statement) {
            let Some(value) = &returned.argument else { continue };
            if self.types.natures.of(value) == Nature::Value {
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
fn first_name(function: FunctionNode<'_>) -> Option<SymbolId> {
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

/// Returns whether the code after a statement is certainly unreachable.
pub(super) fn never_completes(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ReturnStatement(_) | Statement::ThrowStatement(_) => true,
        Statement::BlockStatement(block) => block.body.last().is_some_and(never_completes),
        Statement::IfStatement(choice) => {
            never_completes(&choice.consequent) && choice.alternate.as_ref().is_some_and(never_completes)
        }
        Statement::TryStatement(attempt) => {
            let ends = |block: &BlockStatement<'_>| block.body.last().is_some_and(never_completes);
            attempt.finalizer.as_ref().is_some_and(|block| ends(block))
                || ends(&attempt.block) && attempt.handler.as_ref().is_none_or(|handler| ends(&handler.body))
        }
        Statement::SwitchStatement(switch) => {
            let all = switch
                .cases
                .iter()
                .all(|case| case.consequent.is_empty() || case.consequent.last().is_some_and(never_completes));
            let last = switch.cases.last().is_some_and(|case| !case.consequent.is_empty());
            all && last && switch.cases.iter().any(|case| case.test.is_none())
        }
        _ => false,
    }
}

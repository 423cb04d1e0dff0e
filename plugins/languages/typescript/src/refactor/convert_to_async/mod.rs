//! `convert_to_async`: converts a function that returns chains of `then`, `catch` and `finally` to use `await`.
//!
//! ```text
//! function f() {             →   async function f() {
//!   return g().then(a => h(a));      const a = await g();
//! }                                  return h(a);
//!                                }
//! ```

mod chain;
mod layout;
mod names;
#[cfg(test)]
mod tests;
mod writer;

use marquetry_sdk::refactor::{self, RefactorInput, Refactoring};
use marquetry_sdk::{Failure, Result, Rewrite, Span, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::fragment::multiline_literals;
use crate::editor::{Style, SyntaxEditor};
use crate::infer::checker::Checker;
use crate::program::module::Module;
use crate::refactor::convert_to_async::chain::{ChainParser, PromiseChain, promise_call};
use crate::refactor::convert_to_async::layout::Layout;
use crate::refactor::convert_to_async::names::ChosenNames;
use crate::refactor::convert_to_async::writer::ChainWriter;
use crate::semantics::awaited_types::TypePrinter;
use crate::semantics::control_flow::never_completes;
use crate::semantics::functions::{self, FunctionNode};
use crate::semantics::promises::{PromiseAnalysis, PromiseKind, ReturnedValues};
use crate::semantics::{Semantics, refusal_at};
use crate::syntax::spans::span_in;

pub(super) const CONVERT_TO_ASYNC: Refactoring<TypeScriptDocument> = Refactoring {
    id: "convert_to_async",
    title: "Convert to an async function",
    place: refactor::Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply,
};

/// Converts the function at the caret.
fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    Semantics::with_valid_syntax(document, |code| {
        // Most places are refused before other files are loaded.
        let (semantic, text) = (code.semantic(), code.text());
        let found = functions::function_at(semantic, text, input.at)
            .or_else(|| functions::function_around(semantic, text, input.at));
        let found = found.ok_or_else(|| functions::no_function_failure(semantic, text, input.at))?;
        if returned_chains(found).is_empty() {
            let message = "the function does not return a chain of `then`, `catch` or `finally`";
            return Err(
                refusal_at(message, found.span()).hint("only returned chains are converted: return the promise first")
            );
        }
        let mut editor = SyntaxEditor::new(code);
        let warning = code.with_checker(|checker| {
            let here = checker.open_module();
            let function = FunctionNode::from_kind(here.kind(found.id()))
                .ok_or_else(|| refusal_at("no function", found.span()))?;
            let conversion = AsyncConversion { checker, here: &here, function };
            conversion.convert(&mut editor)?;
            Ok::<_, Failure>(conversion.behavior_warning())
        })?;
        Ok(Rewrite { incomplete: warning, ..editor.finish()? })
    })
}

/// A chain that a function returns.
struct ReturnedChain<'w> {
    /// The `return` statement, or the expression of an arrow function.
    span: oxc_span::Span,
    statement: Option<&'w ReturnStatement<'w>>,
    value: &'w Expression<'w>,
    /// True if the chain is awaited.
    awaited: bool,
}

/// Returns the chains among the returned values.
fn returned_chains<'w>(function: FunctionNode<'w>) -> Vec<ReturnedChain<'w>> {
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

struct AsyncConversion<'c, 'w> {
    checker: &'c Checker<'w>,
    here: &'c Module<'w>,
    function: FunctionNode<'w>,
}

impl<'w> AsyncConversion<'_, 'w> {
    fn text(&self) -> &'w str {
        self.here.text()
    }

    fn convert(&self, editor: &mut SyntaxEditor<'_, '_>) -> Result<()> {
        let promises = PromiseAnalysis::new(self.checker);
        self.add_async_keyword(editor)?;
        let promised = self.check_returns_promise(&promises)?;
        let typed = !self.here.is_javascript();
        let reader = ChainParser { promises: &promises, typed };
        let mut chains: Vec<(ReturnedChain<'w>, PromiseChain<'w>)> = Vec::new();
        for found in returned_chains(self.function) {
            self.check_enclosing_try(&found)?;
            if let Some(chain) = reader.parse_chain(found.value, promised, 0)? {
                chains.push((found, chain));
            }
        }
        let spans: Vec<(oxc_span::Span, &PromiseChain<'w>)> =
            chains.iter().map(|(found, chain)| (found.span, chain)).collect();
        let text = self.text();
        let mut names = ChosenNames::choose_names(self.here.semantic(), text, self.function, &spans);
        let layout = Layout { style: editor.style().clone(), typed };
        let literals = multiline_literals(self.here.program);
        let types = TypePrinter::new(&promises);
        for (found, chain) in &chains {
            let place = ReplacedReturn::new(self.here, found, &layout.style);
            let writer = ChainWriter::new(self.here, &types, &mut names, (&layout, &literals), place.indent.clone());
            let explicit = !self.is_last_statement(found);
            let written = writer.into_statements(chain, span_in(found.span, text), found.awaited, explicit)?;
            editor.set_text(place.span, format!("{}{written}{}", place.before, place.after));
        }
        Ok(())
    }

    /// Returns a warning if behavior or type checking may differ: an error that was thrown directly now rejects the
    /// promise, or a variable is assigned in one callback and used in another. Type checkers assume that such a
    /// variable has a value in a callback, but not after `await`.
    fn behavior_warning(&self) -> Option<String> {
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

    /// Inserts `async`, unless the function is async.
    fn add_async_keyword(&self, editor: &mut SyntaxEditor<'_, '_>) -> Result<()> {
        let nodes = self.here.semantic().nodes();
        let span = self.function.span();
        if let FunctionNode::Function(function) = self.function
            && function.generator
        {
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
            return Ok(());
        }
        let at = match key {
            None => span.start as usize,
            Some((key, false)) => key.start as usize,
            Some((key, true)) => self.text()[..key.start as usize].rfind('[').unwrap_or(key.start as usize),
        };
        editor.insert_before(at..at, "async ");
        Ok(())
    }

    /// Refuses a function that does not always return a promise. Returns whether its type guarantees it.
    fn check_returns_promise(&self, promises: &PromiseAnalysis<'_, 'w>) -> Result<bool> {
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
    fn check_enclosing_try(&self, found: &ReturnedChain<'w>) -> Result<()> {
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
    fn is_last_statement(&self, found: &ReturnedChain<'w>) -> bool {
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
}

/// Position of the statements that replace a `return`.
struct ReplacedReturn {
    span: Span,
    /// Text before and after them.
    before: String,
    after: String,
    indent: String,
}

impl ReplacedReturn {
    fn new<'w>(here: &Module<'w>, found: &ReturnedChain<'w>, style: &Style) -> ReplacedReturn {
        let text = here.text();
        let span = span_in(found.span, text);
        let range = span.range();
        let outer = lines::indent_at(text, range.start).to_owned();
        let inner = format!("{outer}{}", style.unit);
        let line_break = lines::line_break(text);
        let Some(statement) = found.statement else {
            let (before, after) = (format!("{{{line_break}{inner}"), format!("{line_break}{outer}}}"));
            return ReplacedReturn { span: parenthesized_body_span(here, found), before, after, indent: inner };
        };
        let list = match here.parent_kind(statement.node_id.get()) {
            list @ (AstKind::FunctionBody(_) | AstKind::BlockStatement(_) | AstKind::SwitchCase(_)) => {
                Some(list.span())
            }
            _ => None,
        };
        let Some(list) = list else {
            let (before, after) = (format!("{{{line_break}{inner}"), format!("{line_break}{outer}}}"));
            return ReplacedReturn { span, before, after, indent: inner };
        };
        let start = lines::line_start(text, range.start);
        let ahead = text[start..range.start].trim();
        if ahead.is_empty() || ahead.starts_with("/*") && ahead.ends_with("*/") {
            return ReplacedReturn { span, before: String::new(), after: String::new(), indent: outer };
        }
        let indent = if (list.start as usize) < start { outer.clone() } else { inner };
        // After a brace, put the statements and the closing brace on separate lines.
        let blank = |text: &str| text.len() - text.trim_end_matches([' ', '\t']).len();
        let start = range.start - blank(&text[..range.start]);
        let rest = &text[range.end..];
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let closes = rest[gap..].starts_with('}');
        let end = if closes { range.end + gap } else { range.end };
        let after = if closes { format!("{line_break}{outer}") } else { String::new() };
        ReplacedReturn { span: Span::new(start, end), before: format!("{line_break}{indent}"), after, indent }
    }
}

/// Returns the span of an arrow function's body, including parentheses.
fn parenthesized_body_span<'w>(here: &Module<'w>, found: &ReturnedChain<'w>) -> Span {
    let mut span = found.span;
    for node in here.semantic().nodes().iter() {
        if let AstKind::ArrowFunctionExpression(arrow) = node.kind()
            && let Some(value) = arrow.body.as_expression()
            && value.span().start <= found.span.start
            && found.span.end <= value.span().end
            && value.without_parentheses().span() == found.span
        {
            span = value.span();
        }
    }
    span_in(span, here.text())
}

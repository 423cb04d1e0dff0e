//! Finding the expression for a selection or a caret.

use marquetry_sdk::{Failure, FailureKind, Result, Span, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::GetSpan as _;

use crate::rewrite::effects::holds;
use crate::rewrite::places;
use crate::rewrite::selection::{self, Chosen, Selected, Statements};
use crate::syntax::tree::Parsed;

/// The expression to extract.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    /// The node that is replaced by the name.
    pub(super) chosen: Chosen<'a>,
    /// The value without surrounding parentheses.
    pub(super) value: Span,
    /// The selected part of a string or template, if only a part is selected.
    pub(super) part: Option<Span>,
    /// The statement, if the selection is an expression statement.
    pub(super) statement: Option<Span>,
}

impl<'a> Choice<'a> {
    fn of(semantic: &Semantic<'a>, node: NodeId) -> Choice<'a> {
        let kind = semantic.nodes().kind(node);
        let span = sdk(kind.span());
        Choice { chosen: Chosen { node, kind, span }, value: sdk(peeled(semantic, kind)), part: None, statement: None }
    }

    fn of_expression(semantic: &Semantic<'a>, expression: &Expression<'a>) -> Option<Choice<'a>> {
        let node = selection::outermost(semantic, sdk(expression.span()), |_, kind| places::is_expression(&kind))?;
        Some(Choice::of(semantic, node))
    }
}

pub(super) fn sdk(span: oxc_span::Span) -> Span {
    Span { start: span.start, end: span.end }
}

/// Returns the span without redundant parentheses.
fn peeled(semantic: &Semantic<'_>, kind: AstKind<'_>) -> oxc_span::Span {
    let AstKind::ParenthesizedExpression(outer) = kind else { return kind.span() };
    let mut inner = &outer.expression;
    let mut around = outer.span;
    let has_comment = |around: oxc_span::Span, inner: oxc_span::Span| {
        semantic.has_comments_between(oxc_span::Span::new(around.start, inner.start))
            || semantic.has_comments_between(oxc_span::Span::new(inner.end, around.end))
    };
    // A comma expression always needs its parentheses.
    while !has_comment(around, inner.span()) && !matches!(inner, Expression::SequenceExpression(_)) {
        around = inner.span();
        match inner {
            Expression::ParenthesizedExpression(next) => inner = &next.expression,
            _ => break,
        }
    }
    around
}

/// Returns the expression to extract.
pub(super) fn choose<'a>(parsed: &Parsed<'a>, text: &str, span: Span) -> Result<Choice<'a>> {
    if !parsed.is_of(text) {
        return Err(refused("the file cannot be parsed").hint("fix its syntax errors first"));
    }
    let semantic = parsed.semantic();
    let found = match selection::trimmed(parsed, text, span) {
        None => at_caret(semantic, span.start),
        Some(own) => match selection::selected(parsed, text, own) {
            Ok(Selected::Expression(chosen)) => Some(Choice::of(semantic, chosen.node)),
            Ok(Selected::Statements(statements)) => of_statement(semantic, &statements),
            Err(failure) => {
                return directive(semantic, own).or_else(|| in_string(semantic, text, own)).ok_or(failure);
            }
        },
    };
    let nodes = semantic.nodes();
    let found = found.filter(|found| !nodes.ancestor_kinds(found.chosen.node).any(|kind| places::is_ambient(&kind)));
    found.ok_or_else(|| selection::with_nearest(refused("no expression is selected").at(span), parsed, text, span))
}

pub(super) fn refused(message: impl Into<String>) -> Failure {
    fail(FailureKind::RefactorFailed, message)
}

/// Returns the only expression of a statement.
fn of_statement<'a>(semantic: &Semantic<'a>, statements: &Statements<'a>) -> Option<Choice<'a>> {
    let [only] = statements.statements else { return None };
    match only {
        Statement::ExpressionStatement(it) => {
            let choice = Choice::of_expression(semantic, &it.expression)?;
            Some(Choice { statement: Some(sdk(it.span)), ..choice })
        }
        Statement::ReturnStatement(it) => Choice::of_expression(semantic, it.argument.as_ref()?),
        Statement::ThrowStatement(it) => Choice::of_expression(semantic, &it.argument),
        Statement::VariableDeclaration(it) => match it.declarations.as_slice() {
            [only] => Choice::of_expression(semantic, only.init.as_ref()?),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a string at the start of a file or function that is parsed as a directive, but has no meaning.
fn directive<'a>(semantic: &Semantic<'a>, own: Span) -> Option<Choice<'a>> {
    let nodes = semantic.nodes();
    let found = nodes.iter().find_map(|node| match node.kind() {
        AstKind::Directive(it) if holds(it.span, own.into_oxc()) && !it.directive.starts_with("use ") => {
            (own.start == it.span.start).then_some((node.id(), it))
        }
        _ => None,
    })?;
    let (node, directive) = found;
    let literal = sdk(directive.expression.span);
    let chosen = Chosen { node, kind: nodes.kind(node), span: literal };
    Some(Choice { chosen, value: literal, part: None, statement: Some(sdk(directive.span)) })
}

/// Returns a string or template, or the selected part of its text.
fn in_string<'a>(semantic: &Semantic<'a>, text: &str, own: Span) -> Option<Choice<'a>> {
    let nodes = semantic.nodes();
    let place = own.into_oxc();
    let inside = |kind: &AstKind<'a>| match kind {
        AstKind::StringLiteral(_) | AstKind::TemplateLiteral(_) => holds(kind.span(), place),
        _ => false,
    };
    let node = nodes.iter().filter(|node| inside(&node.kind())).last()?.id();
    if !places::can_be_replaced(semantic, node) {
        return None;
    }
    let mut choice = Choice::of(semantic, node);
    let is_plain = !own.of(text).contains(['\\', '\n', '\r', '&', '$', '`']);
    let inner = match nodes.kind(node) {
        AstKind::StringLiteral(it) => oxc_span::Span::new(it.span.start + 1, it.span.end.saturating_sub(1)),
        AstKind::TemplateLiteral(it) => {
            let is_whole = it.span.source_text(text).contains('\n');
            let quasi = it.quasis.iter().find(|quasi| holds(quasi.span, place) && !is_whole);
            let Some(quasi) = quasi.filter(|_| !is_tagged(semantic, node)) else { return Some(choice) };
            quasi.span
        }
        _ => return None,
    };
    // With escapes such as `\u{1F600}`, the source text differs from the value.
    let written = inner.source_text(text);
    let has_codes =
        written.match_indices('\\').any(|(at, _)| written[at + 1..].starts_with(['u', 'x', '0', '1', '2', '3']));
    let before = text[..own.range().start].ends_with('\\');
    if is_plain && !before && !has_codes && holds(inner, place) && place.size() < inner.size() {
        choice.part = Some(own);
    }
    Some(choice)
}

fn is_tagged(semantic: &Semantic<'_>, node: NodeId) -> bool {
    matches!(semantic.nodes().parent_kind(node), AstKind::TaggedTemplateExpression(_))
}

/// Converts spans of the SDK to those of the parser.
pub(super) trait IntoOxc {
    fn into_oxc(self) -> oxc_span::Span;
}

impl IntoOxc for Span {
    fn into_oxc(self) -> oxc_span::Span {
        oxc_span::Span::new(self.start, self.end)
    }
}

/// Returns the smallest expression at a caret that can be replaced by a name.
fn at_caret<'a>(semantic: &Semantic<'a>, caret: u32) -> Option<Choice<'a>> {
    let nodes = semantic.nodes();
    let touching = nodes.iter().filter(|node| {
        let span = node.kind().span();
        span.start <= caret && caret <= span.end
    });
    let innermost = touching.last()?.id();
    let mut node = innermost;
    loop {
        let kind = nodes.kind(node);
        if places::can_be_replaced(semantic, node) && !is_callee(&nodes.parent_kind(node), kind.span()) {
            return Some(Choice::of(semantic, node));
        }
        match kind {
            AstKind::ReturnStatement(it) => return Choice::of_expression(semantic, it.argument.as_ref()?),
            AstKind::ThrowStatement(it) => return Choice::of_expression(semantic, &it.argument),
            AstKind::ExpressionStatement(it) => return Choice::of_expression(semantic, &it.expression),
            AstKind::Program(_) => return None,
            AstKind::Function(_) | AstKind::Class(_) if !places::is_expression(&kind) => return None,
            _ if is_statement(&kind) || is_type(&kind) => return None,
            _ => node = nodes.parent_id(node),
        }
    }
}

/// Returns whether the expression is a callee: then its call is extracted.
fn is_callee(around: &AstKind<'_>, span: oxc_span::Span) -> bool {
    match around {
        AstKind::CallExpression(it) => it.callee.span() == span,
        AstKind::NewExpression(it) => it.callee.span() == span,
        AstKind::TaggedTemplateExpression(it) => it.tag.span() == span,
        _ => false,
    }
}

fn is_statement(kind: &AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::VariableDeclaration(_)
            | AstKind::BlockStatement(_)
            | AstKind::IfStatement(_)
            | AstKind::ForStatement(_)
            | AstKind::ForInStatement(_)
            | AstKind::ForOfStatement(_)
            | AstKind::WhileStatement(_)
            | AstKind::DoWhileStatement(_)
            | AstKind::SwitchStatement(_)
            | AstKind::TryStatement(_)
            | AstKind::StaticBlock(_)
            | AstKind::PropertyDefinition(_)
            | AstKind::MethodDefinition(_)
            | AstKind::ImportDeclaration(_)
            | AstKind::TSTypeAliasDeclaration(_)
            | AstKind::TSInterfaceDeclaration(_)
            | AstKind::TSEnumDeclaration(_)
    )
}

fn is_type(kind: &AstKind<'_>) -> bool {
    matches!(kind, AstKind::TSTypeAnnotation(_) | AstKind::TSTypeParameterInstantiation(_))
}

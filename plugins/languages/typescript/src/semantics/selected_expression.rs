//! The expression that a selection or a caret chooses, or a part of a string.

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::GetSpan as _;

use crate::semantics::effects::contains;
use crate::semantics::positions;
use crate::semantics::selection::{self, Selected, SelectedExpression, SelectedStatements};
use crate::syntax::spans::{IntoOxc as _, to_sdk_span};
use crate::syntax::tree::Parsed;

/// The chosen expression.
#[derive(Clone, Copy)]
pub(crate) struct ChosenExpression<'a> {
    /// The node that is replaced by the name.
    pub(crate) chosen: SelectedExpression<'a>,
    /// The value without surrounding parentheses.
    pub(crate) value: Span,
    /// The selected part of a string or template, if only a part is selected.
    pub(crate) part: Option<Span>,
    /// The statement, if the selection is an expression statement.
    pub(crate) statement: Option<Span>,
}

impl<'a> ChosenExpression<'a> {
    fn of_node(semantic: &Semantic<'a>, node: NodeId) -> ChosenExpression<'a> {
        let kind = semantic.nodes().kind(node);
        let span = to_sdk_span(kind.span());
        ChosenExpression {
            chosen: SelectedExpression { node, kind, span },
            value: to_sdk_span(without_parentheses(semantic, kind)),
            part: None,
            statement: None,
        }
    }

    fn of_expression(semantic: &Semantic<'a>, expression: &Expression<'a>) -> Option<ChosenExpression<'a>> {
        let node =
            selection::outermost(semantic, to_sdk_span(expression.span()), |_, kind| positions::is_expression(&kind))?;
        Some(ChosenExpression::of_node(semantic, node))
    }
}

/// Returns the span without redundant parentheses.
fn without_parentheses(semantic: &Semantic<'_>, kind: AstKind<'_>) -> oxc_span::Span {
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

/// Returns the chosen expression.
pub(crate) fn choose_expression<'a>(parsed: &Parsed<'a>, text: &str, span: Span) -> Result<ChosenExpression<'a>> {
    let semantic = parsed.semantic();
    let found = match selection::trim_selection(parsed, text, span) {
        None => expression_at_caret(semantic, span.start),
        Some(own) => match selection::selected_code(parsed, text, own) {
            Ok(Selected::Expression(chosen)) => Some(ChosenExpression::of_node(semantic, chosen.node)),
            Ok(Selected::Statements(statements)) => of_statement(semantic, &statements),
            Err(failure) => {
                return inert_directive(semantic, own).or_else(|| selected_string(semantic, text, own)).ok_or(failure);
            }
        },
    };
    let nodes = semantic.nodes();
    let found = found.filter(|found| !nodes.ancestor_kinds(found.chosen.node).any(|kind| positions::is_ambient(&kind)));
    found.ok_or_else(|| {
        selection::suggest_nearest(refactor_failure("no expression is selected").at(span), parsed, text, span)
    })
}

/// Returns the only expression of a statement.
fn of_statement<'a>(semantic: &Semantic<'a>, statements: &SelectedStatements<'a>) -> Option<ChosenExpression<'a>> {
    let [only] = statements.statements else { return None };
    match only {
        Statement::ExpressionStatement(it) => {
            let choice = ChosenExpression::of_expression(semantic, &it.expression)?;
            Some(ChosenExpression { statement: Some(to_sdk_span(it.span)), ..choice })
        }
        Statement::ReturnStatement(it) => ChosenExpression::of_expression(semantic, it.argument.as_ref()?),
        Statement::ThrowStatement(it) => ChosenExpression::of_expression(semantic, &it.argument),
        Statement::VariableDeclaration(it) => match it.declarations.as_slice() {
            [only] => ChosenExpression::of_expression(semantic, only.init.as_ref()?),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a string at the start of a file or function that is parsed as a directive, but has no meaning.
fn inert_directive<'a>(semantic: &Semantic<'a>, own: Span) -> Option<ChosenExpression<'a>> {
    let nodes = semantic.nodes();
    let found = nodes.iter().find_map(|node| match node.kind() {
        AstKind::Directive(it) if contains(it.span, own.into_oxc()) && !it.directive.starts_with("use ") => {
            (own.start == it.span.start).then_some((node.id(), it))
        }
        _ => None,
    })?;
    let (node, directive) = found;
    let literal = to_sdk_span(directive.expression.span);
    let chosen = SelectedExpression { node, kind: nodes.kind(node), span: literal };
    Some(ChosenExpression { chosen, value: literal, part: None, statement: Some(to_sdk_span(directive.span)) })
}

/// Returns a string or template, or the selected part of its text.
fn selected_string<'a>(semantic: &Semantic<'a>, text: &str, own: Span) -> Option<ChosenExpression<'a>> {
    let nodes = semantic.nodes();
    let place = own.into_oxc();
    let inside = |kind: &AstKind<'a>| match kind {
        AstKind::StringLiteral(_) | AstKind::TemplateLiteral(_) => contains(kind.span(), place),
        _ => false,
    };
    let node = nodes.iter().filter(|node| inside(&node.kind())).last()?.id();
    if !positions::can_be_replaced(semantic, node) {
        return None;
    }
    let mut choice = ChosenExpression::of_node(semantic, node);
    let is_plain = !own.slice(text).contains(['\\', '\n', '\r', '&', '$', '`']);
    let inner = match nodes.kind(node) {
        AstKind::StringLiteral(it) => oxc_span::Span::new(it.span.start + 1, it.span.end.saturating_sub(1)),
        AstKind::TemplateLiteral(it) => {
            let is_whole = it.span.source_text(text).contains('\n');
            let quasi = it.quasis.iter().find(|quasi| contains(quasi.span, place) && !is_whole);
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
    if is_plain && !before && !has_codes && contains(inner, place) && place.size() < inner.size() {
        choice.part = Some(own);
    }
    Some(choice)
}

fn is_tagged(semantic: &Semantic<'_>, node: NodeId) -> bool {
    matches!(semantic.nodes().parent_kind(node), AstKind::TaggedTemplateExpression(_))
}

/// Returns the smallest expression at a caret that can be replaced by a name.
fn expression_at_caret<'a>(semantic: &Semantic<'a>, caret: u32) -> Option<ChosenExpression<'a>> {
    let nodes = semantic.nodes();
    let touching = nodes.iter().filter(|node| {
        let span = node.kind().span();
        span.start <= caret && caret <= span.end
    });
    let innermost = touching.last()?.id();
    let mut node = innermost;
    loop {
        let kind = nodes.kind(node);
        if positions::can_be_replaced(semantic, node) && !is_callee(&nodes.parent_kind(node), kind.span()) {
            return Some(ChosenExpression::of_node(semantic, node));
        }
        match kind {
            AstKind::ReturnStatement(it) => return ChosenExpression::of_expression(semantic, it.argument.as_ref()?),
            AstKind::ThrowStatement(it) => return ChosenExpression::of_expression(semantic, &it.argument),
            AstKind::ExpressionStatement(it) => return ChosenExpression::of_expression(semantic, &it.expression),
            AstKind::Program(_) => return None,
            AstKind::Function(_) | AstKind::Class(_) if !positions::is_expression(&kind) => return None,
            _ if is_statement(&kind) || is_type(&kind) => return None,
            _ => node = nodes.parent_id(node),
        }
    }
}

/// Returns whether the expression is a callee. In this case, its call is extracted.
fn is_callee(around: &AstKind<'_>, span: oxc_span::Span) -> bool {
    positions::is_called(around, span) || matches!(around, AstKind::NewExpression(it) if it.callee.span() == span)
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

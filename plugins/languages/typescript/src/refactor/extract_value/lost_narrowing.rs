//! Type narrowing that is lost when a part of a test is extracted.

use marquetry_sdk::Span;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use super::ValueExtraction;
use crate::TypeScriptDocument;
use crate::semantics::selection::SelectedExpression;
use crate::semantics::with_checker;
use crate::syntax::spans::to_sdk_span;

impl<'a> ValueExtraction<'_, 'a> {
    /// Returns a variable or member whose type would no longer be narrowed. There are three cases: the extracted test
    /// narrows a variable that is reassigned, the extracted test checks a member that is read again in the code that it
    /// guards, or an enclosing test checks a member of the extracted value.
    pub(super) fn lost_narrowing(
        &self,
        document: &TypeScriptDocument,
        joined: &[SelectedExpression<'a>],
    ) -> Option<String> {
        if self.tree.grammar().is_javascript() {
            return None;
        }
        let chosen = &self.choice.chosen;
        let scoping = self.parsed.semantic().scoping();
        let narrowed = with_checker(document, |checker| checker.narrowed_by_test(chosen.node));
        if let Some(variable) = narrowed.filter(|symbol| scoping.symbol_is_mutated(*symbol)) {
            return Some(narrowing_warning(scoping.symbol_name(variable)));
        }
        let guarded = with_checker(document, |checker| checker.guarded_code(chosen.node));
        let read_again = guarded.and_then(|guarded| self.member_read_again(guarded, joined));
        read_again.or_else(|| self.tested_member(joined)).map(narrowing_warning)
    }

    /// Returns a member that the extracted part of a test checks and that the guarded code reads again.
    fn member_read_again(&self, guarded: oxc_span::Span, joined: &[SelectedExpression<'a>]) -> Option<&str> {
        let chosen = &self.choice.chosen;
        let later = Span { start: chosen.span.end, end: guarded.end.max(chosen.span.end) };
        let is_left = |path: &&str| {
            path_offsets(self.text(), later, path).any(|at| !joined.iter().any(|other| other.span.start == at))
        };
        self.narrowable_members().into_iter().find(is_left)
    }

    /// Returns the members that the expression, as a test, may narrow: `a.b` in `a.b && c`.
    fn narrowable_members(&self) -> Vec<&str> {
        let chosen = &self.choice.chosen;
        let nodes = self.parsed.semantic().nodes();
        let inside = nodes.iter().filter(|node| {
            let span = to_sdk_span(node.kind().span());
            is_member(&node.kind()) && chosen.span.start <= span.start && span.end <= chosen.span.end
        });
        let asked = inside
            .filter(|node| node.id() == chosen.node || is_tested(&nodes.parent_kind(node.id()), node.kind().span()));
        asked.map(|node| to_sdk_span(node.kind().span()).slice(self.text())).collect()
    }

    /// Returns a member of the extracted value that an enclosing test still accesses through the original expression.
    fn tested_member(&self, joined: &[SelectedExpression<'a>]) -> Option<&str> {
        let chosen = &self.choice.chosen;
        let nodes = self.parsed.semantic().nodes();
        let all: Vec<&SelectedExpression<'_>> = std::iter::once(chosen).chain(joined).collect();
        let is_named = |at: u32| all.iter().any(|named| named.span.start == at);
        let paths = all.iter().filter_map(|named| match nodes.parent_kind(named.node) {
            AstKind::StaticMemberExpression(it) if to_sdk_span(it.object.span()) == named.span => {
                Some((named.node, to_sdk_span(it.span)))
            }
            _ => None,
        });
        paths.map(|(node, span)| (node, span.slice(self.text()))).find_map(|(node, path)| {
            let mut tests = self.tests_around(node).into_iter();
            tests.any(|test| path_offsets(self.text(), test, path).any(|at| !is_named(at))).then_some(path)
        })
    }

    /// Returns the tests that have been evaluated before a node runs, within its function.
    fn tests_around(&self, node: NodeId) -> Vec<Span> {
        let nodes = self.parsed.semantic().nodes();
        let mut inner = nodes.kind(node).span();
        let mut tests = Vec::new();
        for around in nodes.ancestor_kinds(node) {
            match around {
                AstKind::IfStatement(it) if it.test.span() != inner => tests.push(it.test.span()),
                AstKind::ConditionalExpression(it) if it.test.span() != inner => tests.push(it.test.span()),
                AstKind::WhileStatement(it) if it.test.span() != inner => tests.push(it.test.span()),
                AstKind::LogicalExpression(it) if it.right.span() == inner => tests.push(it.left.span()),
                AstKind::BlockStatement(it) => tests.extend(earlier_tests(&it.body, inner)),
                AstKind::FunctionBody(it) => tests.extend(earlier_tests(&it.statements, inner)),
                AstKind::Program(it) => tests.extend(earlier_tests(&it.body, inner)),
                AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) => break,
                _ => {}
            }
            inner = around.span();
        }
        tests.into_iter().map(to_sdk_span).collect()
    }
}

fn narrowing_warning(what: &str) -> String {
    format!("type narrowing of `{what}` by the condition may be lost at its remaining uses")
}

fn is_member(kind: &AstKind<'_>) -> bool {
    matches!(kind, AstKind::StaticMemberExpression(_) | AstKind::ComputedMemberExpression(_))
}

/// Returns whether the parent of a value tests it.
fn is_tested(around: &AstKind<'_>, value: oxc_span::Span) -> bool {
    match around {
        AstKind::LogicalExpression(_) | AstKind::ParenthesizedExpression(_) => true,
        AstKind::CallExpression(it) => it.callee.span() != value,
        AstKind::UnaryExpression(it) => matches!(it.operator, UnaryOperator::LogicalNot | UnaryOperator::Typeof),
        AstKind::BinaryExpression(it) => it.operator.is_equality() || it.operator.is_relational(),
        _ => false,
    }
}

/// Returns the tests of earlier `if` statements that may leave the block.
fn earlier_tests(list: &[Statement<'_>], place: oxc_span::Span) -> Vec<oxc_span::Span> {
    let before = list.iter().take_while(|statement| statement.span().end <= place.start);
    let tests = before.filter_map(|statement| match statement {
        Statement::IfStatement(it) if it.alternate.is_none() => Some(it.test.span()),
        _ => None,
    });
    tests.collect()
}

/// Returns the offsets at which a text contains a path such as `a.b`, unless it is part of a longer name.
fn path_offsets<'t>(text: &'t str, within: Span, path: &'t str) -> impl Iterator<Item = u32> {
    let part = within.slice(text);
    let is_name = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$');
    part.match_indices(path).filter_map(move |(at, _)| {
        let is_longer = part[at + path.len()..].starts_with(is_name) || part[..at].ends_with(is_name);
        (!is_longer).then_some(within.start + at as u32)
    })
}

//! Type narrowing that is lost when a part of a test is replaced by a name.

use marquetry_sdk::Span;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::semantics::Semantics;
use crate::semantics::selection::SelectedExpression;
use crate::semantics::words::name_offsets;
use crate::syntax::spans::to_sdk_span;

impl<'a> Semantics<'_, 'a> {
    /// Returns a warning if the type of a variable or member would no longer be narrowed after `chosen` and the equal
    /// expressions `joined` are replaced by a name. There are three cases: the chosen test narrows a variable that is
    /// reassigned, the chosen test checks a member that is read again in the code that it guards, or an enclosing test
    /// checks a member of the chosen value.
    pub(crate) fn lost_narrowing(
        self,
        chosen: &SelectedExpression<'a>,
        joined: &[SelectedExpression<'a>],
    ) -> Option<String> {
        if !self.is_typed() {
            return None;
        }
        let narrowed = self.with_checker(|checker| checker.narrowed_by_test(chosen.node));
        if let Some(variable) = narrowed.filter(|symbol| self.scoping().symbol_is_mutated(*symbol)) {
            return Some(narrowing_warning(self.name_of(variable)));
        }
        let guarded = self.with_checker(|checker| checker.guarded_code(chosen.node));
        let read_again = guarded.and_then(|guarded| self.member_read_again(chosen, guarded, joined));
        read_again.or_else(|| self.tested_member(chosen, joined)).map(|path| narrowing_warning(&path))
    }

    /// Returns a member that the chosen part of a test checks and that the guarded code reads again.
    fn member_read_again(
        self,
        chosen: &SelectedExpression<'a>,
        guarded: oxc_span::Span,
        joined: &[SelectedExpression<'a>],
    ) -> Option<String> {
        let later = Span { start: chosen.span.end, end: guarded.end.max(chosen.span.end) };
        let is_left = |path: &String| {
            path_offsets(self.text(), later, path).any(|at| !joined.iter().any(|other| other.span.start == at))
        };
        self.narrowable_members(chosen).into_iter().find(is_left)
    }

    /// Returns the members that the expression, as a test, may narrow: `a.b` in `a.b && c`.
    fn narrowable_members(self, chosen: &SelectedExpression<'a>) -> Vec<String> {
        let members = self.nodes_in(chosen.span).filter(|(_, kind)| is_member(kind));
        let tested =
            members.filter(|(node, kind)| *node == chosen.node || is_tested(&self.parent_kind(*node), kind.span()));
        tested.map(|(_, kind)| self.source(kind.span()).to_owned()).collect()
    }

    /// Returns a member of the chosen value that an enclosing test still accesses through the original expression.
    fn tested_member(self, chosen: &SelectedExpression<'a>, joined: &[SelectedExpression<'a>]) -> Option<String> {
        let all: Vec<&SelectedExpression<'_>> = std::iter::once(chosen).chain(joined).collect();
        let is_named = |at: u32| all.iter().any(|named| named.span.start == at);
        let paths = all.iter().filter_map(|named| match self.parent_kind(named.node) {
            AstKind::StaticMemberExpression(it) if to_sdk_span(it.object.span()) == named.span => {
                Some((named.node, self.source(it.span)))
            }
            _ => None,
        });
        let mut left = paths.filter(|(node, path)| {
            let mut tests = self.tests_around(*node).into_iter();
            tests.any(|test| path_offsets(self.text(), test, path).any(|at| !is_named(at)))
        });
        left.next().map(|(_, path)| path.to_owned())
    }

    /// Returns the tests that have been evaluated before a node runs, within its function.
    fn tests_around(self, node: NodeId) -> Vec<Span> {
        let mut inner = self.span(node);
        let mut tests = Vec::new();
        for around in self.nodes().ancestor_kinds(node) {
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

/// Yields the offsets in a part of a text at which it contains a path such as `a.b`.
fn path_offsets<'t>(text: &'t str, within: Span, path: &'t str) -> impl Iterator<Item = u32> + use<'t> {
    name_offsets(within.slice(text), path).map(move |at| within.start + at as u32)
}

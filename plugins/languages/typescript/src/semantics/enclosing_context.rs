//! The constructs around a node, which decide when, how often and with which `this` it runs.

use oxc_ast::AstKind;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::effects::has_own_this;

/// The constructs between a node and one of its ancestors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EnclosingContext {
    /// True if there is a function between the nodes. The function may have the same `this`.
    pub(crate) in_function: bool,
    /// True if the inner node has a different `this`.
    pub(crate) own_this: bool,
    /// True if the inner node may run more than once.
    pub(crate) in_loop: bool,
    /// True if the inner node may not run at all.
    pub(crate) conditional: bool,
    /// True if a `try` between the nodes catches errors of the inner node.
    pub(crate) in_try: bool,
    /// True if the inner node is in an argument of a call or in the name of a computed member.
    is_argument: bool,
}

/// Returns the constructs between a node and its ancestor `to`.
pub(crate) fn enclosing_context(semantic: &Semantic<'_>, from: NodeId, to: NodeId) -> EnclosingContext {
    let nodes = semantic.nodes();
    let mut path = EnclosingContext::default();
    let mut span = nodes.kind(from).span();
    for around in nodes.ancestors(from).take_while(|around| around.id() != to) {
        path.add_enclosing_node(&around.kind(), span);
        span = around.kind().span();
    }
    path
}

impl EnclosingContext {
    fn add_enclosing_node(&mut self, around: &AstKind<'_>, inner: Span) {
        let is = |node: Span| node == inner;
        match around {
            AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) => self.in_function = true,
            AstKind::PropertyDefinition(it) if !is(it.key.span()) => self.in_function = true,
            AstKind::StaticBlock(_) | AstKind::AccessorProperty(_) => self.in_function = true,
            AstKind::WhileStatement(_) | AstKind::DoWhileStatement(_) => self.in_loop = true,
            AstKind::ForStatement(it) => self.in_loop |= !it.init.as_ref().is_some_and(|init| is(init.span())),
            AstKind::ForInStatement(it) => self.in_loop |= !is(it.right.span()),
            AstKind::ForOfStatement(it) => self.in_loop |= !is(it.right.span()),
            AstKind::IfStatement(it) => self.conditional |= !is(it.test.span()),
            AstKind::ConditionalExpression(it) => self.conditional |= !is(it.test.span()),
            AstKind::LogicalExpression(it) => self.conditional |= !is(it.left.span()),
            AstKind::AssignmentExpression(it) => self.conditional |= it.operator.is_logical() && is(it.right.span()),
            AstKind::SwitchStatement(it) => self.conditional |= !is(it.discriminant.span()),
            AstKind::AssignmentPattern(it) => self.conditional |= is(it.right.span()),
            AstKind::AssignmentTargetWithDefault(it) => self.conditional |= is(it.init.span()),
            AstKind::FormalParameter(_) => self.conditional = true,
            AstKind::CatchClause(_) => self.conditional = true,
            AstKind::TryStatement(_) => self.in_try = true,
            AstKind::CallExpression(it) => self.is_argument |= !is(it.callee.span()),
            AstKind::ComputedMemberExpression(it) => self.is_argument |= is(it.expression.span()),
            // Arguments of an optional call may not be evaluated.
            AstKind::ChainExpression(_) => self.conditional |= self.is_argument,
            _ => {}
        }
        self.own_this |= has_own_this(around);
    }
}

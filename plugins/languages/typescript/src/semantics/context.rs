//! Types that depend on their context: values whose type would differ at another place.

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Failure, Result};
use oxc_ast::AstKind;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::infer::contextual::ContextualType;
use crate::semantics::{Semantics, positions, refusal_at};
use crate::syntax::spans::Place;

impl<'a> Semantics<'_, 'a> {
    /// Returns the type that the context of a value expects, and whether the type of the value depends on it.
    pub(crate) fn contextual_type(self, node: NodeId) -> (bool, ContextualType) {
        self.with_checker(|checker| (checker.depends_on_context(node), checker.printable_context(node)))
    }

    /// Refuses values whose type would differ if a new function returned them.
    pub(crate) fn check_contextual_types(self, values: Vec<NodeId>) -> Result<()> {
        let is_function =
            |node: NodeId| matches!(self.kind(node), AstKind::ArrowFunctionExpression(_) | AstKind::Function(_));
        let is_stuck = |node: &NodeId| match self.contextual_type(*node) {
            (false, _) | (true, ContextualType::Absent | ContextualType::Printable(_)) => false,
            (true, ContextualType::Unprintable) => true,
            (true, ContextualType::Unknown) => is_function(*node),
        };
        match values.into_iter().filter(|_| self.is_typed()).find(is_stuck) {
            None => Ok(()),
            Some(node) => Err(contextual_type_refusal(self.span(node))),
        }
    }

    /// Returns why a value may have another type without its contextual type: literal types are widened, and an object
    /// literal gets the type of its members instead of the contextual type.
    pub(crate) fn widening_warning(self, node: NodeId) -> Option<String> {
        let is_literal = |kind: &AstKind<'a>| {
            matches!(
                kind,
                AstKind::StringLiteral(_)
                    | AstKind::TemplateLiteral(_)
                    | AstKind::NumericLiteral(_)
                    | AstKind::BooleanLiteral(_)
                    | AstKind::ArrayExpression(_)
                    | AstKind::ObjectExpression(_)
            )
        };
        if !self.is_typed() || !self.nodes_in(self.span(node)).any(|(_, kind)| is_literal(&kind)) {
            return None;
        }
        let (_, wanted) = self.contextual_type(node);
        matches!(wanted, ContextualType::Unprintable | ContextualType::Unknown)
            .then(|| "literals in the value may get a wider type at the new position".to_owned())
    }

    /// Refuses computed keys, because the object type has no member for a key that a function returns.
    pub(crate) fn check_computed_key(self, node: NodeId) -> Result<()> {
        let span = self.span(node);
        let is_key = match self.parent_kind(node) {
            AstKind::ObjectProperty(it) => it.computed && it.key.span() == span,
            AstKind::PropertyDefinition(it) => it.computed && it.key.span() == span,
            AstKind::MethodDefinition(it) => it.computed && it.key.span() == span,
            _ => false,
        };
        if !self.is_typed() || !is_key {
            return Ok(());
        }
        Err(refusal_at("the type of the object depends on this literal key, which a function call would widen", span)
            .hint("extract it as a constant"))
    }

    /// Refuses a string that is compared with a `typeof`, because type checkers only narrow types if the string is a
    /// literal.
    pub(crate) fn check_typeof_string(self, node: NodeId) -> Result<()> {
        if !self.is_typed() || !positions::is_typeof_comparison(self.semantic(), node) {
            return Ok(());
        }
        Err(refusal_at("`typeof` is compared with this string, and only a literal narrows types", self.span(node))
            .hint("extract the whole comparison"))
    }
}

/// Returns the error for a value that cannot be extracted.
pub(crate) fn contextual_type_refusal(at: impl Place) -> Failure {
    refactor_failure("the type of the value depends on its context and cannot be printed")
        .hint("first annotate its parameters or add its type arguments, or extract the expression that contains it")
        .at(at.place())
}

//! Functions that change state: which code that runs without a call has side effects.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::effects::{contains, executed_nodes};
use crate::semantics::harmless_calls::{is_global, is_harmless_call};

/// Maximum number of calls from function to function that are followed.
const DEEPEST: usize = 4;

/// Returns whether the code of a function changes state that exists outside of it, or waits. Calls of unknown functions
/// do if `doubts_calls`.
pub(super) fn changes_state(semantic: &Semantic<'_>, code: (NodeId, Span), doubts_calls: bool) -> bool {
    StateSearch { semantic, doubts_calls }.changes_state(code, DEEPEST)
}

/// Search for changes of state in functions of a file.
pub(super) struct StateSearch<'s, 'a> {
    pub(super) semantic: &'s Semantic<'a>,
    /// Calls of unknown functions change state.
    pub(super) doubts_calls: bool,
}

impl<'a> StateSearch<'_, 'a> {
    pub(super) fn changes_state(&self, (around, code): (NodeId, Span), depth: usize) -> bool {
        let mut nodes = executed_nodes(self.semantic, around, code);
        nodes.any(|(_, kind)| match kind {
            AstKind::AssignmentExpression(it) => !self.is_own_variable(&it.left, code),
            AstKind::UpdateExpression(it) => match &it.argument {
                SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => !self.is_own(name, code),
                _ => true,
            },
            AstKind::UnaryExpression(it) => it.operator == UnaryOperator::Delete,
            AstKind::AwaitExpression(_) | AstKind::ThrowStatement(_) | AstKind::ImportExpression(_) => true,
            AstKind::TaggedTemplateExpression(_) => self.doubts_calls,
            AstKind::NewExpression(it) => match &it.callee {
                Expression::Identifier(name) => !is_global(self.semantic, name) && self.doubts_calls,
                _ => self.doubts_calls,
            },
            AstKind::CallExpression(call) => {
                !is_harmless_call(self.semantic, call, depth) && self.call_acts(call, depth)
            }
            _ => false,
        })
    }

    /// Returns whether a called function changes state.
    fn call_acts(&self, call: &CallExpression<'a>, depth: usize) -> bool {
        let bodies = match &call.callee {
            Expression::Identifier(name) if is_global(self.semantic, name) => return true,
            Expression::StaticMemberExpression(it) if it.object.is_specific_id("console") => return true,
            Expression::Identifier(name) => self.declared_code(name).into_iter().collect(),
            Expression::StaticMemberExpression(it) if matches!(it.object, Expression::ThisExpression(_)) => {
                self.method_codes(&it.property.name)
            }
            Expression::PrivateFieldExpression(it) => self.method_codes(&it.field.name),
            _ => Vec::new(),
        };
        match bodies.as_slice() {
            [] => self.doubts_calls,
            bodies => depth == 0 || bodies.iter().any(|code| self.changes_state(*code, depth - 1)),
        }
    }

    /// Returns the code of the function that a name declares in this file.
    fn declared_code(&self, name: &IdentifierReference<'_>) -> Option<(NodeId, Span)> {
        let scoping = self.semantic.scoping();
        let symbol = scoping.get_reference(name.reference_id.get()?).symbol_id()?;
        match self.semantic.nodes().kind(scoping.symbol_declaration(symbol)) {
            AstKind::Function(it) => it.body.as_ref().map(|body| (body.node_id.get(), body.span)),
            AstKind::VariableDeclarator(it) => match it.init.as_ref()? {
                Expression::ArrowFunctionExpression(it) => Some((it.node_id.get(), it.body.span())),
                Expression::FunctionExpression(it) => it.body.as_ref().map(|body| (body.node_id.get(), body.span)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the code of the methods with a name.
    fn method_codes(&self, name: &str) -> Vec<(NodeId, Span)> {
        let methods = self.semantic.nodes().iter().filter_map(|node| match node.kind() {
            AstKind::MethodDefinition(it) if is_named(&it.key, name) => it.value.body.as_ref(),
            _ => None,
        });
        methods.map(|body| (body.node_id.get(), body.span)).collect()
    }

    fn is_own_variable(&self, target: &AssignmentTarget<'_>, code: Span) -> bool {
        matches!(target, AssignmentTarget::AssignmentTargetIdentifier(name) if self.is_own(name, code))
    }

    /// Returns whether a variable is declared in the code.
    fn is_own(&self, name: &IdentifierReference<'_>, code: Span) -> bool {
        let scoping = self.semantic.scoping();
        let symbol = name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id());
        symbol.is_some_and(|symbol| contains(code, scoping.symbol_span(symbol)))
    }
}

fn is_named(key: &PropertyKey<'_>, name: &str) -> bool {
    match key {
        PropertyKey::PrivateIdentifier(it) => it.name == name,
        key => key.is_specific_static_name(name),
    }
}

//! The name of a class in its own code. Static fields can use it, but code outside of the class can only use it when the
//! class is complete.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan as _, Span};

use crate::semantics::Semantics;
use crate::semantics::effects::{contains, executed_nodes, has_side_effect};
use crate::semantics::extraction::code_range::{CodeRange, OuterUse};
use crate::semantics::extraction::function_targets::FunctionTarget;
use crate::syntax::spans::IntoOxc as _;

/// Returns whether a used name is that of a class around the range, and code at the target may run before the class is
/// complete.
pub(super) fn is_incomplete_class(
    code: Semantics<'_, '_>,
    range: &CodeRange<'_>,
    target: &FunctionTarget<'_>,
    used: &OuterUse<'_>,
) -> bool {
    let AstKind::Class(class) = code.kind(code.declaration_of(used.symbol)) else { return false };
    let own = range.span.into_oxc();
    let is_in_class = target.braces().is_some_and(|braces| contains(class.span, braces.into_oxc()));
    let is_type = used.flags.is_type_only() && !used.flags.is_value_as_type();
    class.is_declaration()
        && contains(class.span, own)
        && !is_in_class
        && !is_type
        && class.body.body.iter().any(|element| {
            loaded_code(element).is_some_and(|(node, loaded)| contains(loaded, own) || calls(code, node, loaded))
        })
}

/// Returns the code of a static block or field, which runs before the class is complete.
fn loaded_code(element: &ClassElement<'_>) -> Option<(NodeId, Span)> {
    match element {
        ClassElement::StaticBlock(it) => Some((it.node_id.get(), it.span)),
        ClassElement::PropertyDefinition(it) if it.r#static => {
            it.value.as_ref().map(|value| (it.node_id.get(), value.span()))
        }
        ClassElement::AccessorProperty(it) if it.r#static => {
            it.value.as_ref().map(|value| (it.node_id.get(), value.span()))
        }
        _ => None,
    }
}

fn calls(code: Semantics<'_, '_>, node: NodeId, loaded: Span) -> bool {
    executed_nodes(code.semantic(), node, loaded).any(|(_, kind)| has_side_effect(&kind))
}

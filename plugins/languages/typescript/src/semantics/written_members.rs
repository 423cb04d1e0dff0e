//! Members that the code of a file writes, so that a call may change them.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::MethodDefinitionKind;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::GetSpan as _;

use crate::semantics::effects::{is_written, member_access};

/// Returns whether code of the file, outside of constructors, writes a member with one of these names.
pub(super) fn writes_members(semantic: &Semantic<'_>, members: &HashSet<String>) -> bool {
    let nodes = semantic.nodes();
    nodes.iter().any(|node| {
        let kind = node.kind();
        let named = member_access(&kind).is_some_and(|(name, _)| name != "[]" && members.contains(name));
        named && is_written(&nodes.parent_kind(node.id()), kind.span()) && !is_in_constructor(semantic, node.id())
    })
}

fn is_in_constructor(semantic: &Semantic<'_>, node: NodeId) -> bool {
    let functions = semantic.nodes().ancestors(node).filter(|around| matches!(around.kind(), AstKind::Function(_)));
    functions.take(1).any(|function| {
        let around = semantic.nodes().parent_kind(function.id());
        matches!(around, AstKind::MethodDefinition(method) if method.kind == MethodDefinitionKind::Constructor)
    })
}

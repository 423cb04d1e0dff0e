//! Members that the code of a file writes, so that a call may change them, and variables that a loop writes.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::MethodDefinitionKind;
use oxc_semantic::{NodeId, Semantic, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::effects::{Effects, contains, is_written, member_access};

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

impl Effects {
    /// Returns whether a variable that the code reads is shared by all iterations of a loop around the node, and written
    /// in the loop.
    pub(crate) fn is_changed_by_loop(&self, semantic: &Semantic<'_>, node: NodeId) -> bool {
        let (scoping, nodes) = (semantic.scoping(), semantic.nodes());
        let is_function =
            |kind: &AstKind<'_>| matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_));
        let loops = nodes.ancestor_kinds(node).take_while(|kind| !is_function(kind));
        loops.filter(|kind| kind.is_iteration_statement()).any(|around| {
            let is_shared = |symbol: &SymbolId| {
                let home = nodes.kind(scoping.get_node_id(scoping.symbol_scope_id(*symbol)));
                !contains(around.span(), home.span())
            };
            let writes = |symbol: SymbolId| {
                let mut references = scoping.get_resolved_references(symbol);
                references.any(|it| it.is_write() && contains(around.span(), semantic.reference_span(it)))
            };
            self.reads.iter().copied().filter(is_shared).any(writes)
        })
    }

    /// Returns whether a variable that the code reads is written within this range.
    pub(crate) fn is_written_in(&self, semantic: &Semantic<'_>, within: Span) -> bool {
        let scoping = semantic.scoping();
        let writes = |symbol: &SymbolId| {
            let mut references = scoping.get_resolved_references(*symbol);
            references.any(|reference| reference.is_write() && contains(within, semantic.reference_span(reference)))
        };
        self.reads.iter().any(writes)
    }
}

//! Code whose names cannot be resolved before it runs: in `with` statements, and next to a direct `eval`.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_semantic::NodeId;

use crate::semantics::{Semantics, refusal_at};

impl Semantics<'_, '_> {
    /// Refuses to change names at a node if other code may use them in a way that is only known when it runs.
    pub(crate) fn check_static_names(self, node: NodeId) -> Result<()> {
        self.check_not_in_with(node)?;
        if self.scoping().scope_flags(self.scope_of(node)).contains_direct_eval() {
            return Err(refusal_at("`eval` may use any name around it", self.span(node))
                .hint("first replace `eval`, or make the change by hand"));
        }
        Ok(())
    }

    /// Refuses a node in a `with` statement, where each name may be a member of an object.
    pub(crate) fn check_not_in_with(self, node: NodeId) -> Result<()> {
        let mut around = self.nodes().ancestor_kinds(node);
        match around.find(|kind| matches!(kind, AstKind::WithStatement(_))) {
            Some(AstKind::WithStatement(with)) => Err(refusal_at(
                "in a `with` statement, a name may be a member of the object",
                oxc_span::GetSpan::span(&with.object),
            )
            .hint("first write out the members of the object")),
            _ => Ok(()),
        }
    }
}

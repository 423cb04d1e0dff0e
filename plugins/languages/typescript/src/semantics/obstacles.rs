//! Obstacles: code that a piece of code cannot move across, because one of them changes what the other one reads.

use oxc_ast::AstKind;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::collections::Collection;
use crate::semantics::effects::{Effects, executed_nodes, has_side_effect, is_written, member_access};
use crate::semantics::operands::converts;

/// Code that prevents a piece of code from moving across it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Obstacle {
    pub(crate) span: Span,
    /// Offset after which its effect has happened.
    pub(crate) effect_end: u32,
}

impl Effects {
    /// Returns the first node in `stretch` that prevents this code from moving from one end of the stretch to the
    /// other. The stretch is inside the node `around`.
    pub(crate) fn first_obstacle(&self, semantic: &Semantic<'_>, around: NodeId, stretch: Span) -> Option<Obstacle> {
        let is_fixed = !self.has_side_effects
            && self.members.is_empty()
            && self.collections.is_empty()
            && self.reads.is_empty()
            && !self.reads_shared;
        if is_fixed || stretch.start >= stretch.end {
            return None;
        }
        let obstacles = executed_nodes(semantic, around, stretch).filter_map(|(node, kind)| {
            let done = self.interference_offset(semantic, node, &kind)?;
            (done <= stretch.end).then_some(Obstacle { span: kind.span(), effect_end: done })
        });
        obstacles.min_by_key(|obstacle| obstacle.effect_end)
    }

    /// Returns the offset at which the node interferes with this code, if it does.
    fn interference_offset(&self, semantic: &Semantic<'_>, node: NodeId, kind: &AstKind<'_>) -> Option<u32> {
        let scoping = semantic.scoping();
        let end = kind.span().end;
        if has_side_effect(kind)
            && (self.has_side_effects || self.reads_shared && !matches!(kind, AstKind::AssignmentExpression(_)))
        {
            return Some(end);
        }
        let reads = self.has_side_effects || self.reads_shared || !self.members.is_empty();
        if reads && self.implicit.acts_at(semantic, node, kind) {
            return Some(pattern_end(semantic, node, kind));
        }
        if self.is_content_changed(semantic, node, kind) {
            return Some(if matches!(kind, AstKind::CallExpression(_)) { end } else { write_end(semantic, node) });
        }
        if self.has_side_effects && !self.only_writes_variables() && converts(semantic, kind) {
            return Some(end);
        }
        match kind {
            AstKind::IdentifierReference(name) => {
                let reference = name.reference_id.get().map(|id| scoping.get_reference(id))?;
                let symbol = reference.symbol_id()?;
                if reference.is_write() && self.reads.contains(&symbol) {
                    return Some(write_end(semantic, node));
                }
                let is_changed = reference.is_read()
                    && self.has_side_effects
                    && scoping.symbol_is_mutated(symbol)
                    && !self.only_writes_variables();
                (self.writes.contains(&symbol) || is_changed).then_some(end)
            }
            // A call may change its receiver and its arguments.
            AstKind::CallExpression(call) if !self.members.is_empty() => {
                let text = |span: Span| span.source_text(semantic.source_text());
                let changes = |span: Span| self.objects.contains(text(span));
                let object = call.callee.get_inner_expression().as_member_expression().map(|it| it.object().span());
                (object.is_some_and(changes) || call.arguments.iter().any(|it| changes(it.span()))).then_some(end)
            }
            AstKind::AssignmentExpression(_) | AstKind::UpdateExpression(_) | AstKind::UnaryExpression(_) => None,
            AstKind::BindingProperty(_) | AstKind::ArrayPattern(_) | AstKind::SpreadElement(_) => {
                self.has_side_effects.then(|| pattern_end(semantic, node, kind))
            }
            _ => {
                let (name, _) = member_access(kind)?;
                let around = semantic.nodes().parent_kind(node);
                let span = kind.span();
                if is_written(&around, span) {
                    return self.members.contains(name).then(|| write_end(semantic, node));
                }
                let is_passed = matches!(around, AstKind::CallExpression(call) if call.callee.span() == span)
                    || member_access(&around).is_some_and(|(_, object)| object.span() == span);
                (self.has_side_effects && !is_passed).then_some(end)
            }
        }
    }

    /// Returns whether a node may change a list, map or set whose content the code reads.
    fn is_content_changed(&self, semantic: &Semantic<'_>, node: NodeId, kind: &AstKind<'_>) -> bool {
        let changed = Collection::changed_at(semantic, node, kind);
        self.collections.iter().any(|read| match (&changed, kind) {
            (Some(changed), _) => read.may_be(semantic, changed),
            (None, AstKind::CallExpression(call)) => read.is_known_to_callback(semantic, call),
            _ => false,
        })
    }

    /// Returns whether the code only writes variables.
    fn only_writes_variables(&self) -> bool {
        !self.writes.is_empty() && !self.creates_object && self.members.is_empty()
    }
}

/// Returns the offset at which a node is evaluated. A pattern comes before the value that it destructures, but is
/// evaluated after it.
fn pattern_end(semantic: &Semantic<'_>, node: NodeId, kind: &AstKind<'_>) -> u32 {
    let is_pattern = matches!(kind, AstKind::BindingProperty(_) | AstKind::ArrayPattern(_));
    let mut around = semantic.nodes().ancestor_kinds(node);
    let declared = around.find(|kind| matches!(kind, AstKind::VariableDeclarator(_)));
    declared.filter(|_| is_pattern).map_or(kind.span().end, |kind| kind.span().end)
}

/// Returns the offset at which a write to the node has happened. In an assignment, the target comes before the value,
/// so the write happens at the end of the assignment.
fn write_end(semantic: &Semantic<'_>, node: NodeId) -> u32 {
    let writes = |kind: &AstKind<'_>| {
        matches!(
            kind,
            AstKind::AssignmentExpression(_)
                | AstKind::UpdateExpression(_)
                | AstKind::UnaryExpression(_)
                | AstKind::ForInStatement(_)
                | AstKind::ForOfStatement(_)
        )
    };
    let around = semantic.nodes().ancestor_kinds(node).find(writes);
    around.map_or(semantic.nodes().kind(node).span().end, |kind| kind.span().end)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::semantics::effects::effects_of;
    use crate::semantics::implicit_code::ImplicitCode;
    use crate::syntax::tree::Tree;

    fn with_piece<R>(marked: &str, look: impl FnOnce(&Semantic<'_>, Span) -> R) -> R {
        let start = marked.find('«').expect("«");
        let end = marked.find('»').expect("»") - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let span = Span::new(start as u32, end as u32);
        Tree::parse("a.tsx", text).with(|parsed| look(parsed.semantic(), span))
    }

    /// Returns whether the marked code could run after the rest of the text instead.
    fn moves(marked: &str) -> bool {
        with_piece(marked, |semantic, span| {
            let rest = Span::new(span.end, semantic.source_text().len() as u32);
            effects_of(semantic, &Rc::new(ImplicitCode::of_file(semantic)), NodeId::ROOT, span)
                .first_obstacle(semantic, NodeId::ROOT, rest)
                .is_none()
        })
    }

    #[test]
    fn expressions_move_past_independent_code() {
        assert!(moves("let b = 1; «b»; f(b);"));
        assert!(!moves("let b = 1; «b»; b = 2;"));
        assert!(!moves("let b = 1; «b»; b++;"));
        assert!(!moves("«f()»; g();"));
        assert!(moves("«f()»; const c = 1;"));
        assert!(!moves("«f()»; const c = a.b;"));
        assert!(!moves("let i = 0; «i++»; const c = i;"));
        assert!(moves("const a = []; «a.length»; f();"));
        assert!(!moves("const a = []; «a.length»; a.push(1);"));
        assert!(!moves("const a = []; «a.length»; f(a);"));
        assert!(!moves("const a = {}; «a.b»; a.b = 1;"));
        assert!(moves("const a = {}; «a.b»; a.c = 1;"));
        assert!(moves("const a = {}; «a.b»; f(a.b);"));
        assert!(!moves("const a = {}; «a.b.c»; f(a.b);"));
        assert!(!moves("«this.a»; this.f();"));
        assert!(moves("let b = 1; «b»; () => b = 2;"));
        for text in ["`${a}`", "a + ''", "a.join()", "[...a]", "+a", "Object.keys(a)", "''.concat(a)", "a == '1'"] {
            assert!(!moves(&format!("const a = []; «a.push(1)»; {text};")), "{text}");
            assert!(!moves(&format!("const a = []; «{text}»; a.push(1);")), "{text}");
        }
        for text in ["`${a}`", "a + ''", "+a", "a == '1'"] {
            assert!(moves(&format!("const a = 'text'; «b.push(1)»; {text};")), "{text}");
        }
        assert!(moves("const a = []; const b = []; «`${a}`»; b.push(1);"));
    }
}

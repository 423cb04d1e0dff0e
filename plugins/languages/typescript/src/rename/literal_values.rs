//! Uses of a literal type without its text: values of another literal type with the same text, and objects that are
//! indexed by the type.

use oxc_ast::AstKind;
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::ty::{Props, Substitution, Ty};
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::rename::external_values::values_with_context;
use crate::rename::search_target::SearchTarget;

/// Finds values that the rename gives another text than the type they are used as, and members that are read by the
/// wanted literal as a key.
pub(super) fn find_literal_values(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    let here = checker.open_module();
    let search = Search { checker, wanted };
    let nodes = here.semantic().nodes().iter();
    nodes.flat_map(|node| search.spans_at(node.kind())).collect()
}

struct Search<'s, 'w> {
    checker: &'s Checker<'w>,
    wanted: &'s SearchTarget,
}

impl<'w> Search<'_, 'w> {
    fn spans_at(&self, kind: AstKind<'w>) -> Vec<Span> {
        match kind {
            AstKind::ComputedMemberExpression(member) => {
                let index = self.checker.expression_type(OPEN_DOCUMENT, &member.expression);
                let object = || self.checker.expression_type(OPEN_DOCUMENT, &member.object);
                self.indexed_member(&index, object, member.expression.span()).into_iter().collect()
            }
            AstKind::TSIndexedAccessType(access) => {
                let none = Substitution::default();
                let index = self.checker.annotation_type(OPEN_DOCUMENT, &access.index_type, &none);
                let object = || self.checker.annotation_type(OPEN_DOCUMENT, &access.object_type, &none);
                self.indexed_member(&index, object, access.index_type.span()).into_iter().collect()
            }
            parent => {
                let mut values = values_with_context(parent);
                // Literals are excluded, because the search compares their text itself.
                values.retain(|value| value.is_identifier_reference() || value.is_member_expression());
                values.retain(|value| {
                    self.is_other_literal(&self.checker.expression_type(OPEN_DOCUMENT, value))
                        && self.is_wanted_literal(&self.checker.contextual_type(OPEN_DOCUMENT, value.node_id()))
                });
                values.into_iter().map(GetSpan::span).collect()
            }
        }
    }

    fn sites_of(&self, ty: &Ty<'w>) -> Vec<Option<Site>> {
        let name = self.wanted.name.as_str();
        let site = |ty: &Ty<'w>| match self.checker.constraint_or_self(ty) {
            Ty::String(text, site) if text == name => Some(site),
            _ => None,
        };
        ty.alternatives().iter().filter_map(site).collect()
    }

    fn is_wanted_literal(&self, ty: &Ty<'w>) -> bool {
        self.sites_of(ty).iter().flatten().any(|site| self.wanted.sites.contains(site))
    }

    /// Returns whether a type has the text, declared as another literal type. Strings without a declared type are
    /// followed from where they are written.
    fn is_other_literal(&self, ty: &Ty<'w>) -> bool {
        let declared: Vec<Site> = self.sites_of(ty).into_iter().flatten().collect();
        !declared.is_empty() && declared.iter().all(|site| !self.wanted.sites.contains(site))
    }

    /// Returns the member that the wanted literal names in an object; the index if another file declares the member.
    fn indexed_member(&self, index: &Ty<'w>, object: impl FnOnce() -> Ty<'w>, at: Span) -> Option<Span> {
        let is_literal = matches!(index, Ty::String(_, None));
        if is_literal || !self.is_wanted_literal(index) {
            return None;
        }
        let sites = Props::sites(&self.checker.props(&object(), &self.wanted.name));
        let other = sites.iter().find(|site| !self.wanted.sites.contains(site))?;
        let length = u32::try_from(self.wanted.name.len()).ok()?;
        Some(if other.module == OPEN_DOCUMENT { Span::new(other.offset, other.offset + length) } else { at })
    }
}

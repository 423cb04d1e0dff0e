//! Reads through index signatures: `record.name` may read a declared member of any value that is used as the record.

use oxc_ast::AstKind;

use crate::infer::checker::Checker;
use crate::infer::ty::Indexed;
use crate::program::ids::Site;
use crate::rename::search_target::SearchTarget;

impl Checker<'_> {
    /// Returns whether a read that an index signature matches may be a read of the wanted member.
    pub(super) fn may_be_read_by_index(&self, wanted: &SearchTarget, indexed: Indexed) -> bool {
        match indexed {
            Indexed::No => false,
            Indexed::Anything => wanted.members && wanted.includes_joined_members,
            Indexed::Literals => {
                wanted.includes_joined_members
                    && wanted.sites.iter().any(|site| self.is_in_literal(*site, &wanted.name))
            }
        }
    }

    /// Returns whether a site declares a member of an object literal or a type literal. Other types are not assignable
    /// to index signatures.
    fn is_in_literal(&self, site: Site, name: &str) -> bool {
        if site == Site::WATCHED {
            return false;
        }
        let loaded = self.module(site.module);
        self.member_declared_at(site, name).is_some_and(|declaration| match loaded.kind(declaration) {
            AstKind::ObjectProperty(_) => true,
            AstKind::TSPropertySignature(_) | AstKind::TSMethodSignature(_) => {
                matches!(loaded.parent_kind(declaration), AstKind::TSTypeLiteral(_))
            }
            _ => false,
        })
    }
}

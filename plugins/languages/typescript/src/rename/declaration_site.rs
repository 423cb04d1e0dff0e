//! The declaration of the symbol at an offset.

use crate::infer::checker::Checker;
use crate::infer::ty::Entity;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::rename::subject::{ResolvedSubject, resolve_at_offset};

/// Returns where the symbol at an offset is declared.
pub(crate) fn declaration_site(checker: &Checker<'_>, offset: u32) -> Option<Site> {
    match resolve_at_offset(checker, offset) {
        Ok(ResolvedSubject::Symbol(symbol)) => match checker.symbol_entity(OPEN_DOCUMENT, symbol) {
            Entity::Symbol(module, found) => checker.sites_of(module, found).first().copied(),
            _ => checker.sites_of(OPEN_DOCUMENT, symbol).first().copied(),
        },
        Ok(ResolvedSubject::Member { sites, .. }) => sites.first().copied(),
        Ok(ResolvedSubject::Exported { at, .. }) => Some(Site { module: OPEN_DOCUMENT, offset: at }),
        Ok(ResolvedSubject::Elsewhere { place, .. }) => checker.site_at(&place),
        _ => None,
    }
}

//! Resolving a name in a JSDoc comment to a symbol.

use marquetry_sdk::Result;
use oxc_semantic::NodeId;

use super::subject::{NonMemberDeclaration, ResolvedSubject, declaration_kind, no_name_failure};
use crate::infer::checker::Checker;
use crate::infer::jsdoc;
use crate::infer::members::Sites;
use crate::program::identifiers::Identifier;
use crate::program::ids::OPEN_DOCUMENT;
use crate::program::module::Module;

/// Resolves a name in a JSDoc comment.
pub(super) fn resolve_in_jsdoc(
    checker: &Checker<'_>,
    here: &Module<'_>,
    offset: u32,
) -> Option<Result<ResolvedSubject>> {
    let text = here.text();
    let comment = here
        .program
        .comments
        .iter()
        .find(|comment| comment.is_block() && comment.span.start < offset && offset < comment.span.end)?;
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let at = offset as usize;
    let start = text[..at].trim_end_matches(part).len().max(comment.span.start as usize);
    let end = at + text[at..].find(|c| !part(c)).unwrap_or(text.len() - at);
    let name = text.get(start..end).filter(|name| !name.is_empty())?;
    let tagged = jsdoc::tag_imports(here).iter().any(|import| import.local.source_text(text) == name);
    for mention in jsdoc::mentions(here, name) {
        let index = mention.parts.iter().position(|part| part.start as usize == start);
        if let Some(index) = index {
            let found = checker.mention_sites(OPEN_DOCUMENT, &mention, index);
            if tagged && index == 0 && found.sites.is_empty() {
                return Some(Ok(ResolvedSubject::JsdocImport(name.to_owned())));
            }
            let identifier = Identifier { node: NodeId::ROOT, name, span: mention.parts[index], quote: None };
            return Some(resolve_sites_in_jsdoc(checker, &identifier, found));
        }
    }
    None
}

fn resolve_sites_in_jsdoc(checker: &Checker<'_>, identifier: &Identifier<'_>, found: Sites) -> Result<ResolvedSubject> {
    let name = identifier.name.to_owned();
    let Some(first) = found.sites.first().copied() else { return Err(no_name_failure()) };
    match declaration_kind(checker, first, &name) {
        Some(NonMemberDeclaration::Symbol(symbol)) if first.module == OPEN_DOCUMENT => {
            Ok(ResolvedSubject::Symbol(symbol))
        }
        Some(_) => Ok(ResolvedSubject::Elsewhere { name, place: checker.location_of(first) }),
        None => Ok(ResolvedSubject::Member { name, sites: found.sites }),
    }
}

//! Imported names, and addresses of members of imported symbols: `C.m`, where another file declares the class `C`.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::Ident;
use oxc_semantic::SymbolId;

use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Ty};
use crate::program::ResolvedModule;
use crate::program::identifiers::Identifier;
use crate::program::ids::{OPEN_DOCUMENT, Owner};
use crate::program::module::Module;
use crate::rename::comment_names::imported_comment_name;
use crate::rename::subject::{
    ResolvedSubject, keyword_failure, no_name_failure, package_failure, refusal, resolve_sites,
};

/// Returns the member that an address names, if its first name is an import and the member is declared in another file
/// of the workspace.
pub(super) fn imported_member(checker: &Checker<'_>, address: &str) -> Option<ResolvedSubject> {
    let at = address.find(['.', '#'])?;
    let (head, member) = (&address[..at], address[at..].trim_start_matches('.'));
    if member.contains(['.', '[', ' ', '"', '\'', '>']) {
        return None;
    }
    let here = checker.open_module();
    let symbol = here.scoping().get_root_binding(Ident::from(head))?;
    let value = match checker.symbol_entity(OPEN_DOCUMENT, symbol) {
        Entity::Symbol(module, found) if module != OPEN_DOCUMENT && !is_value(checker, module, found) => {
            Ty::Instance(Owner::Symbol(module, found), None)
        }
        Entity::Symbol(module, found) => checker.symbol_type(module, found),
        Entity::Module(found) => Ty::Module(found),
        Entity::Value(ty) => ty,
        Entity::External | Entity::Unknown | Entity::Watched(_) => return None,
    };
    // Members of the instances of a class come first, as in addresses within its file.
    let instance = match value {
        Ty::Static(owner) => Some(Ty::Instance(owner, None)),
        _ => None,
    };
    let mut types = instance.into_iter().chain([value]);
    let sites = types.find_map(|ty| checker.props(&ty, member).sites().first().copied());
    let site = sites.filter(|site| site.module != OPEN_DOCUMENT)?;
    Some(ResolvedSubject::Elsewhere { name: member.to_owned(), place: checker.location_of(site) })
}

fn is_value(checker: &Checker<'_>, module: u32, symbol: SymbolId) -> bool {
    checker.module(module).scoping().symbol_flags(symbol).can_be_referenced_by_value()
}

/// Resolves the imported name in an import or re-export.
pub(super) fn resolve_imported_name<'w>(
    checker: &Checker<'w>,
    here: &Module<'w>,
    identifier: &Identifier<'w>,
) -> Result<ResolvedSubject> {
    if identifier.name == "default" {
        return Err(keyword_failure(identifier));
    }
    let parent = here.parent(identifier.node);
    let source = match here.parent_kind(parent) {
        AstKind::ImportDeclaration(import) => import.source.value.as_str(),
        AstKind::ExportFromDeclaration(export) => export.source.value.as_str(),
        _ => None,
    };
    let Some(source) = source else { return Err(no_name_failure()) };
    match checker.resolve_module(OPEN_DOCUMENT, source) {
        ResolvedModule::Module(found) => {
            let props = checker.exported_props(found, identifier.name);
            match imported_comment_name(checker, source, identifier.name) {
                Some(declared) if props.found.is_empty() => Ok(declared),
                _ => resolve_sites(checker, identifier, props.into()),
            }
        }
        ResolvedModule::External => Err(package_failure(identifier)),
        ResolvedModule::Unknown | ResolvedModule::Watched => {
            let message = format!("the module `{source}`, which declares `{}`, was not found", identifier.name);
            Err(refusal(message, "only names of this workspace can be renamed", identifier))
        }
    }
}

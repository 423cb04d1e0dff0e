//! Addresses of members of imported symbols: `C.m`, where another file declares the class `C`.

use oxc_ast::ast::Ident;
use oxc_semantic::SymbolId;

use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Ty};
use crate::program::ids::{OPEN_DOCUMENT, Owner};
use crate::rename::subject::ResolvedSubject;

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

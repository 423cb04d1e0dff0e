//! Declarations that TypeScript merges: type parameters of an interface that is declared several times, and types that a
//! `declare module "./a"` block adds to those of another file.

use oxc_ast::AstKind;
use oxc_semantic::{NodeId, SymbolId};

use crate::infer::checker::Checker;
use crate::program::ResolvedModule;
use crate::program::ids::{OPEN_DOCUMENT, Site};

impl<'w> Checker<'w> {
    /// Returns the type parameters at the same position in the other declarations of a type: all declarations must have
    /// the same parameters.
    pub(super) fn merged_type_parameters(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let here = self.open_module();
        let declaration = here.scoping().symbol_declaration(symbol);
        let AstKind::TSTypeParameter(_) = here.kind(declaration) else { return Vec::new() };
        let owner = here.self_and_ancestors(declaration).skip(1).find_map(|around| match here.kind(around) {
            AstKind::TSInterfaceDeclaration(interface) => interface.id.symbol_id.get(),
            AstKind::Class(class) => class.id.as_ref().and_then(|id| id.symbol_id.get()),
            _ => None,
        });
        let Some(owner) = owner else { return Vec::new() };
        let symbols_of = |node: NodeId| -> Vec<SymbolId> {
            let parameters = match here.kind(node) {
                AstKind::TSInterfaceDeclaration(interface) => interface.type_parameters.as_deref(),
                AstKind::Class(class) => class.type_parameters.as_deref(),
                _ => None,
            };
            let params = parameters.map_or(&[][..], |parameters| &parameters.params);
            params.iter().filter_map(|parameter| parameter.name.symbol_id.get()).collect()
        };
        let all: Vec<Vec<SymbolId>> = here.declarations(owner).into_iter().map(symbols_of).collect();
        let index = all.iter().find_map(|symbols| symbols.iter().position(|known| *known == symbol));
        let Some(index) = index else { return Vec::new() };
        all.iter().filter_map(|symbols| symbols.get(index).copied()).filter(|other| *other != symbol).collect()
    }

    /// Returns the declaration in another file that a declaration in a `declare module "./a"` block adds to.
    pub(super) fn augmented_declaration(&self, symbol: SymbolId) -> Option<Site> {
        let here = self.open_module();
        let block = here.scoping().get_node_id(here.scoping().symbol_scope_id(symbol));
        let specifier = match here.kind(block) {
            AstKind::TSExternalModuleDeclaration(module) => module.id.value.as_str()?,
            _ => return None,
        };
        let ResolvedModule::Module(found) = self.resolve_module(OPEN_DOCUMENT, specifier) else { return None };
        let declared = self.exported_props(found, here.scoping().symbol_name(symbol)).sites();
        declared.into_iter().find(|site| site.module != OPEN_DOCUMENT && *site != Site::WATCHED)
    }
}

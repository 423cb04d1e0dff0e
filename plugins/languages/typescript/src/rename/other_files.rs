//! Symbols declared in another file.

use marquetry_sdk::FileLocation;
use oxc_semantic::SymbolId;

use crate::infer::checker::Checker;
use crate::infer::ty::Entity;
use crate::program::ResolvedModule;
use crate::program::commonjs;
use crate::program::exports::Export;
use crate::program::ids::OPEN_DOCUMENT;

impl Checker<'_> {
    /// Returns where an imported symbol of the open document is declared, if it is declared in another file.
    pub(crate) fn declared_elsewhere(&self, symbol: SymbolId) -> Option<FileLocation> {
        if let Some(place) = self.declared_in_required_module(symbol) {
            return Some(place);
        }
        match self.symbol_entity(OPEN_DOCUMENT, symbol) {
            Entity::Symbol(module, found) if module != OPEN_DOCUMENT => {
                self.sites_of(module, found).first().map(|site| self.location_of(*site))
            }
            Entity::Module(found) if found.module != OPEN_DOCUMENT => {
                Some(FileLocation { path: self.module(found.module).path.clone(), offset: 0 })
            }
            _ => None,
        }
    }

    /// Returns where a variable that `require` initializes is declared in the required module.
    fn declared_in_required_module(&self, symbol: SymbolId) -> Option<FileLocation> {
        let here = self.open_module();
        let required = commonjs::required_names(&here);
        let variable = required.iter().find(|it| it.local.symbol_id.get() == Some(symbol))?;
        let ResolvedModule::Module(found) = self.resolve_module(OPEN_DOCUMENT, variable.specifier) else { return None };
        let exports = self.exports(found);
        let value = match (exports.named.get(variable.name).and_then(|all| all.first()), variable.name) {
            (Some(Export::Assigned { value, .. }), _) => *value,
            (Some(Export::Declared(symbol)), _) => {
                return self.sites_of(found.module, *symbol).first().map(|site| self.location_of(*site));
            }
            (_, "*") => exports.export_equals,
            _ => None,
        };
        let symbol = match value? {
            oxc_ast::ast::Expression::Identifier(name) => self.resolve_identifier(found.module, name)?,
            _ => return None,
        };
        self.sites_of(found.module, symbol).first().map(|site| self.location_of(*site))
    }
}

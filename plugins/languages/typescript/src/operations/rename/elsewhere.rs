//! Symbols declared in another file.

use marquetry_sdk::Place;
use oxc_semantic::SymbolId;

use crate::infer::checker::Checker;
use crate::infer::ty::Entity;
use crate::program::ResolvedModule;
use crate::program::commonjs;
use crate::program::exports::Export;
use crate::program::ids::HERE;

impl Checker<'_> {
    /// Returns where an imported symbol of the open document is declared, if in another file.
    pub(crate) fn declared_elsewhere(&self, symbol: SymbolId) -> Option<Place> {
        if let Some(place) = self.required_from(symbol) {
            return Some(place);
        }
        match self.entity(HERE, symbol) {
            Entity::Symbol(module, found) if module != HERE => {
                self.sites_of(module, found).first().map(|site| self.place(*site))
            }
            Entity::Module(found) if found.module != HERE => {
                Some(Place { path: self.module(found.module).path.clone(), offset: 0 })
            }
            _ => None,
        }
    }

    /// Returns where a variable that `require` initializes is declared in the required module.
    fn required_from(&self, symbol: SymbolId) -> Option<Place> {
        let here = self.here();
        let required = commonjs::required(&here);
        let variable = required.iter().find(|it| it.local.symbol_id.get() == Some(symbol))?;
        let ResolvedModule::Module(found) = self.resolve_module(HERE, variable.specifier) else { return None };
        let exports = self.exports(found);
        let value = match (exports.named.get(variable.name).and_then(|all| all.first()), variable.name) {
            (Some(Export::Assigned { value, .. }), _) => *value,
            (Some(Export::Declared(symbol)), _) => {
                return self.sites_of(found.module, *symbol).first().map(|site| self.place(*site));
            }
            (_, "*") => exports.whole,
            _ => None,
        };
        let symbol = match value? {
            oxc_ast::ast::Expression::Identifier(name) => self.resolved(found.module, name)?,
            _ => return None,
        };
        self.sites_of(found.module, symbol).first().map(|site| self.place(*site))
    }
}

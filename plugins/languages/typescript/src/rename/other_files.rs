//! Symbols declared in another file.

use marquetry_sdk::FileLocation;
use oxc_semantic::SymbolId;

use crate::infer::checker::Checker;
use crate::infer::ty::Entity;
use crate::program::ids::OPEN_DOCUMENT;

impl Checker<'_> {
    /// Returns where an imported symbol of the open document is declared, if it is declared in another file.
    pub(crate) fn declared_elsewhere(&self, symbol: SymbolId) -> Option<FileLocation> {
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
}

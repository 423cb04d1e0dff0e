//! Global declarations of other files: of scripts, and in `declare global` blocks. Only the files are read that declare
//! the symbol of a search, because any file of a project may declare globals.

use std::collections::HashMap;

use oxc_ast::ast::*;
use oxc_semantic::{ScopeId, SymbolId};

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Ty};
use crate::program::ids::{OPEN_DOCUMENT, Owner};
use crate::program::module::Module;

impl<'w> Checker<'w> {
    /// Makes the global declarations of a module known. Must be called before types are inferred.
    pub(crate) fn read_globals_of(&self, modules: impl IntoIterator<Item = u32>) {
        self.global_modules.borrow_mut().extend(modules);
    }

    /// Returns the declaration of a global that the file itself does not declare.
    pub(crate) fn global_symbol(&self, name: &str) -> Option<(u32, SymbolId)> {
        self.globals.get_or_init(|| self.collect_globals()).get(name).copied()
    }

    /// Returns the entity of a global that the file itself does not declare.
    pub(crate) fn global_entity(&self, name: &str) -> Option<Entity<'w>> {
        self.global_symbol(name).map(|(module, symbol)| self.symbol_entity(module, symbol))
    }

    /// Returns the type of the value of a global that the file itself does not declare.
    pub(crate) fn global_value_type(&self, name: &str) -> Ty<'w> {
        self.global_symbol(name).map_or(Ty::Unknown, |(module, symbol)| self.symbol_type(module, symbol))
    }

    /// Returns the type of the global object of browsers: that of the platform, and the members that an interface
    /// `Window` of a script or of a `declare global` block adds.
    pub(crate) fn window_type(&self) -> Ty<'w> {
        let others = self.global_modules.borrow().clone();
        let modules = others.into_iter().filter(|module| *module != OPEN_DOCUMENT).chain([OPEN_DOCUMENT]);
        let added = modules.filter_map(|module| {
            let loaded = self.module(module);
            let mut scopes = global_scopes(&loaded);
            scopes.extend((!loaded.is_module()).then(|| loaded.scoping().root_scope_id()));
            let bound = |scope| loaded.scoping().get_binding(scope, Ident::from("Window"));
            let symbol = scopes.into_iter().find_map(bound)?;
            Some(Ty::Instance(Owner::Symbol(module, symbol), None))
        });
        Ty::intersection_of(added.chain([builtins::global_type("window")]))
    }

    fn collect_globals(&self) -> HashMap<String, (u32, SymbolId)> {
        let mut found = HashMap::new();
        let others = self.global_modules.borrow().clone();
        for module in others.into_iter().filter(|module| *module != OPEN_DOCUMENT).chain([OPEN_DOCUMENT]) {
            let loaded = self.module(module);
            for (name, symbol) in global_bindings(&loaded, module == OPEN_DOCUMENT) {
                // A declaration that has the name of a global of the platform only extends that global.
                if !builtins::is_platform_name(&name) {
                    found.entry(name).or_insert((module, symbol));
                }
            }
        }
        found
    }
}

/// Returns the names that a module declares for all files. Those of the open document itself are already bound to their
/// uses if it is a script.
fn global_bindings(module: &Module<'_>, is_open: bool) -> Vec<(String, SymbolId)> {
    let scoping = module.scoping();
    let mut scopes = global_scopes(module);
    if !is_open && !module.is_module() {
        scopes.push(scoping.root_scope_id());
    }
    let named = |symbol: SymbolId| (scoping.symbol_name(symbol).to_owned(), symbol);
    scopes.into_iter().flat_map(|scope| scoping.iter_bindings_in(scope)).map(named).collect()
}

/// Returns the scopes of the `declare global` blocks of a module.
fn global_scopes(module: &Module<'_>) -> Vec<ScopeId> {
    let blocks = module.program.body.iter().filter_map(|statement| match statement {
        Statement::TSGlobalDeclaration(global) => global.scope_id.get(),
        _ => None,
    });
    blocks.collect()
}

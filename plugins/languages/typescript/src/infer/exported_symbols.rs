//! CommonJS exports with the name of the symbol that they export: `module.exports = { f }`, `exports.f = f`. The symbol
//! and the export are renamed together, as with `export function f() {}`.

use oxc_ast::AstKind;
use oxc_ast::ast::Expression;
use oxc_semantic::SymbolId;

use crate::infer::checker::Checker;
use crate::program::commonjs;
use crate::program::exports::Export;
use crate::program::ids::{ModuleRef, Site};

impl Checker<'_> {
    /// Returns the exports of a symbol under its own name, if the site declares the symbol, and the declarations of the
    /// symbol, if the site is such an export.
    pub(crate) fn export_counterparts(&self, site: Site, name: &str) -> Vec<Site> {
        if site == Site::WATCHED {
            return Vec::new();
        }
        let exports = self.exports(ModuleRef { module: site.module, block: None });
        let mut found = Vec::new();
        for export in exports.named.get(name).into_iter().flatten() {
            let Export::Assigned { at, value: Some(Expression::Identifier(local)) } = export else { continue };
            let Some(symbol) = self.resolve_identifier(site.module, local).filter(|_| local.name == name) else {
                continue;
            };
            let declared = self.sites_of(site.module, symbol);
            if !self.is_own_declaration(site.module, symbol) {
                continue;
            }
            if *at == site.offset {
                found.extend(declared);
            } else if declared.contains(&site) {
                found.push(Site { module: site.module, offset: *at });
            }
        }
        found
    }

    /// Returns the symbol whose export under its own name is at a site.
    pub(crate) fn exported_symbol(&self, site: Site, name: &str) -> Option<Site> {
        let is_export = |declared: &&Site| self.export_counterparts(**declared, name).contains(&site);
        self.export_counterparts(site, name).iter().find(is_export).copied()
    }

    /// Returns whether a symbol is a declaration of the module itself: exports of imported or required names are
    /// re-exports, and a parameter is not part of the interface of the module.
    fn is_own_declaration(&self, module: u32, symbol: SymbolId) -> bool {
        let held = self.module(module);
        match held.kind(held.scoping().symbol_declaration(symbol)) {
            AstKind::VariableDeclarator(_) => !commonjs::is_required(&held, symbol),
            kind => matches!(kind, AstKind::Function(_) | AstKind::Class(_) | AstKind::TSEnumDeclaration(_)),
        }
    }
}

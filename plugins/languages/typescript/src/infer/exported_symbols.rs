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
    /// Returns the exports of a symbol under its own name, if the site declares the symbol. If the site is an export,
    /// returns the other assignments of the same export, and the declarations of the symbol with its name. Includes the
    /// same export in the declaration file of a JavaScript file.
    pub(crate) fn export_counterparts(&self, site: Site, name: &str) -> Vec<Site> {
        let (exports, declared) = self.exports_and_symbols(site, name);
        let mut sites: Vec<Site> = match () {
            () if exports.contains(&site) => exports.into_iter().chain(declared).filter(|it| *it != site).collect(),
            () if declared.contains(&site) => exports,
            () => Vec::new(),
        };
        sites.extend(self.paired_sites(site, name));
        sites
    }

    /// Returns the symbol whose export under its own name is at a site.
    pub(crate) fn exported_symbol(&self, site: Site, name: &str) -> Option<Site> {
        let (exports, declared) = self.exports_and_symbols(site, name);
        declared.first().copied().filter(|_| exports.contains(&site))
    }

    /// Returns the assignments of a CommonJS export in the module of a site, and the declarations of the symbols with
    /// the same name that they export.
    fn exports_and_symbols(&self, site: Site, name: &str) -> (Vec<Site>, Vec<Site>) {
        let (mut found, mut declared) = (Vec::new(), Vec::new());
        if site == Site::WATCHED {
            return (found, declared);
        }
        let exports = self.exports(ModuleRef { module: site.module, block: None });
        let mut values = Vec::new();
        for export in exports.named.get(name).into_iter().flatten() {
            let Export::Assigned { at, value } = export else { continue };
            found.push(Site { module: site.module, offset: *at });
            values.extend(*value);
        }
        if found.is_empty() {
            return (found, declared);
        }
        let loaded = self.module(site.module);
        values.extend(loaded.expandos().exported_values(name));
        for value in values {
            let Expression::Identifier(local) = value else { continue };
            let symbol = self.resolve_identifier(site.module, local).filter(|_| local.name == name);
            if let Some(symbol) = symbol.filter(|symbol| self.is_own_declaration(site.module, *symbol)) {
                declared.extend(self.sites_of(site.module, symbol));
            }
        }
        declared.sort_unstable();
        declared.dedup();
        (found, declared)
    }

    /// Returns whether a symbol is a declaration of the module itself: exports of imported or required names are
    /// re-exports, and a parameter is not part of the interface of the module.
    fn is_own_declaration(&self, module: u32, symbol: SymbolId) -> bool {
        let loaded = self.module(module);
        match loaded.kind(loaded.scoping().symbol_declaration(symbol)) {
            AstKind::VariableDeclarator(_) => !commonjs::is_required(&loaded, symbol),
            kind => matches!(kind, AstKind::Function(_) | AstKind::Class(_) | AstKind::TSEnumDeclaration(_)),
        }
    }
}

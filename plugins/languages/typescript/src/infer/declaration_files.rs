//! Pairs of a JavaScript file and its declaration file: `a.js` and `a.d.ts` declare the same exports, so a name is renamed
//! in both.

use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Prop, Source, Ty};
use crate::program::ids::{ModuleRef, Site};

/// Extensions of JavaScript files and of their declaration files.
const PAIRS: [(&str, &str); 4] = [(".js", ".d.ts"), (".jsx", ".d.ts"), (".mjs", ".d.mts"), (".cjs", ".d.cts")];

/// Maximum number of exports whose members are compared.
const MAX_EXPORTS: usize = 256;

impl<'w> Checker<'w> {
    /// Returns the declarations of the same export, or of the same member of an export, in the other file of a pair.
    pub(super) fn paired_sites(&self, site: Site, name: &str) -> Vec<Site> {
        if site == Site::WATCHED {
            return Vec::new();
        }
        let Some(other) = self.paired_module(site.module) else { return Vec::new() };
        let exported = self.exported_props(module_ref(site.module), name).sites();
        if exported.contains(&site) {
            return self.exported_props(module_ref(other), name).sites();
        }
        let exports = self.exports(module_ref(site.module));
        let mut names: Vec<&str> = exports.named.keys().copied().take(MAX_EXPORTS).collect();
        names.sort_unstable();
        names.extend((!exports.whole.is_empty()).then_some("default"));
        names.into_iter().find_map(|export| self.paired_members((site, other), export, name)).unwrap_or_default()
    }

    /// Returns the declarations of a member of an export in the other file, if the site is one of them in its own file.
    fn paired_members(&self, (site, other): (Site, u32), export: &str, name: &str) -> Option<Vec<Site>> {
        let own = self.exported_props(module_ref(site.module), export);
        let is_static = own.found.iter().find_map(|prop| self.member_side(prop, site, name))?;
        let paired = self.exported_props(module_ref(other), export).found;
        let sites = paired
            .iter()
            .flat_map(|prop| self.exported_type(prop, is_static))
            .flat_map(|ty| self.props(&ty, name).sites());
        Some(sites.filter(|found| found.module == other).collect())
    }

    /// Returns true if the site is a static member of an exported value, false if it is one of its instances.
    fn member_side(&self, prop: &Prop<'w>, site: Site, name: &str) -> Option<bool> {
        [true, false].into_iter().find(|is_static| {
            self.exported_type(prop, *is_static).is_some_and(|ty| self.props(&ty, name).sites().contains(&site))
        })
    }

    /// Returns the type of an export itself, or of its instances.
    fn exported_type(&self, prop: &Prop<'w>, is_static: bool) -> Option<Ty<'w>> {
        let ty = self.source_type(&prop.source);
        match (&ty, is_static) {
            (Ty::Static(owner), false) => Some(Ty::Instance(*owner, None)),
            (_, true) => Some(ty),
            _ => self.declared_interface(&prop.source),
        }
    }

    fn declared_interface(&self, source: &Source<'w>) -> Option<Ty<'w>> {
        let Source::Symbol(module, symbol) = source else { return None };
        Some(self.declared_type(&Entity::Symbol(*module, *symbol), Vec::new()))
    }

    fn paired_module(&self, module: u32) -> Option<u32> {
        let path = self.module(module).path.clone();
        let partner = |(code, types): &(&str, &str)| {
            let to_types = path.strip_suffix(code).map(|stem| format!("{stem}{types}"));
            to_types.or_else(|| path.strip_suffix(types).map(|stem| format!("{stem}{code}")))
        };
        PAIRS.iter().filter_map(partner).find_map(|partner| self.load(&partner))
    }
}

fn module_ref(module: u32) -> ModuleRef {
    ModuleRef { module, block: None }
}

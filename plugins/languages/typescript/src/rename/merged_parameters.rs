//! Type parameters of declarations that TypeScript merges across files: `interface Box<T>` in two scripts, and a type of
//! a module with a `declare module "./box"` block of another file. All declarations must have the same type parameters.

use marquetry_sdk::DeclaredKey;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::program::ResolvedModule;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::rename::Usages;
use crate::rename::search_target::SearchTarget;
use crate::rename::uses::find_uses;

/// Type parameter of a declaration that others may be merged with.
struct Parameter {
    index: usize,
    owner: MergedName,
}

/// Name of a declaration; declarations with the same name are merged.
struct MergedName {
    /// The names of the namespaces around the declaration, and its own.
    path: Vec<String>,
    home: Home,
}

/// The modules in which the outermost name of a declaration is visible.
enum Home {
    /// Visible in all scripts.
    Global,
    /// Visible in a module that declares the name at these sites.
    Module(Vec<Site>),
    /// Visible in a module that is only declared by `declare module "x"`.
    Ambient(String),
}

impl MergedName {
    fn is_same(&self, other: &MergedName) -> bool {
        let is_same_home = match (&self.home, &other.home) {
            (Home::Global, Home::Global) => true,
            (Home::Module(one), Home::Module(other)) => one.iter().any(|site| other.contains(site)),
            (Home::Ambient(one), Home::Ambient(other)) => one == other,
            _ => false,
        };
        is_same_home && self.path == other.path
    }
}

impl<'w> Checker<'w> {
    /// Returns the key by which other files are asked about a type parameter: the files that write the name of its owner.
    pub(super) fn merged_parameter_key(&self, symbol: SymbolId) -> Option<DeclaredKey> {
        let parameter = self.merged_parameter(OPEN_DOCUMENT, symbol)?;
        let here = self.open_module();
        let site = Site { module: OPEN_DOCUMENT, offset: here.scoping().symbol_span(symbol).start };
        Some(DeclaredKey {
            name: here.scoping().symbol_name(symbol).to_owned(),
            locations: vec![self.location_of(site)],
            forms: parameter.owner.path.last().cloned().into_iter().collect(),
        })
    }

    /// Finds the uses of a type parameter that another file, or this one, declares. `None` if the key is not
    /// that of a type parameter.
    pub(super) fn usages_of_merged_parameter(&self, key: &DeclaredKey) -> Option<Usages> {
        let sites = key.locations.iter().filter_map(|place| self.site_at(place));
        let known = sites.into_iter().find_map(|site| self.merged_parameter_at(site, &key.name))?;
        let here = self.open_module();
        let is_same = |symbol: &SymbolId| {
            let own = self.merged_parameter(OPEN_DOCUMENT, *symbol);
            own.is_some_and(|own| own.index == known.index && own.owner.is_same(&known.owner))
        };
        let nodes = here.semantic().nodes().iter();
        let declared = nodes.filter_map(|node| match node.kind() {
            AstKind::TSTypeParameter(parameter) if parameter.name.name == key.name.as_str() => {
                parameter.name.symbol_id.get()
            }
            _ => None,
        });
        let symbols: Vec<SymbolId> = declared.filter(is_same).collect();
        let mut usages = Usages { name: key.name.clone(), declared: Some(key.clone()), ..Usages::default() };
        if !symbols.is_empty() {
            let sites = symbols.iter().flat_map(|symbol| self.sites_of(OPEN_DOCUMENT, *symbol)).collect();
            let wanted = SearchTarget { name: key.name.clone(), sites, joined: symbols, ..SearchTarget::default() };
            usages.found = find_uses(self, wanted);
            usages.add_joined_declarations(self);
        }
        Some(usages)
    }

    fn merged_parameter_at(&self, site: Site, name: &str) -> Option<Parameter> {
        let loaded = self.module(site.module);
        let identifiers = loaded.identifiers(name);
        let own = identifiers.iter().find(|it| loaded.kind(it.node).span().start == site.offset)?;
        match loaded.parent_kind(own.node) {
            AstKind::TSTypeParameter(parameter) => self.merged_parameter(site.module, parameter.name.symbol_id.get()?),
            _ => None,
        }
    }

    /// Returns the place of a type parameter in a class or interface that other files may add to.
    fn merged_parameter(&self, module: u32, symbol: SymbolId) -> Option<Parameter> {
        let loaded = self.module(module);
        let declaration = loaded.scoping().symbol_declaration(symbol);
        let AstKind::TSTypeParameter(parameter) = loaded.kind(declaration) else { return None };
        let list = loaded.parent(declaration);
        let AstKind::TSTypeParameterDeclaration(parameters) = loaded.kind(list) else { return None };
        let index = parameters.params.iter().position(|other| other.span == parameter.span)?;
        Some(Parameter { index, owner: self.merged_name(module, loaded.parent(list))? })
    }

    /// Returns the name under which a class or interface is merged with others. `None` if it is local.
    fn merged_name(&self, module: u32, owner: NodeId) -> Option<MergedName> {
        let loaded = self.module(module);
        let name = match loaded.kind(owner) {
            AstKind::TSInterfaceDeclaration(interface) => interface.id.name.to_string(),
            AstKind::Class(class) => class.id.as_ref()?.name.to_string(),
            _ => return None,
        };
        let mut path = vec![name];
        for around in loaded.self_and_ancestors(owner).skip(1) {
            match loaded.kind(around) {
                AstKind::TSNamespaceDeclaration(namespace) => path.insert(0, namespace.id.name.to_string()),
                AstKind::TSGlobalDeclaration(_) => return Some(MergedName { path, home: Home::Global }),
                AstKind::TSExternalModuleDeclaration(block) => {
                    let home = self.home_of_block(module, block.id.value.as_str()?, &path[0]);
                    return Some(MergedName { path, home });
                }
                AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) | AstKind::BlockStatement(_) => return None,
                _ => {}
            }
        }
        let home = if loaded.is_module() {
            let root = loaded.scoping().get_root_binding(Ident::from(path[0].as_str()))?;
            Home::Module(self.sites_of(module, root))
        } else {
            Home::Global
        };
        Some(MergedName { path, home })
    }

    /// Returns where a `declare module "x"` block adds a name: to a module of the workspace, or to an ambient one.
    fn home_of_block(&self, module: u32, specifier: &'w str, name: &str) -> Home {
        match self.resolve_module(module, specifier) {
            ResolvedModule::Module(found) if found.block.is_none() => {
                Home::Module(self.exported_props(found, name).sites())
            }
            _ => Home::Ambient(specifier.to_owned()),
        }
    }
}

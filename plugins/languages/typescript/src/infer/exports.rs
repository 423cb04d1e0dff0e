//! Resolution of imported and exported names.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Prop, Props, Source, Ty};
use crate::program::ResolvedModule;
use crate::program::commonjs;
use crate::program::exports::{Export, default_symbol, export_name};
use crate::program::ids::{ModuleRef, Site};

/// Maximum length of a chain of re-exports.
const LONGEST_CHAIN: usize = 100;

impl<'w> Checker<'w> {
    /// Returns the export of a module with this name, as a member of the module.
    pub(crate) fn exported_props(&self, of: ModuleRef, name: &str) -> Props<'w> {
        self.reexported_props(of, name, &mut HashSet::new(), 0)
    }

    /// Resolves an export through re-exports. A module that was already visited contributes nothing.
    fn reexported_props(&self, of: ModuleRef, name: &str, visited: &mut HashSet<ModuleRef>, depth: usize) -> Props<'w> {
        if depth > LONGEST_CHAIN {
            return Props::unknown();
        }
        if !visited.insert(of) {
            return Props::none();
        }
        if name == "default"
            && of.block.is_none()
            && let Some(component) = self.component_value(of.module)
        {
            return Props::single(None, Source::Ty(component));
        }
        let exports = self.exports(of);
        let mut props = Props::none();
        if let Some(named) = exports.named.get(name) {
            for export in named {
                props.add(self.export_prop(of, *export));
            }
            return props;
        }
        match (name, exports.whole.as_slice()) {
            ("default", [whole]) => return Props::single(None, Source::Value(of.module, whole)),
            ("default", _) if exports.is_commonjs() => {
                return Props::single(None, Source::Ty(self.module_object_type(of)));
            }
            ("default", _) => return props,
            (_, []) => {}
            (_, all) => {
                all.iter().for_each(|whole| props.add(self.props(&self.expression_type(of.module, whole), name)))
            }
        }
        if !props.found.is_empty() {
            return props;
        }
        for specifier in exports.star_specifiers.iter().chain(&exports.required) {
            match self.resolve_module(of.module, specifier) {
                ResolvedModule::Module(next) => props.add(self.reexported_props(next, name, visited, depth + 1)),
                ResolvedModule::Watched => {}
                ResolvedModule::External => props.external = true,
                ResolvedModule::Unknown => props.may_have_more = true,
            }
        }
        props
    }

    fn export_prop(&self, of: ModuleRef, export: Export<'w>) -> Props<'w> {
        let site = |offset| Some(Site { module: of.module, offset });
        match export {
            Export::Declared(symbol) => self.symbol_prop(of.module, symbol),
            Export::Listed { at, symbol: Some(symbol) } => Props::single(site(at), Source::Symbol(of.module, symbol)),
            Export::Listed { at, symbol: None } => Props::single(site(at), Source::Ty(Ty::Unknown)),
            Export::From { at, specifier, name } => {
                let ty = self.entity_type(&self.import_entity(of.module, specifier, name));
                Props::single(site(at), Source::Ty(ty))
            }
            Export::Space { at, specifier } => {
                let ty = self.module_type(of.module, specifier);
                Props::single(site(at), Source::Ty(ty))
            }
            Export::Default(export) => match default_symbol(export) {
                Some(symbol) => Props::single(None, Source::Symbol(of.module, symbol)),
                None => Props::single(None, self.default_source(of.module, export)),
            },
            Export::Assigned { at, value } => {
                let source = value.map_or(Source::Ty(Ty::Unknown), |value| Source::Value(of.module, value));
                Props::single(site(at), source)
            }
        }
    }

    /// Returns a symbol as a member of the surrounding module or namespace.
    pub(crate) fn symbol_prop(&self, module: u32, symbol: SymbolId) -> Props<'w> {
        let sites = self.sites_of(module, symbol);
        let prop = |site| Prop { site: Some(site), source: Source::Symbol(module, symbol), optional: false };
        Props { found: sites.into_iter().map(prop).collect(), ..Props::default() }
    }

    /// Returns the type of the value that `require` returns for a module. It has all exports, also those that are
    /// assigned to members of the value.
    pub(crate) fn module_object_type(&self, of: ModuleRef) -> Ty<'w> {
        let whole = self.exports(of).whole.clone();
        let whole = whole.into_iter().map(|whole| self.expression_type(of.module, whole));
        Ty::intersection_of(whole.chain([Ty::Module(of)]))
    }

    /// Returns the type of the module that a specifier resolves to.
    pub(crate) fn module_type(&self, module: u32, specifier: &'w str) -> Ty<'w> {
        match self.resolve_module(module, specifier) {
            ResolvedModule::Module(found) => Ty::Module(found),
            ResolvedModule::External => Ty::External,
            ResolvedModule::Unknown => Ty::Unknown,
            ResolvedModule::Watched => Ty::Watched(0),
        }
    }

    /// Resolves a name imported from a module.
    pub(crate) fn import_entity(&self, module: u32, specifier: &'w str, name: &str) -> Entity<'w> {
        match self.resolve_module(module, specifier) {
            ResolvedModule::Module(found) => self.with_depth(Entity::Unknown, || self.export_entity(found, name)),
            ResolvedModule::External => Entity::External,
            ResolvedModule::Unknown => Entity::Unknown,
            ResolvedModule::Watched => self.watched(0, name),
        }
    }

    /// Continues along the path of the [`crate::program::Watch`]: `read` names of the path are already matched, and
    /// `name` must be the next one.
    pub(crate) fn watched(&self, read: usize, name: &str) -> Entity<'w> {
        let Some(watch) = &self.watch else { return Entity::Unknown };
        let next = watch.path.get(read);
        if name == "default" && read == 0 && watch.is_commonjs && next.is_some_and(|next| next != "default") {
            return Entity::Watched(read);
        }
        if next.is_some_and(|next| next == name) { Entity::Watched(read + 1) } else { Entity::Unknown }
    }

    /// Resolves a name exported by a module.
    pub(crate) fn export_entity(&self, of: ModuleRef, name: &str) -> Entity<'w> {
        let props = self.exported_props(of, name);
        let Some(first) = props.found.first() else {
            return if props.external && !props.may_have_more { Entity::External } else { Entity::Unknown };
        };
        match &first.source {
            Source::Symbol(module, symbol) => self.symbol_entity(*module, *symbol),
            Source::Value(module, Expression::Identifier(name)) => match self.resolve_identifier(*module, name) {
                Some(symbol) => self.symbol_entity(*module, symbol),
                None => Entity::Unknown,
            },
            other => Entity::Value(self.source_type(other)),
        }
    }

    /// Returns the symbol that a name refers to.
    pub(crate) fn resolve_identifier(&self, module: u32, name: &IdentifierReference<'w>) -> Option<SymbolId> {
        let reference = name.reference_id.get()?;
        self.module(module).scoping().get_reference(reference).symbol_id()
    }

    /// Returns the entity of a symbol; imports and aliases are resolved.
    pub(crate) fn symbol_entity(&self, module: u32, symbol: SymbolId) -> Entity<'w> {
        let loaded = self.module(module);
        if !loaded.scoping().symbol_flags(symbol).is_import() && !loaded.scoping().symbol_flags(symbol).is_type_import()
        {
            return self.required_entity(module, symbol).unwrap_or(Entity::Symbol(module, symbol));
        }
        let declaration = loaded.scoping().symbol_declaration(symbol);
        let source = || match loaded.parent_kind(declaration) {
            AstKind::ImportDeclaration(import) => import.source.value.as_str(),
            _ => None,
        };
        let follow = || match loaded.kind(declaration) {
            AstKind::ImportSpecifier(specifier) => source()
                .map_or(Entity::Unknown, |source| self.import_entity(module, source, export_name(&specifier.imported))),
            AstKind::ImportDefaultSpecifier(_) => {
                source().map_or(Entity::Unknown, |source| self.import_entity(module, source, "default"))
            }
            AstKind::ImportNamespaceSpecifier(_) => {
                source().map_or(Entity::Unknown, |source| self.module_entity(module, source))
            }
            AstKind::TSImportEqualsDeclaration(import) => match &import.module_reference {
                TSModuleReference::ExternalModuleReference(reference) => match reference.expression.value.as_str() {
                    Some(source) => self.module_entity(module, source),
                    None => Entity::Unknown,
                },
                TSModuleReference::IdentifierReference(name) => {
                    self.resolve_identifier(module, name).map_or(Entity::Unknown, |symbol| {
                        self.with_depth(Entity::Unknown, || self.symbol_entity(module, symbol))
                    })
                }
                TSModuleReference::QualifiedName(name) => self.qualified_entity(module, name),
            },
            _ => Entity::Symbol(module, symbol),
        };
        self.with_depth(Entity::Unknown, follow)
    }

    /// Returns the entity of a constant that is an export of a required module. `None` if it is something else, or if the
    /// export is not a declaration.
    fn required_entity(&self, module: u32, symbol: SymbolId) -> Option<Entity<'w>> {
        let (specifier, name) = commonjs::required_binding(&self.module(module), symbol)?;
        let found = match name {
            "*" => self.with_depth(Entity::Unknown, || self.module_entity(module, specifier)),
            name => self.import_entity(module, specifier, name),
        };
        matches!(found, Entity::Symbol(..)).then_some(found)
    }

    fn module_entity(&self, module: u32, specifier: &'w str) -> Entity<'w> {
        match self.resolve_module(module, specifier) {
            ResolvedModule::Module(found) => match self.exports(found).export_equals {
                Some(Expression::Identifier(name)) => match self.resolve_identifier(found.module, name) {
                    Some(symbol) => self.symbol_entity(found.module, symbol),
                    None => Entity::Module(found),
                },
                Some(_) => Entity::Value(self.module_object_type(found)),
                None => Entity::Module(found),
            },
            ResolvedModule::External => Entity::External,
            ResolvedModule::Unknown => Entity::Unknown,
            ResolvedModule::Watched => Entity::Watched(0),
        }
    }

    /// Returns the source of the type of a default export. If the export is only a name (`export default a`), the
    /// source is that name, which is resolved when the type is needed.
    fn default_source(&self, module: u32, export: &'w ExportDefaultDeclaration<'w>) -> Source<'w> {
        match export.declaration.as_expression() {
            Some(name @ Expression::Identifier(_)) => Source::Value(module, name),
            _ => Source::Ty(self.default_type(module, export)),
        }
    }

    fn default_type(&self, module: u32, export: &'w ExportDefaultDeclaration<'w>) -> Ty<'w> {
        match &export.declaration {
            ExportDefaultDeclarationKind::ClassDeclaration(class) => self.class_type(module, class),
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => self.function_type(module, function),
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => Ty::Primitive,
            other => other.as_expression().map_or(Ty::Unknown, |value| self.expression_type(module, value)),
        }
    }
}

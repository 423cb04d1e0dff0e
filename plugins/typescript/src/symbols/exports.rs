//! What modules offer under which names, and what a name taken from a module stands for.

use std::collections::HashMap;
use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use super::ty::{Entity, Prop, Props, Source, Ty};
use super::world::{Lead, Module, ModuleRef, Site, World};

/// Chains of re-exports longer than this are not followed.
const LONGEST_CHAIN: usize = 24;

/// One thing a module exports.
#[derive(Clone, Copy)]
pub(crate) enum Export<'w> {
    /// `export class A`, or anything in a block that exports all it declares.
    Declared(SymbolId),
    /// `export { a as b }`: where the outer name stands, and the local one.
    Listed { at: u32, symbol: Option<SymbolId> },
    /// `export { a as b } from "./x"`
    From { at: u32, specifier: &'w str, name: &'w str },
    /// `export * as a from "./x"`
    Space { at: u32, specifier: &'w str },
    /// `export default …`
    Default(&'w ExportDefaultDeclaration<'w>),
    /// `exports.a = …`
    Assigned { at: u32, value: Option<&'w Expression<'w>> },
}

/// All that a module exports.
#[derive(Default)]
pub(crate) struct Exports<'w> {
    pub(crate) named: HashMap<&'w str, Vec<Export<'w>>>,
    /// The specifiers of `export * from`.
    pub(crate) stars: Vec<&'w str>,
    /// `export =` or `module.exports =`.
    pub(crate) whole: Option<&'w Expression<'w>>,
}

impl<'w> Exports<'w> {
    fn add(&mut self, name: &'w str, export: Export<'w>) {
        self.named.entry(name).or_default().push(export);
    }
}

/// The name in an export or import list.
pub(crate) fn export_name<'w>(name: &ModuleExportName<'w>) -> &'w str {
    match name {
        ModuleExportName::IdentifierName(name) => name.name.as_str(),
        ModuleExportName::IdentifierReference(name) => name.name.as_str(),
        ModuleExportName::StringLiteral(name) => name.value.as_str().unwrap_or_default(),
    }
}

/// The names that a declaration declares.
pub(crate) fn declared_names<'w>(declaration: &'w Declaration<'w>) -> Vec<&'w BindingIdentifier<'w>> {
    match declaration {
        Declaration::VariableDeclaration(variables) => {
            variables.declarations.iter().flat_map(|variable| variable.id.get_binding_identifiers()).collect()
        }
        Declaration::FunctionDeclaration(function) => function.id.iter().collect(),
        Declaration::ClassDeclaration(class) => class.id.iter().collect(),
        Declaration::TSTypeAliasDeclaration(alias) => vec![&alias.id],
        Declaration::TSInterfaceDeclaration(interface) => vec![&interface.id],
        Declaration::TSEnumDeclaration(declared) => vec![&declared.id],
        Declaration::TSNamespaceDeclaration(namespace) => vec![&namespace.id],
        Declaration::TSImportEqualsDeclaration(import) => vec![&import.id],
        Declaration::TSExternalModuleDeclaration(_) | Declaration::TSGlobalDeclaration(_) => Vec::new(),
    }
}

fn collect<'w>(module: &Module<'w>, block: Option<NodeId>) -> Exports<'w> {
    let mut exports = Exports::default();
    let statements: &'w [Statement<'w>] = match block.map(|block| module.kind(block)) {
        None => &module.program.body,
        Some(AstKind::TSExternalModuleDeclaration(declared)) => declared.body.as_ref().map_or(&[], |body| &body.body),
        Some(_) => &[],
    };
    let lists = |statement: &Statement<'_>| {
        matches!(statement, Statement::ExportNamedDeclaration(_) | Statement::TSExportAssignment(_))
    };
    // A block of an ambient module exports all that it declares, unless it says otherwise.
    let all = block.is_some() && !statements.iter().any(lists);
    for statement in statements {
        export_statement(module, statement, &mut exports);
        if all && let Some(declaration) = statement.as_declaration() {
            declare(declaration, &mut exports);
        }
    }
    if block.is_none() {
        for (name, at, value) in module.expandos.get_or_init(|| super::expandos::collect(module)).exported() {
            exports.add(name, Export::Assigned { at, value });
        }
    }
    exports
}

fn declare<'w>(declaration: &'w Declaration<'w>, exports: &mut Exports<'w>) {
    for name in declared_names(declaration) {
        if let Some(symbol) = name.symbol_id.get() {
            exports.add(name.name.as_str(), Export::Declared(symbol));
        }
    }
}

fn export_statement<'w>(module: &Module<'w>, statement: &'w Statement<'w>, exports: &mut Exports<'w>) {
    match statement {
        Statement::ExportDeclaration(export) => declare(&export.declaration, exports),
        Statement::ExportNamedDeclaration(export) => {
            for specifier in &export.specifiers {
                let symbol = match &specifier.local {
                    ModuleExportName::IdentifierReference(name) => {
                        name.reference_id.get().and_then(|id| module.scoping().get_reference(id).symbol_id())
                    }
                    _ => None,
                };
                let at = specifier.exported.span().start;
                exports.add(export_name(&specifier.exported), Export::Listed { at, symbol });
            }
        }
        Statement::ExportFromDeclaration(export) => {
            let Some(source) = export.source.value.as_str() else { return };
            for specifier in &export.specifiers {
                let at = specifier.exported.span().start;
                let name = export_name(&specifier.local);
                exports.add(export_name(&specifier.exported), Export::From { at, specifier: source, name });
            }
        }
        Statement::ExportAllDeclaration(export) => {
            let Some(source) = export.source.value.as_str() else { return };
            match &export.exported {
                Some(name) => {
                    exports.add(export_name(name), Export::Space { at: name.span().start, specifier: source })
                }
                None => exports.stars.push(source),
            }
        }
        Statement::ExportDefaultDeclaration(export) => exports.add("default", Export::Default(export)),
        Statement::TSExportAssignment(export) => exports.whole = Some(&export.expression),
        Statement::ExpressionStatement(statement) => {
            if let Some(value) = super::expandos::module_exports(&statement.expression) {
                exports.whole = Some(value);
            }
        }
        _ => {}
    }
}

impl<'w> World<'w> {
    /// What a module exports.
    pub(crate) fn exports(&self, of: ModuleRef) -> Rc<Exports<'w>> {
        let module = self.module(of.module);
        if let Some(known) = module.exports.borrow().get(&of.block) {
            return known.clone();
        }
        let exports = Rc::new(collect(&module, of.block));
        module.exports.borrow_mut().insert(of.block, exports.clone());
        exports
    }

    /// What a name exported by a module is, seen as a member of the module.
    pub(crate) fn exported(&self, of: ModuleRef, name: &str) -> Props<'w> {
        self.exported_through(of, name, &mut Vec::new())
    }

    fn exported_through(&self, of: ModuleRef, name: &str, seen: &mut Vec<ModuleRef>) -> Props<'w> {
        if seen.contains(&of) || seen.len() >= LONGEST_CHAIN {
            return Props::none();
        }
        seen.push(of);
        let exports = self.exports(of);
        let mut props = Props::none();
        if let Some(named) = exports.named.get(name) {
            for export in named {
                props.add(self.export_prop(of, *export));
            }
            return props;
        }
        if let Some(whole) = exports.whole {
            if name == "default" {
                return Props::one(None, Source::Value(of.module, whole));
            }
            return self.props(&self.value(of.module, whole), name);
        }
        if name == "default" {
            return props;
        }
        for specifier in &exports.stars {
            match self.lead(of.module, specifier) {
                Lead::Module(next) => props.add(self.exported_through(next, name, seen)),
                Lead::Watched => {}
                Lead::External => props.external = true,
                Lead::Unknown => props.open = true,
            }
        }
        props
    }

    fn export_prop(&self, of: ModuleRef, export: Export<'w>) -> Props<'w> {
        let site = |offset| Some(Site { module: of.module, offset });
        match export {
            Export::Declared(symbol) => self.symbol_prop(of.module, symbol),
            Export::Listed { at, symbol: Some(symbol) } => Props::one(site(at), Source::Symbol(of.module, symbol)),
            Export::Listed { at, symbol: None } => Props::one(site(at), Source::Ty(Ty::Unknown)),
            Export::From { at, specifier, name } => {
                let ty = self.entity_type(&self.import(of.module, specifier, name));
                Props::one(site(at), Source::Ty(ty))
            }
            Export::Space { at, specifier } => {
                let ty = self.space(of.module, specifier);
                Props::one(site(at), Source::Ty(ty))
            }
            Export::Default(export) => match default_symbol(export) {
                Some(symbol) => Props::one(None, Source::Symbol(of.module, symbol)),
                None => Props::one(None, Source::Ty(self.default_type(of.module, export))),
            },
            Export::Assigned { at, value } => {
                let source = value.map_or(Source::Ty(Ty::Unknown), |value| Source::Value(of.module, value));
                Props::one(site(at), source)
            }
        }
    }

    /// A symbol as a member of the module or namespace around it.
    pub(crate) fn symbol_prop(&self, module: u32, symbol: SymbolId) -> Props<'w> {
        let sites = self.sites_of(module, symbol);
        let prop = |site| Prop { site: Some(site), source: Source::Symbol(module, symbol), optional: false };
        Props { found: sites.into_iter().map(prop).collect(), ..Props::default() }
    }

    /// The module that a specifier leads to, as a type.
    pub(crate) fn space(&self, module: u32, specifier: &'w str) -> Ty<'w> {
        match self.lead(module, specifier) {
            Lead::Module(found) => Ty::Module(found),
            Lead::External => Ty::External,
            Lead::Unknown => Ty::Unknown,
            Lead::Watched => Ty::Watched(0),
        }
    }

    /// What a name taken from a module stands for.
    pub(crate) fn import(&self, module: u32, specifier: &'w str, name: &str) -> Entity<'w> {
        match self.lead(module, specifier) {
            Lead::Module(found) => self.deeper(Entity::Unknown, || self.export_entity(found, name)),
            Lead::External => Entity::External,
            Lead::Unknown => Entity::Unknown,
            Lead::Watched => self.watched(0, name),
        }
    }

    /// One name further along the path that is watched.
    pub(crate) fn watched(&self, read: usize, name: &str) -> Entity<'w> {
        let next = self.watch.as_ref().and_then(|watch| watch.path.get(read));
        if next.is_some_and(|next| next == name) { Entity::Watched(read + 1) } else { Entity::Unknown }
    }

    /// What a module exports under a name.
    pub(crate) fn export_entity(&self, of: ModuleRef, name: &str) -> Entity<'w> {
        let props = self.exported(of, name);
        let Some(first) = props.found.first() else {
            return if props.external && !props.open { Entity::External } else { Entity::Unknown };
        };
        match &first.source {
            Source::Symbol(module, symbol) => self.entity(*module, *symbol),
            Source::Value(module, Expression::Identifier(name)) => match self.resolved(*module, name) {
                Some(symbol) => self.entity(*module, symbol),
                None => Entity::Unknown,
            },
            other => Entity::Value(self.source_type(other)),
        }
    }

    /// The symbol a name refers to.
    pub(crate) fn resolved(&self, module: u32, name: &IdentifierReference<'w>) -> Option<SymbolId> {
        let reference = name.reference_id.get()?;
        self.module(module).scoping().get_reference(reference).symbol_id()
    }

    /// What a symbol stands for: imports and aliases are followed to what they name.
    pub(crate) fn entity(&self, module: u32, symbol: SymbolId) -> Entity<'w> {
        let held = self.module(module);
        if !held.scoping().symbol_flags(symbol).is_import() && !held.scoping().symbol_flags(symbol).is_type_import() {
            return Entity::Symbol(module, symbol);
        }
        let declaration = held.scoping().symbol_declaration(symbol);
        let source = || match held.parent_kind(declaration) {
            AstKind::ImportDeclaration(import) => import.source.value.as_str(),
            _ => None,
        };
        let follow = || match held.kind(declaration) {
            AstKind::ImportSpecifier(specifier) => {
                source().map_or(Entity::Unknown, |source| self.import(module, source, export_name(&specifier.imported)))
            }
            AstKind::ImportDefaultSpecifier(_) => {
                source().map_or(Entity::Unknown, |source| self.import(module, source, "default"))
            }
            AstKind::ImportNamespaceSpecifier(_) => {
                source().map_or(Entity::Unknown, |source| self.space_entity(module, source))
            }
            AstKind::TSImportEqualsDeclaration(import) => match &import.module_reference {
                TSModuleReference::ExternalModuleReference(reference) => match reference.expression.value.as_str() {
                    Some(source) => self.space_entity(module, source),
                    None => Entity::Unknown,
                },
                TSModuleReference::IdentifierReference(name) => self
                    .resolved(module, name)
                    .map_or(Entity::Unknown, |symbol| self.deeper(Entity::Unknown, || self.entity(module, symbol))),
                TSModuleReference::QualifiedName(name) => self.qualified(module, name),
            },
            _ => Entity::Symbol(module, symbol),
        };
        self.deeper(Entity::Unknown, follow)
    }

    fn space_entity(&self, module: u32, specifier: &'w str) -> Entity<'w> {
        match self.lead(module, specifier) {
            Lead::Module(found) => match self.exports(found).whole {
                Some(Expression::Identifier(name)) => match self.resolved(found.module, name) {
                    Some(symbol) => self.entity(found.module, symbol),
                    None => Entity::Module(found),
                },
                Some(value) => Entity::Value(self.value(found.module, value)),
                None => Entity::Module(found),
            },
            Lead::External => Entity::External,
            Lead::Unknown => Entity::Unknown,
            Lead::Watched => Entity::Watched(0),
        }
    }

    fn default_type(&self, module: u32, export: &'w ExportDefaultDeclaration<'w>) -> Ty<'w> {
        match &export.declaration {
            ExportDefaultDeclarationKind::ClassDeclaration(class) => self.class_type(module, class),
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => self.function_type(module, function),
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => Ty::Plain,
            other => other.as_expression().map_or(Ty::Unknown, |value| self.value(module, value)),
        }
    }
}

/// The symbol that `export default` gives a name of its own.
pub(crate) fn default_symbol(export: &ExportDefaultDeclaration<'_>) -> Option<SymbolId> {
    let name = match &export.declaration {
        ExportDefaultDeclarationKind::ClassDeclaration(class) => class.id.as_ref(),
        ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.id.as_ref(),
        ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => Some(&interface.id),
        _ => None,
    };
    name.and_then(|name| name.symbol_id.get())
}

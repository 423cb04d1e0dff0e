//! Exports of modules, by name.

use std::collections::{HashMap, HashSet};

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::program::commonjs;
use crate::program::expandos::Expandos;
use crate::program::source_file::SourceFile;
use crate::program::whole_export;

/// A single export.
#[derive(Clone, Copy)]
pub(crate) enum Export<'w> {
    /// `export class A`, or a declaration in a block that exports all its declarations.
    Declared(SymbolId),
    /// `export { a as b }`: the offset of the exported name, and the local symbol.
    Listed { at: u32, symbol: Option<SymbolId> },
    /// `export { a as b } from "./x"`
    From { at: u32, specifier: &'w str, name: &'w str },
    /// `export * as a from "./x"`
    Space { at: u32, specifier: &'w str },
    /// `export default …`
    Default(&'w ExportDefaultDeclaration<'w>),
    /// `exports.a = …`, or `a` of `module.exports = { a: … }`
    Assigned { at: u32, value: Option<&'w Expression<'w>> },
}

/// All exports of a module.
#[derive(Default)]
pub(crate) struct Exports<'w> {
    pub(crate) named: HashMap<&'w str, Vec<Export<'w>>>,
    /// The specifiers of `export * from`.
    pub(crate) star_specifiers: Vec<&'w str>,
    /// `export =` or `module.exports =`: the last value that is assigned.
    pub(crate) export_equals: Option<&'w Expression<'w>>,
    /// All values that the module may export as a whole. One of them is chosen when the module is loaded.
    pub(crate) whole: Vec<&'w Expression<'w>>,
    /// Spans of the values that CommonJS exports, by name, as a whole, or by copying their members.
    pub(crate) values: HashSet<Span>,
    /// The specifiers of required modules whose exports are copied: `{ ...require("x") }`, `Object.assign(exports,
    /// require("x"))`.
    pub(crate) required: Vec<&'w str>,
}

impl<'w> Exports<'w> {
    /// Returns whether the module exports one value whose members are the exports. A default import is this value.
    pub(crate) fn is_commonjs(&self) -> bool {
        let is_assigned = |export: &Export<'_>| matches!(export, Export::Assigned { .. });
        let only_assigned = self.named.values().flatten().all(is_assigned) && self.star_specifiers.is_empty();
        !self.whole.is_empty() || only_assigned && !(self.named.is_empty() && self.required.is_empty())
    }

    fn add(&mut self, name: &'w str, export: Export<'w>) {
        if let Export::Assigned { value: Some(value), .. } = export {
            self.values.insert(value.span());
        }
        self.named.entry(name).or_default().push(export);
    }

    /// Adds the members of `module.exports = { … }`, which can be imported by name.
    fn add_members(&mut self, object: &'w ObjectExpression<'w>) {
        let spread = object.properties.iter().filter_map(|property| match property {
            ObjectPropertyKind::SpreadProperty(spread) => Some(spread.argument.span()),
            ObjectPropertyKind::ObjectProperty(_) => None,
        });
        self.values.extend(spread);
        for (name, at, value) in commonjs::exported_members(object) {
            self.add(name, Export::Assigned { at, value: Some(value) });
        }
    }
}

/// Returns the name in an export or import list.
pub(crate) fn export_name<'w>(name: &ModuleExportName<'w>) -> &'w str {
    match name {
        ModuleExportName::IdentifierName(name) => name.name.as_str(),
        ModuleExportName::IdentifierReference(name) => name.name.as_str(),
        ModuleExportName::StringLiteral(name) => name.value.as_str().unwrap_or_default(),
    }
}

/// Returns the names that a declaration declares.
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

/// Collects the exports of a module, or of a block `declare module` within it.
pub(crate) fn collect<'m, 'w: 'm>(
    file: &'m SourceFile<'w>,
    block: Option<NodeId>,
    expandos: impl FnOnce() -> &'m Expandos<'w>,
) -> Exports<'w> {
    let mut exports = Exports::default();
    let statements: &'w [Statement<'w>] = match block.map(|block| file.kind(block)) {
        None => &file.program.body,
        Some(AstKind::TSExternalModuleDeclaration(declared)) => declared.body.as_ref().map_or(&[], |body| &body.body),
        Some(_) => &[],
    };
    let lists = |statement: &Statement<'_>| {
        matches!(statement, Statement::ExportNamedDeclaration(_) | Statement::TSExportAssignment(_))
    };
    // A block of an ambient module exports all its declarations, unless it has an export list or an export assignment.
    let all = block.is_some() && !statements.iter().any(lists);
    for statement in statements {
        add_statement(file, statement, &mut exports);
        if all && let Some(declaration) = statement.as_declaration() {
            add_declaration(declaration, &mut exports);
        }
    }
    exports.whole.extend(exports.export_equals);
    let expandos = block.is_none().then(expandos);
    if let Some(expandos) = expandos {
        exports.whole.extend(expandos.whole_exports());
        exports.export_equals = exports.whole.last().copied();
    }
    for whole in exports.whole.clone() {
        exports.values.insert(whole.span());
        exports.required.extend(commonjs::reexported_modules(file, whole));
        let whole = whole_export::follow(file, whole);
        whole.objects.into_iter().for_each(|object| exports.add_members(object));
        for member in
            whole.owners.into_iter().flat_map(|owner| expandos.map_or_else(Vec::new, |it| it.assigned_to(owner)))
        {
            exports.add(member.name, Export::Assigned { at: member.offset, value: member.value });
        }
    }
    for given in expandos.into_iter().flat_map(Expandos::assigned_exports) {
        exports.values.insert(given.span());
        exports.required.extend(commonjs::reexported_modules(file, given));
        whole_export::follow(file, given).objects.into_iter().for_each(|object| exports.add_members(object));
    }
    for (name, at, value) in expandos.into_iter().flat_map(Expandos::exported) {
        exports.add(name, Export::Assigned { at, value });
    }
    exports
}

fn add_declaration<'w>(declaration: &'w Declaration<'w>, exports: &mut Exports<'w>) {
    for name in declared_names(declaration) {
        if let Some(symbol) = name.symbol_id.get() {
            exports.add(name.name.as_str(), Export::Declared(symbol));
        }
    }
}

fn add_statement<'w>(file: &SourceFile<'w>, statement: &'w Statement<'w>, exports: &mut Exports<'w>) {
    match statement {
        Statement::ExportDeclaration(export) => add_declaration(&export.declaration, exports),
        Statement::ExportNamedDeclaration(export) => {
            for specifier in &export.specifiers {
                let symbol = match &specifier.local {
                    ModuleExportName::IdentifierReference(name) => file.symbol_of(name),
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
                None => exports.star_specifiers.push(source),
            }
        }
        Statement::ExportDefaultDeclaration(export) => exports.add("default", Export::Default(export)),
        Statement::TSExportAssignment(export) => exports.export_equals = Some(&export.expression),
        _ => {}
    }
}

/// Returns the symbol of a named declaration after `export default`.
pub(crate) fn default_symbol(export: &ExportDefaultDeclaration<'_>) -> Option<SymbolId> {
    let name = match &export.declaration {
        ExportDefaultDeclarationKind::ClassDeclaration(class) => class.id.as_ref(),
        ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.id.as_ref(),
        ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => Some(&interface.id),
        _ => None,
    };
    name.and_then(|name| name.symbol_id.get())
}

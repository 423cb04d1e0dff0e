//! Re-exports of the open document, and whether it imports itself.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use crate::infer::checker::Checker;
use crate::program::ResolvedModule;
use crate::program::commonjs;
use crate::program::exports::{Export, export_name};
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};

impl<'w> Checker<'w> {
    /// Returns whether the open document may import itself, by its path or by the name of an ambient module that it
    /// declares.
    pub(crate) fn imports_itself(&self) -> bool {
        let here = self.open_module();
        let sources = here.semantic().nodes().iter().filter_map(|node| match node.kind() {
            AstKind::ImportDeclaration(import) => import.source.value.as_str(),
            AstKind::ExportFromDeclaration(export) => export.source.value.as_str(),
            AstKind::ExportAllDeclaration(export) => export.source.value.as_str(),
            AstKind::TSImportType(import) => import.source.value.as_str(),
            AstKind::TSExternalModuleReference(reference) => reference.expression.value.as_str(),
            AstKind::ImportExpression(import) => match &import.source {
                Expression::StringLiteral(source) => source.value.as_str(),
                _ => None,
            },
            _ => None,
        });
        let stem = |path: &str| {
            let name = crate::program::resolution::paths::file_name(path);
            name.split('.').next().unwrap_or(name).to_owned()
        };
        let own = stem(&here.path);
        let folder =
            crate::program::resolution::paths::file_name(crate::program::resolution::paths::parent(&here.path))
                .to_owned();
        let mut sources = sources.collect::<HashSet<_>>().into_iter();
        sources.any(|source| {
            let last = stem(source);
            let may = last == own
                || own == "index" && (last == folder || last.is_empty())
                || !crate::program::resolution::paths::is_relative(source);
            may && matches!(self.resolve_module(OPEN_DOCUMENT, source), ResolvedModule::Module(found) if found.module == OPEN_DOCUMENT)
        })
    }

    /// Returns the names under which this file re-exports a whole module.
    pub(crate) fn reexported_namespaces(&self, specifier: &str) -> Vec<String> {
        let here = self.open_module();
        let mut names = Vec::new();
        for statement in &here.program.body {
            match statement {
                Statement::ExportAllDeclaration(export) if export.source.value.as_str() == Some(specifier) => {
                    names.extend(export.exported.as_ref().map(|name| export_name(name).to_owned()));
                }
                Statement::ImportDeclaration(import) if import.source.value.as_str() == Some(specifier) => {
                    for specifier in import.specifiers.iter().flatten() {
                        if let ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) = specifier {
                            names.extend(self.exported_symbol_names(space.local.symbol_id.get()));
                        }
                    }
                }
                _ => {}
            }
        }
        let exports = self.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
        let is_module = |export: &Export<'w>| match export {
            Export::Assigned { value: Some(value), .. } => commonjs::whole_module(&here, value) == Some(specifier),
            _ => false,
        };
        let assigned = exports.named.iter().filter(|(_, all)| all.iter().any(is_module));
        names.extend(assigned.map(|(name, _)| (*name).to_owned()));
        names
    }

    /// Returns the names under which CommonJS exports members at these places: `exports.f = require("x").f`.
    pub(crate) fn exported_member_values(&self, members: &HashSet<u32>) -> Vec<String> {
        let exports = self.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
        let is_member = |value: &Expression<'w>| matches!(value, Expression::StaticMemberExpression(member) if members.contains(&member.property.span.start));
        let assigned =
            |export: &Export<'w>| matches!(export, Export::Assigned { value: Some(value), .. } if is_member(value));
        let named =
            exports.named.iter().filter(|(_, all)| all.iter().any(assigned)).map(|(name, _)| (*name).to_owned());
        let whole = exports.whole.iter().any(|whole| is_member(whole)).then(|| "default".to_owned());
        named.chain(whole).collect()
    }

    /// Returns the names under which symbols of the open document are exported, including `default`.
    pub(crate) fn reexported_symbol_names(&self, symbols: &[SymbolId]) -> Vec<String> {
        let mut names: Vec<String> =
            symbols.iter().flat_map(|symbol| self.exported_symbol_names(Some(*symbol))).collect();
        let exports = self.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
        let is_it = |name: &'w IdentifierReference<'w>| {
            self.resolve_identifier(OPEN_DOCUMENT, name).is_some_and(|symbol| symbols.contains(&symbol))
        };
        let is_default = exports.named.get("default").into_iter().flatten().any(|export| match export {
            Export::Default(export) => {
                matches!(export.declaration.as_expression(), Some(Expression::Identifier(name)) if is_it(name))
            }
            _ => false,
        });
        let is_whole = exports.whole.iter().any(|whole| matches!(whole, Expression::Identifier(name) if is_it(name)));
        names.extend((is_default || is_whole).then(|| "default".to_owned()));
        names
    }

    /// Returns the names under which a symbol of the open document is exported.
    pub(crate) fn exported_symbol_names(&self, symbol: Option<SymbolId>) -> Vec<String> {
        let Some(symbol) = symbol else { return Vec::new() };
        let exports = self.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
        let is_it = |export: &Export<'w>| match export {
            Export::Declared(found) => *found == symbol,
            Export::Listed { symbol: Some(found), .. } => *found == symbol,
            Export::Assigned { value: Some(Expression::Identifier(name)), .. } => {
                self.resolve_identifier(OPEN_DOCUMENT, name) == Some(symbol)
            }
            _ => false,
        };
        let mut names: Vec<String> =
            exports.named.iter().filter(|(_, all)| all.iter().any(is_it)).map(|(name, _)| (*name).to_owned()).collect();
        names.sort();
        names
    }
}

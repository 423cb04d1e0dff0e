//! Signatures of the language's and of frameworks' functions, from declarations that are part of the pack. They are
//! read like a file of the project, but no answer refers to them: their members have no declaration.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Signature, Ty};
use crate::program::commonjs;
use crate::program::exports::{Export, export_name};
use crate::program::ids::{ModuleRef, Owner};
use crate::program::library::{LIBRARY, block_of_package};

impl<'w> Checker<'w> {
    /// Returns whether a module is the one with the pack's own declarations.
    pub(crate) fn is_library(&self, module: u32) -> bool {
        self.module(module).path == LIBRARY
    }

    /// Returns the signatures of a callee: its own, or those of the library's function that it refers to.
    pub(crate) fn callee_signatures(&self, module: u32, callee: &'w Expression<'w>) -> Vec<Signature<'w>> {
        let own = self.signatures(&self.expression_type(module, callee), false);
        if !own.is_empty() {
            return own;
        }
        match self.library_symbol(module, callee) {
            Some((library, symbol)) => self.signatures(&Ty::Static(Owner::Symbol(library, symbol)), false),
            None => own,
        }
    }

    /// Returns the type of a package with this name, if the library declares it.
    pub(crate) fn library_type(&self, module: u32, name: &'w TSTypeName<'w>, arguments: &[Ty<'w>]) -> Option<Ty<'w>> {
        let (package, name) = match name {
            TSTypeName::IdentifierReference(name) => {
                self.import_of_package(module, self.resolve_identifier(module, name)?)?
            }
            TSTypeName::QualifiedName(qualified) => {
                let TSTypeName::IdentifierReference(space) = &qualified.left else { return None };
                (self.whole_package(module, space)?, qualified.right.name.as_str())
            }
            TSTypeName::ThisExpression(_) => return None,
        };
        let (library, symbol) = self.library_export(package, name)?;
        Some(self.declared_type(&Entity::Symbol(library, symbol), arguments.to_vec()))
    }

    /// Returns the library's function that a callee refers to: `useState`, `React.useState`, `Object.values`.
    fn library_symbol(&self, module: u32, callee: &'w Expression<'w>) -> Option<(u32, SymbolId)> {
        let is_global = |name: &IdentifierReference<'w>| {
            self.resolve_identifier(module, name).is_none() && builtins::is_platform_name(&name.name)
        };
        match callee {
            Expression::ParenthesizedExpression(inner) => self.library_symbol(module, &inner.expression),
            Expression::Identifier(name) if is_global(name) => self.library_export("global", name.name.as_str()),
            Expression::Identifier(name) => {
                let (package, name) = self.import_of_package(module, self.resolve_identifier(module, name)?)?;
                self.library_export(package, name)
            }
            Expression::StaticMemberExpression(member) => {
                let Expression::Identifier(object) = &member.object else { return None };
                let package = match is_global(object) {
                    true if object.name == "React" => "react",
                    true => object.name.as_str(),
                    false => self.whole_package(module, object)?,
                };
                self.library_export(package, member.property.name.as_str())
            }
            _ => None,
        }
    }

    /// Returns a declaration of the library.
    pub(crate) fn library_export(&self, package: &str, name: &str) -> Option<(u32, SymbolId)> {
        let library = self.load(LIBRARY)?;
        let block = block_of_package(&self.module(library), package)?;
        let exports = self.exports(ModuleRef { module: library, block: Some(block) });
        match exports.named.get(name)?.first()? {
            Export::Declared(symbol) | Export::Listed { symbol: Some(symbol), .. } => Some((library, *symbol)),
            _ => None,
        }
    }

    /// Returns the package that a name is imported from, and the name there.
    fn import_of_package(&self, module: u32, symbol: SymbolId) -> Option<(&'w str, &'w str)> {
        let loaded = self.module(module);
        let declaration = loaded.scoping().symbol_declaration(symbol);
        let found = match (loaded.kind(declaration), loaded.parent_kind(declaration)) {
            (AstKind::ImportSpecifier(specifier), AstKind::ImportDeclaration(import)) => {
                (import.source.value.as_str()?, export_name(&specifier.imported))
            }
            _ => commonjs::required_binding(&loaded, symbol).filter(|(_, name)| *name != "*")?,
        };
        self.is_package(module, found.0).then_some(found)
    }

    /// Returns the package that a name stands for as a whole: `import * as React`, `import React`, `require("react")`,
    /// and `import { z } from "zod"`.
    fn whole_package(&self, module: u32, name: &IdentifierReference<'w>) -> Option<&'w str> {
        let symbol = self.resolve_identifier(module, name)?;
        let loaded = self.module(module);
        if let Some(package) = self.import_of_package(module, symbol).and_then(|it| self.exported_package(it)) {
            return Some(package);
        }
        let declaration = loaded.scoping().symbol_declaration(symbol);
        let specifier = match (loaded.kind(declaration), loaded.parent_kind(declaration)) {
            (
                AstKind::ImportNamespaceSpecifier(_) | AstKind::ImportDefaultSpecifier(_),
                AstKind::ImportDeclaration(import),
            ) => import.source.value.as_str()?,
            _ => commonjs::required_binding(&loaded, symbol).filter(|(_, name)| *name == "*")?.0,
        };
        self.is_package(module, specifier).then_some(specifier)
    }

    /// Returns the package of which the export of a package is the whole: `const z: typeof import("zod")`.
    fn exported_package(&self, (package, name): (&str, &str)) -> Option<&'w str> {
        let (library, symbol) = self.library_export(package, name)?;
        let loaded = self.module(library);
        let AstKind::VariableDeclarator(variable) = loaded.kind(loaded.scoping().symbol_declaration(symbol)) else {
            return None;
        };
        match &variable.type_annotation.as_ref()?.type_annotation {
            TSType::TSTypeQuery(query) => match &query.expr_name {
                TSTypeQueryExprName::TSImportType(import) => import.source.value.as_str(),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_package(&self, module: u32, specifier: &'w str) -> bool {
        matches!(self.module_type(module, specifier), Ty::External)
    }
}

//! Import cycles: a file may be loaded before one of its imports has run.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::Statement;

use crate::program::commonjs::required_call;
use crate::program::ids::OPEN_DOCUMENT;
use crate::program::{Program, ResolvedModule};

/// Maximum number of modules to search for a cycle.
const MOST_MODULES: usize = 200;

impl<'w> Program<'w> {
    /// Returns the path of a file that the open document imports and that imports the document, directly or through
    /// other files.
    pub(crate) fn import_cycle(&self) -> Option<String> {
        let mut seen = HashSet::from([OPEN_DOCUMENT]);
        let mut open = vec![(OPEN_DOCUMENT, OPEN_DOCUMENT)];
        while let Some((module, first)) = open.pop() {
            for specifier in self.loaded_specifiers(module) {
                let ResolvedModule::Module(found) = self.resolve_module(module, specifier) else { continue };
                let first = if module == OPEN_DOCUMENT { found.module } else { first };
                if found.module == OPEN_DOCUMENT && module != OPEN_DOCUMENT {
                    return Some(self.module(first).path.clone());
                }
                if seen.len() < MOST_MODULES && seen.insert(found.module) {
                    open.push((found.module, first));
                }
            }
        }
        None
    }

    /// Returns the open document and the modules that it loads, directly or through other files, the nearest first.
    pub(crate) fn loaded_modules(&self, most: usize) -> Vec<u32> {
        let mut found = vec![OPEN_DOCUMENT];
        let mut next = 0;
        while let Some(module) = found.get(next).copied() {
            next += 1;
            for specifier in self.loaded_specifiers(module) {
                let ResolvedModule::Module(loaded) = self.resolve_module(module, specifier) else { continue };
                if found.len() < most && !found.contains(&loaded.module) {
                    found.push(loaded.module);
                }
            }
        }
        found
    }

    /// Returns whether a module loads another one, directly or through other files.
    pub(crate) fn loads(&self, from: u32, to: u32) -> bool {
        let mut seen = HashSet::from([from]);
        let mut open = vec![from];
        while let Some(module) = open.pop() {
            for specifier in self.loaded_specifiers(module) {
                let ResolvedModule::Module(found) = self.resolve_module(module, specifier) else { continue };
                if found.module == to {
                    return true;
                }
                if seen.len() < MOST_MODULES && seen.insert(found.module) {
                    open.push(found.module);
                }
            }
        }
        false
    }

    /// Returns the specifiers of the modules that run before this module.
    fn loaded_specifiers(&self, module: u32) -> Vec<&'w str> {
        let importer = self.module(module);
        let specifier = |statement: &'w Statement<'w>| match statement {
            Statement::ImportDeclaration(import) if !import.import_kind.is_type() => import.source.value.as_str(),
            Statement::ExportFromDeclaration(export) if !export.export_kind.is_type() => export.source.value.as_str(),
            Statement::ExportAllDeclaration(export) if !export.export_kind.is_type() => export.source.value.as_str(),
            _ => None,
        };
        let imported = importer.program.body.iter().filter_map(specifier);
        let required = importer.semantic().nodes().iter().filter_map(|node| match node.kind() {
            AstKind::CallExpression(call) => required_call(call),
            _ => None,
        });
        imported.chain(required).collect()
    }
}

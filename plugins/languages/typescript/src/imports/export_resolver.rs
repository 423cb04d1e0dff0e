//! Exports of a module by name: whether an export is a value, a type or both, and where it is declared. Unlike types in
//! `infer`, exports are also resolved in installed packages.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use marquetry_sdk::Destination;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::program::Program;
use crate::program::exports::{Export, declared_names, default_symbol, export_name};
use crate::program::ids::{ModuleRef, Site};
use crate::program::module::Module;
use crate::program::resolution::{code_extension, paths};
use crate::syntax::tree::Tree;

/// Maximum length of a chain of re-exports.
const MAX_CHAIN_LENGTH: usize = 30;

/// Meaning of an exported name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExportMeaning {
    pub(crate) is_value: bool,
    pub(crate) is_type: bool,
    /// True if the declaration may be a value, but the name is only exported as a type.
    pub(crate) only_as_type: bool,
    /// The declaration of the exported name.
    pub(crate) origin: Site,
}

/// Resolves exports of modules of a program.
pub(crate) struct ExportResolver<'p, 'w> {
    pub(crate) program: &'p Program<'w>,
    /// Blocks `declare module "x"` of the modules that were searched.
    ambient: RefCell<HashMap<String, ModuleRef>>,
}

impl<'p, 'w> ExportResolver<'p, 'w> {
    pub(crate) fn new(program: &'p Program<'w>) -> ExportResolver<'p, 'w> {
        ExportResolver { program, ambient: RefCell::default() }
    }

    /// Returns the blocks `declare module "x"` of a module with their names.
    pub(crate) fn ambient_blocks(&self, module: u32) -> Vec<(String, ModuleRef)> {
        let loaded = self.program.module(module);
        let blocks = loaded.program.body.iter().filter_map(|statement| match statement {
            Statement::TSExternalModuleDeclaration(declared) => {
                let of = ModuleRef { module, block: Some(declared.node_id.get()) };
                Some((declared.id.value.display().to_string(), of))
            }
            _ => None,
        });
        let blocks: Vec<(String, ModuleRef)> = blocks.collect();
        self.ambient.borrow_mut().extend(blocks.iter().cloned());
        blocks
    }

    /// Returns the meaning of a name that a module exports.
    pub(crate) fn resolve_name(&self, of: ModuleRef, name: &str) -> Option<ExportMeaning> {
        self.resolve_name_through(of, name, &mut HashSet::new(), 0)
    }

    fn resolve_name_through(
        &self,
        of: ModuleRef,
        name: &str,
        seen: &mut HashSet<ModuleRef>,
        depth: usize,
    ) -> Option<ExportMeaning> {
        if depth > MAX_CHAIN_LENGTH || !seen.insert(of) {
            return None;
        }
        let exports = self.program.exports(of);
        if let Some(all) = exports.named.get(name) {
            let found = all.iter().filter_map(|export| self.resolve_export(of, *export, depth));
            return found.reduce(ExportMeaning::merge);
        }
        if name == "default" {
            return None;
        }
        if let Some(found) = exports.export_equals.and_then(|whole| self.resolve_member(of.module, whole, name, depth))
        {
            return Some(found);
        }
        exports.star_specifiers.iter().find_map(|specifier| {
            let next = self.resolve_specifier(of.module, specifier)?;
            self.resolve_name_through(next, name, seen, depth + 1)
        })
    }

    fn resolve_export(&self, of: ModuleRef, export: Export<'w>, depth: usize) -> Option<ExportMeaning> {
        let here = |at| ExportMeaning {
            is_value: true,
            is_type: true,
            only_as_type: false,
            origin: Site { module: of.module, offset: at },
        };
        let module = self.program.module(of.module);
        let found = match export {
            Export::Declared(symbol) => self.resolve_symbol(of.module, symbol, depth)?,
            Export::Listed { at, symbol: Some(symbol) } => {
                self.restrict_to_type(&module, at, self.resolve_symbol(of.module, symbol, depth)?)
            }
            Export::Listed { at, symbol: None } => self.restrict_to_type(&module, at, here(at)),
            Export::From { at, specifier, name } => {
                let next = self.resolve_specifier(of.module, specifier);
                let found =
                    next.and_then(|next| self.resolve_name_through(next, name, &mut HashSet::from([of]), depth + 1));
                self.restrict_to_type(&module, at, found.unwrap_or(here(at)))
            }
            Export::Space { at, .. } => ExportMeaning { is_type: false, ..here(at) },
            Export::Default(export) => self.resolve_default(of.module, export, depth),
            Export::Assigned { at, .. } => ExportMeaning { is_type: false, ..here(at) },
        };
        Some(found)
    }

    /// Returns the meaning of an `export default`.
    fn resolve_default(&self, module: u32, export: &'w ExportDefaultDeclaration<'w>, depth: usize) -> ExportMeaning {
        let value = ExportMeaning {
            is_value: true,
            is_type: false,
            only_as_type: false,
            origin: Site { module, offset: export.span.start },
        };
        let symbol = default_symbol(export).or_else(|| {
            let ExportDefaultDeclarationKind::Identifier(name) = &export.declaration else { return None };
            let reference = name.reference_id.get()?;
            self.program.module(module).scoping().get_reference(reference).symbol_id()
        });
        match symbol {
            Some(symbol) => self.resolve_symbol(module, symbol, depth).unwrap_or(value),
            None => ExportMeaning {
                is_type: matches!(export.declaration, ExportDefaultDeclarationKind::ClassDeclaration(_)),
                ..value
            },
        }
    }

    /// Returns the meaning of a symbol; imports are resolved.
    fn resolve_symbol(&self, module: u32, symbol: SymbolId, depth: usize) -> Option<ExportMeaning> {
        let loaded = self.program.module(module);
        let scoping = loaded.scoping();
        let flags = scoping.symbol_flags(symbol);
        let origin = Site { module, offset: scoping.symbol_span(symbol).start };
        if flags.is_import() || flags.is_type_import() {
            let unknown =
                ExportMeaning { is_value: !flags.is_type_import(), is_type: true, only_as_type: false, origin };
            if depth > MAX_CHAIN_LENGTH {
                return Some(unknown);
            }
            let declaration = scoping.symbol_declaration(symbol);
            let AstKind::ImportDeclaration(import) = loaded.parent_kind(declaration) else { return Some(unknown) };
            let next = import.source.value.as_str().and_then(|specifier| self.resolve_specifier(module, specifier));
            let name = match loaded.kind(declaration) {
                AstKind::ImportSpecifier(specifier) => export_name(&specifier.imported),
                AstKind::ImportDefaultSpecifier(_) => "default",
                _ => return Some(unknown),
            };
            let found = next.and_then(|next| self.resolve_name_through(next, name, &mut HashSet::new(), depth + 1));
            let only_as_type = flags.is_type_import();
            return Some(found.map_or(unknown, |found| ExportMeaning {
                only_as_type: found.only_as_type || only_as_type,
                is_value: found.is_value && !only_as_type,
                ..found
            }));
        }
        let is_value = flags.can_be_referenced_by_value();
        let is_type = flags.can_be_referenced_by_type() || flags.is_namespace_module();
        Some(ExportMeaning { is_value, is_type, only_as_type: false, origin })
    }

    /// Restricts a meaning to a type if it is exported with `export type { … }` or `type` before the name.
    fn restrict_to_type(&self, module: &Module<'w>, at: u32, meaning: ExportMeaning) -> ExportMeaning {
        let around = module.program.body.iter().find(|statement| {
            let span = statement.span();
            span.start <= at && at < span.end
        });
        let marked = |specifiers: &[ExportSpecifier<'_>]| {
            specifiers.iter().any(|it| it.export_kind.is_type() && it.exported.span().start == at)
        };
        let is_type = match around {
            Some(Statement::ExportNamedDeclaration(export)) => {
                export.export_kind.is_type() || marked(&export.specifiers)
            }
            Some(Statement::ExportFromDeclaration(export)) => {
                export.export_kind.is_type() || marked(&export.specifiers)
            }
            _ => false,
        };
        if is_type { ExportMeaning { is_value: false, only_as_type: true, ..meaning } } else { meaning }
    }

    /// Returns the meaning of a member of `export =` or `module.exports =`: a property of an object, or an export of a
    /// namespace.
    fn resolve_member(
        &self,
        module: u32,
        whole: &'w Expression<'w>,
        name: &str,
        depth: usize,
    ) -> Option<ExportMeaning> {
        let loaded = self.program.module(module);
        match whole {
            Expression::ObjectExpression(object) => object.properties.iter().find_map(|property| {
                let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
                let key = property.key.static_name().filter(|key| key.display().to_string() == name);
                key.map(|_| ExportMeaning {
                    is_value: true,
                    is_type: false,
                    only_as_type: false,
                    origin: Site { module, offset: property.span.start },
                })
            }),
            Expression::Identifier(identifier) => {
                let reference = identifier.reference_id.get()?;
                let symbol = loaded.scoping().get_reference(reference).symbol_id()?;
                let inside = loaded.declarations(symbol).into_iter().filter_map(|node| match loaded.kind(node) {
                    AstKind::TSNamespaceDeclaration(namespace) => {
                        self.resolve_in_namespace(module, namespace, name, depth)
                    }
                    _ => None,
                });
                inside.reduce(ExportMeaning::merge)
            }
            _ => None,
        }
    }

    fn resolve_in_namespace(
        &self,
        module: u32,
        namespace: &'w TSNamespaceDeclaration<'w>,
        name: &str,
        depth: usize,
    ) -> Option<ExportMeaning> {
        let TSNamespaceDeclarationBody::TSModuleBlock(block) = &namespace.body else { return None };
        let declared = block.body.iter().filter_map(|statement| match statement {
            Statement::ExportDeclaration(export) => Some(&export.declaration),
            other => other.as_declaration().filter(|_| namespace.declare),
        });
        let names = declared.flat_map(declared_names).filter(|declared| declared.name == name);
        names
            .filter_map(|declared| self.resolve_symbol(module, declared.symbol_id.get()?, depth))
            .reduce(ExportMeaning::merge)
    }

    /// Resolves a specifier, including modules in installed packages.
    pub(crate) fn resolve_specifier(&self, module: u32, specifier: &str) -> Option<ModuleRef> {
        if let Some(block) = self.ambient.borrow().get(specifier) {
            return Some(*block);
        }
        let Destination::Inside(found) = self.program.destination(module, specifier) else { return None };
        Some(ModuleRef { module: self.program.load(&found.path)?, block: None })
    }

    /// Returns the names that importers may use for the export `called`, such as `default`: the name of its
    /// declaration, the names under which it is re-exported, and names derived from the files on the way.
    pub(crate) fn default_names(&self, of: ModuleRef, called: &str) -> HashSet<String> {
        let mut names = HashSet::new();
        self.default_names_through(of, called, &mut names, 0);
        names
    }

    fn default_names_through(&self, of: ModuleRef, called: &str, names: &mut HashSet<String>, depth: usize) {
        if depth > MAX_CHAIN_LENGTH {
            return;
        }
        let module = self.program.module(of.module);
        let path = match of.block {
            Some(block) => block_name(&module, block),
            None => module.path.clone(),
        };
        names.insert(identifier_for_path(&path));
        let exports = self.program.exports(of);
        let mut symbols: Vec<SymbolId> = Vec::new();
        let resolved = |name: &IdentifierReference<'_>| module.symbol_of(name);
        for export in exports.named.get(called).into_iter().flatten() {
            match export {
                Export::Declared(symbol) => symbols.push(*symbol),
                Export::Listed { symbol, .. } => symbols.extend(symbol),
                Export::Default(export) => {
                    symbols.extend(default_symbol(export));
                    if let ExportDefaultDeclarationKind::Identifier(name) = &export.declaration {
                        names.insert(name.name.to_string());
                        symbols.extend(resolved(name));
                    }
                }
                Export::From { specifier, name, .. } => {
                    if *name != "default" {
                        names.insert((*name).to_owned());
                    }
                    if let Some(next) = self.resolve_specifier(of.module, specifier) {
                        self.default_names_through(next, name, names, depth + 1);
                    }
                }
                _ => {}
            }
        }
        if called == "default"
            && let Some(whole) = exports.export_equals
        {
            match whole {
                Expression::Identifier(name) => {
                    names.insert(name.name.to_string());
                }
                Expression::FunctionExpression(function) => {
                    names.extend(function.id.iter().map(|id| id.name.to_string()))
                }
                Expression::ClassExpression(class) => names.extend(class.id.iter().map(|id| id.name.to_string())),
                _ => {}
            }
        }
        names.extend(symbols.into_iter().map(|symbol| module.scoping().symbol_name(symbol).to_owned()));
    }
}

impl ExportMeaning {
    /// Combines the meanings of several declarations of one name.
    fn merge(self, other: ExportMeaning) -> ExportMeaning {
        ExportMeaning {
            is_value: self.is_value || other.is_value,
            is_type: self.is_type || other.is_type,
            only_as_type: self.only_as_type && other.only_as_type,
            origin: self.origin.min(other.origin),
        }
    }
}

fn block_name(module: &Module<'_>, block: NodeId) -> String {
    match module.kind(block) {
        AstKind::TSExternalModuleDeclaration(declared) => declared.id.value.display().to_string(),
        _ => String::new(),
    }
}

/// Returns the meaning of a name that a text with syntax errors declares and exports. `number` is used as its module
/// number.
pub(crate) fn meaning_in_broken_text(path: &str, text: &str, name: &str, number: u32) -> Option<ExportMeaning> {
    let tree = Tree::parse(path, text.to_owned());
    tree.with(|parsed| {
        let scoping = parsed.semantic().scoping();
        let meaning = |symbol: SymbolId| {
            let flags = scoping.symbol_flags(symbol);
            ExportMeaning {
                is_value: flags.can_be_referenced_by_value(),
                is_type: flags.can_be_referenced_by_type(),
                only_as_type: false,
                origin: Site { module: number, offset: scoping.symbol_span(symbol).start },
            }
        };
        let declared = parsed.program.body.iter().filter_map(|statement| match statement {
            Statement::ExportDeclaration(export) => Some(&export.declaration),
            _ => None,
        });
        let mut names = declared.flat_map(declared_names).filter(|declared| declared.name == name);
        names.next().and_then(|declared| declared.symbol_id.get()).map(meaning)
    })
}

/// Returns the offset of the JSDoc tag that defines a type: `@typedef {…} Name` or `@callback Name`.
pub(crate) fn typedef_offset(text: &str, name: &str) -> Option<u32> {
    let tags = text.match_indices("@typedef").chain(text.match_indices("@callback"));
    tags.map(|(at, tag)| (at, text[at + tag.len()..].trim_start())).find_map(|(at, rest)| {
        let rest = match rest.strip_prefix('{') {
            Some(inner) => inner.split_once('}')?.1,
            None => rest,
        };
        let word = rest.split(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '$')));
        let mut words = word.filter(|word| !word.is_empty());
        (words.next() == Some(name)).then_some(at as u32)
    })
}

/// Returns the identifier derived from a module's path: `fooBar` for `./foo-bar.ts`, `foo` for `./foo/index.ts`.
pub(crate) fn identifier_for_path(path: &str) -> String {
    let bare = code_extension(path).map_or(path, |extension| &path[..path.len() - extension.len()]);
    let bare = bare.strip_suffix("/index").unwrap_or(bare);
    let mut name = String::new();
    let mut raises = false;
    for (index, char) in paths::file_name(bare).chars().enumerate() {
        let fits = if index == 0 {
            char.is_alphabetic() || "_$".contains(char)
        } else {
            char.is_alphanumeric() || "_$".contains(char)
        };
        match (fits, raises) {
            (true, true) => name.extend(char.to_uppercase()),
            (true, false) => name.push(char),
            (false, _) => {}
        }
        raises = !fits;
    }
    name
}

/// Returns the name with a capital letter, as for a component.
pub(crate) fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// Returns the file names derived from a name: `fooBar`, `foo-bar`, `foo_bar`.
pub(crate) fn file_names(name: &str) -> Vec<String> {
    let joined = |between: char| {
        let mut written = String::new();
        for (index, char) in name.chars().enumerate() {
            if char.is_uppercase() && index > 0 {
                written.push(between);
            }
            written.extend(char.to_lowercase());
        }
        written
    };
    let mut names = vec![name.to_owned(), joined('-'), joined('_'), name.to_lowercase()];
    names.sort();
    names.dedup();
    names
}

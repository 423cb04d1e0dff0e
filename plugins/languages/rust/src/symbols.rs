//! Names across files: the names that a module exports and imports, and their references and renames.

mod conflicts;
mod examples;
mod format_macros;
mod members;
mod origins;
mod references;
mod renames;
mod uses;

use std::{
    cell::OnceCell,
    collections::{BTreeMap, HashMap, HashSet},
};

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    ExportedName, Failure, FailureKind, FileLocation, ImportedName, InterfaceFacts, Occurrence, RenameResult,
    Resolution, Result, Span, Subject, Symbols, fail, shared,
};

use members::Member;
pub(crate) use origins::Aliased;
pub(crate) use uses::{Resolved, Uses, is_visible};

use crate::{
    Rust,
    hierarchy::usage_at,
    lifetimes::Lifetime,
    memo,
    modules::{Module, module_path, plain},
    names::{BindingIndex, BindingKind, FILE_SCOPE, Names},
    paths::{Normal, Path, Paths},
    table::check_name,
    types::ForeignTypes,
};

/// The names and paths of a document.
pub(crate) struct Symbol<'d> {
    document: &'d CodeDocument,
    pub(crate) names: Names,
    pub(crate) paths: &'d Paths,
    resolved: OnceCell<Vec<uses::Resolved>>,
    /// Types of other files that expressions of the document have.
    pub(crate) foreign: ForeignTypes,
}

impl<'d> Symbol<'d> {
    pub(crate) fn new(document: &'d CodeDocument) -> Symbol<'d> {
        let (names, paths) = document.derived(|arena| (Names::new(arena), Paths::new(arena)));
        let mut names = names.clone();
        let root = module_path(document.path()).map(|(_, names)| names);
        for path in paths.paths.iter().filter(|path| path.is_glob && path.block.is_none()) {
            let Some(normal) = paths.normal(path) else { continue };
            let inside = match normal.up {
                Some(0) => Some(&normal.names[..]),
                Some(_) => None,
                None => root.as_ref().and_then(|root| normal.names.strip_prefix(&root[..])),
            };
            if let Some(inside) = inside {
                names.add_glob(&path.inline, inside);
            }
        }
        if !names.format_calls.is_empty() {
            let own = names.clone();
            names.confirm_format_calls(|call| format_macros::crate_of(document.path(), &own, paths, call));
        }
        Symbol { document, names, paths, resolved: OnceCell::new(), foreign: ForeignTypes::default() }
    }

    /// The path of the document.
    pub(crate) fn path(&self) -> &str {
        self.document.path()
    }

    fn bound(&self, subject: &Subject) -> Result<BindingIndex> {
        match subject {
            Subject::At(offset) => {
                let here = self.declaration_at(*offset).filter(|(_, place)| place.path == self.document.path());
                self.bound_at(here.map_or(*offset, |(_, place)| place.offset))
            }
            Subject::Address(address) => {
                let found = self.document.find_symbols(address)?;
                self.bound_at(self.document.symbols().symbols[found[0]].selection.start)
            }
            Subject::Exported(name) => self.exported(name).ok_or_else(|| {
                fail(FailureKind::TargetNotFound, format!("the module has no item `{name}`"))
                    .hint("list the symbols of the file")
            }),
            Subject::Shared(shared) => Err(shared::unknown_namespace(&shared.namespace)),
            Subject::Imported(_) | Subject::ImportedDefault(_) | Subject::Declared(_) => {
                Err(Failure::unsupported("Rust files have no symbols of this kind")
                    .hint("give the position of a name in the file"))
            }
        }
    }

    fn exported(&self, name: &str) -> Option<BindingIndex> {
        let is_it = |index: &BindingIndex| {
            let binding = &self.names.bindings[*index];
            binding.scope == FILE_SCOPE && binding.name == plain(name) && binding.kind == BindingKind::Item
        };
        (0..self.names.bindings.len()).find(is_it)
    }

    /// Returns whether only `pub use` items of the file export a name.
    fn is_only_reexported(&self, name: &str) -> bool {
        self.exported(name).is_none() && self.reexports(name).next().is_some()
    }

    /// The declaration, in another file, of the name at an offset, together with that name.
    fn elsewhere(&self, subject: &Subject) -> Option<(String, FileLocation)> {
        let Subject::At(offset) = subject else { return None };
        self.declaration_at(*offset).filter(|(_, place)| place.path != self.document.path())
    }

    fn bound_at(&self, offset: u32) -> Result<BindingIndex> {
        let at = Span { start: offset, end: offset };
        if let Some(member) = self.names.members.iter().find(|member| member.start <= offset && offset <= member.end) {
            let name = member.slice(self.document.text_str());
            let failure = members::required_by_trait(self, *member).map(|of| {
                let message =
                    format!("`{name}` has the name that the trait `{of}` requires, which is not declared here");
                Failure::unsupported(message).hint("rename another name: this one cannot change without the trait")
            });
            return Err(failure.unwrap_or_else(|| marquetry_code::rename::member_failure(name)).at(*member));
        }
        let Some(place) = self.names.at(offset) else {
            return Err(fail(FailureKind::TargetNotFound, "no name at this position can be resolved")
                .hint("give the position of an item, import, variable or parameter")
                .at(at));
        };
        self.names.binding_of(place).ok_or_else(|| {
            fail(FailureKind::TargetNotFound, format!("`{}` is not declared in this file", place.name))
                .hint("give the position of its declaration or of an import")
                .at(place.span)
        })
    }

    /// The path of the inline module whose scope contains a binding. `None` if the binding is visible only in a block.
    fn inline_of(&self, binding: BindingIndex) -> Option<Vec<String>> {
        let own = &self.names.bindings[binding];
        let mut modules = self.paths.declarations.iter().filter(|declaration| declaration.is_inline);
        if own.scope == FILE_SCOPE {
            return Some(Vec::new());
        }
        modules.find(|module| self.names.module(&module.names) == Some(own.scope)).map(|module| module.names.clone())
    }

    /// The module of this file that declares an item. `None` if a block declares it.
    fn module_of(&self, binding: BindingIndex) -> Option<Module> {
        let is_item = self.names.bindings[binding].kind == BindingKind::Item;
        let inline = self.inline_of(binding).filter(|_| is_item)?;
        Some(Module { file: self.document.path().to_owned(), inline })
    }
}

impl Symbols for Rust {
    fn facts(document: &CodeDocument) -> InterfaceFacts {
        memo::call(|| facts(document))
    }

    fn resolve_symbol(document: &CodeDocument, subject: Subject) -> Result<Resolution> {
        if let Some(lifetime) = Lifetime::find(document, &subject) {
            return Ok(lifetime?.resolution());
        }
        memo::call(|| {
            if let Some(name) = unrelated_member(&subject) {
                let spans = members::unclear_accesses(document, name).into_iter();
                let usage = |span| usage_at(document.arena(), span);
                let occurrences = spans.map(|span| Occurrence { span, usage: usage(span), certain: false }).collect();
                return Ok(Resolution { occurrences, ..shared::empty_resolution(name) });
            }
            if let Some(member) = Member::find(document, &subject) {
                return Ok(member.resolution(document, matches!(subject, Subject::Declared(_))));
            }
            let own = Symbol::new(document);
            match &subject {
                Subject::Imported(key) => Ok(own.resolve_imported(key)),
                Subject::Exported(name) if own.is_only_reexported(name) => Ok(own.resolve_reexports(name)),
                _ => match own.elsewhere(&subject) {
                    Some((name, place)) => {
                        let known = own.bound(&subject).map(|binding| own.resolution(binding));
                        let known = known.unwrap_or_else(|_| shared::empty_resolution(&name));
                        Ok(Resolution { name, elsewhere: Some(place), ..known })
                    }
                    None => Ok(own.resolution(own.bound(&subject)?)),
                },
            }
        })
    }

    fn rename(document: &CodeDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        if let Some(lifetime) = Lifetime::find(document, &subject) {
            return lifetime?.rename(new_name);
        }
        check_name(new_name)?;
        memo::call(|| {
            if let Some(name) = unrelated_member(&subject) {
                let unresolved = members::unclear_accesses(document, name);
                return Ok(RenameResult { unresolved, ..shared::empty_renaming(name) });
            }
            if let Some(member) = Member::find(document, &subject) {
                return member.rename(document, new_name, matches!(subject, Subject::Declared(_)));
            }
            let own = Symbol::new(document);
            match &subject {
                Subject::Imported(key) => own.rename_imported(key, new_name),
                Subject::Exported(name) if own.is_only_reexported(name) => own.rename_reexports(name, new_name),
                _ => match own.elsewhere(&subject) {
                    Some((name, place)) => Ok(RenameResult { elsewhere: Some(place), ..shared::empty_renaming(&name) }),
                    None => own.rename(own.bound(&subject)?, new_name),
                },
            }
        })
    }
}

/// The name of a member whose declarations are not related to the file.
fn unrelated_member(subject: &Subject) -> Option<&str> {
    match subject {
        Subject::Declared(key) if key.locations.is_empty() => Some(&key.name),
        _ => None,
    }
}

fn facts(document: &CodeDocument) -> InterfaceFacts {
    let own = Symbol::new(document);
    let symbols = document.symbols().symbols.iter();
    let kinds: HashMap<u32, &str> = symbols.map(|symbol| (symbol.selection.start, symbol.kind)).collect();
    let mut exports: BTreeMap<&str, ExportedName> = BTreeMap::new();
    for place in own.names.places.iter().filter(|place| Names::is_declaration(place)) {
        let Some(index) = own.names.binding_of(place) else { continue };
        let binding = &own.names.bindings[index];
        if binding.scope == FILE_SCOPE && binding.kind == BindingKind::Item {
            exports.entry(&binding.name).or_insert_with(|| ExportedName {
                name: binding.name.clone(),
                local: Some(binding.name.clone()),
                span: place.span,
                kind: kinds.get(&place.span.start).copied().unwrap_or("item").to_owned(),
                type_only: false,
            });
        }
    }
    let (mut imports, mut modules) = (Vec::new(), HashSet::new());
    for path in &own.paths.paths {
        let Some(normal) = own.paths.normal(path) else { continue };
        imports_of(path, &normal, (&mut imports, &mut modules));
    }
    InterfaceFacts { exports: exports.into_values().collect(), imports, shared: Vec::new(), free: Vec::new() }
}

/// Adds the facts about one path: the name that a leaf of a `use` tree imports, and the modules that its prefixes refer
/// to.
fn imports_of(
    path: &Path,
    normal: &Normal,
    (imports, modules): (&mut Vec<ImportedName>, &mut HashSet<(String, Option<String>)>),
) {
    let entry = |count: usize, name: &str, local: Option<String>, exported: Option<String>| ImportedName {
        specifier: normal.up_to(count).specifier(),
        name: name.to_owned(),
        local,
        exported,
        type_only: false,
    };
    let count = normal.names.len();
    // Private imports are visible in the descendants of the module, too.
    let is_shown = path.inline.is_empty() && path.block.is_none();
    let local = path.local().map(|local| local.name.clone());
    if path.is_glob {
        imports.push(entry(count, "*", None, is_shown.then(|| "*".to_owned())));
    } else if path.import.is_some() && !path.is_self && count > 0 {
        imports.push(entry(count - 1, &normal.names[count - 1], local.clone(), local.clone().filter(|_| is_shown)));
    }
    for prefix in 0..=count {
        let module = entry(prefix, "*", local.clone(), None);
        if modules.insert((module.specifier.clone(), local.clone())) {
            imports.push(module);
        }
    }
}

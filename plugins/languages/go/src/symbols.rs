//! Names across files: the declarations that a file adds to its package, and the references and renames of its names.
//!
//! The files of a folder with the same package clause share one scope, whatever their build constraints are. To find
//! the uses of a declaration, the host asks every file that contains its name. The positions of its names identify the
//! declaration.

mod checks;
pub(crate) mod groups;
mod renames;
mod uses;

pub(crate) use uses::Signature;

use std::{collections::BTreeSet, rc::Rc};

use marquetry_code::{CodeDocument, hierarchy::Declared};
use marquetry_sdk::{
    DeclaredKey, ExportedName, Failure, FailureKind, FileLocation, ImportedName, InterfaceFacts, Occurrence,
    RenameResult, Resolution, Result, SharedName, Span, Subject, Symbols, Usage, fail, paths::folder, shared,
};

use crate::{
    Go,
    imports::{Import, imports},
    memo,
    names::{BindingIndex, BindingKind, is_universal},
    packages::{Found, local_name, outline_of, package_files, package_name, resolve},
    table::{ENTRY, check_name},
    types::{File, Lookup, Resolver},
};

/// A document with its names.
pub(crate) struct Symbol<'d> {
    document: &'d CodeDocument,
    pub(crate) file: Rc<File>,
    imports: Vec<(Import, String)>,
}

/// A package: its folder and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) folder: String,
    pub(crate) name: String,
}

/// The symbol that a call is about.
#[derive(Debug)]
enum Target {
    /// A name that a block declares, or the alias of an import.
    Local(BindingIndex),
    /// An import without an alias: its index.
    Import(usize),
    /// A name at the top level of a package.
    Top(Package, String),
    /// A field or method: the positions of its declarations.
    Member(String, Vec<FileLocation>),
}

impl<'d> Symbol<'d> {
    pub(crate) fn new(document: &'d CodeDocument) -> Symbol<'d> {
        let file = Rc::new(File::new(document.path(), document.text_str().to_owned()));
        let name = |import: Import| {
            let name = local_name(document.path(), &import);
            (import, name)
        };
        Symbol { document, file, imports: imports(document).into_iter().map(name).collect() }
    }

    pub(crate) fn document(&self) -> &'d CodeDocument {
        self.document
    }

    pub(crate) fn package(&self) -> Package {
        Package { folder: folder(self.document.path()).to_owned(), name: self.file.package.clone() }
    }

    pub(crate) fn text(&self, span: Span) -> &'d str {
        span.slice(self.document.text_str())
    }

    /// The local names of the imports, in order.
    pub(crate) fn import_names(&self) -> impl Iterator<Item = &str> {
        self.imports.iter().map(|(_, local)| local.as_str())
    }

    /// The path of the import with a local name.
    pub(crate) fn import_path_of(&self, name: &str) -> Option<String> {
        self.imports.iter().find(|(_, local)| local == name).map(|(import, _)| import.path.clone())
    }

    /// Returns whether the file imports a package from outside of the workspace without an alias. The name of such a
    /// package may differ from its path.
    pub(crate) fn has_unnamed_import(&self) -> bool {
        let is_such = |(import, _): &(Import, String)| {
            let has_domain = import.path.split('/').next().unwrap_or_default().contains('.');
            let is_here = matches!(resolve(self.document.path(), &import.path), Found::Folder(_));
            import.alias.is_none() && has_domain && !is_here
        };
        self.imports.iter().any(is_such)
    }

    fn location(&self, offset: u32) -> FileLocation {
        FileLocation { path: self.document.path().to_owned(), offset }
    }

    fn target(&self, subject: &Subject) -> Result<Target> {
        match subject {
            Subject::At(offset) => self.target_at(*offset),
            Subject::Address(address) => {
                let found = self.document.find_symbols(address)?;
                let symbol = &self.document.symbols().symbols[found[0]];
                if symbol.kind == ENTRY {
                    return Err(Failure::unsupported(format!(
                        "`{address}` is an entry of a literal, not a declaration"
                    ))
                    .hint("give the position of its key for a field or constant; `replace` changes the entry")
                    .at(symbol.selection));
                }
                self.target_at(symbol.selection.start)
            }
            Subject::Exported(name) => Ok(Target::Top(self.package(), name.clone())),
            Subject::Shared(shared) => Err(shared::unknown_namespace(&shared.namespace)),
            Subject::Imported(_) | Subject::ImportedDefault(_) | Subject::Declared(_) => {
                Err(Failure::unsupported("Go files have no symbols of this kind")
                    .hint("give the position of a name in the file"))
            }
        }
    }

    fn target_at(&self, offset: u32) -> Result<Target> {
        if let Some(member) = self.file.names.member_at(offset) {
            return self.target_of_member(member.node, member.is_declaration);
        }
        let Some(place) = self.file.names.at(offset) else {
            return Err(fail(FailureKind::TargetNotFound, "no name at this position can be resolved")
                .hint("give the position of a declaration, variable, field or method")
                .at(Span { start: offset, end: offset }));
        };
        if place.is_key {
            match Resolver::default().is_field_key(&self.file, place.node) {
                Some(true) => return self.target_of_member(place.node, false),
                None => return Err(unknown_member(self.text(place.span)).at(place.span)),
                Some(false) => {}
            }
        }
        match place.binding {
            Some(binding) if self.file.names.bindings[binding].kind == BindingKind::Package => {
                Ok(Target::Top(self.package(), self.text(place.span).to_owned()))
            }
            Some(binding) => Ok(Target::Local(binding)),
            None => self.target_of_free(place.span),
        }
    }

    /// Resolves a name that the file does not declare: an import, a declaration in another file of the package, or a
    /// declaration of a package that the file imports with a dot import.
    fn target_of_free(&self, span: Span) -> Result<Target> {
        let name = self.text(span);
        if let Some(import) = self.imports.iter().position(|(_, local)| local == name) {
            return Ok(Target::Import(import));
        }
        let own = self.package();
        if !declaring_files(&own, name).is_empty() {
            return Ok(Target::Top(own, name.to_owned()));
        }
        let other = self.dot_imports().into_iter().find(|other| !declaring_files(other, name).is_empty());
        if let Some(other) = other {
            return Ok(Target::Top(other, name.to_owned()));
        }
        let failure = fail(FailureKind::TargetNotFound, format!("`{name}` is not declared in the workspace")).at(span);
        Err(failure.hint(if is_universal(name) {
            "it is a predeclared identifier"
        } else {
            "give the position of its declaration"
        }))
    }

    fn target_of_member(&self, node: marquetry_code::NodeIndex, is_declaration: bool) -> Result<Target> {
        let arena = self.file.arena();
        let (name, span) = (arena.slice(node).to_owned(), arena.node(node).span);
        if is_declaration {
            return Ok(Target::Member(name, vec![self.location(span.start)]));
        }
        if let Some(import) = self.import_before(node) {
            let path = &self.imports[import].0.path;
            let found = self.package_of_import(import).filter(|package| !declaring_files(package, &name).is_empty());
            return found.map(|package| Target::Top(package, name.clone())).ok_or_else(|| {
                fail(FailureKind::TargetNotFound, format!("`{name}` is declared in `{path}`, outside of the workspace"))
                    .hint("only names that the workspace declares can be renamed")
                    .at(span)
            });
        }
        match Resolver::default().referred(&self.file, node) {
            Lookup::Found(found, declared) => {
                let offset = found.arena().node(declared).span.start;
                let location = FileLocation { path: found.document.path().to_owned(), offset };
                // An embedded field has the name of its type.
                if !crate::kinds::has_kind(found.arena(), declared, crate::kinds::K::Name) {
                    return Err(fail(FailureKind::Unsupported, format!("`{name}` is an embedded type"))
                        .hint("rename the type")
                        .at(span));
                }
                Ok(Target::Member(name, vec![location]))
            }
            Lookup::Absent => {
                Err(fail(FailureKind::TargetNotFound, format!("`{name}` is not declared in the workspace"))
                    .hint("only names that the workspace declares can be renamed")
                    .at(span))
            }
            Lookup::Unknown => Err(unknown_member(&name).at(span)),
        }
    }

    /// The declaration of the name at an offset.
    pub(crate) fn declaration_at(&self, offset: u32) -> Declared {
        let (place, import) = match self.target_at(offset) {
            Ok(Target::Top(package, name)) => (declarations(&package, &name).into_iter().next(), None),
            Ok(Target::Member(_, places)) => (places.into_iter().next(), None),
            Ok(Target::Local(binding)) => {
                let node = self.file.names.bindings[binding].node;
                (Some(self.location(self.file.arena().node(node).span.start)), None)
            }
            Ok(Target::Import(import)) => (None, Some(import)),
            Err(_) => (None, self.file.names.member_at(offset).and_then(|member| self.import_before(member.node))),
        };
        Declared { place, specifier: import.map(|import| self.imports[import].0.path.clone()) }
    }

    /// The import whose name qualifies a member: `fmt` for `Println` in `fmt.Println`.
    pub(crate) fn import_before(&self, member: marquetry_code::NodeIndex) -> Option<usize> {
        let arena = self.file.arena();
        let left = arena.children(arena.node(member).parent).next()?;
        let name = arena.slice(left);
        let is_name = crate::kinds::has_kind(arena, left, crate::kinds::K::NameRef);
        let local = self.file.names.local(name, arena.node(left).span.start);
        let is_import = is_name && local.is_none_or(|own| own.kind == BindingKind::Import);
        self.imports.iter().position(|(_, local)| is_import && local == name)
    }

    pub(crate) fn package_of_import(&self, import: usize) -> Option<Package> {
        match resolve(self.document.path(), &self.imports[import].0.path) {
            Found::Folder(folder) => Some(Package { name: package_name(&folder)?, folder }),
            Found::Possible(_) | Found::Missing(_) | Found::Elsewhere => None,
        }
    }

    /// Returns whether an import possibly refers to a package, although no manifest names its module.
    fn may_be(&self, import: usize, package: &Package) -> bool {
        let found = resolve(self.document.path(), &self.imports[import].0.path);
        matches!(found, Found::Possible(folder) if folder == package.folder)
    }

    /// The packages of the workspace that the file imports with a dot import.
    pub(crate) fn dot_imports(&self) -> Vec<Package> {
        let dots = (0..self.imports.len()).filter(|import| self.imports[*import].1 == ".");
        dots.filter_map(|import| self.package_of_import(import)).collect()
    }
}

/// The files of a package that declare a name.
pub(crate) fn declaring_files(package: &Package, name: &str) -> Vec<String> {
    let files = package_files(&package.folder, &package.name);
    files.into_iter().filter(|file| outline_of(file).declared.contains_key(name)).collect()
}

/// The positions at which a package declares a name.
fn declarations(package: &Package, name: &str) -> Vec<FileLocation> {
    let files = declaring_files(package, name).into_iter();
    let places = files.flat_map(|path| {
        let offsets = outline_of(&path).declared.get(name).cloned().unwrap_or_default();
        offsets.into_iter().map(move |offset| FileLocation { path: path.clone(), offset })
    });
    places.collect()
}

fn unknown_member(name: &str) -> Failure {
    fail(FailureKind::Unsupported, format!("the type that `{name}` belongs to is not known here")).hint(
        "give the position of the declaration of the field or method, or use a language server (`engine: \"server\"`)",
    )
}

/// The key that identifies a declaration when the host asks other files about it.
fn key(name: &str, locations: Vec<FileLocation>) -> DeclaredKey {
    DeclaredKey { name: name.to_owned(), locations, forms: Vec::new() }
}

impl Symbols for Go {
    fn facts(document: &crate::GoDocument) -> InterfaceFacts {
        facts(document)
    }

    fn resolve_symbol(document: &crate::GoDocument, subject: Subject) -> Result<Resolution> {
        memo::call(|| {
            let own = Symbol::new(document);
            match &subject {
                Subject::Declared(key) => Ok(own.resolve_declared(key)),
                Subject::Imported(key) => Ok(own.resolve_imported(key)),
                _ => own.resolution(own.target(&subject)?),
            }
        })
    }

    fn rename(document: &crate::GoDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        check_name(new_name)?;
        memo::call(|| {
            let own = Symbol::new(document);
            match &subject {
                Subject::Declared(key) => own.rename_declared(key, new_name),
                _ => own.rename(own.target(&subject)?, new_name),
            }
        })
    }
}

/// Returns whether a name is exported.
pub(crate) fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn facts(document: &CodeDocument) -> InterfaceFacts {
    let own = crate::packages::outline(document);
    let symbols = &document.symbols().symbols;
    let exports = own.declared.iter().filter(|(name, _)| is_exported(name)).map(|(name, offsets)| {
        let start = offsets.first().copied().unwrap_or_default();
        let kind = symbols.iter().find(|symbol| symbol.selection.start == start).map_or("name", |symbol| symbol.kind);
        let span = Span { start, end: start + name.len() as u32 };
        ExportedName { name: name.clone(), local: Some(name.clone()), span, kind: kind.to_owned(), type_only: false }
    });
    let imports = own.imports.iter().map(|import| ImportedName {
        specifier: import.path.clone(),
        name: "*".to_owned(),
        local: Some(import.local().to_owned()),
        exported: None,
        type_only: false,
    });
    let namespace = format!("package {}", folder(document.path()));
    let name = |name: &String| SharedName { namespace: namespace.clone(), name: name.clone() };
    let clause = SharedName { namespace: "go".to_owned(), name: own.package.clone() };
    // Methods count as names of the package, too, even if the file declares nothing else.
    let shared = own.declared.keys().map(name).chain(std::iter::once(clause));
    let free: BTreeSet<&String> = own.free.iter().filter(|name| !is_universal(name)).collect();
    InterfaceFacts {
        exports: exports.collect(),
        imports: imports.collect(),
        shared: shared.collect(),
        free: free.into_iter().map(name).collect(),
    }
}

fn occurrence(span: Span, usage: Usage, certain: bool) -> Occurrence {
    Occurrence { span, usage, certain }
}

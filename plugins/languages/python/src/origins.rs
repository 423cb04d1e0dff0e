//! Finds the declarations of imported names: follows an import through the modules of the workspace to the file that
//! declares the name.

use std::collections::BTreeSet;

use marquetry_code::{BindingKind, CodeDocument, rename::Bound, scopes::FILE_SCOPE};
use marquetry_sdk::{FileLocation, workspace};

use crate::{
    imports::{self, Import},
    modules::{self, Found},
    table,
    uses::local_places,
};

/// Maximum number of modules through which a name is followed.
const MAX_MODULES: usize = 16;

/// The declaration of a name in a module, whose name is resolved in the file `from`. `None` if the workspace does not
/// declare the name, or the name is a module.
pub(crate) fn declaration(from: &str, module: &str, name: &str) -> Option<FileLocation> {
    follow((from, module), name, &mut BTreeSet::new())
}

/// Returns whether a text contains a word.
pub(crate) fn contains_word(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

/// The module that an import binds as a whole, as in `from package import module`, if the package declares no other
/// thing of that name.
pub(crate) fn module_of_import(document: &CodeDocument, import: &Import) -> Option<String> {
    let (name, module) = (import.name.as_deref()?, import.submodule());
    let is_module = matches!(modules::resolve(document.path(), &module), Found::Inside(_));
    (is_module && declaration(document.path(), &import.module, name).is_none()).then_some(module)
}

fn follow((from, module): (&str, &str), name: &str, visited: &mut BTreeSet<String>) -> Option<FileLocation> {
    let Found::Inside(found) = modules::resolve(from, module) else { return None };
    let path = found.path;
    if visited.len() >= MAX_MODULES || !visited.insert(path.clone()) {
        return None;
    }
    let text = workspace::read(&path).ok()?;
    // Reading the syntax takes much longer, and most packages neither name the module nor have a wildcard import.
    if !text.contains(name) && !text.contains('*') {
        return None;
    }
    let document = CodeDocument::open(&table::PYTHON, &path, text);
    let names = document.names();
    let mut bound = names
        .places
        .iter()
        .filter(|place| place.name == name && place.binding.is_some() && names.owner_of(place) == Some(FILE_SCOPE));
    // A file may both import and declare a name, as alternatives. Other files see a single name, so the declaration is
    // used.
    if let Some(place) = bound.clone().find(|place| place.binding != Some(BindingKind::Import)) {
        return Some(FileLocation { path, offset: place.span.start });
    }
    if let Some(place) = bound.next() {
        return match imports_that_bind(&document, name).as_slice() {
            [import] if !import.is_aliased && import.name.is_some() => follow((&path, &import.module), name, visited),
            // A name that is bound by `as` or imported from several modules counts as declared in this file.
            _ => Some(FileLocation { path, offset: place.span.start }),
        };
    }
    wildcard_declaration(&document, name, visited)
}

/// The imports that bind a name in the global scope of the module.
fn imports_that_bind(document: &CodeDocument, name: &str) -> Vec<Import> {
    let binds = |import: &Import| import.is_global && import.local.as_deref() == Some(name);
    imports::imports(document).into_iter().filter(binds).collect()
}

/// Returns whether a wildcard import of a file provides a name that another module declares.
pub(crate) fn is_provided(document: &CodeDocument, name: &str) -> bool {
    wildcard_declaration(document, name, &mut BTreeSet::from([document.path().to_owned()])).is_some()
}

/// The declaration of a name that a wildcard import of a file provides.
fn wildcard_declaration(document: &CodeDocument, name: &str, visited: &mut BTreeSet<String>) -> Option<FileLocation> {
    // `*` does not import names that start with an underscore.
    if name.starts_with('_') {
        return None;
    }
    let all = imports::imports(document).into_iter().filter(|import| import.name.as_deref() == Some("*"));
    let wildcards: Vec<String> = all.map(|import| import.module).collect();
    // A later import overrides names of an earlier import.
    wildcards.iter().rev().find_map(|module| follow((document.path(), module), name, visited))
}

/// The declaration of the imported name at an offset in an import statement. A name after `as` has none.
pub(crate) fn declaration_at_import(document: &CodeDocument, offset: u32) -> Option<(String, FileLocation)> {
    let imports = imports::imports(document);
    let import = imports.iter().find(|import| import.name_span.start <= offset && offset <= import.name_span.end)?;
    let name = import.name.clone().filter(|name| name != "*")?;
    let found = declaration(document.path(), &import.module, &name)?;
    Some((name, found))
}

/// The declaration of a name that the file binds only by imports without another name after `as`.
pub(crate) fn declaration_of_bound(document: &CodeDocument, bound: &Bound) -> Option<FileLocation> {
    let is_import = |binding: BindingKind| binding == BindingKind::Import;
    if !bound.places(document).filter_map(|place| place.binding).all(is_import) {
        return None;
    }
    let is_binding = |import: &Import| {
        import.local.as_ref() == Some(&bound.name)
            && local_places(document, import).any(|place| document.names().owner_of(place) == Some(bound.owner))
    };
    let imports: Vec<Import> = imports::imports(document).into_iter().filter(is_binding).collect();
    let first = imports.first()?;
    let name = first.name.as_ref().filter(|_| imports.iter().all(|import| !import.is_aliased))?;
    let mut found = imports.iter().map(|import| declaration(document.path(), &import.module, name));
    let place = found.next().flatten()?;
    // Several import statements of the same name must resolve to the same declaration.
    found.all(|other| other.as_ref() == Some(&place)).then_some(place)
}

/// The declaration of a name that no scope of the file binds, and that a wildcard import may provide.
pub(crate) fn declaration_of_free(document: &CodeDocument, offset: u32) -> Option<(String, FileLocation)> {
    let names = document.names();
    let place = names.at(offset).filter(|place| names.owner_of(place).is_none())?;
    let found = wildcard_declaration(document, &place.name, &mut BTreeSet::new())?;
    Some((place.name.clone(), found))
}

//! Uses of a module as an attribute of its packages: `import p` and `p.module.name`.
//!
//! A package has its modules as attributes as soon as any file imported them, so such a file need not import the module.

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Rewrite, Span,
    paths::{file_name, folder},
    workspace,
};

use super::expressions::is_one_of;
use crate::{
    imports,
    lower::{F, K},
    modules::{self, Found},
};

/// Starts the questions to packages and their importers.
const QUESTION: &str = "packages\0";
/// Asks a package to ask its importers.
const PACKAGE: &str = "package";
/// Asks an importer of a package to list the uses.
const LIST: &str = "list";

/// Asks the packages around a file, whose importers list their uses of a name of the file.
pub(super) fn ask_packages(rewrite: &mut Rewrite, source: &str, name: &str) {
    let is_package = file_name(source) == "__init__.py";
    let own = if is_package { folder(source) } else { source };
    let module = file_name(own).trim_end_matches(".py");
    let mut around = folder(own);
    while !around.is_empty() {
        let package = format!("{around}/__init__.py");
        if workspace::stat(&package).is_some() {
            rewrite.ask_file(package, format!("{QUESTION}{}", [PACKAGE, source, module, name].join("\0")));
        }
        around = folder(around);
    }
}

/// Answers a question of this module. `None` for other questions.
pub(super) fn answer(document: &CodeDocument, payload: &str) -> Option<Rewrite> {
    let [kind, source, module, name] = payload.strip_prefix(QUESTION)?.split('\0').collect::<Vec<_>>()[..] else {
        return None;
    };
    let mut rewrite = Rewrite::default();
    if kind == PACKAGE {
        let question = [LIST, source, module, name].join("\0");
        rewrite.ask_importers([module.to_owned()], format!("{QUESTION}{question}"));
        return Some(rewrite);
    }
    // A file that imports the module itself answers another question.
    if !imports_file(document, source) {
        rewrite.unresolved = attributes_of_module(document, module, name);
    }
    Some(rewrite)
}

/// Returns whether a document imports a file, or names of it.
pub(super) fn imports_file(document: &CodeDocument, path: &str) -> bool {
    let is_it = |module: &String| matches!(modules::resolve(document.path(), module), Found::Inside(found) if found.path == path);
    let imports = imports::imports(document);
    imports.into_iter().any(|import| [import.module.clone(), import.submodule()].iter().any(is_it))
}

/// The attributes with a name after an attribute with the name of a module: the `f` of `package.module.f`.
pub(super) fn attributes_of_module(document: &CodeDocument, module: &str, name: &str) -> Vec<Span> {
    let arena = document.arena();
    let is_it = |node: u32| {
        let value = arena.child(arena.node(node).parent, F::Value.into());
        let value = value.filter(|value| is_one_of(document, *value, &[K::Attribute]));
        let last = value.and_then(|value| arena.child(value, F::Attribute.into()));
        arena.node(node).field == F::Attribute.into()
            && arena.slice(node) == name
            && last.is_some_and(|last| arena.slice(last) == module)
    };
    arena.nodes().map(|(index, _)| index).filter(|node| is_it(*node)).map(|node| arena.node(node).span).collect()
}

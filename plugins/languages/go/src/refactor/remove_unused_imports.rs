//! Removes imports that the file does not use.

use std::collections::HashSet;

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{
    Result, Rewrite,
    refactor::{Place, RefactorInput, Refactoring},
};

use super::add_import::is_standard;
use crate::{
    imports::{Import, imports},
    kinds::{F, K, has_kind, has_role},
    links::remove_imports,
    names::{Names, is_universal},
    packages::{Found, local_name, outline_of, package_clause, package_files, resolve},
};

pub(super) const REMOVE_UNUSED_IMPORTS: Refactoring<crate::GoDocument> = Refactoring {
    id: "remove_unused_imports",
    title: "Remove unused imports",
    place: Place::Document,
    arguments: &[],
    asks_exporters: false,
    apply: |document, input| apply(document, input),
};

fn apply(document: &CodeDocument, _input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let names = Names::new(document.arena());
    let all = imports(document);
    let locals: Vec<String> = all.iter().map(|import| local_name(document.path(), import)).collect();
    let qualifiers = qualifiers(document, &names);
    // The name of a package from outside of the workspace may differ from its path. Such an import may be the one that
    // an otherwise unexplained qualifier refers to.
    let has_unexplained = qualifiers.iter().any(|name| !locals.contains(name));
    let is_unused = |(import, local): &(&Import, &String)| {
        let is_known = import.alias.is_some()
            || is_standard(&import.path)
            || matches!(resolve(document.path(), &import.path), Found::Folder(_));
        !matches!(local.as_str(), "_" | "." | "C") && !qualifiers.contains(*local) && (is_known || !has_unexplained)
    };
    let unused: Vec<NodeIndex> = all.iter().zip(&locals).filter(is_unused).map(|(import, _)| import.node).collect();
    Ok(remove_imports(document, unused)?.into())
}

/// The names before a dot that the package does not declare.
fn qualifiers(document: &CodeDocument, names: &Names) -> HashSet<String> {
    let arena = document.arena();
    let package = package_clause(arena).unwrap_or_default();
    let files = package_files(marquetry_sdk::paths::folder(document.path()), &package);
    let is_declared = |name: &str| files.iter().any(|file| outline_of(file).declared.contains_key(name));
    let free = names.places.iter().filter(|place| {
        let parent = arena.node(place.node).parent;
        let is_import = |index: usize| names.bindings[index].kind == crate::names::BindingKind::Import;
        has_kind(arena, parent, K::Selector)
            && has_role(arena, place.node, F::Left)
            && place.binding.is_none_or(is_import)
    });
    let words: HashSet<String> = free.map(|place| arena.slice(place.node).to_owned()).collect();
    words.into_iter().filter(|name| !is_declared(name) && !is_universal(name)).collect()
}

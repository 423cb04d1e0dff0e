//! The packages that the types and values of new parameters need.

use std::collections::BTreeSet;

use marquetry_sdk::Result;

use super::{plan::Plan, refused};
use crate::{
    packages::{local_name, outline_of, package_files},
    standard,
    symbols::{Symbol, declaring_files},
    types::File,
};

/// The names in an expression that it does not declare. Empty if the expression cannot be parsed.
pub(super) fn free_names(value: &str) -> BTreeSet<String> {
    let file = File::new("value.go", format!("package p\n\nvar _ = {value}\n"));
    let places = file.names.places.iter().filter(|place| place.binding.is_none() && !place.is_key);
    places.map(|place| file.arena().slice(place.node).to_owned()).collect()
}

/// The qualifiers in an expression or type: `time` in `time.Second`.
pub(super) fn qualifiers(code: &str) -> BTreeSet<String> {
    let free = free_names(code);
    let is_qualifier = |name: &&String| {
        code.match_indices(name.as_str()).any(|(at, _)| {
            let is_start = !code[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
            is_start && code[at + name.len()..].starts_with('.')
        })
    };
    free.iter().filter(is_qualifier).cloned().collect()
}

/// The paths of the packages that the file of the declaration must import for the types of new parameters.
///
/// # Errors
///
/// Fails if the path of a package is not known, or if its name has another meaning in the file.
pub(super) fn add_paths_of_types(symbol: &Symbol<'_>, plan: &Plan) -> Result<BTreeSet<String>> {
    let mut paths = BTreeSet::new();
    for package in plan.list.added().flat_map(|new| qualifiers(&new.type_text)) {
        if symbol.import_path_of(&package).is_some() {
            continue;
        }
        match path_of(symbol, &package) {
            Some(path) => paths.insert(path),
            None => {
                let candidates = standard::paths_named(&package).map(str::to_owned);
                let failure = refused(format!("the file does not import `{package}`"), "use `add_import` first");
                return Err(failure.candidates(candidates));
            }
        };
    }
    Ok(paths)
}

/// The packages that the values of new parameters use.
pub(super) fn packages_of_values(symbol: &Symbol<'_>, plan: &Plan) -> Vec<(String, String)> {
    let own = symbol.package();
    let names = plan.list.added().flat_map(|new| qualifiers(&new.value));
    let packages = names.filter(|name| declaring_files(&own, name).is_empty());
    packages.filter_map(|name| Some((name.clone(), path_of(symbol, &name)?))).collect()
}

/// The import path of a package by its local name: as this file or another one of the package imports it, or the only
/// package of the standard library with this name.
fn path_of(symbol: &Symbol<'_>, name: &str) -> Option<String> {
    let own = symbol.package();
    let in_package = || {
        let files = package_files(&own.folder, &own.name);
        let paths = files.iter().flat_map(|path| {
            let outline = outline_of(path);
            let imports = outline.imports.iter().filter(|import| local_name(path, import) == name);
            imports.map(|import| import.path.clone()).collect::<Vec<_>>()
        });
        let paths: BTreeSet<String> = paths.collect();
        paths.into_iter().next()
    };
    let of_library = || {
        let mut paths = standard::paths_named(name);
        paths.next().filter(|_| paths.next().is_none()).map(str::to_owned)
    };
    symbol.import_path_of(name).or_else(in_package).or_else(of_library)
}

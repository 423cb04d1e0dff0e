//! Determines the crate that has a macro, for macros that take format strings.

use std::collections::HashSet;

use crate::{
    crates,
    modules::{Module, plain},
    names::{BindingKind, FormatCall, MACROS, Names, TYPES, known_crate},
    paths::Paths,
    resolve::has_within,
};

/// The crate outside of the workspace that has the macro of a call. `None` if that cannot be determined.
pub(super) fn crate_of(file: &str, names: &Names, paths: &Paths, call: &FormatCall) -> Option<&'static str> {
    let (path, inline) = match &call.path[..] {
        [name] => {
            let binding = names.lookup(name, MACROS, call.scope)?;
            let is_import = names.bindings[binding].kind == BindingKind::Import;
            let place = names.bound_at(binding).next().filter(|_| is_import)?;
            let leaf = paths.paths.iter().find(|path| path.local().is_some_and(|local| local.span == place.span))?;
            let segments = leaf.segments.iter().map(|segment| segment.name.clone()).collect();
            (if leaf.alias.is_none() { segments } else { Vec::new() }, leaf.inline.clone())
        }
        path => (path.to_vec(), names.inline_of(call.scope)),
    };
    let [crate_name, macro_name] = &path[..] else { return None };
    let known = known_crate(crate_name, macro_name)?;
    // A module, an item or an import with the name of the crate hides the crate.
    if names.lookup(plain(crate_name), TYPES, call.scope).is_some() {
        return None;
    }
    // If the manifest does not have the name, the path can be valid only if a module has it.
    let is_crate = crates::is_package(file, crate_name).unwrap_or_else(|| {
        let module = Module { file: file.to_owned(), inline };
        has_within(&module, crate_name, &mut HashSet::new()) == Some(false)
    });
    is_crate.then_some(known)
}

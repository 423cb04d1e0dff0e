//! Imports that are part of the interface of a package. A rename of the imported name does not change the name under
//! which they export it, because users of the package are not in the workspace.

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Edit, Span,
    paths::{file_name, folder},
};

use crate::{
    imports::{self, Import},
    name_strings::exported_strings,
};

/// Returns whether an import exports its name to users of the package: `__all__` contains the name, the import repeats
/// it after `as`, or a package imports it from one of its modules.
pub(crate) fn is_kept(document: &CodeDocument, import: &Import) -> bool {
    let Some(local) = import.local.as_deref().filter(|_| import.is_global) else { return false };
    // The name after `as` is the exported name, and does not change.
    if import.is_aliased {
        return is_explicit(import);
    }
    if exported_strings(document).iter().any(|(name, _)| name == local) {
        return true;
    }
    is_package(document) && !local.starts_with('_') && is_from_package(document, import)
}

/// Returns whether an import repeats its name: `from a import f as f`, which type checkers treat as an export.
fn is_explicit(import: &Import) -> bool {
    import.is_aliased && import.local == import.name
}

fn is_package(document: &CodeDocument) -> bool {
    matches!(file_name(document.path()), "__init__.py" | "__init__.pyi")
}

/// Returns whether an import may name a module of the same package.
fn is_from_package(document: &CodeDocument, import: &Import) -> bool {
    let first = import.module.split('.').next().unwrap_or_default();
    first.is_empty() || folder(document.path()).split('/').any(|part| part == first)
}

/// The edit of a kept export: it imports the new name under the old one.
pub(crate) fn keep(import: &Import, new_name: &str) -> Edit {
    let local = import.local.as_deref().unwrap_or_default();
    let end = if import.is_aliased { import.local_span.end } else { import.name_span.end };
    Edit::new(Span { start: import.name_span.start, end }, format!("{new_name} as {local}"))
}

/// Shortens the imports that get the imported name as their alias, if the alias has no meaning: `from a import g as f`
/// becomes `from a import g`.
pub(crate) fn remove_redundant_aliases(document: &CodeDocument, edits: &mut [Edit], new_name: &str) {
    let imports = imports::imports(document);
    let from = || imports.iter().filter(|import| import.name.is_some() && import.is_global);
    let is_listed = exported_strings(document).iter().any(|(_, span)| edits.iter().any(|edit| edit.span == *span));
    // An alias has no meaning if the file exports other names without one. In a file with a single import, the alias may
    // have repeated the name before the rename, which has a meaning for type checkers.
    let has_plain = from().any(|import| !import.is_aliased) && !from().any(is_explicit);
    if !is_listed && !has_plain {
        return;
    }
    for edit in edits {
        let is_it = |import: &&Import| import.is_aliased && import.local_span == edit.span;
        if let Some(import) = from().find(is_it).filter(|import| import.name.as_deref() == Some(new_name)) {
            *edit = Edit::new(Span { start: import.name_span.start, end: import.local_span.end }, new_name);
        }
    }
}

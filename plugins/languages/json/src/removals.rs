//! Values that are removed with a reference: the element of a list that describes the file, such as a theme of an
//! extension, and lists of a setting that would have another meaning without elements.

use marquetry_references::{Container, ELEMENT, with_containers};

use crate::{source::Source, table::Id};

/// Returns the values to remove, sorted. An element is removed as a whole if its path is removed, or if nothing else is
/// in it.
pub(crate) fn with_elements(source: Source<'_>, removed: &[Id]) -> Vec<Id> {
    with_containers(&source, removed, |Container { keys, removed, is_emptied, .. }| match keys {
        [.., ELEMENT] => *is_emptied || removed.iter().any(|name| name == "path"),
        // Types without files, and a list that turns off all types of packages.
        ["typesVersions", ..] | ["compilerOptions", "typeRoots"] => *is_emptied,
        _ => false,
    })
}

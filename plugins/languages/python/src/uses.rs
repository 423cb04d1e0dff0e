//! The uses of imported names in a file.

use marquetry_code::{CodeDocument, NodeIndex, scopes::NamePlace};
use marquetry_sdk::{ImportKey, Usage};

use crate::{
    imports::{self, Import},
    links::module_imports,
    lower::F,
};

/// The occurrences of the name that an import binds, including the one in the import.
pub(crate) fn local_places<'d>(
    document: &'d CodeDocument,
    import: &Import,
) -> impl Iterator<Item = &'d NamePlace> + use<'d> {
    let names = document.names();
    let binding = names.places.iter().find(|place| place.span == import.local_span);
    let owner = binding.and_then(|place| names.owner_of(place));
    let local = import.local.clone().unwrap_or_default();
    names.places.iter().filter(move |place| owner.is_some() && place.name == local && names.owner_of(place) == owner)
}

/// The imports of the name that a key identifies.
pub(crate) fn imports_of(document: &CodeDocument, key: &ImportKey) -> Vec<Import> {
    let is_it = |import: &Import| import.name.as_deref() == Some(&key.name) && key.specifiers.contains(&import.module);
    imports::imports(document).into_iter().filter(is_it).collect()
}

/// The attributes of imported modules that refer to a name: the `f` of `module.f`.
pub(crate) fn module_attributes(document: &CodeDocument, specifiers: &[String], name: &str) -> Vec<NodeIndex> {
    let arena = document.arena();
    let mut found = Vec::new();
    for import in module_imports(document).iter().filter(|import| specifiers.contains(&import.submodule())) {
        let chain = import.chain();
        for place in local_places(document, import) {
            let attributes = imports::attributes(document, place.node);
            let names: Vec<&str> = attributes.iter().map(|node| arena.slice(*node)).collect();
            let is_module = names.len() >= chain.len() && names.iter().zip(&chain[1..]).all(|(own, part)| own == part);
            if is_module && names[chain.len() - 1] == name {
                found.push(attributes[chain.len() - 1]);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The first wildcard import, through which a name may come from any of these modules.
pub(crate) fn wildcard(document: &CodeDocument, specifiers: Option<&[String]>) -> Option<Import> {
    let is_it = |import: &Import| {
        import.name.as_deref() == Some("*") && specifiers.is_none_or(|known| known.contains(&import.module))
    };
    imports::imports(document).into_iter().find(is_it)
}

/// The kind of use of an attribute of a module: the `f` of `module.f`.
pub(crate) fn attribute_usage(document: &CodeDocument, attribute: NodeIndex) -> Usage {
    let arena = document.arena();
    let whole = arena.node(arena.node(attribute).parent).field;
    match whole {
        _ if whole == F::Function.into() => Usage::Called,
        _ if whole == F::Target.into() => Usage::Write,
        _ => Usage::Read,
    }
}

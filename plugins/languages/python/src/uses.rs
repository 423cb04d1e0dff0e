//! The uses of imported names in a file.

use std::collections::BTreeSet;

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

/// A use of a name of a module as an attribute of the module: `p.m.f` after `import p.m`.
pub(crate) struct ModuleUse<'d> {
    /// The first name of the expression: the `p`.
    pub(crate) place: &'d NamePlace,
    /// The end of the expression that is the module: of `p.m`.
    pub(crate) module_end: u32,
    /// The name of the module that is used: the `f`.
    pub(crate) attribute: NodeIndex,
}

/// The imports of modules, each with the uses of names of the module through it.
pub(crate) fn module_uses(document: &CodeDocument) -> Vec<(Import, Vec<ModuleUse<'_>>)> {
    let with_uses = |import: Import| {
        let uses = uses_of(document, &import);
        (import, uses)
    };
    module_imports(document).into_iter().map(with_uses).collect()
}

fn uses_of<'d>(document: &'d CodeDocument, import: &Import) -> Vec<ModuleUse<'d>> {
    let arena = document.arena();
    let chain = import.chain();
    let used = |place: &'d NamePlace| {
        let attributes = imports::attributes(document, place.node);
        let names = attributes.iter().map(|node| arena.slice(*node));
        let is_module = attributes.len() >= chain.len() && names.zip(&chain[1..]).all(|(own, part)| own == part);
        let module_end = match chain.len() {
            0 | 1 => place.span.end,
            length => arena.node(*attributes.get(length - 2)?).span.end,
        };
        let attribute = *attributes.get(chain.len().checked_sub(1)?)?;
        is_module.then_some(ModuleUse { place, module_end, attribute })
    };
    local_places(document, import).filter_map(used).collect()
}

/// A use of an imported name with the attributes after it: `a.b.f` after `import a`.
pub(crate) struct AttributeChain<'d> {
    /// The imported name.
    pub(crate) place: &'d NamePlace,
    /// The attributes, from the left.
    pub(crate) attributes: Vec<NodeIndex>,
}

/// The uses with attributes of the name that an import binds.
pub(crate) fn attribute_chains<'d>(document: &'d CodeDocument, import: &Import) -> Vec<AttributeChain<'d>> {
    let uses = local_places(document, import).filter(|place| place.binding.is_none());
    let chains = uses.map(|place| AttributeChain { place, attributes: imports::attributes(document, place.node) });
    chains.filter(|chain| !chain.attributes.is_empty()).collect()
}

/// The names of all modules that a document may name: in imports, and in code through packages.
pub(crate) fn module_names(document: &CodeDocument) -> BTreeSet<String> {
    let arena = document.arena();
    let mut names = BTreeSet::new();
    for import in imports::imports(document) {
        names.extend([import.module.clone(), import.submodule(), import.bound_module()]);
        for chain in attribute_chains(document, &import) {
            let mut module = import.bound_module();
            for attribute in chain.attributes {
                module = imports::join(&module, arena.slice(attribute));
                names.insert(module.clone());
            }
        }
    }
    names
}

/// The attributes of modules that refer to a name: the `f` of `module.f` and of `package.module.f`. `specifiers` are the
/// names of the modules in the document.
pub(crate) fn module_attributes(document: &CodeDocument, specifiers: &[String], name: &str) -> Vec<NodeIndex> {
    let arena = document.arena();
    let mut found = Vec::new();
    for import in module_imports(document) {
        for chain in attribute_chains(document, &import) {
            let mut module = import.bound_module();
            for attribute in chain.attributes {
                let word = arena.slice(attribute);
                if word == name && specifiers.contains(&module) {
                    found.push(attribute);
                }
                module = imports::join(&module, word);
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

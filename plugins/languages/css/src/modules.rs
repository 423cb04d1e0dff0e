//! Modules that a stylesheet uses, and their namespaces.

use crate::{
    chars::unescape,
    scan::Part,
    tree::{Item, Kind, NONE, Tree},
};

/// Namespaces in a file, with the addresses of their modules.
pub(crate) fn modules(tree: &Tree) -> Vec<(String, String)> {
    let uses = tree.children(NONE).map(|index| tree.item(index)).filter(|item| item.kind == Kind::Import);
    uses.filter(|item| tree.name(item) == "@use").filter_map(|item| module(tree, item)).collect()
}

/// Namespace and address of `@use "path/name" as alias`; `None` for `as *`.
pub(crate) fn module(tree: &Tree, item: &Item) -> Option<(String, String)> {
    let mut scan = tree.scan();
    let (part, start, end) = scan.next(tree.prelude(item).start);
    let inner = scan.between_quotes(start, end).filter(|_| part == Part::Text)?;
    let address = unescape(&tree.text[inner]).into_owned();
    let (word, from, to) = scan.next(end);
    let alias = (word == Part::Word && &tree.text[from..to] == "as").then(|| scan.next(to));
    let name = match alias {
        Some((Part::Word, from, to)) => tree.text[from..to].to_owned(),
        Some(_) => return None, // `as *`
        None => {
            let last = address.rsplit(['/', ':']).next().unwrap_or_default();
            last.split('.').next().unwrap_or_default().trim_start_matches('_').to_owned()
        }
    };
    (!name.is_empty()).then_some((name, address))
}

//! Finds the names that an item uses and that another file defines.

use marquetry_sdk::Dependency;

use crate::{
    chars::{Dialect, is_name},
    links::find::{FoundLink, find_links},
    modules::used_modules,
    scanner::TokenKind,
    tree::{Item, Tree},
};

/// Returns the names that an item uses from other files: members of modules, and composed classes of CSS modules.
pub(crate) fn item_dependencies(tree: &Tree, item: &Item) -> Vec<Dependency> {
    let mut found = composed_classes(tree, item);
    if tree.dialect == Dialect::Scss {
        let modules = used_modules(tree);
        if !modules.is_empty() {
            module_members(tree, item, &modules, &mut found);
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|dependency| seen.insert((dependency.symbol.clone(), dependency.from.clone())));
    found
}

/// Returns the classes from other files that are named after `composes`.
fn composed_classes(tree: &Tree, item: &Item) -> Vec<Dependency> {
    if !tree.text[item.start as usize..item.end as usize].contains("composes") {
        return Vec::new();
    }
    let within = |link: &FoundLink| link.kind == "composes" && item.span().contains(link.span);
    let names = |link: FoundLink| {
        let from = link.specifier;
        link.names.into_iter().map(move |symbol| Dependency { symbol, from: from.clone() })
    };
    find_links(tree).into_iter().filter(within).flat_map(names).collect()
}

/// Adds the members of modules: `namespace.member` and `namespace.$member`.
fn module_members(tree: &Tree, item: &Item, modules: &[(String, String)], found: &mut Vec<Dependency>) {
    let mut scan = tree.scan();
    let mut at = item.start as usize;
    let end = item.end as usize;
    while at < end {
        let (part, next) = scan.token_at(at);
        // If true, continue inside the token, to read the content of brackets and interpolations.
        let inside = matches!(part, TokenKind::Group | TokenKind::Interpolation);
        if part == TokenKind::Word
            && scan.byte(next) == Some(b'.')
            && let Some((_, address)) = modules.iter().find(|(name, _)| name == &tree.text[at..next])
        {
            let rest = &tree.text[next + 1..end];
            let length = rest
                .bytes()
                .enumerate()
                .take_while(|(place, byte)| is_name(*byte) || (*place == 0 && *byte == b'$'))
                .count();
            if length > 0 {
                found.push(Dependency { symbol: rest[..length].to_owned(), from: address.clone() });
            }
        }
        at = if inside { at + 1 } else { next };
    }
}

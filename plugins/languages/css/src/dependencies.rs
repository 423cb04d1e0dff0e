//! Names that an item uses and another file defines.

use marquetry_sdk::Dependency;

use crate::{
    chars::{Dialect, is_name},
    links::find::{Found, links},
    modules::modules,
    scan::Part,
    tree::{Item, Tree},
};

/// Dependencies of the item on other files: members of modules, composed classes.
pub(crate) fn of(tree: &Tree, item: &Item) -> Vec<Dependency> {
    let mut found = composed(tree, item);
    if tree.dialect == Dialect::Scss {
        let modules = modules(tree);
        if !modules.is_empty() {
            members(tree, item, &modules, &mut found);
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|dependency| seen.insert((dependency.symbol.clone(), dependency.from.clone())));
    found
}

/// Names after `composes`.
fn composed(tree: &Tree, item: &Item) -> Vec<Dependency> {
    if !tree.text[item.start as usize..item.end as usize].contains("composes") {
        return Vec::new();
    }
    let within = |link: &Found| link.kind == "composes" && item.span().holds(link.span);
    let names = |link: Found| {
        let from = link.specifier;
        link.names.into_iter().map(move |symbol| Dependency { symbol, from: from.clone() })
    };
    links(tree).into_iter().filter(within).flat_map(names).collect()
}

/// `namespace.member` and `namespace.$member`.
fn members(tree: &Tree, item: &Item, modules: &[(String, String)], found: &mut Vec<Dependency>) {
    let mut scan = tree.scan();
    let mut at = item.start as usize;
    let end = item.end as usize;
    while at < end {
        let (part, next) = scan.part(at);
        // The content of brackets and strings is read as well.
        let inside = matches!(part, Part::Group | Part::Interpolation);
        if part == Part::Word
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

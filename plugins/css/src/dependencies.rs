//! Names that an item uses and another file brings in.

use marquetry_sdk::Dependency;

use crate::{
    chars::{Dialect, is_name, unescape},
    links::{Found, links},
    scan::Part,
    tree::{Item, Kind, NONE, Tree},
};

/// What the item takes from other files: members of modules, composed classes.
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

/// Names behind `composes`.
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

/// The namespaces of a file and what they stand for.
fn modules(tree: &Tree) -> Vec<(String, String)> {
    let uses = tree.children(NONE).map(|index| tree.item(index)).filter(|item| item.kind == Kind::Import);
    uses.filter(|item| tree.name(item) == "@use").filter_map(|item| module(tree, item)).collect()
}

/// `@use "path/name" as alias`
fn module(tree: &Tree, item: &Item) -> Option<(String, String)> {
    let mut scan = tree.scan();
    let (part, start, end) = scan.next(tree.prelude(item).start);
    let inner = scan.between_quotes(start, end).filter(|_| part == Part::Text)?;
    let address = unescape(&tree.text[inner]).into_owned();
    let (word, from, to) = scan.next(end);
    let alias = (word == Part::Word && &tree.text[from..to] == "as").then(|| scan.next(to));
    let name = match alias {
        Some((Part::Word, from, to)) => tree.text[from..to].to_owned(),
        Some(_) => return None, // `as *`: its members have no mark
        None => {
            let last = address.rsplit(['/', ':']).next().unwrap_or_default();
            last.split('.').next().unwrap_or_default().trim_start_matches('_').to_owned()
        }
    };
    (!name.is_empty()).then_some((name, address))
}

/// `namespace.member` and `namespace.$member`.
fn members(tree: &Tree, item: &Item, modules: &[(String, String)], found: &mut Vec<Dependency>) {
    let mut scan = tree.scan();
    let mut at = item.start as usize;
    let end = item.end as usize;
    while at < end {
        let (part, next) = scan.part(at);
        // What stands in brackets and strings is read as well.
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

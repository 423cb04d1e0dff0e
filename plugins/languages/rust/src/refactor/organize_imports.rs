//! Sorts `use` items on consecutive lines by their paths, in the order of `rustfmt`: `self`, `super` and `crate` first,
//! then functions and modules, types, and constants. Braces in `use` trees are not changed.

use marquetry_code::{CodeDocument, NodeIndex, sorting::sort_lines};
use marquetry_sdk::{
    Edit, Result, Rewrite,
    refactor::{Place, RefactorInput, Refactoring, check_no_syntax_errors},
};

use crate::kinds::{K, child, has_kind};

pub(super) const ORGANIZE_IMPORTS: Refactoring<CodeDocument> = Refactoring {
    id: "organize_imports",
    title: "Sort imports",
    place: Place::Document,
    arguments: &[],
    asks_exporters: false,
    apply,
};

fn apply(document: &CodeDocument, _input: &RefactorInput) -> Result<Rewrite> {
    let arena = document.arena();
    check_no_syntax_errors(&arena.errors)?;
    let lists = arena.nodes().map(|(node, _)| node);
    let edits = lists.flat_map(|list| {
        let items = arena.children(list).filter(|item| has_kind(arena, *item, K::USE));
        sort_lines(document, items, |item| path_key(document, item))
    });
    Ok(edits.collect::<Vec<Edit>>().into())
}

/// The sort key of a `use` item: the segments of its path, each with the rank of the segment's kind.
fn path_key(document: &CodeDocument, item: NodeIndex) -> Vec<(u8, String)> {
    let arena = document.arena();
    let tree = child(arena, item, K::USE_TREE).map(|tree| arena.slice(tree)).unwrap_or_default();
    let (path, list) = tree.split_once('{').map_or((tree, None), |(path, list)| (path, Some(list)));
    let parts = path.split("::").map(str::trim).filter(|part| !part.is_empty());
    let rank = |part: &str| match part {
        "self" => 0,
        "super" => 1,
        "crate" => 2,
        "*" => 6,
        _ if part.starts_with(|c: char| c.is_lowercase() || c == '_') => 3,
        _ if part.chars().any(char::is_lowercase) || part.len() == 1 => 4,
        _ => 5,
    };
    parts.map(|part| (rank(part), part.to_owned())).chain(list.map(|list| (7, list.to_owned()))).collect()
}

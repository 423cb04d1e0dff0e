//! Items that are not visible any more after a move: private items of a module that the document was inside of.

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::workspace;

use crate::{
    kinds::{F, K, child, has_kind},
    modules::{
        Module, Move, module_path, module_path_after, modules_around, moved_path, new_parent, parent, stays_declared,
    },
    outline::outline_of,
    paths::Normal,
    table::RUST,
};

/// Maximum number of modules in a path.
const MAX_DEPTH: usize = 64;

/// The reason why a path cannot be used after the moves: items and modules on it that were visible before.
pub(crate) fn check(file: &str, normal: &Normal, found: &[(usize, Module)], moves: &[Move]) -> Option<String> {
    found.iter().find_map(|(count, module)| check_name(file, normal, (*count, module), moves))
}

fn check_name(file: &str, normal: &Normal, (count, module): (usize, &Module), moves: &[Move]) -> Option<String> {
    let name = normal.names.get(count)?;
    let place = |path: Option<(String, Vec<String>)>, inline: &[String]| {
        path.map(|(root, names)| (root, [&names[..], inline].concat()))
    };
    let (before, after) = (module_path(file)?, module_path_after(file, moves)?);
    if before == after && module_path(&module.file) == module_path_after(&module.file, moves) {
        return None;
    }
    let old = place(module_path(&module.file), &module.inline)?;
    let new = place(module_path_after(&module.file, moves), &module.inline)?;
    let is_inside =
        |(root, names): &(String, Vec<String>), of: &(String, Vec<String>)| *root == of.0 && names.starts_with(&of.1);
    if !is_inside(&before, &old) || is_inside(&after, &new) {
        return None;
    }
    let text = workspace::read(&module.file).ok()?;
    let document = CodeDocument::open(&RUST, &module.file, text);
    is_private(document.arena(), &module.inline, name).then(|| format!("`{name}` is private in `{}`", module.file))
}

/// The reason why a module is not visible in another one after the moves: a private module around it. The file is given
/// by its path before the moves; its own `mod` item keeps it visible.
pub(crate) fn check_new_place(file: &str, place: &(String, Vec<String>), moves: &[Move]) -> Option<String> {
    let mut at = file.to_owned();
    for _ in 0..MAX_DEPTH {
        let (outer, names) = parent(&at)?;
        let outline = outline_of(&outer);
        let declaration = outline.declarations.iter().find(|declaration| declaration.names == names)?;
        if !stays_declared(&outer, declaration, &at, moves) && declaration.path.is_none() {
            at = new_parent(&moved_path(&at, moves), moves)?;
            continue;
        }
        let around = module_path_after(&outer, moves)?;
        let sees_private = around.0 == place.0 && place.1.starts_with(&around.1);
        let (name, inline) = names.split_last()?;
        let text = workspace::read(&outer).ok()?;
        if !sees_private && is_private(CodeDocument::open(&RUST, &outer, text).arena(), inline, name) {
            return Some(format!("`{name}` is private in `{outer}`"));
        }
        at = outer;
    }
    None
}

/// Returns whether a module of a file has an item of this name without a visibility.
fn is_private(arena: &Arena, inline: &[String], name: &str) -> bool {
    let is_it = |node: &NodeIndex| {
        let own = arena.child(*node, F::Name.into()).is_some_and(|own| arena.slice(own) == name);
        own && has_kind(arena, arena.node(*node).parent, K::ITEM_LIST) && modules_around(arena, *node) == inline
    };
    let items: Vec<NodeIndex> = arena.nodes().map(|(node, _)| node).filter(is_it).collect();
    !items.is_empty()
        && items
            .iter()
            .all(|item| child(arena, *item, K::VISIBILITY).is_none() && !has_kind(arena, *item, K::MACRO_RULES))
}

//! Finds items that a move makes invisible: private items of a module that contained the document before the move.

use crate::{
    modules::{Module, Move, module_path, module_path_after, moved_path, new_parent, parent, root_of, stays_declared},
    outline::outline_of,
    paths::Normal,
};

/// Maximum number of nested modules.
const MAX_DEPTH: usize = 64;

/// The reason why a path is invalid after the moves: an item or module on the path is no longer visible.
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
    is_hidden(module, name, after.0 == new.0).then(|| format!("`{name}` is private in `{}`", module.file))
}

/// The reason why a module is not visible at the position `place` after the moves: one of its ancestors is private
/// there. `file` is the path of the module before the moves. A `mod` item that moves gets a sufficient visibility, so
/// it is not a reason.
pub(crate) fn check_new_place(file: &str, place: &(String, Vec<String>), moves: &[Move]) -> Option<String> {
    let mut at = file.to_owned();
    for _ in 0..MAX_DEPTH {
        let (outer, names) = parent(&at)?;
        let outline = outline_of(&outer);
        let declaration = outline.declarations.iter().find(|declaration| declaration.names == names)?;
        if !stays_declared(&outer, declaration, &at, moves) && declaration.path.is_none() {
            at = new_parent(&moved_path(&at, moves), root_of(&outer).as_deref(), moves)?;
            continue;
        }
        let around = module_path_after(&outer, moves)?;
        let sees_private = around.0 == place.0 && place.1.starts_with(&around.1);
        let (name, inline) = names.split_last()?;
        let module = Module { file: outer.clone(), inline: inline.to_vec() };
        if !sees_private && is_hidden(&module, name, around.0 == place.0) {
            return Some(format!("`{name}` is private in `{outer}`"));
        }
        at = outer;
    }
    None
}

/// Returns whether a module declares a name that is not visible outside of the module, in the same crate or in another
/// crate.
fn is_hidden(module: &Module, name: &str, is_same_crate: bool) -> bool {
    let outline = outline_of(&module.file);
    let names = outline.modules.get(&module.inline).filter(|names| names.visible.contains_key(name));
    names.is_some_and(|names| !names.shows(name, is_same_crate))
}

//! Items that are not visible any more after a move: private items of a module that the document was inside of.

use crate::{
    modules::{Module, Move, module_path, module_path_after, moved_path, new_parent, parent, root_of, stays_declared},
    outline::outline_of,
    paths::Normal,
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
    is_hidden(module, name, after.0 == new.0).then(|| format!("`{name}` is private in `{}`", module.file))
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

/// Returns whether a module has an item that code outside of the module does not see, in the same crate or in another.
fn is_hidden(module: &Module, name: &str, is_same_crate: bool) -> bool {
    let outline = outline_of(&module.file);
    let names = outline.modules.get(&module.inline).filter(|names| names.visible.contains_key(name));
    names.is_some_and(|names| !names.shows(name, is_same_crate))
}

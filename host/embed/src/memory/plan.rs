//! Computes the tree after a change. All paths of the steps refer to the tree before it, so that files can swap their
//! paths, and an edited file can move.

use std::collections::BTreeMap;

use marquetry_files::hash;
use marquetry_model::{EditSet, Error, Kind, Relocation, Result, Step, nearest::MAX_CANDIDATES, ports::EntryKind};

use super::{Content, Replaced, Tree, file_at, has_files, is_below, kind_at, locate, locate_written};

/// A file of the new tree, with its path before.
struct Placed {
    from: Option<String>,
    content: Content,
}

/// The steps of a change by kind, with checked paths.
#[derive(Default)]
struct Steps {
    /// Contents after edits, by path.
    edited: BTreeMap<String, Content>,
    moves: Vec<(Relocation, bool)>,
    deleted: Vec<String>,
    created: Vec<Created>,
}

/// A file that is created or copied.
struct Created {
    path: String,
    content: Content,
    overwrite: bool,
    /// True if parent folders may be created.
    directories: bool,
}

/// Returns the tree after these steps, and the files that they replace.
///
/// # Errors
/// Fails if a file changed after the steps were computed, or if a destination exists. The given tree is not changed.
pub(super) fn apply_steps(tree: &Tree, steps: &[Step]) -> Result<(Tree, Vec<Replaced>)> {
    let steps = collect(tree, steps)?;
    let mut new: BTreeMap<String, Placed> = BTreeMap::new();
    let mut arriving: Vec<(String, Placed, bool)> = Vec::new();
    let mut removed: Vec<String> = Vec::new();
    for (path, content) in tree {
        let content = steps.edited.get(path).unwrap_or(content).clone();
        let placed = Placed { from: Some(path.clone()), content };
        let ways = steps.moves.iter().filter(|(way, _)| way.affects(path));
        // If a file and its folder are both moved, the move of the file applies.
        match ways.max_by_key(|(way, _)| way.from.len()) {
            Some((way, overwrite)) => arriving.push((way.path_after(path), placed, *overwrite)),
            None if steps.deleted.iter().any(|gone| path == gone || is_below(path, gone)) => removed.push(path.clone()),
            None => _ = new.insert(path.clone(), placed),
        }
    }
    for (way, _) in &steps.moves {
        if kind_at(tree, &way.from) == Some(EntryKind::Directory) {
            check_folder_is_free(&new, &way.to)?;
        }
    }
    let mut replaced: Vec<Replaced> = Vec::new();
    for (path, placed, overwrite) in arriving {
        put(&mut new, &mut replaced, path, placed, overwrite)?;
    }
    for Created { path, content, overwrite, directories } in steps.created {
        check_parent(&new, &path, directories)?;
        // A file that is deleted and created again is one change of its content.
        let old = removed.iter().position(|gone| *gone == path).map(|at| removed.remove(at));
        put(&mut new, &mut replaced, path, Placed { from: old, content }, overwrite)?;
    }
    check_no_file_is_folder(&new)?;
    for path in removed {
        let content = tree[&path].clone();
        replaced.push(Replaced { before: Some((path, content)), after: None });
    }
    replaced.extend(new.iter().filter_map(|(path, placed)| difference(tree, path, placed)));
    replaced.sort_by(|a, b| a.name().cmp(b.name()));
    Ok((new.into_iter().map(|(path, placed)| (path, placed.content)).collect(), replaced))
}

/// Returns the file that a file of the new tree replaces; `None` if the file is unchanged.
fn difference(tree: &Tree, path: &str, placed: &Placed) -> Option<Replaced> {
    let before = placed.from.as_ref().map(|from| (from.clone(), tree[from].clone()));
    let is_same = before.as_ref().is_some_and(|(from, content)| from == path && content.bytes == placed.content.bytes);
    (!is_same).then(|| Replaced { before, after: Some((path.to_owned(), placed.content.clone())) })
}

fn collect(tree: &Tree, steps: &[Step]) -> Result<Steps> {
    let mut found = Steps::default();
    for step in steps {
        match step {
            Step::Edit { path, base, edits } => {
                let path = locate_written(path)?;
                let content = edited(tree, &path, base, edits)?;
                if found.edited.insert(path.clone(), content).is_some() {
                    return Err(Error::argument(format!("`{path}` is edited twice in one change"))
                        .hint("put all its edits into one step"));
                }
            }
            Step::Create { path, content, overwrite, directories } => found.created.push(Created {
                path: locate_written(path)?,
                content: Content::new(content),
                overwrite: *overwrite,
                directories: *directories,
            }),
            Step::Delete { path, recursive } => {
                let path = locate_written(path)?;
                check_delete(tree, &path, *recursive)?;
                found.deleted.push(path);
            }
            Step::Move { from, to, overwrite } => {
                let (from, to) = (locate_written(from)?, locate_written(to)?);
                if kind_at(tree, &from).is_none() {
                    file_at(tree, &from)?;
                }
                if is_below(&to, &from) {
                    return Err(Error::argument(format!("`{from}` cannot be moved into itself"))
                        .hint("move it elsewhere, or move what is in it"));
                }
                if from != to {
                    found.moves.push((Relocation { from, to }, *overwrite));
                }
            }
            Step::Copy { from, to, overwrite, edits } => {
                let (from, path) = (locate(from)?, locate_written(to)?);
                if from == path {
                    return Err(Error::argument(format!("`{from}` cannot be copied onto itself")));
                }
                let content = match edits {
                    None => Content::new(&file_at(tree, &from)?.bytes),
                    Some((base, edits)) => edited(tree, &from, base, edits)?,
                };
                found.created.push(Created { path, content, overwrite: *overwrite, directories: true });
            }
        }
    }
    Ok(found)
}

/// Returns the contents of a file after edits of the text that has this hash.
fn edited(tree: &Tree, path: &str, base: &str, edits: &EditSet) -> Result<Content> {
    let content = file_at(tree, path)?;
    if hash(&content.bytes) != base {
        return Err(Error::new(Kind::Stale, format!("`{path}` changed after the change was computed"))
            .hint("read it again and repeat the call; nothing was written")
            .candidates([path.to_owned()]));
    }
    let text = std::str::from_utf8(&content.bytes)
        .map_err(|_| Error::new(Kind::Unsupported, format!("`{path}` is not text")))?;
    // Offsets of edits do not count a byte order mark.
    let (mark, text) = text.strip_prefix('\u{FEFF}').map_or(("", text), |rest| ("\u{FEFF}", rest));
    Ok(Content::new(format!("{mark}{}", edits.apply(text)).as_bytes()))
}

fn check_delete(tree: &Tree, path: &str, recursive: bool) -> Result<()> {
    let inside: Vec<String> = tree.keys().filter(|file| is_below(file, path)).cloned().collect();
    if inside.is_empty() {
        return file_at(tree, path).map(drop);
    }
    if recursive {
        return Ok(());
    }
    Err(Error::argument(format!("the directory `{path}` is not empty"))
        .hint("allow it with `recursive`, or delete the files in it")
        .candidates(inside.into_iter().take(MAX_CANDIDATES)))
}

fn check_folder_is_free(new: &BTreeMap<String, Placed>, path: &str) -> Result<()> {
    if !new.contains_key(path) && !has_files(new, path) {
        return Ok(());
    }
    Err(overwrite_error(path, "choose a path that does not exist, for example one below it"))
}

fn overwrite_error(path: &str, hint: &str) -> Error {
    Error::new(Kind::OverwriteBlocked, format!("`{path}` exists")).hint(hint).candidates([path.to_owned()])
}

/// Puts a file into the new tree. A file that it replaces is recorded.
fn put(
    new: &mut BTreeMap<String, Placed>,
    replaced: &mut Vec<Replaced>,
    path: String,
    mut placed: Placed,
    overwrite: bool,
) -> Result<()> {
    if has_files(new, &path) {
        return Err(overwrite_error(&path, "it is a directory: choose another path, for example one below it"));
    }
    let Some(old) = new.remove(&path) else {
        new.insert(path, placed);
        return Ok(());
    };
    if !overwrite {
        return Err(overwrite_error(&path, "choose another path, or allow `overwrite`"));
    }
    match placed.from {
        // A new file at an existing path is a change of that file.
        None => placed.from = old.from,
        Some(_) => replaced.push(Replaced { before: old.from.map(|from| (from, old.content)), after: None }),
    }
    new.insert(path, placed);
    Ok(())
}

fn check_parent(new: &BTreeMap<String, Placed>, path: &str, may_create: bool) -> Result<()> {
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    if may_create || has_files(new, parent) {
        return Ok(());
    }
    Err(Error::new(Kind::FileNotFound, format!("the directory `{parent}` does not exist"))
        .hint("create it first, or allow `createDirectories`"))
}

fn check_no_file_is_folder(new: &BTreeMap<String, Placed>) -> Result<()> {
    for path in new.keys() {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        if let Some(file) = folders.into_iter().find(|folder| new.contains_key(*folder)) {
            return Err(
                Error::argument(format!("`{file}` is a file, so `{path}` cannot exist")).hint("choose another path")
            );
        }
    }
    Ok(())
}

//! Purges contents of a path from the history, such as a leaked key. The entries remain, marked as no longer undoable.
//!
//! Contents are identified by their hash, so the same bytes are removed wherever they occur in the history, even in
//! files with other names. Disk blocks are not overwritten; data of deleted files that a file system keeps (in
//! snapshots, say) cannot be removed.

use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use marquetry_model::is_below;

use super::entry_files;
use crate::{
    journal::{self, Manifest},
    operation::{Contents, DirectoryMoves},
    state::RootState,
    system::sync_directory,
    tombstone,
    tree::Tree,
};

/// Temporary name of an entry that is rewritten. The name has no number, so this file is never mistaken for an entry.
const REWRITE_NAME: &str = ".purge";

/// Effect of a purge on one history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Purge {
    /// The root of the history.
    pub root: String,
    /// The changes that can no longer be undone: id and title.
    pub changes: Vec<(String, String)>,
    /// Bytes removed.
    pub bytes: u64,
    /// Files of the history that cannot be read and may still have the contents.
    pub unreadable: Vec<String>,
}

/// Purges the current and former contents of a path from the history of a root. The caller must exclude concurrent
/// changes.
pub(crate) fn purge(state: &RootState, path: &str, dry_run: bool) -> io::Result<Purge> {
    let (mut purge, mut entries) = (Purge::default(), Vec::new());
    let rewritten = state.changes().join(REWRITE_NAME);
    for (_, file) in entry_files(state) {
        match journal::read_manifest(&file) {
            Some(manifest) => entries.push((file, manifest)),
            None => purge.unreadable.push(file.display().to_string()),
        }
    }
    let hashes: HashSet<String> = entries.iter().flat_map(|(_, manifest)| contents_at(manifest, path)).collect();
    let tree = Tree::new(PathBuf::from("/"), None);
    for (file, manifest) in entries {
        if !manifest.has_any_content(&hashes) {
            continue;
        }
        purge.changes.push((manifest.id.clone(), manifest.title.clone()));
        let whole = match journal::read(&file) {
            Ok(Some(whole)) => Some(whole),
            // A damaged entry cannot be undone anyway.
            Ok(None) => None,
            Err(error) if error.kind() == ErrorKind::InvalidData => None,
            Err(error) => return Err(error),
        };
        purge.bytes += match whole {
            Some((manifest, contents)) => {
                let (manifest, bytes) = manifest.without_contents(&hashes);
                if !dry_run {
                    rewrite_entry(&file, &rewritten, &manifest, &contents, &tree)?;
                }
                bytes
            }
            None => {
                let bytes = file.symlink_metadata()?.len();
                if !dry_run {
                    fs::remove_file(&file)?;
                }
                bytes
            }
        };
    }
    if !dry_run {
        tombstone::remove_old(&state.changes(), None);
    }
    if !dry_run && !purge.changes.is_empty() {
        sync_directory(&state.changes())?;
    }
    Ok(purge)
}

/// Returns the hashes of all contents that a change recorded at or below a path.
fn contents_at(manifest: &Manifest, path: &str) -> Vec<String> {
    let is_meant = |name: &str| name == path || is_below(name, path);
    let moves = DirectoryMoves::new(&manifest.operations);
    let replaced = manifest.operations.iter().enumerate().filter_map(|(index, operation)| {
        let own = operation.path();
        let names = [own.to_owned(), moves.at_start(own, index), moves.at_end(own, index)];
        names.iter().any(|name| is_meant(name)).then(|| operation.replaced()?.hash().map(str::to_owned))?
    });
    let sides = manifest.effects.iter().flat_map(|effect| [&effect.before, &effect.after]).flatten();
    let named = sides.filter(|side| is_meant(&side.name)).filter_map(|side| side.hash.clone());
    // Empty content is not purged, because it is not secret.
    let empty = crate::hash(b"");
    replaced.chain(named).filter(|hash| *hash != empty).collect()
}

/// Rewrites an entry atomically.
fn rewrite_entry(
    file: &Path,
    rewritten: &Path,
    manifest: &Manifest,
    contents: &Contents,
    tree: &Tree,
) -> io::Result<()> {
    match fs::remove_file(rewritten) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let folders = journal::read_marker_folders(file);
    let draft = journal::create(rewritten, (&manifest.id, &folders), false, tree)?;
    drop(draft.finish(manifest, contents, tree)?);
    // The rewritten entry keeps the time of the old one, which determines its age.
    let time = file.symlink_metadata()?.modified()?;
    File::options().write(true).open(rewritten)?.set_modified(time)?;
    fs::rename(rewritten, file)
}

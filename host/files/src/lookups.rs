//! Revalidates earlier lookups of paths. An unchanged folder confirms all names in it, except links, whose targets may
//! change elsewhere.

use std::{
    collections::BTreeSet,
    io::{self, ErrorKind},
    sync::{Mutex, PoisonError},
};

use marquetry_model::{
    lookups::{FolderLookups, FolderMark, Lookups, is_stable, join_path},
    ports::{EntryKind, Files},
};

use crate::{
    parallel,
    paths::{self, join, split_parent},
    pending_recovery::ReadScope,
    recovery_marker,
    root::Root,
    system::Directory,
    tree::What,
    walk_cache,
};

/// Minimum number of folders that each thread checks. Only the folders are counted, not the entries in them.
const MIN_FOLDERS_PER_THREAD: usize = 128;

impl Root {
    /// Returns the paths whose lookup would now give another result.
    pub(crate) fn changed_lookups(&self, lookups: &mut Lookups) -> Vec<String> {
        let is_settled = self.recover_above(ReadScope::All).is_ok();
        let root = is_settled.then(|| self.tree.directory("").ok()).flatten();
        // Markers are checked first, because a half-done change may look like a finished one.
        let root = root.filter(|root| have_no_markers(root, lookups));
        let folders: Vec<(&String, Mutex<&mut FolderLookups>)> =
            lookups.folders.iter_mut().map(|(path, inside)| (path, Mutex::new(inside))).collect();
        let changed = parallel::map(&folders, MIN_FOLDERS_PER_THREAD, |(folder, inside)| {
            let mut inside = inside.lock().unwrap_or_else(PoisonError::into_inner);
            let at_once = root.as_ref().and_then(|root| self.changed_in_folder(root, folder, &mut inside));
            at_once.unwrap_or_else(|| {
                inside.mark = None;
                self.changed_separately(folder, &inside)
            })
        });
        changed.into_iter().flatten().collect()
    }

    /// Checks each path separately, following links and respecting running changes.
    fn changed_separately(&self, folder: &str, inside: &FolderLookups) -> Vec<String> {
        let paths = inside.entries.iter().map(|(name, known)| (join_path(folder, name), *known));
        paths.filter(|(path, known)| self.stat(path) != *known).map(|(path, _)| path).collect()
    }

    /// Checks all entries of a folder at once; `None` if its path is not normalized or has a link.
    fn changed_in_folder(&self, root: &Directory, folder: &str, inside: &mut FolderLookups) -> Option<Vec<String>> {
        if paths::relative_name(self.tree.root(), folder).ok()? != *folder {
            return None;
        }
        let looked = walk_cache::now_nanos();
        let directory = match self.tree.directory_in(root, folder) {
            Ok(directory) => directory,
            // A missing folder has no entries.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                inside.mark = None;
                let found = inside.entries.iter().filter(|(_, known)| known.is_some());
                return Some(found.map(|(name, _)| join_path(folder, name)).collect());
            }
            Err(_) => return None,
        };
        let seen = directory.seen().ok()?;
        let mark = FolderMark { device: seen.device, inode: seen.inode, changed: seen.changed_at() };
        if inside.mark == Some(mark) {
            return Some(Vec::new());
        }
        let (mut changed, mut has_links) = (Vec::new(), false);
        for (name, known) in &inside.entries {
            if matches!(name.as_str(), "" | "." | "..") {
                return None;
            }
            let kind = match directory.look(name).map(|seen| seen.what) {
                Ok(What::File) => Some(EntryKind::File),
                Ok(What::Directory) => Some(EntryKind::Directory),
                Ok(What::Link) => {
                    has_links = true;
                    self.stat(&join_path(folder, name))
                }
                Ok(What::Other(_)) => None,
                Err(error) if is_absent(&error) => None,
                Err(_) => return None,
            };
            if kind != *known {
                changed.push(join_path(folder, name));
            }
        }
        let tells = !has_links && changed.is_empty() && is_stable(mark.changed, looked);
        inside.mark = tells.then_some(mark);
        Some(changed)
    }
}

/// Returns whether no change is running in any of the folders or above them.
fn have_no_markers(root: &Directory, lookups: &Lookups) -> bool {
    let mut all = BTreeSet::new();
    for folder in lookups.folders.keys() {
        let mut at = folder.as_str();
        // If a folder was visited, all its parents were visited, too.
        while !at.is_empty() && at != "/" && all.insert(at) {
            at = split_parent(at).0;
        }
    }
    let all: Vec<&str> = all.into_iter().collect();
    let stands = |folder: &&str| root.has(&join(folder, recovery_marker::NAME));
    parallel::map(&all, MIN_FOLDERS_PER_THREAD, stands).iter().all(|stands| !stands)
}

fn is_absent(error: &io::Error) -> bool {
    error.kind() == ErrorKind::NotFound
}

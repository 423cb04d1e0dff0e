//! Revalidates earlier lookups of paths. An unchanged folder confirms all names in it, except links, whose targets may
//! change elsewhere.

use std::{
    collections::BTreeSet,
    io::{self, ErrorKind},
    sync::{Mutex, PoisonError},
};

use marquetry_model::{
    lookups::{FolderMark, InFolder, Lookups, is_settled, joined},
    ports::{EntryKind, Files},
};

use crate::{
    census, marker, parallel,
    place::{self, join, split},
    root::Root,
    system::Directory,
    tree::What,
    unsettled::Reading,
};

/// Minimum number of folders, without their contents, per thread.
const LEAST: usize = 128;

impl Root {
    /// Returns the paths whose lookup would now give another result.
    pub(crate) fn looked_up_again(&self, lookups: &mut Lookups) -> Vec<String> {
        let is_settled = self.settle(Reading::All).is_ok();
        let root = is_settled.then(|| self.tree.directory("").ok()).flatten();
        // Checked first, because a half-done change may look like a finished one.
        let root = root.filter(|root| are_unmarked(root, lookups));
        let folders: Vec<(&String, Mutex<&mut InFolder>)> =
            lookups.folders.iter_mut().map(|(path, inside)| (path, Mutex::new(inside))).collect();
        let changed = parallel::map(&folders, LEAST, |(folder, inside)| {
            let mut inside = inside.lock().unwrap_or_else(PoisonError::into_inner);
            let at_once = root.as_ref().and_then(|root| self.changed_in(root, folder, &mut inside));
            at_once.unwrap_or_else(|| {
                inside.mark = None;
                self.changed_one_by_one(folder, &inside)
            })
        });
        changed.into_iter().flatten().collect()
    }

    /// Checks each path separately, following links and respecting running changes.
    fn changed_one_by_one(&self, folder: &str, inside: &InFolder) -> Vec<String> {
        let paths = inside.entries.iter().map(|(name, known)| (joined(folder, name), *known));
        paths.filter(|(path, known)| self.stat(path) != *known).map(|(path, _)| path).collect()
    }

    /// Checks all entries of a folder at once; `None` if its path is not normalized or has a link.
    fn changed_in(&self, root: &Directory, folder: &str, inside: &mut InFolder) -> Option<Vec<String>> {
        if place::name(self.tree.root(), folder).ok()? != *folder {
            return None;
        }
        let looked = census::now();
        let directory = match self.tree.directory_in(root, folder) {
            Ok(directory) => directory,
            // A missing folder has no entries.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                inside.mark = None;
                let found = inside.entries.iter().filter(|(_, known)| known.is_some());
                return Some(found.map(|(name, _)| joined(folder, name)).collect());
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
                    self.stat(&joined(folder, name))
                }
                Ok(What::Other(_)) => None,
                Err(error) if is_absent(&error) => None,
                Err(_) => return None,
            };
            if kind != *known {
                changed.push(joined(folder, name));
            }
        }
        let tells = !has_links && changed.is_empty() && is_settled(mark.changed, looked);
        inside.mark = tells.then_some(mark);
        Some(changed)
    }
}

/// Returns whether no change is running in any of the folders or above them.
fn are_unmarked(root: &Directory, lookups: &Lookups) -> bool {
    let mut all = BTreeSet::new();
    for folder in lookups.folders.keys() {
        let mut at = folder.as_str();
        // If a folder was visited, all its parents were too.
        while !at.is_empty() && at != "/" && all.insert(at) {
            at = split(at).0;
        }
    }
    let all: Vec<&str> = all.into_iter().collect();
    let stands = |folder: &&str| root.has(&join(folder, marker::NAME));
    parallel::map(&all, LEAST, stands).iter().all(|stands| !stands)
}

fn is_absent(error: &io::Error) -> bool {
    error.kind() == ErrorKind::NotFound
}

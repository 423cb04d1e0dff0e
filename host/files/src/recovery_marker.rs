//! The marker of a running change: a small folder in the lowest directory that contains everything the change touches.
//! It records the location of the journal, so that every process which finds half-done files finds it too: from the
//! same root, from one above or below, after a rename, and with another state folder. It is removed when the change
//! ends.
//!
//! Readers check every directory above a file for markers. The folder has its own ignore rule, so that version control
//! does not add it; walks and listings skip it.
//!
//! A repository is untrusted, and cloned or unpacked files belong to the user too. So a marker is valid only if its
//! journal records the marker's inode and change time. The system assigns them when the file is written, so the files
//! of a repository cannot contain the right ones in advance. Some file systems renumber inodes with every mount. On
//! these, a marker is valid if it has the location and id in its journal. Copies of a half-done folder elsewhere are
//! invalid unless the user confirms them; they are reported as copies. A marker of another user is ignored, because it
//! must neither be trusted nor block access.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, ErrorKind, Read as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    operation::{Operation, SteadyDirectories},
    paths::{join, path_below, split_parent},
    system::{self, Directory, What, is_loop},
    tree::Tree,
};

/// Name of the marker folder.
pub(crate) const NAME: &str = ".marq-journal";
/// Name of the file with its content.
const CONTENT_FILE: &str = "change";
/// File with the ignore rule that excludes the marker from version control.
const IGNORE_FILE: &str = ".gitignore";
/// Maximum bytes of a marker.
const MAX_MARKER_BYTES: u64 = 64 << 10;

/// Content of a marker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Marker {
    /// Explanation for users who find the marker.
    about: String,
    /// Absolute path of the journal.
    pub(crate) journal: PathBuf,
    /// Id of the change.
    pub(crate) id: String,
    process: u32,
    /// True if the change is a single atomic step. Then no file is half changed, even if the journal is missing.
    pub(crate) alone: bool,
}

impl Marker {
    pub(crate) fn new(journal: &Path, id: &str, alone: bool) -> Marker {
        Marker {
            about: "marq is changing files below this folder, or was interrupted; its next call there rolls that back"
                .to_owned(),
            journal: journal.to_owned(),
            id: id.to_owned(),
            process: std::process::id(),
            alone,
        }
    }
}

/// Identity of a marker, as recorded in its journal. A file in a repository cannot forge it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// The directory of the marker, relative to the journal's root.
    pub(crate) folder: String,
    inode: u64,
    changed: (i64, i64),
}

impl Seal {
    /// Returns whether both identify the same marker, even if its directory was moved.
    pub(crate) fn is_same_marker(&self, other: &Seal) -> bool {
        (self.inode, self.changed) == (other.inode, other.changed)
    }

    /// Returns the seal with the directory relative to a journal's root.
    pub(crate) fn relative_to(&self, folder: &str) -> Seal {
        Seal { folder: folder.to_owned(), ..*self }
    }
}

/// Result of looking for a marker in a directory.
pub(crate) enum MarkerState {
    Nothing,
    /// The marker was not written completely, so the change had not begun.
    Incomplete,
    /// A complete marker, with the seal that its journal must record.
    Marker(Marker, Seal),
    /// Not created by marq, or by another user; with the reason.
    Foreign(String),
}

/// Returns whether a marker or another file of its name exists, with one system call.
pub(crate) fn exists(folder: &Path) -> bool {
    folder.join(NAME).symlink_metadata().is_ok()
}

/// Reads the marker in a directory.
pub(crate) fn read(folder: &Path) -> io::Result<MarkerState> {
    let place = folder.join(NAME);
    let not_ours = |why: &str| Ok(MarkerState::Foreign(format!("`{}` {why}", place.display())));
    let directory = match Directory::open(&place) {
        Ok(directory) => directory,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(MarkerState::Nothing),
        Err(error) if error.kind() == ErrorKind::NotADirectory || is_loop(&error) => {
            return not_ours("is not a folder of marq");
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return not_ours("cannot be opened"),
        Err(error) => return Err(error),
    };
    if directory.seen()?.owner.0 != system::user() {
        return not_ours("belongs to a change of another user");
    }
    let file = match directory.file(CONTENT_FILE) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let is_empty = directory.names()?.iter().all(|name| name == IGNORE_FILE);
            return if is_empty {
                Ok(MarkerState::Incomplete)
            } else {
                not_ours("contains files that marq did not write")
            };
        }
        Err(error) => return Err(error),
    };
    let seen = system::seen_of(&file)?;
    if seen.what != What::File {
        return not_ours("contains files that marq did not write");
    }
    let mut text = Vec::new();
    file.take(MAX_MARKER_BYTES).read_to_end(&mut text)?;
    if serde_json::from_slice::<serde_json::Value>(&text).is_err() {
        return Ok(MarkerState::Incomplete);
    }
    let Ok(marker) = serde_json::from_slice::<Marker>(&text) else {
        return not_ours("was written by another version of marq");
    };
    Ok(MarkerState::Marker(marker, Seal { folder: String::new(), inode: seen.inode, changed: seen.changed }))
}

/// Returns the directories that get a marker: the lowest one that contains everything the operations touch, or several
/// below it if that one is not writable. They exist before the change and are not moved by it.
pub(crate) fn marker_folders(tree: &Tree, operations: &[Operation]) -> io::Result<Vec<String>> {
    let mut steady = SteadyDirectories::new(tree, operations);
    let touched = operations.iter().flat_map(Operation::directories);
    let touched: BTreeSet<String> = touched.map(|directory| steady.nearest(directory)).collect();
    let mut folders = Vec::new();
    add_covering_folders(tree, touched, &mut folders)?;
    Ok(folders)
}

fn add_covering_folders(tree: &Tree, touched: BTreeSet<String>, folders: &mut Vec<String>) -> io::Result<()> {
    let Some(first) = touched.first() else { return Ok(()) };
    let mut common = first.clone();
    while !touched.iter().all(|directory| *directory == common || path_below(&common, directory).is_some()) {
        common = split_parent(&common).0.to_owned();
    }
    let writable = tree.metadata(&common)?.map(|seen| tree.may_write(&common, &seen)).transpose()?.unwrap_or(false);
    if writable || touched.contains(&common) {
        folders.push(common);
        return Ok(());
    }
    let mut parts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for directory in touched {
        let part =
            path_below(&common, &directory).and_then(|rest| rest.split('/').next()).unwrap_or_default().to_owned();
        parts.entry(part).or_default().insert(directory);
    }
    parts.into_values().try_for_each(|part| add_covering_folders(tree, part, folders))
}

/// Creates the marker in each of the directories. If `durable` is true, the markers survive a power failure.
pub(crate) fn write(tree: &Tree, folders: &[String], marker: &Marker, durable: bool) -> io::Result<Vec<Seal>> {
    let text = serde_json::to_vec(marker)?;
    folders.iter().map(|folder| write_marker(tree, folder, &text, durable)).collect()
}

fn write_marker(tree: &Tree, folder: &str, text: &[u8], durable: bool) -> io::Result<Seal> {
    let place = join(folder, NAME);
    tree.make_directory(&place, Some(0o700))?;
    tree.write_small(&join(&place, IGNORE_FILE), b"*\n", false)?;
    let seen = tree.write_small(&join(&place, CONTENT_FILE), text, durable)?;
    if durable {
        tree.sync_directory(&place)?;
        tree.sync_directory(folder)?;
    }
    Ok(Seal { folder: folder.to_owned(), inode: seen.inode, changed: seen.changed })
}

/// Removes the marker. Its content is removed first, because a marker without content belongs to no change.
pub(crate) fn remove(tree: &Tree, folder: &str) -> io::Result<()> {
    let place = join(folder, NAME);
    let gone = |result: io::Result<()>| match result {
        // Files of other programs in the folder are kept.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => Ok(()),
        other => other,
    };
    tree.probe("unmark");
    gone(tree.discard(&join(&place, CONTENT_FILE)))?;
    tree.probe("unmark");
    gone(tree.discard(&join(&place, IGNORE_FILE)))?;
    tree.probe("unmark");
    gone(tree.discard_directory(&place))
}

/// Opens a private file of marq: a regular file of this user, not a link, in a directory of this user that others
/// cannot write.
pub(crate) fn open_private_file(path: &Path) -> io::Result<File> {
    let refused = |why: &str| Err(io::Error::new(ErrorKind::PermissionDenied, why.to_owned()));
    let above = path.parent().unwrap_or(path).symlink_metadata()?;
    if !above.is_dir() || !system::is_private(&above) {
        return refused("its folder belongs to another user, or others may write it");
    }
    let file = system::open_unfollowed(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || !system::is_private(&metadata) {
        return refused("it belongs to another user, or others may write it");
    }
    Ok(file)
}

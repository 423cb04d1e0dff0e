//! The marker of a change that is under way: a small folder in the lowest directory that holds all that the change touches.
//! It says where the journal lies, so that whoever reaches the half-done files finds it: from the same root, from one above or
//! below, after a rename, and with another state folder. It is gone when the change is.
//!
//! Whoever looks for markers looks into every directory above the file it is about. The folder carries its own ignore rule, so
//! that no version control adds it, and walks and listings leave it out.
//!
//! What a repository holds is not to be obeyed, and files that were cloned or unpacked belong to the user as well. So a marker
//! counts only where its journal names the marker's inode and the time of its last change: the system gives these to a file when
//! it is written, and no content can know them beforehand. Some file systems number inodes anew with every mount; there a
//! marker counts that lies just where its journal says, with the id of its change. Copies of a half-done folder elsewhere do not
//! count, unless the person says so; they are said to be what they are. A marker of another user is ignored: it must neither be
//! obeyed nor bar the way.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, ErrorKind, Read as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    operation::{Operation, Steady},
    place::{below, join, split},
    system::{self, Directory, What, is_loop},
    tree::Tree,
};

/// The folder's name.
pub(crate) const NAME: &str = ".marq-journal";
/// What it says.
const CHANGE: &str = "change";
/// The rule that keeps it out of version control.
const IGNORE: &str = ".gitignore";
/// No marker is longer.
const LONGEST: u64 = 64 << 10;

/// What a marker says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Marker {
    /// For people who find it.
    about: String,
    /// Where the journal lies, absolute.
    pub(crate) journal: PathBuf,
    /// The change.
    pub(crate) id: String,
    process: u32,
    /// The change is a single step, which the system carries out as a whole: without its journal nothing is half done.
    pub(crate) alone: bool,
}

impl Marker {
    pub(crate) fn new(journal: &Path, id: &str, alone: bool) -> Marker {
        Marker {
            about: "marq is changing files below this folder, or was interrupted; its next call there takes that back"
                .to_owned(),
            journal: journal.to_owned(),
            id: id.to_owned(),
            process: std::process::id(),
            alone,
        }
    }
}

/// A marker as its journal knows it: what no content of a repository can know of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// The directory it lies in, as the journal's root names it.
    pub(crate) folder: String,
    inode: u64,
    changed: (i64, i64),
}

impl Seal {
    /// Whether both are of one marker, wherever its directory is by now.
    pub(crate) fn is_of_same(&self, other: &Seal) -> bool {
        (self.inode, self.changed) == (other.inode, other.changed)
    }

    /// The same marker, in the directory as a journal's root names it.
    pub(crate) fn at(&self, folder: &str) -> Seal {
        Seal { folder: folder.to_owned(), ..*self }
    }
}

/// What is found in a directory.
pub(crate) enum Found {
    Nothing,
    /// It was not written to its end, so the change had not begun.
    Torn,
    /// With the seal that its journal must name.
    Marker(Marker, Seal),
    /// Something that marq did not put there, or not for this user: why it is not obeyed.
    NotOurs(String),
}

/// Whether something stands where a marker would: one system call.
pub(crate) fn stands(folder: &Path) -> bool {
    folder.join(NAME).symlink_metadata().is_ok()
}

/// What the marker in a directory says.
pub(crate) fn read(folder: &Path) -> io::Result<Found> {
    let place = folder.join(NAME);
    let not_ours = |why: &str| Ok(Found::NotOurs(format!("`{}` {why}", place.display())));
    let directory = match Directory::open(&place) {
        Ok(directory) => directory,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) if error.kind() == ErrorKind::NotADirectory || is_loop(&error) => {
            return not_ours("is no folder of marq");
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return not_ours("cannot be opened"),
        Err(error) => return Err(error),
    };
    if directory.seen()?.owner.0 != system::user() {
        return not_ours("is of a change of another user");
    }
    let file = match directory.file(CHANGE) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let is_empty = directory.names()?.iter().all(|name| name == IGNORE);
            return if is_empty { Ok(Found::Torn) } else { not_ours("holds what marq did not write") };
        }
        Err(error) => return Err(error),
    };
    let seen = system::seen_of(&file)?;
    if seen.what != What::File {
        return not_ours("holds what marq did not write");
    }
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text)?;
    if serde_json::from_slice::<serde_json::Value>(&text).is_err() {
        return Ok(Found::Torn);
    }
    let Ok(marker) = serde_json::from_slice::<Marker>(&text) else {
        return not_ours("is of another version of marq");
    };
    Ok(Found::Marker(marker, Seal { folder: String::new(), inode: seen.inode, changed: seen.changed }))
}

/// The directories that get a marker: the lowest one that holds all that the operations touch, or several below it where that
/// one may not be written. They are there before the change and stay where they are.
pub(crate) fn folders(tree: &Tree, operations: &[Operation]) -> io::Result<Vec<String>> {
    let mut steady = Steady::new(tree, operations);
    let touched = operations.iter().flat_map(Operation::directories);
    let touched: BTreeSet<String> = touched.map(|directory| steady.nearest(directory)).collect();
    let mut folders = Vec::new();
    cover(tree, touched, &mut folders)?;
    Ok(folders)
}

fn cover(tree: &Tree, touched: BTreeSet<String>, folders: &mut Vec<String>) -> io::Result<()> {
    let Some(first) = touched.first() else { return Ok(()) };
    let mut common = first.clone();
    while !touched.iter().all(|directory| *directory == common || below(&common, directory).is_some()) {
        common = split(&common).0.to_owned();
    }
    let writable = tree.look(&common)?.map(|seen| tree.may_write(&common, &seen)).transpose()?.unwrap_or(false);
    if writable || touched.contains(&common) {
        folders.push(common);
        return Ok(());
    }
    let mut parts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for directory in touched {
        let part = below(&common, &directory).and_then(|rest| rest.split('/').next()).unwrap_or_default().to_owned();
        parts.entry(part).or_default().insert(directory);
    }
    parts.into_values().try_for_each(|part| cover(tree, part, folders))
}

/// Put the marker into each of the directories. `durable` says whether it has to outlive a loss of power.
pub(crate) fn write(tree: &Tree, folders: &[String], marker: &Marker, durable: bool) -> io::Result<Vec<Seal>> {
    let text = serde_json::to_vec(marker)?;
    folders.iter().map(|folder| one(tree, folder, &text, durable)).collect()
}

fn one(tree: &Tree, folder: &str, text: &[u8], durable: bool) -> io::Result<Seal> {
    let place = join(folder, NAME);
    tree.make_directory(&place, Some(0o700))?;
    tree.write_small(&join(&place, IGNORE), b"*\n", false)?;
    let seen = tree.write_small(&join(&place, CHANGE), text, durable)?;
    if durable {
        tree.sync_directory(&place)?;
        tree.sync_directory(folder)?;
    }
    Ok(Seal { folder: folder.to_owned(), inode: seen.inode, changed: seen.changed })
}

/// Take the marker away. What it says goes first: a marker that says nothing is of no change.
pub(crate) fn remove(tree: &Tree, folder: &str) -> io::Result<()> {
    let place = join(folder, NAME);
    let gone = |result: io::Result<()>| match result {
        // What others put there is theirs.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => Ok(()),
        other => other,
    };
    tree.probe("unmark");
    gone(tree.discard(&join(&place, CHANGE)))?;
    tree.probe("unmark");
    gone(tree.discard(&join(&place, IGNORE)))?;
    tree.probe("unmark");
    gone(tree.discard_directory(&place))
}

/// Open a file of marq's own that is nobody else's business: no link, a regular file of this user, in a directory of this
/// user that others cannot write.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
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

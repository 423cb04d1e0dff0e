//! Port for the files below a root and their history. The crate `files` and test doubles implement it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

pub use crate::lookups::EntryKind;
use crate::{Change, ChangeEffects, Error, Kind, Origin, Result, Work, lookups::Lookups, reader::Reader};

/// A text file as it was read.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path relative to the root, with `/`.
    pub path: String,
    /// The decoded text, without a byte order mark.
    pub text: Arc<str>,
    /// The hash of the bytes.
    pub hash: String,
    /// Size in bytes.
    pub size: u64,
}

impl Source {
    /// Returns a number that identifies the text.
    pub fn version(&self) -> u64 {
        version(&self.hash)
    }
}

/// Maps the hash of a text to a number that identifies the text.
pub fn version(hash: &str) -> u64 {
    // FNV-1a: versions are stored on disk, so they must be the same in every build.
    hash.bytes().fold(0xcbf2_9ce4_8422_2325, |known, byte| (known ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Returns a layout number (see [`Files::layout`]) that was not used before in this process.
pub fn new_layout() -> u64 {
    static LATEST: AtomicU64 = AtomicU64::new(0);
    LATEST.fetch_add(1, Ordering::Relaxed)
}

/// A change in the history, which may have been undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastChange {
    /// The id for undo.
    pub id: String,
    /// A one-line description.
    pub title: String,
    /// The time, in seconds since 1970.
    pub time: u64,
    /// The affected files.
    pub files: Vec<String>,
    /// True if the change was undone.
    pub undone: bool,
    /// If the change was interrupted and other programs wrote to its files before recovery: the file that keeps the
    /// contents it replaced. Such a change is not in effect and cannot be undone.
    pub interrupted: Option<String>,
    /// The caller that requested the change; `None` if an older version of marq made it.
    pub origin: Option<Origin>,
    /// Files whose contents were erased from the history. The change cannot be undone without them.
    pub purged: Vec<String>,
}

/// The effect of a past change on one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedFile {
    /// The path before; `None` for a new file.
    pub before: Option<String>,
    /// The path after; `None` for a deleted file.
    pub after: Option<String>,
    /// The bytes before, as kept by the history.
    pub old: StoredContent,
    /// The bytes after the change. If the file has changed again since, they are taken from the history of the later
    /// change.
    pub new: StoredContent,
}

/// Contents of a file before or after a past change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredContent {
    /// The file did not exist.
    Absent,
    /// The contents.
    Bytes(Vec<u8>),
    /// The same as on the other side: the file was only moved, or is a symbolic link.
    Same,
    /// No longer available.
    Unavailable,
}

/// An interrupted change whose recovery failed: some of its files are in the old state, some in the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedChange {
    /// The id, for giving it up.
    pub id: String,
    /// The directory that contains all its files, absolute.
    pub folder: String,
    /// The description of the change and its time in seconds since 1970; `None` if its journal is unreadable.
    pub description: Option<(String, u64)>,
    /// The affected files that are known.
    pub files: Vec<String>,
    /// The path of its journal, which may no longer exist.
    pub journal: String,
    /// The reason of the failure, and how to fix it.
    pub reason: String,
}

/// A file found by a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStamp {
    /// The path relative to the root, with `/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// The time of the last status change (`ctime`) in nanoseconds since 1970, which programs cannot set back.
    pub modified: u128,
}

/// A path that a walk skipped although no ignore file excludes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The path relative to the root, with `/`. Lossy if it is not valid UTF-8.
    pub path: String,
    /// The reason for which it was skipped.
    pub reason: String,
    /// True if this is a temporary failure of the system, so that a later walk may find files at the path.
    pub transient: bool,
}

/// The result of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalkedFiles {
    /// The files, sorted. The same allocation is returned as long as none of them changes.
    pub files: Arc<[FileStamp]>,
    /// The skipped paths, sorted.
    pub skipped: Vec<Skipped>,
}

/// The result of a walk, names only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalkedNames {
    /// The files, sorted.
    pub files: Vec<String>,
    /// The skipped paths, sorted.
    pub skipped: Vec<Skipped>,
}

/// A reader that reads each file with [`Files::text`].
struct SeparateReader<'a, F: ?Sized>(&'a F);

impl<F: Files + ?Sized> Reader for SeparateReader<'_, F> {
    fn text(&mut self, path: &str, most: u64) -> Result<Option<std::borrow::Cow<'_, str>>> {
        let Some(_) = self.0.size(path).filter(|size| *size <= most) else { return Ok(None) };
        Ok(Some(self.0.text(path)?.to_string().into()))
    }
}

/// The files below one root.
pub trait Files: Send + Sync {
    /// The root, an absolute path for display.
    fn root(&self) -> &str;

    /// Returns whether the root is a folder on disk, which other programs can open. Only such a root has a registry of its
    /// own, a git repository and language servers.
    fn is_on_disk(&self) -> bool;

    /// Resolves a relative or absolute path to one relative to the root, with `/`. Fails if it is outside the root. The
    /// file need not exist.
    ///
    /// # Errors
    /// Fails with `OutsideWorkspace` if the path is outside the root.
    fn locate(&self, path: &str) -> Result<String>;

    /// Reads a text file. Fails for binary files with their kind, and for missing files with the nearest paths.
    ///
    /// # Errors
    /// Fails with `FileNotFound` if the file is missing, with `Unsupported` if it is not text, with `LimitExceeded` if
    /// it is too large, and with `PermissionDenied` if the system does not allow reading it.
    fn read(&self, path: &str) -> Result<Source>;

    /// Reads only the text of a file that a walk just found. Callers use this method to read many files, most of which
    /// turn out not to be needed.
    ///
    /// # Errors
    /// Fails like [`Files::read`].
    fn text(&self, path: &str) -> Result<Arc<str>> {
        Ok(self.read(path)?.text)
    }

    /// Returns a reader for many files that a walk just found. The default reads each file separately.
    fn reader(&self) -> Box<dyn Reader + '_> {
        Box::new(SeparateReader(self))
    }

    /// Reads the bytes of any file.
    ///
    /// # Errors
    /// Fails like [`Files::read`], but not for files that are not text.
    fn read_bytes(&self, path: &str) -> Result<Vec<u8>>;

    /// Decodes earlier contents of this path as text. Fails if they are not text.
    ///
    /// # Errors
    /// Fails with `Unsupported` if the bytes are not text.
    fn decode(&self, path: &str, bytes: &[u8]) -> Result<String> {
        let text =
            std::str::from_utf8(bytes).map_err(|_| Error::new(Kind::Unsupported, format!("`{path}` is not text")))?;
        Ok(text.strip_prefix('\u{FEFF}').unwrap_or(text).to_owned())
    }

    /// Returns the hash that [`Files::read`] reports for a file with these bytes.
    fn hash(&self, bytes: &[u8]) -> String {
        let known = bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |known: u64, byte| (known ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
        format!("{known:016x}")
    }

    /// Returns the kind of entry at a path; `None` if nothing exists there.
    fn stat(&self, path: &str) -> Option<EntryKind>;

    /// Returns the entries of a directory, sorted by name.
    fn entries(&self, path: &str) -> Vec<(String, EntryKind)>;

    /// Returns the paths whose entry differs from the earlier lookup. Sets the mark of folders whose entries are all
    /// unchanged. The default checks each path separately.
    fn changed_lookups(&self, lookups: &mut Lookups) -> Vec<String> {
        lookups.iter().filter(|(path, known)| self.stat(path) != *known).map(|(path, _)| path).collect()
    }

    /// Returns a number that identifies the text of a file. `None` if it cannot be read as text.
    fn version(&self, path: &str) -> Option<u64> {
        self.read(path).ok().map(|source| source.version())
    }

    /// Returns a number that is the same as long as `stat` and `entries` give the same results. The default returns a
    /// new number on every call.
    fn layout(&self) -> u64 {
        new_layout()
    }

    /// Returns the files that may export a name, sorted: files that export it, and files with a default export that may
    /// contain the name or whose file name matches it, regardless of case, `-` and `_`. Empty without an index.
    fn exporters(&self, _name: &str) -> Vec<String> {
        Vec::new()
    }

    /// The call on whose behalf these files are accessed, if any. Long operations check it for cancellation.
    fn work(&self) -> Option<&Work> {
        None
    }

    /// Returns the size of a file in bytes without reading it. `None` if the size is unknown or the file does not
    /// exist.
    fn size(&self, _path: &str) -> Option<u64> {
        None
    }

    /// Resolves symbolic links. Returns the path unchanged if it contains no links or the file does not exist.
    fn resolve_links(&self, path: &str) -> String {
        path.to_owned()
    }

    /// Returns whether ignore files exclude a path, which need not exist. Build output, say, is not part of the
    /// workspace.
    fn is_ignored(&self, _path: &str) -> bool {
        false
    }

    /// Returns all files below a directory that ignore files do not exclude, sorted, with size and time of change.
    ///
    /// # Errors
    /// Fails with `LimitExceeded` if there are too many files.
    fn walk(&self, below: &str) -> Result<Vec<FileStamp>>;

    /// Like `walk`, with the skipped paths.
    ///
    /// # Errors
    /// Fails like [`Files::walk`].
    fn walk_with_skipped(&self, below: &str) -> Result<WalkedFiles> {
        Ok(WalkedFiles { files: self.walk(below)?.into(), skipped: Vec::new() })
    }

    /// Like `walk_with_skipped`, but returns names only and does not access the files themselves.
    ///
    /// # Errors
    /// Fails like [`Files::walk`].
    fn walk_names(&self, below: &str) -> Result<WalkedNames> {
        let WalkedFiles { files, skipped } = self.walk_with_skipped(below)?;
        Ok(WalkedNames { files: files.iter().map(|file| file.path.clone()).collect(), skipped })
    }

    /// Checks the stored history and returns its problems: changes that cannot be undone because stored contents are
    /// lost. Reads the entire history.
    ///
    /// # Errors
    /// Fails if the history cannot be read.
    fn damaged_entries(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Returns notices for the caller: unfinished changes with the reason, and changes rolled back since the last call.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Retries recovery and returns the interrupted changes that still cannot be rolled back.
    ///
    /// # Errors
    /// Fails if the journals cannot be read.
    fn unfinished(&self) -> Result<Vec<UnfinishedChange>> {
        Ok(Vec::new())
    }

    /// Stops rolling back an interrupted change. Returns the path of the backup of the contents it replaced, if there
    /// is one.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if there is no such interrupted change.
    fn give_up(&self, id: &str) -> Result<Option<String>> {
        Err(Error::argument(format!("`{id}` is not an interrupted change")))
    }

    /// Rolls back an interrupted change that could not be identified with certainty, by its id and the contents of its
    /// files. Returns a description of the result.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if there is no such interrupted change.
    fn roll_back_copy(&self, id: &str) -> Result<String> {
        Err(Error::argument(format!("`{id}` is not an interrupted change")))
    }

    /// Carries out a change atomically, even if the call is cancelled midway. With `dry_run`, checks everything and
    /// writes nothing.
    ///
    /// # Errors
    /// Fails with `Stale` if a file changed after the change was computed, with `OverwriteBlocked` if a destination exists,
    /// and with `Cancelled` if the call was cancelled before the change began. Nothing is changed then.
    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<ChangeEffects>;

    /// Undoes a change by id, or the latest one. Fails if its files changed since.
    ///
    /// # Errors
    /// Fails like [`Files::apply`], and with `InvalidArgument` if there is no such change.
    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(PastChange, ChangeEffects)>;

    /// Returns the changes of this root, latest first.
    ///
    /// # Errors
    /// Fails if the history cannot be read.
    fn history(&self, limit: usize) -> Result<Vec<PastChange>>;

    /// Returns what a past change did to each of its files, with the contents that are still available.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if the history has no such change.
    fn replaced_files(&self, id: &str) -> Result<Vec<ReplacedFile>> {
        Err(Error::argument(format!("`{id}` is not a change of the history")))
    }
}

/// The served roots.
pub trait Roots: Send + Sync {
    /// Opens a root (absolute) that is served or is below a served one. Without a root, opens the first served one.
    ///
    /// # Errors
    /// Fails with `OutsideWorkspace` if the root is neither served nor below a served one.
    fn open(&self, root: Option<&str>) -> Result<Arc<dyn Files>>;

    /// Returns the served roots. The default root comes first.
    fn served(&self) -> Vec<String>;

    /// Restricts the roots to the folders that a client listed. `None` if none of these is served.
    fn restricted_to(&self, uris: &[String]) -> Option<Arc<dyn Roots>>;

    /// Returns the root that contains an absolute path.
    fn root_of(&self, path: &str) -> Option<String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_of_a_hash_is_the_same_in_every_build() {
        // Published values of FNV-1a with 64 bits.
        for (hash, expected) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            assert_eq!(version(hash), expected, "{hash}");
            let source = Source { path: String::new(), text: "".into(), hash: hash.to_owned(), size: 0 };
            assert_eq!(source.version(), expected, "{hash}");
        }
    }

    #[test]
    fn layout_numbers_differ() {
        let numbers: std::collections::HashSet<u64> = (0..10).map(|_| new_layout()).collect();
        assert_eq!(numbers.len(), 10);
    }
}

//! The port of files: what the product needs of those below a root, and of their history. `files` implements it; tests do too.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

pub use crate::lookups::EntryKind;
use crate::{Applied, Change, Error, Kind, Origin, Result, Work, lookups::Lookups, reader::Reader};

/// A text file as it was read.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path relative to the root, with `/`.
    pub path: String,
    /// The text, decoded, without a byte order mark.
    pub text: Arc<str>,
    /// The hash of the bytes.
    pub hash: String,
    /// Size in bytes.
    pub size: u64,
}

impl Source {
    /// What the text is known by: the same number, the same text.
    pub fn version(&self) -> u64 {
        version(&self.hash)
    }
}

/// What a text with this hash is known by.
pub fn version(hash: &str) -> u64 {
    // FNV-1a: versions are kept on disk, so they must be the same in every build.
    hash.bytes().fold(0xcbf2_9ce4_8422_2325, |known, byte| (known ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A number for a layout (see [`Files::layout`]) that no layout of this process had before.
pub fn new_layout() -> u64 {
    static LATEST: AtomicU64 = AtomicU64::new(0);
    LATEST.fetch_add(1, Ordering::Relaxed)
}

/// A change that can be undone, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// The id for undo.
    pub id: String,
    /// What was done.
    pub title: String,
    /// When, in seconds since 1970.
    pub time: u64,
    /// The files it touched.
    pub files: Vec<String>,
    /// It was undone.
    pub undone: bool,
    /// It was interrupted, and somebody else wrote to its files before it could be taken back: what stood in them before it
    /// is kept in this file. It is in effect nowhere, and cannot be undone.
    pub interrupted: Option<String>,
    /// Who asked for it; none where an older version made it.
    pub origin: Option<Origin>,
    /// Files whose contents were taken out of the history; it cannot be undone for the lack of them.
    pub purged: Vec<String>,
}

/// What a change of the history did to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The path before; none for a new file.
    pub before: Option<String>,
    /// The path after; none for a deleted file.
    pub after: Option<String>,
    /// The bytes before; the change keeps them.
    pub old: Kept,
    /// The bytes after: those that are there now, where nobody changed them since, or what a later change kept of them.
    pub new: Kept,
}

/// Bytes of another time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// There was no file.
    Nothing,
    /// These.
    Bytes(Vec<u8>),
    /// A file that only moved along, or a link: its bytes are those of the other side.
    Same,
    /// They are nowhere any more.
    Gone,
}

/// A change that was interrupted and is not taken back, because that fails: some of its files are as before, some as after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The id to give it up by.
    pub id: String,
    /// The directory that holds all its files, absolute.
    pub folder: String,
    /// What was being done, and when, in seconds since 1970; none where its journal cannot be read.
    pub done: Option<(String, u64)>,
    /// The files it touched, as far as they are known.
    pub files: Vec<String>,
    /// Where its journal is, or was.
    pub journal: String,
    /// Why it is not taken back, and what to do.
    pub reason: String,
}

/// A file as a walk sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStamp {
    /// The path relative to the root, with `/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Time of change, in nanoseconds since 1970: of anything about the file, so that no program can set it back.
    pub modified: u128,
}

/// Something that a walk passed over although no ignore file says so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The path relative to the root, with `/`, as far as it can be shown.
    pub path: String,
    /// Why.
    pub reason: String,
    /// The system failed, and may not the next time: nothing is known of what is there.
    pub transient: bool,
}

/// What a walk found, and what it could not look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The files, sorted: the very same list as long as none of them changes.
    pub files: Arc<[FileStamp]>,
    /// What was passed over, sorted.
    pub skipped: Vec<Skipped>,
}

/// What a walk found, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The files, sorted.
    pub files: Vec<String>,
    /// What was passed over, sorted.
    pub skipped: Vec<Skipped>,
}

/// Reads each file by itself.
struct OneByOne<'a, F: ?Sized>(&'a F);

impl<F: Files + ?Sized> Reader for OneByOne<'_, F> {
    fn text(&mut self, path: &str, most: u64) -> Result<Option<std::borrow::Cow<'_, str>>> {
        let Some(_) = self.0.size(path).filter(|size| *size <= most) else { return Ok(None) };
        Ok(Some(self.0.text(path)?.to_string().into()))
    }
}

/// The files below one root.
pub trait Files: Send + Sync {
    /// The root, absolute, for display.
    fn root(&self) -> &str;

    /// The path of a file as the root knows it: relative, with `/`, confined. Takes relative and absolute paths.
    /// The file need not exist.
    fn locate(&self, path: &str) -> Result<String>;

    /// Read a text file. Binary files are refused with their kind, missing ones with the nearest paths.
    fn read(&self, path: &str) -> Result<Source>;

    /// The text alone of a file that a walk just found: what is read of many files, most of them for nothing.
    fn text(&self, path: &str) -> Result<Arc<str>> {
        Ok(self.read(path)?.text)
    }

    /// Reads the texts of many files that a walk just found; by default, each by itself.
    fn reader(&self) -> Box<dyn Reader + '_> {
        Box::new(OneByOne(self))
    }

    /// Read any file as bytes.
    fn read_bytes(&self, path: &str) -> Result<Vec<u8>>;

    /// Bytes that were under this path at another time, as text. Refused where they are none.
    fn decode(&self, path: &str, bytes: &[u8]) -> Result<String> {
        let text =
            std::str::from_utf8(bytes).map_err(|_| Error::new(Kind::Unsupported, format!("`{path}` is not text")))?;
        Ok(text.strip_prefix('\u{FEFF}').unwrap_or(text).to_owned())
    }

    /// What a text with these bytes is known by: what `read` would say, if a file had them.
    fn hash(&self, bytes: &[u8]) -> String {
        let known = bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |known: u64, byte| (known ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
        format!("{known:016x}")
    }

    /// What is at a path, if anything.
    fn stat(&self, path: &str) -> Option<EntryKind>;

    /// The entries of a directory, sorted by name.
    fn entries(&self, path: &str) -> Vec<(String, EntryKind)>;

    /// The paths at which something else stands by now than was found there. Where that is known of a whole folder at once, its
    /// mark is set. By default, each is looked at by itself.
    fn outdated(&self, lookups: &mut Lookups) -> Vec<String> {
        lookups.iter().filter(|(path, known)| self.stat(path) != *known).map(|(path, _)| path).collect()
    }

    /// What the text of a file is known by: the same number, the same text. None where there is no text to read.
    fn version(&self, path: &str) -> Option<u64> {
        self.read(path).ok().map(|source| source.version())
    }

    /// A number that stays the same as long as `stat` and `entries` answer the same. Files that cannot tell have another one
    /// every time.
    fn layout(&self) -> u64 {
        new_layout()
    }

    /// The files that export a name, or have a default export and the name in their text or as their own: sorted. None where
    /// these files have no index at hand.
    fn exporters(&self, _name: &str) -> Vec<String> {
        Vec::new()
    }

    /// The call that asks, where these are the files of one: whoever answers for long looks whether it is still wanted.
    fn work(&self) -> Option<&Work> {
        None
    }

    /// The size of a file in bytes, without reading it; none where that is not known, or nothing is there.
    fn size(&self, _path: &str) -> Option<u64> {
        None
    }

    /// The path at which a file really stands, with links followed; the same where there is none, or nothing is there.
    fn real(&self, path: &str) -> String {
        path.to_owned()
    }

    /// Whether ignore files exclude a path, there or not: what a build makes is no part of the workspace.
    fn is_ignored(&self, _path: &str) -> bool {
        false
    }

    /// All files below a directory that ignore files do not exclude, sorted, with size and time of change in nanoseconds.
    fn walk(&self, below: &str) -> Result<Vec<FileStamp>>;

    /// The same, with what could not be looked at.
    fn survey(&self, below: &str) -> Result<Survey> {
        Ok(Survey { files: self.walk(below)?.into(), skipped: Vec::new() })
    }

    /// The same by name: none of the files themselves is looked at.
    fn names(&self, below: &str) -> Result<Names> {
        let Survey { files, skipped } = self.survey(below)?;
        Ok(Names { files: files.iter().map(|file| file.path.clone()).collect(), skipped })
    }

    /// What is wrong with the history: which changes cannot be undone because the disk lost some of their entries. Reads all
    /// that is kept.
    fn damage(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// What readers have to know: changes that are half done and why, and what was taken back since this was asked last.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// The changes that were interrupted and cannot be taken back, after another try.
    fn unfinished(&self) -> Result<Vec<Unfinished>> {
        Ok(Vec::new())
    }

    /// Leave an interrupted change as it is. Answers where the contents that it replaced are kept, if they are.
    fn give_up(&self, id: &str) -> Result<Option<String>> {
        Err(Error::argument(format!("there is no interrupted change `{id}`")))
    }

    /// Take back an interrupted change that could not be identified for certain, by its id and the content of its files. Answers
    /// what came of it.
    fn take_back(&self, id: &str) -> Result<String> {
        Err(Error::argument(format!("there is no interrupted change `{id}`")))
    }

    /// Carry out a change: all of it or nothing, also when the work is cancelled in the middle. With `dry_run`, check
    /// everything and write nothing.
    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<Applied>;

    /// Undo a change by id, or the latest; refused where files changed since.
    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(Past, Applied)>;

    /// The changes of this root, latest first.
    fn history(&self, limit: usize) -> Result<Vec<Past>>;

    /// What a change of the history did to each of its files, as far as both sides are still at hand.
    fn replaced(&self, id: &str) -> Result<Vec<Replaced>> {
        Err(Error::argument(format!("there is no change `{id}` in the history")))
    }
}

/// Files below roots.
pub trait Roots: Send + Sync {
    /// The files below a root (absolute) that is served, or is below one that is. Without one, below the first that is served.
    fn open(&self, root: Option<&str>) -> Result<Arc<dyn Files>>;

    /// The roots that are served, the one that is meant where none is named first.
    fn served(&self) -> Vec<String>;

    /// Only what of these a caller told of. None where that is nothing: what was told is about other folders.
    fn narrowed(&self, told: &[String]) -> Option<Arc<dyn Roots>>;

    /// The root that an absolute path is below.
    fn holding(&self, path: &str) -> Option<String>;
}

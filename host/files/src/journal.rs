//! The journal of a change: one file with everything needed to roll it back. While the change runs it is named
//! `pending`; when finished, it is renamed to the change's id and becomes its entry in the history.
//!
//! Layout: a magic line; the directories that get markers with the id of the change, and the manifest (both JSON, each
//! preceded by its length in 8 bytes, little endian); the replaced contents, concatenated; the blake3 hash of all that
//! (32 bytes). A journal that ends before the hash was never finished, so no file was changed yet. Markers may exist,
//! however, so the list of their directories is written before they are created. A wrong hash means that the journal is
//! damaged.
//!
//! The process that executes the change holds a lock on the file. No other user can, because the folder is private. So
//! the lock on a journal shows whether its change is still running, even on file systems where locks on directories are
//! not reliable.
//!
//! Markers contain the paths of journals, and a state folder can be anywhere. Therefore a journal that contains a path
//! with `..` is invalid.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs::{File, TryLockError},
    io::{self, ErrorKind, Read, Write},
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use marquetry_model::Origin;
use serde::{Deserialize, Serialize};

use crate::{
    operation::{Contents, Effect, Operation, Plan},
    paths::path_below,
    recovery_marker::{self, Seal},
    system,
    tree::Tree,
};

const MAGIC: &[u8] = b"marquetry journal 2\n";
/// Start of the magic line of all versions.
const MAGIC_PREFIX: &[u8] = b"marquetry journal ";
const HASH_BYTES: usize = 32;

/// A change without the replaced contents.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) id: String,
    pub(crate) title: String,
    /// Seconds since 1970.
    pub(crate) time: u64,
    /// The change that this one undoes.
    pub(crate) undoes: Option<String>,
    pub(crate) operations: Vec<Operation>,
    /// Path of the temporary file of each operation.
    pub(crate) waiting: Vec<String>,
    pub(crate) effects: Vec<Effect>,
    /// The markers that exist while the change runs.
    #[serde(default)]
    pub(crate) markers: Vec<Seal>,
    /// Inodes of directories that are renamed, by operation, to distinguish them from others of the same name.
    #[serde(default)]
    pub(crate) directories: BTreeMap<usize, u64>,
    /// The caller; `None` in journals of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<StoredOrigin>,
    /// Files whose contents were purged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) purged: Vec<String>,
    /// Hashes and lengths of the replaced contents, in file order.
    kept: Vec<(String, usize)>,
}

/// Serialized form of [`Origin`].
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StoredOrigin {
    client: String,
    tool: String,
    about: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl Manifest {
    pub(crate) fn new(id: String, plan: &Plan, waiting: Vec<String>, markers: Vec<Seal>) -> Manifest {
        let operations: Vec<Operation> = plan.steps.iter().map(|step| step.operation.clone()).collect();
        let hashes = operations.iter().filter_map(|operation| operation.replaced()?.hash());
        let kept: BTreeMap<String, usize> =
            hashes.filter_map(|hash| Some((hash.to_owned(), plan.contents.get(hash)?.len()))).collect();
        let directories = plan.steps.iter().enumerate().filter_map(|(index, step)| match &step.operation {
            Operation::Rename { thing: None, .. } => Some((index, step.expected.first()?.1.inode)),
            _ => None,
        });
        Manifest {
            markers,
            directories: directories.collect(),
            id,
            title: plan.title.clone(),
            time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            undoes: plan.undoes.clone(),
            operations,
            waiting,
            effects: plan.effects.clone(),
            origin: None,
            purged: Vec::new(),
            kept: kept.into_iter().collect(),
        }
    }

    /// Sets the caller.
    pub(crate) fn with_origin(mut self, origin: Option<&Origin>) -> Manifest {
        self.origin = origin.map(|Origin { client, tool, target: about, reason: why }| StoredOrigin {
            client: client.clone(),
            tool: tool.clone(),
            about: about.clone(),
            why: why.clone(),
        });
        self
    }

    /// Returns the caller.
    pub(crate) fn origin(&self) -> Option<Origin> {
        let StoredOrigin { client, tool, about, why } = self.origin.clone()?;
        Some(Origin { client, tool, target: about, reason: why })
    }

    /// Returns the manifest relative to a directory below its root; `None` if it has paths outside of it.
    pub(crate) fn relative_to(self, folder: &str) -> Option<Manifest> {
        if folder.is_empty() {
            return Some(self);
        }
        let cut = |path: String| path_below(folder, &path).map(str::to_owned);
        let operations = self.operations.into_iter().map(|operation| operation.try_map(&cut)).collect::<Option<_>>()?;
        let waiting = self.waiting.into_iter().map(cut).collect::<Option<_>>()?;
        let mut markers = self.markers;
        for marker in &mut markers {
            marker.folder =
                if marker.folder == folder { String::new() } else { path_below(folder, &marker.folder)?.to_owned() };
        }
        Some(Manifest { operations, waiting, markers, ..self })
    }

    /// Returns whether the journal has content with one of these hashes.
    pub(crate) fn has_any_content(&self, hashes: &HashSet<String>) -> bool {
        self.kept.iter().any(|(hash, _)| hashes.contains(hash))
    }

    /// Removes the contents with these hashes and records the files that had them. Also returns the number of bytes
    /// removed.
    pub(crate) fn without_contents(mut self, hashes: &HashSet<String>) -> (Manifest, u64) {
        let (gone, kept): (Vec<_>, Vec<_>) = self.kept.into_iter().partition(|(hash, _)| hashes.contains(hash));
        self.kept = kept;
        let names = self.operations.iter().filter_map(|operation| {
            let hash = operation.replaced()?.hash()?;
            gone.iter().any(|(gone, _)| gone == hash).then(|| operation.path().to_owned())
        });
        let purged = names.chain(std::mem::take(&mut self.purged)).collect::<BTreeSet<String>>();
        (Manifest { purged: purged.into_iter().collect(), ..self }, gone.iter().map(|(_, length)| *length as u64).sum())
    }

    /// Returns whether all paths in the manifest are inside the root.
    fn is_confined(&self) -> bool {
        let operation = |operation: &Operation| match operation {
            Operation::Rename { from, to, .. } => is_confined_path(from) && is_confined_path(to),
            other => is_confined_path(other.path()),
        };
        self.operations.iter().all(operation)
            && self.waiting.iter().all(|path| is_confined_path(path))
            && self.waiting.len() == self.operations.len()
            && self.markers.iter().all(|marker| marker.folder.is_empty() || is_confined_path(&marker.folder))
            && is_id(&self.id)
    }

    /// Replaces the seal (the recorded identity) of a marker that has the right location but another inode, because the
    /// file system renumbered its inodes.
    pub(crate) fn with_seal(mut self, folder: &str, seal: &Seal) -> Manifest {
        self.directories.clear();
        for known in self.markers.iter_mut().filter(|known| known.folder == folder) {
            *known = seal.relative_to(folder);
        }
        self
    }
}

/// Returns whether a text can be the id of a change, and so a part of a file name.
pub(crate) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Returns whether a path has only downward components.
fn is_confined_path(path: &str) -> bool {
    !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// A journal that is being written.
pub(crate) struct JournalDraft {
    out: HashingWriter,
}

/// A journal whose change this process executes. It is locked until this is dropped.
pub(crate) struct RunningJournal {
    _locked: File,
}

/// Prefix that distinguishes the id from the directories in the same list; relative paths do not begin with it.
const ID: char = '/';

/// Starts the journal of a change in a new file. `folders` are the directories that get markers.
pub(crate) fn create(
    path: &Path,
    (id, folders): (&str, &[String]),
    durable: bool,
    tree: &Tree,
) -> io::Result<JournalDraft> {
    tree.probe("create journal");
    let file = system::create_private(path)?;
    // File systems without locks rely on the directory locks. On Windows a locked file could not be read.
    if cfg!(unix) {
        let _ = file.lock();
    }
    let mut out = HashingWriter { file: io::BufWriter::with_capacity(1 << 16, file), hasher: blake3::Hasher::new() };
    out.write(MAGIC)?;
    let id = format!("{ID}{id}");
    let head: Vec<&str> = std::iter::once(id.as_str()).chain(folders.iter().map(String::as_str)).collect();
    out.write_sized(&serde_json::to_vec(&head)?)?;
    out.file.flush()?;
    if durable {
        tree.probe("sync journal");
        out.file.get_ref().sync_all()?;
    }
    Ok(JournalDraft { out })
}

impl JournalDraft {
    /// Writes the rest of the journal. The bytes are on disk when this function returns.
    pub(crate) fn finish(self, manifest: &Manifest, contents: &Contents, tree: &Tree) -> io::Result<RunningJournal> {
        let mut out = self.out;
        out.write_sized(&serde_json::to_vec(manifest)?)?;
        out.file.flush()?;
        tree.probe("write journal");
        for (hash, _) in &manifest.kept {
            out.write(contents.get(hash).map_or(&[], Vec::as_slice))?;
        }
        let HashingWriter { mut file, hasher } = out;
        file.write_all(hasher.finalize().as_bytes())?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        tree.probe("sync journal");
        file.sync_all()?;
        Ok(RunningJournal { _locked: file })
    }
}

/// Returns whether the process that writes or executes the change is still running.
pub(crate) fn is_running(path: &Path) -> bool {
    let Ok(file) = recovery_marker::open_private_file(path) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

struct HashingWriter {
    file: io::BufWriter<File>,
    hasher: blake3::Hasher,
}

impl HashingWriter {
    /// Writes the length and then the bytes.
    fn write_sized(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(&(bytes.len() as u64).to_le_bytes())?;
        self.write(bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.file.write_all(bytes)
    }
}

/// Reads only the manifest; `None` if the file is not a journal or is too short.
pub(crate) fn read_manifest(path: &Path) -> Option<Manifest> {
    let mut file = open(path)?;
    read_sized(&mut file)?;
    serde_json::from_slice(&read_sized(&mut file)?).ok().filter(Manifest::is_confined)
}

/// Reads the directories that got markers, even if the rest was never written.
pub(crate) fn read_marker_folders(path: &Path) -> Vec<String> {
    read_head(path).into_iter().filter(|folder| folder.is_empty() || is_confined_path(folder)).collect()
}

/// Reads the id of the change, even if the rest was never written.
pub(crate) fn read_id(path: &Path) -> Option<String> {
    let id = read_head(path).iter().find_map(|entry| entry.strip_prefix(ID).map(str::to_owned));
    id.filter(|id| is_id(id))
}

/// Reads the id of the change from the head or the manifest.
pub(crate) fn read_id_or_manifest(path: &Path) -> Option<String> {
    read_id(path).or_else(|| Some(read_manifest(path)?.id))
}

fn read_head(path: &Path) -> Vec<String> {
    open(path).and_then(|mut file| serde_json::from_slice(&read_sized(&mut file)?).ok()).unwrap_or_default()
}

/// Truncates a journal after its manifest, which removes the contents.
pub(crate) fn truncate_contents(path: &Path) -> io::Result<()> {
    let Some(mut file) = open(path) else { return Ok(()) };
    let mut length = MAGIC.len() as u64;
    for _ in 0..2 {
        let Some(part) = read_sized(&mut file) else { break };
        length += 8 + part.len() as u64;
    }
    File::options().write(true).open(path)?.set_len(length)
}

/// Returns whether a journal was written by another version of marq and cannot be read.
pub(crate) fn is_of_another_version(path: &Path) -> bool {
    let mut start = Vec::new();
    let read =
        recovery_marker::open_private_file(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start));
    read.is_ok() && start.starts_with(MAGIC_PREFIX) && start != MAGIC
}

fn open(path: &Path) -> Option<File> {
    let mut file = recovery_marker::open_private_file(path).ok()?;
    let mut start = [0; MAGIC.len()];
    file.read_exact(&mut start).ok()?;
    (start == MAGIC).then_some(file)
}

fn read_sized(file: &mut File) -> Option<Vec<u8>> {
    let mut length = [0; 8];
    file.read_exact(&mut length).ok()?;
    let (mut bytes, length) = (Vec::new(), u64::from_le_bytes(length));
    file.take(length).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then_some(bytes)
}

/// Reads a whole journal; `None` if it was not finished. A journal of full length with a wrong hash was finished and is
/// damaged.
pub(crate) fn read(path: &Path) -> io::Result<Option<(Manifest, Contents)>> {
    let (mut file, mut bytes) = (recovery_marker::open_private_file(path)?, Vec::new());
    // The path comes from a marker and may refer to any file, so only the magic line is read at first.
    (&mut file).take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes == MAGIC {
        file.read_to_end(&mut bytes)?;
    }
    if bytes.starts_with(MAGIC_PREFIX) && !bytes.starts_with(MAGIC) {
        return Err(io::Error::new(ErrorKind::InvalidData, "another version of marq wrote it"));
    }
    let Some((manifest, contents)) = parse(&bytes) else {
        return if has_whole_length(&bytes) {
            Err(io::Error::new(ErrorKind::InvalidData, "it is damaged"))
        } else {
            Ok(None)
        };
    };
    if !manifest.is_confined() {
        return Err(io::Error::new(ErrorKind::InvalidData, "it has a path outside of its folder"));
    }
    Ok(Some((manifest, contents)))
}

fn parse(bytes: &[u8]) -> Option<(Manifest, Contents)> {
    let (body, end) = bytes.split_at_checked(bytes.len().checked_sub(HASH_BYTES)?)?;
    if blake3::hash(body).as_bytes() != end {
        return None;
    }
    let (_, rest) = sized(body.strip_prefix(MAGIC)?)?;
    let (head, mut rest) = sized(rest)?;
    let manifest: Manifest = serde_json::from_slice(head).ok()?;
    let mut contents = Contents::new();
    for (hash, length) in &manifest.kept {
        let (content, next) = rest.split_at_checked(*length)?;
        contents.insert(hash.clone(), content.to_vec());
        rest = next;
    }
    Some((manifest, contents))
}

fn has_whole_length(bytes: &[u8]) -> bool {
    let rest = || {
        let (_, rest) = sized(bytes.strip_prefix(MAGIC)?)?;
        let (head, rest) = sized(rest)?;
        let manifest: Manifest = serde_json::from_slice(head).ok()?;
        let kept = manifest.kept.iter().try_fold(HASH_BYTES, |sum, (_, length)| sum.checked_add(*length))?;
        Some(rest.len() >= kept)
    };
    rest().unwrap_or(false)
}

/// Splits off bytes that are preceded by their length.
fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_at_checked(8)?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?)
}

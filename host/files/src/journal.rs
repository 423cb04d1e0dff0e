//! The journal of a change: one file with everything that is needed to take it back. While the change runs it is called
//! `pending`; finished, it gets the change's id for a name and is its entry in the history.
//!
//! Layout: a line that says what it is; the directories that get markers with the id of the change, and the manifest (both
//! JSON, their lengths before them in 8 bytes, little endian); the replaced contents one after the other; the blake3 hash of all that (32 bytes). Without
//! the right hash at its end it was never finished, so nothing was changed yet: but markers may be there, so their directories
//! are written before they are made.
//!
//! The process that carries the change out holds a lock on the file while it does. Nobody else can: the folder is private. So
//! whoever finds a journal knows whether its change still runs, also where a lock on the files themselves says nothing.
//!
//! Journals are read from where markers say they are, and state folders may lie anywhere: a path in one that leads upwards
//! makes it no journal.

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
    marker::{self, Seal},
    operation::{Contents, Effect, Operation, Plan},
    place::below,
    system,
    tree::Tree,
};

const MAGIC: &[u8] = b"marquetry journal 2\n";
/// How journals of all versions begin.
const FAMILY: &[u8] = b"marquetry journal ";
const HASH: usize = 32;

/// Everything about a change but the replaced contents.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) id: String,
    pub(crate) title: String,
    /// Seconds since 1970.
    pub(crate) time: u64,
    /// The change that this one takes back.
    pub(crate) undoes: Option<String>,
    pub(crate) operations: Vec<Operation>,
    /// Where the content of each operation waits while the change runs.
    pub(crate) waiting: Vec<String>,
    pub(crate) effects: Vec<Effect>,
    /// The markers that are there while the change runs.
    #[serde(default)]
    pub(crate) markers: Vec<Seal>,
    /// The inodes of the directories that get another name, by operation: what tells them from others of the same name.
    #[serde(default)]
    pub(crate) directories: BTreeMap<usize, u64>,
    /// Who asked for it; none in what older versions wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<KeptOrigin>,
    /// Files whose contents were taken out of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) purged: Vec<String>,
    /// Hashes and lengths of the replaced contents, in their order in the file.
    kept: Vec<(String, usize)>,
}

/// An [`Origin`] as it is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptOrigin {
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

    /// The same with who asked for it.
    pub(crate) fn signed(mut self, origin: Option<&Origin>) -> Manifest {
        self.origin = origin.map(|Origin { client, tool, about, why }| KeptOrigin {
            client: client.clone(),
            tool: tool.clone(),
            about: about.clone(),
            why: why.clone(),
        });
        self
    }

    /// Who asked for it.
    pub(crate) fn origin(&self) -> Option<Origin> {
        let KeptOrigin { client, tool, about, why } = self.origin.clone()?;
        Some(Origin { client, tool, about, why })
    }

    /// The same change as a directory below its root sees it; none where it reaches out of that.
    pub(crate) fn below(self, folder: &str) -> Option<Manifest> {
        if folder.is_empty() {
            return Some(self);
        }
        let cut = |path: String| below(folder, &path).map(str::to_owned);
        let operations = self.operations.into_iter().map(|operation| operation.try_map(&cut)).collect::<Option<_>>()?;
        let waiting = self.waiting.into_iter().map(cut).collect::<Option<_>>()?;
        let mut markers = self.markers;
        for marker in &mut markers {
            marker.folder =
                if marker.folder == folder { String::new() } else { below(folder, &marker.folder)?.to_owned() };
        }
        Some(Manifest { operations, waiting, markers, ..self })
    }

    /// Whether it keeps a content with one of these hashes.
    pub(crate) fn keeps_any(&self, hashes: &HashSet<String>) -> bool {
        self.kept.iter().any(|(hash, _)| hashes.contains(hash))
    }

    /// The same without these contents, and how many bytes they are. It names the files that held them.
    pub(crate) fn without(mut self, hashes: &HashSet<String>) -> (Manifest, u64) {
        let (gone, kept): (Vec<_>, Vec<_>) = self.kept.into_iter().partition(|(hash, _)| hashes.contains(hash));
        self.kept = kept;
        let names = self.operations.iter().filter_map(|operation| {
            let hash = operation.replaced()?.hash()?;
            gone.iter().any(|(gone, _)| gone == hash).then(|| operation.path().to_owned())
        });
        let purged = names.chain(std::mem::take(&mut self.purged)).collect::<BTreeSet<String>>();
        (Manifest { purged: purged.into_iter().collect(), ..self }, gone.iter().map(|(_, length)| *length as u64).sum())
    }

    /// Whether every path in it stays where it is to stay.
    fn is_confined(&self) -> bool {
        let operation = |operation: &Operation| match operation {
            Operation::Rename { from, to, .. } => confined(from) && confined(to),
            other => confined(other.path()),
        };
        self.operations.iter().all(operation)
            && self.waiting.iter().all(|path| confined(path))
            && self.waiting.len() == self.operations.len()
            && self.markers.iter().all(|marker| marker.folder.is_empty() || confined(&marker.folder))
            && is_id(&self.id)
    }

    /// The same, told by the marker in one of its directories although that is another inode than the one that was written:
    /// the file system has given its files new inodes since.
    pub(crate) fn resealed(mut self, folder: &str, seal: &Seal) -> Manifest {
        self.directories.clear();
        for known in self.markers.iter_mut().filter(|known| known.folder == folder) {
            *known = seal.at(folder);
        }
        self
    }
}

/// Whether a text can be the id of a change, and so a part of a file's name.
pub(crate) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether a path leads downwards only.
fn confined(path: &str) -> bool {
    !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// A journal that is being written.
pub(crate) struct Draft {
    out: Hashing,
}

/// A journal of which this process carries out the change: others find it locked until this is dropped.
pub(crate) struct Running {
    _locked: File,
}

/// Marks the id among the directories: no directory of a root begins like this.
const ID: char = '/';

/// Begin the journal of a change: nothing may stand there yet. The directories are those that get markers.
pub(crate) fn create(path: &Path, (id, folders): (&str, &[String]), durable: bool, tree: &Tree) -> io::Result<Draft> {
    tree.probe("create journal");
    let file = system::create_private(path)?;
    // Where a file system has no locks, those on directories have to do. On Windows a locked file could not be read.
    if cfg!(unix) {
        let _ = file.lock();
    }
    let mut out = Hashing { file: io::BufWriter::with_capacity(1 << 16, file), hasher: blake3::Hasher::new() };
    out.write(MAGIC)?;
    let id = format!("{ID}{id}");
    let head: Vec<&str> = std::iter::once(id.as_str()).chain(folders.iter().map(String::as_str)).collect();
    out.write_sized(&serde_json::to_vec(&head)?)?;
    out.file.flush()?;
    if durable {
        tree.probe("sync journal");
        out.file.get_ref().sync_all()?;
    }
    Ok(Draft { out })
}

impl Draft {
    /// Write the rest; its bytes are on disk when this returns.
    pub(crate) fn finish(self, manifest: &Manifest, contents: &Contents, tree: &Tree) -> io::Result<Running> {
        let mut out = self.out;
        out.write_sized(&serde_json::to_vec(manifest)?)?;
        out.file.flush()?;
        tree.probe("write journal");
        for (hash, _) in &manifest.kept {
            out.write(contents.get(hash).map_or(&[], Vec::as_slice))?;
        }
        let Hashing { mut file, hasher } = out;
        file.write_all(hasher.finalize().as_bytes())?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        tree.probe("sync journal");
        file.sync_all()?;
        Ok(Running { _locked: file })
    }
}

/// Whether the process that writes or carries out a journal's change is still at it.
pub(crate) fn is_running(path: &Path) -> bool {
    let Ok(file) = marker::open_own(path) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

struct Hashing {
    file: io::BufWriter<File>,
    hasher: blake3::Hasher,
}

impl Hashing {
    /// Its length, and the bytes.
    fn write_sized(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(&(bytes.len() as u64).to_le_bytes())?;
        self.write(bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.file.write_all(bytes)
    }
}

/// The manifest alone; nothing where the file is not a journal, or does not reach so far.
pub(crate) fn read_manifest(path: &Path) -> Option<Manifest> {
    let mut file = open(path)?;
    read_sized(&mut file)?;
    serde_json::from_slice(&read_sized(&mut file)?).ok().filter(Manifest::is_confined)
}

/// The directories that got markers, also where the rest was never written.
pub(crate) fn read_folders(path: &Path) -> Vec<String> {
    read_head(path).into_iter().filter(|folder| folder.is_empty() || confined(folder)).collect()
}

/// The id of the change, also where the rest was never written.
pub(crate) fn read_id(path: &Path) -> Option<String> {
    let id = read_head(path).iter().find_map(|entry| entry.strip_prefix(ID).map(str::to_owned));
    id.filter(|id| is_id(id))
}

/// The id of the change, from wherever it can be read.
pub(crate) fn read_id_or_manifest(path: &Path) -> Option<String> {
    read_id(path).or_else(|| Some(read_manifest(path)?.id))
}

fn read_head(path: &Path) -> Vec<String> {
    open(path).and_then(|mut file| serde_json::from_slice(&read_sized(&mut file)?).ok()).unwrap_or_default()
}

/// Cut a journal off behind its manifest: what it keeps of files goes.
pub(crate) fn drop_contents(path: &Path) -> io::Result<()> {
    let Some(mut file) = open(path) else { return Ok(()) };
    let mut length = MAGIC.len() as u64;
    for _ in 0..2 {
        let Some(part) = read_sized(&mut file) else { break };
        length += 8 + part.len() as u64;
    }
    File::options().write(true).open(path)?.set_len(length)
}

/// Whether another version of marq wrote a journal, which this one cannot read.
pub(crate) fn is_of_another_version(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = marker::open_own(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start));
    read.is_ok() && start.starts_with(FAMILY) && start != MAGIC
}

fn open(path: &Path) -> Option<File> {
    let mut file = marker::open_own(path).ok()?;
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

/// A whole journal; nothing where it was not finished. One that has its whole length and another hash was finished, and is
/// damaged since.
pub(crate) fn read(path: &Path) -> io::Result<Option<(Manifest, Contents)>> {
    let (mut file, mut bytes) = (marker::open_own(path)?, Vec::new());
    // Whoever names a journal may name anything.
    (&mut file).take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes == MAGIC {
        file.read_to_end(&mut bytes)?;
    }
    if bytes.starts_with(FAMILY) && !bytes.starts_with(MAGIC) {
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
        return Err(io::Error::new(ErrorKind::InvalidData, "a path in it leads out of the folder it is about"));
    }
    Ok(Some((manifest, contents)))
}

fn parse(bytes: &[u8]) -> Option<(Manifest, Contents)> {
    let (body, end) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
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
        let kept = manifest.kept.iter().try_fold(HASH, |sum, (_, length)| sum.checked_add(*length))?;
        Some(rest.len() >= kept)
    };
    rest().unwrap_or(false)
}

/// The bytes of which the length is written before them, and what follows.
fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_at_checked(8)?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?)
}

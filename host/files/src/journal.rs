//! The journal of a change: one file with everything that is needed to take it back. While the change runs it is called
//! `pending`; finished, it gets the change's id for a name and is its entry in the history.
//!
//! Layout: a line that says what it is, the length of the manifest (8 bytes, little endian), the manifest (JSON), the replaced
//! contents one after the other, the blake3 hash of all that (32 bytes). Without the right hash at its end it was never
//! finished, so nothing was changed yet.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use crate::{
    operation::{Contents, Effect, Operation, Plan},
    tree::Tree,
};

const MAGIC: &[u8] = b"marquetry journal 1\n";
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
    /// Hashes and lengths of the replaced contents, in their order in the file.
    kept: Vec<(String, usize)>,
}

impl Manifest {
    pub(crate) fn new(id: String, plan: &Plan, waiting: Vec<String>) -> Manifest {
        let operations: Vec<Operation> = plan.steps.iter().map(|step| step.operation.clone()).collect();
        let hashes = operations.iter().filter_map(|operation| operation.replaced()?.hash());
        let kept: BTreeMap<String, usize> =
            hashes.filter_map(|hash| Some((hash.to_owned(), plan.contents.get(hash)?.len()))).collect();
        Manifest {
            id,
            title: plan.title.clone(),
            time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            undoes: plan.undoes.clone(),
            operations,
            waiting,
            effects: plan.effects.clone(),
            kept: kept.into_iter().collect(),
        }
    }
}

/// Write a journal; its bytes are on disk when this returns.
pub(crate) fn write(path: &Path, manifest: &Manifest, contents: &Contents, tree: &Tree) -> io::Result<()> {
    tree.probe("create journal");
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    let mut out = Hashing { file: io::BufWriter::with_capacity(1 << 16, file), hasher: blake3::Hasher::new() };
    let head = serde_json::to_vec(manifest)?;
    out.write(MAGIC)?;
    out.write(&(head.len() as u64).to_le_bytes())?;
    out.write(&head)?;
    out.file.flush()?;
    tree.probe("write journal");
    for (hash, _) in &manifest.kept {
        out.write(contents.get(hash).map_or(&[], Vec::as_slice))?;
    }
    let Hashing { mut file, hasher } = out;
    file.write_all(hasher.finalize().as_bytes())?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    tree.probe("sync journal");
    file.sync_all()
}

struct Hashing {
    file: io::BufWriter<File>,
    hasher: blake3::Hasher,
}

impl Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.file.write_all(bytes)
    }
}

/// The manifest alone; nothing where the file is not a journal.
pub(crate) fn read_manifest(path: &Path) -> Option<Manifest> {
    let mut file = File::open(path).ok()?;
    let mut start = [0; MAGIC.len() + 8];
    file.read_exact(&mut start).ok()?;
    let length = u64::from_le_bytes(start.strip_prefix(MAGIC)?.try_into().ok()?);
    let mut head = Vec::new();
    file.take(length).read_to_end(&mut head).ok()?;
    serde_json::from_slice(&head).ok()
}

/// A whole journal; nothing where it was not finished.
pub(crate) fn read(path: &Path) -> io::Result<Option<(Manifest, Contents)>> {
    let bytes = std::fs::read(path)?;
    Ok(parse(&bytes))
}

fn parse(bytes: &[u8]) -> Option<(Manifest, Contents)> {
    let (body, end) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
    if blake3::hash(body).as_bytes() != end {
        return None;
    }
    let (length, rest) = body.strip_prefix(MAGIC)?.split_at_checked(8)?;
    let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
    let (head, mut rest) = rest.split_at_checked(length)?;
    let manifest: Manifest = serde_json::from_slice(head).ok()?;
    let mut contents = Contents::new();
    for (hash, length) in &manifest.kept {
        let (content, next) = rest.split_at_checked(*length)?;
        contents.insert(hash.clone(), content.to_vec());
        rest = next;
    }
    Some((manifest, contents))
}

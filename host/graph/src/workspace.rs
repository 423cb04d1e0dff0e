//! The index of one root, brought up to date at every use.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use marquetry_model::{
    Result, Work,
    ports::{FileStamp, Files, Packs},
};

use crate::{
    build::{self, Skipped, Stale, on_all_cores},
    entry::{Entry, LinkFact, Target},
    recorder::{Listing, Recorder},
    resolve::{self, is_touched, names_of},
    store::{Kept, Store},
};

/// How much of each file must be known. Each step includes the ones before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Links and where they lead.
    Links,
    /// Exported and imported names.
    Names,
    /// Symbols.
    Symbols,
}

/// The latest index of one root; one caller at a time brings it up to date.
type Slot = Arc<Mutex<Option<Arc<Workspace>>>>;
/// For each path the links that lead to it: the file, and the index among its links.
type Importers = HashMap<String, Vec<(Arc<Entry>, usize)>>;

/// The indices of all roots of this process.
pub struct Graph {
    store: Store,
    roots: Mutex<HashMap<String, Slot>>,
}

/// A workspace as it was when it was asked for. Immutable.
pub struct Workspace {
    entries: HashMap<String, Arc<Entry>>,
    reads: Vec<(String, Option<String>)>,
    need: Need,
    /// Files that could not be read, with the reason.
    pub skipped: Skipped,
    importers: OnceLock<Importers>,
}

/// A link that leads to a file.
#[derive(Debug, Clone, Copy)]
pub struct Importer<'a> {
    /// The file that has the link.
    pub file: &'a Entry,
    /// Its index among the file's links.
    pub index: usize,
    /// The link.
    pub link: &'a LinkFact,
}

impl Importer<'_> {
    /// Whether the name may travel over the link: it says so, or does not say what does.
    pub fn may_carry(&self, name: &str) -> bool {
        let names = &self.link.names;
        // The default of a file that exports an object carries everything that is in it.
        let whole = || names.iter().any(|known| known == "default") && self.file.words.may_hold(name);
        names.is_empty() || names.iter().any(|known| known == "*" || known == name) || whole()
    }
}

impl Graph {
    /// Indices kept in this folder.
    pub fn new(folder: PathBuf) -> Graph {
        Graph { store: Store::new(folder), roots: Mutex::default() }
    }

    /// The workspace as it is now, known as far as needed. Work that is cancelled changes nothing of what was known.
    pub fn workspace(
        &self,
        files: &Arc<dyn Files>,
        packs: &dyn Packs,
        need: Need,
        work: &Work,
    ) -> Result<Arc<Workspace>> {
        let slot = Arc::clone(
            self.roots.lock().unwrap_or_else(PoisonError::into_inner).entry(files.root().to_owned()).or_default(),
        );
        // One at a time for each root: the second caller finds what the first one made.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match slot.take() {
            Some(workspace) => workspace,
            None => Arc::new(self.store.load(files.root()).map_or_else(Workspace::empty, Workspace::from_kept)),
        };
        // What was known stays known when this call is cancelled or fails.
        *slot = Some(Arc::clone(&before));
        let stamps = files.walk("")?;
        if Workspace::unchanged(&before, files, &stamps, need) {
            return Ok(before);
        }
        let now = Arc::new(Workspace::refreshed(&before, files, packs, stamps, need, work)?);
        self.store.save(&now.kept(files.root()));
        *slot = Some(Arc::clone(&now));
        Ok(now)
    }
}

impl Workspace {
    fn empty() -> Workspace {
        Workspace {
            entries: HashMap::new(),
            reads: Vec::new(),
            need: Need::Links,
            skipped: Vec::new(),
            importers: OnceLock::new(),
        }
    }

    fn from_kept(kept: Kept) -> Workspace {
        let entries: HashMap<_, _> =
            kept.entries.into_iter().map(|entry| (entry.path.clone(), Arc::new(entry))).collect();
        Workspace { entries, reads: kept.reads, ..Workspace::empty() }
    }

    fn kept(&self, root: &str) -> Kept {
        let mut entries: Vec<Entry> = self.entries.values().map(|entry| entry.as_ref().clone()).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Kept::new(root, entries, self.reads.clone())
    }

    fn unchanged(before: &Workspace, files: &Arc<dyn Files>, stamps: &[FileStamp], need: Need) -> bool {
        stamps.len() == before.entries.len()
            && before.skipped.is_empty()
            && stamps
                .iter()
                .all(|stamp| before.entries.get(&stamp.path).is_some_and(|entry| is_current(entry, stamp, need)))
            && before.entries.values().all(|entry| entry.targets.is_some())
            && outdated_reads(before, files, stamps).is_empty()
    }

    fn refreshed(
        before: &Workspace,
        files: &Arc<dyn Files>,
        packs: &dyn Packs,
        stamps: Vec<FileStamp>,
        need: Need,
        work: &Work,
    ) -> Result<Workspace> {
        let now: HashSet<&str> = stamps.iter().map(|stamp| stamp.path.as_str()).collect();
        let gone = before.entries.keys().map(String::as_str).filter(|path| !now.contains(path));
        let came = stamps.iter().map(|stamp| stamp.path.as_str()).filter(|path| !before.entries.contains_key(*path));
        let names = names_of(gone.chain(came));
        // A changed configuration may change where any link leads.
        let all_again = !outdated_reads(before, files, &stamps).is_empty();

        let mut entries: HashMap<String, Arc<Entry>> = HashMap::with_capacity(stamps.len());
        let mut stale = Vec::new();
        for stamp in &stamps {
            match before.entries.get(&stamp.path) {
                Some(entry) if is_current(entry, stamp, need) => {
                    let doubtful =
                        all_again || entry.links.iter().flatten().any(|link| is_touched(&link.specifier, &names));
                    let entry = if doubtful {
                        Arc::new(Entry { targets: None, ..entry.as_ref().clone() })
                    } else {
                        Arc::clone(entry)
                    };
                    entries.insert(stamp.path.clone(), entry);
                }
                known => stale.push(Stale { stamp: stamp.clone(), known: known.cloned() }),
            }
        }
        let (read, mut skipped) = build::read_all(files, packs, &stale, need, work)?;
        entries.extend(read.into_iter().map(|entry| (entry.path.clone(), entry)));
        let listing = Arc::new(Listing::new(stamps.iter().map(|stamp| stamp.path.as_str())));
        let recorder = Arc::new(Recorder::new(Arc::clone(files), listing));
        skipped.extend(resolve::resolve_all(&recorder, packs, &mut entries, work)?);
        let mut reads = recorder.reads();
        if !all_again {
            reads.extend(before.reads.iter().cloned());
            reads.sort();
            reads.dedup_by(|a, b| a.0 == b.0);
        }
        Ok(Workspace { entries, reads, need: need.max(before.need), skipped, importers: OnceLock::new() })
    }

    /// What is known of a file.
    pub fn file(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path).map(AsRef::as_ref)
    }

    /// All files, sorted by path.
    pub fn files(&self) -> Vec<&Entry> {
        let mut list: Vec<&Entry> = self.entries.values().map(AsRef::as_ref).collect();
        list.sort_by(|a, b| a.path.cmp(&b.path));
        list
    }

    /// The links that lead to a path, sorted by file and place.
    pub fn importers(&self, path: &str) -> Vec<Importer<'_>> {
        let all = self.importers.get_or_init(|| self.index_importers());
        let mut list: Vec<Importer<'_>> = all
            .get(path)
            .into_iter()
            .flatten()
            .filter_map(|(file, index)| Some(Importer { file, index: *index, link: file.links.as_ref()?.get(*index)? }))
            .collect();
        list.sort_by(|a, b| (&a.file.path, a.index).cmp(&(&b.file.path, b.index)));
        list
    }

    fn index_importers(&self) -> Importers {
        let mut importers = Importers::new();
        for entry in self.entries.values() {
            for (index, target) in entry.targets.iter().flatten().enumerate() {
                if let Target::Inside(path) = target {
                    importers.entry(path.clone()).or_default().push((Arc::clone(entry), index));
                }
            }
        }
        importers
    }

    /// The files whose text holds the word; only those whose pack knows names.
    pub fn mentioning(&self, files: &Arc<dyn Files>, word: &str) -> Vec<String> {
        let mut candidates: Vec<&Entry> =
            self.entries.values().map(AsRef::as_ref).filter(|entry| entry.words.may_hold(word)).collect();
        candidates.sort_by(|a, b| a.path.cmp(&b.path));
        let finder = memchr::memmem::Finder::new(word.as_bytes());
        let found = on_all_cores(&candidates, |entry| {
            files.read(&entry.path).is_ok_and(|source| finder.find(source.text.as_bytes()).is_some())
        });
        candidates.iter().zip(found).filter(|(_, found)| *found).map(|(entry, _)| entry.path.clone()).collect()
    }
}

/// A file that was changed just before it was read may be changed again without another time of change: clocks of file
/// systems are that coarse. Those that keep whole seconds need longer.
const TICK: u128 = 50_000_000;
const COARSE_TICK: u128 = 2_000_000_000;

fn is_settled(entry: &Entry) -> bool {
    let tick = if entry.modified.is_multiple_of(1_000_000_000) { COARSE_TICK } else { TICK };
    entry.modified + tick < entry.read
}

fn is_current(entry: &Entry, stamp: &FileStamp, need: Need) -> bool {
    entry.size == stamp.size
        && entry.modified == stamp.modified
        && is_settled(entry)
        && entry.links.is_some()
        && (need < Need::Names || entry.names.is_some())
        && (need < Need::Symbols || entry.symbols.is_some())
}

/// The files that decided where links lead, and are not what they were.
fn outdated_reads(before: &Workspace, files: &Arc<dyn Files>, stamps: &[FileStamp]) -> Vec<String> {
    let current = |path: &str| {
        let stamp = stamps.binary_search_by(|stamp| stamp.path.as_str().cmp(path)).ok().map(|index| &stamps[index]);
        let entry = before.entries.get(path);
        match (stamp, entry) {
            // The index has read it itself: its size and time say whether it is the same.
            (Some(stamp), Some(entry))
                if entry.size == stamp.size
                    && entry.modified == stamp.modified
                    && is_settled(entry)
                    && !entry.hash.is_empty() =>
            {
                Some(entry.hash.clone())
            }
            _ => files.read(path).ok().map(|source| source.hash),
        }
    };
    before.reads.iter().filter(|(path, hash)| current(path) != *hash).map(|(path, _)| path.clone()).collect()
}

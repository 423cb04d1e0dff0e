//! The index of one root. Every use updates it.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use marquetry_model::{
    Error, Kind, Result, Work,
    budget::Budget,
    pack::Member,
    ports::{FileStamp, Files, Packs, Skipped as Unwalked, WalkedFiles as Walked, version},
};

use crate::{
    answers::Answers,
    build::{self, ReadOutcome, Skipped, StaleFile},
    changes::Changes,
    counts::Counts,
    entry::{DetailLevel, Entry, JOINED_SCOPE, Target},
    freshness::{is_current, matches_stamp, reusable_entry},
    importer::Importer,
    latest::Latest,
    layout::Layout,
    parallel::parallel_map,
    resolve::{self, ResolutionInputs},
    snapshot::Snapshot,
    store::{IndexMetadata, Store, StoredIndex},
    stored_answers,
    survey::{Survey, may_name_member},
    texts::Texts,
    visibility::VisibilityGraph,
};

/// State of one root.
#[derive(Default)]
struct RootState {
    /// Held while the index is updated, so that only one thread updates it at a time.
    update_lock: Mutex<()>,
    latest: Arc<Latest<Workspace>>,
    texts: Arc<Texts>,
    answers: Arc<Answers>,
    counts: Arc<Counts>,
    /// Set when the answers on disk have been read.
    restored: OnceLock<()>,
}

/// For each path, the links that resolve to it: the file, and the index among its links.
type Importers = HashMap<String, Vec<(Arc<Entry>, usize)>>;

/// The index is written to disk only after changes to more files than this number plus one percent of all files.
/// Writing the index after every change would cost more than reading the changed files again in the next process.
const MAX_UNSAVED: usize = 32;

/// Estimated size of a recorded text version, without its path.
const READ_BYTES: usize = 40;

/// The indices of all roots of this process.
pub struct Graph {
    pub(crate) store: Store,
    roots: Mutex<HashMap<String, Arc<RootState>>>,
}

/// Immutable snapshot of a workspace.
#[derive(Default)]
pub struct Workspace {
    /// Sorted by path.
    entries: Arc<[Arc<Entry>]>,
    /// The last walk that found exactly these files.
    last_walk: Mutex<Option<LastWalk>>,
    metadata: IndexMetadata,
    /// Number of files read since the index was last written to disk.
    unsaved: usize,
    /// The layout, created when a pack needs it.
    layout: Mutex<Option<Arc<Layout>>>,
    /// Files that could not be read and folders that could not be listed, with the reason.
    pub skipped: Skipped,
    /// A transient failure, if a file could not be read: its content is unknown.
    pub failure: Option<Error>,
    /// Folders that the walk could not list.
    unwalked: Vec<Unwalked>,
    importers: OnceLock<Importers>,
    visibility: OnceLock<VisibilityGraph>,
}

/// A walk that found the same files as the index.
struct LastWalk {
    walk: Arc<[FileStamp]>,
    /// Level of detail of the entries.
    detail: DetailLevel,
}

/// The files that contain the name of a member.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MemberFiles {
    /// Files that can reference a declaration, and files that another file can reference together with it.
    pub related: Vec<String>,
    /// All other files. The name in these files refers to something else, unless its meaning is unknown.
    pub unrelated: Vec<String>,
}

impl Graph {
    /// Creates an index that is stored in a folder. Without a folder, it is kept only in memory.
    pub fn new(folder: impl Into<Option<PathBuf>>) -> Graph {
        Graph { store: Store::new(folder.into()), roots: Mutex::default() }
    }

    /// Returns the current workspace at the required level of detail. If the work is cancelled, the cached state does
    /// not change.
    pub fn workspace(
        &self,
        files: &Arc<dyn Files>,
        packs: &dyn Packs,
        need: DetailLevel,
        work: &Work,
    ) -> Result<Arc<Workspace>> {
        let slot = self.root_state(files);
        // One caller at a time updates each root. The next caller reuses the result.
        let _turn = slot.update_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let before = slot.latest.get().unwrap_or_else(|| {
            Arc::new(self.store.load(files.root()).map_or_else(Workspace::default, Workspace::from_stored))
        });
        let Walked { files: stamps, skipped: unwalked } = files.walk_with_skipped("")?;
        work.note_walk(&stamps);
        let engines = packs.identities(files).into_iter().collect();
        let beyond = before.metadata.probes.changed_outside(files.as_ref());
        if before.unwalked == unwalked
            && beyond.is_empty()
            && before.metadata.engines == engines
            && before.is_unchanged(files, &stamps, need)
        {
            slot.latest.keep(&before, Workspace::bytes);
            return Ok(before);
        }
        let sources = UpdateInputs { files, packs, work, texts: &slot.texts, engines, beyond };
        let mut now = before.refreshed(&sources, &stamps, need)?;
        now.skipped.extend(unwalked.iter().map(|entry| (entry.path.clone(), entry.reason.clone())));
        if let Some(lost) = unwalked.iter().find(|entry| entry.transient) {
            now.failure.get_or_insert_with(|| {
                Error::new(Kind::Internal, format!("cannot list `{}`: {}", lost.path, lost.reason)).transient()
            });
        }
        now.unwalked = unwalked;
        if now.unsaved > MAX_UNSAVED + now.entries.len() / 100 {
            self.store.save(files.root(), &now.entries, &now.metadata);
            now.unsaved = 0;
        }
        let now = Arc::new(now);
        slot.latest.keep(&now, Workspace::bytes);
        Ok(now)
    }

    /// Returns the latest cached workspace, if there is a cached workspace. Does not read files.
    pub fn latest(&self, files: &Arc<dyn Files>) -> Option<Arc<Workspace>> {
        // This call does not wait for a running update.
        self.root_state(files).latest.get()
    }

    /// Returns the workspace that would result from these files. `stamps` lists the files, sorted by path. It is used
    /// to find the links that a change would affect. The result is not stored.
    ///
    /// # Errors
    /// Fails with `Cancelled` if the work is cancelled.
    pub fn hypothetical(
        &self,
        before: &Workspace,
        files: &Arc<dyn Files>,
        packs: &dyn Packs,
        stamps: &[FileStamp],
        need: DetailLevel,
        work: &Work,
    ) -> Result<Workspace> {
        let slot = self.root_state(files);
        let beyond = before.metadata.probes.changed_outside(files.as_ref());
        let engines = before.metadata.engines.clone();
        let sources = UpdateInputs { files, packs, work, texts: &slot.texts, engines, beyond };
        before.refreshed(&sources, stamps, need)
    }

    fn root_state(&self, files: &Arc<dyn Files>) -> Arc<RootState> {
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = roots.entry(files.root().to_owned()).or_insert_with(|| {
            let slot = RootState::default();
            Budget::global().register(&slot.latest);
            Budget::global().register(&slot.texts);
            Budget::global().register(&slot.answers);
            Arc::new(slot)
        });
        Arc::clone(slot)
    }

    /// Creates a survey, which contains the files of a workspace for the questions of one call.
    pub fn survey(
        &self,
        files: &Arc<dyn Files>,
        packs: &Arc<dyn Packs>,
        workspace: &Arc<Workspace>,
        work: &Work,
    ) -> Survey {
        let slot = self.root_state(files);
        let layout = workspace.layout(files.as_ref());
        let moment = Snapshot::new(files, work, &layout, Arc::clone(&workspace.entries), &slot.texts);
        slot.restored.get_or_init(|| stored_answers::restore(&self.store, packs, &moment, &slot.answers));
        Survey::with_index(files, packs, work, moment, (&slot.answers, &slot.counts))
    }

    /// Writes cached answers to disk for the next process, if enough of them are new.
    pub fn keep_answers(&self, files: &Arc<dyn Files>, survey: &Survey) {
        if let Some(moment) = survey.moment() {
            stored_answers::save(&self.store, survey.packs(), moment, &self.root_state(files).answers);
        }
    }
}

/// Inputs of an index update.
struct UpdateInputs<'a> {
    files: &'a Arc<dyn Files>,
    packs: &'a dyn Packs,
    work: &'a Work,
    texts: &'a Arc<Texts>,
    /// Identities of the current packs. Entries of other packs are read again.
    engines: BTreeSet<String>,
    /// Paths outside of the walk that have changed.
    beyond: Vec<String>,
}

impl Workspace {
    fn from_stored(kept: StoredIndex) -> Workspace {
        let entries = kept.entries.into_iter().map(Arc::new).collect();
        Workspace { entries, metadata: kept.rest, ..Workspace::default() }
    }

    fn is_unchanged(&self, files: &Arc<dyn Files>, stamps: &Arc<[FileStamp]>, need: DetailLevel) -> bool {
        self.matches_walk(stamps, need) && self.outdated_reads(files, stamps).is_empty()
    }

    /// Returns whether the stamps match the entries and each entry has the required level of detail. This is fast if
    /// the walk is the same as the last one.
    fn matches_walk(&self, stamps: &Arc<[FileStamp]>, need: DetailLevel) -> bool {
        let mut found = self.last_walk.lock().unwrap_or_else(PoisonError::into_inner);
        let is_the_same = |found: &LastWalk| Arc::ptr_eq(&found.walk, stamps) && need <= found.detail;
        if found.as_ref().is_some_and(is_the_same) {
            return true;
        }
        let is_current = |(entry, stamp): (&Arc<Entry>, &FileStamp)| {
            entry.path == stamp.path && entry.targets.is_some() && is_current(entry, stamp, need)
        };
        let all = stamps.len() == self.entries.len() && self.entries.iter().zip(stamps.iter()).all(is_current);
        if all {
            *found = Some(LastWalk { walk: Arc::clone(stamps), detail: need });
        }
        all
    }

    fn refreshed(&self, sources: &UpdateInputs<'_>, stamps: &[FileStamp], need: DetailLevel) -> Result<Workspace> {
        let UpdateInputs { files, packs, work, texts, engines, beyond } = sources;
        let (files, packs, work, texts) = (*files, *packs, *work, *texts);
        let changes = Changes::between(&self.entries, stamps, beyond.clone());
        // If a configuration changed, the target of any link may have changed.
        let all_again =
            self.metadata.probes.are_affected_by(&changes) || !self.outdated_reads(files, stamps).is_empty();
        // If the set of packs changed, another pack may read a file.
        let same_packs = self.metadata.engines == *engines;
        let is_read_by = |path: &str| packs.for_path(files, path).map(|pack| pack.identity()).unwrap_or_default();
        let mut entries = Vec::with_capacity(stamps.len());
        let mut stale = Vec::new();
        for stamp in stamps {
            let known = self.entry(&stamp.path).map(|entry| reusable_entry(entry, all_again, &changes));
            match known {
                Some(entry)
                    if is_current(&entry, stamp, need) && (same_packs || entry.engine == is_read_by(&stamp.path)) =>
                {
                    entries.push(entry);
                }
                known => stale.push(StaleFile { stamp: stamp.clone(), known }),
            }
        }
        let unsaved = self.unsaved + stale.len();
        let ReadOutcome { entries: read, mut skipped, failure } = build::read_all(files, packs, &stale, need, work)?;
        entries.extend(read);
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let known_layout = self.known_layout().filter(|layout| changes.is_empty() && layout.is_current(files.as_ref()));
        let is_same_layout = known_layout.is_some();
        let layout =
            known_layout.unwrap_or_else(|| Arc::new(Layout::new(stamps.iter().map(|stamp| stamp.path.as_str()))));
        let moment = Snapshot::new(files, work, &layout, entries.as_slice().into(), texts);
        let (ResolutionInputs { mut reads, mut probes }, unfollowed) =
            resolve::resolve_all(&moment, packs, &mut entries, work)?;
        skipped.extend(unfollowed);
        if !all_again {
            reads.extend(self.metadata.reads.iter().cloned());
            reads.sort();
            reads.dedup_by(|a, b| a.0 == b.0);
        }
        // Packs cache their lookups per layout, so the earlier probes are kept as long as the layout is the same.
        if !all_again || is_same_layout {
            let before = self.metadata.probes.without(beyond);
            let after = std::mem::replace(&mut probes, before);
            probes.add(after);
        }
        let rest = IndexMetadata { engines: engines.clone(), reads, probes };
        let layout = Mutex::new(Some(layout));
        Ok(Workspace {
            entries: entries.into(),
            metadata: rest,
            skipped,
            failure,
            unsaved,
            layout,
            ..Workspace::default()
        })
    }

    /// Estimated size in bytes. The size of an entry includes its share of the importers and the layout, which are
    /// built on demand.
    pub(crate) fn bytes(&self) -> usize {
        let reads = self.metadata.reads.iter().map(|(path, _)| path.len() + READ_BYTES);
        let entries = self.entries.iter().map(|entry| entry.bytes());
        entries.sum::<usize>() + reads.sum::<usize>() + self.metadata.probes.bytes()
    }

    fn known_layout(&self) -> Option<Arc<Layout>> {
        self.layout.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the current layout.
    fn layout(&self, files: &dyn Files) -> Arc<Layout> {
        let mut layout = self.layout.lock().unwrap_or_else(PoisonError::into_inner);
        // Paths outside of the walk can change even if the walk is the same.
        let current = layout.take().filter(|layout| layout.is_current(files));
        let paths = || self.entries.iter().map(|entry| entry.path.as_str());
        Arc::clone(layout.insert(current.unwrap_or_else(|| Arc::new(Layout::new(paths())))))
    }

    fn entry(&self, path: &str) -> Option<&Arc<Entry>> {
        let index = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(index)
    }

    /// Returns whether link targets of other files depend on the text of this file, which makes it a configuration.
    pub fn is_configuration(&self, path: &str) -> bool {
        self.metadata.reads.binary_search_by(|(read, _)| read.as_str().cmp(path)).is_ok()
    }

    /// The files as the walk found them, sorted by path.
    pub fn stamps(&self) -> impl Iterator<Item = FileStamp> {
        self.files().map(|entry| FileStamp { path: entry.path.clone(), size: entry.size, modified: entry.modified })
    }

    /// Returns the entry of a file.
    pub fn file(&self, path: &str) -> Option<&Entry> {
        self.entry(path).map(AsRef::as_ref)
    }

    /// All files, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().map(AsRef::as_ref)
    }

    /// The files from this path on, sorted by path.
    pub fn files_from(&self, path: &str) -> impl Iterator<Item = &Entry> {
        let first = self.entries.partition_point(|entry| entry.path.as_str() < path);
        self.entries[first..].iter().map(AsRef::as_ref)
    }

    /// The links that resolve to a path, sorted by file and position.
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

    /// The files that share a scope with a file because it loads them, directly or indirectly. The file itself is not
    /// included.
    pub fn joined_scope_files(&self, path: &str) -> Vec<String> {
        let mut found = HashSet::from([path.to_owned()]);
        let mut open = vec![path.to_owned()];
        while let Some(entry) = open.pop().and_then(|path| self.file(&path)) {
            for (link, target) in entry.links.iter().flatten().zip(entry.targets.iter().flatten()) {
                if let Target::Inside(below) = target
                    && link.names.iter().any(|name| name == JOINED_SCOPE)
                    && found.insert(below.clone())
                {
                    open.push(below.clone());
                }
            }
        }
        found.remove(path);
        let mut found: Vec<String> = found.into_iter().collect();
        found.sort();
        found
    }

    fn index_importers(&self) -> Importers {
        let mut importers = Importers::new();
        for entry in self.entries.iter() {
            for (index, target) in entry.targets.iter().flatten().enumerate() {
                if let Target::Inside(path) = target {
                    importers.entry(path.clone()).or_default().push((Arc::clone(entry), index));
                }
            }
        }
        importers
    }

    /// The files on which link targets depend and that have changed.
    fn outdated_reads(&self, files: &Arc<dyn Files>, stamps: &[FileStamp]) -> Vec<String> {
        let current = |path: &str| {
            let stamp = stamps.binary_search_by(|stamp| stamp.path.as_str().cmp(path)).ok().map(|index| &stamps[index]);
            match (stamp, self.entry(path)) {
                // The index has read the file, so its size and modification time show whether it is unchanged.
                (Some(stamp), Some(entry)) if matches_stamp(entry, stamp) && !entry.hash.is_empty() => {
                    Some(version(&entry.hash))
                }
                _ => files.version(path),
            }
        };
        self.metadata
            .reads
            .iter()
            .filter(|(path, known)| current(path) != *known)
            .map(|(path, _)| path.clone())
            .collect()
    }

    /// Returns whether a file may contain the word. True if its current words are not known.
    pub fn may_hold(&self, file: &FileStamp, word: &str) -> bool {
        self.entry(&file.path).is_none_or(|entry| !matches_stamp(entry, file) || entry.may_hold(word))
    }

    /// The files whose text may contain the word. Files whose words are not known are not included.
    pub fn may_mention<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.files().filter(move |entry| entry.words.may_hold(word))
    }

    /// The files whose text contains one of the texts.
    pub fn files_containing(&self, files: &Arc<dyn Files>, texts: &[&str]) -> Vec<String> {
        let holding = self.files_passing(files, texts, |_, text| texts.iter().any(|wanted| text.contains(wanted)));
        holding.into_iter().map(|index| self.entries[index].path.clone()).collect()
    }

    /// The files whose text may name a member.
    pub fn member_files(&self, files: &Arc<dyn Files>, member: &Member) -> MemberFiles {
        let index = |path: &str| self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok();
        let declaring: Vec<Option<usize>> = member.locations.iter().map(|(path, _)| index(path)).collect();
        // A declaration outside of the index may be visible from any file.
        let related = declaring.iter().copied().collect::<Option<Vec<usize>>>().map(|declaring| {
            let visibility = self.visibility.get_or_init(|| VisibilityGraph::new(&self.entries));
            visibility.related(declaring.into_iter().filter_map(|index| u32::try_from(index).ok()))
        });
        let mut naming = MemberFiles::default();
        let names: Vec<&str> = member.forms.iter().map(String::as_str).chain([member.name.as_str()]).collect();
        for index in self.files_passing(files, &names, |path, text| may_name_member(path, text, member)) {
            let is_near = related.as_ref().is_none_or(|related| related[index]);
            let list = if is_near { &mut naming.related } else { &mut naming.unrelated };
            list.push(self.entries[index].path.clone());
        }
        naming
    }

    /// Indices of the files that may contain one of the words and whose text passes the test.
    fn files_passing(
        &self,
        files: &Arc<dyn Files>,
        words: &[&str],
        test: impl Fn(&str, &str) -> bool + Sync,
    ) -> Vec<usize> {
        let may = |index: &usize| words.iter().any(|word| self.entries[*index].words.may_hold(word));
        let candidates: Vec<usize> = (0..self.entries.len()).filter(may).collect();
        let found = parallel_map(&candidates, |index| {
            let path = self.entries[*index].path.as_str();
            files.text(path).is_ok_and(|text| test(path, &text))
        });
        candidates.into_iter().zip(found).filter(|(_, found)| *found).map(|(index, _)| index).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_size_grows_with_its_files() {
        let of = |files: usize| {
            let stamp = |number| FileStamp { path: format!("src/{number:06}.x"), size: 1, modified: 1 };
            let entries =
                (0..files).map(|number| Arc::new(build::empty_entry(&stamp(number), String::new(), String::new())));
            Workspace { entries: entries.collect(), ..Workspace::default() }.bytes()
        };
        assert!(of(100) > 100 * size_of::<Entry>() && of(10) < of(100) / 5, "{} {}", of(10), of(100));
    }
}

//! The index of one root, brought up to date at every use.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use marquetry_model::{
    Error, Kind, Result, Work,
    budget::Budget,
    pack::Member,
    ports::{FileStamp, Files, Packs, Skipped as Unwalked, Survey as Walked, version},
};

use crate::{
    answers::Answers,
    build::{self, Read, Skipped, Stale},
    changes::Changes,
    cores::on_all_cores,
    counts::Counts,
    current::{is_current, is_same, kept_entry},
    entry::{Entry, Need, ONE_SCOPE, Target},
    importer::Importer,
    kept,
    latest::Latest,
    layout::Layout,
    moment::Moment,
    resolve::{self, Looked},
    sight::Sight,
    store::{Kept, Rest, Store},
    survey::{Survey, may_name},
    texts::Texts,
};

/// What is known of one root.
#[derive(Default)]
struct Slot {
    /// One caller at a time brings the index up to date.
    turn: Mutex<()>,
    latest: Arc<Latest<Workspace>>,
    texts: Arc<Texts>,
    answers: Arc<Answers>,
    counts: Arc<Counts>,
    /// Whether the answers that are kept on disk were read.
    restored: OnceLock<()>,
}

/// For each path the links that lead to it: the file, and the index among its links.
type Importers = HashMap<String, Vec<(Arc<Entry>, usize)>>;

/// So many files, and a hundredth of all, may be read again by the next process: that costs less than to keep the index on
/// disk up to date with every change.
const UNSAVED: usize = 32;

/// What the version of a text takes that decided where links lead, beside its path.
const READ: usize = 40;

/// The indices of all roots of this process.
pub struct Graph {
    pub(crate) store: Store,
    roots: Mutex<HashMap<String, Arc<Slot>>>,
}

/// A workspace as it was when it was asked for. Immutable.
#[derive(Default)]
pub struct Workspace {
    /// Sorted by path.
    entries: Arc<[Arc<Entry>]>,
    /// The walk that last found these very files.
    found: Mutex<Option<Found>>,
    rest: Rest,
    /// Files that were read since the index was last kept on disk.
    unsaved: usize,
    /// What there is, for packs that ask; made when one does.
    layout: Mutex<Option<Arc<Layout>>>,
    /// Files that could not be read, and folders that could not be looked into, with the reason.
    pub skipped: Skipped,
    /// Why something could not be read that may be readable in a moment: nothing is known of it.
    pub failure: Option<Error>,
    /// Those that the walk could not look into.
    unwalked: Vec<Unwalked>,
    importers: OnceLock<Importers>,
    sight: OnceLock<Sight>,
}

/// A walk that found the files of the index as they were known.
struct Found {
    walk: Arc<[FileStamp]>,
    /// As much was known of each.
    known_for: Need,
}

/// The files that spell the name of a member.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Naming {
    /// Those that see a declaration of it, or are seen together with one.
    pub near: Vec<String>,
    /// All others: what is called so there is another one, unless nobody can tell what it is.
    pub far: Vec<String>,
}

impl Graph {
    /// Indices kept in this folder; without one, for as long as the process lives.
    pub fn new(folder: impl Into<Option<PathBuf>>) -> Graph {
        Graph { store: Store::new(folder.into()), roots: Mutex::default() }
    }

    /// The workspace as it is now, known as far as needed. Work that is cancelled changes nothing of what was known.
    pub fn workspace(
        &self,
        files: &Arc<dyn Files>,
        packs: &dyn Packs,
        need: Need,
        work: &Work,
    ) -> Result<Arc<Workspace>> {
        let slot = self.slot(files);
        // One at a time for each root: the second caller finds what the first one made.
        let _turn = slot.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let before = slot.latest.get().unwrap_or_else(|| {
            Arc::new(self.store.load(files.root()).map_or_else(Workspace::default, Workspace::from_kept))
        });
        let Walked { files: stamps, skipped: unwalked } = files.survey("")?;
        work.note_walk(&stamps);
        let engines = packs.identities(files).into_iter().collect();
        let beyond = before.rest.probes.changed_beyond(files.as_ref());
        if before.unwalked == unwalked
            && beyond.is_empty()
            && before.rest.engines == engines
            && before.is_unchanged(files, &stamps, need)
        {
            slot.latest.keep(&before, Workspace::bytes);
            return Ok(before);
        }
        let sources = Sources { files, packs, work, texts: &slot.texts, engines, beyond };
        let mut now = before.refreshed(&sources, &stamps, need)?;
        now.skipped.extend(unwalked.iter().map(|entry| (entry.path.clone(), entry.reason.clone())));
        if let Some(lost) = unwalked.iter().find(|entry| entry.transient) {
            now.failure.get_or_insert_with(|| {
                Error::new(Kind::Internal, format!("cannot look at `{}`: {}", lost.path, lost.reason)).transient()
            });
        }
        now.unwalked = unwalked;
        if now.unsaved > UNSAVED + now.entries.len() / 100 {
            self.store.save(files.root(), &now.entries, &now.rest);
            now.unsaved = 0;
        }
        let now = Arc::new(now);
        slot.latest.keep(&now, Workspace::bytes);
        Ok(now)
    }

    /// The workspace as it was when it was asked for last, if it was: nothing is read for this.
    pub fn known(&self, files: &Arc<dyn Files>) -> Option<Arc<Workspace>> {
        // Whoever brings it up to date now is not waited for.
        self.slot(files).latest.get()
    }

    /// The workspace as it would be with these files, which `stamps` lists, sorted by path. It says which links a change would
    /// lead elsewhere; nothing of it is kept.
    ///
    /// # Errors
    /// `Cancelled` when the work is.
    pub fn supposed(
        &self,
        before: &Workspace,
        files: &Arc<dyn Files>,
        packs: &dyn Packs,
        stamps: &[FileStamp],
        need: Need,
        work: &Work,
    ) -> Result<Workspace> {
        let slot = self.slot(files);
        let beyond = before.rest.probes.changed_beyond(files.as_ref());
        let engines = before.rest.engines.clone();
        let sources = Sources { files, packs, work, texts: &slot.texts, engines, beyond };
        before.refreshed(&sources, stamps, need)
    }

    fn slot(&self, files: &Arc<dyn Files>) -> Arc<Slot> {
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = roots.entry(files.root().to_owned()).or_insert_with(|| {
            let slot = Slot::default();
            Budget::of_process().join(&slot.latest);
            Budget::of_process().join(&slot.texts);
            Budget::of_process().join(&slot.answers);
            Arc::new(slot)
        });
        Arc::clone(slot)
    }

    /// The files of a workspace for the questions of one call.
    pub fn survey(
        &self,
        files: &Arc<dyn Files>,
        packs: &Arc<dyn Packs>,
        workspace: &Arc<Workspace>,
        work: &Work,
    ) -> Survey {
        let slot = self.slot(files);
        let layout = workspace.layout(files.as_ref());
        let moment = Moment::new(files, work, &layout, Arc::clone(&workspace.entries), &slot.texts);
        slot.restored.get_or_init(|| kept::restore(&self.store, packs, &moment, &slot.answers));
        Survey::of_all(files, packs, work, moment, (&slot.answers, &slot.counts))
    }

    /// Keep on disk what the next process would have to ask again, if much of it is new.
    pub fn keep_answers(&self, files: &Arc<dyn Files>, survey: &Survey) {
        if let Some(moment) = survey.moment() {
            kept::save(&self.store, survey.packs(), moment, &self.slot(files).answers);
        }
    }
}

/// What an index is brought up to date from.
struct Sources<'a> {
    files: &'a Arc<dyn Files>,
    packs: &'a dyn Packs,
    work: &'a Work,
    texts: &'a Arc<Texts>,
    /// The packs as entries name them; what another one said is asked again.
    engines: BTreeSet<String>,
    /// What no walk tells of, and is not as it was.
    beyond: Vec<String>,
}

impl Workspace {
    fn from_kept(kept: Kept) -> Workspace {
        let entries = kept.entries.into_iter().map(Arc::new).collect();
        Workspace { entries, rest: kept.rest, ..Workspace::default() }
    }

    fn is_unchanged(&self, files: &Arc<dyn Files>, stamps: &Arc<[FileStamp]>, need: Need) -> bool {
        self.has_all(stamps, need) && self.outdated_reads(files, stamps).is_empty()
    }

    /// Whether these are the files of the walk, as they are, and as much is known of each as is needed. Cheap where the walk found
    /// the same as the one before.
    fn has_all(&self, stamps: &Arc<[FileStamp]>, need: Need) -> bool {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let is_the_same = |found: &Found| Arc::ptr_eq(&found.walk, stamps) && need <= found.known_for;
        if found.as_ref().is_some_and(is_the_same) {
            return true;
        }
        let is_current = |(entry, stamp): (&Arc<Entry>, &FileStamp)| {
            entry.path == stamp.path && entry.targets.is_some() && is_current(entry, stamp, need)
        };
        let all = stamps.len() == self.entries.len() && self.entries.iter().zip(stamps.iter()).all(is_current);
        if all {
            *found = Some(Found { walk: Arc::clone(stamps), known_for: need });
        }
        all
    }

    fn refreshed(&self, sources: &Sources<'_>, stamps: &[FileStamp], need: Need) -> Result<Workspace> {
        let Sources { files, packs, work, texts, engines, beyond } = sources;
        let (files, packs, work, texts) = (*files, *packs, *work, *texts);
        let changes = Changes::between(&self.entries, stamps, beyond.clone());
        // A changed configuration may change where any link leads.
        let all_again = self.rest.probes.are_touched(&changes) || !self.outdated_reads(files, stamps).is_empty();
        // Where other packs are in use than before, any file may be another's.
        let same_packs = self.rest.engines == *engines;
        let is_read_by = |path: &str| packs.for_path(files, path).map(|pack| pack.identity()).unwrap_or_default();
        let mut entries = Vec::with_capacity(stamps.len());
        let mut stale = Vec::new();
        for stamp in stamps {
            let known = self.entry(&stamp.path).map(|entry| kept_entry(entry, all_again, &changes));
            match known {
                Some(entry)
                    if is_current(&entry, stamp, need) && (same_packs || entry.engine == is_read_by(&stamp.path)) =>
                {
                    entries.push(entry);
                }
                known => stale.push(Stale { stamp: stamp.clone(), known }),
            }
        }
        let unsaved = self.unsaved + stale.len();
        let Read { entries: read, mut skipped, failure } = build::read_all(files, packs, &stale, need, work)?;
        entries.extend(read);
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let known_layout = self.known_layout().filter(|layout| changes.is_empty() && layout.is_current(files.as_ref()));
        let is_same_layout = known_layout.is_some();
        let layout =
            known_layout.unwrap_or_else(|| Arc::new(Layout::new(stamps.iter().map(|stamp| stamp.path.as_str()))));
        let moment = Moment::new(files, work, &layout, entries.as_slice().into(), texts);
        let (Looked { mut reads, mut probes }, unfollowed) = resolve::resolve_all(&moment, packs, &mut entries, work)?;
        skipped.extend(unfollowed);
        if !all_again {
            reads.extend(self.rest.reads.iter().cloned());
            reads.sort();
            reads.dedup_by(|a, b| a.0 == b.0);
        }
        // Packs look once for what they know of one layout.
        if !all_again || is_same_layout {
            let before = self.rest.probes.without(beyond);
            let after = std::mem::replace(&mut probes, before);
            probes.add(after);
        }
        let rest = Rest { engines: engines.clone(), reads, probes };
        let layout = Mutex::new(Some(layout));
        Ok(Workspace { entries: entries.into(), rest, skipped, failure, unsaved, layout, ..Workspace::default() })
    }

    /// About how many bytes it takes, with what is made of it when somebody asks: who imports whom, and the paths there are.
    pub(crate) fn bytes(&self) -> usize {
        let reads = self.rest.reads.iter().map(|(path, _)| path.len() + READ);
        let entries = self.entries.iter().map(|entry| entry.bytes());
        entries.sum::<usize>() + reads.sum::<usize>() + self.rest.probes.bytes()
    }

    fn known_layout(&self) -> Option<Arc<Layout>> {
        self.layout.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What there is, as it is now.
    fn layout(&self, files: &dyn Files) -> Arc<Layout> {
        let mut layout = self.layout.lock().unwrap_or_else(PoisonError::into_inner);
        // What lies beyond the walk may have changed although the walk found the same.
        let current = layout.take().filter(|layout| layout.is_current(files));
        let paths = || self.entries.iter().map(|entry| entry.path.as_str());
        Arc::clone(layout.insert(current.unwrap_or_else(|| Arc::new(Layout::new(paths())))))
    }

    fn entry(&self, path: &str) -> Option<&Arc<Entry>> {
        let index = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(index)
    }

    /// Whether the text of a file decided where links of others lead: it is a configuration.
    pub fn decides(&self, path: &str) -> bool {
        self.rest.reads.binary_search_by(|(read, _)| read.as_str().cmp(path)).is_ok()
    }

    /// The files as the walk found them, sorted by path.
    pub fn stamps(&self) -> impl Iterator<Item = FileStamp> {
        self.files().map(|entry| FileStamp { path: entry.path.clone(), size: entry.size, modified: entry.modified })
    }

    /// What is known of a file.
    pub fn file(&self, path: &str) -> Option<&Entry> {
        self.entry(path).map(AsRef::as_ref)
    }

    /// All files, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().map(AsRef::as_ref)
    }

    /// The files whose paths come at or behind this one, sorted by path.
    pub fn files_from(&self, path: &str) -> impl Iterator<Item = &Entry> {
        let first = self.entries.partition_point(|entry| entry.path.as_str() < path);
        self.entries[first..].iter().map(AsRef::as_ref)
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

    /// The files that are one scope with a file because it loads them, or what it loads does: without the file itself.
    pub fn one_scope_below(&self, path: &str) -> Vec<String> {
        let mut found = HashSet::from([path.to_owned()]);
        let mut open = vec![path.to_owned()];
        while let Some(entry) = open.pop().and_then(|path| self.file(&path)) {
            for (link, target) in entry.links.iter().flatten().zip(entry.targets.iter().flatten()) {
                if let Target::Inside(below) = target
                    && link.names.iter().any(|name| name == ONE_SCOPE)
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

    /// The files that decided where links lead, and are not what they were.
    fn outdated_reads(&self, files: &Arc<dyn Files>, stamps: &[FileStamp]) -> Vec<String> {
        let current = |path: &str| {
            let stamp = stamps.binary_search_by(|stamp| stamp.path.as_str().cmp(path)).ok().map(|index| &stamps[index]);
            match (stamp, self.entry(path)) {
                // The index has read it itself: its size and time say whether it is the same.
                (Some(stamp), Some(entry)) if is_same(entry, stamp) && !entry.hash.is_empty() => {
                    Some(version(&entry.hash))
                }
                _ => files.version(path),
            }
        };
        self.rest.reads.iter().filter(|(path, known)| current(path) != *known).map(|(path, _)| path.clone()).collect()
    }

    /// Whether a file may have the word. It may where nothing is known of its words as they are now.
    pub fn may_hold(&self, file: &FileStamp, word: &str) -> bool {
        self.entry(&file.path).is_none_or(|entry| !is_same(entry, file) || entry.may_hold(word))
    }

    /// The files whose text may hold the word; only those whose pack knows names.
    pub fn may_mention<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.files().filter(move |entry| entry.words.may_hold(word))
    }

    /// The files whose text holds the word.
    pub fn mentioning(&self, files: &Arc<dyn Files>, word: &str) -> Vec<String> {
        let finder = memchr::memmem::Finder::new(word.as_bytes());
        let holding = self.holding(files, word, |_, text| finder.find(text.as_bytes()).is_some());
        holding.into_iter().map(|index| self.entries[index].path.clone()).collect()
    }

    /// The files whose text may name a member.
    pub fn naming(&self, files: &Arc<dyn Files>, member: &Member) -> Naming {
        let index = |path: &str| self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok();
        let declaring: Vec<Option<usize>> = member.places.iter().map(|(path, _)| index(path)).collect();
        // What lies beyond the index may be seen by anyone.
        let related = declaring.iter().copied().collect::<Option<Vec<usize>>>().map(|declaring| {
            let sight = self.sight.get_or_init(|| Sight::of(&self.entries));
            sight.related(declaring.into_iter().filter_map(|index| u32::try_from(index).ok()))
        });
        let mut naming = Naming::default();
        for index in self.holding(files, &member.name, |path, text| may_name(path, text, member)) {
            let is_near = related.as_ref().is_none_or(|related| related[index]);
            let list = if is_near { &mut naming.near } else { &mut naming.far };
            list.push(self.entries[index].path.clone());
        }
        naming
    }

    /// The indices of the files that may hold the word, and whose text is as told.
    fn holding(&self, files: &Arc<dyn Files>, word: &str, test: impl Fn(&str, &str) -> bool + Sync) -> Vec<usize> {
        let may = |index: &usize| self.entries[*index].words.may_hold(word);
        let candidates: Vec<usize> = (0..self.entries.len()).filter(may).collect();
        let found = on_all_cores(&candidates, |index| {
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
    fn an_index_counts_what_it_holds() {
        let of = |files: usize| {
            let stamp = |number| FileStamp { path: format!("src/{number:06}.x"), size: 1, modified: 1 };
            let entries = (0..files).map(|number| Arc::new(build::blank(&stamp(number), String::new(), String::new())));
            Workspace { entries: entries.collect(), ..Workspace::default() }.bytes()
        };
        assert!(of(100) > 100 * size_of::<Entry>() && of(10) < of(100) / 5, "{} {}", of(10), of(100));
    }
}

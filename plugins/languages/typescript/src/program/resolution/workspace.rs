//! Cached view of the workspace: files, configuration, and resolved specifiers. It is kept for the next call, which
//! reuses it if nothing has changed. To write the specifiers that are correct after a move, a view can also show the
//! workspace as it will be after the move.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use marquetry_sdk::Destination;
use marquetry_sdk::workspace::{self, Entry, EntryKind};

use crate::program::resolution::json::Json;
use crate::program::resolution::paths;

/// A move of a file, or of a folder with its contents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) from: String,
    pub(crate) to: String,
}

/// Workspace with a cache: each path is looked up at most once.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    moves: Vec<Move>,
    kinds: RefCell<HashMap<String, Option<EntryKind>>>,
    folders: RefCell<HashMap<String, Rc<Vec<Entry>>>>,
    /// Number of the current call. Calls about the same snapshot have the same number.
    current_call: Cell<u64>,
    /// Number of the snapshot of the current call, if the host has one.
    snapshot: Cell<Option<u64>>,
    /// Texts that have been read, by their current path.
    texts: RefCell<HashMap<String, Text>>,
    /// Texts read by each computation in progress, the innermost last.
    recorded_reads: RefCell<Vec<Reads>>,
    /// Resolved specifiers by file.
    destinations: RefCell<HashMap<String, HashMap<String, Derived<Destination>>>>,
    /// Data derived from files, by its type and the folder it belongs to.
    derived: RefCell<HashMap<(TypeId, String), AnyDerived>>,
}

/// A derived value of any type.
type AnyDerived = Derived<Rc<dyn Any>>;

/// Texts that a value depends on, with the version that each had.
#[derive(Debug, Default)]
struct Reads {
    texts: Vec<(String, Option<u64>)>,
    /// Texts of other values. They are shared, because many files depend on all manifests of a monorepo.
    groups: Vec<Rc<Reads>>,
    /// The last call in which all of them were current.
    checked: Cell<u64>,
}

/// The version of a text when it was last used, and the data derived from the text.
#[derive(Debug)]
struct Text {
    version: Option<u64>,
    /// The last call that checked its version.
    checked: u64,
    /// The parsed JSON; `None` until first use.
    json: Option<Rc<Json>>,
}

/// A derived value and the texts that it depends on. It is valid while their versions are unchanged. Each use checks
/// the versions, so that the call depends on exactly these texts.
#[derive(Clone, Debug)]
struct Derived<T> {
    value: T,
    reads: Rc<Reads>,
}

/// Path whose version is the number of the host's snapshot.
const SNAPSHOT: &str = "";
/// Maximum number of paths remembered between calls.
const MOST_PATHS: usize = 300_000;
/// Maximum number of files with remembered specifiers.
const MOST_FILES: usize = 10_000;
/// Maximum number of remembered texts.
const MOST_TEXTS: usize = 20_000;

thread_local! {
    /// The workspace of the latest call, and the layout it was created for.
    static LATEST: Cell<Option<(u64, Rc<Workspace>)>> = const { Cell::new(None) };
}

impl Workspace {
    /// Returns the workspace in its current state.
    pub(crate) fn current() -> Rc<Workspace> {
        let layout = workspace::layout_version();
        let now = match LATEST.take() {
            Some((known, latest)) if known == layout => latest,
            // If the set of paths has changed, the texts may still be the same.
            Some((_, latest)) => {
                let (call, texts) = (latest.current_call.clone(), latest.texts.take().into());
                Rc::new(Workspace { current_call: call, texts, ..Workspace::default() })
            }
            None => Rc::default(),
        };
        let snapshot = workspace::version(SNAPSHOT);
        if snapshot.is_none() || now.snapshot.replace(snapshot) != snapshot {
            now.current_call.set(now.current_call.get() + 1);
        }
        now.limit_caches();
        LATEST.set(Some((layout, now.clone())));
        now
    }

    /// Empties caches that have become too large.
    fn limit_caches(&self) {
        if self.kinds.borrow().len() > MOST_PATHS {
            self.kinds.take();
            self.folders.take();
        }
        if self.destinations.borrow().len() > MOST_FILES {
            self.destinations.take();
        }
        if self.texts.borrow().len() > MOST_TEXTS {
            self.texts.take();
        }
    }

    /// Returns the version of a text at its current path, and records it.
    fn version(&self, path: &str) -> Option<u64> {
        let version = self.current_version(path);
        if let Some(noted) = self.recorded_reads.borrow_mut().last_mut() {
            noted.texts.push((path.to_owned(), version));
        }
        version
    }

    /// Returns the version of a text at its current path; checked once per call.
    fn current_version(&self, path: &str) -> Option<u64> {
        let call = self.current_call.get();
        let known = self.texts.borrow().get(path).filter(|text| text.checked == call).map(|text| text.version);
        known.unwrap_or_else(|| {
            let version = workspace::version(path);
            let mut texts = self.texts.borrow_mut();
            match texts.get_mut(path).filter(|text| text.version == version) {
                Some(text) => text.checked = call,
                None => _ = texts.insert(path.to_owned(), Text { version, checked: call, json: None }),
            }
            version
        })
    }

    /// Returns whether texts are still current.
    fn are_current(&self, reads: &Reads) -> bool {
        let call = self.current_call.get();
        if reads.checked.get() == call {
            return true;
        }
        let are_current = reads.texts.iter().all(|(path, version)| self.current_version(path) == *version)
            && reads.groups.iter().all(|group| self.are_current(group));
        if are_current {
            reads.checked.set(call);
        }
        are_current
    }

    /// Returns whether a derived value is still valid, and records its texts for the outer computation.
    fn is_valid<T>(&self, known: &Derived<T>) -> bool {
        let is_valid = self.are_current(&known.reads);
        if is_valid && let Some(noted) = self.recorded_reads.borrow_mut().last_mut() {
            noted.groups.push(known.reads.clone());
        }
        is_valid
    }

    /// Computes a value and records the texts that it depends on.
    fn compute_derived<T>(&self, compute: impl FnOnce() -> T) -> Derived<T> {
        self.recorded_reads.borrow_mut().push(Reads::default());
        let value = compute();
        let mut noted = self.recorded_reads.borrow_mut();
        let mut reads = noted.pop().unwrap_or_default();
        reads.texts.sort_unstable();
        reads.texts.dedup();
        reads.groups.sort_unstable_by_key(|group| Rc::as_ptr(group).addr());
        reads.groups.dedup_by(|a, b| Rc::ptr_eq(a, b));
        reads.checked.set(self.current_call.get());
        let reads = Rc::new(reads);
        if let Some(outer) = noted.last_mut() {
            outer.groups.push(reads.clone());
        }
        Derived { value, reads }
    }

    /// Returns the workspace as it will be after these moves.
    pub(crate) fn after_moves(moves: Vec<Move>) -> Workspace {
        Workspace { moves, ..Workspace::default() }
    }

    /// Returns the current path of what will be at this path; `None` if nothing will be there.
    pub(crate) fn path_before_moves(&self, path: &str) -> Option<String> {
        let source = |step: &Move| Some(paths::join_path(&step.from, paths::relative_to(&step.to, path)?));
        if let Some(now) = self.moves.iter().find_map(source) {
            // The folder at `to` may already exist and contain this file, which does not move.
            let now = now.trim_end_matches('/').to_owned();
            return Some(if workspace::stat(&now).is_some() { now } else { path.to_owned() });
        }
        let gone = self.moves.iter().any(|step| paths::relative_to(&step.from, path).is_some());
        (!gone).then(|| path.to_owned())
    }

    /// Returns the future path of what is at this path. Paths in configurations are assumed to be updated with the
    /// moves.
    pub(crate) fn path_after_moves(&self, path: String) -> String {
        let target = |step: &Move| {
            let rest = paths::relative_to(&step.from, &path)?;
            Some(if rest.is_empty() { step.to.clone() } else { paths::join_path(&step.to, rest) })
        };
        self.moves.iter().find_map(target).unwrap_or(path)
    }

    /// Returns the future path of the file that a relative path in a configuration refers to. `folder` is the future
    /// folder of the configuration, and the relative path is still the one from before the moves.
    pub(crate) fn configured_path(&self, folder: &str, relative: &str) -> Option<String> {
        let before = self.path_before_moves(folder).unwrap_or_else(|| folder.to_owned());
        Some(self.path_after_moves(paths::join(&before, relative)?))
    }

    /// Returns the kind of the entry at the path.
    pub(crate) fn kind(&self, path: &str) -> Option<EntryKind> {
        if let Some(known) = self.kinds.borrow().get(path) {
            return *known;
        }
        let mut kind = self.path_before_moves(path).and_then(|path| workspace::stat(&path));
        if kind.is_none()
            && self.moves.iter().any(|step| paths::relative_to(path, &step.to).is_some_and(|r| !r.is_empty()))
        {
            kind = Some(EntryKind::Directory);
        }
        self.kinds.borrow_mut().insert(path.to_owned(), kind);
        kind
    }

    /// Returns whether there is a file at the path.
    pub(crate) fn is_file(&self, path: &str) -> bool {
        self.kind(path) == Some(EntryKind::File)
    }

    /// Returns whether there is a folder at the path.
    pub(crate) fn is_folder(&self, path: &str) -> bool {
        self.kind(path) == Some(EntryKind::Directory)
    }

    /// Returns the text of a file.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let path = self.path_before_moves(path)?;
        self.version(&path);
        workspace::read(&path).ok()
    }

    /// Returns the result of resolving a specifier of a code file. It is computed once.
    pub(crate) fn destination(&self, from: &str, specifier: &str, find: impl FnOnce() -> Destination) -> Destination {
        let known = self.destinations.borrow().get(from).and_then(|known| known.get(specifier)).cloned();
        if let Some(known) = known.filter(|known| self.is_valid(known)) {
            return known.value;
        }
        let found = self.compute_derived(find);
        let value = found.value.clone();
        self.destinations.borrow_mut().entry(from.to_owned()).or_default().insert(specifier.to_owned(), found);
        value
    }

    /// Returns the entries of a folder, without files that move into it.
    pub(crate) fn entries(&self, path: &str) -> Rc<Vec<Entry>> {
        if let Some(known) = self.folders.borrow().get(path) {
            return known.clone();
        }
        let entries = Rc::new(self.path_before_moves(path).map_or_else(Vec::new, |path| workspace::entries(&path)));
        self.folders.borrow_mut().insert(path.to_owned(), entries.clone());
        entries
    }

    /// Returns a parsed JSON file.
    pub(crate) fn json(&self, path: &str) -> Option<Rc<Json>> {
        if !self.is_file(path) {
            return None;
        }
        let path = self.path_before_moves(path)?;
        self.version(&path);
        if let Some(known) = self.texts.borrow().get(&path).and_then(|text| text.json.clone()) {
            return Some(known);
        }
        let found = Rc::new(Json::parse(&workspace::read(&path).ok()?));
        if let Some(text) = self.texts.borrow_mut().get_mut(&path) {
            text.json = Some(found.clone());
        }
        Some(found)
    }

    /// Returns a value derived from the files of a folder, computed on first use.
    pub(crate) fn cached<T: 'static>(&self, folder: &str, compute: impl FnOnce() -> T) -> Rc<T> {
        let key = (TypeId::of::<T>(), folder.to_owned());
        let known = self.derived.borrow().get(&key).cloned();
        let known = known.filter(|known| self.is_valid(known));
        if let Some(Ok(value)) = known.map(|known| known.value.downcast()) {
            return value;
        }
        let Derived { value, reads } = self.compute_derived(|| Rc::new(compute()));
        self.derived.borrow_mut().insert(key, Derived { value: value.clone(), reads });
        value
    }

    /// Returns the only path that equals this one if case is ignored.
    pub(crate) fn case_insensitive_match(&self, path: &str) -> Option<String> {
        let mut found = String::new();
        for part in path.split('/') {
            let exact = paths::join_path(&found, part);
            if self.kind(&exact).is_some() {
                found = exact;
                continue;
            }
            let lower = part.to_lowercase();
            let entries = self.entries(&found);
            let mut same = entries.iter().filter(|entry| entry.name.to_lowercase() == lower);
            let only = same.next().filter(|_| same.next().is_none())?;
            found = paths::join_path(&found, &only.name);
        }
        self.is_file(&found).then_some(found)
    }
}

//! The workspace as a call sees it: what there is, what configuration says, and where specifiers lead. It is kept for the
//! next call, which uses it as long as all that is the same. For `spell`, the workspace as it will be once the moves are done.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use marquetry_sdk::Destination;
use marquetry_sdk::workspace::{self, Entry, EntryKind};

use crate::program::resolution::json::Json;
use crate::program::resolution::paths;

/// A path and the one it gets: a file, or a folder with all that is in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) from: String,
    pub(crate) to: String,
}

/// What there is at each path, asked at most once.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    moves: Vec<Move>,
    kinds: RefCell<HashMap<String, Option<EntryKind>>>,
    folders: RefCell<HashMap<String, Rc<Vec<Entry>>>>,
    documents: RefCell<HashMap<String, Option<Rc<Json>>>>,
    /// The texts that were read, and which they were.
    read: RefCell<Vec<(String, Option<u64>)>>,
    /// Where the specifiers of a file of code lead.
    destinations: RefCell<HashMap<String, HashMap<String, Destination>>>,
    /// What was worked out of the files, by its type and the folder it is of.
    derived: RefCell<HashMap<(TypeId, String), Rc<dyn Any>>>,
}

/// A workspace that knows of more paths than this is not kept.
const MOST_PATHS: usize = 100_000;
/// Nor one that knows where the specifiers of more files lead.
const MOST_FILES: usize = 10_000;

thread_local! {
    /// What the latest call saw, and the layout it saw it in.
    static LATEST: Cell<Option<(u64, Rc<Workspace>)>> = const { Cell::new(None) };
}

impl Workspace {
    /// The workspace as it is.
    pub(crate) fn now() -> Rc<Workspace> {
        let layout = workspace::layout();
        let latest = LATEST.take().filter(|(known, latest)| *known == layout && latest.is_current());
        let now = latest.map_or_else(Rc::default, |(_, latest)| latest);
        LATEST.set(Some((layout, now.clone())));
        now
    }

    /// Whether the next call sees the same, if there still are the same paths. It asks for every text that was read: this
    /// call depends on them.
    fn is_current(&self) -> bool {
        self.kinds.borrow().len() < MOST_PATHS
            && self.destinations.borrow().len() < MOST_FILES
            && self.read.borrow().iter().all(|(path, version)| workspace::version(path) == *version)
    }

    /// The workspace as it will be.
    pub(crate) fn after(moves: Vec<Move>) -> Workspace {
        Workspace { moves, ..Workspace::default() }
    }

    /// Where the thing at this path is now: nothing when it will have gone.
    pub(crate) fn before(&self, path: &str) -> Option<String> {
        let source = |step: &Move| Some(paths::in_folder(&step.from, paths::below(&step.to, path)?));
        if let Some(now) = self.moves.iter().find_map(source) {
            // A file may keep its place in a folder that others move into.
            let now = now.trim_end_matches('/').to_owned();
            return Some(if workspace::stat(&now).is_some() { now } else { path.to_owned() });
        }
        let gone = self.moves.iter().any(|step| paths::below(&step.from, path).is_some());
        (!gone).then(|| path.to_owned())
    }

    /// Where the thing at this path will be. What configuration says of paths is brought up to date with the moves.
    pub(crate) fn later(&self, path: String) -> String {
        let target = |step: &Move| {
            let rest = paths::below(&step.from, &path)?;
            Some(if rest.is_empty() { step.to.clone() } else { paths::in_folder(&step.to, rest) })
        };
        self.moves.iter().find_map(target).unwrap_or(path)
    }

    /// The path that a configuration in `folder` means by a relative one: what it meant there before the moves.
    pub(crate) fn configured(&self, folder: &str, relative: &str) -> Option<String> {
        let before = self.before(folder).unwrap_or_else(|| folder.to_owned());
        Some(self.later(paths::join(&before, relative)?))
    }

    /// What is at the path.
    pub(crate) fn kind(&self, path: &str) -> Option<EntryKind> {
        if let Some(known) = self.kinds.borrow().get(path) {
            return *known;
        }
        let mut kind = self.before(path).and_then(|path| workspace::stat(&path));
        if kind.is_none() && self.moves.iter().any(|step| paths::below(path, &step.to).is_some_and(|r| !r.is_empty())) {
            kind = Some(EntryKind::Directory);
        }
        self.kinds.borrow_mut().insert(path.to_owned(), kind);
        kind
    }

    /// Whether a file is at the path.
    pub(crate) fn is_file(&self, path: &str) -> bool {
        self.kind(path) == Some(EntryKind::File)
    }

    /// Whether a folder is at the path.
    pub(crate) fn is_folder(&self, path: &str) -> bool {
        self.kind(path) == Some(EntryKind::Directory)
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let path = self.before(path)?;
        let version = workspace::version(&path);
        let text = workspace::read(&path);
        self.read.borrow_mut().push((path, version));
        text
    }

    /// Where a specifier of a file of code leads, found out once.
    pub(crate) fn destination(&self, from: &str, specifier: &str, find: impl FnOnce() -> Destination) -> Destination {
        if let Some(known) = self.destinations.borrow().get(from).and_then(|known| known.get(specifier)) {
            return known.clone();
        }
        let found = find();
        let mut destinations = self.destinations.borrow_mut();
        destinations.entry(from.to_owned()).or_default().insert(specifier.to_owned(), found.clone());
        found
    }

    /// The entries of a folder; files that move into it are not among them.
    pub(crate) fn entries(&self, path: &str) -> Rc<Vec<Entry>> {
        if let Some(known) = self.folders.borrow().get(path) {
            return known.clone();
        }
        let entries = Rc::new(self.before(path).map_or_else(Vec::new, |path| workspace::entries(&path)));
        self.folders.borrow_mut().insert(path.to_owned(), entries.clone());
        entries
    }

    /// A file of JSON.
    pub(crate) fn json(&self, path: &str) -> Option<Rc<Json>> {
        if let Some(known) = self.documents.borrow().get(path) {
            return known.clone();
        }
        let found = if self.is_file(path) { self.read(path).map(|text| Rc::new(Json::parse(&text))) } else { None };
        self.documents.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }

    /// What is worked out of the files of a folder, computed when first asked for.
    pub(crate) fn remember<T: 'static>(&self, folder: &str, compute: impl FnOnce() -> T) -> Rc<T> {
        let key = (TypeId::of::<T>(), folder.to_owned());
        let known = self.derived.borrow().get(&key).cloned();
        if let Some(known) = known.and_then(|known| known.downcast().ok()) {
            return known;
        }
        let found = Rc::new(compute());
        self.derived.borrow_mut().insert(key, found.clone());
        found
    }

    /// The file that the path names when upper and lower case are taken as the same.
    pub(crate) fn in_other_case(&self, path: &str) -> Option<String> {
        let mut found = String::new();
        for part in path.split('/') {
            let exact = paths::in_folder(&found, part);
            if self.kind(&exact).is_some() {
                found = exact;
                continue;
            }
            let lower = part.to_lowercase();
            let entries = self.entries(&found);
            let mut same = entries.iter().filter(|entry| entry.name.to_lowercase() == lower);
            let only = same.next().filter(|_| same.next().is_none())?;
            found = paths::in_folder(&found, &only.name);
        }
        self.is_file(&found).then_some(found)
    }
}

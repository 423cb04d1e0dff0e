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
    /// The number of the call.
    call: Cell<u64>,
    /// The texts that were asked for, by the path that they have now.
    texts: RefCell<HashMap<String, Text>>,
    /// The texts that are asked for by what is worked out at the moment; what is worked out for something else is the last.
    noted: RefCell<Vec<Reads>>,
    /// Where the specifiers of a file of code lead.
    destinations: RefCell<HashMap<String, HashMap<String, Derived<Destination>>>>,
    /// What was worked out of the files, by its type and the folder it is of.
    derived: RefCell<HashMap<(TypeId, String), AnyDerived>>,
}

/// Something of any type that was worked out.
type AnyDerived = Derived<Rc<dyn Any>>;

/// The version that each text had.
type Reads = Vec<(String, Option<u64>)>;

/// A text as it was when it was last asked for.
#[derive(Debug)]
struct Text {
    version: Option<u64>,
    /// The call that asked for its version last.
    checked: u64,
    /// The value of a file of JSON; none until somebody wants it.
    json: Option<Rc<Json>>,
}

/// Something that was worked out, and the texts that it depends on. It stands as long as these are the same; whoever uses it
/// asks for them, and for no others.
#[derive(Clone, Debug)]
struct Derived<T> {
    value: T,
    reads: Rc<Reads>,
    /// The call in which it was found to stand.
    checked: u64,
}

/// More paths than this are not remembered from call to call.
const MOST_PATHS: usize = 300_000;
/// Nor where the specifiers of more files lead.
const MOST_FILES: usize = 10_000;
/// Nor more texts.
const MOST_TEXTS: usize = 20_000;

thread_local! {
    /// What the latest call saw, and the layout it saw it in.
    static LATEST: Cell<Option<(u64, Rc<Workspace>)>> = const { Cell::new(None) };
}

impl Workspace {
    /// The workspace as it is.
    pub(crate) fn now() -> Rc<Workspace> {
        let layout = workspace::layout();
        let now = match LATEST.take() {
            Some((known, latest)) if known == layout => latest,
            // Where other paths are there, the texts may be what they were.
            Some((_, latest)) => {
                let (call, texts) = (latest.call.clone(), latest.texts.take().into());
                Rc::new(Workspace { call, texts, ..Workspace::default() })
            }
            None => Rc::default(),
        };
        now.begin();
        LATEST.set(Some((layout, now.clone())));
        now
    }

    /// Begin a call: every text that it depends on has to be asked for again.
    fn begin(&self) {
        self.call.set(self.call.get() + 1);
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

    /// What a text is known by now, asked once in a call. The path is the one that it has now.
    fn version(&self, path: &str) -> Option<u64> {
        let call = self.call.get();
        let known = self.texts.borrow().get(path).filter(|text| text.checked == call).map(|text| text.version);
        let version = known.unwrap_or_else(|| {
            let version = workspace::version(path);
            let mut texts = self.texts.borrow_mut();
            match texts.get_mut(path).filter(|text| text.version == version) {
                Some(text) => text.checked = call,
                None => _ = texts.insert(path.to_owned(), Text { version, checked: call, json: None }),
            }
            version
        });
        if let Some(noted) = self.noted.borrow_mut().last_mut() {
            noted.push((path.to_owned(), version));
        }
        version
    }

    /// Whether something still stands: in one call that is found out once.
    fn stands<T>(&self, known: &Derived<T>) -> bool {
        if known.checked != self.call.get() {
            return known.reads.iter().all(|(path, version)| self.version(path) == *version);
        }
        if let Some(noted) = self.noted.borrow_mut().last_mut() {
            noted.extend(known.reads.iter().cloned());
        }
        true
    }

    /// Work something out, and note the texts that it depends on.
    fn derive<T>(&self, compute: impl FnOnce() -> T) -> Derived<T> {
        self.noted.borrow_mut().push(Reads::new());
        let value = compute();
        let mut noted = self.noted.borrow_mut();
        let mut reads = noted.pop().unwrap_or_default();
        reads.sort_unstable();
        reads.dedup();
        if let Some(outer) = noted.last_mut() {
            outer.extend(reads.iter().cloned());
        }
        Derived { value, reads: Rc::new(reads), checked: self.call.get() }
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
        self.version(&path);
        workspace::read(&path)
    }

    /// Where a specifier of a file of code leads, found out once.
    pub(crate) fn destination(&self, from: &str, specifier: &str, find: impl FnOnce() -> Destination) -> Destination {
        let known = self.destinations.borrow().get(from).and_then(|known| known.get(specifier)).cloned();
        if let Some(known) = known.filter(|known| self.stands(known)) {
            return known.value;
        }
        let found = self.derive(find);
        let value = found.value.clone();
        self.destinations.borrow_mut().entry(from.to_owned()).or_default().insert(specifier.to_owned(), found);
        value
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
        if !self.is_file(path) {
            return None;
        }
        let path = self.before(path)?;
        self.version(&path);
        if let Some(known) = self.texts.borrow().get(&path).and_then(|text| text.json.clone()) {
            return Some(known);
        }
        let found = Rc::new(Json::parse(&workspace::read(&path)?));
        if let Some(text) = self.texts.borrow_mut().get_mut(&path) {
            text.json = Some(found.clone());
        }
        Some(found)
    }

    /// What is worked out of the files of a folder, computed when first asked for.
    pub(crate) fn remember<T: 'static>(&self, folder: &str, compute: impl FnOnce() -> T) -> Rc<T> {
        let key = (TypeId::of::<T>(), folder.to_owned());
        let known = self.derived.borrow().get(&key).cloned();
        if let Some(known) = known.filter(|known| self.stands(known)) {
            if let Some(slot) = self.derived.borrow_mut().get_mut(&key) {
                slot.checked = self.call.get();
            }
            if let Ok(value) = known.value.downcast() {
                return value;
            }
        }
        let Derived { value, reads, checked } = self.derive(|| Rc::new(compute()));
        self.derived.borrow_mut().insert(key, Derived { value: value.clone(), reads, checked });
        value
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

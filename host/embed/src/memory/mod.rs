//! Files in memory, with changes, undo and history.

mod history;
mod plan;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use marquetry_files::{hash, is_protected_name};
use marquetry_model::{
    Change, ChangeEffects, Error, Kind, Outcome, Result, Work,
    nearest::{MAX_CANDIDATES, nearest_names},
    ports::{EntryKind, FileStamp, Files, PastChange, ReplacedFile, Source, new_layout},
};

use self::history::{History, Replaced};

/// The root that files in memory have in paths of answers.
const ROOT: &str = "/memory";

/// The contents of a file, with a number that no other version of a file has.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    bytes: Arc<[u8]>,
    version: u64,
}

impl Content {
    fn new(bytes: &[u8]) -> Content {
        static LATEST: AtomicU64 = AtomicU64::new(0);
        Content { bytes: bytes.into(), version: LATEST.fetch_add(1, Ordering::Relaxed) }
    }
}

/// All files by path.
pub(crate) type Tree = BTreeMap<String, Content>;

/// Files in memory: the workspace of a host that touches no disk. Clones share the files.
///
/// Paths are relative to the root `/memory`, with `/`. A folder exists while a file is in it. Ignore files have no
/// effect. Changes are atomic, have a history, and can be undone. Files and history exist until the last clone is
/// dropped.
///
/// # Examples
///
/// ```
/// use marquetry::{CreateArgs, Host, MemoryFiles};
///
/// # fn main() -> marquetry::Result<()> {
/// let files = MemoryFiles::new([("src/a.txt", "one")]);
/// let host = Host::builder().files(files.clone()).build()?;
/// let args = CreateArgs { path: "src/b.txt".into(), content: Some("two".into()), ..CreateArgs::default() };
/// host.file_create(&args)?;
/// assert_eq!(files.text("src/b.txt").as_deref(), Some("two"));
/// assert_eq!(files.paths(), ["src/a.txt", "src/b.txt"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    tree: Tree,
    history: History,
    /// Changes whenever a path is added or removed.
    layout: u64,
}

impl State {
    fn replace(&mut self, tree: Tree) {
        if !tree.keys().eq(self.tree.keys()) {
            self.layout = new_layout();
        }
        self.tree = tree;
    }
}

impl MemoryFiles {
    /// Creates files from paths and texts. Paths are relative, with `/`.
    ///
    /// # Examples
    ///
    /// ```
    /// let files = marquetry::MemoryFiles::new([("a.json", "{}"), ("docs/b.md", "# B\n")]);
    /// assert_eq!(files.paths().len(), 2);
    /// ```
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> MemoryFiles {
        let tree = files.into_iter().map(|(path, text)| (path.to_owned(), Content::new(text.as_bytes())));
        let state = State { tree: tree.collect(), history: History::default(), layout: new_layout() };
        MemoryFiles(Arc::new(Mutex::new(state)))
    }

    /// Writes a file as another program would: without history, and without updates of links.
    ///
    /// # Examples
    ///
    /// ```
    /// let files = marquetry::MemoryFiles::default();
    /// files.write("a.txt", "text");
    /// assert_eq!(files.text("a.txt").as_deref(), Some("text"));
    /// ```
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let mut state = self.state();
        if state.tree.insert(path.to_owned(), Content::new(bytes.as_ref())).is_none() {
            state.layout = new_layout();
        }
    }

    /// Returns the text of a file; `None` if it does not exist or is not text.
    ///
    /// # Examples
    ///
    /// ```
    /// let files = marquetry::MemoryFiles::new([("a.txt", "text")]);
    /// assert_eq!((files.text("a.txt").as_deref(), files.text("b.txt")), (Some("text"), None));
    /// ```
    pub fn text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.state().tree.get(path)?.bytes.to_vec()).ok()
    }

    /// Returns the paths of all files, sorted.
    ///
    /// # Examples
    ///
    /// ```
    /// let files = marquetry::MemoryFiles::new([("b.txt", ""), ("a.txt", "")]);
    /// assert_eq!(files.paths(), ["a.txt", "b.txt"]);
    /// ```
    pub fn paths(&self) -> Vec<String> {
        self.state().tree.keys().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks or applies a new state of the tree.
    fn commit(
        &self,
        state: &mut State,
        new: Tree,
        replaced: Vec<Replaced>,
        dry_run: bool,
        entry: Entry<'_>,
    ) -> ChangeEffects {
        let directories_created = new_directories(&state.tree, &new);
        let outcome = match (replaced.is_empty(), dry_run) {
            (true, _) => Outcome::Nothing,
            (_, true) => Outcome::DryRun,
            _ => Outcome::Applied,
        };
        let files = replaced.iter().map(Replaced::effect).collect();
        let mut id = None;
        if outcome == Outcome::Applied {
            id = Some(state.history.add(entry.title, entry.undoes, replaced, entry.work.origin().cloned()));
            state.replace(new);
        }
        ChangeEffects { id, outcome, files, directories_created }
    }
}

/// The description of a change in the history.
struct Entry<'a> {
    title: &'a str,
    /// The change that this one undoes.
    undoes: Option<&'a str>,
    work: &'a Work,
}

/// Returns the folders that only the new tree has, sorted.
fn new_directories(old: &Tree, new: &Tree) -> Vec<String> {
    let folders = |tree: &Tree| -> BTreeSet<String> {
        let above = |path: &String| path.match_indices('/').map(|(end, _)| path[..end].to_owned()).collect::<Vec<_>>();
        tree.keys().flat_map(above).collect()
    };
    folders(new).difference(&folders(old)).cloned().collect()
}

/// Returns whether a path is below a folder. Every path is below the root, which is empty.
fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns whether any file is below a folder.
fn has_files<T>(tree: &BTreeMap<String, T>, folder: &str) -> bool {
    let below = format!("{folder}/");
    folder.is_empty() || tree.range(below.clone()..).next().is_some_and(|(path, _)| path.starts_with(&below))
}

fn kind_at(tree: &Tree, path: &str) -> Option<EntryKind> {
    if tree.contains_key(path) {
        return Some(EntryKind::File);
    }
    has_files(tree, path).then_some(EntryKind::Directory)
}

/// Returns the contents of a file, or an error with the kind of entry at the path.
fn file_at<'t>(tree: &'t Tree, path: &str) -> Result<&'t Content> {
    if let Some(content) = tree.get(path) {
        return Ok(content);
    }
    if kind_at(tree, path).is_some() {
        let inside = tree.keys().filter(|file| is_below(file, path)).take(MAX_CANDIDATES).cloned();
        let shown = if path.is_empty() { "." } else { path };
        return Err(Error::argument(format!("`{shown}` is a directory")).hint("name a file in it").candidates(inside));
    }
    let error = Error::new(Kind::FileNotFound, format!("`{path}` does not exist"));
    let candidates = nearest_names(path, tree.keys().cloned());
    Err(match candidates.is_empty() {
        true => error.hint("paths are relative to the workspace; query `files` lists them"),
        false => error.hint("use one of the candidates").candidates(candidates),
    })
}

/// Resolves `.` and `..`. Fails if the path leaves the root.
fn locate(path: &str) -> Result<String> {
    let outside = || {
        Error::new(Kind::OutsideWorkspace, format!("`{path}` is outside of the root `{ROOT}`"))
            .hint("paths are relative to the root")
    };
    let named = path.strip_prefix("file://").unwrap_or(path);
    let below = match named.strip_prefix(ROOT) {
        Some(below) if below.is_empty() || below.starts_with('/') => below,
        _ if named.starts_with('/') => return Err(outside()),
        _ => named,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in below.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop().ok_or_else(outside)?,
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// Returns the path for a write. Fails for the root itself, and for folders of version control.
fn locate_written(path: &str) -> Result<String> {
    let found = locate(path)?;
    if found.is_empty() {
        return Err(Error::argument("the workspace itself cannot be written, moved or deleted")
            .hint("name a file or directory in it"));
    }
    match found.split('/').find(|part| is_protected_name(part)) {
        None => Ok(found),
        Some(part) => {
            Err(Error::new(Kind::PermissionDenied, format!("`{found}` is in `{part}`, which calls do not change"))
                .hint("write to another folder"))
        }
    }
}

fn stamp((path, content): (&String, &Content)) -> FileStamp {
    FileStamp { path: path.clone(), size: content.bytes.len() as u64, modified: content.version.into() }
}

impl Files for MemoryFiles {
    fn root(&self) -> &str {
        ROOT
    }

    fn is_on_disk(&self) -> bool {
        false
    }

    fn locate(&self, path: &str) -> Result<String> {
        locate(path)
    }

    fn read(&self, path: &str) -> Result<Source> {
        let path = locate(path)?;
        let bytes = self.read_bytes(&path)?;
        let text = self.decode(&path, &bytes)?.into();
        Ok(Source { hash: hash(&bytes), size: bytes.len() as u64, path, text })
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        Ok(file_at(&self.state().tree, &locate(path)?)?.bytes.to_vec())
    }

    fn hash(&self, bytes: &[u8]) -> String {
        hash(bytes)
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        kind_at(&self.state().tree, &locate(path).ok()?)
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        let Ok(folder) = locate(path) else { return Vec::new() };
        let prefix = if folder.is_empty() { folder } else { format!("{folder}/") };
        let mut found = BTreeMap::new();
        for rest in self.state().tree.keys().filter_map(|file| file.strip_prefix(&prefix)) {
            match rest.split_once('/') {
                Some((name, _)) => found.insert(name.to_owned(), EntryKind::Directory),
                None => found.insert(rest.to_owned(), EntryKind::File),
            };
        }
        found.into_iter().collect()
    }

    fn layout(&self) -> u64 {
        self.state().layout
    }

    fn size(&self, path: &str) -> Option<u64> {
        Some(self.state().tree.get(&locate(path).ok()?)?.bytes.len() as u64)
    }

    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        let folder = locate(below)?;
        let state = self.state();
        Ok(state.tree.iter().filter(|(path, _)| is_below(path, &folder)).map(stamp).collect())
    }

    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<ChangeEffects> {
        work.check()?;
        let mut state = self.state();
        let (new, replaced) = plan::apply_steps(&state.tree, &change.steps)?;
        let entry = Entry { title: &change.title, undoes: None, work };
        Ok(self.commit(&mut state, new, replaced, dry_run, entry))
    }

    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(PastChange, ChangeEffects)> {
        work.check()?;
        let mut state = self.state();
        let undone = state.history.find(id)?;
        let (new, replaced) = undone.inverse(&state.tree)?;
        let past = PastChange { undone: !dry_run, ..undone.past_change() };
        let title = format!("Undo: {}", past.title);
        let entry = Entry { title: &title, undoes: Some(&past.id), work };
        let effects = self.commit(&mut state, new, replaced, dry_run, entry);
        Ok((past, effects))
    }

    fn history(&self, limit: usize) -> Result<Vec<PastChange>> {
        Ok(self.state().history.latest_first().take(limit).collect())
    }

    fn replaced_files(&self, id: &str) -> Result<Vec<ReplacedFile>> {
        self.state().history.replaced_files(id)
    }
}

#[cfg(test)]
mod tests;

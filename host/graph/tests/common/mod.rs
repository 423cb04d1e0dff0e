//! A project in memory and a small language for it, with a log of all requests to both.
//!
//! A file `x.note` has one statement a line:
//!
//! | statement | meaning |
//! | --- | --- |
//! | `use ./y a b` | a link to `y.note` that imports the names |
//! | `use @y` | a link whose target is given by a line `@y = path` in `aliases.note` |
//! | `use !y` | a link whose resolution fails |
//! | `def a` | an exported name |
//! | `shared a`, `free a` | a global name; a name that is not declared in this file |
//! | `a.b` | a use of the member `b` of `a`: certain if `def a` is in this file or in a file that it uses |
//! | `refuse` | no name of this file can be changed |
//! | `broken` | the pack cannot open the file |
#![allow(dead_code, unreachable_pub, reason = "every test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

pub mod disk;
mod language;

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use marquetry_graph::{DetailLevel, Graph, Survey, Target, Workspace};
use marquetry_model::{
    Change, ChangeEffects, Error, Kind, Result, Work,
    pack::{Member, Subject},
    ports::{EntryKind, FileStamp, Files, Packs, PastChange, Source},
};

pub use language::Notes;

/// The requests, in order.
pub type Log = Arc<Mutex<Vec<String>>>;

/// Files in memory that a test can change.
pub struct Memory {
    root: String,
    texts: Mutex<BTreeMap<String, (String, u128)>>,
    /// Paths that a walk does not find.
    ignored: Mutex<Vec<String>>,
    /// Paths that a walk finds and that are missing when they are read.
    vanishing: Mutex<Vec<String>>,
    changes: AtomicU64,
    log: Log,
}

impl Memory {
    fn write(&self, path: &str, text: &str, modified: u128) {
        self.texts.lock().unwrap().insert(path.to_owned(), (text.to_owned(), modified));
    }

    fn log(&self, what: &str, path: &str) {
        self.log.lock().unwrap().push(format!("{what} {path}"));
    }
}

fn read_only<T>() -> Result<T> {
    Err(Error::new(Kind::Unsupported, "nothing is written here"))
}

impl Files for Memory {
    fn root(&self) -> &str {
        &self.root
    }

    fn is_on_disk(&self) -> bool {
        false
    }

    fn locate(&self, path: &str) -> Result<String> {
        Ok(path.to_owned())
    }

    fn read(&self, path: &str) -> Result<Source> {
        self.log("read", path);
        let texts = self.texts.lock().unwrap();
        let is_there = |_: &&(String, u128)| !self.vanishing.lock().unwrap().iter().any(|gone| gone == path);
        let (text, _) =
            texts.get(path).filter(is_there).ok_or_else(|| Error::new(Kind::FileNotFound, format!("no `{path}`")))?;
        let hash = format!("{:x}-{text}", text.len());
        Ok(Source { path: path.to_owned(), text: Arc::from(text.as_str()), hash, size: text.len() as u64 })
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        Ok(self.read(path)?.text.as_bytes().to_vec())
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        self.log("stat", path);
        let texts = self.texts.lock().unwrap();
        if texts.contains_key(path) {
            return Some(EntryKind::File);
        }
        let below = format!("{path}/");
        texts.keys().any(|file| file.starts_with(&below)).then_some(EntryKind::Directory)
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        self.log("entries", path);
        let below = if path.is_empty() { String::new() } else { format!("{path}/") };
        let texts = self.texts.lock().unwrap();
        let names = texts.keys().filter_map(|file| file.strip_prefix(&below));
        let entry = |name: &str| match name.split_once('/') {
            Some((folder, _)) => (folder.to_owned(), EntryKind::Directory),
            None => (name.to_owned(), EntryKind::File),
        };
        names.map(entry).collect::<BTreeMap<_, _>>().into_iter().collect()
    }

    fn is_ignored(&self, path: &str) -> bool {
        self.ignored.lock().unwrap().iter().any(|ignored| ignored == path)
    }

    fn walk(&self, _below: &str) -> Result<Vec<FileStamp>> {
        let ignored = self.ignored.lock().unwrap();
        let texts = self.texts.lock().unwrap();
        let walked = texts.iter().filter(|(path, _)| !ignored.contains(path));
        let stamp = |(path, (text, modified)): (&String, &(String, u128))| FileStamp {
            path: path.clone(),
            size: text.len() as u64,
            modified: *modified,
        };
        Ok(walked.map(stamp).collect())
    }

    fn apply(&self, _change: &Change, _dry_run: bool, _work: &Work) -> Result<ChangeEffects> {
        read_only()
    }

    fn undo(&self, _id: Option<&str>, _dry_run: bool, _work: &Work) -> Result<(PastChange, ChangeEffects)> {
        read_only()
    }

    fn history(&self, _limit: usize) -> Result<Vec<PastChange>> {
        Ok(vec![])
    }
}

/// A project, the pack for it, and an index in its own folder.
pub struct Project {
    pub memory: Arc<Memory>,
    pub files: Arc<dyn Files>,
    pub packs: Arc<dyn Packs>,
    pub notes: Arc<Notes>,
    pub graph: Graph,
    pub log: Log,
    folder: tempfile::TempDir,
}

impl Project {
    /// Creates a project from a text: a line `//- path` begins each file.
    pub fn new(fixture: &str) -> Project {
        Project::read_by(fixture, |notes| notes)
    }

    /// Like `new`, with other packs.
    pub fn read_by(fixture: &str, packs: impl FnOnce(Arc<dyn Packs>) -> Arc<dyn Packs>) -> Project {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let log = Log::default();
        let memory = Arc::new(Memory {
            root: format!("/project{}", NUMBER.fetch_add(1, Ordering::Relaxed)),
            texts: Mutex::default(),
            ignored: Mutex::default(),
            vanishing: Mutex::default(),
            changes: AtomicU64::new(1),
            log: Arc::clone(&log),
        });
        let (files, notes): (Arc<dyn Files>, _) = (Arc::<Memory>::clone(&memory), Arc::new(Notes::new(&log)));
        let packs = packs(Arc::<Notes>::clone(&notes));
        let folder = tempfile::tempdir().unwrap();
        let project =
            Project { memory, files, packs, notes, graph: Graph::new(folder.path().to_path_buf()), log, folder };
        for file in fixture.split("//- ").skip(1) {
            let (path, text) = file.split_once('\n').unwrap_or((file, ""));
            project.write(path.trim(), text);
        }
        project
    }

    /// Writes a file with an old modification time that is later than the previous ones.
    pub fn write(&self, path: &str, text: &str) {
        let modified = 1_000 + u128::from(self.memory.changes.fetch_add(1, Ordering::Relaxed));
        self.memory.write(path, text, modified);
    }

    /// Writes a file with a modification time so recent that a later change can have the same time.
    pub fn write_now(&self, path: &str, text: &str) {
        // This time is years after any run of the test.
        self.memory.write(path, text, 9_000_000_000_000_000_001);
    }

    pub fn remove(&self, path: &str) {
        self.memory.texts.lock().unwrap().remove(path);
    }

    /// Moves a file and keeps its modification time.
    pub fn rename(&self, from: &str, to: &str) {
        let mut texts = self.memory.texts.lock().unwrap();
        if let Some(text) = texts.remove(from) {
            texts.insert(to.to_owned(), text);
        }
    }

    /// Updates the modification time of a file, if it exists.
    pub fn touch(&self, path: &str) {
        let text = self.memory.texts.lock().unwrap().get(path).map(|(text, _)| text.clone());
        if let Some(text) = text {
            self.write(path, &text);
        }
    }

    pub fn text(&self, path: &str) -> Option<String> {
        self.memory.texts.lock().unwrap().get(path).map(|(text, _)| text.clone())
    }

    /// Excludes a file from walks.
    pub fn ignore(&self, path: &str) {
        self.memory.ignored.lock().unwrap().push(path.to_owned());
    }

    /// Makes these files fail to read although a walk finds them.
    pub fn vanish(&self, paths: &[&str]) {
        *self.memory.vanishing.lock().unwrap() = paths.iter().map(|path| (*path).to_owned()).collect();
    }

    pub fn workspace(&self, need: DetailLevel) -> Arc<Workspace> {
        self.graph.workspace(&self.files, self.packs.as_ref(), need, &Work::default()).unwrap()
    }

    /// The index as another process loads it.
    pub fn other_process(&self) -> Graph {
        Graph::new(self.folder.path().to_path_buf())
    }

    /// The index files on disk.
    pub fn index_files(&self) -> Vec<std::path::PathBuf> {
        std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    pub fn survey(&self, work: &Work) -> Survey {
        self.graph.survey(&self.files, &self.packs, &self.workspace(DetailLevel::Names), work)
    }

    /// The requests to files and pack since the last call, filtered by their first word.
    pub fn asked(&self, words: &[&str]) -> Vec<String> {
        let mut all = std::mem::take(&mut *self.log.lock().unwrap());
        all.retain(|line| words.iter().any(|word| line.split(' ').next() == Some(word)));
        // Several threads make requests.
        all.sort();
        all
    }
}

/// All links of a workspace: file, specifier, names and target.
pub fn links(workspace: &Workspace) -> String {
    let mut out = String::new();
    for file in workspace.files() {
        for (link, target) in file.links.iter().flatten().zip(file.targets.iter().flatten()) {
            let target = match target {
                Target::Inside(path) => path.clone(),
                Target::External => "outside".to_owned(),
                Target::Missing(path) => format!("nothing at {path}"),
                Target::Unknown(why) => format!("unknown: {why}"),
            };
            let _ = writeln!(out, "{} {} [{}] -> {target}", file.path, link.specifier, link.names.join(" "));
        }
    }
    out
}

/// A member that is declared in the file.
pub fn member(name: &str, declared_in: &str) -> Subject {
    Subject::Member(Member { name: name.to_owned(), locations: vec![(declared_in.to_owned(), 0)], forms: vec![] })
}

/// A member that other files can name only in one of these forms.
pub fn private_member(name: &str, declared_in: &str, forms: &[&str]) -> Subject {
    let Subject::Member(member) = member(name, declared_in) else { unreachable!("it is declared") };
    Subject::Member(Member { forms: forms.iter().map(|form| (*form).to_owned()).collect(), ..member })
}

/// The whole index as text.
pub fn workspace_text(workspace: &Workspace) -> String {
    let mut out = links(workspace);
    for file in workspace.files() {
        let names = file.names.clone().unwrap_or_default();
        let symbols: Vec<String> = file.symbols.iter().flatten().map(|symbol| format!("{symbol:?}")).collect();
        let users: Vec<String> = workspace
            .importers(&file.path)
            .iter()
            .map(|importer| format!("{}#{} {}", importer.file.path, importer.index, importer.link.specifier))
            .collect();
        let below = workspace.joined_scope_files(&file.path);
        let _ = writeln!(out, "{} {} {names:?} {symbols:?} {below:?} <- {users:?}", file.path, file.hash);
    }
    let mut skipped = workspace.skipped.clone();
    skipped.sort();
    for (path, why) in skipped {
        let _ = writeln!(out, "skipped {path}: {why}");
    }
    out
}

/// Pseudo-random numbers, the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    pub fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

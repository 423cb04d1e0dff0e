//! One open root: implements the `Files` port.

use std::{
    borrow::Cow,
    collections::HashSet,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};

use marquetry_model::{
    Applied, Change, Error, Kind, Outcome, Result, Work, limits,
    lookups::Lookups,
    ports::{EntryKind, FileStamp, Files, Names, Past, Replaced, Source, Survey, Unfinished},
    reader::Reader,
};

use crate::{
    census::{self, Census},
    commit::{self, Site},
    decode::{self, decode},
    failure::{io_error, is_transient},
    hash,
    history::{self, Budget},
    ignored,
    lock::{self, Lock},
    marker, missing,
    operation::Plan,
    place::{self, Links, text_of},
    plan::{self, Planned},
    protected::Protection,
    state::State,
    tree::{Probe, Seen, Sweep, Tree, What},
    underway::Queue,
    unsettled::{Known, Reading},
    walk::{self, Asked, Found},
};

/// Settings shared by all roots of a program.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Folder of journals and history.
    pub(crate) state: PathBuf,
    pub(crate) probe: Probe,
    /// Whether folders of version control and of marq are protected from writes.
    pub(crate) protects: bool,
    pub(crate) budget: Budget,
}

/// The files below one canonical directory.
pub(crate) struct Root {
    pub(crate) tree: Tree,
    pub(crate) state: State,
    pub(crate) known: Known,
    /// Queue of calls that change something.
    pub(crate) queue: Queue,
    /// True once other roots were checked for interrupted changes that affect this one.
    pub(crate) has_looked_around: AtomicBool,
    budget: Budget,
    protection: Protection,
    shown: String,
    census: Mutex<Option<Census>>,
}

impl Root {
    pub(crate) fn new(root: PathBuf, settings: &Settings, protection: Protection) -> Result<Root> {
        let shown = root.to_str().map(str::to_owned).ok_or_else(|| {
            Error::new(Kind::Unsupported, format!("the name of the root `{}` is not UTF-8", root.display()))
        })?;
        let Settings { state, probe, budget, .. } = settings;
        let (state, tree) = (State::new(state, &shown, budget.age), Tree::new(root, probe.clone()));
        let budget = *budget;
        let (known, queue, has_looked_around, census) = Default::default();
        Ok(Root { tree, state, known, queue, has_looked_around, budget, protection, shown, census })
    }

    fn site(&self) -> Site<'_> {
        Site { state: &self.state, tree: &self.tree, budget: &self.budget }
    }

    /// Plans a change, after recovering everything that it touches.
    fn planned(&self, change: &Change, lock: Option<&Lock>, work: &Work) -> Result<Plan> {
        let mut settled = HashSet::new();
        loop {
            match plan::plan(&self.tree, change, (&settled, self.protection), work)? {
                Planned::Plan(plan) => return Ok(plan),
                Planned::Unsettled(folders) => self.settle_below(&folders, lock, &mut settled)?,
            }
        }
    }

    /// Reads the bytes of a file by name.
    fn bytes(&self, name: &str) -> Result<(Vec<u8>, Seen)> {
        let root = self.tree.root();
        let real = self.settled(name)?;
        let seen = self.tree.look(&real).map_err(|error| io_error("read", name, &error))?;
        match seen.map(|seen| (seen.what, seen.size)) {
            None => return Err(missing::not_found(root, name)),
            Some((What::Directory, _)) => return Err(missing::is_directory(root, name)),
            Some((What::Other(what), _)) => {
                return Err(Error::new(Kind::Unsupported, format!("`{name}` is {what}")));
            }
            Some((_, size)) if size > limits::LARGEST_DOCUMENT => {
                let most = limits::LARGEST_DOCUMENT >> 20;
                return Err(Error::new(Kind::LimitExceeded, format!("`{name}` is larger than {most} MiB"))
                    .hint("use another program for this file, or split it"));
            }
            Some(_) => {}
        }
        self.tree.read(&real).map_err(|error| match error.kind() {
            ErrorKind::NotFound => missing::not_found(root, name),
            _ => io_error("read", name, &error),
        })
    }

    /// Resolves a name after recovering or waiting for changes that affect it.
    fn settled(&self, name: &str) -> Result<String> {
        self.settle(Reading::File(name))?;
        let real = place::real(self.tree.root(), name, Links::Follow)?;
        if real != name {
            self.settle(Reading::File(&real))?;
        }
        self.settle_towards(&real, Reading::File(&real))?;
        Ok(real)
    }

    /// Returns all files of the root: those of the walk cache, if a new walk would find the same.
    fn all_files(&self, asked: Asked) -> Result<Survey> {
        let mut census = self.census.lock().unwrap_or_else(PoisonError::into_inner);
        let known = census.as_mut().and_then(|census| match asked {
            Asked::Name => census.names(&self.tree),
            Asked::Stamp => census.again(&self.tree),
        });
        if let Some(files) = known {
            return Ok(Survey { files, skipped: Vec::new() });
        }
        let taken = census::now();
        let Found { files, folders, skipped, .. } = self.walked("", "", asked)?;
        let files = files.into();
        // Skipped entries may become readable without changing any checked directory, so the walk is not cached.
        *census = if skipped.is_empty() { Census::new(&self.tree, taken, folders, &files) } else { None };
        Ok(Survey { files, skipped })
    }

    /// Walks a directory, after recovering everything in it.
    fn walked(&self, real: &str, name: &str, asked: Asked) -> Result<Found> {
        let found = walk::walk(self.tree.root(), real, name, asked)?;
        let marked: Vec<&Path> = found.marked.iter().map(PathBuf::as_path).collect();
        if marked.is_empty() {
            return Ok(found);
        }
        marked.into_iter().try_for_each(|folder| self.settle_for_reader(folder, Reading::All))?;
        walk::walk(self.tree.root(), real, name, asked)
    }

    /// Returns the files below a directory.
    fn surveyed(&self, below: &str, asked: Asked) -> Result<Survey> {
        let root = self.tree.root();
        self.settle(Reading::All)?;
        let name = place::name(root, below)?;
        let real = place::real(root, &name, Links::Follow)?;
        match self.tree.look(&real).map_err(|error| io_error("list", &name, &error))?.map(|seen| seen.what) {
            Some(What::Directory) if real.is_empty() => self.all_files(asked),
            Some(What::Directory) => {
                let Found { files, skipped, .. } = self.walked(&real, &name, asked)?;
                Ok(Survey { files: files.into(), skipped })
            }
            None => Err(missing::not_found(root, &name)),
            Some(_) => Err(Error::argument(format!("`{name}` is a file, not a directory"))),
        }
    }

    fn kind_of(&self, name: &str) -> Option<EntryKind> {
        let real = self.settled(name).ok()?;
        match self.tree.look(&real).ok()??.what {
            What::File => Some(EntryKind::File),
            What::Directory => Some(EntryKind::Directory),
            What::Link | What::Other(_) => None,
        }
    }
}

impl Reader for Sweep<'_> {
    fn text(&mut self, path: &str, most: u64) -> Result<Option<Cow<'_, str>>> {
        match self.read(path, most, decode::is_surely_binary) {
            Ok(Some(bytes)) => Ok(Some(decode(path, bytes)?.text)),
            Ok(None) => Ok(None),
            // A file that cannot be opened temporarily may have matches.
            Err(error) if is_transient(&error) => Err(io_error("read", path, &error)),
            Err(_) => Ok(None),
        }
    }
}

impl Files for Root {
    fn root(&self) -> &str {
        &self.shown
    }

    fn locate(&self, path: &str) -> Result<String> {
        let root = self.tree.root();
        let name = place::name(root, path)?;
        // A broken link can be moved and deleted; a link to a target outside cannot.
        match place::real(root, &name, Links::Follow) {
            Err(error) if error.kind() == Kind::OutsideWorkspace => Err(error),
            Err(_) => place::real(root, &name, Links::Keep).map(|_| name),
            Ok(_) => Ok(name),
        }
    }

    fn hash(&self, bytes: &[u8]) -> String {
        hash(bytes)
    }

    fn read(&self, path: &str) -> Result<Source> {
        let name = place::name(self.tree.root(), path)?;
        let (bytes, _) = self.bytes(&name)?;
        let (hash, size) = (hash(&bytes), bytes.len() as u64);
        let text: Arc<str> = decode(&name, &bytes)?.text.into();
        Ok(Source { path: name, text, hash, size })
    }

    /// The walk already handled running changes and followed no links, so neither is checked again.
    fn text(&self, path: &str) -> Result<Arc<str>> {
        match self.tree.read(path) {
            Ok((bytes, _)) if bytes.len() as u64 <= limits::LARGEST_DOCUMENT => Ok(decode(path, &bytes)?.text.into()),
            // The name was given by the caller: it may have links, or fail with an error to report.
            _ => Ok(self.read(path)?.text),
        }
    }

    fn reader(&self) -> Box<dyn Reader + '_> {
        Box::new(self.tree.sweep())
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        let name = place::name(self.tree.root(), path)?;
        Ok(self.bytes(&name)?.0)
    }

    fn decode(&self, path: &str, bytes: &[u8]) -> Result<String> {
        Ok(decode(path, bytes)?.text.into_owned())
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        self.kind_of(&place::name(self.tree.root(), path).ok()?)
    }

    fn outdated(&self, lookups: &mut Lookups) -> Vec<String> {
        self.looked_up_again(lookups)
    }

    fn size(&self, path: &str) -> Option<u64> {
        // A single system call: the size of a file that is not read is not secret.
        let root = self.tree.root();
        std::fs::metadata(root.join(place::name(root, path).ok()?)).ok().map(|metadata| metadata.len())
    }

    fn real(&self, path: &str) -> String {
        let root = self.tree.root();
        let real = place::name(root, path).and_then(|name| place::real(root, &name, Links::Follow));
        real.unwrap_or_else(|_| path.to_owned())
    }

    fn is_ignored(&self, path: &str) -> bool {
        let root = self.tree.root();
        place::name(root, path).is_ok_and(|name| ignored::is_ignored(root, &name))
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        let root = self.tree.root();
        if self.settle(Reading::All).is_err() {
            return Vec::new();
        }
        let Ok(name) = place::name(root, path) else { return Vec::new() };
        let Ok(real) = place::real(root, &name, Links::Follow) else { return Vec::new() };
        if self.settle_towards(&place::join(&real, marker::NAME), Reading::All).is_err() {
            return Vec::new();
        }
        let entries = std::fs::read_dir(root.join(&real)).into_iter().flatten().flatten();
        let mut found: Vec<(String, EntryKind)> = entries
            .filter_map(|entry| {
                let kind = entry.file_type().ok()?;
                let name = text_of(Path::new(&entry.file_name()))
                    .ok()
                    .filter(|name| name != marker::NAME && name != lock::FILE)?;
                let kind = match (kind.is_file(), kind.is_dir()) {
                    (true, _) => EntryKind::File,
                    (_, true) => EntryKind::Directory,
                    _ => self.kind_of(&place::join(&real, &name))?,
                };
                Some((name, kind))
            })
            .collect();
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        found
    }

    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        Ok(self.survey(below)?.files.to_vec())
    }

    fn survey(&self, below: &str) -> Result<Survey> {
        self.surveyed(below, Asked::Stamp)
    }

    fn names(&self, below: &str) -> Result<Names> {
        let Survey { files, skipped } = self.surveyed(below, Asked::Name)?;
        Ok(Names { files: files.iter().map(|file| file.path.clone()).collect(), skipped })
    }

    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<Applied> {
        if dry_run {
            self.settle(Reading::All)?;
            let plan = self.planned(change, None, work)?;
            commit::foretell(self.site(), &plan, work);
            return Ok(commit::shown(&plan, Outcome::DryRun, None));
        }
        let begun = self.begin(work)?;
        let plan = self.planned(change, Some(&begun.lock), work)?;
        commit::carry_out(self.site(), &begun.lock, &plan, work)
    }

    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(Past, Applied)> {
        let begun = if dry_run { None } else { Some(self.begin(work)?) };
        let lock = begun.as_ref().map(|begun| &begun.lock);
        if dry_run {
            self.settle(Reading::All)?;
        }
        self.state.is_own().map_err(|error| io_error("read the history of", &self.shown, &error))?;
        let whole = history::find(&self.state, id, work)?;
        let past = whole.entry.past();
        self.settle_all(&whole.entry.manifest.operations, lock)?;
        let plan = history::inverse(&self.tree, &self.state, whole)?;
        plan::mounts::check(&self.tree, &plan)?;
        let applied = match lock {
            Some(lock) => commit::carry_out(self.site(), lock, &plan, work)?,
            None => {
                commit::foretell(self.site(), &plan, work);
                commit::shown(&plan, Outcome::DryRun, None)
            }
        };
        Ok((Past { undone: !dry_run, ..past }, applied))
    }

    fn history(&self, limit: usize) -> Result<Vec<Past>> {
        self.settle(Reading::All)?;
        self.state.is_own().map_err(|error| io_error("read the history of", &self.shown, &error))?;
        Ok(history::all(&self.state).take(limit).map(|entry| entry.past()).collect())
    }

    fn replaced(&self, id: &str) -> Result<Vec<Replaced>> {
        self.state.is_own().map_err(|error| io_error("read the history of", &self.shown, &error))?;
        history::replaced(&self.tree, &self.state, id)
    }

    fn damage(&self) -> Result<Vec<String>> {
        self.state.is_own().map_err(|error| io_error("read the history of", &self.shown, &error))?;
        Ok(history::damage(&self.state))
    }

    fn notices(&self) -> Vec<String> {
        self.told()
    }

    fn unfinished(&self) -> Result<Vec<Unfinished>> {
        Ok(self.still_open().into_iter().map(|(_, unfinished)| unfinished).collect())
    }

    fn give_up(&self, id: &str) -> Result<Option<String>> {
        self.given_up(id)
    }

    fn take_back(&self, id: &str) -> Result<String> {
        self.taken_back(id)
    }
}

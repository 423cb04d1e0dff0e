//! One open root: implements the `Files` port.

use std::{
    borrow::Cow,
    collections::HashSet,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};

use marquetry_model::{
    Change, ChangeEffects, Error, Kind, Outcome, Result, Work, limits,
    lookups::Lookups,
    ports::{
        EntryKind, FileStamp, Files, PastChange, ReplacedFile, Source, UnfinishedChange, WalkedFiles, WalkedNames,
    },
    reader::Reader,
};

use crate::{
    commit::{self, ExecutionContext},
    decode::{self, decode},
    errors::{io_error, is_transient},
    hash,
    history::{self, HistoryBudget},
    ignored,
    lock::{self, Lock},
    not_found,
    operation::Plan,
    paths::{self, LinkHandling, path_text},
    pending_recovery::{PendingRecovery, ReadScope},
    plan::{self, Planned},
    protected::Protection,
    recovery_marker,
    running_changes::Queue,
    state::RootState,
    tree::{BatchReader, Probe, Seen, Tree, What},
    walk::{self, FoundFiles, WalkDetail},
    walk_cache::{self, WalkCache},
};

/// Settings shared by all roots of a program.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Folder of journals and history.
    pub(crate) state: PathBuf,
    pub(crate) probe: Probe,
    /// True if folders of version control and of marq are protected from writes.
    pub(crate) protect: bool,
    pub(crate) budget: HistoryBudget,
}

/// The files below one canonical directory.
pub(crate) struct Root {
    pub(crate) tree: Tree,
    pub(crate) state: RootState,
    pub(crate) pending_recovery: PendingRecovery,
    /// Queue of calls that change something.
    pub(crate) queue: Queue,
    /// True after other roots were checked for interrupted changes that affect this one.
    pub(crate) checked_surroundings: AtomicBool,
    budget: HistoryBudget,
    protection: Protection,
    display_path: String,
    walk_cache: Mutex<Option<WalkCache>>,
}

impl Root {
    pub(crate) fn new(root: PathBuf, settings: &Settings, protection: Protection) -> Result<Root> {
        let shown = root.to_str().map(str::to_owned).ok_or_else(|| {
            Error::new(Kind::Unsupported, format!("the name of the root `{}` is not UTF-8", root.display()))
        })?;
        let Settings { state, probe, budget, .. } = settings;
        let (state, tree) = (RootState::new(state, &shown, budget.age), Tree::new(root, probe.clone()));
        let budget = *budget;
        let (known, queue, has_looked_around, walk_cache) = Default::default();
        Ok(Root {
            tree,
            state,
            pending_recovery: known,
            queue,
            checked_surroundings: has_looked_around,
            budget,
            protection,
            display_path: shown,
            walk_cache,
        })
    }

    fn execution_context(&self) -> ExecutionContext<'_> {
        ExecutionContext { state: &self.state, tree: &self.tree, budget: &self.budget }
    }

    /// Plans a change, after recovering everything that it touches.
    fn plan_change(&self, change: &Change, lock: Option<&Lock>, work: &Work) -> Result<Plan> {
        let mut settled = HashSet::new();
        loop {
            match plan::plan(&self.tree, change, (&settled, self.protection), work)? {
                Planned::Plan(plan) => return Ok(plan),
                Planned::NeedsRecovery(folders) => self.recover_below(&folders, lock, &mut settled)?,
            }
        }
    }

    /// Reads the bytes of a file by name.
    fn bytes_of_file(&self, name: &str) -> Result<(Vec<u8>, Seen)> {
        let root = self.tree.root();
        let real = self.resolve_recovered(name)?;
        let seen = self.tree.metadata(&real).map_err(|error| io_error("read", name, &error))?;
        match seen.map(|seen| (seen.what, seen.size)) {
            None => return Err(not_found::not_found_error(root, name)),
            Some((What::Directory, _)) => return Err(not_found::directory_error(root, name)),
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
            ErrorKind::NotFound => not_found::not_found_error(root, name),
            _ => io_error("read", name, &error),
        })
    }

    /// Resolves a name after recovering or waiting for changes that affect it.
    fn resolve_recovered(&self, name: &str) -> Result<String> {
        self.recover_above(ReadScope::File(name))?;
        let real = paths::resolve(self.tree.root(), name, LinkHandling::Follow)?;
        if real != name {
            self.recover_above(ReadScope::File(&real))?;
        }
        self.recover_towards(&real, ReadScope::File(&real))?;
        Ok(real)
    }

    /// Returns all files of the root, from the walk cache if a new walk would find the same files.
    fn all_files(&self, detail: WalkDetail) -> Result<WalkedFiles> {
        let mut walk_cache = self.walk_cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = walk_cache.as_mut().and_then(|walk_cache| match detail {
            WalkDetail::Name => walk_cache.names(&self.tree),
            WalkDetail::Stamp => walk_cache.refresh(&self.tree),
        });
        if let Some(files) = known {
            return Ok(WalkedFiles { files, skipped: Vec::new() });
        }
        let taken = walk_cache::now_nanos();
        let FoundFiles { files, folders, skipped, .. } = self.walk_recovered("", "", detail)?;
        let files = files.into();
        // If entries were skipped, the walk is not cached: they may become readable although no checked directory
        // changes.
        *walk_cache = if skipped.is_empty() { WalkCache::new(&self.tree, taken, folders, &files) } else { None };
        Ok(WalkedFiles { files, skipped })
    }

    /// Walks a directory, after recovering everything in it.
    fn walk_recovered(&self, real: &str, name: &str, detail: WalkDetail) -> Result<FoundFiles> {
        let found = walk::walk(self.tree.root(), real, name, detail)?;
        let marked: Vec<&Path> = found.marked_folders.iter().map(PathBuf::as_path).collect();
        if marked.is_empty() {
            return Ok(found);
        }
        marked.into_iter().try_for_each(|folder| self.recover_for_reader(folder, ReadScope::All))?;
        walk::walk(self.tree.root(), real, name, detail)
    }

    /// Returns the files below a directory.
    fn survey_below(&self, below: &str, detail: WalkDetail) -> Result<WalkedFiles> {
        let root = self.tree.root();
        self.recover_above(ReadScope::All)?;
        let name = paths::relative_name(root, below)?;
        let real = paths::resolve(root, &name, LinkHandling::Follow)?;
        match self.tree.metadata(&real).map_err(|error| io_error("list", &name, &error))?.map(|seen| seen.what) {
            Some(What::Directory) if real.is_empty() => self.all_files(detail),
            Some(What::Directory) => {
                let FoundFiles { files, skipped, .. } = self.walk_recovered(&real, &name, detail)?;
                Ok(WalkedFiles { files: files.into(), skipped })
            }
            None => Err(not_found::not_found_error(root, &name)),
            Some(_) => Err(Error::argument(format!("`{name}` is a file, not a directory"))),
        }
    }

    fn entry_kind(&self, name: &str) -> Option<EntryKind> {
        let real = self.resolve_recovered(name).ok()?;
        match self.tree.metadata(&real).ok()??.what {
            What::File => Some(EntryKind::File),
            What::Directory => Some(EntryKind::Directory),
            What::Link | What::Other(_) => None,
        }
    }
}

impl Reader for BatchReader<'_> {
    fn text(&mut self, path: &str, most: u64) -> Result<Option<Cow<'_, str>>> {
        match self.read(path, most, decode::is_certainly_binary) {
            Ok(Some(bytes)) => Ok(Some(decode(path, bytes)?.text)),
            Ok(None) => Ok(None),
            // The file cannot be opened at the moment. It may have matches, so the read fails instead of skipping it.
            Err(error) if is_transient(&error) => Err(io_error("read", path, &error)),
            Err(_) => Ok(None),
        }
    }
}

impl Files for Root {
    fn root(&self) -> &str {
        &self.display_path
    }

    fn is_on_disk(&self) -> bool {
        true
    }

    fn locate(&self, path: &str) -> Result<String> {
        let root = self.tree.root();
        let name = paths::relative_name(root, path)?;
        // A broken link can be moved and deleted; a link to a target outside cannot.
        match paths::resolve(root, &name, LinkHandling::Follow) {
            Err(error) if error.kind() == Kind::OutsideWorkspace => Err(error),
            Err(_) => paths::resolve(root, &name, LinkHandling::Keep).map(|_| name),
            Ok(_) => Ok(name),
        }
    }

    fn hash(&self, bytes: &[u8]) -> String {
        hash(bytes)
    }

    fn read(&self, path: &str) -> Result<Source> {
        let name = paths::relative_name(self.tree.root(), path)?;
        let (bytes, _) = self.bytes_of_file(&name)?;
        let (hash, size) = (hash(&bytes), bytes.len() as u64);
        let text: Arc<str> = decode(&name, &bytes)?.text.into();
        Ok(Source { path: name, text, hash, size })
    }

    /// Reads the file without checks for running changes and links, because the walk has already made them.
    fn text(&self, path: &str) -> Result<Arc<str>> {
        match self.tree.read(path) {
            Ok((bytes, _)) if bytes.len() as u64 <= limits::LARGEST_DOCUMENT => Ok(decode(path, &bytes)?.text.into()),
            // The name was given by the caller: it may have links, or fail with an error to report.
            _ => Ok(self.read(path)?.text),
        }
    }

    fn reader(&self) -> Box<dyn Reader + '_> {
        Box::new(self.tree.batch_reader())
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        let name = paths::relative_name(self.tree.root(), path)?;
        Ok(self.bytes_of_file(&name)?.0)
    }

    fn decode(&self, path: &str, bytes: &[u8]) -> Result<String> {
        Ok(decode(path, bytes)?.text.into_owned())
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        self.entry_kind(&paths::relative_name(self.tree.root(), path).ok()?)
    }

    fn changed_lookups(&self, lookups: &mut Lookups) -> Vec<String> {
        self.changed_lookups(lookups)
    }

    fn size(&self, path: &str) -> Option<u64> {
        // The path is not checked for links that lead outside the root, which saves system calls: the size of a file is
        // not secret.
        let root = self.tree.root();
        std::fs::metadata(root.join(paths::relative_name(root, path).ok()?)).ok().map(|metadata| metadata.len())
    }

    fn resolve_links(&self, path: &str) -> String {
        let root = self.tree.root();
        let real = paths::relative_name(root, path).and_then(|name| paths::resolve(root, &name, LinkHandling::Follow));
        real.unwrap_or_else(|_| path.to_owned())
    }

    fn is_ignored(&self, path: &str) -> bool {
        let root = self.tree.root();
        paths::relative_name(root, path).is_ok_and(|name| ignored::is_ignored(root, &name))
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        let root = self.tree.root();
        if self.recover_above(ReadScope::All).is_err() {
            return Vec::new();
        }
        let Ok(name) = paths::relative_name(root, path) else { return Vec::new() };
        let Ok(real) = paths::resolve(root, &name, LinkHandling::Follow) else { return Vec::new() };
        if self.recover_towards(&paths::join(&real, recovery_marker::NAME), ReadScope::All).is_err() {
            return Vec::new();
        }
        let entries = std::fs::read_dir(root.join(&real)).into_iter().flatten().flatten();
        let mut found: Vec<(String, EntryKind)> = entries
            .filter_map(|entry| {
                let kind = entry.file_type().ok()?;
                let name = path_text(Path::new(&entry.file_name()))
                    .ok()
                    .filter(|name| name != recovery_marker::NAME && name != lock::LOCK_FILE)?;
                let kind = match (kind.is_file(), kind.is_dir()) {
                    (true, _) => EntryKind::File,
                    (_, true) => EntryKind::Directory,
                    _ => self.entry_kind(&paths::join(&real, &name))?,
                };
                Some((name, kind))
            })
            .collect();
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        found
    }

    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        Ok(self.walk_with_skipped(below)?.files.to_vec())
    }

    fn walk_with_skipped(&self, below: &str) -> Result<WalkedFiles> {
        self.survey_below(below, WalkDetail::Stamp)
    }

    fn walk_names(&self, below: &str) -> Result<WalkedNames> {
        let WalkedFiles { files, skipped } = self.survey_below(below, WalkDetail::Name)?;
        Ok(WalkedNames { files: files.iter().map(|file| file.path.clone()).collect(), skipped })
    }

    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<ChangeEffects> {
        if dry_run {
            self.recover_above(ReadScope::All)?;
            let plan = self.plan_change(change, None, work)?;
            commit::report_lost_undo(self.execution_context(), &plan, work);
            return Ok(commit::effects_of_plan(&plan, Outcome::DryRun, None));
        }
        let begun = self.begin_change(work)?;
        let plan = self.plan_change(change, Some(&begun.lock), work)?;
        commit::execute(self.execution_context(), &begun.lock, &plan, work)
    }

    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(PastChange, ChangeEffects)> {
        let begun = if dry_run { None } else { Some(self.begin_change(work)?) };
        let lock = begun.as_ref().map(|begun| &begun.lock);
        if dry_run {
            self.recover_above(ReadScope::All)?;
        }
        self.state.check_private().map_err(|error| io_error("read the history of", &self.display_path, &error))?;
        let whole = history::find_entry(&self.state, id, work)?;
        let past = whole.entry.past_change();
        self.recover_all(&whole.entry.manifest.operations, lock)?;
        let plan = history::inverse_plan(&self.tree, &self.state, whole)?;
        plan::mounts::check_mounts(&self.tree, &plan)?;
        let applied = match lock {
            Some(lock) => commit::execute(self.execution_context(), lock, &plan, work)?,
            None => {
                commit::report_lost_undo(self.execution_context(), &plan, work);
                commit::effects_of_plan(&plan, Outcome::DryRun, None)
            }
        };
        Ok((PastChange { undone: !dry_run, ..past }, applied))
    }

    fn history(&self, limit: usize) -> Result<Vec<PastChange>> {
        self.recover_above(ReadScope::All)?;
        self.state.check_private().map_err(|error| io_error("read the history of", &self.display_path, &error))?;
        Ok(history::all_entries(&self.state).take(limit).map(|entry| entry.past_change()).collect())
    }

    fn replaced_files(&self, id: &str) -> Result<Vec<ReplacedFile>> {
        self.state.check_private().map_err(|error| io_error("read the history of", &self.display_path, &error))?;
        history::replaced_files(&self.tree, &self.state, id)
    }

    fn damaged_entries(&self) -> Result<Vec<String>> {
        self.state.check_private().map_err(|error| io_error("read the history of", &self.display_path, &error))?;
        Ok(history::damaged_entries(&self.state))
    }

    fn notices(&self) -> Vec<String> {
        self.take_notices()
    }

    fn unfinished(&self) -> Result<Vec<UnfinishedChange>> {
        Ok(self.retry_pending().into_iter().map(|(_, unfinished)| unfinished).collect())
    }

    fn give_up(&self, id: &str) -> Result<Option<String>> {
        self.give_up_change(id)
    }

    fn roll_back_copy(&self, id: &str) -> Result<String> {
        self.roll_back_copied(id)
    }
}

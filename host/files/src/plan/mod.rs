//! Turns the steps of a change into a plan of operations. This module makes all checks, before anything is written.

mod build;
mod collect;
mod conflicts;
pub(crate) mod mounts;
mod order;

use std::collections::{BTreeMap, HashMap, HashSet};

use marquetry_model::{Change, Error, Kind, Result, Work, limits};

use crate::{
    errors::read_only_error,
    operation::{self, Contents, FileState, Plan, moved_path},
    paths::{join, path_below, split_parent},
    protected::{Protection, ProtectionGuard},
    recovery_marker,
    tree::{Seen, Tree, What},
};

/// Result of planning.
pub(crate) enum Planned {
    Plan(Plan),
    /// Another change is running or was interrupted in these directories.
    NeedsRecovery(Vec<String>),
}

/// Checks a change against the disk and returns the operations for it. Directories in `settled` are not checked for
/// markers, because their markers were already handled.
pub(crate) fn plan(
    tree: &Tree,
    change: &Change,
    (settled, protection): (&HashSet<String>, Protection),
    work: &Work,
) -> Result<Planned> {
    let mut planner = Planner::new(tree, settled, protection, work);
    let plan = build_plan(&mut planner, change, work);
    // A plan that is based on half-changed files is not valid.
    if !planner.unhandled_markers.is_empty() {
        return Ok(Planned::NeedsRecovery(planner.unhandled_markers));
    }
    let plan = plan?;
    mounts::check_mounts(tree, &plan)?;
    planner.notes.into_iter().for_each(|note| work.add_note(note));
    Ok(Planned::Plan(plan))
}

fn build_plan(planner: &mut Planner<'_>, change: &Change, work: &Work) -> Result<Plan> {
    let stage = work.stage("checking files", change.steps.len());
    for step in &change.steps {
        stage.step()?;
        planner.collect(step)?;
    }
    planner.drop_redundant_moves();
    planner.collect_removed();
    planner.check_conflicts()?;
    planner.check_git_folders()?;
    let mut plan = build::build(planner)?;
    plan.title.clone_from(&change.title);
    Ok(plan)
}

/// A name and its real path.
#[derive(Debug, Clone)]
struct ResolvedPath {
    name: String,
    real: String,
}

/// A file with new content.
struct Edited {
    name: String,
    before: FileState,
    seen: Seen,
    after: FileState,
}

/// A file, link or directory that is moved.
struct Moved {
    from: ResolvedPath,
    to: ResolvedPath,
    overwrite: bool,
    seen: Seen,
}

/// A file that is created.
struct CreatedFile {
    to: ResolvedPath,
    after: FileState,
    overwrite: bool,
    /// True if parent directories may be created.
    directories: bool,
}

/// A file, link or directory that is removed.
struct Deleted {
    spot: ResolvedPath,
    seen: Seen,
    /// Real paths and metadata of everything below a removed directory.
    inside: Vec<(String, Seen)>,
}

/// The steps of a change and the state of their files.
struct Planner<'a> {
    tree: &'a Tree,
    work: &'a Work,
    contents: Contents,
    /// Number of bytes read and kept.
    kept_bytes: u64,
    edits: BTreeMap<String, Edited>,
    moves: Vec<Moved>,
    /// Maps the source path of each move to its index in `moves`.
    sources: HashMap<String, usize>,
    creations: Vec<CreatedFile>,
    deletes: Vec<Deleted>,
    /// Removed files and links, by real path.
    removed: BTreeMap<String, (String, Seen)>,
    /// Removed directories, by real path.
    removed_directories: BTreeMap<String, Seen>,
    /// Cache: true if the directory is writable.
    writable: HashMap<String, bool>,
    /// Directories whose markers were already handled.
    handled_markers: &'a HashSet<String>,
    /// Rejects writes to protected paths.
    guard: ProtectionGuard<'a>,
    /// Directories with markers that were not handled yet.
    unhandled_markers: Vec<String>,
    /// Directories checked for markers.
    checked_directories: HashSet<String>,
    /// Notes for the caller.
    notes: Vec<String>,
}

impl<'a> Planner<'a> {
    fn new(
        tree: &'a Tree,
        handled_markers: &'a HashSet<String>,
        protection: Protection,
        work: &'a Work,
    ) -> Planner<'a> {
        Planner {
            tree,
            work,
            handled_markers,
            guard: ProtectionGuard::new(tree, protection),
            unhandled_markers: Vec::new(),
            checked_directories: HashSet::new(),
            notes: Vec::new(),
            contents: Contents::new(),
            kept_bytes: 0,
            edits: BTreeMap::new(),
            moves: Vec::new(),
            sources: HashMap::new(),
            creations: Vec::new(),
            deletes: Vec::new(),
            removed: BTreeMap::new(),
            removed_directories: BTreeMap::new(),
            writable: HashMap::new(),
        }
    }

    fn metadata(&self, path: &str) -> Result<Option<Seen>> {
        self.tree.metadata(path).map_err(|error| crate::errors::io_error("reach", path, &error))
    }

    /// Checks the parent directories of a path, below the root, for markers.
    fn check_markers(&mut self, path: &str) {
        let mut at = split_parent(path).0;
        while !at.is_empty() && self.checked_directories.insert(at.to_owned()) {
            if !self.handled_markers.contains(at) && recovery_marker::exists(&self.tree.root().join(at)) {
                self.unhandled_markers.push(at.to_owned());
            }
            at = split_parent(at).0;
        }
    }

    /// Reads the file or link at a path and keeps its bytes for undo, so their total size is limited.
    fn read_and_keep(&mut self, path: &str) -> Result<Option<(FileState, Seen)>> {
        self.work.check()?;
        if let Some(seen) = self.metadata(path)? {
            self.check_file_size(path, &seen)?;
        }
        let found = operation::read_and_keep(self.tree, path, &mut self.contents)
            .map_err(|error| crate::errors::io_error("read", path, &error))?;
        self.kept_bytes += found.as_ref().map_or(0, |(thing, _)| thing.size());
        Ok(found)
    }

    /// Fails if a file is too large for one change, before it is read.
    fn check_file_size(&self, path: &str, seen: &Seen) -> Result<()> {
        let size = if seen.what == What::File { seen.size } else { 0 };
        if size <= limits::CHANGE_BYTES {
            return self.check_total_size(size);
        }
        let (large, most) = (size >> 20, limits::CHANGE_BYTES >> 20);
        let message = format!("`{path}` has {large} MiB; a change can replace at most {most} MiB");
        Err(Error::new(Kind::LimitExceeded, message)
            .hint("everything that a change replaces is kept for undo; use another program for this file"))
    }

    fn check_total_size(&self, size: u64) -> Result<()> {
        let most = limits::CHANGE_BYTES >> 20;
        if self.kept_bytes.saturating_add(size) <= limits::CHANGE_BYTES {
            return Ok(());
        }
        Err(Error::new(Kind::LimitExceeded, format!("the change replaces or deletes more than {most} MiB"))
            .hint("all of it is kept for undo; split the change, or remove generated files by other means"))
    }

    /// Fails if the removed files are too large for one change.
    fn check_removed_size(&self) -> Result<()> {
        let files = self.removed.iter().filter(|(_, (_, seen))| seen.what == What::File);
        files.clone().try_for_each(|(path, (_, seen))| self.check_file_size(path, seen))?;
        self.check_total_size(files.map(|(_, (_, seen))| seen.size).fold(0, u64::saturating_add))
    }

    /// Fails if the entries of the parent directory cannot be changed.
    fn check_parent_writable(&mut self, path: &str) -> Result<()> {
        let above = split_parent(path).0;
        let allowed = match self.writable.get(above) {
            Some(allowed) => *allowed,
            None => {
                let allowed = match self.metadata(above)? {
                    Some(seen) => self.tree.may_write(above, &seen).unwrap_or(false),
                    None => true,
                };
                self.writable.insert(above.to_owned(), allowed);
                allowed
            }
        };
        if allowed { Ok(()) } else { Err(read_only_error(if above.is_empty() { "." } else { above }, "the directory")) }
    }

    /// Drops moves of files that get the same path anyway, because their directory is moved.
    fn drop_redundant_moves(&mut self) {
        let along = |way: &Moved| {
            let above = self.directory_moves().filter(|other| path_below(&other.from.real, &way.from.real).is_some());
            let above = above.max_by_key(|other| other.from.real.len());
            above.and_then(|other| moved_path(&way.from.real, &other.from.real, &other.to.real))
                == Some(way.to.real.clone())
        };
        let keep: Vec<bool> = self.moves.iter().map(|way| !along(way)).collect();
        let mut keep = keep.into_iter();
        self.moves.retain(|_| keep.next().unwrap_or(true));
        self.sources = self.moves.iter().enumerate().map(|(index, way)| (way.from.real.clone(), index)).collect();
    }

    /// Collects removed files, except those moved out of a removed directory.
    fn collect_removed(&mut self) {
        for Deleted { spot, seen, inside } in &self.deletes {
            let saved = |path: &str| {
                let out = self.moves.iter().filter(|way| path_below(&spot.real, &way.from.real).is_some());
                out.into_iter().any(|way| is_at_or_below(&way.from.real, path))
            };
            let inside = inside.iter().filter(|(path, _)| !saved(path)).map(|(path, seen)| (path.clone(), *seen));
            for (path, seen) in inside.chain([(spot.real.clone(), *seen)]) {
                if seen.what == What::Directory {
                    self.removed_directories.insert(path, seen);
                } else {
                    let name = join(&spot.name, path_below(&spot.real, &path).unwrap_or_default());
                    self.removed.insert(path, (name, seen));
                }
            }
        }
    }

    /// Maps a path after the change to its location before it.
    fn at_start(&self, path: &str) -> String {
        let above = self.directory_moves().filter(|way| is_at_or_below(&way.to.real, path));
        let way = above.max_by_key(|way| way.to.real.len());
        way.and_then(|way| moved_path(path, &way.to.real, &way.from.real)).unwrap_or_else(|| path.to_owned())
    }

    /// Returns the path, before the change, of the entry that occupies this target path. Moves of its parent
    /// directories count; a move to the path itself does not.
    fn path_of_occupant(&self, path: &str) -> String {
        let (above, last) = split_parent(path);
        join(&self.at_start(above), last)
    }

    /// Maps a path before the change to its location after it.
    fn at_end(&self, path: &str) -> String {
        let above = self.directory_moves().filter(|way| is_at_or_below(&way.from.real, path));
        let way = above.max_by_key(|way| way.from.real.len());
        way.and_then(|way| moved_path(path, &way.from.real, &way.to.real)).unwrap_or_else(|| path.to_owned())
    }

    fn directory_moves(&self) -> impl Iterator<Item = &Moved> {
        self.moves.iter().filter(|way| way.seen.what == What::Directory)
    }

    /// Fails if the change creates a git folder.
    fn check_git_folders(&self) -> Result<()> {
        let targets: Vec<&str> = self.targets().map(|spot| spot.real.as_str()).collect();
        self.guard.check_result(&targets, |path| self.at_start(path))
    }

    /// Returns the move that starts at a path.
    fn move_from(&self, path: &str) -> Option<&Moved> {
        self.sources.get(path).map(|index| &self.moves[*index])
    }

    /// Returns all paths at which something is created.
    fn targets(&self) -> impl Iterator<Item = &ResolvedPath> {
        self.moves.iter().map(|way| &way.to).chain(self.creations.iter().map(|fill| &fill.to))
    }

    /// Returns everything below a directory: files, links, and directories after their contents.
    fn all_below(&mut self, directory: &str) -> Result<Vec<(String, Seen)>> {
        let mut found = Vec::new();
        let mut open = vec![directory.to_owned()];
        // Visits each directory once, parents first. In the reversed list, contents come before their directory.
        while let Some(above) = open.pop() {
            self.work.check()?;
            let failed = |error| crate::errors::io_error("list", &above, &error);
            for (name, seen) in self.tree.list(&above).map_err(failed)?.into_iter().rev() {
                if name == recovery_marker::NAME && !self.handled_markers.contains(&above) {
                    self.unhandled_markers.push(above.clone());
                    continue;
                }
                let path = join(&above, &name);
                if seen.what == What::Directory {
                    open.push(path.clone());
                }
                found.push((path, seen));
            }
        }
        found.reverse();
        Ok(found)
    }
}

/// Returns whether a path is at or below `above`.
fn is_at_or_below(above: &str, path: &str) -> bool {
    path == above || path_below(above, path).is_some()
}

//! Turns the steps of a change into a plan of operations. All checks happen here, before anything is written.

mod build;
mod collect;
mod conflicts;
pub(crate) mod mounts;
mod order;

use std::collections::{BTreeMap, HashMap, HashSet};

use marquetry_model::{Change, Error, Kind, Result, Work, limits};

use crate::{
    failure::read_only,
    marker,
    operation::{self, Contents, Plan, Thing, moved},
    place::{below, join, split},
    protected::{Guard, Protection},
    tree::{Seen, Tree, What},
};

/// Result of planning.
pub(crate) enum Planned {
    Plan(Plan),
    /// Another change is running or was interrupted in these directories.
    Unsettled(Vec<String>),
}

/// Checks a change against the disk and returns the operations for it. Markers in `settled` are treated as ordinary
/// files.
pub(crate) fn plan(
    tree: &Tree,
    change: &Change,
    (settled, protection): (&HashSet<String>, Protection),
    work: &Work,
) -> Result<Planned> {
    let mut planner = Planner::new(tree, settled, protection, work);
    let plan = carried_out(&mut planner, change, work);
    // Results based on half-done files are not valid.
    if !planner.unsettled.is_empty() {
        return Ok(Planned::Unsettled(planner.unsettled));
    }
    let plan = plan?;
    mounts::check(tree, &plan)?;
    planner.notes.into_iter().for_each(|note| work.note(note));
    Ok(Planned::Plan(plan))
}

fn carried_out(planner: &mut Planner<'_>, change: &Change, work: &Work) -> Result<Plan> {
    let stage = work.stage("checking files", change.steps.len());
    for step in &change.steps {
        stage.step()?;
        planner.collect(step)?;
    }
    planner.drop_moves_along();
    planner.deletions();
    planner.conflicts()?;
    planner.makes_no_git_folder()?;
    let mut plan = build::build(planner)?;
    plan.title.clone_from(&change.title);
    Ok(plan)
}

/// A name and its real path.
#[derive(Debug, Clone)]
struct Spot {
    name: String,
    real: String,
}

/// A file with new content.
struct Edited {
    name: String,
    before: Thing,
    seen: Seen,
    after: Thing,
}

/// A file, link or directory that is moved.
struct Moved {
    from: Spot,
    to: Spot,
    overwrite: bool,
    seen: Seen,
}

/// A file that is created.
struct Filled {
    to: Spot,
    after: Thing,
    overwrite: bool,
    /// True if parent directories may be created.
    directories: bool,
}

/// A file, link or directory that is removed.
struct Deleted {
    spot: Spot,
    seen: Seen,
    /// Real paths of everything below it.
    inside: Vec<(String, Seen)>,
}

/// The steps of a change and the state of their files.
struct Planner<'a> {
    tree: &'a Tree,
    work: &'a Work,
    contents: Contents,
    /// Number of bytes read and kept.
    kept: u64,
    edits: BTreeMap<String, Edited>,
    moves: Vec<Moved>,
    /// Index of the move by its start.
    sources: HashMap<String, usize>,
    fills: Vec<Filled>,
    deletes: Vec<Deleted>,
    /// Removed files and links, by real path.
    removed: BTreeMap<String, (String, Seen)>,
    /// Removed directories, by real path.
    gone: BTreeMap<String, Seen>,
    /// Whether a directory is writable.
    writable: HashMap<String, bool>,
    /// Directories whose markers were already handled.
    settled: &'a HashSet<String>,
    /// Rejects writes to protected paths.
    guard: Guard<'a>,
    /// Directories with markers that were not handled yet.
    unsettled: Vec<String>,
    /// Directories checked for markers.
    passed: HashSet<String>,
    /// Notes for the caller.
    notes: Vec<String>,
}

impl<'a> Planner<'a> {
    fn new(tree: &'a Tree, settled: &'a HashSet<String>, protection: Protection, work: &'a Work) -> Planner<'a> {
        Planner {
            tree,
            work,
            settled,
            guard: Guard::new(tree, protection),
            unsettled: Vec::new(),
            passed: HashSet::new(),
            notes: Vec::new(),
            contents: Contents::new(),
            kept: 0,
            edits: BTreeMap::new(),
            moves: Vec::new(),
            sources: HashMap::new(),
            fills: Vec::new(),
            deletes: Vec::new(),
            removed: BTreeMap::new(),
            gone: BTreeMap::new(),
            writable: HashMap::new(),
        }
    }

    fn look(&self, path: &str) -> Result<Option<Seen>> {
        self.tree.look(path).map_err(|error| crate::failure::io_error("reach", path, &error))
    }

    /// Checks the parent directories of a path, below the root, for markers.
    fn pass(&mut self, path: &str) {
        let mut at = split(path).0;
        while !at.is_empty() && self.passed.insert(at.to_owned()) {
            if !self.settled.contains(at) && marker::stands(&self.tree.root().join(at)) {
                self.unsettled.push(at.to_owned());
            }
            at = split(at).0;
        }
    }

    /// Reads the file or link at a path and keeps its bytes for undo, so their total size is limited.
    fn take(&mut self, path: &str) -> Result<Option<(Thing, Seen)>> {
        self.work.check()?;
        if let Some(seen) = self.look(path)? {
            self.needs_room(path, &seen)?;
        }
        let found = operation::take(self.tree, path, &mut self.contents)
            .map_err(|error| crate::failure::io_error("read", path, &error))?;
        self.kept += found.as_ref().map_or(0, |(thing, _)| thing.size());
        Ok(found)
    }

    /// Fails if a file is too large for one change, before it is read.
    fn needs_room(&self, path: &str, seen: &Seen) -> Result<()> {
        let size = if seen.what == What::File { seen.size } else { 0 };
        if size <= limits::CHANGE_BYTES {
            return self.has_room_for(size);
        }
        let (large, most) = (size >> 20, limits::CHANGE_BYTES >> 20);
        let message = format!("`{path}` has {large} MiB; a change can replace at most {most} MiB");
        Err(Error::new(Kind::LimitExceeded, message)
            .hint("everything that a change replaces is kept for undo; use another program for this file"))
    }

    fn has_room_for(&self, size: u64) -> Result<()> {
        let most = limits::CHANGE_BYTES >> 20;
        if self.kept.saturating_add(size) <= limits::CHANGE_BYTES {
            return Ok(());
        }
        Err(Error::new(Kind::LimitExceeded, format!("the change replaces or deletes more than {most} MiB"))
            .hint("all of it is kept for undo; split the change, or remove generated files by other means"))
    }

    /// Fails if the removed files are too large for one change.
    fn needs_room_for_removed(&self) -> Result<()> {
        let files = self.removed.iter().filter(|(_, (_, seen))| seen.what == What::File);
        files.clone().try_for_each(|(path, (_, seen))| self.needs_room(path, seen))?;
        self.has_room_for(files.map(|(_, (_, seen))| seen.size).fold(0, u64::saturating_add))
    }

    /// Fails if the entries of the parent directory cannot be changed.
    fn needs_parent(&mut self, path: &str) -> Result<()> {
        let above = split(path).0;
        let allowed = match self.writable.get(above) {
            Some(allowed) => *allowed,
            None => {
                let allowed = match self.look(above)? {
                    Some(seen) => self.tree.may_write(above, &seen).unwrap_or(false),
                    None => true,
                };
                self.writable.insert(above.to_owned(), allowed);
                allowed
            }
        };
        if allowed { Ok(()) } else { Err(read_only(if above.is_empty() { "." } else { above }, "the directory")) }
    }

    /// Drops moves to the location where the directory's own move puts the file anyway.
    fn drop_moves_along(&mut self) {
        let along = |way: &Moved| {
            let above = self.directory_moves().filter(|other| below(&other.from.real, &way.from.real).is_some());
            let above = above.max_by_key(|other| other.from.real.len());
            above.and_then(|other| moved(&way.from.real, &other.from.real, &other.to.real)) == Some(way.to.real.clone())
        };
        let keep: Vec<bool> = self.moves.iter().map(|way| !along(way)).collect();
        let mut keep = keep.into_iter();
        self.moves.retain(|_| keep.next().unwrap_or(true));
        self.sources = self.moves.iter().enumerate().map(|(index, way)| (way.from.real.clone(), index)).collect();
    }

    /// Collects removed files, except those moved out of a removed directory.
    fn deletions(&mut self) {
        for Deleted { spot, seen, inside } in &self.deletes {
            let saved = |path: &str| {
                let out = self.moves.iter().filter(|way| below(&spot.real, &way.from.real).is_some());
                out.into_iter().any(|way| within(&way.from.real, path))
            };
            let inside = inside.iter().filter(|(path, _)| !saved(path)).map(|(path, seen)| (path.clone(), *seen));
            for (path, seen) in inside.chain([(spot.real.clone(), *seen)]) {
                if seen.what == What::Directory {
                    self.gone.insert(path, seen);
                } else {
                    let name = join(&spot.name, below(&spot.real, &path).unwrap_or_default());
                    self.removed.insert(path, (name, seen));
                }
            }
        }
    }

    /// Maps a path after the change to its location before it.
    fn at_start(&self, path: &str) -> String {
        let above = self.directory_moves().filter(|way| within(&way.to.real, path));
        let way = above.max_by_key(|way| way.to.real.len());
        way.and_then(|way| moved(path, &way.to.real, &way.from.real)).unwrap_or_else(|| path.to_owned())
    }

    /// Maps a path after the change to its location before it, ignoring a move of the path itself: what occupies it.
    fn before_arrival(&self, path: &str) -> String {
        let (above, last) = split(path);
        join(&self.at_start(above), last)
    }

    /// Maps a path before the change to its location after it.
    fn at_end(&self, path: &str) -> String {
        let above = self.directory_moves().filter(|way| within(&way.from.real, path));
        let way = above.max_by_key(|way| way.from.real.len());
        way.and_then(|way| moved(path, &way.from.real, &way.to.real)).unwrap_or_else(|| path.to_owned())
    }

    fn directory_moves(&self) -> impl Iterator<Item = &Moved> {
        self.moves.iter().filter(|way| way.seen.what == What::Directory)
    }

    /// Fails if the change creates a git folder.
    fn makes_no_git_folder(&self) -> Result<()> {
        let targets: Vec<&str> = self.targets().map(|spot| spot.real.as_str()).collect();
        self.guard.check_result(&targets, |path| self.at_start(path))
    }

    /// Returns the move that starts at a path.
    fn leaving(&self, path: &str) -> Option<&Moved> {
        self.sources.get(path).map(|index| &self.moves[*index])
    }

    /// Returns all paths at which something is created.
    fn targets(&self) -> impl Iterator<Item = &Spot> {
        self.moves.iter().map(|way| &way.to).chain(self.fills.iter().map(|fill| &fill.to))
    }

    /// Returns everything below a directory: files, links, and directories after their contents.
    fn all_below(&mut self, directory: &str) -> Result<Vec<(String, Seen)>> {
        let mut found = Vec::new();
        let mut open = vec![directory.to_owned()];
        // Visits each directory once, parents first; reversed, contents come first.
        while let Some(above) = open.pop() {
            self.work.check()?;
            let failed = |error| crate::failure::io_error("list", &above, &error);
            for (name, seen) in self.tree.list(&above).map_err(failed)?.into_iter().rev() {
                if name == marker::NAME && !self.settled.contains(&above) {
                    self.unsettled.push(above.clone());
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
fn within(above: &str, path: &str) -> bool {
    path == above || below(above, path).is_some()
}

//! The status of a working tree, as `git status` reports it.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use gix::{
    bstr::{BStr, BString, ByteSlice},
    dir::entry::Kind as OnDisk,
    progress::Discard,
    remote::Direction,
    state::InProgress,
    status::{
        Item, Submodule, UntrackedFiles,
        index_worktree::Item as InFolder,
        plumbing::index_as_worktree::{Change, Conflict, EntryStatus},
        tree_index::TrackRenames,
    },
    submodule::config::Ignore,
};
use marquetry_model::{
    Error, Kind, Result, limits,
    repository::{ChangeArea, Status, StatusEntry, Worktree},
};

use crate::{errors::git_error, open::OpenRepository, worktree_position::WorktreePosition};

/// Returns the status below the root, or of one path.
pub(crate) fn status(opened: &OpenRepository, path: Option<&str>, stop: &Arc<AtomicBool>) -> Result<Status> {
    let mut status = head_status(opened, stop)?;
    status.operation = opened.repo.state().map(operation_name);
    status.worktree_folder = opened.place.folder();
    status.submodules = submodules(opened);
    let strange = opened.external_submodule();
    let ignore = if strange.is_some() { Ignore::All } else { Ignore::Dirty };
    if let Some(strange) = strange {
        let outside = format!("submodules were not checked: the git folder of `{strange}` is outside of the root");
        status.incomplete.get_or_insert(outside);
    }
    status.worktrees = worktrees(opened);
    let below = match (path, &opened.place) {
        (Some(path), _) => opened.repository_path(path)?,
        (None, WorktreePosition::Above(prefix)) => prefix.clone(),
        (None, WorktreePosition::Below(_)) => String::new(),
    };
    let pattern = (!below.is_empty()).then(|| BString::from(format!(":(top,literal){below}")));
    let options = opened.repo.status(Discard).map_err(git_error)?;
    let options = options
        .untracked_files(UntrackedFiles::Collapsed)
        // Reports the commit of a submodule, but not changes in it, because these belong to another repository.
        .index_worktree_submodules(Submodule::Given { ignore, check_dirty: false })
        .index_worktree_rewrites(None)
        .tree_index_track_renames(TrackRenames::Given(gix::diff::Rewrites::default()))
        .should_interrupt_owned(Arc::clone(stop));
    let changes: Box<dyn Iterator<Item = Result<Item>>> = if is_index_unchanged(opened)? {
        let changes = options.into_index_worktree_iter(pattern).map_err(git_error)?;
        Box::new(changes.map(|change| change.map(Item::IndexWorktree).map_err(git_error)))
    } else {
        Box::new(options.into_iter(pattern).map_err(git_error)?.map(|change| change.map_err(git_error)))
    };
    for change in changes {
        if let Some(entry) = status_entry(&change?).and_then(|entry| relative_to_root(&opened.place, entry)) {
            status.entries.push(entry);
        }
        if status.entries.len() >= limits::REPOSITORY_ENTRIES {
            status.incomplete = Some(format!("only the first {} differences are listed", limits::REPOSITORY_ENTRIES));
            break;
        }
    }
    check_cancelled(stop)?;
    let conflicts: HashSet<String> = status
        .entries
        .iter()
        .filter(|entry| entry.area == ChangeArea::Conflict)
        .map(|entry| entry.path.clone())
        .collect();
    // A conflict also shows up as staged and unstaged; report it once.
    status.entries.retain(|entry| entry.area == ChangeArea::Conflict || !conflicts.contains(&entry.path));
    status.entries.sort();
    status.entries.dedup();
    Ok(status)
}

/// Returns whether the tree that the index caches is that of the commit. If so, no change is staged, and index and
/// commit need not be compared.
fn is_index_unchanged(opened: &OpenRepository) -> Result<bool> {
    let index = opened.repo.index_or_empty().map_err(git_error)?;
    let Some(tree) = index.tree().filter(|tree| tree.num_entries.is_some()) else { return Ok(false) };
    let committed = opened.repo.head_tree_id_or_empty().map_err(git_error)?;
    Ok(tree.id == committed.detach())
}

fn check_cancelled(stop: &AtomicBool) -> Result<()> {
    if stop.load(Ordering::Relaxed) { Err(Error::new(Kind::Cancelled, "the call was cancelled")) } else { Ok(()) }
}

/// Returns the branch, the commit and the upstream.
fn head_status(opened: &OpenRepository, stop: &AtomicBool) -> Result<Status> {
    let repo = &opened.repo;
    let head = repo.head().map_err(git_error)?;
    let short = |name: &gix::refs::FullNameRef| name.shorten().to_str_lossy().into_owned();
    let commit = head.id().map(gix::Id::detach);
    let mut status = Status {
        branch: head.referent_name().map(short),
        commit: commit.map(|commit| commit.to_string()),
        ..Status::default()
    };
    let Some(branch) = head.referent_name() else { return Ok(status) };
    let Some(Ok(upstream)) = repo.branch_remote_tracking_ref_name(branch, Direction::Fetch) else { return Ok(status) };
    status.upstream = Some(short(upstream.as_ref()));
    let theirs = repo.find_reference(upstream.as_ref()).ok().and_then(|mut found| found.peel_to_id().ok());
    if let (Some(ours), Some(theirs)) = (commit, theirs.map(gix::Id::detach)) {
        status.ahead = count_commits(opened, ours, theirs, stop)?;
        status.behind = count_commits(opened, theirs, ours, stop)?;
        if status.ahead.is_none() || status.behind.is_none() {
            status.incomplete =
                Some(format!("more than {} commits are between the branch and its upstream", limits::COMMITS));
        }
    }
    Ok(status)
}

/// Counts the commits of one history that are not in the other; `None` if there are too many.
fn count_commits(
    opened: &OpenRepository,
    of: gix::ObjectId,
    without: gix::ObjectId,
    stop: &AtomicBool,
) -> Result<Option<usize>> {
    if of == without {
        return Ok(Some(0));
    }
    let walk = opened.repo.rev_walk([of]).with_hidden([without]).all().map_err(git_error)?;
    let mut counted = 0;
    for commit in walk {
        // In a shallow clone, the history ends with an error.
        if commit.is_err() || counted == limits::COMMITS {
            return Ok(None);
        }
        check_cancelled(stop)?;
        counted += 1;
    }
    Ok(Some(counted))
}

fn operation_name(operation: InProgress) -> &'static str {
    match operation {
        InProgress::ApplyMailbox | InProgress::ApplyMailboxRebase => "apply",
        InProgress::Bisect => "bisect",
        InProgress::CherryPick | InProgress::CherryPickSequence => "cherry-pick",
        InProgress::Merge => "merge",
        InProgress::Rebase | InProgress::RebaseInteractive => "rebase",
        InProgress::Revert | InProgress::RevertSequence => "revert",
    }
}

fn submodules(opened: &OpenRepository) -> Vec<String> {
    let all = opened.repo.submodules().ok().flatten().into_iter().flatten().take(limits::REFERENCES);
    let paths = all.filter_map(|module| module.path().ok());
    let mut paths: Vec<String> = paths.filter_map(|path| opened.place.to_root_path(&path.to_str_lossy())).collect();
    paths.sort();
    paths
}

/// Lists the other working trees.
fn worktrees(opened: &OpenRepository) -> Vec<Worktree> {
    let own = opened.repo.workdir().and_then(|folder| folder.canonicalize().ok());
    let all = opened.repo.worktrees_including_main().into_iter().flatten().take(limits::REFERENCES).flatten();
    let mut others: Vec<Worktree> = all
        .filter_map(|other| {
            let folder = other.workdir()?.canonicalize().ok().filter(|folder| Some(folder) != own.as_ref())?;
            let branch = other.head_name().ok().flatten();
            let branch = branch.map(|name| name.shorten().to_str_lossy().into_owned());
            Some(Worktree { folder: folder.to_str()?.to_owned(), branch })
        })
        .collect();
    others.sort_by(|a, b| a.folder.cmp(&b.folder));
    others
}

/// Converts the paths of an entry to ones relative to the root; `None` if the entry is outside of it.
fn relative_to_root(place: &WorktreePosition, entry: StatusEntry) -> Option<StatusEntry> {
    let path = place.to_root_path(&entry.path).filter(|path| !path.is_empty())?;
    // The old path of a renamed file may be outside of the root. Then it is reported relative to the repository.
    let from = entry.from.map(|from| place.to_root_path(&from).unwrap_or(from));
    Some(StatusEntry { path, from, ..entry })
}

fn status_entry(change: &Item) -> Option<StatusEntry> {
    match change {
        Item::TreeIndex(change) => Some(staged_entry(change)),
        Item::IndexWorktree(InFolder::Modification { rela_path, status, .. }) => {
            unstaged_entry(rela_path.as_ref(), status)
        }
        Item::IndexWorktree(InFolder::DirectoryContents { entry, .. }) => {
            let mut path = path_text(entry.rela_path.as_ref());
            if matches!(entry.disk_kind, Some(OnDisk::Directory | OnDisk::Repository)) {
                path.push('/');
            }
            Some(StatusEntry { area: ChangeArea::Untracked, path, status: "untracked", from: None })
        }
        // Rename detection is turned off.
        Item::IndexWorktree(InFolder::Rewrite { .. }) => None,
    }
}

fn path_text(path: &BStr) -> String {
    path.to_str_lossy().into_owned()
}

/// Converts a difference between the commit and the index.
fn staged_entry(change: &gix::diff::index::Change) -> StatusEntry {
    use gix::diff::index::ChangeRef;
    let (path, status, from) = match change {
        ChangeRef::Addition { location, .. } => (location, "added", None),
        ChangeRef::Deletion { location, .. } => (location, "deleted", None),
        ChangeRef::Modification { location, previous_entry_mode: before, entry_mode: after, .. } => {
            (location, if same_type(*before, *after) { "modified" } else { "type changed" }, None)
        }
        ChangeRef::Rewrite { source_location, location, copy, .. } => {
            (location, if *copy { "copied" } else { "renamed" }, Some(path_text(source_location.as_ref())))
        }
    };
    StatusEntry { area: ChangeArea::Staged, path: path_text(path.as_ref()), status, from }
}

fn same_type(before: gix::index::entry::Mode, after: gix::index::entry::Mode) -> bool {
    let is_file = |mode: gix::index::entry::Mode| {
        mode == gix::index::entry::Mode::FILE || mode == gix::index::entry::Mode::FILE_EXECUTABLE
    };
    before == after || (is_file(before) && is_file(after))
}

/// Converts a difference between the index and the working tree.
fn unstaged_entry<T, U>(path: &BStr, status: &EntryStatus<T, U>) -> Option<StatusEntry> {
    let (area, status) = match status {
        EntryStatus::Conflict { summary, .. } => (ChangeArea::Conflict, conflict_name(*summary)),
        EntryStatus::Change(Change::Removed) => (ChangeArea::Unstaged, "deleted"),
        EntryStatus::Change(Change::Type { .. }) => (ChangeArea::Unstaged, "type changed"),
        EntryStatus::Change(Change::Modification { .. }) => (ChangeArea::Unstaged, "modified"),
        EntryStatus::Change(Change::SubmoduleModification(_)) => (ChangeArea::Unstaged, "new commits"),
        EntryStatus::IntentToAdd => (ChangeArea::Unstaged, "added"),
        EntryStatus::NeedsUpdate(_) => return None,
    };
    Some(StatusEntry { area, path: path_text(path), status, from: None })
}

fn conflict_name(conflict: Conflict) -> &'static str {
    match conflict {
        Conflict::BothDeleted => "both deleted",
        Conflict::AddedByUs => "added by us",
        Conflict::DeletedByThem => "deleted by them",
        Conflict::AddedByThem => "added by them",
        Conflict::DeletedByUs => "deleted by us",
        Conflict::BothAdded => "both added",
        Conflict::BothModified => "both modified",
    }
}

//! Walks all files of a workspace that its ignore files do not exclude.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use ignore::{DirEntry, WalkBuilder, WalkState};
use marquetry_model::{
    Error, Kind, Result, limits,
    ports::{FileStamp, Skipped},
};

use crate::{
    errors::is_transient,
    ignored::{WalkRules, has_linked_rules, has_linked_rules_above, is_inside_repository},
    lock,
    paths::{join, path_text},
    recovery_marker,
    system::changed_of,
};

/// Configures a walk to apply ignore files (inside and outside of git), skip `.git`, include other hidden files, and
/// follow no links.
pub(crate) fn apply_ignore_rules<'a>(builder: &'a mut WalkBuilder, root: &Path) -> &'a mut WalkBuilder {
    // Below the top of a repository, ignore files above the root apply, up to the repository's top.
    let inside = is_inside_repository(root);
    builder
        .hidden(false)
        .filter_entry(|entry| !is_excluded(entry))
        .git_global(false)
        .follow_links(false)
        .require_git(inside)
        .parents(inside)
}

/// Returns whether an entry is not part of a workspace: files of git and of marq, and installed npm packages, because
/// they have other authors. A walk that starts at such a folder includes it.
fn is_excluded(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let is_own = [".git", recovery_marker::NAME, lock::LOCK_FILE].iter().any(|own| name == *own);
    is_own || name == "node_modules" && entry.depth() > 0
}

/// Result of a walk.
#[derive(Default)]
pub(crate) struct FoundFiles {
    /// The files.
    pub(crate) files: Vec<FileStamp>,
    /// The visited directories, with their change times before they were read.
    pub(crate) folders: Vec<(String, u128)>,
    /// Full paths of directories with a marker.
    pub(crate) marked_folders: Vec<PathBuf>,
    /// Entries that could not be read.
    pub(crate) skipped: Vec<Skipped>,
}

/// The data that a walk returns for each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkDetail {
    /// The name only: size and time remain 0.
    Name,
    /// Also size and time, which costs a system call.
    Stamp,
}

/// Returns the files below `real`, sorted, with paths that start with `name`.
pub(crate) fn walk(root: &Path, real: &str, name: &str, detail: WalkDetail) -> Result<FoundFiles> {
    let top = root.join(real);
    let reached = AtomicBool::new(false);
    let mut found = walk_files(root, &top, detail, &reached)?;
    if !reached.load(Ordering::Relaxed) {
        // A directory that is named explicitly is included even if an ignore file excludes it.
        found = walk_files(&top, &top, detail, &reached)?;
    }
    for stamp in &mut found.files {
        stamp.path = join(name, &stamp.path);
    }
    for skipped in &mut found.skipped {
        skipped.path = join(name, &skipped.path);
    }
    found.skipped.sort_unstable();
    found.skipped.dedup();
    found.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Returns the files below `top`, relative to it, applying ignore files from `start` downwards.
fn walk_files(start: &Path, top: &Path, detail: WalkDetail, reached: &AtomicBool) -> Result<FoundFiles> {
    let is_linked = AtomicBool::new(has_linked_rules_above(start));
    let found = walk_with_rules(start, top, detail, (reached, &is_linked), None);
    if !is_linked.into_inner() {
        return found;
    }
    // The walk applied rules of ignore files that are symbolic links.
    reached.store(false, Ordering::Relaxed);
    let rules = WalkRules::new(start);
    walk_with_rules(start, top, detail, (reached, &AtomicBool::new(false)), Some(rules))
}

/// Returns a walk from `start` that visits only `top`, the folders above it, and what is in it.
fn builder(start: &Path, top: &Path, rules: Option<WalkRules>) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    let wanted: Option<PathBuf> = (start != top).then(|| top.to_owned());
    apply_ignore_rules(&mut builder, start);
    if rules.is_some() {
        builder.git_ignore(false).ignore(false).parents(false);
    }
    builder
        .filter_entry(move |entry| {
            let (path, wanted) = (entry.path(), wanted.as_deref());
            !is_excluded(entry)
                && wanted.is_none_or(|wanted| path.starts_with(wanted) || wanted.starts_with(path))
                && !(entry.depth() > 0 && rules.as_ref().is_some_and(|rules| rules.is_ignored(path, is_folder(entry))))
        })
        .threads(std::thread::available_parallelism().map_or(1, usize::from).min(8));
    builder
}

/// Walks with these rules, or with those of all ignore files. Sets `reached` when it visits `top`, and `is_linked` when
/// it visits a folder with an ignore file that is a symbolic link.
fn walk_with_rules(
    start: &Path,
    top: &Path,
    detail: WalkDetail,
    (reached, is_linked): (&AtomicBool, &AtomicBool),
    rules: Option<WalkRules>,
) -> Result<FoundFiles> {
    let (found, count) = (Mutex::new(FoundFiles::default()), AtomicUsize::new(0));
    builder(start, top, rules).build_parallel().run(|| {
        let mut batch = Batch { own: FoundFiles::default(), all: &found };
        let (count, reached) = (&count, &reached);
        Box::new(move |entry| {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    batch.own.skipped.extend(skipped_entry(top, &error));
                    return WalkState::Continue;
                }
            };
            if entry.path() == top {
                reached.store(true, Ordering::Relaxed);
            }
            if is_folder(&entry) && has_linked_rules(entry.path()) {
                is_linked.store(true, Ordering::Relaxed);
            }
            if let Some(folder) = folder_entry(top, &entry) {
                if recovery_marker::exists(entry.path()) {
                    batch.own.marked_folders.push(entry.path().to_owned());
                }
                batch.own.folders.push(folder);
            }
            if entry.path().to_str().is_none() {
                let reason = "its name is not UTF-8".to_owned();
                batch.own.skipped.push(Skipped { path: display_path(top, entry.path()), reason, transient: false });
                return WalkState::Skip;
            }
            let stamp = match file_stamp(top, &entry, detail) {
                Ok(stamp) => stamp,
                Err(error) => {
                    batch.own.skipped.extend(skipped_entry(top, &error));
                    return WalkState::Continue;
                }
            };
            if let Some(stamp) = stamp {
                batch.own.files.push(stamp);
                if count.fetch_add(1, Ordering::Relaxed) >= limits::WALK_FILES {
                    return WalkState::Quit;
                }
            }
            WalkState::Continue
        })
    });
    if count.into_inner() > limits::WALK_FILES {
        return Err(Error::new(Kind::LimitExceeded, format!("there are more than {} files", limits::WALK_FILES))
            .hint("name a directory below, or exclude generated files in `.gitignore` or `.ignore`"));
    }
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Results of one thread, merged when the thread ends.
struct Batch<'a> {
    own: FoundFiles,
    all: &'a Mutex<FoundFiles>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.files.append(&mut self.own.files);
        all.folders.append(&mut self.own.folders);
        all.marked_folders.append(&mut self.own.marked_folders);
        all.skipped.append(&mut self.own.skipped);
    }
}

/// Returns the entry that a walk could not read, and why. Entries removed meanwhile are not errors.
fn skipped_entry(top: &Path, error: &ignore::Error) -> Option<Skipped> {
    let (mut at, mut path) = (error, None);
    let (reason, transient) = loop {
        match at {
            ignore::Error::WithPath { path: named, err } => (at, path) = (err, Some(named)),
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => at = err,
            ignore::Error::Io(error) => match error.kind() {
                ErrorKind::NotFound => return None,
                ErrorKind::PermissionDenied => break ("permission denied".to_owned(), false),
                _ => break (error.to_string(), is_transient(error)),
            },
            other => break (other.to_string(), false),
        }
    };
    let named = path.filter(|path| path.starts_with(top));
    Some(Skipped { path: named.map_or_else(String::new, |path| display_path(top, path)), reason, transient })
}

fn display_path(top: &Path, path: &Path) -> String {
    path.strip_prefix(top).unwrap_or(path).to_string_lossy().into_owned()
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

fn folder_entry(top: &Path, entry: &DirEntry) -> Option<(String, u128)> {
    if !is_folder(entry) {
        return None;
    }
    let path = path_text(entry.path().strip_prefix(top).ok()?).ok()?;
    Some((path, changed_of(&entry.metadata().ok()?)))
}

/// Returns the file of an entry; `None` if it is not a file.
fn file_stamp(
    top: &Path,
    entry: &DirEntry,
    detail: WalkDetail,
) -> std::result::Result<Option<FileStamp>, ignore::Error> {
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    let path = entry.path().strip_prefix(top).ok().and_then(|path| path_text(path).ok());
    let Some(path) = path.filter(|_| is_file) else { return Ok(None) };
    if detail == WalkDetail::Name {
        return Ok(Some(FileStamp { path, size: 0, modified: 0 }));
    }
    let metadata = entry.metadata()?;
    Ok(Some(FileStamp { path, size: metadata.len(), modified: changed_of(&metadata) }))
}

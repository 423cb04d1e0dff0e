//! All files of a workspace that its ignore files do not exclude.

use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::UNIX_EPOCH,
};

use ignore::{DirEntry, WalkBuilder, WalkState};
use marquetry_model::{Error, Kind, Result, limits, ports::FileStamp};

use crate::place::{join, text_of};

/// Respect ignore files (in and out of git), skip `.git`, show other hidden files, follow no links.
pub(crate) fn respectful<'a>(builder: &'a mut WalkBuilder, root: &Path) -> &'a mut WalkBuilder {
    // Below the top of a repository, the ignore files above the root count; git itself says where that ends.
    let inside = !root.join(".git").exists() && root.ancestors().skip(1).any(|above| above.join(".git").exists());
    builder
        .hidden(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .git_global(false)
        .follow_links(false)
        .require_git(inside)
        .parents(inside)
}

/// The files below `real`, named as if it were called `name`, sorted.
pub(crate) fn walk(root: &Path, real: &str, name: &str) -> Result<Vec<FileStamp>> {
    let top = root.join(real);
    let reached = AtomicBool::new(false);
    let mut found = stamps(root, &top, &reached)?;
    if !reached.load(Ordering::Relaxed) {
        // What is asked for by name is shown even where an ignore file excludes it.
        found = stamps(&top, &top, &reached)?;
    }
    for stamp in &mut found {
        stamp.path = join(name, &stamp.path);
    }
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// The files below `top`, relative to it, by the ignore files from `start` downwards.
fn stamps(start: &Path, top: &Path, reached: &AtomicBool) -> Result<Vec<FileStamp>> {
    let (found, count) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let mut builder = WalkBuilder::new(start);
    let wanted: PathBuf = top.to_owned();
    respectful(&mut builder, start)
        .filter_entry(move |entry| {
            let path = entry.path();
            entry.file_name() != ".git" && (path.starts_with(&wanted) || wanted.starts_with(path))
        })
        .threads(std::thread::available_parallelism().map_or(1, usize::from).min(8));
    builder.build_parallel().run(|| {
        let mut batch = Batch { stamps: Vec::new(), found: &found };
        let (count, reached) = (&count, &reached);
        Box::new(move |entry| {
            let Ok(entry) = entry else { return WalkState::Continue };
            if entry.path() == top {
                reached.store(true, Ordering::Relaxed);
            }
            if let Some(stamp) = stamp(top, &entry) {
                batch.stamps.push(stamp);
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

/// What one thread found; handed over when the thread is done.
struct Batch<'a> {
    stamps: Vec<FileStamp>,
    found: &'a Mutex<Vec<FileStamp>>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.stamps);
    }
}

fn stamp(top: &Path, entry: &DirEntry) -> Option<FileStamp> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let path = text_of(entry.path().strip_prefix(top).ok()?).ok()?;
    let metadata = entry.metadata().ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    Some(FileStamp { path, size: metadata.len(), modified })
}

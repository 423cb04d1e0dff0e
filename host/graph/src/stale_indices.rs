//! Stale index files: files of deleted roots, files of other versions, and unfinished files.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use marquetry_model::StaleData;

use crate::{outlines, store, stored_answers};

/// An unfinished file that is older than this was abandoned.
const MAX_WRITE_TIME: Duration = Duration::from_secs(600);

/// Lists the stale index files in a folder. They can be deleted: an index is rebuilt if it is missing.
pub fn stale_indices(folder: &Path) -> Vec<StaleData> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let stale = |path: PathBuf| {
        let reason = stale_reason(&path)?;
        Some(StaleData { bytes: path.symlink_metadata().map_or(0, |metadata| metadata.len()), path, reason })
    };
    let mut leftovers: Vec<StaleData> = files.filter_map(stale).collect();
    leftovers.sort_by(|a, b| a.path.cmp(&b.path));
    leftovers
}

/// Reason why a file is stale, if it is.
fn stale_reason(path: &Path) -> Option<String> {
    let extension = path.extension()?.to_str()?;
    if extension == store::UNFINISHED {
        let age = path.symlink_metadata().ok()?.modified().ok()?.elapsed().ok()?;
        return (age > MAX_WRITE_TIME).then(|| "unfinished index file".to_owned());
    }
    if ![store::EXTENSION, stored_answers::EXTENSION, outlines::EXTENSION].contains(&extension) {
        return None;
    }
    match store::root_of(path) {
        Some(root) if Path::new(&root).symlink_metadata().is_ok() => None,
        Some(root) => Some(format!("index of {root}, which does not exist")),
        None => Some("index of another version".to_owned()),
    }
}

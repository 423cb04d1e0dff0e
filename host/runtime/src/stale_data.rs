//! Stale cache files: code compiled by other versions, and entries of plugins that no longer exist.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use marquetry_model::StaleData;
use wasmtime::Engine;

use crate::{
    cache::{Cache, code_suffix},
    cached_plugin::FileFingerprint,
    plugin_file::EmbeddedPlugins,
};

/// A temporary file older than this was abandoned.
const ABANDONED_AFTER: Duration = Duration::from_secs(86_400);

/// Returns the stale files of a cache. Removing a file that is still needed does no harm, because it is created again.
/// `embedded` are the plugins that the program contains.
pub(crate) fn stale_cache_files(
    cache: &Cache,
    folder: &Path,
    engine: &Engine,
    embedded: &EmbeddedPlugins,
) -> Vec<StaleData> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    let mut leftovers = Vec::new();
    let mut needed: HashSet<String> = embedded.bundled_digests().map(str::to_owned).collect();
    let mut add = |path: &Path, reason: String| {
        let bytes = path.symlink_metadata().map_or(0, |metadata| metadata.len());
        leftovers.push(StaleData { path: path.to_owned(), bytes, reason });
    };
    let has = |path: &Path, extension: &str| path.extension().is_some_and(|own| own == extension);
    for path in files.iter().filter(|path| has(path, "json")) {
        match cache.read_entry(path) {
            None => add(path, "plugin description written by another version".to_owned()),
            Some((sha256, plugin, stamp))
                if embedded.contains(&plugin) || FileFingerprint::read(&plugin).is_ok_and(|now| now == stamp) =>
            {
                needed.insert(sha256);
            }
            Some((_, plugin, _)) => add(path, format!("description of an earlier {}", plugin.display())),
        }
    }
    let suffix = code_suffix(engine);
    for path in files.iter().filter(|path| has(path, "cwasm") || has(path, "seal")) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        match stem.split_once('-') {
            Some((sha256, version)) if version == suffix && needed.contains(sha256) => {}
            Some((_, version)) if version == suffix => {
                add(path, "compiled code of a plugin that no longer exists".to_owned());
            }
            _ => add(path, "compiled code of another version".to_owned()),
        }
    }
    for path in files.iter().filter(|path| has(path, "refused")) {
        add(path, "compilation failure of a plugin; it is compiled again without this file".to_owned());
    }
    let is_old = |path: &Path| {
        let modified = path.symlink_metadata().and_then(|metadata| metadata.modified()).ok();
        modified.and_then(|then| SystemTime::now().duration_since(then).ok()).is_some_and(|age| age > ABANDONED_AFTER)
    };
    let begun = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".tmp"));
    for path in files.iter().filter(begun).filter(|path| is_old(path)) {
        add(path, "incomplete file".to_owned());
    }
    leftovers.sort_by(|a, b| a.path.cmp(&b.path));
    leftovers
}

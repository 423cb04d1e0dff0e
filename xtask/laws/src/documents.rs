//! Collects the documents to check: the cases of suites, and the files in folders.

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result};
use marquetry_files::DiskRoots;
use marquetry_model::ports::{Files, Roots};
use marquetry_testkit::MemoryFiles;
use serde_json::Value;

/// Folders with generated or installed files.
const SKIPPED: [&str; 4] = [".git", "target", "fingerprint", "node_modules"];

/// A document. Files are read when they are checked.
pub(crate) struct Entry {
    /// The name to print.
    pub(crate) id: String,
    pub(crate) extension: String,
    /// The path below the root of `files`.
    pub(crate) path: String,
    /// The workspace that the pack can access.
    pub(crate) files: Arc<dyn Files>,
    text: Option<String>,
}

/// All documents.
#[derive(Default)]
pub(crate) struct Documents {
    pub(crate) entries: Vec<Entry>,
}

impl Documents {
    /// Returns the text of a document; `None` if it is too large or not text.
    pub(crate) fn text(&self, entry: &Entry, largest: u64) -> Option<String> {
        match &entry.text {
            Some(text) => Some(text.trim_start_matches('\u{feff}').to_owned()),
            None => {
                let source = entry.files.read(&entry.path).ok()?;
                (source.size <= largest).then(|| source.text.to_string())
            }
        }
    }
}

/// Collects the documents of all folders. If an extension has more than `most`, the seed selects at most `most` of
/// them, spread evenly.
pub(crate) fn collect(folders: &[PathBuf], only: &[String], most: usize, seed: usize) -> Result<Documents> {
    let state = std::env::temp_dir().join("marquetry-laws");
    let mut by_extension: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    let mut add = |entry: Entry| {
        if only.is_empty() || only.contains(&entry.extension) {
            by_extension.entry(entry.extension.clone()).or_default().push(entry);
        }
    };
    for folder in folders {
        let folder = folder.canonicalize().with_context(|| format!("{} is not there", folder.display()))?;
        let mut suites = Vec::new();
        find_suites(&folder, &mut suites);
        if suites.is_empty() {
            let files = DiskRoots::new(folder.clone(), state.clone()).open(None)?;
            add_files(&folder, &folder, &files, &mut add);
        }
        for suite in suites {
            add_cases(&suite, &mut add)?;
        }
    }
    let entries = by_extension.into_values().flat_map(|list| spread_evenly(list, most, seed)).collect();
    Ok(Documents { entries })
}

/// Selects at most `most` entries at equal distances; the seed chooses the first.
fn spread_evenly(list: Vec<Entry>, most: usize, seed: usize) -> impl Iterator<Item = Entry> {
    let step = list.len().div_ceil(most.max(1)).max(1);
    let start = seed % step.min(list.len().max(1));
    list.into_iter().skip(start).step_by(step)
}

/// Collects the folder itself or its subfolders, if they contain cases.
fn find_suites(folder: &Path, suites: &mut Vec<PathBuf>) {
    let below = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = std::iter::once(folder.to_owned()).chain(below).collect();
    all.sort();
    suites.extend(all.into_iter().filter(|path| path.join("cases.jsonl").is_file()));
}

/// Adds the files of all cases of a suite, without duplicate texts.
fn add_cases(suite: &Path, add: &mut dyn FnMut(Entry)) -> Result<()> {
    let mut seen = HashSet::new();
    for case in fs::read_to_string(suite.join("cases.jsonl"))?.lines() {
        let case: Value = serde_json::from_str(case)?;
        let id = case["id"].as_str().unwrap_or_default();
        let texts: Vec<(String, String)> = case["files"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(path, file)| Some((path.clone(), case_text(suite, file)?)))
            .collect();
        let files = MemoryFiles::from_files(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        for (path, text) in texts {
            if seen.insert((extension(&path), text.clone())) {
                let (id, files) = (format!("{id} {path}"), Arc::clone(&files));
                add(Entry { id, extension: extension(&path), path, files, text: Some(text) });
            }
        }
    }
    Ok(())
}

fn case_text(suite: &Path, file: &Value) -> Option<String> {
    if let Some(text) = file.as_str() {
        return Some(text.to_owned());
    }
    if let Some(reference) = file["ref"].as_str() {
        return fs::read_to_string(suite.parent()?.join(reference)).ok();
    }
    let times = usize::try_from(file["times"].as_u64()?).ok()?;
    Some(file["repeat"].as_str()?.repeat(times) + file["tail"].as_str().unwrap_or_default())
}

fn add_files(root: &Path, folder: &Path, files: &Arc<dyn Files>, add: &mut dyn FnMut(Entry)) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_symlink() {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !SKIPPED.contains(&name.as_str()) {
            add_files(root, &path, files, add);
        } else if path.is_file()
            && let Ok(below) = path.strip_prefix(root)
            && let Some(below) = below.to_str()
        {
            let (id, path) = (path.display().to_string(), below.to_owned());
            add(Entry { id, extension: extension(&path), path, files: Arc::clone(files), text: None });
        }
    }
}

/// Returns the extension of a path, which names the row in the table.
fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
}

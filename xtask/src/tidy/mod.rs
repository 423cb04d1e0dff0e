//! The rules of the project that no lint knows: who may name what, how long things may be, what the documents promise.
//! How long functions are and how code is laid out are rules of clippy and rustfmt.

mod crates;
mod documents;
mod sources;
#[cfg(test)]
mod tests;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

use crate::shell::top;

/// What was made or fetched; `.git` is a file in a working tree of its own.
const SKIPPED: [&str; 6] = [".git", "target", "node_modules", "corpus", "artifacts", "template"];

/// A source tree that is checked.
struct Tree {
    top: PathBuf,
}

/// Check every rule; list every breach.
pub(crate) fn run() -> Result<()> {
    let breaches = breaches(&Tree { top: top() })?;
    if breaches.is_empty() {
        return Ok(());
    }
    for breach in &breaches {
        eprintln!("    {breach}");
    }
    bail!("{} breaches of the project's rules", breaches.len())
}

fn breaches(tree: &Tree) -> Result<Vec<String>> {
    let mut breaches = Vec::new();
    for rule in [
        crates::arrows,
        crates::reasons,
        sources::rust,
        sources::machines,
        documents::map,
        documents::packs,
        documents::examples,
        documents::commands,
    ] {
        rule(tree, &mut breaches)?;
    }
    Ok(breaches)
}

impl Tree {
    /// The folder names below a folder that hold a crate.
    fn crates(&self, folder: &str) -> Result<Vec<String>> {
        crate::shell::crates_below(&self.top.join(folder))
    }

    /// All files whose names end like this, with `/`, sorted.
    fn files(&self, end: &str) -> Result<Vec<String>> {
        let mut files = Vec::new();
        walk(&self.top, &mut files)?;
        let name = |path: &PathBuf| Some(path.strip_prefix(&self.top).ok()?.to_str()?.to_owned());
        let mut names: Vec<String> = files.iter().filter_map(name).filter(|name| name.ends_with(end)).collect();
        names.sort();
        Ok(names)
    }

    /// The text of a file; nothing for one that is not there.
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.top.join(name)).unwrap_or_default()
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if SKIPPED.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            walk(&path, files)?;
        } else if kind.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

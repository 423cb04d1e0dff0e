//! Project rules that no lint checks: allowed dependencies, lengths of files, contents of documents. Lengths of
//! functions and the format are checked by clippy and rustfmt.

mod crates;
mod documents;
mod english;
mod sources;
#[cfg(test)]
mod tests;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

use crate::shell::top;

/// Generated or downloaded files. In a worktree, `.git` is a file.
const SKIPPED: [&str; 6] = [".git", "target", "node_modules", "corpus", "artifacts", "template"];

/// A repository to check.
struct Tree {
    top: PathBuf,
}

/// Checks all rules and prints all violations.
pub(crate) fn run() -> Result<()> {
    let breaches = find_breaches(&Tree { top: top() })?;
    if breaches.is_empty() {
        return Ok(());
    }
    for breach in &breaches {
        eprintln!("    {breach}");
    }
    bail!("{} breaches of the project's rules", breaches.len())
}

fn find_breaches(tree: &Tree) -> Result<Vec<String>> {
    let mut breaches = Vec::new();
    for rule in [
        crates::check_dependencies,
        crates::check_reasons,
        sources::check_rust,
        sources::check_machine_paths,
        sources::check_refactorings,
        documents::check_architecture,
        documents::check_packs,
        documents::check_sessions,
        documents::check_commands,
        documents::check_python_name,
        english::check_english,
        english::check_subjects,
    ] {
        rule(tree, &mut breaches)?;
    }
    Ok(breaches)
}

impl Tree {
    /// Returns the names of the subfolders with a crate.
    fn crates(&self, folder: &str) -> Result<Vec<String>> {
        crate::shell::crates_below(&self.top.join(folder))
    }

    /// Returns all files with this suffix, sorted; paths use `/`.
    fn files(&self, end: &str) -> Result<Vec<String>> {
        let mut files = Vec::new();
        walk(&self.top, &mut files)?;
        let name = |path: &PathBuf| Some(path.strip_prefix(&self.top).ok()?.to_str()?.to_owned());
        let mut names: Vec<String> = files.iter().filter_map(name).filter(|name| name.ends_with(end)).collect();
        names.sort();
        Ok(names)
    }

    /// Returns the text of a file; empty if it does not exist.
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

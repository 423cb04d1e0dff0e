//! Commits of a git repository that moved code. The repository is only read.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context, Result, bail, ensure};

/// Extensions of code.
const CODE: [&str; 14] =
    ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "py", "pyi", "rs", "go"];

/// Maximum number of files that a commit moves. Commits that move more files are left out.
const MOST_MOVES: usize = 120;

/// A git directory.
pub(in crate::prove) struct Repository {
    folder: PathBuf,
}

/// Files that a commit moved or changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Moves {
    /// New paths by old paths.
    pub(super) moved: BTreeMap<String, String>,
    pub(super) changed: Vec<String>,
}

pub(super) fn is_code(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| CODE.contains(&end))
}

impl Repository {
    pub(in crate::prove) fn new(folder: &Path) -> Result<Repository> {
        let inside = folder.join(".git");
        let folder = if inside.exists() { inside } else { folder.to_owned() };
        ensure!(folder.join("HEAD").exists(), "{} is not a git directory", folder.display());
        Ok(Repository { folder: folder.canonicalize()? })
    }

    /// Returns the name for the table: the last part of the path that is not `.git` or `repo`.
    pub(in crate::prove) fn name(&self) -> String {
        let mut parts = self.folder.iter().rev().map(|part| part.to_string_lossy());
        let name = parts.find(|part| ![".git", "repo"].contains(&&**part)).unwrap_or_default();
        name.trim_end_matches(".git").to_owned()
    }

    /// Returns the commits with one parent that may move code, newest first: they delete and add code files. Renames
    /// are detected later and only for some of them, because that takes long, and the repository may lack the contents
    /// of some files.
    pub(super) fn commits(&self) -> Result<Vec<String>> {
        let format = "--format=commit %H %P";
        let log = self.git(&["log", "--no-merges", "--no-renames", "--diff-filter=AD", "--name-status", format])?;
        Ok(candidate_commits(&log))
    }

    /// Returns what a commit moved and changed. `None` if git fails, or if the commit moves no code, moves too many
    /// files or changes no text.
    pub(super) fn moves(&self, commit: &str) -> Option<Moves> {
        let parent = format!("{commit}^");
        let listed = self.git(&["diff", "-M60%", "-l2000", "--name-status", "-z", &parent, commit]).ok()?;
        let found = parse_moves(&listed);
        let moves_code = found.moved.keys().any(|path| is_code(path));
        let changes = !found.changed.is_empty() || listed.split('\0').any(|word| word.starts_with("R0"));
        (moves_code && changes && found.moved.len() <= MOST_MOVES).then_some(found)
    }

    /// Lists the files of a commit.
    pub(in crate::prove) fn files(&self, commit: &str) -> Result<Vec<String>> {
        let listed = self.git(&["ls-tree", "-r", "--name-only", "-z", commit])?;
        Ok(listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
    }

    /// Returns the text of a file in a commit; `None` if it is not UTF-8.
    pub(super) fn text(&self, commit: &str, path: &str) -> Result<Option<String>> {
        let output = self.output(Command::new("git").args(["show", &format!("{commit}:{path}")]))?;
        Ok(String::from_utf8(output.stdout).ok())
    }

    /// Writes the files of a commit into an empty folder, except those whose contents the repository lacks.
    pub(in crate::prove) fn check_out(&self, commit: &str, folder: &Path, index: &Path) -> Result<()> {
        let inside = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(["-c", "core.bare=false"]).args(arguments).current_dir(folder);
            command.env("GIT_WORK_TREE", folder).env("GIT_INDEX_FILE", index);
            self.output(&mut command)
        };
        inside(&["read-tree", commit])?;
        // Git fails if contents are missing, but still writes the other files.
        _ = inside(&["checkout-index", "--all", "--force"]);
        Ok(())
    }

    fn git(&self, arguments: &[&str]) -> Result<String> {
        let output = self.output(Command::new("git").args(arguments))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn output(&self, command: &mut Command) -> Result<Output> {
        let output = command.env("GIT_DIR", &self.folder).output().context("cannot start `git`")?;
        if !output.status.success() {
            bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(output)
    }
}

/// Returns the commits of a log that have one parent, delete and add code files, and do not delete too many files.
fn candidate_commits(log: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in log.split("commit ").filter(|entry| !entry.is_empty()) {
        let (head, files) = entry.split_once('\n').unwrap_or((entry, ""));
        let ids: Vec<&str> = head.split_whitespace().collect();
        let paths = |status: char| files.lines().filter_map(move |line| line.strip_prefix(status)?.strip_prefix('\t'));
        let has_code = |status: char| paths(status).any(is_code);
        if ids.len() == 2 && has_code('D') && has_code('A') && paths('D').count() <= 2 * MOST_MOVES {
            found.push(ids[0].to_owned());
        }
    }
    found
}

/// Parses the output of `git diff --name-status -z`.
fn parse_moves(listed: &str) -> Moves {
    let mut found = Moves::default();
    let mut words = listed.split('\0').filter(|word| !word.is_empty());
    while let Some(status) = words.next() {
        let path = words.next().unwrap_or_default().to_owned();
        match status.as_bytes()[0] {
            b'R' => _ = found.moved.insert(path, words.next().unwrap_or_default().to_owned()),
            b'C' => _ = words.next(),
            b'A' | b'D' => {}
            _ => found.changed.push(path),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_with_moved_code_are_found() {
        let log = "commit a b\n\nD\tsrc/a.ts\nA\tsrc/b.ts\ncommit c d\n\nA\tsrc/a.ts\nA\tsrc/b.ts\n\
                   commit e f\n\nD\ta.png\nA\tb.png\ncommit g h i\n\nD\ta.ts\nA\tb.ts\ncommit j k\n\nA\tb.vue\nD\ta.js\n";
        assert_eq!(candidate_commits(log), ["a", "j"]);
    }

    #[test]
    fn moves_and_changes_of_a_commit() {
        let found = parse_moves("R100\0a b.ts\0c.ts\0M\0d.ts\0A\0e.ts\0D\0f.ts\0C090\0g.ts\0h.ts\0");
        assert_eq!(found.moved.into_iter().collect::<Vec<_>>(), [("a b.ts".to_owned(), "c.ts".to_owned())]);
        assert_eq!(found.changed, ["d.ts"]);
    }

    #[test]
    fn code_files_are_recognized_by_extension() {
        assert!(is_code("a/b.d.ts") && is_code("a.vue") && !is_code("a.json") && !is_code("ts"));
    }
}

//! Replay of one commit: makes its moves in the tree of its parent, and compares every line that has a path with the
//! commit.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{
    judge::{Class, Line, Scene, specifiers},
    lines::align_lines,
    repository::{Moves, Repository, is_code},
    tree::{Tree, last_part, parent_folder},
};
use crate::measure::session::Session;

/// Maximum size of a compared file in bytes.
const MAX_FILE_SIZE: u64 = 1_000_000;

/// Generated files, which are not compared.
const GENERATED_FILES: [&str; 6] =
    ["pnpm-lock.yaml", "package-lock.json", "yarn.lock", "bun.lock", "npm-shrinkwrap.json", "CHANGELOG.md"];

/// Result of replaying a commit.
#[derive(Debug, Default)]
pub(super) struct Replay {
    pub(super) files: usize,
    /// True if the answer claims to be complete.
    pub(super) is_complete: bool,
    /// The reason, if the call was refused.
    pub(super) refusal: Option<String>,
    /// Files that are missing at their new paths.
    pub(super) lost: Vec<String>,
    pub(super) unresolved: usize,
    /// Number of missed lines that the answer lists.
    pub(super) missed_but_listed: usize,
    pub(super) found: Vec<ClassifiedLine>,
}

/// A line and its classification.
#[derive(Debug)]
pub(super) struct ClassifiedLine {
    pub(super) class: Class,
    /// True if the answer lists the line as unresolved.
    pub(super) is_listed: bool,
    /// `file:line` before the move.
    pub(super) place: String,
    pub(super) before: String,
    pub(super) ours: Option<String>,
    pub(super) theirs: Option<String>,
}

impl Replay {
    pub(super) fn count(&self, test: impl Fn(&ClassifiedLine) -> bool) -> usize {
        self.found.iter().filter(|finding| test(finding)).count()
    }

    /// Returns whether the answer claims to be complete although there are faults.
    pub(super) fn claims_falsely(&self) -> bool {
        self.is_complete && self.count(ClassifiedLine::is_fault) > 0
    }
}

impl ClassifiedLine {
    /// Returns whether the line is wrong, or missed and not listed.
    pub(super) fn is_fault(&self) -> bool {
        match self.class {
            Class::Wrong | Class::ExtraWrong => true,
            Class::Missed => !self.is_listed,
            _ => false,
        }
    }
}

/// Replays the moves of a commit in an empty folder. `None` if there is nothing to replay.
pub(super) fn replay(repository: &Repository, commit: &str, marq: &Path, folder: &Path) -> Result<Option<Replay>> {
    let Some(moves) = repository.moves(commit) else { return Ok(None) };
    let parent_commit = format!("{commit}^");
    let before = Tree::new(repository.files(&parent_commit)?);
    let calls = calls(&moves.moved, &before);
    if calls.is_empty() {
        return Ok(None);
    }
    let root = folder.join("tree");
    fs::create_dir_all(&root)?;
    repository.check_out(&parent_commit, &root, &folder.join("index"))?;
    let texts: BTreeMap<String, String> =
        before.files().filter_map(|file| Some((file.to_owned(), text(&root, file)?))).collect();
    let mut replay = Replay { files: moves.moved.len(), ..Replay::default() };
    let list: Vec<Value> = calls.iter().map(|(from, to)| json!({ "source": from, "destination": to })).collect();
    let mut session = Session::start(marq, &root)?;
    let answer: Value = match session.call("file/move", &json!({ "moves": list })) {
        Ok((_, line)) => serde_json::from_str(&line).context("the answer is not JSON")?,
        Err(error) => {
            replay.refusal = Some(format!("{error:#}"));
            return Ok(Some(replay));
        }
    };
    drop(session);
    let result = &answer["result"];
    replay.is_complete = result["completeness"] == "complete";
    let listed = unresolved_entries(&result["unresolved"]);
    replay.unresolved = listed.len();
    let scene = build_scene(before, Tree::new(repository.files(commit)?), &moves.moved, &calls, &texts);
    let people = CommittedFiles { repository, commit, moves: &moves };
    for (file, before) in &texts {
        let Some(ours) = text(&root, scene.path(file)) else {
            replay.lost.push(file.clone());
            continue;
        };
        let theirs = people.text(&scene, file, before)?;
        classify_lines(&scene, (file, before), (&ours, theirs.as_deref()), &listed, &mut replay.found);
    }
    let missed = |finding: &&ClassifiedLine| finding.class == Class::Missed && finding.is_listed;
    replay.missed_but_listed = replay.found.iter().filter(missed).count();
    Ok(Some(replay))
}

/// Groups moves into calls: folders that move with all their files, and single files. Leaves out moves to paths that
/// are taken.
fn calls(moved: &BTreeMap<String, String>, before: &Tree) -> Vec<(String, String)> {
    let mut rest = moved.clone();
    let mut folders: BTreeSet<(usize, String, String)> = BTreeSet::new();
    for (from, to) in moved {
        let (mut from, mut to) = (from.as_str(), to.as_str());
        while last_part(from) == last_part(to) && !parent_folder(from).is_empty() && !parent_folder(to).is_empty() {
            (from, to) = (parent_folder(from), parent_folder(to));
            folders.insert((from.len(), from.to_owned(), to.to_owned()));
        }
    }
    let mut calls = Vec::new();
    for (_, from, to) in folders {
        let below: Vec<&str> = before.below(&from).collect();
        let goes = |file: &&str| rest.get(*file).is_some_and(|path| *path == format!("{to}{}", &file[from.len()..]));
        let is_free = !before.has_folder(&to) && !format!("{to}/").starts_with(&format!("{from}/"));
        if from != to && below.len() > 1 && is_free && below.iter().all(goes) {
            for file in below {
                rest.remove(file);
            }
            calls.push((from, to));
        }
    }
    let goes = |(from, to): &(String, String)| from != to && (!before.has(to) || rest.contains_key(to));
    calls.extend(rest.clone().into_iter().filter(goes));
    calls
}

/// Builds the trees before and after, and the map of moved files.
fn build_scene(
    before: Tree,
    theirs: Tree,
    moved: &BTreeMap<String, String>,
    calls: &[(String, String)],
    texts: &BTreeMap<String, String>,
) -> Scene {
    let is_asked = |file: &str| calls.iter().any(|(from, _)| file == from || file.starts_with(&format!("{from}/")));
    let moved: BTreeMap<String, String> =
        moved.iter().filter(|(from, _)| is_asked(from)).map(|(from, to)| (from.clone(), to.clone())).collect();
    let path = |file: &str| moved.get(file).cloned().unwrap_or_else(|| file.to_owned());
    let ours = Tree::new(before.files().map(path));
    let folders = calls.iter().filter(|(from, _)| before.has_folder(from)).cloned().collect();
    let (mut before, mut ours, mut theirs) = (before, ours, theirs);
    for (file, text) in texts {
        if let Some(package) = package_name(file, text) {
            before.add_package(&package, parent_folder(file));
            ours.add_package(&package, parent_folder(&path(file)));
            theirs.add_package(&package, parent_folder(&path(file)));
        }
    }
    Scene { before, ours, theirs, moved, folders }
}

/// Returns the name of the package that a manifest describes, as imports write it.
fn package_name(file: &str, text: &str) -> Option<String> {
    match last_part(file) {
        "package.json" if !parent_folder(file).is_empty() => {
            let manifest: Value = serde_json::from_str(text).ok()?;
            Some(manifest["name"].as_str()?.to_owned())
        }
        "go.mod" => text.lines().find_map(|line| line.strip_prefix("module ")).map(|name| name.trim().to_owned()),
        "Cargo.toml" => {
            let (_, package) = text.split_once("[package]")?;
            let name = package.lines().find_map(|line| line.strip_prefix("name")?.split('"').nth(1))?;
            Some(name.replace('-', "_"))
        }
        _ => None,
    }
}

/// The files as people committed them.
struct CommittedFiles<'a> {
    repository: &'a Repository,
    commit: &'a str,
    moves: &'a Moves,
}

impl CommittedFiles<'_> {
    /// Returns the text of a file after the commit; `None` if it was removed or is not text.
    fn text(&self, scene: &Scene, file: &str, before: &str) -> Result<Option<String>> {
        let path = scene.path(file);
        if !scene.theirs.has(path) {
            return Ok(None);
        }
        if !self.moves.moved.contains_key(file) && !self.moves.changed.iter().any(|changed| changed == file) {
            return Ok(Some(before.to_owned()));
        }
        self.repository.text(self.commit, path)
    }
}

/// Reads a text file. `None` if it is generated, too large or not text.
fn text(root: &Path, file: &str) -> Option<String> {
    let path = root.join(file);
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file()
        || metadata.len() > MAX_FILE_SIZE
        || GENERATED_FILES.contains(&last_part(file))
        || file.contains("node_modules/")
    {
        return None;
    }
    String::from_utf8(fs::read(path).ok()?).ok()
}

/// Returns the listed entries of the answer.
fn unresolved_entries(unresolved: &Value) -> Vec<String> {
    let entries = unresolved.as_array().into_iter().flatten();
    entries.map(|entry| entry.as_str().map_or_else(|| entry.to_string(), str::to_owned)).collect()
}

/// Classifies the lines of a file.
fn classify_lines<'a>(
    scene: &Scene,
    (file, before): (&str, &'a str),
    (ours, theirs): (&'a str, Option<&'a str>),
    listed: &[String],
    found: &mut Vec<ClassifiedLine>,
) {
    let is_left = ours == before && (theirs == Some(before) || theirs.is_none());
    if is_left && !is_code(file) {
        return;
    }
    let lines = |text: &'a str| -> Vec<&'a str> { text.lines().collect() };
    let (old, mine, yours) = (lines(before), lines(ours), theirs.map(lines));
    let ours = align_lines(&old, &mine);
    let theirs = yours.as_ref().map(|yours| align_lines(&old, yours));
    for (at, before) in old.iter().enumerate() {
        if is_left && specifiers(file, before).is_empty() {
            continue;
        }
        let mine = ours[at].map(|line| mine[line]);
        let yours = theirs.as_ref().and_then(|theirs| yours.as_ref()?.get(theirs[at]?).copied());
        let Some(class) = scene.judge(Line { file, before, ours: mine, theirs: yours }) else { continue };
        let is_listed = class == Class::Missed && is_listed(listed, scene, (file, at + 1, before));
        found.push(ClassifiedLine {
            class,
            is_listed,
            place: format!("{file}:{}", at + 1),
            before: (*before).to_owned(),
            ours: mine.map(str::to_owned),
            theirs: yours.map(str::to_owned),
        });
    }
}

/// Returns whether the answer lists a line: by its number, or by a text that the line contains.
fn is_listed(listed: &[String], scene: &Scene, (file, line, text): (&str, usize, &str)) -> bool {
    listed.iter().any(|entry| {
        let rest = [scene.path(file), file].into_iter().find_map(|path| entry.strip_prefix(path)?.strip_prefix(':'));
        let is_said = |word: &str| !word.is_empty() && word.parse::<usize>().is_err() && text.contains(word);
        let has_path = |rest: &str| rest.split(": ").map(str::trim).any(is_said);
        rest.is_some_and(|rest| rest.starts_with(&format!("{line}:")) || has_path(rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
    }

    #[test]
    fn whole_folder_move_is_one_call() {
        let before = Tree::new(["a/x.ts", "a/y.ts", "b/z.ts", "b/w.ts"].map(str::to_owned));
        let moves = moved(&[("a/x.ts", "c/d/x.ts"), ("a/y.ts", "c/d/y.ts"), ("b/z.ts", "c/z.ts")]);
        let expected = [("a", "c/d"), ("b/z.ts", "c/z.ts")].map(|(from, to)| (from.to_owned(), to.to_owned()));
        assert_eq!(calls(&moves, &before), expected);
    }

    #[test]
    fn swapped_files_move_but_not_onto_existing_files() {
        let before = Tree::new(["a.ts", "b.ts", "c.ts", "d.ts"].map(str::to_owned));
        let moves = moved(&[("a.ts", "b.ts"), ("b.ts", "a.ts"), ("c.ts", "d.ts")]);
        assert_eq!(calls(&moves, &before).len(), 2);
    }

    #[test]
    fn manifests_name_packages() {
        for (file, text, name) in [
            ("a/package.json", r#"{"name": "@t/a"}"#, Some("@t/a")),
            ("package.json", r#"{"name": "@t/a"}"#, None),
            ("go.mod", "// a\nmodule example.com/m\n\ngo 1.22\n", Some("example.com/m")),
            ("Cargo.toml", "[package]\nversion = \"1\"\nname = \"my-c\"\n", Some("my_c")),
            ("Cargo.toml", "[workspace]\nmembers = []\n", None),
        ] {
            assert_eq!(package_name(file, text).as_deref(), name, "{file}");
        }
    }

    #[test]
    fn lines_are_listed_by_number_or_text() {
        let tree = || Tree::new(["a.ts".to_owned()]);
        let moved = moved(&[("a.ts", "b.ts")]);
        let scene = Scene { before: tree(), ours: tree(), theirs: tree(), moved, folders: Vec::new() };
        let line = ("a.ts", 3, "import './x'");
        for (entry, expected) in [
            ("b.ts:3: y: why", true),
            ("a.ts:3: y: why", true),
            ("b.ts: ./x: why", true),
            ("b.ts:30: y: why", false),
            ("c.ts:3: y: why", false),
        ] {
            assert_eq!(is_listed(&[entry.to_owned()], &scene, line), expected, "{entry}");
        }
    }
}

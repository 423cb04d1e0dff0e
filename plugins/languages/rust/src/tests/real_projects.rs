//! Moves and renames in real projects, each checked with the compiler. The environment variable `MARQ_RUST_PROJECTS`
//! names the packages.
//!
//! A change without unresolved occurrences must compile.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use marquetry_sdk::{Document, Result, Symbols, testing, workspace::set_files};

use super::projects::{Changed, Files, move_files, move_item, rename};
use crate::{
    Rust,
    modules::{self, Move},
};

/// Maximum number of names in a project that are renamed.
const MAX_NAMES: usize = 25;

/// Numbers of changes by result.
#[derive(Debug, Default)]
struct Counts {
    complete: usize,
    listed: usize,
    refused: usize,
    wrong: usize,
}

struct Project {
    files: Files,
    folder: PathBuf,
    /// False if crates that the tests of the project need are not available.
    has_tests: bool,
}

impl Project {
    fn read(source: &Path, folder: &Path) -> Project {
        let mut files = Files::new();
        let mut open = vec![source.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else if let Ok(text) = std::fs::read_to_string(&path) {
                    let name = path.strip_prefix(source).expect("a path below").to_string_lossy().replace('\\', "/");
                    files.insert(name, text);
                }
            }
        }
        Project { files, folder: folder.to_owned(), has_tests: true }
    }

    /// Returns the first error of the compiler.
    fn error_of(&self, files: &Files) -> Option<String> {
        let _ = std::fs::remove_dir_all(&self.folder);
        for (path, text) in files {
            let path = self.folder.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is created");
            std::fs::write(path, text).expect("a file is written");
        }
        let mut cargo = Command::new("cargo");
        cargo.args(["check", "--offline", "--quiet", "--message-format=short"]);
        cargo.args(self.has_tests.then_some("--tests"));
        cargo.env("RUSTFLAGS", "--cap-lints=allow");
        let output = cargo.current_dir(&self.folder).output().expect("cargo runs");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let error = errors.lines().filter(|line| line.contains("error")).take(3).collect::<Vec<_>>().join("\n    ");
        (!output.status.success()).then_some(error)
    }

    fn check(&self, what: &str, changed: Result<Changed>, counts: &mut Counts) {
        match changed {
            Err(failure) => {
                counts.refused += 1;
                println!("refused {what}: {}", failure.message);
            }
            Ok((_, unresolved)) if !unresolved.is_empty() => counts.listed += 1,
            Ok((files, _)) => match self.error_of(&files) {
                None => counts.complete += 1,
                Some(error) => {
                    counts.wrong += 1;
                    println!("WRONG {what}\n    {error}");
                }
            },
        }
    }

    fn moves(&self, counts: &mut Counts) {
        set_files(self.files.clone());
        let is_module = |path: &&String| path.ends_with(".rs") && modules::parent(path).is_some();
        let modules: Vec<&String> = self.files.keys().filter(is_module).collect();
        let folders: Vec<String> = modules.iter().map(|path| modules::folder_of_children(path, false)).collect();
        for (index, path) in modules.iter().enumerate() {
            let name = modules::conventional_name(path);
            let around = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let other = &folders[(index + 1) % folders.len()];
            for to in [format!("{around}/{name}_zz.rs"), format!("{other}/{name}_zz.rs")] {
                set_files(self.files.clone());
                let is_mod = path.ends_with("/mod.rs");
                if is_mod || to.starts_with(&modules::folder_of_children(path, false)) {
                    continue;
                }
                let moves = [Move { from: (*path).clone(), to: to.clone() }];
                self.check(&format!("move {path} {to}"), move_files(&self.files, &moves), counts);
            }
        }
    }

    /// Items of the project, each with its file.
    fn names(&self) -> Vec<(String, String)> {
        let paths: Vec<&String> =
            self.files.keys().filter(|path| path.starts_with("src/") && path.ends_with(".rs")).collect();
        let mut names = Vec::new();
        for path in paths {
            set_files(self.files.clone());
            let bench = testing::open::<Rust>(path, &self.files[path]);
            let exports = Rust::facts(bench.document()).exports;
            let addresses: Vec<String> = bench.document().outline().into_iter().map(|node| node.address).collect();
            let known = exports.into_iter().filter(|export| addresses.contains(&export.name));
            names.extend(known.map(|export| (path.clone(), export.name)));
        }
        let step = names.len().div_ceil(MAX_NAMES).max(1);
        names.into_iter().step_by(step).collect()
    }

    fn renames(&self, counts: &mut Counts) {
        for (path, name) in &self.names() {
            let new = new_name(name);
            set_files(self.files.clone());
            self.check(&format!("rename {path} {name}"), rename(&self.files, path, name, &new), counts);
        }
    }
}

impl Project {
    /// Moves items to the next module of the project.
    fn items(&self, counts: &mut Counts) {
        set_files(self.files.clone());
        let is_module = |path: &&String| path.ends_with(".rs") && modules::module_path(path).is_some();
        let modules: Vec<&String> = self.files.keys().filter(is_module).collect();
        for (index, (path, name)) in self.names().iter().enumerate() {
            set_files(self.files.clone());
            let is_beside = |other: &&&String| {
                modules::root_of(other) == modules::root_of(path)
                    && modules::conditions_of(other) == modules::conditions_of(path)
            };
            let others: Vec<&&String> = modules.iter().filter(|other| **other != path).filter(is_beside).collect();
            let Some(to) = others.get(index * 7 % others.len().max(1)) else { continue };
            set_files(self.files.clone());
            self.check(&format!("item {path} {name} {to}"), move_item(&self.files, path, name, to), counts);
        }
    }
}

#[test]
fn moved_items_of_real_projects_compile() {
    let Some(sources) = std::env::var_os("MARQ_RUST_PROJECTS") else { return };
    let folder = std::env::temp_dir().join("marq-rust-items");
    let mut wrong = 0;
    for source in std::env::split_paths(&sources) {
        let name = source.file_name().expect("a name").to_string_lossy().into_owned();
        let mut project = Project::read(&source, &folder.join(&name));
        project.has_tests = project.error_of(&project.files).is_none();
        if let Some(error) = project.error_of(&project.files) {
            println!("{name} does not compile: {error}");
            continue;
        }
        let mut counts = Counts::default();
        project.items(&mut counts);
        println!("{name}: items {counts:?}");
        wrong += counts.wrong;
    }
    assert_eq!(wrong, 0);
}

fn new_name(name: &str) -> String {
    if name.starts_with(char::is_uppercase) { format!("{name}Zz") } else { format!("{name}_zz") }
}

/// A rename from a use makes the same changes as a rename from the declaration.
#[test]
fn renames_at_uses_of_real_projects_are_those_at_declarations() {
    let Some(sources) = std::env::var_os("MARQ_RUST_PROJECTS") else { return };
    let (mut followed, mut kept, mut wrong) = (0, Vec::new(), Vec::new());
    for source in std::env::split_paths(&sources) {
        let project = Project::read(&source, &source);
        let files = &project.files;
        for (declaring, name) in &project.names() {
            set_files(files.clone());
            let Ok(expected) = rename(files, declaring, name, &new_name(name)) else { continue };
            for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".rs")) {
                let bench = testing::open::<Rust>(path, text);
                // The first name that the rename changes on each line.
                let changed =
                    text.lines().zip(expected.0[path].lines()).enumerate().filter(|(_, (old, new))| old != new);
                for (index, (old, _)) in changed {
                    let Some(column) = old.find(name.as_str()) else { continue };
                    let line = text.split_inclusive('\n').take(index).map(str::len).sum::<usize>();
                    let at = u32::try_from(line + column).expect("an offset");
                    let place = format!("{}:{column}", index + 1);
                    let found = Rust::resolve_symbol(bench.document(), marquetry_sdk::Subject::At(at));
                    if found.is_ok_and(|found| found.name == *name && found.elsewhere.is_some()) {
                        let own = rename(files, path, &place, &new_name(name));
                        followed += 1;
                        if own.ok().as_ref() != Some(&expected) {
                            wrong.push(format!("{}/{path}:{place} {name}", source.display()));
                        }
                    } else if path != declaring {
                        kept.push(format!("{path}:{place} {name}: {old}"));
                    }
                }
            }
        }
    }
    println!(
        "{followed} uses followed, {} kept: {:#?}",
        kept.len(),
        kept.iter().step_by(kept.len() / 30 + 1).collect::<Vec<_>>()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn changes_of_real_projects_compile() {
    let Some(sources) = std::env::var_os("MARQ_RUST_PROJECTS") else { return };
    let folder = std::env::temp_dir().join("marq-rust-projects");
    let mut wrong = 0;
    for source in std::env::split_paths(&sources) {
        let name = source.file_name().expect("a name").to_string_lossy().into_owned();
        let mut project = Project::read(&source, &folder.join(&name));
        project.has_tests = project.error_of(&project.files).is_none();
        if let Some(error) = project.error_of(&project.files) {
            println!("{name} does not compile: {error}");
            continue;
        }
        let (mut moves, mut renames) = (Counts::default(), Counts::default());
        project.moves(&mut moves);
        project.renames(&mut renames);
        println!("{name}: moves {moves:?}, renames {renames:?}");
        wrong += moves.wrong + renames.wrong;
    }
    assert_eq!(wrong, 0);
}

//! Moves in real projects, each checked with the compiler. The environment variable `MARQ_JAVA_PROJECTS` names source
//! roots that compile without libraries.
//!
//! Each class moves to a new package. A change without unresolved occurrences must compile.

use std::{collections::BTreeMap, path::Path, process::Command};

use marquetry_sdk::{FileMoves, Linking, Relocation, paths::folder, span::apply, testing, workspace::set_files};

use crate::Java;

/// The texts of a project's files by path.
type Files = BTreeMap<String, String>;

fn read(source: &Path, below: &Path, files: &mut Files) {
    for entry in std::fs::read_dir(below).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            read(source, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "java")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            let name = path.strip_prefix(source).expect("a path below").to_string_lossy().replace('\\', "/");
            files.insert(name, text);
        }
    }
}

/// The files after a move, and the number of unresolved occurrences.
fn move_file(files: &Files, from: &str, to: &str) -> (Files, usize) {
    set_files(files.clone());
    let relocations = vec![Relocation { from: from.to_owned(), to: to.to_owned() }];
    let (mut after, mut listed) = (Files::new(), 0);
    for (path, text) in files {
        let new_path = if path == from { to } else { path };
        let moves = FileMoves { path: new_path.to_owned(), relocations: relocations.clone(), links: Vec::new() };
        let bench = testing::open::<Java>(path, text);
        let rewrite = Java::relink(bench.document(), &moves).expect("relinked");
        listed += rewrite.unresolved.len();
        after.insert(new_path.to_owned(), apply(text, &rewrite.edits));
    }
    (after, listed)
}

/// The first errors that the compiler reports.
fn errors(files: &Files, place: &Path) -> Option<String> {
    let _ = std::fs::remove_dir_all(place);
    for (path, text) in files {
        let path = place.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is created");
        std::fs::write(path, text).expect("a file is written");
    }
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-proc:none", "-implicit:none", "-d"]).arg(place.join("classes")).args(files.keys());
    let output = javac.current_dir(place).output().expect("javac runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let first = text.lines().filter(|line| line.contains("error:")).take(3).collect::<Vec<_>>().join("\n    ");
    (!output.status.success()).then_some(first)
}

#[test]
fn moves_of_classes_compile() {
    let Some(folders) = std::env::var_os("MARQ_JAVA_PROJECTS") else { return };
    let place = tempfile::tempdir().expect("a folder");
    for source in std::env::split_paths(&folders) {
        let mut files = Files::new();
        read(&source, &source, &mut files);
        assert_eq!(errors(&files, place.path()), None, "{} compiles", source.display());
        let (mut complete, mut with_list, mut wrong) = (0, 0, 0);
        let classes = files.keys().filter(|path| !path.ends_with("-info.java"));
        for from in classes {
            let to = format!("{}/moved{}", folder(from), &from[folder(from).len()..]);
            let (after, listed) = move_file(&files, from, to.trim_start_matches('/'));
            let error = (listed == 0).then(|| errors(&after, place.path())).flatten();
            match error {
                Some(error) => {
                    println!("WRONG {from}: {error}");
                    wrong += 1;
                }
                None if listed == 0 => complete += 1,
                None => with_list += 1,
            }
        }
        println!("{}: {complete} complete, {with_list} with a list, {wrong} wrong", source.display());
        assert_eq!(wrong, 0);
    }
}

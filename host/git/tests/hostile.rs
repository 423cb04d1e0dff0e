//! Repositories whose content is a stranger's: nothing that they name is run or read.

use std::{fs, time::Instant};

use crate::common::Repo;
use marquetry_git::Git;
use marquetry_model::{Error, Kind, Result, Work, repository::Repositories};

fn version(repo: &Repo, path: &str, revision: &str) -> Result<Option<String>> {
    let version = Git.version(&repo.root(), path, revision, &Work::default())?;
    Ok(version.map(|version| String::from_utf8(version.bytes).expect("text")))
}

#[test]
fn no_program_of_a_repository_runs() {
    let Some(repo) = Repo::new() else { return };
    repo.write("a.txt", "text\n").write("b.txt", "text\n").commit("first");
    let ran = repo.beside("ran");
    let run = format!("sh -c 'echo ran >> {}; cat'", ran.display());
    let mut config = fs::read_to_string(repo.path().join(".git/config")).expect("there");
    config += &format!(
        "[filter \"x\"]\n\tclean = \"{run}\"\n\tsmudge = \"{run}\"\n\tprocess = \"{run}\"\n\trequired = true\n[diff \"x\"]\n\tcommand = \
         \"{run}\"\n\ttextconv = \"{run}\"\n[diff]\n\texternal = \"{run}\"\n[core]\n\tfsmonitor = \"{run}\"\n\thooksPath = \
         hooks\n\tsshCommand = \"{run}\"\n\tpager = \"{run}\"\n"
    );
    fs::write(repo.path().join(".git/config"), config).expect("written");
    repo.write(".gitattributes", "*.txt filter=x diff=x\n").write("a.txt", "other\n");
    for hook in ["post-index-change", "fsmonitor-watchman", "pre-commit"] {
        repo.write(&format!("hooks/{hook}"), format!("#!/bin/sh\n{run}\n"));
    }
    // The same text again: only its content tells that it did not change.
    repo.write("b.txt", "text\n");
    let status = Git.status(&repo.root(), None, &Work::default()).expect("a status");
    let paths: Vec<&str> = status.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, ["a.txt", ".gitattributes", "hooks/"]);
    assert_eq!(version(&repo, "a.txt", "HEAD").expect("there").as_deref(), Some("text\n"));
    assert_eq!(version(&repo, "a.txt", "staged").expect("there").as_deref(), Some("text\n"));
    assert!(!ran.exists(), "{}", fs::read_to_string(ran).unwrap_or_default());
}

fn refused(repo: &Repo) -> Error {
    Git.status(&repo.root(), None, &Work::default()).expect_err("refused")
}

#[test]
fn what_lies_elsewhere_stays_there() {
    let (Some(repo), Some(other)) = (Repo::new(), Repo::new()) else { return };
    other.write("secret", "s\n").commit("first");
    repo.write("a", "1\n").commit("first").git(&format!("config core.worktree {}", other.root()));
    assert_eq!(refused(&repo).kind(), Kind::OutsideWorkspace);
    repo.git("config --unset core.worktree").git("config core.excludesFile /dev/zero").write("b", "1\n");
    let status = Git.status(&repo.root(), None, &Work::default()).expect("a status");
    assert_eq!(status.entries[0].path, "b");
    std::os::unix::fs::symlink(other.path(), repo.path().join("link")).expect("linked");
    assert_eq!(version(&repo, "link/secret", "HEAD").expect_err("outside").kind(), Kind::OutsideWorkspace);
    let mut config = fs::read_to_string(repo.path().join(".git/config")).expect("there");
    config += "[include]\n\tpath = /dev/zero\n";
    fs::write(repo.path().join(".git/config"), config).expect("written");
    assert!(Git.status(&repo.root(), None, &Work::default()).is_ok());
}

#[test]
fn pipes_and_damage_are_no_repositories() {
    let Some(repo) = Repo::new() else { return };
    repo.write("a", "1\n").commit("first");
    let since = Instant::now();
    for name in ["index", "config", "HEAD"] {
        let path = repo.path().join(".git").join(name);
        let kept = fs::read(&path).expect("there");
        fs::remove_file(&path).expect("removed");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("a pipe");
        assert!(made.success());
        refused(&repo);
        fs::remove_file(&path).expect("removed");
        for bytes in [&b"\0\xff\xfe"[..], b"", &kept[..kept.len() / 2]] {
            fs::write(&path, bytes).expect("written");
            // Whatever it says, it says something.
            let _ = Git.status(&repo.root(), None, &Work::default());
            let _ = version(&repo, "a", "HEAD");
        }
        fs::write(&path, kept).expect("written");
    }
    for object in walk(&repo.path().join(".git/objects")) {
        let kept = fs::read(&object).expect("there");
        fs::remove_file(&object).expect("removed");
        fs::write(&object, &kept[..kept.len() / 2]).expect("written");
        let _ = Git.status(&repo.root(), None, &Work::default());
        let _ = version(&repo, "a", "HEAD");
        fs::remove_file(&object).expect("removed");
        fs::write(&object, kept).expect("written");
    }
    assert_eq!(version(&repo, "a", "HEAD").expect("whole again").as_deref(), Some("1\n"));
    assert!(since.elapsed().as_secs() < 20, "nothing was waited for");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

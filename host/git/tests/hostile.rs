//! Tests with hostile repositories: no program that they name is run, and no file outside of them is read.

use std::{fs, time::Instant};

use crate::common::Repo;
use marquetry_git::Git;
use marquetry_model::{Error, Kind, Result, Work, repository::Repositories};

fn version(repo: &Repo, path: &str, revision: &str) -> Result<Option<String>> {
    let version = Git.version(&repo.root(), path, revision, &Work::default())?;
    Ok(version.map(|version| String::from_utf8(version.bytes).expect("text")))
}

#[test]
fn programs_configured_by_a_repository_do_not_run() {
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
    // Writes the same text again. The file has another time, so git must read it to see that it is unchanged.
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
fn files_outside_the_repository_are_not_read() {
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
fn pipes_and_damaged_folders_are_not_repositories() {
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
            // The result does not matter, as long as the call returns.
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
    assert_eq!(version(&repo, "a", "HEAD").expect("the repository is repaired").as_deref(), Some("1\n"));
    assert!(since.elapsed().as_secs() < 20, "the queries must not wait for pipes");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// A repository that must not be disclosed, and the id of its commit.
fn private() -> Option<(Repo, String)> {
    let other = Repo::new()?;
    other.write("secret", "s\n").commit("first");
    let commit = other.output_of("rev-parse HEAD").trim().to_owned();
    Some((other, commit))
}

/// A way in which a git folder can refer to another repository: its name, and a function that sets it up.
type Way = (&'static str, fn(&Repo, &Repo));

const WAYS: [Way; 11] = [
    (".git is a file", |repo, other| {
        fs::remove_dir_all(repo.path().join(".git")).expect("removed");
        repo.write(".git", format!("gitdir: {}/.git\n", other.root()));
    }),
    (".git is a link", |repo, other| {
        fs::remove_dir_all(repo.path().join(".git")).expect("removed");
        link(&other.path().join(".git"), &repo.path().join(".git"));
    }),
    ("alternates", |repo, other| {
        repo.write(".git/objects/info/alternates", format!("# a comment\n{}/.git/objects\n", other.root()));
    }),
    ("quoted alternates", |repo, other| {
        repo.write(".git/objects/info/alternates", format!("\"{}/.git\\057objects\"\n", other.root()));
    }),
    ("alternates of alternates", |repo, other| {
        repo.write("b/objects/info/alternates", format!("{}/.git/objects\n", other.root()));
        repo.write(".git/objects/info/alternates", "../../b/objects\n");
    }),
    ("commondir", |repo, other| {
        repo.write(".git/commondir", format!("{}/.git\n", other.root()));
    }),
    ("objects is a link", |repo, other| replace(repo, other, "objects")),
    ("refs is a link", |repo, other| replace(repo, other, "refs")),
    ("a folder of objects is a link over a link", |repo, other| {
        let objects = repo.path().join(".git/objects");
        fs::rename(&objects, repo.path().join("inside")).expect("moved");
        link(std::path::Path::new("../inside"), &objects);
        for entry in fs::read_dir(other.path().join(".git/objects")).expect("there").flatten() {
            let _ = fs::remove_dir(repo.path().join("inside").join(entry.file_name()));
            link(&entry.path(), &repo.path().join("inside").join(entry.file_name()));
        }
    }),
    ("HEAD is a link", |repo, other| replace(repo, other, "HEAD")),
    ("packed refs are a link", |repo, other| {
        other.git("pack-refs --all");
        link(&other.path().join(".git/packed-refs"), &repo.path().join(".git/packed-refs"));
    }),
];

fn link(to: &std::path::Path, at: &std::path::Path) {
    let _ = std::os::unix::fs::symlink(to, at);
}

fn replace(repo: &Repo, other: &Repo, name: &str) {
    let at = repo.path().join(".git").join(name);
    let _ = fs::remove_file(&at);
    let _ = fs::remove_dir_all(&at);
    link(&other.path().join(".git").join(name), &at);
}

#[test]
fn git_folder_cannot_refer_to_another_repository() {
    for (what, lead) in WAYS {
        for folder in ["", "sub"] {
            let (Some(repo), Some((other, commit))) = (Repo::new(), private()) else { return };
            repo.write("secret", "x\n");
            repo.write(".git/refs/heads/main", format!("{commit}\n"));
            lead(&repo, &other);
            let mut path = "secret".to_owned();
            let mut root = repo.root();
            if !folder.is_empty() {
                root = repo.beside("").display().to_string();
                path = "repo/secret".to_owned();
            }
            let status = Git.status(&root, Some(&path), &Work::default());
            let error = status.expect_err(what);
            assert_eq!(error.kind(), Kind::OutsideWorkspace, "{what}: {error}");
            assert!(error.content().hint.as_deref().is_some_and(|hint| hint.contains("marq.repository")), "{what}");
            let version = Git.version(&root, &path, "HEAD", &Work::default()).expect_err(what);
            assert!(!version.to_string().contains(&commit), "{what}: {version}");
            assert_eq!(version.kind(), Kind::OutsideWorkspace, "{what}");
        }
    }
}

/// Folders inside the root, and folders that refer back to the working tree, can be read.
#[test]
fn external_git_folders_are_read_if_they_refer_back() {
    let Some((repo, _)) = private() else { return };
    let head = |root: &std::path::Path, path: &str| {
        let version = Git.version(&root.display().to_string(), path, "HEAD", &Work::default())?;
        Ok::<_, Error>(version.map(|version| String::from_utf8(version.bytes).expect("text")))
    };
    let text = Some("s\n".to_owned());
    let work = repo.beside("work");
    repo.git(&format!("worktree add --quiet -b feature {}", work.display()));
    assert_eq!(head(&work, "secret").expect("a worktree"), text);
    // In a copy of a worktree, the git folder refers back to the original and not to the copy.
    let copy = repo.beside("copy");
    fs::create_dir(&copy).expect("made");
    fs::copy(work.join(".git"), copy.join(".git")).expect("copied");
    assert_eq!(head(&copy, "secret").expect_err("a copy").kind(), Kind::OutsideWorkspace);
    // A submodule as the root.
    let Some((inner, _)) = private() else { return };
    repo.git(&format!("submodule --quiet add {} lib/inner", inner.root()));
    assert_eq!(head(&repo.path().join("lib/inner"), "secret").expect("a submodule"), text);
    // Worktrees next to a bare repository.
    let layout = repo.beside("layout");
    fs::create_dir(&layout).expect("made");
    repo.try_git(&layout, &format!("clone --quiet --bare {} .bare", repo.root()));
    fs::write(layout.join(".git"), "gitdir: ./.bare\n").expect("written");
    assert!(repo.try_git(&layout, "worktree add --quiet main2 main").status.success());
    assert_eq!(head(&layout.join("main2"), "secret").expect("a worktree"), text);
    assert_eq!(head(&layout, "main2/secret").expect("from above"), text);
    // A git folder with another name, in the root or configured to refer back.
    let apart = repo.beside("apart");
    fs::create_dir(&apart).expect("made");
    let clone =
        format!("clone --quiet --separate-git-dir {}/meta {} {}/tree", apart.display(), repo.root(), apart.display());
    assert!(repo.try_git(&apart, &clone).status.success());
    assert_eq!(head(&apart, "tree/secret").expect("inside of the root"), text);
    assert_eq!(head(&apart.join("tree"), "secret").expect_err("outside").kind(), Kind::OutsideWorkspace);
    repo.try_git(&apart.join("tree"), &format!("config core.worktree {}/tree", apart.display()));
    assert_eq!(head(&apart.join("tree"), "secret").expect("the git folder refers back"), text);
    // A clone that uses the objects of another repository in the root.
    assert!(
        repo.try_git(&apart, &format!("clone --quiet --shared {}/meta borrowed", apart.display())).status.success()
    );
    assert_eq!(head(&apart, "borrowed/secret").expect("inside of the root"), text);
    assert_eq!(head(&apart.join("borrowed"), "secret").expect_err("outside").kind(), Kind::OutsideWorkspace);
}

/// If the git folder of a submodule is elsewhere, the status must not reveal anything about it, not even its commit.
#[test]
fn external_submodules_are_not_read() {
    let (Some(repo), Some(inner), Some((other, _))) = (Repo::new(), Repo::new(), private()) else { return };
    inner.write("a", "1\n").commit("first");
    repo.write("a", "1\n").commit("first").git(&format!("submodule --quiet add {} lib/inner", inner.root()));
    repo.commit("second");
    repo.write("lib/inner/.git", format!("gitdir: {}/.git\n", other.root()));
    let status = Git.status(&repo.root(), None, &Work::default()).expect("a status");
    assert!(status.entries.is_empty(), "{:?}", status.entries);
    assert!(status.incomplete.is_some_and(|partial| partial.contains("lib/inner")));
}

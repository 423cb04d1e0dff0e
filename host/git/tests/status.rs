//! Compares the status of various repositories with `git status --porcelain=v2`.

use std::{fmt::Write as _, fs, os::unix::fs::symlink};

use crate::common::Repo;
use marquetry_git::Git;
use marquetry_model::{
    Kind, Work,
    repository::{ChangeArea, Repositories, Status},
};

fn status(root: &str, path: Option<&str>) -> Status {
    Git.status(root, path, &Work::default()).expect("a status")
}

/// Formats our status, one line per entry.
fn ours(status: &Status) -> String {
    let mut lines = Vec::new();
    lines.push(format!("branch {}", status.branch.as_deref().unwrap_or("(detached)")));
    lines.push(format!("commit {}", status.commit.as_deref().unwrap_or("(initial)")));
    if let Some(upstream) = &status.upstream {
        lines.push(format!("upstream {upstream}"));
    }
    if let (Some(ahead), Some(behind)) = (status.ahead, status.behind) {
        lines.push(format!("ahead {ahead} behind {behind}"));
    }
    for entry in &status.entries {
        let from = entry.from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
        lines.push(format!("{:?} {} {}{from}", entry.area, entry.path, entry.status));
    }
    lines.sort();
    lines.join("\n")
}

/// Formats git's status in the same way.
fn theirs(repo: &Repo, path: Option<&str>) -> String {
    let limit = path.map(|path| format!(" -- {path}")).unwrap_or_default();
    let output = repo.output_of(&format!("status --porcelain=v2 --branch -z --ignore-submodules=dirty{limit}"));
    let mut lines = Vec::new();
    let mut fields = output.split('\0');
    while let Some(line) = fields.next() {
        let words: Vec<&str> = line.split(' ').collect();
        let from = |at: usize| words[at..].join(" ");
        match words[0] {
            "#" => match words[1] {
                "branch.head" => lines.push(format!("branch {}", words[2])),
                "branch.oid" => lines.push(format!("commit {}", words[2])),
                "branch.upstream" => lines.push(format!("upstream {}", words[2])),
                "branch.ab" => lines.push(format!("ahead {} behind {}", &words[2][1..], &words[3][1..])),
                other => panic!("{other}"),
            },
            "1" => lines.extend(both(words[1], &from(8), words[2], "")),
            "2" => lines.extend(both(words[1], &from(9), words[2], fields.next().expect("where it was"))),
            "u" => lines.push(format!("Conflict {} {}", from(10), conflict(words[1]))),
            "?" => lines.push(format!("Untracked {} untracked", from(1))),
            "" => {}
            other => panic!("{other}"),
        }
    }
    lines.sort();
    lines.join("\n")
}

fn both(letters: &str, path: &str, submodule: &str, from: &str) -> Vec<String> {
    let (index, folder) = letters.split_at(1);
    let word = |letter: &str| match letter {
        "M" if submodule.starts_with('S') => Some("new commits"),
        "M" => Some("modified"),
        "T" => Some("type changed"),
        "A" => Some("added"),
        "D" => Some("deleted"),
        "R" => Some("renamed"),
        "C" => Some("copied"),
        _ => None,
    };
    let mut lines = Vec::new();
    if let Some(word) = word(index) {
        let from = if from.is_empty() { String::new() } else { format!(" from {from}") };
        lines.push(format!("Staged {path} {}{from}", if word == "new commits" { "modified" } else { word }));
    }
    lines.extend(word(folder).map(|word| format!("Unstaged {path} {word}")));
    lines
}

fn conflict(letters: &str) -> &str {
    match letters {
        "DD" => "both deleted",
        "AU" => "added by us",
        "UD" => "deleted by them",
        "UA" => "added by them",
        "DU" => "deleted by us",
        "AA" => "both added",
        _ => "both modified",
    }
}

#[track_caller]
fn check(repo: &Repo) -> Status {
    let found = status(&repo.root(), None);
    assert_eq!(ours(&found), theirs(repo, None));
    found
}

#[test]
fn status_without_commits_lists_all_files() {
    let Some(repo) = Repo::new() else { return };
    let found = check(&repo);
    assert_eq!((found.branch.as_deref(), found.commit), (Some("main"), None));
    repo.write("a", "1\n").write("dir/b", "2\n");
    check(&repo);
    repo.git("add a");
    check(&repo);
}

#[test]
fn status_reports_every_kind_of_change() {
    let Some(repo) = Repo::new() else { return };
    let long = "a line that is long enough to be like another\n".repeat(20);
    for name in ["same", "edited", "staged", "both", "gone", "removed", "mode", "link", "dir/inner", "späce and ü"] {
        repo.write(name, format!("{name}\n"));
    }
    repo.write("moved", &long).write(".gitignore", "*.log\n/out/\n").commit("first");
    assert_eq!(check(&repo).entries, []);
    repo.write("edited", "other\n").write("späce and ü", "other\n").write("staged", "other\n").git("add staged");
    repo.write("both", "one\n").git("add both").write("both", "two\n");
    repo.git("rm --quiet --cached removed").git("mv moved dir/moved");
    fs::remove_file(repo.path().join("gone")).expect("removed");
    fs::remove_file(repo.path().join("link")).expect("removed");
    symlink("same", repo.path().join("link")).expect("linked");
    let mut mode = fs::metadata(repo.path().join("mode")).expect("there").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(repo.path().join("mode"), mode).expect("set");
    repo.write("new", "n\n").git("add new").write("meant", "n\n").git("add --intent-to-add meant");
    repo.write("a.log", "l\n").write("out/x", "x\n").write("folder/x", "x\n").write("dir/y", "y\n");
    let found = check(&repo);
    let of = |area: ChangeArea| found.entries.iter().filter(|entry| entry.area == area).count();
    assert_eq!(
        (of(ChangeArea::Staged), of(ChangeArea::Unstaged), of(ChangeArea::Untracked), of(ChangeArea::Conflict)),
        (5, 7, 3, 0)
    );
    for path in ["edited", "dir", "dir/moved", "folder", "same"] {
        assert_eq!(ours(&status(&repo.root(), Some(path))), theirs(&repo, Some(path)), "{path}");
    }
}

#[test]
fn status_counts_commits_ahead_and_behind() {
    let Some(repo) = Repo::new() else { return };
    repo.write("a", "1\n").commit("first");
    repo.git(&format!("clone --quiet --bare . {}", repo.beside("origin.git").display()));
    repo.git(&format!("remote add origin {}", repo.beside("origin.git").display())).git("fetch --quiet");
    assert_eq!(check(&repo).upstream, None);
    repo.git("branch --quiet --set-upstream-to=origin/main");
    assert_eq!((check(&repo).ahead, check(&repo).behind), (Some(0), Some(0)));
    repo.write("a", "2\n").commit("second").write("a", "3\n").commit("third").git("push --quiet origin HEAD:main");
    repo.git("reset --quiet --hard HEAD~2").write("b", "1\n").commit("other").git("fetch --quiet");
    assert_eq!((check(&repo).ahead, check(&repo).behind), (Some(1), Some(2)));
    repo.git("update-ref -d refs/remotes/origin/main");
    assert_eq!((check(&repo).ahead, check(&repo).behind), (None, None));
    repo.git("checkout --quiet --detach");
    assert_eq!(check(&repo).branch, None);
}

/// Creates two branches that change the same files in all ways that conflict.
fn at_odds(repo: &Repo) {
    for name in ["modified", "ours", "theirs"] {
        repo.write(name, "base\n");
    }
    repo.commit("base").git("checkout --quiet -b other").write("modified", "other\n").write("added", "other\n");
    repo.write("ours", "other\n").git("rm --quiet theirs").commit("other").git("checkout --quiet main");
    repo.write("modified", "main\n").write("added", "main\n").write("theirs", "main\n").git("rm --quiet ours");
    repo.commit("main");
}

#[test]
fn status_reports_merge_and_rebase_in_progress() {
    let Some(repo) = Repo::new() else { return };
    at_odds(&repo);
    assert!(!repo.try_git(&repo.path(), "merge --quiet other").status.success());
    let found = check(&repo);
    assert_eq!(found.operation, Some("merge"));
    assert_eq!(found.entries.len(), 4);
    repo.git("merge --abort");
    assert!(!repo.try_git(&repo.path(), "rebase --quiet other").status.success());
    let found = check(&repo);
    assert_eq!((found.operation, found.branch), (Some("rebase"), None));
    repo.git("rebase --abort");
    assert!(!repo.try_git(&repo.path(), "cherry-pick other").status.success());
    assert_eq!(check(&repo).operation, Some("cherry-pick"));
}

#[test]
fn status_for_roots_above_and_below_the_working_tree() {
    let Some(repo) = Repo::new() else { return };
    repo.write("top", "1\n").write("in/a", "1\n").write("in/deep/b", "1\n").commit("first");
    repo.write("top", "2\n").write("in/a", "2\n").write("in/new", "n\n").git("mv in/deep/b in/c");
    let inner = status(&repo.path().join("in").display().to_string(), None);
    let shown = |status: &Status| {
        status.entries.iter().fold(String::new(), |mut out, entry| {
            let _ = write!(out, "{:?} {} {}; ", entry.area, entry.path, entry.status);
            out
        })
    };
    assert_eq!(shown(&inner), "Staged c renamed; Unstaged a modified; Untracked new untracked; ");
    assert_eq!((inner.worktree_folder.as_str(), inner.branch.as_deref()), ("..", Some("main")));
    let above = repo.beside("").display().to_string();
    let outer = status(&above, Some("repo/in"));
    assert_eq!(
        shown(&outer),
        "Staged repo/in/c renamed; Unstaged repo/in/a modified; Untracked repo/in/new untracked; "
    );
    assert_eq!(outer.worktree_folder, "repo");
    let error = Git.status(&above, None, &Work::default()).expect_err("the parent folder is not a repository");
    assert_eq!((error.kind(), error.content().candidates.as_slice()), (Kind::Unsupported, &["repo".to_owned()][..]));
}

#[test]
fn status_lists_submodules_and_worktrees() {
    let (Some(repo), Some(inner)) = (Repo::new(), Repo::new()) else { return };
    inner.write("a", "1\n").commit("first");
    repo.write("a", "1\n").commit("first").git(&format!("submodule --quiet add {} lib/inner", inner.root()));
    repo.commit("second");
    assert_eq!(check(&repo).submodules, ["lib/inner"]);
    repo.try_git(&repo.path().join("lib/inner"), "commit --quiet --allow-empty --message other");
    assert_eq!(check(&repo).entries[0].status, "new commits");
    repo.write("lib/inner/a", "2\n");
    let inside = status(&repo.root(), Some("lib/inner/a"));
    assert_eq!((inside.worktree_folder.as_str(), inside.entries[0].path.as_str()), ("lib/inner", "lib/inner/a"));
    let other = repo.beside("other").display().to_string();
    repo.git(&format!("worktree add --quiet -b feature {other}"));
    let worktrees = status(&repo.root(), None).worktrees;
    assert_eq!((worktrees[0].folder.as_str(), worktrees[0].branch.as_deref()), (other.as_str(), Some("feature")));
    let there = status(&other, None);
    assert_eq!(there.branch.as_deref(), Some("feature"));
    assert_eq!(there.worktrees[0].folder, repo.root());
}

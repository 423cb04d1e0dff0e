//! Reads files at revisions in every notation.

use crate::common::Repo;
use marquetry_git::Git;
use marquetry_model::{Kind, Result, Work, repository::Repositories};

fn at(repo: &Repo, path: &str, revision: &str) -> Result<Option<String>> {
    let version = Git.version(&repo.root(), path, revision, &Work::default())?;
    Ok(version.map(|version| String::from_utf8(version.bytes).expect("text")))
}

#[test]
fn revisions_are_accepted_in_every_form() {
    let Some(repo) = Repo::new() else { return };
    repo.write("dir/a", "1\n").commit("first").git("tag v1").write("dir/a", "2\n").write("b", "b\n").commit("second");
    repo.git("tag --annotate --message two v2")
        .git("checkout --quiet -b feature/x")
        .write("dir/a", "3\n")
        .commit("third");
    repo.write("dir/a", "4\n").git("add dir/a").write("dir/a", "5\n");
    let third = repo.output_of("rev-parse HEAD");
    let third = third.trim();
    for (revision, text) in [
        ("HEAD", "3\n"),
        ("HEAD~1", "2\n"),
        ("HEAD~2", "1\n"),
        ("HEAD^", "2\n"),
        ("@", "3\n"),
        ("main", "2\n"),
        ("feature/x", "3\n"),
        ("refs/heads/main", "2\n"),
        ("v1", "1\n"),
        ("v2", "2\n"),
        ("v2~1", "1\n"),
        (third, "3\n"),
        (&third[..8], "3\n"),
        ("staged", "4\n"),
    ] {
        assert_eq!(at(&repo, "dir/a", revision).expect(revision).as_deref(), Some(text), "{revision}");
    }
    let commit =
        Git.version(&repo.root(), "dir/a", "feature/x", &Work::default()).expect("there").expect("there").commit;
    assert_eq!(commit.as_deref(), Some(third));
    assert_eq!(at(&repo, "b", "v1").expect("the revision"), None);
    assert_eq!(at(&repo, "nowhere/c", "HEAD").expect("the revision"), None);
    assert_eq!(at(&repo, "nowhere/c", "staged").expect("the index"), None);
    for (revision, near) in [("mian", "main"), ("feature/y", "feature/x"), ("v3", "v1")] {
        let error = at(&repo, "b", revision).expect_err(revision);
        assert_eq!(error.kind(), Kind::TargetNotFound, "{revision}");
        assert!(error.content().candidates.iter().any(|name| name == near), "{revision}: {error:?}");
    }
    for revision in ["HEAD~9", "", "--help", "HEAD:b", "zzzzzzzz", "^main", "main..feature/x"] {
        assert!(at(&repo, "b", revision).is_err(), "{revision}");
    }
    assert_eq!(at(&repo, "dir", "HEAD").expect_err("a folder").kind(), Kind::Unsupported);
}

#[test]
fn staged_file_is_read_without_commits() {
    let Some(repo) = Repo::new() else { return };
    assert_eq!(at(&repo, "a", "staged").expect("an empty index"), None);
    repo.write("a", "1\n").git("add a").write("b", "1\n").git("add --intent-to-add b");
    assert_eq!(at(&repo, "a", "staged").expect("staged").as_deref(), Some("1\n"));
    assert_eq!(at(&repo, "b", "staged").expect("the file was only added with `--intent-to-add`"), None);
    assert_eq!(at(&repo, "a", "HEAD").expect("before the first commit there is no file"), None);
    assert_eq!(at(&repo, "a", "HEAD~1").expect_err("there is no parent commit").kind(), Kind::TargetNotFound);
}

#[test]
fn line_endings_match_the_checkout() {
    let Some(repo) = Repo::new() else { return };
    repo.write(".gitattributes", "*.crlf text eol=crlf\n")
        .write("a.crlf", "1\r\n2\r\n")
        .write("b", "1\n2\n")
        .commit("first");
    assert_eq!(repo.output_of("cat-file blob HEAD:a.crlf"), "1\n2\n");
    assert_eq!(at(&repo, "a.crlf", "HEAD").expect("there").as_deref(), Some("1\r\n2\r\n"));
    assert_eq!(at(&repo, "a.crlf", "staged").expect("there").as_deref(), Some("1\r\n2\r\n"));
    assert_eq!(at(&repo, "b", "HEAD").expect("there").as_deref(), Some("1\n2\n"));
}

#[test]
fn conflicted_files_and_links_are_reported() {
    let Some(repo) = Repo::new() else { return };
    repo.write("a", "1\n").commit("first").git("checkout --quiet -b other").write("a", "2\n").commit("other");
    repo.git("checkout --quiet main").write("a", "3\n");
    std::os::unix::fs::symlink("a", repo.path().join("link")).expect("linked");
    repo.commit("main");
    assert!(!repo.try_git(&repo.path(), "merge --quiet other").status.success());
    assert_eq!(at(&repo, "a", "staged").expect_err("in conflict").kind(), Kind::Unsupported);
    assert_eq!(at(&repo, "a", "HEAD").expect("there").as_deref(), Some("3\n"));
    assert_eq!(at(&repo, "link", "HEAD").expect("there").as_deref(), Some("a"));
}

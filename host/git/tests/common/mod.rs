//! Temporary repositories, created with the program `git`. If it is not installed, the tests that need it are skipped.
#![allow(dead_code, reason = "each test file uses what it needs")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

pub(crate) struct Repo {
    folder: TempDir,
}

impl Repo {
    /// An empty repository with the branch `main`; `None` if `git` is not installed.
    pub(crate) fn new() -> Option<Repo> {
        Command::new("git").arg("--version").output().ok().filter(|output| output.status.success())?;
        let repo = Repo { folder: tempfile::tempdir().expect("a folder") };
        fs::create_dir(repo.path()).expect("made");
        repo.git("init --quiet --initial-branch=main");
        Some(repo)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("the canonical path").join("repo")
    }

    pub(crate) fn root(&self) -> String {
        self.path().display().to_string()
    }

    /// A folder next to the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the canonical path").join(name)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Repo {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
        self
    }

    /// Runs git with arguments that contain no spaces.
    pub(crate) fn git(&self, arguments: &str) -> &Repo {
        let output = self.try_git(&self.path(), arguments);
        assert!(output.status.success(), "git {arguments}: {}", String::from_utf8_lossy(&output.stderr));
        self
    }

    pub(crate) fn try_git(&self, folder: &Path, arguments: &str) -> Output {
        let mut git = Command::new("git");
        git.current_dir(folder).env("HOME", self.folder.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_AUTHOR_DATE", "1700000000 +0000");
        for (name, value) in [("NAME", "t"), ("EMAIL", "t@example.com")] {
            git.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        git.args(["-c", "protocol.file.allow=always", "-c", "advice.detachedHead=false"]);
        git.args(arguments.split(' ')).output().expect("git runs")
    }

    pub(crate) fn commit(&self, message: &str) -> &Repo {
        self.git("add --all").git(&format!("commit --quiet --message {message}"))
    }

    pub(crate) fn output_of(&self, arguments: &str) -> String {
        String::from_utf8_lossy(&self.try_git(&self.path(), arguments).stdout).into_owned()
    }
}

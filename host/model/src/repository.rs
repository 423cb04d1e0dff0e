//! Port for version control: the state of the repository that contains a root, and files at a revision.

use crate::{Error, Kind, Result, Work};

/// The differences between the files below a root and the checked-out commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// The branch; `None` if `HEAD` is detached.
    pub branch: Option<String>,
    /// The checked-out commit; `None` in a repository without commits.
    pub commit: Option<String>,
    /// The upstream branch, such as `origin/main`.
    pub upstream: Option<String>,
    /// Number of commits that are not in the upstream; `None` if they cannot be counted: the branch has no upstream,
    /// the upstream was not fetched, or the history is too long or not complete.
    pub ahead: Option<usize>,
    /// Number of commits of the upstream that are not in the branch.
    pub behind: Option<usize>,
    /// The operation in progress: `merge`, `rebase` …
    pub operation: Option<&'static str>,
    /// The top folder of the working tree, relative to the root: empty if it is the root, `..` and so on if it is
    /// above.
    pub worktree_folder: String,
    /// The differences, sorted by area and path.
    pub entries: Vec<StatusEntry>,
    /// The folders of submodules.
    pub submodules: Vec<String>,
    /// Other working trees of this repository.
    pub worktrees: Vec<Worktree>,
    /// Reason why the status may be incomplete; `None` if it is complete.
    pub incomplete: Option<String>,
}

/// The two states that a difference is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeArea {
    /// Between the commit and the index.
    Staged,
    /// Between the index and the working tree.
    Unstaged,
    /// The file is not in the index, and not ignored.
    Untracked,
    /// A conflict of a merge: both sides changed the file.
    Conflict,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatusEntry {
    /// The two states that it is between.
    pub area: ChangeArea,
    /// The path relative to the root. Ends with `/` for a folder that is untracked as a whole.
    pub path: String,
    /// `added`, `modified`, `deleted`, `renamed`, `both modified` …
    pub status: &'static str,
    /// The old path, if it was renamed or copied.
    pub from: Option<String>,
}

/// Another working tree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// The folder, absolute.
    pub folder: String,
    /// Its branch; `None` if its `HEAD` is detached.
    pub branch: Option<String>,
}

/// A file at a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// The bytes as they would be checked out, with converted line endings.
    pub bytes: Vec<u8>,
    /// The commit; `None` for the index.
    pub commit: Option<String>,
}

/// The revision name of the index.
pub const STAGED: &str = "staged";
/// The revision name of the working tree.
pub const WORKING: &str = "working";

/// Port for repositories. Their content is untrusted: none of their filters, hooks or programs is run.
pub trait Repositories: Send + Sync {
    /// Returns the status below a root (absolute), or of one path below it (relative, with `/`).
    ///
    /// # Errors
    /// Fails with `Unsupported` if this build has no support for version control. Also fails if the repository cannot
    /// be read.
    fn status(&self, root: &str, path: Option<&str>, work: &Work) -> Result<Status>;

    /// Returns a file at a revision: [`STAGED`], or any expression that names a commit. `None` if the revision does not
    /// contain it.
    ///
    /// # Errors
    /// Fails like [`Repositories::status`], and with `TargetNotFound` if there is no such revision.
    fn version(&self, root: &str, path: &str, revision: &str, work: &Work) -> Result<Option<FileVersion>>;
}

/// The implementation for a host built without support for version control.
pub struct NoRepositories;

impl NoRepositories {
    fn unsupported<T>() -> Result<T> {
        Err(Error::new(Kind::Unsupported, "this build of marq has no git support")
            .hint("build it with the feature `git`"))
    }
}

impl Repositories for NoRepositories {
    fn status(&self, _root: &str, _path: Option<&str>, _work: &Work) -> Result<Status> {
        NoRepositories::unsupported()
    }

    fn version(&self, _root: &str, _path: &str, _revision: &str, _work: &Work) -> Result<Option<FileVersion>> {
        NoRepositories::unsupported()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_without_version_control_refuses_with_a_hint() {
        let status = NoRepositories.status("/r", None, &Work::default()).map(|_| ());
        let version = NoRepositories.version("/r", "a", STAGED, &Work::default()).map(|_| ());
        for answer in [status, version] {
            let error = answer.expect_err("not supported");
            assert_eq!(error.kind(), Kind::Unsupported);
            assert_eq!(error.content().hint.as_deref(), Some("build it with the feature `git`"));
        }
    }
}

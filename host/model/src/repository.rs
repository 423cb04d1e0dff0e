//! What a repository of version control says of the files below a root, and the port through which the product asks it.

use crate::{Error, Kind, Result, Work};

/// How the files below a root differ from the commit that is checked out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// The branch; none where `HEAD` is detached.
    pub branch: Option<String>,
    /// The commit that is checked out; none where there is none yet.
    pub commit: Option<String>,
    /// The branch that it follows, as `origin/main`.
    pub upstream: Option<String>,
    /// Commits that the upstream does not have; none where that cannot be told, as there is none, or not here.
    pub ahead: Option<usize>,
    /// Commits of the upstream that are not here.
    pub behind: Option<usize>,
    /// What is in progress: `merge`, `rebase` …
    pub operation: Option<&'static str>,
    /// The folder that is checked out, relative to the root: empty where it is the root, `..` and so on above it.
    pub folder: String,
    /// What differs, by area and then by path.
    pub entries: Vec<Entry>,
    /// The folders of submodules.
    pub submodules: Vec<String>,
    /// Other folders in which this repository is checked out.
    pub worktrees: Vec<Worktree>,
    /// Why this is not all, if so.
    pub partial: Option<String>,
}

/// Where a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Area {
    /// Between the commit and the index.
    Staged,
    /// Between the index and the files.
    Unstaged,
    /// Not known to the index, and not ignored.
    Untracked,
    /// Both sides of a merge changed it.
    Conflict,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Where it is.
    pub area: Area,
    /// The path relative to the root; of a folder that is untracked as a whole, with `/` at its end.
    pub path: String,
    /// `added`, `modified`, `deleted`, `renamed`, `both modified` …
    pub status: &'static str,
    /// Where it was before, if it was renamed or copied.
    pub from: Option<String>,
}

/// A folder in which a repository is checked out as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// The folder, absolute.
    pub folder: String,
    /// Its branch; none where its `HEAD` is detached.
    pub branch: Option<String>,
}

/// A file as a revision has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The bytes, in the form that they would have in the folder: with its line endings.
    pub bytes: Vec<u8>,
    /// The commit; none for what is staged.
    pub commit: Option<String>,
}

/// The index of a repository, as a revision: what is staged.
pub const STAGED: &str = "staged";
/// The files as they are, as a revision.
pub const WORKING: &str = "working";

/// Repositories of version control. Their content is a stranger's: none of their filters, hooks and programs runs.
pub trait Repositories: Send + Sync {
    /// The status of what is below a root, an absolute path, or of one path below it, relative with `/`.
    fn status(&self, root: &str, path: Option<&str>, work: &Work) -> Result<Status>;

    /// A file at a revision: [`STAGED`], or whatever names a commit. None where the revision does not have it.
    fn version(&self, root: &str, path: &str, revision: &str, work: &Work) -> Result<Option<Version>>;
}

/// Where the host was built without any.
pub struct NoRepositories;

impl NoRepositories {
    fn refused<T>() -> Result<T> {
        Err(Error::new(Kind::Unsupported, "this host does not read repositories of version control")
            .hint("build it with the feature `git`"))
    }
}

impl Repositories for NoRepositories {
    fn status(&self, _root: &str, _path: Option<&str>, _work: &Work) -> Result<Status> {
        NoRepositories::refused()
    }

    fn version(&self, _root: &str, _path: &str, _revision: &str, _work: &Work) -> Result<Option<Version>> {
        NoRepositories::refused()
    }
}

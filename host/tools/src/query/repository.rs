//! What differs from the commit that is checked out, and where that stands.

use marquetry_model::{
    Result,
    repository::{Area, Entry, Status, Worktree},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult};
use crate::session::Session;

/// The status of a repository.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitStatus {
    /// The branch; none where `HEAD` is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit that is checked out; none before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// A commit is checked out, no branch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub detached: bool,
    /// The branch that it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Commits that the upstream does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<usize>,
    /// Commits of the upstream that are not here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind: Option<usize>,
    /// What is in progress: `merge`, `rebase`, `cherry-pick`, `revert`, `bisect`, `apply`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<&'static str>,
    /// The folder that is checked out, relative to the root, where it is another one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// Between the commit and the index.
    pub staged: Vec<GitChange>,
    /// Between the index and the files.
    pub unstaged: Vec<GitChange>,
    /// Neither known nor ignored.
    pub untracked: Vec<GitChange>,
    /// Changed by both sides of a merge.
    pub conflicts: Vec<GitChange>,
    /// The folders of submodules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub submodules: Vec<String>,
    /// Other folders in which the repository is checked out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub worktrees: Vec<GitWorktree>,
}

/// One difference.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GitChange {
    #[serde(skip)]
    area: Area,
    /// The path; of a folder that is untracked as a whole, with `/` at its end.
    pub path: String,
    /// `added`, `modified`, `deleted`, `renamed`, `both modified` …
    pub status: &'static str,
    /// Where it was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// A folder in which the repository is checked out as well.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GitWorktree {
    /// The folder.
    pub folder: String,
    /// Its branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

impl Session {
    pub(super) fn git_status(&self, args: &QueryArgs) -> Result<QueryResult> {
        let path = args.path.as_deref().map(|path| self.files.locate(path)).transpose()?;
        let path = path.filter(|path| !path.is_empty());
        let mut status = self.repositories.status(self.files.root(), path.as_deref(), &self.work)?;
        let change = |Entry { area, path, status, from }| GitChange { area, path, status, from };
        let page = args.page(self, std::mem::take(&mut status.entries).into_iter().map(change).collect());
        let completeness = status.partial.take().map_or_else(|| "complete".to_owned(), |why| format!("partial: {why}"));
        let answer = QueryResult::new(Answer::Git(Box::new(told(status, page.items))), completeness, "git");
        Ok(answer.paged(page.total, page.truncated))
    }
}

fn told(status: Status, changes: Vec<GitChange>) -> GitStatus {
    let mut lists: [Vec<GitChange>; 4] = Default::default();
    for change in changes {
        lists[change.area as usize].push(change);
    }
    let [staged, unstaged, untracked, conflicts] = lists;
    let worktree = |other: Worktree| GitWorktree { folder: other.folder, branch: other.branch };
    GitStatus {
        detached: status.branch.is_none(),
        branch: status.branch,
        commit: status.commit,
        upstream: status.upstream,
        ahead: status.ahead,
        behind: status.behind,
        operation: status.operation,
        folder: status.folder,
        staged,
        unstaged,
        untracked,
        conflicts,
        submodules: status.submodules,
        worktrees: status.worktrees.into_iter().map(worktree).collect(),
    }
}

//! `gitStatus`: differences to the current commit.

use marquetry_model::{
    Result,
    repository::{ChangeArea, Status, StatusEntry, Worktree},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult};
use crate::session::Session;

/// Status of a repository.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitStatus {
    /// The branch; `None` if `HEAD` is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The current commit; `None` before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// True if `HEAD` is detached.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub detached: bool,
    /// The upstream branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Number of commits that the upstream does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<usize>,
    /// Number of commits that only the upstream has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind: Option<usize>,
    /// Operation in progress: `merge`, `rebase`, `cherry-pick`, `revert`, `bisect`, `apply`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<&'static str>,
    /// Top folder of the working tree relative to the root, if it is another folder.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// Differences between the commit and the index.
    pub staged: Vec<GitChange>,
    /// Differences between the index and the files.
    pub unstaged: Vec<GitChange>,
    /// Untracked files.
    pub untracked: Vec<GitChange>,
    /// Files with merge conflicts.
    pub conflicts: Vec<GitChange>,
    /// Folders of submodules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub submodules: Vec<String>,
    /// Other worktrees of the repository.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub worktrees: Vec<GitWorktree>,
}

/// A changed path.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GitChange {
    #[serde(skip)]
    area: ChangeArea,
    /// The path, with a final `/` for a folder that is untracked as a whole.
    pub path: String,
    /// `added`, `modified`, `deleted`, `renamed`, `both modified` …
    pub status: &'static str,
    /// Old path of a renamed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// Another worktree.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GitWorktree {
    /// Its folder.
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
        let change = |StatusEntry { area, path, status, from }| GitChange { area, path, status, from };
        let page = args.page(self, std::mem::take(&mut status.entries).into_iter().map(change).collect());
        let completeness =
            status.incomplete.take().map_or_else(|| "complete".to_owned(), |why| format!("partial: {why}"));
        let answer = QueryResult::new(Answer::Git(Box::new(to_git_status(status, page.items))), completeness, "git");
        Ok(answer.paged(page.total, page.truncated))
    }
}

fn to_git_status(status: Status, changes: Vec<GitChange>) -> GitStatus {
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
        folder: status.worktree_folder,
        staged,
        unstaged,
        untracked,
        conflicts,
        submodules: status.submodules,
        worktrees: status.worktrees.into_iter().map(worktree).collect(),
    }
}

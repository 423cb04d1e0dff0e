//! The status of the files below a root, and their contents at any revision, read from a git repository.
//!
//! This crate is read-only: it does not even write refreshed index entries. It starts no programs: filters, hooks,
//! external diffs and file system monitors are removed from the configuration before it is used. It does not depend on
//! any tool or protocol.

mod errors;
mod folder_access;
mod open;
mod query_timeout;
mod revision;
mod status;
mod worktree_position;

use marquetry_model::{
    Result, Work,
    repository::{FileVersion, Repositories, Status},
};

/// The git repositories of this machine.
#[derive(Debug, Default, Clone, Copy)]
pub struct Git;

impl Repositories for Git {
    fn status(&self, root: &str, path: Option<&str>, work: &Work) -> Result<Status> {
        let (root, path) = (root.to_owned(), path.map(str::to_owned));
        query_timeout::run_with_timeout(work, move |stop| {
            status::status(&open::open(&root, path.as_deref())?, path.as_deref(), &stop)
        })
    }

    fn version(&self, root: &str, path: &str, revision: &str, work: &Work) -> Result<Option<FileVersion>> {
        let (root, path, revision) = (root.to_owned(), path.to_owned(), revision.to_owned());
        query_timeout::run_with_timeout(work, move |_| {
            revision::version(&open::open(&root, Some(&path))?, &path, &revision)
        })
    }
}

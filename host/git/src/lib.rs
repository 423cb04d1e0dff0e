//! What a repository says of the files below a root: their status, and their text at any revision.
//!
//! It reads. It writes nothing, not even the index's notes of what it found to be unchanged, and it starts no program: what a
//! repository says to run (filters, hooks, external diffs, monitors) is taken out of its configuration before anything asks for
//! it. It knows no tool and no protocol.

mod attend;
mod failure;
mod open;
mod place;
mod reach;
mod revision;
mod status;

use marquetry_model::{
    Result, Work,
    repository::{Repositories, Status, Version},
};

/// The repositories of this machine.
#[derive(Debug, Default, Clone, Copy)]
pub struct Git;

impl Repositories for Git {
    fn status(&self, root: &str, path: Option<&str>, work: &Work) -> Result<Status> {
        let (root, path) = (root.to_owned(), path.map(str::to_owned));
        attend::attend(work, move |stop| status::status(&open::open(&root, path.as_deref())?, path.as_deref(), &stop))
    }

    fn version(&self, root: &str, path: &str, revision: &str, work: &Work) -> Result<Option<Version>> {
        let (root, path, revision) = (root.to_owned(), path.to_owned(), revision.to_owned());
        attend::attend(work, move |_| revision::version(&open::open(&root, Some(&path))?, &path, &revision))
    }
}

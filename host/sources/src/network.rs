//! What is reached over a network: the clients, and a runtime that they wait in.

use marquetry_model::{Error, Result};
use semver::VersionReq;
use tokio::runtime::Runtime;

use crate::{Brought, Publication, Published, Search, address, oci};

/// The way to servers.
pub(crate) struct Network {
    runtime: Runtime,
}

impl Network {
    pub(crate) fn new() -> Result<Network> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::internal(format!("no runtime: {error}")))?;
        Ok(Network { runtime })
    }

    /// What is at an address, with what is beside it as its signature where one is asked for.
    pub(crate) fn fetch(&self, address: &str, signed: bool) -> Result<Brought> {
        self.runtime.block_on(address::bring(address, signed))
    }

    /// The newest version in a repository that is wanted.
    pub(crate) fn pull(&self, name: &str, wanted: &VersionReq) -> Result<Brought> {
        self.runtime.block_on(oci::Repository::open(name)?.bring(wanted))
    }

    /// The manifest of a repository with this digest.
    pub(crate) fn pull_manifest(&self, name: &str, digest: &str) -> Result<Brought> {
        self.runtime.block_on(oci::Repository::open(name)?.bring_manifest(digest))
    }

    /// A plugin into a repository.
    pub(crate) fn push(&self, name: &str, publication: Publication) -> Result<Published> {
        self.runtime.block_on(oci::Repository::open(name)?.publish(publication))
    }

    /// The repositories of a registry whose name or title has a word.
    pub(crate) fn search(&self, name: &str, word: &str) -> Result<Search> {
        self.runtime.block_on(oci::search(name, word))
    }
}

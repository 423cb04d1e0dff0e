//! Network access: the clients, and the async runtime that they run on.

use marquetry_model::{Error, Result};
use semver::VersionReq;
use tokio::runtime::Runtime;

use crate::{Brought, Publication, Published, Search, address, oci};

/// Access to servers.
pub(crate) struct Network {
    runtime: Runtime,
}

impl Network {
    pub(crate) fn new() -> Result<Network> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::internal(format!("cannot create the async runtime: {error}")))?;
        Ok(Network { runtime })
    }

    /// Downloads a file and, if `signed`, its signature.
    pub(crate) fn fetch(&self, address: &str, signed: bool) -> Result<Brought> {
        self.runtime.block_on(address::bring(address, signed))
    }

    /// Downloads the newest matching version from a repository.
    pub(crate) fn pull(&self, name: &str, wanted: &VersionReq) -> Result<Brought> {
        self.runtime.block_on(oci::Repository::open(name)?.bring(wanted))
    }

    /// Downloads the artifact with this manifest digest from a repository.
    pub(crate) fn pull_manifest(&self, name: &str, digest: &str) -> Result<Brought> {
        self.runtime.block_on(oci::Repository::open(name)?.bring_manifest(digest))
    }

    /// Publishes a plugin to a repository.
    pub(crate) fn push(&self, name: &str, publication: Publication) -> Result<Published> {
        self.runtime.block_on(oci::Repository::open(name)?.publish(publication))
    }

    /// Searches a registry for repositories whose name or title contains a word.
    pub(crate) fn search(&self, name: &str, word: &str) -> Result<Search> {
        self.runtime.block_on(oci::search(name, word))
    }
}

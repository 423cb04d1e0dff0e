//! Network access: the clients, and the async runtime that they run on.

use marquetry_model::{Error, Result};
use semver::VersionReq;
use tokio::runtime::Runtime;

use crate::{DownloadedPlugin, Publication, Published, SearchResults, oci, url_source};

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
    pub(crate) fn fetch(&self, address: &str, signed: bool) -> Result<DownloadedPlugin> {
        self.runtime.block_on(url_source::download(address, signed))
    }

    /// Downloads the newest matching version from a repository.
    pub(crate) fn pull(&self, name: &str, wanted: &VersionReq) -> Result<DownloadedPlugin> {
        self.runtime.block_on(oci::Repository::open(name)?.download(wanted))
    }

    /// Downloads the artifact with this manifest digest from a repository.
    pub(crate) fn pull_manifest(&self, name: &str, digest: &str) -> Result<DownloadedPlugin> {
        self.runtime.block_on(oci::Repository::open(name)?.download_manifest(digest))
    }

    /// Publishes a plugin to a repository.
    pub(crate) fn push(&self, name: &str, publication: Publication) -> Result<Published> {
        self.runtime.block_on(oci::Repository::open(name)?.publish(publication))
    }

    /// Searches a registry for repositories whose name or title contains a word.
    pub(crate) fn search(&self, name: &str, word: &str) -> Result<SearchResults> {
        self.runtime.block_on(oci::search(name, word))
    }
}

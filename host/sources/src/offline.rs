//! In the place of the network, where this program was built without it: plugins come from folders and files alone.

use marquetry_model::{Error, Kind, Result};
use semver::VersionReq;

use crate::{Brought, Publication, Published, Search};

/// No way to servers.
pub(crate) struct Network;

impl Network {
    pub(crate) fn new() -> Result<Network> {
        Ok(Network)
    }

    pub(crate) fn fetch(&self, address: &str, _signed: bool) -> Result<Brought> {
        Err(refused(address))
    }

    pub(crate) fn pull(&self, name: &str, _wanted: &VersionReq) -> Result<Brought> {
        Err(refused(&format!("oci:{name}")))
    }

    pub(crate) fn pull_manifest(&self, name: &str, _digest: &str) -> Result<Brought> {
        Err(refused(&format!("oci:{name}")))
    }

    pub(crate) fn push(&self, name: &str, _publication: Publication) -> Result<Published> {
        Err(refused(&format!("oci:{name}")))
    }

    pub(crate) fn search(&self, name: &str, _word: &str) -> Result<Search> {
        Err(refused(&format!("oci:{name}")))
    }
}

fn refused(source: &str) -> Error {
    Error::new(Kind::Unsupported, format!("{source} cannot be reached: this marq was built without a network"))
        .hint("plugins come from `folder:FOLDER` or a file; build with the feature `network` for others")
}

//! Where plugins come from, beside those that came with marq and files of a project: OCI registries, addresses, and folders for
//! machines that reach no network.
//!
//! Asked by a person's commands alone (`marq plugin add`, `update`, `publish`, `search`), never by a call of a tool. It brings
//! bytes and says where they were; it keeps none, runs none, and trusts none: digests, signatures and names are checked by
//! whoever asked.

#[cfg(feature = "network")]
mod address;
#[cfg(feature = "network")]
mod artifact;
#[cfg(feature = "network")]
mod connection;
mod folder;
#[cfg(feature = "network")]
mod network;
#[cfg(not(feature = "network"))]
#[path = "offline.rs"]
mod network;
#[cfg(feature = "network")]
mod oci;

use marquetry_model::{Error, Kind, Result, limits, source::Source};
use network::Network;
use semver::{Version, VersionReq};

/// The ways to where plugins come from.
pub struct Sources {
    network: Network,
}

/// A plugin as it was brought: bytes, and what its source says of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The version that its source has it under.
    pub version: Option<Version>,
    /// Of an OCI registry: the digest of the manifest.
    pub manifest: Option<String>,
    /// The signature beside it, as minisign writes it.
    pub signature: Option<String>,
}

/// A plugin to be published.
#[derive(Debug, Clone)]
pub struct Publication {
    /// The name that it calls itself.
    pub id: String,
    /// What it is called for people.
    pub title: String,
    /// The version that it says.
    pub version: Version,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// It is a core module, not a component.
    pub is_module: bool,
    /// Interfaces that it exports, with their versions.
    pub exports: Vec<String>,
    /// Interfaces that it imports, with their versions.
    pub imports: Vec<String>,
    /// Its signature, as minisign writes it.
    pub signature: Option<String>,
}

/// What came of publishing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The source to write into a registry.
    pub source: String,
    /// Of an OCI registry: the digest of the manifest.
    pub manifest: Option<String>,
    /// The very same was there before.
    pub was_there: bool,
}

/// A plugin that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The source to add it from.
    pub source: String,
    /// Its newest version.
    pub version: String,
    /// What it is called for people.
    pub title: String,
    /// It has a signature.
    pub is_signed: bool,
}

/// What a search found, and whether there was more than it looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// In the order of their names.
    pub found: Vec<Found>,
    /// Repositories or folders that were not looked at.
    pub left: usize,
}

impl Sources {
    /// The ways, none of which is taken before it is asked for.
    ///
    /// # Errors
    /// The system gives no way to wait for connections.
    pub fn new() -> Result<Sources> {
        Ok(Sources { network: Network::new()? })
    }

    /// Bring the newest version of a plugin that is wanted, with its signature where one is asked for.
    ///
    /// # Errors
    /// It cannot be reached, is larger than a plugin may be, is no artifact of WebAssembly, or is not what it says it is.
    pub fn bring(&self, source: &Source, wanted: &VersionReq, signed: bool) -> Result<Brought> {
        match source {
            Source::Folder(folder) => folder::bring(folder, wanted),
            Source::Url(address) => self.network.fetch(address, signed),
            Source::Oci(name) => self.network.pull(name, wanted),
            Source::Bundled | Source::Path(_) => Err(never_brought(source)),
        }
    }

    /// Bring what a lock names: this version, or the manifest with this digest, and no other.
    ///
    /// # Errors
    /// As for the newest version; or it is not there any more.
    pub fn bring_locked(&self, source: &Source, version: &str, manifest: Option<&str>) -> Result<Brought> {
        let exact = VersionReq::parse(&format!("={version}"))
            .map_err(|error| Error::argument(format!("`{version}` is not a version: {error}")))?;
        match (source, manifest) {
            (Source::Oci(name), Some(digest)) => self.network.pull_manifest(name, digest),
            _ => self.bring(source, &exact, false),
        }
    }

    /// Publish a plugin. What is there under its version stays: another one is refused.
    ///
    /// # Errors
    /// The version is there with other bytes, or whoever keeps the source does not let it in.
    pub fn publish(&self, to: &Source, publication: Publication) -> Result<Published> {
        match to {
            Source::Folder(folder) => folder::publish(folder, &publication),
            Source::Oci(name) => self.network.push(name, publication),
            Source::Url(_) | Source::Bundled | Source::Path(_) => {
                Err(Error::new(Kind::Unsupported, format!("nothing is published to `{to}`"))
                    .hint("name `oci:HOST/REPOSITORY` or `folder:FOLDER`; to an address you copy the file yourself"))
            }
        }
    }

    /// The plugins whose name or title has a word: in the folders below a folder, or in the repositories of an OCI registry.
    ///
    /// # Errors
    /// It cannot be reached, or keeps no catalog.
    pub fn search(&self, place: &Source, word: &str) -> Result<Search> {
        match place {
            Source::Folder(folder) => folder::search(folder, word),
            Source::Oci(name) => self.network.search(name, word),
            Source::Url(_) | Source::Bundled | Source::Path(_) => {
                Err(Error::new(Kind::Unsupported, format!("`{place}` has no list of plugins"))
                    .hint("name `oci:HOST[/PREFIX]` or `folder:FOLDER`; `marq plugin list` shows those of the project"))
            }
        }
    }
}

fn never_brought(source: &Source) -> Error {
    Error::internal(format!("`{source}` is not brought from anywhere"))
}

/// The newest of these that is wanted.
fn newest<T>(all: impl IntoIterator<Item = (Version, T)>, wanted: &VersionReq) -> Option<(Version, T)> {
    all.into_iter().filter(|(version, _)| wanted.matches(version)).max_by(|(a, _), (b, _)| a.cmp(b))
}

/// There are versions, and none of them is wanted.
fn none_wanted(source: &str, wanted: &VersionReq, all: impl IntoIterator<Item = String>) -> Error {
    Error::new(Kind::TargetNotFound, format!("{source} has no version that `{wanted}` takes"))
        .hint("change `version` of the plugin in registry.toml, or wait for such a version")
        .candidates(all)
}

/// Bytes that are more than a plugin may have.
fn too_large(source: &str) -> Error {
    Error::new(Kind::LimitExceeded, format!("{source} has more than {} MiB", limits::PLUGIN >> 20))
        .hint("a file of this size is not a plugin")
}

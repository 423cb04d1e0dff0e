//! Downloads and publishes plugins that are neither bundled nor part of a project: OCI registries, URLs, and folders
//! for machines without network access.
//!
//! Only commands of the user (`marq plugin add`, `update`, `publish`, `search`) use this crate, never tool calls. It
//! returns the bytes of a plugin and their origin. It does not store, run or trust the bytes: the caller checks
//! digests, signatures and names.

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
#[cfg(feature = "network")]
mod url_source;

use marquetry_model::{Error, Kind, Result, limits, source::Source};
use network::Network;
use semver::{Version, VersionReq};

/// Access to all kinds of sources.
pub struct Sources {
    network: Network,
}

/// A downloaded plugin, with the information from its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadedPlugin {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The version under which the source lists it.
    pub version: Option<Version>,
    /// The digest of the manifest, if the plugin is from an OCI registry.
    pub manifest: Option<String>,
    /// Its signature, in minisign format.
    pub signature: Option<String>,
}

/// A plugin to publish.
#[derive(Debug, Clone)]
pub struct Publication {
    /// The id of the plugin.
    pub id: String,
    /// Its display name.
    pub title: String,
    /// Its version, as it reports it.
    pub version: Version,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// True if it is a core module, not a component.
    pub is_module: bool,
    /// The interfaces that it exports, with versions.
    pub exports: Vec<String>,
    /// The interfaces that it imports, with versions.
    pub imports: Vec<String>,
    /// Its signature, in minisign format.
    pub signature: Option<String>,
}

/// The result of publishing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The source to write into a project's registry.
    pub source: String,
    /// The digest of the manifest, in an OCI registry.
    pub manifest: Option<String>,
    /// True if the same plugin was already published.
    pub already_published: bool,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPlugin {
    /// The source to add it from.
    pub source: String,
    /// Its newest version.
    pub version: String,
    /// Its display name.
    pub title: String,
    /// True if it has a signature.
    pub is_signed: bool,
}

/// The results of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResults {
    /// The plugins found, sorted by name.
    pub found: Vec<FoundPlugin>,
    /// The number of repositories or folders that were not examined.
    pub unexamined: usize,
}

impl Sources {
    /// Creates the clients. Does not connect to any source.
    ///
    /// # Errors
    /// Fails if the async runtime cannot be created.
    pub fn new() -> Result<Sources> {
        Ok(Sources { network: Network::new()? })
    }

    /// Downloads the newest version of a plugin that matches `wanted` and, if `signed`, its signature.
    ///
    /// # Errors
    /// Fails if the source cannot be reached, or if the plugin is too large, not a WebAssembly artifact or does not
    /// have the expected digest.
    pub fn download(&self, source: &Source, wanted: &VersionReq, signed: bool) -> Result<DownloadedPlugin> {
        match source {
            Source::Folder(folder) => folder::copy_newest(folder, wanted),
            Source::Url(address) => self.network.fetch(address, signed),
            Source::Oci(name) => self.network.pull(name, wanted),
            Source::Bundled | Source::Path(_) => Err(not_downloadable_error(source)),
        }
    }

    /// Downloads the plugin that a lock file pins: exactly this version, or the manifest with this digest.
    ///
    /// # Errors
    /// Fails like [`Sources::download`], and if the pinned version no longer exists.
    pub fn download_locked(&self, source: &Source, version: &str, manifest: Option<&str>) -> Result<DownloadedPlugin> {
        let exact = VersionReq::parse(&format!("={version}"))
            .map_err(|error| Error::argument(format!("`{version}` is not a version: {error}")))?;
        match (source, manifest) {
            (Source::Oci(name), Some(digest)) => self.network.pull_manifest(name, digest),
            _ => self.download(source, &exact, false),
        }
    }

    /// Publishes a plugin. Existing versions are never replaced.
    ///
    /// # Errors
    /// Fails if the version exists with different bytes, or if the source denies access.
    pub fn publish(&self, to: &Source, publication: Publication) -> Result<Published> {
        match to {
            Source::Folder(folder) => folder::publish(folder, &publication),
            Source::Oci(name) => self.network.push(name, publication),
            Source::Url(_) | Source::Bundled | Source::Path(_) => {
                Err(Error::new(Kind::Unsupported, format!("cannot publish to `{to}`"))
                    .hint("use `oci:HOST/REPOSITORY` or `folder:FOLDER`; for a URL, upload the file yourself"))
            }
        }
    }

    /// Searches for plugins whose name or title contains a word: in the subfolders of a folder, or in the repositories
    /// of an OCI registry.
    ///
    /// # Errors
    /// Fails if the source cannot be reached or has no catalog.
    pub fn search(&self, place: &Source, word: &str) -> Result<SearchResults> {
        match place {
            Source::Folder(folder) => folder::search(folder, word),
            Source::Oci(name) => self.network.search(name, word),
            Source::Url(_) | Source::Bundled | Source::Path(_) => {
                Err(Error::new(Kind::Unsupported, format!("`{place}` has no list of plugins"))
                    .hint("use `oci:HOST[/PREFIX]` or `folder:FOLDER`; `marq plugin list` shows the project's plugins"))
            }
        }
    }
}

fn not_downloadable_error(source: &Source) -> Error {
    Error::internal(format!("`{source}` is not a source for downloads"))
}

/// Returns the newest version that matches.
fn newest_matching<T>(all: impl IntoIterator<Item = (Version, T)>, wanted: &VersionReq) -> Option<(Version, T)> {
    all.into_iter().filter(|(version, _)| wanted.matches(version)).max_by(|(a, _), (b, _)| a.cmp(b))
}

/// Creates the error for a source that has no matching version.
fn no_matching_version_error(source: &str, wanted: &VersionReq, all: impl IntoIterator<Item = String>) -> Error {
    Error::new(Kind::TargetNotFound, format!("{source} has no version that matches `{wanted}`"))
        .hint("change `version` of the plugin in registry.toml, or wait for such a version")
        .candidates(all)
}

/// Creates the error for a plugin that exceeds the size limit.
fn too_large_error(source: &str) -> Error {
    Error::new(Kind::LimitExceeded, format!("{source} is larger than {} MiB", limits::PLUGIN_BYTES >> 20))
        .hint("a file of this size is not a plugin")
}

//! Plugins in OCI registries: one repository per plugin, one tag per version. Registry responses are untrusted, so
//! everything that is downloaded by digest must have that digest.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use docker_credential::{CredentialRetrievalError, DockerCredential};
use marquetry_model::{Error, Kind, Result, limits, source::is_local_address};
use oci_client::{
    Client, Reference,
    client::{ClientConfig, ClientProtocol},
    errors::{OciDistributionError, OciErrorCode},
    manifest::{OCI_IMAGE_INDEX_MEDIA_TYPE, OCI_IMAGE_MEDIA_TYPE, OciImageManifest},
    secrets::RegistryAuth,
};
use semver::{Version, VersionReq};
use tokio::io::AsyncWrite;

use crate::{
    DownloadedPlugin, FoundPlugin, Publication, Published, SearchResults,
    artifact::{self, digest},
    connection::{TIMEOUT, install_tls_provider, unreachable_error},
    folder::version_conflict_error,
    newest_matching, no_matching_version_error, too_large_error,
};

/// The number of names per page, and the maximum number of names in total.
const PAGE_SIZE: usize = 100;
const MAX_NAMES: usize = 5_000;
/// The maximum number of repositories that one search examines.
const MAX_SEARCHED_REPOSITORIES: usize = 100;

/// A repository and, optionally, a tag or digest in it.
pub(crate) struct Repository {
    /// The name as written in the project's registry.
    name: String,
    reference: Reference,
    /// True if the name contains a tag or digest.
    is_exact: bool,
    client: Client,
    auth: RegistryAuth,
}

impl Repository {
    pub(crate) fn open(name: &str) -> Result<Repository> {
        let wrong = |why: &str| {
            Error::argument(format!("`oci:{name}` is not a repository: {why}"))
                .hint("write `oci:HOST/REPOSITORY`, optionally with `:TAG` or `@sha256:DIGEST`")
        };
        let host = name.split('/').next().unwrap_or_default();
        if !(host.contains(['.', ':']) || host == "localhost") {
            return Err(wrong(&format!("`{host}` is not a host name")));
        }
        let reference = Reference::try_from(name).map_err(|error| wrong(&error.to_string()))?;
        let last = name.rsplit('/').next().unwrap_or_default();
        let is_exact = last.contains([':', '@']);
        Ok(Repository { name: name.to_owned(), is_exact, client: client(host)?, auth: credentials(host), reference })
    }

    /// Downloads the newest matching version, or the one that the tag or digest names.
    pub(crate) async fn download(&self, wanted: &VersionReq) -> Result<DownloadedPlugin> {
        if self.is_exact {
            return self.fetch(&self.reference).await;
        }
        let all = self.versions().await?;
        let names: Vec<String> = all.iter().map(|(version, _)| version.to_string()).collect();
        let (_, tag) = newest_matching(all, wanted)
            .ok_or_else(|| no_matching_version_error(&format!("oci:{}", self.name), wanted, names))?;
        self.fetch(&self.reference_for_tag(tag)).await
    }

    /// Downloads the artifact with this manifest digest.
    pub(crate) async fn download_manifest(&self, digest: &str) -> Result<DownloadedPlugin> {
        self.fetch(&self.reference.clone_with_digest(digest.to_owned())).await
    }

    async fn fetch(&self, reference: &Reference) -> Result<DownloadedPlugin> {
        let shown = format!("oci:{reference}");
        let (manifest, manifest_digest) = self.manifest(reference).await?;
        let layer = artifact::layer(&shown, &manifest)?;
        let mut bytes = BoundedBuffer::default();
        let pulled = self.client.pull_blob(reference, layer, &mut bytes).await;
        if bytes.is_exceeded {
            return Err(too_large_error(&shown));
        }
        pulled.map_err(|error| client_error(&shown, &error))?;
        if format!("sha256:{}", digest(&bytes.bytes)) != layer.digest {
            return Err(digest_mismatch_error(&shown));
        }
        let version = reference.tag().and_then(version_from_tag);
        let signature = artifact::signature(&manifest);
        Ok(DownloadedPlugin { bytes: bytes.bytes, version, manifest: Some(manifest_digest), signature })
    }

    /// Fetches a manifest and computes its digest.
    async fn manifest(&self, reference: &Reference) -> Result<(OciImageManifest, String)> {
        let shown = format!("oci:{reference}");
        let kinds = [OCI_IMAGE_MEDIA_TYPE, OCI_IMAGE_INDEX_MEDIA_TYPE];
        let pulled = self.client.pull_manifest_raw(reference, &self.auth, &kinds).await;
        let (body, _) = pulled.map_err(|error| client_error(&shown, &error))?;
        let digest = format!("sha256:{}", digest(&body));
        if reference.digest().is_some_and(|asked| asked != digest) {
            return Err(digest_mismatch_error(&shown));
        }
        let manifest = serde_json::from_slice(&body).map_err(|error| {
            Error::new(Kind::PluginFailed, format!("{shown} is not a WebAssembly artifact: {error}"))
                .hint("an image index is not supported: give the digest of the plugin's manifest")
        })?;
        Ok((manifest, digest))
    }

    /// Lists the tags that are versions.
    async fn versions(&self) -> Result<Vec<(Version, String)>> {
        let mut tags: Vec<String> = Vec::new();
        loop {
            let last = tags.last().cloned();
            let answer = self.client.list_tags(&self.reference, &self.auth, Some(PAGE_SIZE), last.as_deref()).await;
            let page = answer.map_err(|error| client_error(&format!("oci:{}", self.name), &error))?.tags;
            let is_more = page.len() >= PAGE_SIZE && page.last() != last.as_ref();
            tags.extend(page);
            if !is_more || tags.len() >= MAX_NAMES {
                break;
            }
        }
        Ok(tags.into_iter().filter_map(|tag| Some((version_from_tag(&tag)?, tag))).collect())
    }

    pub(crate) async fn publish(&self, publication: Publication) -> Result<Published> {
        let tag = tag_from_version(&publication.version);
        if self.is_exact && self.reference.tag() != Some(&tag) {
            return Err(Error::argument(format!(
                "the tag of `oci:{}` is not the version {tag} of the plugin",
                self.name
            ))
            .hint("leave out the tag: the version of the plugin is used"));
        }
        let (reference, bytes) = (self.reference_for_tag(tag), format!("sha256:{}", digest(&publication.bytes)));
        let (shown, signed) = (format!("oci:{reference}"), publication.signature.clone());
        let source = format!("oci:{}/{}", reference.registry(), reference.repository());
        if let Some((there, manifest)) = self.find_manifest(&reference).await? {
            let same = there.layers.first().is_some_and(|layer| layer.digest == bytes);
            if !same || !artifact::is_artifact(&there) {
                return Err(version_conflict_error(&shown));
            }
            // Publishing the same plugin again can add or replace its signature.
            if signed.is_none() || artifact::signature(&there) == signed {
                return Ok(Published { source, manifest: Some(manifest), already_published: true });
            }
        }
        let artifact::ArtifactParts { manifest, layer, config } = artifact::parts(publication)?;
        let pushed = self.client.push(&reference, &[layer], config, &self.auth, Some(manifest)).await;
        pushed.map_err(|error| client_error(&shown, &error))?;
        let (_, manifest) = self.manifest(&reference).await?;
        Ok(Published { source, manifest: Some(manifest), already_published: false })
    }

    /// Returns the manifest of a tag; `None` if the tag does not exist.
    async fn find_manifest(&self, reference: &Reference) -> Result<Option<(OciImageManifest, String)>> {
        match self.manifest(reference).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == Kind::FileNotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns another repository of the same registry.
    fn sibling(&self, name: &str) -> Repository {
        let host = self.reference.registry();
        Repository {
            name: format!("{host}/{name}"),
            reference: Reference::with_tag(host.to_owned(), name.to_owned(), "latest".to_owned()),
            is_exact: false,
            client: self.client.clone(),
            auth: self.auth.clone(),
        }
    }

    fn reference_for_tag(&self, tag: String) -> Reference {
        Reference::with_tag(self.reference.registry().to_owned(), self.reference.repository().to_owned(), tag)
    }
}

/// Searches a registry for plugins whose name or title contains a word.
pub(crate) async fn search(place: &str, word: &str) -> Result<SearchResults> {
    let (host, prefix) = place.split_once('/').unwrap_or((place, ""));
    // The client needs a repository name for the catalog request, but the registry ignores it.
    let any = Repository::open(&format!("{host}/any"))?;
    let word = word.to_lowercase();
    let mut names: Vec<String> =
        catalog(&any, host).await?.into_iter().filter(|name| name.starts_with(prefix)).collect();
    // Repositories with the word in their name come first. Of the others, the titles are checked, up to the limit.
    names.sort_by_key(|name| (!name.to_lowercase().contains(&word), name.clone()));
    let left = names.len().saturating_sub(MAX_SEARCHED_REPOSITORIES);
    names.truncate(MAX_SEARCHED_REPOSITORIES);
    let mut found = Vec::new();
    for name in names {
        let repository = any.sibling(&name);
        // Repositories that cannot be read or do not contain plugins are skipped.
        let Ok(versions) = repository.versions().await else { continue };
        let Some((version, tag)) = newest_matching(versions, &VersionReq::STAR) else { continue };
        let Ok((manifest, _)) = repository.manifest(&repository.reference_for_tag(tag)).await else { continue };
        let title = artifact::title(&manifest).unwrap_or_default().to_owned();
        if artifact::is_artifact(&manifest)
            && (name.to_lowercase().contains(&word) || title.to_lowercase().contains(&word))
        {
            let is_signed = artifact::signature(&manifest).is_some();
            found.push(FoundPlugin {
                source: format!("oci:{host}/{name}"),
                version: version.to_string(),
                title,
                is_signed,
            });
        }
    }
    found.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(SearchResults { found, unexamined: left })
}

/// Lists the repositories of a registry.
async fn catalog(any: &Repository, host: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    loop {
        let last = names.last().cloned();
        let answer = any.client.catalog(&any.reference, &any.auth, Some(PAGE_SIZE), last.as_deref()).await;
        let page = answer.map_err(|error| match client_error(&format!("oci:{host}"), &error) {
            error if matches!(error.kind(), Kind::FileNotFound | Kind::PermissionDenied | Kind::Unsupported) => {
                Error::new(Kind::Unsupported, format!("oci:{host} does not list its repositories"))
                    .hint("large registries have no list; `marq plugin add oci:HOST/REPOSITORY` works without one")
            }
            error => error,
        })?;
        let is_more = page.repositories.len() >= PAGE_SIZE && page.repositories.last() != last.as_ref();
        names.extend(page.repositories);
        if !is_more || names.len() >= MAX_NAMES {
            return Ok(names);
        }
    }
}

/// Creates a client, which uses HTTPS except for registries on this machine.
fn client(host: &str) -> Result<Client> {
    install_tls_provider();
    let protocol = if is_local_address(host) { ClientProtocol::Http } else { ClientProtocol::Https };
    let config = ClientConfig {
        protocol,
        connect_timeout: Some(TIMEOUT),
        read_timeout: Some(TIMEOUT),
        platform_resolver: None,
        user_agent: concat!("marq/", env!("CARGO_PKG_VERSION")),
        ..ClientConfig::default()
    };
    Client::try_from(config).map_err(|error| Error::internal(format!("cannot create the registry client: {error}")))
}

/// Returns the user's stored credentials for a registry, for example from `docker login`.
fn credentials(host: &str) -> RegistryAuth {
    match docker_credential::get_credential(host) {
        Ok(DockerCredential::UsernamePassword(name, password)) => RegistryAuth::Basic(name, password),
        Ok(DockerCredential::IdentityToken(_)) => {
            tracing::warn!("{host}: identity tokens are not supported; continuing without credentials");
            RegistryAuth::Anonymous
        }
        Err(
            CredentialRetrievalError::ConfigNotFound
            | CredentialRetrievalError::ConfigReadError
            | CredentialRetrievalError::NoCredentialConfigured,
        ) => RegistryAuth::Anonymous,
        Err(error) => {
            tracing::warn!("{host}: cannot use the credentials of `docker login` ({error}); continuing without them");
            RegistryAuth::Anonymous
        }
    }
}

/// Returns the version that a tag means. Tags cannot contain `+`; by convention `_` replaces it.
fn version_from_tag(tag: &str) -> Option<Version> {
    Version::parse(&tag.replace('_', "+")).ok()
}

fn tag_from_version(version: &Version) -> String {
    version.to_string().replace('+', "_")
}

/// Maps a client error to [`Error`].
fn client_error(source: &str, error: &OciDistributionError) -> Error {
    let gone = |code: &OciErrorCode| {
        matches!(
            code,
            OciErrorCode::ManifestUnknown
                | OciErrorCode::NameUnknown
                | OciErrorCode::BlobUnknown
                | OciErrorCode::NotFound
        )
    };
    let denied = |code: &OciErrorCode| matches!(code, OciErrorCode::Denied | OciErrorCode::Unauthorized);
    let not_there = || {
        Error::new(Kind::FileNotFound, format!("{source} does not exist"))
            .hint("correct the name; `marq plugin search WORD oci:HOST` searches a registry")
    };
    let not_let_in = || {
        Error::new(Kind::PermissionDenied, format!("{source}: the registry denied access"))
            .hint("sign in with `docker login HOST` or `podman login HOST`: marq uses their credentials")
    };
    match error {
        OciDistributionError::UnauthorizedError { .. } | OciDistributionError::AuthenticationFailure(_) => not_let_in(),
        OciDistributionError::ServerError { code: 401 | 403, .. } => not_let_in(),
        OciDistributionError::ServerError { code: 404, .. } | OciDistributionError::ImageManifestNotFoundError(_) => {
            not_there()
        }
        OciDistributionError::RegistryError { envelope, .. } if envelope.errors.iter().any(|it| gone(&it.code)) => {
            not_there()
        }
        OciDistributionError::RegistryError { envelope, .. } if envelope.errors.iter().any(|it| denied(&it.code)) => {
            not_let_in()
        }
        OciDistributionError::RegistryError { envelope, .. }
            if envelope.errors.iter().any(|it| matches!(it.code, OciErrorCode::Unsupported)) =>
        {
            Error::new(Kind::Unsupported, format!("{source}: the registry does not support this"))
        }
        OciDistributionError::DigestError(_) => digest_mismatch_error(source),
        error => unreachable_error(source, error),
    }
}

/// Creates the error for a registry response with the wrong digest.
fn digest_mismatch_error(source: &str) -> Error {
    Error::new(Kind::PluginFailed, format!("{source}: the registry returned other bytes than those requested"))
        .hint("nothing was stored; report this to the operator of the registry")
}

/// A buffer that accepts at most the maximum size of a plugin.
#[derive(Default)]
struct BoundedBuffer {
    bytes: Vec<u8>,
    is_exceeded: bool,
}

impl AsyncWrite for &mut BoundedBuffer {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, piece: &[u8]) -> Poll<io::Result<usize>> {
        if (self.bytes.len() + piece.len()) as u64 > limits::PLUGIN_BYTES {
            self.is_exceeded = true;
            return Poll::Ready(Err(io::Error::other("the plugin is too large")));
        }
        self.bytes.extend_from_slice(piece);
        Poll::Ready(Ok(piece.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repository_needs_a_host() {
        for (name, is_exact) in [
            ("x.org/notes", false),
            ("localhost:5000/me/notes", false),
            ("localhost:5000/me/notes:0.1.0", true),
            ("x.org/notes@sha256:0000000000000000000000000000000000000000000000000000000000000000", true),
        ] {
            assert_eq!(
                Repository::open(name).map(|it| it.is_exact).map_err(|error| error.to_string()),
                Ok(is_exact),
                "{name}"
            );
        }
        for name in ["me/notes", "x.org/", "x.org/Notes", "x.org/a b", "x.org/a@sha256:0"] {
            let error = Repository::open(name).err().expect(name);
            assert!(error.to_string().starts_with(&format!("`oci:{name}` is not a repository: ")), "{error}");
        }
    }

    #[test]
    fn tags_are_versions() {
        for (tag, version) in [("0.1.0", Some("0.1.0")), ("1.0.0-rc.1_b2", Some("1.0.0-rc.1+b2")), ("latest", None)] {
            assert_eq!(version_from_tag(tag).map(|version| version.to_string()).as_deref(), version);
        }
        assert_eq!(tag_from_version(&Version::parse("1.0.0+b2").expect("a version")), "1.0.0_b2");
    }
}

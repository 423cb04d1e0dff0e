//! Plugins from OCI registries, URLs and folders. Only commands download, check and store them; tools never do.

use std::{
    fs,
    path::{Path, PathBuf},
};

use marquetry_model::{Error, Kind, Result, nearest::nearest_names, source::Source};
use marquetry_runtime::{ExternalPlugin, InspectedPlugin, LockedPlugin, registry::Registry, signature_beside};
use marquetry_sources::{Publication, Sources};
use semver::{Version, VersionReq};
use serde_json::json;

use crate::{
    config::{self, Host},
    show::{self, Output},
};

/// The registry of a project.
pub(super) const REGISTRY: &str = "registry.toml";
/// Prefixes of sources that are not files.
const REMOTE_PREFIXES: [&str; 4] = ["oci:", "folder:", "https:", "http:"];

/// Requirements for a plugin.
pub(super) struct Requirements<'a> {
    pub(super) version: Option<&'a str>,
    pub(super) sha256: Option<&'a str>,
    pub(super) signer: Option<&'a str>,
    /// The registry with the known signers.
    pub(super) signers: &'a Registry,
}

/// Parses a source from the command line: a file, an OCI registry, a URL or a folder. Paths are relative to the current
/// folder.
pub(super) fn parse_source(text: &str) -> Result<Source> {
    if REMOTE_PREFIXES.iter().any(|scheme| text.starts_with(scheme)) {
        return Source::parse(text, &config::absolute(Path::new("."))?);
    }
    Ok(Source::Path(config::absolute(Path::new(text.strip_prefix("path:").unwrap_or(text)))?))
}

/// Error for a plugin that is not in the project's registry.
pub(super) fn unknown_plugin(id: &str, all: Vec<String>) -> Error {
    let near = nearest_names(id, all.clone());
    Error::argument(format!("{REGISTRY} has no plugin `{id}`"))
        .hint("`marq plugin list` shows the plugins of the project and where they come from")
        .candidates(if near.is_empty() { all } else { near })
}

/// Gets a plugin from a source, checks it against all requirements, and stores it unless it is a local file. Returns
/// its lock entry, too.
pub(super) fn fetch_plugin(
    host: &Host,
    source: &Source,
    wanted: &Requirements<'_>,
) -> Result<(InspectedPlugin, LockedPlugin)> {
    let requirement = VersionReq::parse(wanted.version.unwrap_or("*"))
        .map_err(|error| Error::argument(format!("not a version requirement: {error}")))?;
    if let Source::Path(file) = source {
        let signature = fs::read_to_string(signature_beside(file)).ok();
        let read = |error| Error::argument(format!("{} cannot be read: {error}", file.display()));
        if wanted.signer.is_some() || wanted.sha256.is_some() {
            check_bytes(source, wanted, &fs::read(file).map_err(read)?, signature.as_deref())?;
        }
        let inspected = host.packs.inspect(file)?;
        check_version(source, &requirement, None, &inspected)?;
        let locked = lock_entry(&inspected, None, None);
        return Ok((inspected, locked));
    }
    let brought = Sources::new()?.download(source, &requirement, wanted.signer.is_some())?;
    check_bytes(source, wanted, &brought.bytes, brought.signature.as_deref())?;
    // Inspecting runs the plugin for the first time, and only in the sandbox.
    let inspected = host.packs.inspect(&host.packs.store_plugin(&brought.bytes)?)?;
    check_version(source, &requirement, brought.version.as_ref(), &inspected)?;
    let locked = lock_entry(&inspected, brought.manifest, brought.signature);
    Ok((inspected, locked))
}

fn lock_entry(inspected: &InspectedPlugin, manifest: Option<String>, signature: Option<String>) -> LockedPlugin {
    let (version, sha256) = (inspected.description.version.clone(), inspected.sha256.clone());
    LockedPlugin { version, source: String::new(), sha256, manifest, signature }
}

/// Rejects bytes with another digest than required, or without the required signature.
fn check_bytes(source: &Source, wanted: &Requirements<'_>, bytes: &[u8], signature: Option<&str>) -> Result<()> {
    let sha256 = marquetry_runtime::digest(bytes);
    match (wanted.sha256, source) {
        (Some(expected), _) if expected != sha256 => {
            return Err(Error::new(
                Kind::PermissionDenied,
                format!("{source}: its sha256 is {sha256}, not {expected}"),
            )
            .hint("nothing was stored; ask the author of the plugin which digest is right"));
        }
        (None, Source::Url(_)) => {
            return Err(Error::argument(format!(
                "{source}: a URL needs a digest; the sha256 of this file is {sha256}"
            ))
            .hint("if its author publishes the same digest, repeat the command with `--sha256` and the digest"));
        }
        _ => {}
    }
    match wanted.signer {
        Some(signer) => wanted.signers.check_signed(signer, &source.to_string(), bytes, signature),
        None => Ok(()),
    }
}

/// Rejects a plugin whose version differs from that of its source, or from the requirement.
fn check_version(
    source: &Source,
    wanted: &VersionReq,
    listed: Option<&Version>,
    inspected: &InspectedPlugin,
) -> Result<()> {
    let declared =
        Version::parse(&inspected.description.version).map_err(|error| Error::internal(error.to_string()))?;
    if let Some(listed) = listed.filter(|listed| **listed != declared) {
        return Err(Error::new(
            Kind::PluginFailed,
            format!("{source} lists version {listed}, but the plugin declares version {declared}"),
        )
        .hint("its author has to publish it under the version that it declares"));
    }
    if !wanted.matches(&declared) {
        return Err(Error::new(
            Kind::PluginFailed,
            format!("{source}: the plugin has version {declared}, not {wanted}"),
        )
        .hint("give an existing version with `--version`, or as `version` in registry.toml"));
    }
    Ok(())
}

/// Gets the newest version of a plugin that the registry accepts; it is checked and stored.
pub(super) fn update(host: &Host, known: &ExternalPlugin, signers: &Registry) -> Result<LockedPlugin> {
    let (version, sha256, signer) = (known.version.to_string(), known.sha256.as_deref(), known.signer.as_deref());
    let wanted = Requirements { version: Some(&version), sha256, signer, signers };
    let (inspected, locked) = fetch_plugin(host, &known.source, &wanted)?;
    let (id, declared_id) = (&known.id, &inspected.description.id);
    if id != declared_id {
        return Err(Error::new(
            Kind::PluginFailed,
            format!("the plugin of {} has the id `{declared_id}`, not `{id}`", known.source),
        )
        .hint(format!("name it `{declared_id}` in {REGISTRY}, or correct `source` of `{id}`")));
    }
    let change = match &known.locked {
        Some(before) if before.sha256 == locked.sha256 => ", unchanged".to_owned(),
        Some(before) => format!(", was {}", before.version),
        None => String::new(),
    };
    show::line(&format!("`{id}` is {}{change}, sha256 {}", locked.version, locked.sha256));
    Ok(locked)
}

/// Downloads locked plugins that this user does not have, and checks those that are files. Nothing else is accepted or
/// changed.
///
/// # Errors
/// Fails if there is no such plugin, it is not locked, or its source or file now has other bytes.
pub(crate) fn download_locked(host: &Host, id: Option<&str>) -> Result<()> {
    let files = host.bench.files(None)?;
    let all = host.packs.external_plugins(&files)?;
    let checked = host.packs.check_locked_files(&files, id)?;
    if let Some(id) = id.filter(|id| checked.is_empty() && all.iter().all(|known| known.id != *id)) {
        return Err(unknown_plugin(id, all.into_iter().map(|known| known.id).collect()));
    }
    for file in checked {
        show::line(&format!("`{}` is the locked file, sha256 {}", file.id, file.sha256));
    }
    let sources = Sources::new()?;
    for known in all.iter().filter(|known| id.is_none_or(|id| id == known.id)) {
        let (id, source) = (&known.id, &known.source);
        let locked = known.locked.as_ref().ok_or_else(|| {
            Error::new(Kind::PermissionDenied, format!("registry.lock has no plugin `{id}` from {source}"))
                .hint(format!("`marq plugin update {id}` downloads the newest version and locks it"))
        })?;
        if !known.is_stored {
            let brought = sources.download_locked(source, &locked.version, locked.manifest.as_deref())?;
            let sha256 = marquetry_runtime::digest(&brought.bytes);
            if sha256 != locked.sha256 {
                let message = format!(
                    "{source}: the sha256 of {} is now {sha256}; registry.lock has {}",
                    locked.version, locked.sha256
                );
                return Err(Error::new(Kind::PluginFailed, message)
                    .hint("nothing was stored; ask the author of the plugin why a version changed"));
            }
            host.packs.store_plugin(&brought.bytes)?;
        }
        show::line(&format!("`{id}` {} is on this machine, sha256 {}", locked.version, locked.sha256));
    }
    Ok(())
}

/// Publishes a component under its own version.
///
/// # Errors
/// Fails if the file is not a pack, the version exists with other bytes, or the registry denies access.
pub(crate) fn publish(host: &Host, file: &Path, to: &str, signature: Option<&Path>) -> Result<()> {
    let to = parse_source(to)?;
    let inspected = host.packs.inspect(file)?;
    let read = |path: &Path, error| Error::argument(format!("{} cannot be read: {error}", path.display()));
    let bytes = fs::read(file).map_err(|error| read(file, error))?;
    if marquetry_runtime::digest(&bytes) != inspected.sha256 {
        return Err(Error::new(Kind::Stale, format!("{} changed during the command", file.display()))
            .hint("repeat the command"));
    }
    let place: Option<PathBuf> =
        signature.map(Path::to_owned).or_else(|| Some(signature_beside(file)).filter(|it| it.is_file()));
    let signature = place.map(|place| fs::read_to_string(&place).map_err(|error| read(&place, error))).transpose()?;
    let is_signed = signature.is_some();
    let description = inspected.description;
    let version = Version::parse(&description.version).map_err(|error| Error::internal(error.to_string()))?;
    let published = Sources::new()?.publish(
        &to,
        Publication {
            id: description.id.clone(),
            title: description.name,
            version,
            bytes,
            is_module: inspected.is_module,
            exports: inspected.exports,
            imports: inspected.imports,
            signature,
        },
    )?;
    let what = format!("`{}` {}, sha256 {}", description.id, description.version, inspected.sha256);
    let how = if is_signed { "with its signature" } else { "without a signature" };
    show::line(&match published.already_published {
        true => format!("{what}, was already published"),
        false => format!("published {what}, {how}"),
    });
    if let Some(manifest) = published.manifest {
        show::line(&format!("manifest {manifest}"));
    }
    show::line(&format!("to use it: `marq plugin add {}`", published.source));
    Ok(())
}

/// Searches for published plugins.
///
/// # Errors
/// Fails if the registry cannot be reached, or has no catalog.
pub(crate) fn search(word: &str, place: &str, output: Output) -> Result<()> {
    let search = Sources::new()?.search(&parse_source(&complete_place(place))?, word)?;
    let rows = search.found.iter().map(|found| {
        json!({ "source": found.source, "version": found.version, "title": found.title, "signed": found.is_signed })
    });
    show::found_plugins(&rows.collect::<Vec<_>>(), search.unexamined, output);
    Ok(())
}

/// Completes a registry that is named without a repository.
fn complete_place(place: &str) -> String {
    match place.strip_prefix("oci:") {
        Some(host) if !host.contains('/') => format!("{place}/"),
        _ => place.to_owned(),
    }
}

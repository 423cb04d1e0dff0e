//! One project: its registry merged over the default one, restricted to what the user approved.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
};

use marquetry_model::{Error, Kind, Result, limits, servers::RequestedServer, source::Source};

use crate::{
    approvals::{self, Approval, InstalledServer, RequestedPermissions, TrustPolicy},
    cached_plugin::FileFingerprint,
    installed_servers::{InstalledServers, ProgramFolders},
    lock::{LockFile, LockedPlugin},
    registry::{DEFAULT_BOUNDS, Registry, RegistryEntry, editor_name, is_registry},
    routes::Routes,
};

const REGISTRY_FILE: &str = "registry.toml";
const LOCK_FILE: &str = "registry.lock";

/// The plugins of one project, as of when its files were read.
pub(crate) struct Project {
    root: PathBuf,
    /// The files that determine the project, and their metadata.
    watched: Vec<(PathBuf, Option<FileFingerprint>)>,
    pub(crate) registry: Registry,
    pub(crate) lock: Option<LockFile>,
    pub(crate) requested_permissions: RequestedPermissions,
    /// The plugins of the default registry.
    defaults: BTreeSet<String>,
    trust: TrustPolicy,
    programs: ProgramFolders,
    /// Installed servers; searched for when first needed.
    installed: OnceLock<InstalledServers>,
    /// Computed when first needed, and again when a plugin has changed.
    pub(crate) routes: Mutex<Option<Arc<Routes>>>,
}

impl Project {
    /// Reads a project, whose registry extends this default one.
    pub(crate) fn read(
        root: &str,
        defaults: &Registry,
        trust: &TrustPolicy,
        programs: &ProgramFolders,
    ) -> Result<Project> {
        let folder = Path::new(root);
        let mut watched: Vec<PathBuf> = vec![folder.join(REGISTRY_FILE), folder.join(LOCK_FILE)];
        if let TrustPolicy::Allowed(words) = trust {
            watched.push(approvals::approval_file(words, folder));
        }
        // The metadata is read before the files, so that concurrent changes are noticed.
        let mut watched: Vec<(PathBuf, Option<FileFingerprint>)> = watched.into_iter().map(with_stamp).collect();
        let mut registry = defaults.clone();
        if let Some(text) = read_registry_file(folder, REGISTRY_FILE)? {
            registry.extend(&text, folder, REGISTRY_FILE)?;
        }
        let plugins = registry.all_plugins().filter_map(|(_, entry)| match &entry.source {
            Source::Path(path) => Some(path.clone()),
            // Downloaded plugins are stored under their digest, so their files never change.
            Source::Bundled | Source::Folder(_) | Source::Url(_) | Source::Oci(_) => None,
        });
        watched.extend(plugins.map(with_stamp));
        let named = registry.servers.values().filter_map(|server| server.command.first());
        watched.extend(named.filter(|program| program.contains('/')).map(|program| with_stamp(folder.join(program))));
        let lock = read_registry_file(folder, LOCK_FILE)?.map(|text| LockFile::parse(&text, LOCK_FILE)).transpose()?;
        if let Some(lock) = &lock {
            registry.apply_lock(lock, folder, LOCK_FILE);
        }
        let demands = RequestedPermissions::compare(defaults, &registry, folder, trust);
        withhold_unapproved(&mut registry, defaults, &demands);
        withhold_servers(&mut registry, &demands);
        let packs = registry.entries.iter_mut().map(|(id, entry)| (id.clone(), entry));
        let editors = registry.editors.iter_mut().map(|(id, entry)| (editor_name(id), entry));
        for (name, entry) in packs.chain(editors).filter(|(_, entry)| entry.source != Source::Bundled) {
            if let Some(digest) = demands.plugins.get(&name) {
                entry.approved_digest = Some(digest.clone());
            }
        }
        if let Some(lock) = &lock {
            // The lock is applied again, because withheld entries were replaced by default ones.
            registry.apply_lock(lock, folder, LOCK_FILE);
        }
        let (found, trust) = (OnceLock::new(), trust.clone());
        Ok(Project {
            root: folder.to_owned(),
            watched,
            registry,
            lock,
            requested_permissions: demands,
            defaults: defaults.entries.keys().cloned().collect(),
            trust,
            programs: programs.clone(),
            installed: found,
            routes: Mutex::default(),
        })
    }

    /// Creates the project of files that are not on disk. It has the default registry.
    pub(crate) fn without_folder(root: &str, registry: Registry) -> Project {
        Project {
            root: root.into(),
            watched: Vec::new(),
            lock: None,
            requested_permissions: RequestedPermissions::compare(
                &registry,
                &registry,
                Path::new(root),
                &TrustPolicy::Nothing,
            ),
            defaults: registry.entries.keys().cloned().collect(),
            registry,
            trust: TrustPolicy::Nothing,
            programs: ProgramFolders::default(),
            installed: OnceLock::new(),
            routes: Mutex::default(),
        }
    }

    /// Returns whether the files are unchanged.
    pub(crate) fn is_current(&self) -> bool {
        self.watched.iter().all(|(path, known)| FileFingerprint::read(path).ok() == *known)
            && self.installed.get().is_none_or(InstalledServers::is_current)
    }

    /// Returns whether the default registry has a plugin of this name.
    pub(crate) fn is_default(&self, id: &str) -> bool {
        self.defaults.contains(id)
    }

    /// Returns the lock entry of a plugin from this source.
    pub(crate) fn locked(&self, id: &str, source: &str) -> Option<&LockedPlugin> {
        self.lock.as_ref()?.plugins.get(id).filter(|locked| locked.source == source)
    }

    /// Returns installed language servers that the registry gives no command for.
    pub(crate) fn installed_servers(&self) -> &[InstalledServer] {
        let discover = || InstalledServers::discover(&self.registry, &self.root, &self.trust, &self.programs);
        &self.installed.get_or_init(discover).servers
    }

    /// Returns the language servers that the registry names, and those that are installed, except refused ones.
    pub(crate) fn servers(&self) -> Vec<RequestedServer> {
        let named = self.registry.servers.values().filter(|server| !server.is_detected());
        let offered =
            self.installed_servers().iter().filter(|offer| offer.word != Approval::Refused).map(|offer| &offer.server);
        named.chain(offered).cloned().collect()
    }

    /// Returns the requested permissions and the installed servers.
    pub(crate) fn demands(&self) -> RequestedPermissions {
        RequestedPermissions {
            installed_servers: self.installed_servers().to_vec(),
            ..self.requested_permissions.clone()
        }
    }
}

/// Withholds servers that are not approved: using one fails with an error. If no project is trusted, they are removed.
fn withhold_servers(registry: &mut Registry, demands: &RequestedPermissions) {
    let is_held = |id: &str| demands.is_withheld(&approvals::server_permission_name(id));
    if demands.approval == Approval::Refused {
        registry.servers.retain(|id, _| !is_held(id));
    }
    for (id, server) in registry.servers.iter_mut().filter(|(id, _)| is_held(id)) {
        server.refusal = Some(demands.refusal(&approvals::server_permission_name(id)));
    }
}

fn with_stamp(path: PathBuf) -> (PathBuf, Option<FileFingerprint>) {
    let stamp = FileFingerprint::read(&path).ok();
    (path, stamp)
}

/// Withholds everything in a registry that is not approved. Higher limits and additional grants are reset. The
/// project's own plugins do not run: a call on one of their files fails with an error. If no project is trusted, the
/// default plugins are used instead.
fn withhold_unapproved(registry: &mut Registry, defaults: &Registry, demands: &RequestedPermissions) {
    withhold_entries(&mut registry.entries, &defaults.entries, str::to_owned, demands);
    withhold_entries(&mut registry.editors, &defaults.editors, editor_name, demands);
}

fn withhold_entries(
    entries: &mut BTreeMap<String, RegistryEntry>,
    defaults: &BTreeMap<String, RegistryEntry>,
    name: impl Fn(&str) -> String,
    demands: &RequestedPermissions,
) {
    let mut gone = Vec::new();
    for (id, entry) in entries.iter_mut() {
        let (name, default) = (name(id), defaults.get(id));
        if !demands.is_withheld(&name) {
            continue;
        }
        if entry.source == Source::Bundled {
            let (grants, bounds, addresses) = default.map_or((Vec::new(), DEFAULT_BOUNDS, None), |default| {
                (default.grants.clone(), default.limits, default.addresses.clone())
            });
            entry.grants.retain(|grant| grants.contains(grant));
            entry.limits.memory = entry.limits.memory.min(bounds.memory);
            entry.limits.time = entry.limits.time.min(bounds.time);
            entry.addresses = addresses;
            for what in demands.permissions_of(&name) {
                tracing::warn!("registry.toml {what} to plugin `{name}`, which is not approved: see `marq trust`");
            }
        } else if demands.approval_of(&name) == Approval::Unasked {
            entry.refusal = Some(demands.refusal(&name));
        } else if let Some(default) = default {
            *entry = default.clone();
        } else {
            gone.push(id.clone());
        }
    }
    entries.retain(|id, _| !gone.contains(id));
}

/// Reads a registry or lock. Other programs use the same file names, and a hostile project may have anything under
/// them: a path that is not a regular file, or is too large, is ignored.
///
/// # Errors
/// Fails if the file is a link to a file outside of the folder, which a project must not use or reveal.
fn read_registry_file(folder: &Path, name: &str) -> Result<Option<String>> {
    let path = folder.join(name);
    if path.is_symlink()
        && let (Ok(real), Ok(folder)) = (path.canonicalize(), folder.canonicalize())
        && !real.starts_with(&folder)
    {
        let message = format!("`{name}` is not read: it links to a file outside the root `{}`", folder.display());
        return Err(Error::new(Kind::OutsideWorkspace, message)
            .hint("replace it with the file itself, or with a link to a file in the root"));
    }
    let Ok(metadata) = fs::metadata(&path) else { return Ok(None) };
    if !metadata.is_file() || metadata.len() > limits::REGISTRY_BYTES {
        tracing::warn!(
            "{} is not a file of less than {} KiB: it is not read",
            path.display(),
            limits::REGISTRY_BYTES >> 10
        );
        return Ok(None);
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(limits::REGISTRY_BYTES).read_to_string(&mut text));
    Ok((read.is_ok() && is_registry(&text)).then_some(text))
}

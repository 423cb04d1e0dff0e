//! Permissions that a project's files request and only the user can grant: the project's own plugins, more grants,
//! higher limits, and language servers.
//!
//! The author of a project is not its user. `registry.toml` may choose among bundled plugins, disable them, give them
//! settings and lower their limits. Everything else is a [`RequestedPermission`], which needs the user's approval. An
//! approval is valid for one root and one content: if a request or the bytes of a plugin change, approval is needed
//! again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use marquetry_model::{
    Error, Kind, Result, StaleData, nearest::nearest_names, servers::RequestedServer, source::Source,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    identity, private_folder,
    registry::{Registry, RegistryEntry},
    requested_servers,
};

/// Decides who approves the permissions that a project requests.
#[derive(Debug, Clone)]
pub enum TrustPolicy {
    /// The user, with `marq trust`; approvals are stored in this folder.
    Allowed(PathBuf),
    /// No approval is needed: every project is trusted.
    Everything,
    /// No approval is possible: no project is trusted, and its requests are ignored.
    Nothing,
}

/// Approval state of a project's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Approved.
    Allowed,
    /// Not decided yet, or changed since.
    Unasked,
    /// Refused; the requests are ignored.
    Refused,
}

/// A permission that a project requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedPermission {
    /// The plugin or language server that the permission concerns.
    pub plugin: String,
    /// Description for users: `runs ./tools/x.wasm`.
    pub what: String,
    /// Consequences of the approval: which files the plugin handles, which of them other plugins handle now, and which
    /// hold secrets. The bytes of the plugin declare these files, so the approval covers them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// All permissions that a project requests, and their approval. The user can approve them separately by name, which is
/// that of a plugin or server.
#[derive(Debug, Clone)]
pub struct RequestedPermissions {
    /// Sorted by plugin name.
    pub list: Vec<RequestedPermission>,
    /// Approval of all requests in the registry together; approved if none is pending.
    pub approval: Approval,
    /// For each name, the digest of its requests and bytes, and its approval.
    pub(crate) approvals: BTreeMap<String, (String, Approval)>,
    /// Installed language servers that the registry does not request. Each has a separate approval, so that installing
    /// one does not invalidate other approvals.
    pub installed_servers: Vec<InstalledServer>,
    /// Digests of the project's own plugins, by name. The approval covers exactly these bytes.
    pub(crate) plugins: BTreeMap<String, String>,
}

/// A server that is installed in a project or on `PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledServer {
    /// The request shown to the user.
    pub permission: RequestedPermission,
    /// The approval state of the server.
    pub word: Approval,
    /// The server, withheld until it is approved.
    pub(crate) server: RequestedServer,
    /// Digest of the request and of the program's bytes.
    pub(crate) digest: String,
}

/// Stored approvals of a root: digests by name. Files of older versions have no digests, so approval is needed again.
#[derive(Debug, Serialize, Deserialize)]
struct StoredApprovals {
    root: String,
    #[serde(default)]
    allowed: BTreeMap<String, String>,
}

impl RequestedPermissions {
    /// Compares the registry of a project with the default one.
    pub(crate) fn compare(
        defaults: &Registry,
        project: &Registry,
        root: &Path,
        trust: &TrustPolicy,
    ) -> RequestedPermissions {
        let (mut list, mut plugins) = (Vec::new(), BTreeMap::new());
        let mut hashes: BTreeMap<String, Sha256> = BTreeMap::new();
        let known: BTreeMap<String, &RegistryEntry> = defaults.all_plugins().collect();
        for (id, entry) in project.all_plugins() {
            let mut hash = Sha256::new();
            let permissions = additional_permissions(known.get(&id).copied(), entry, root);
            permissions.iter().for_each(|what| hash.update(format!("{id}\0{what}\0")));
            // If a file cannot be read or is not locked, there are no bytes to approve. If it appears later, its digest
            // changes, so approval is needed again.
            let digest = match &entry.source {
                Source::Bundled => None,
                Source::Path(path) => {
                    Some(identity::read_plugin_file(path).map(|bytes| identity::digest(&bytes)).unwrap_or_default())
                }
                Source::Folder(_) | Source::Url(_) | Source::Oci(_) => {
                    Some(entry.downloaded_digest().map(str::to_owned).unwrap_or_default())
                }
            };
            if let Some(digest) = digest {
                hash.update(&digest);
                plugins.insert(id.clone(), digest);
            }
            if !permissions.is_empty() {
                list.extend(permissions.into_iter().map(|what| RequestedPermission {
                    plugin: id.clone(),
                    what,
                    notes: Vec::new(),
                }));
                hashes.insert(id, hash);
            }
        }
        for (id, server) in project
            .servers
            .iter()
            .filter(|(id, server)| !server.is_detected() && defaults.servers.get(*id) != Some(server))
        {
            let (plugin, what, mut hash) =
                (server_permission_name(id), requested_servers::describe_server(server), Sha256::new());
            hash.update(format!("{plugin}\0{what}\0"));
            // A program in the project needs approval again when its bytes change.
            if let Some(program) = server.command.first().filter(|program| program.contains('/')) {
                let digest = identity::read_plugin_file(&root.join(program)).map(|bytes| identity::digest(&bytes));
                hash.update(digest.unwrap_or_default());
            }
            list.push(RequestedPermission { plugin: plugin.clone(), what, notes: Vec::new() });
            hashes.insert(plugin, hash);
        }
        let approval = RootApproval::load(trust, root);
        let worded = |(name, hash): (String, Sha256)| {
            let digest = hex_digest(hash);
            let word = approval.approval_for(&name, &digest);
            (name, (digest, word))
        };
        let approvals: BTreeMap<String, (String, Approval)> = hashes.into_iter().map(worded).collect();
        let waits = approvals.values().map(|(_, word)| *word).find(|word| *word != Approval::Allowed);
        RequestedPermissions {
            list,
            approval: waits.unwrap_or(Approval::Allowed),
            approvals,
            installed_servers: Vec::new(),
            plugins,
        }
    }

    /// Returns the approval of all requests under a name.
    pub fn approval_of(&self, name: &str) -> Approval {
        self.approvals.get(name).map_or(Approval::Allowed, |(_, word)| *word)
    }

    /// Returns the names of all requests, and of installed servers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let offered = self.installed_servers.iter().map(|offer| offer.permission.plugin.as_str());
        self.approvals.keys().map(String::as_str).chain(offered)
    }

    /// Returns the digests of all current requests and installed servers, by name.
    fn digests(&self) -> impl Iterator<Item = (&str, &str)> {
        let offered =
            self.installed_servers.iter().map(|offer| (offer.permission.plugin.as_str(), offer.digest.as_str()));
        self.approvals.iter().map(|(name, (digest, _))| (name.as_str(), digest.as_str())).chain(offered)
    }

    /// Returns whether a plugin has a request that is not approved.
    pub(crate) fn is_withheld(&self, plugin: &str) -> bool {
        self.approval_of(plugin) != Approval::Allowed
    }

    /// Returns the requests of one plugin.
    pub(crate) fn permissions_of<'a>(&'a self, plugin: &'a str) -> impl Iterator<Item = &'a str> {
        self.list.iter().filter(move |demand| demand.plugin == plugin).map(|demand| demand.what.as_str())
    }

    /// Returns the error of a call that needs something that is not approved.
    pub(crate) fn refusal(&self, plugin: &str) -> Error {
        let what: Vec<&str> = self.permissions_of(plugin).collect();
        let whose = if plugin.starts_with(SERVER) { String::new() } else { format!(" as plugin `{plugin}`") };
        let message = format!("the project's registry.toml {}{whose}, which is not approved", what.join(", "));
        Error::new(Kind::PermissionDenied, message).hint(
            "ask the user to run `marq trust --allow` in the project if they trust it; `marq trust` \
             shows all requests, `--no-trust` ignores them",
        )
    }
}

const SERVER: &str = "servers.";

/// Returns the name for requests about a language server.
pub(crate) fn server_permission_name(id: &str) -> String {
    format!("{SERVER}{id}")
}

/// Returns what an entry of a project requests beyond the default one.
fn additional_permissions(default: Option<&RegistryEntry>, entry: &RegistryEntry, root: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let signed = entry.signer.as_ref().map_or_else(String::new, |signer| format!(", {}", signer.describe()));
    match &entry.source {
        Source::Bundled => {}
        Source::Path(path) => {
            all.push(format!("runs {}{signed}", path.strip_prefix(root).unwrap_or(path).display()));
        }
        source => all.push(format!("runs {}{signed}", source.relative_to(root))),
    }
    // File patterns in a registry need approval, because they determine which texts the plugin receives.
    if let (Some(files), true) = (&entry.files, entry.source != Source::Bundled) {
        all.push(format!("gives it the files {}", files.join(", ")));
    }
    let has = |grant: &&String| default.is_some_and(|default| default.grants.contains(grant));
    let grants: Vec<&str> = entry.grants.iter().filter(|grant| !has(grant)).map(String::as_str).collect();
    if !grants.is_empty() || (!entry.grants.is_empty() && entry.source != Source::Bundled) {
        all.push(format!("grants {}", entry.grants.join(", ")));
    }
    if let Some(addresses) = &entry.addresses
        && default.and_then(|default| default.addresses.as_ref()) != Some(addresses)
    {
        all.push(format!("reaches editors at {}", addresses.join(", ")));
    }
    let bounds = default.map_or(crate::registry::DEFAULT_BOUNDS, |default| default.limits);
    if entry.limits.time > bounds.time {
        all.push(format!("lets it run {} s, not {}", entry.limits.time.as_secs(), bounds.time.as_secs()));
    }
    if entry.limits.memory > bounds.memory {
        all.push(format!("lets it use {} MiB, not {}", entry.limits.memory >> 20, bounds.memory >> 20));
    }
    all
}

pub(crate) fn approval_file(folder: &Path, root: &Path) -> PathBuf {
    let name: String =
        Sha256::digest(root.as_os_str().as_encoded_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    folder.join(format!("{name}.json"))
}

/// Returns the stored approvals of a root, if the folder can be trusted.
fn stored_approvals(folder: &Path, root: &Path) -> Option<StoredApprovals> {
    let text = fs::read(approval_file(folder, root)).ok().filter(|_| can_store_approvals(folder, root))?;
    serde_json::from_slice::<StoredApprovals>(&text).ok().filter(|known| Path::new(&known.root) == root)
}

fn hex_digest(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl InstalledServer {
    /// Creates the offer of a server. `program` has the bytes of a program of the project. A program on `PATH` belongs
    /// to the user's system and is approved by its path, so that its updates need no approval.
    pub(crate) fn new(mut server: RequestedServer, program: Option<&[u8]>, approval: &RootApproval) -> InstalledServer {
        let place = if program.is_some() { "installed in the project" } else { "found on the PATH" };
        let what = format!("{}, {place}", requested_servers::describe_server(&server));
        let permission = RequestedPermission { plugin: server_permission_name(&server.id), what, notes: Vec::new() };
        let mut hash = Sha256::new();
        hash.update(format!("{}\0{}\0", permission.plugin, permission.what));
        program.iter().for_each(|bytes| hash.update(identity::digest(bytes)));
        let digest = hex_digest(hash);
        let word = approval.approval_for(&permission.plugin, &digest);
        if word != Approval::Allowed {
            let started = server.command.first().map_or("", String::as_str);
            server.refusal = Some(if program.is_some() {
                let message = format!("the project has `{started}` installed, and starting it is not approved");
                Error::new(Kind::PermissionDenied, message).hint(
                    "ask the user to run `marq trust --allow` in the project if they trust it; `marq trust` \
                     shows what that allows; without `engine` the language pack answers",
                )
            } else {
                let message = format!("`{started}` is installed, and starting it in this project is not approved");
                Error::new(Kind::PermissionDenied, message).hint(format!(
                    "ask the user to run `marq trust --allow {}` in the project if they trust it; `marq servers` \
                     shows it; without `engine` the language pack answers",
                    permission.plugin
                ))
            });
        }
        InstalledServer { permission, word, server, digest }
    }

    /// Returns whether the program was found on `PATH`: it is neither requested by the project nor part of it.
    pub fn is_on_path(&self) -> bool {
        self.server.is_on_path()
    }
}

/// Decision about the requests and installed servers of a root.
pub(crate) enum RootApproval {
    /// The same decision for all requests and servers.
    All(Approval),
    /// The approved digests, by name.
    Allowed(BTreeMap<String, String>),
}

impl RootApproval {
    pub(crate) fn load(trust: &TrustPolicy, root: &Path) -> RootApproval {
        match trust {
            TrustPolicy::Everything => RootApproval::All(Approval::Allowed),
            TrustPolicy::Nothing => RootApproval::All(Approval::Refused),
            TrustPolicy::Allowed(folder) => {
                RootApproval::Allowed(stored_approvals(folder, root).map(|it| it.allowed).unwrap_or_default())
            }
        }
    }

    pub(crate) fn approval_for(&self, name: &str, digest: &str) -> Approval {
        match self {
            RootApproval::All(word) => *word,
            RootApproval::Allowed(known) if known.get(name).is_some_and(|known| known == digest) => Approval::Allowed,
            RootApproval::Allowed(_) => Approval::Unasked,
        }
    }
}

/// Returns whether a folder can store approvals: it must be outside of the project and private to the user.
fn can_store_approvals(folder: &Path, root: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    !real(folder).starts_with(real(root)) && private_folder::check_private(folder).is_ok()
}

/// The user's decision about all requests of a project, or about those with certain names.
#[derive(Debug, Clone, Copy)]
pub struct ApprovalChange<'a> {
    /// True to approve, false to revoke.
    pub allow: bool,
    /// The names that it applies to; all if empty.
    pub names: &'a [String],
}

impl ApprovalChange<'_> {
    /// Checks that each name exists.
    fn check_names(&self, known: &BTreeSet<&str>) -> Result<()> {
        let Some(wrong) = self.names.iter().find(|name| !known.contains(name.as_str())) else { return Ok(()) };
        let names = || known.iter().map(|name| (*name).to_owned());
        let near = nearest_names(wrong, names());
        Err(Error::argument(format!("the project requests nothing under the name `{wrong}`"))
            .hint("`marq trust` lists the names with their requests")
            .candidates(if near.is_empty() { names().collect() } else { near }))
    }

    fn applies_to(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|named| named == name)
    }
}

/// Stores the user's decision. Approvals of other names are kept if they are still requested.
///
/// # Errors
/// Fails if a name is unknown, the folder is not writable, or it is in the root, whose files cannot be trusted.
pub(crate) fn store_approvals(
    folder: &Path,
    root: &Path,
    demands: &RequestedPermissions,
    saying: ApprovalChange<'_>,
) -> Result<()> {
    let known = stored_approvals(folder, root).map(|known| known.allowed).unwrap_or_default();
    saying.check_names(&demands.names().chain(known.keys().map(String::as_str)).collect())?;
    let now: BTreeMap<&str, &str> = demands.digests().collect();
    let is_on_path = |name: &str| {
        demands.installed_servers.iter().any(|offer| offer.is_on_path() && offer.permission.plugin == name)
    };
    // Approving everything covers what the project requests and contains, not the programs of the user's system.
    let applies_to =
        |name: &str| saying.applies_to(name) && !(saying.allow && saying.names.is_empty() && is_on_path(name));
    let stands =
        |(name, digest): &(&String, &String)| !applies_to(name) && now.get(name.as_str()) == Some(&digest.as_str());
    let mut allowed: BTreeMap<String, String> =
        known.iter().filter(stands).map(|(name, digest)| (name.clone(), digest.clone())).collect();
    if saying.allow {
        let given = now.iter().filter(|(name, _)| applies_to(name));
        allowed.extend(given.map(|(name, digest)| ((*name).to_owned(), (*digest).to_owned())));
    }
    if allowed.is_empty() {
        return delete_approvals(folder, root);
    }
    let failed = |error: std::io::Error| Error::new(Kind::PermissionDenied, format!("{}: {error}", folder.display()));
    private_folder::make_private(folder).map_err(failed)?;
    if !can_store_approvals(folder, root) {
        let message =
            format!("{} cannot store approvals: it is in the project, or other users can access it", folder.display());
        return Err(Error::new(Kind::PermissionDenied, message)
            .hint("set MARQ_STATE_DIR to a folder of your own (mode 700) outside the project"));
    }
    let root = root.display().to_string();
    let text = serde_json::to_vec_pretty(&StoredApprovals { root: root.clone(), allowed })
        .map_err(|error| Error::internal(error.to_string()))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(&text).map_err(failed)?;
    file.persist(approval_file(folder, Path::new(&root))).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Deletes stored approvals, if any.
fn delete_approvals(folder: &Path, root: &Path) -> Result<()> {
    match fs::remove_file(approval_file(folder, root)) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::new(Kind::PermissionDenied, format!("{}: {error}", folder.display()))),
    }
}

/// Returns approvals of roots that no longer exist. A root on a disconnected disk needs approval again.
pub(crate) fn stale_approvals(folder: &Path) -> Vec<StaleData> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let gone = files.filter_map(|path| {
        let text = fs::read(&path).ok()?;
        let StoredApprovals { root, .. } = serde_json::from_slice(&text).ok()?;
        let is_gone = Path::new(&root).symlink_metadata().is_err() && approval_file(folder, Path::new(&root)) == path;
        let reason = format!("approval of {root}, which no longer exists");
        is_gone.then_some(StaleData { path, bytes: text.len() as u64, reason })
    });
    let mut gone: Vec<StaleData> = gone.collect();
    gone.sort_by(|a, b| a.path.cmp(&b.path));
    gone
}

#[cfg(test)]
#[path = "trust_tests.rs"]
mod tests;

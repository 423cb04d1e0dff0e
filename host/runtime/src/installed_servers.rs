//! Discovers language servers that are installed in a project, if the registry lists a server without a command. Like
//! all programs of a project, they start only after approval. Discovery runs when servers are requested, as most calls
//! do not need them.

use std::path::{Path, PathBuf};

use marquetry_model::servers::RequestedServer;

use crate::{
    approvals::{InstalledServer, RootApproval, TrustPolicy},
    cache::FileFingerprint,
    identity,
    registry::Registry,
};

/// Maximum number of parent folders to search.
const MAX_PARENTS: usize = 16;

/// Returns the relative paths from a root to itself and to its parent folders in the same repository. The packages of a
/// monorepo share what is installed at its top.
fn folders_to_repository_top(root: &Path) -> Vec<String> {
    let above = root.ancestors().take(MAX_PARENTS).position(|folder| folder.join(".git").exists()).unwrap_or(0);
    (0..=above).map(|steps| "../".repeat(steps)).collect()
}

/// Installed servers, and the state of the files when they were read.
pub(crate) struct InstalledServers {
    pub(crate) servers: Vec<InstalledServer>,
    watched: Vec<(PathBuf, Option<FileFingerprint>)>,
}

impl InstalledServers {
    /// Searches for servers whose command the registry does not name. The first command whose program exists wins, in
    /// the root first and then in its parents.
    pub(crate) fn discover(registry: &Registry, root: &Path, trust: &TrustPolicy) -> InstalledServers {
        let mut found = InstalledServers { servers: Vec::new(), watched: Vec::new() };
        let folders = folders_to_repository_top(root);
        let approval = RootApproval::load(trust, root);
        for server in registry.servers.values().filter(|server| server.is_detected()) {
            let mut places =
                folders.iter().flat_map(|up| server.detection_commands.iter().map(move |command| (up, command)));
            let offer = places.find_map(|(up, command)| {
                let program = format!("{up}{}", command.first()?);
                // The metadata is read before the file, so that a concurrent change of the file triggers another
                // search.
                found.watched.push((root.join(&program), FileFingerprint::read(&root.join(&program)).ok()));
                let bytes = identity::read_plugin_file(&root.join(&program)).ok()?;
                let command = std::iter::once(program).chain(command.iter().skip(1).cloned()).collect();
                Some(InstalledServer::new(RequestedServer { command, ..server.clone() }, &bytes, &approval))
            });
            found.servers.extend(offer);
        }
        found
    }

    /// Returns whether the files are unchanged.
    pub(crate) fn is_current(&self) -> bool {
        self.watched.iter().all(|(path, known)| FileFingerprint::read(path).ok() == *known)
    }
}

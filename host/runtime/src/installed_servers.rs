//! Discovers language servers that are installed in a project or on `PATH`, if the registry lists a server without a
//! command. Like all programs of a project, they start only after approval. Discovery runs when servers are requested,
//! as most calls do not need them.

use std::path::{Path, PathBuf};

use marquetry_model::servers::RequestedServer;

use crate::{
    approvals::{InstalledServer, RootApproval, TrustPolicy},
    cached_plugin::FileFingerprint,
    identity,
    registry::Registry,
};

/// Maximum number of parent folders to search.
const MAX_PARENTS: usize = 16;

/// Returns the relative paths from a root to itself and to its parent folders in the same repository. The packages of a
/// monorepo share the servers that are installed in its top folder.
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
    /// the root first, then in its parents, then in the folders of `PATH`.
    pub(crate) fn discover(
        registry: &Registry,
        root: &Path,
        trust: &TrustPolicy,
        programs: &ProgramFolders,
    ) -> InstalledServers {
        let mut found = InstalledServers { servers: Vec::new(), watched: programs.watched() };
        let folders = folders_to_repository_top(root);
        let approval = RootApproval::load(trust, root);
        for server in registry.servers.values().filter(|server| server.is_detected()) {
            let (named, below): (Vec<_>, Vec<_>) = server
                .detection_commands
                .iter()
                .partition(|command| command.first().is_some_and(|it| !it.contains('/')));
            let mut places = folders.iter().flat_map(|up| below.iter().map(move |command| (up, command)));
            let in_project = places.find_map(|(up, command)| {
                let program = format!("{up}{}", command.first()?);
                // The metadata is read before the file, so that a concurrent change of the file triggers another
                // search.
                found.watched.push((root.join(&program), FileFingerprint::read(&root.join(&program)).ok()));
                let bytes = identity::read_plugin_file(&root.join(&program)).ok()?;
                let command = std::iter::once(program).chain(command.iter().skip(1).cloned()).collect();
                let server = RequestedServer { command, ..server.clone() };
                Some(InstalledServer::new(server, Some(&bytes), &approval))
            });
            let on_path = || {
                let (program, command) =
                    named.iter().find_map(|command| Some((programs.find(command.first()?, root)?, command)))?;
                found.watched.push((program.clone(), FileFingerprint::read(&program).ok()));
                let program = program.into_os_string().into_string().ok()?;
                let command = std::iter::once(program).chain(command.iter().skip(1).cloned()).collect();
                Some(InstalledServer::new(RequestedServer { command, ..server.clone() }, None, &approval))
            };
            let offer = in_project.or_else(on_path);
            found.servers.extend(offer);
        }
        found
    }

    /// Returns whether the files are unchanged.
    pub(crate) fn is_current(&self) -> bool {
        self.watched.iter().all(|(path, known)| FileFingerprint::read(path).ok() == *known)
    }
}

/// The folders of `PATH`, in which servers of the user's system are searched.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProgramFolders(Vec<PathBuf>);

impl ProgramFolders {
    /// Keeps absolute folders: a relative one means another folder in each project.
    pub(crate) fn new(folders: Vec<PathBuf>) -> ProgramFolders {
        let mut kept: Vec<PathBuf> = Vec::new();
        for folder in folders.into_iter().filter(|folder| folder.is_absolute()) {
            if !kept.contains(&folder) {
                kept.push(folder);
            }
        }
        ProgramFolders(kept)
    }

    /// Returns the first program of this name outside of the root. A program in the root belongs to the project: it is
    /// offered by its path below the root, and its bytes are part of the approval.
    pub(crate) fn find(&self, name: &str, root: &Path) -> Option<PathBuf> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = real(root);
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let mut programs = self.0.iter().map(|folder| folder.join(&name));
        programs.find(|program| is_program(program) && !program.starts_with(&root) && !real(program).starts_with(&root))
    }

    /// Returns whether any folder has a program of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.0.iter().any(|folder| is_program(&folder.join(&name)))
    }

    /// Returns the folders and their state, which changes when a program is added or removed.
    fn watched(&self) -> Vec<(PathBuf, Option<FileFingerprint>)> {
        self.0.iter().map(|folder| (folder.clone(), FileFingerprint::read(folder).ok())).collect()
    }
}

/// Returns whether a path is a file that may be started.
fn is_program(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    #[cfg(unix)]
    let may_start = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_start = true;
    metadata.is_file() && may_start
}

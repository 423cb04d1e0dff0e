//! All language servers that a project's registry knows, with their programs and approvals. Nothing is started.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_model::{Result, ports::Files, servers::RequestedServer};

use super::PackSet;
use crate::{approvals::Approval, installed_servers::ProgramFolders, project::Project};

/// A language server of the registry, which may be missing on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownServer {
    /// The name in the registry.
    pub id: String,
    /// Globs over the names of its files.
    pub files: Vec<String>,
    /// The program and its arguments; empty if the program was not found.
    pub command: Vec<String>,
    /// The names or paths by which its program is searched; empty if the registry has its command.
    pub searched: Vec<String>,
    /// Its state.
    pub state: ServerState,
}

/// State of a known language server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerState {
    /// The program was not found.
    Missing,
    /// The program was found and needs the user's approval.
    Unapproved,
    /// The user approved the program: it starts on demand.
    Approved,
    /// No server may start in this project.
    Refused,
}

impl PackSet {
    /// Sets the folders in which servers of the user's system are searched. Without them, only servers of the project
    /// are found.
    #[must_use]
    pub fn with_program_folders(self, folders: Vec<PathBuf>) -> PackSet {
        PackSet { programs: ProgramFolders::new(folders), ..self }
    }

    /// Returns all servers that the registry of a project knows, sorted by name.
    ///
    /// # Errors
    /// Fails if the registry of the project cannot be read.
    pub fn known_servers(&self, files: &Arc<dyn Files>) -> Result<Vec<KnownServer>> {
        let project = self.project(files)?;
        Ok(project.registry.servers.values().map(|server| self.known_server(&project, files, server)).collect())
    }

    fn known_server(&self, project: &Project, files: &Arc<dyn Files>, server: &RequestedServer) -> KnownServer {
        let mut known = KnownServer {
            id: server.id.clone(),
            files: server.files.clone(),
            command: Vec::new(),
            searched: server.detection_commands.iter().filter_map(|command| command.first().cloned()).collect(),
            state: ServerState::Missing,
        };
        if server.is_detected() {
            let offer = project.installed_servers().iter().find(|offer| offer.server.id == server.id);
            if let Some(offer) = offer {
                known.command.clone_from(&offer.server.command);
                known.state = match offer.word {
                    Approval::Allowed => ServerState::Approved,
                    Approval::Unasked => ServerState::Unapproved,
                    Approval::Refused => ServerState::Refused,
                };
            }
        } else if self.has_program(server, Path::new(files.root())) {
            known.command.clone_from(&server.command);
            known.state = if server.refusal.is_some() { ServerState::Unapproved } else { ServerState::Approved };
        } else {
            known.searched.extend(server.command.first().cloned());
        }
        known
    }

    /// Returns whether the program of a configured command exists.
    fn has_program(&self, server: &RequestedServer, root: &Path) -> bool {
        let program = server.command.first().map_or("", String::as_str);
        if program.contains('/') { root.join(program).is_file() } else { self.programs.has(program) }
    }
}

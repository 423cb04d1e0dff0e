//! Language servers that a project has installed: offered where its registry names no command, and like all programs of a project
//! started with the person's word alone. Looked for when somebody asks about servers, for most calls never do.

use std::path::{Path, PathBuf};

use marquetry_model::{Error, Kind, servers::ServerWish};
use sha2::{Digest, Sha256};

use crate::{
    cache::Stamp,
    identity,
    registry::Registry,
    trust::{self, Demand, Trust, Word},
    wishes,
};

/// A server that is installed in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What the person is asked.
    pub demand: Demand,
    /// What was said.
    pub word: Word,
    /// The server, withheld while nobody allowed it.
    pub(crate) wish: ServerWish,
    /// Stands for the demand and the bytes of the program.
    pub(crate) digest: String,
}

/// What is installed, as the files said when they were looked at.
pub(crate) struct Found {
    pub(crate) offers: Vec<Offer>,
    watched: Vec<(PathBuf, Option<Stamp>)>,
}

impl Found {
    /// Look for the servers that a registry names no command of. Each is the first of its commands whose program is there.
    pub(crate) fn look(registry: &Registry, root: &Path, trust: &Trust) -> Found {
        let mut found = Found { offers: Vec::new(), watched: Vec::new() };
        for wish in registry.servers.values().filter(|wish| wish.is_found()) {
            for command in &wish.found_as {
                let Some(program) = command.first().map(|program| root.join(program)) else { continue };
                // As it is before it is read: what changes meanwhile is looked for again.
                let stamp = Stamp::of(&program).ok();
                found.watched.push((program.clone(), stamp));
                if let Ok(bytes) = identity::read(&program) {
                    let wish = ServerWish { command: command.clone(), ..wish.clone() };
                    found.offers.push(Offer::new(wish, &bytes, root, trust));
                    break;
                }
            }
        }
        found
    }

    /// Whether what was looked at is what it was.
    pub(crate) fn is_current(&self) -> bool {
        self.watched.iter().all(|(path, known)| Stamp::of(path).ok() == *known)
    }
}

impl Offer {
    fn new(mut wish: ServerWish, program: &[u8], root: &Path, trust: &Trust) -> Offer {
        let what = format!("{}, installed in the project", wishes::told(&wish));
        let demand = Demand { plugin: trust::of_server(&wish.id), what };
        let mut hash = Sha256::new();
        hash.update(format!("{}\0{}\0", demand.plugin, demand.what));
        hash.update(identity::digest(program));
        let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let word = trust::word_of_found(trust, root, &wish.id, &digest);
        if word != Word::Allowed {
            let message = format!("the project has `{}` installed, and nobody allowed to start it", wish.command[0]);
            wish.withheld = Some(Error::new(Kind::PermissionDenied, message).hint(
                "a person who trusts the project runs `marq trust --allow` in it; `marq trust` shows what that allows; without \
                 `engine` the plugin answers",
            ));
        }
        Offer { demand, word, wish, digest }
    }
}

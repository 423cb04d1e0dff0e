//! Language servers that a project has installed: offered where its registry names no command, and like all programs of a project
//! started with the person's word alone. Looked for when somebody asks about servers, for most calls never do.

use std::path::{Path, PathBuf};

use marquetry_model::servers::ServerWish;

use crate::{
    cache::Stamp,
    identity,
    registry::Registry,
    trust::{Offer, Said, Trust},
};

/// Folders above a root that are looked into at most.
const MOST_ABOVE: usize = 16;

/// The ways from a root to itself and to the folders above it that are of the same repository: the packages of a monorepo share
/// what is installed at its top.
fn folders_up(root: &Path) -> Vec<String> {
    let above = root.ancestors().take(MOST_ABOVE).position(|folder| folder.join(".git").exists()).unwrap_or(0);
    (0..=above).map(|steps| "../".repeat(steps)).collect()
}

/// What is installed, as the files said when they were looked at.
pub(crate) struct Found {
    pub(crate) offers: Vec<Offer>,
    watched: Vec<(PathBuf, Option<Stamp>)>,
}

impl Found {
    /// Look for the servers that a registry names no command of. Each is the first of its commands whose program is there, in the
    /// root or else above it.
    pub(crate) fn look(registry: &Registry, root: &Path, trust: &Trust) -> Found {
        let mut found = Found { offers: Vec::new(), watched: Vec::new() };
        let folders = folders_up(root);
        let said = Said::of(trust, root);
        for wish in registry.servers.values().filter(|wish| wish.is_found()) {
            let mut places = folders.iter().flat_map(|up| wish.found_as.iter().map(move |command| (up, command)));
            let offer = places.find_map(|(up, command)| {
                let program = format!("{up}{}", command.first()?);
                // As it is before it is read: what changes meanwhile is looked for again.
                found.watched.push((root.join(&program), Stamp::of(&root.join(&program)).ok()));
                let bytes = identity::read(&root.join(&program)).ok()?;
                let command = std::iter::once(program).chain(command.iter().skip(1).cloned()).collect();
                Some(Offer::new(ServerWish { command, ..wish.clone() }, &bytes, &said))
            });
            found.offers.extend(offer);
        }
        found
    }

    /// Whether what was looked at is what it was.
    pub(crate) fn is_current(&self) -> bool {
        self.watched.iter().all(|(path, known)| Stamp::of(path).ok() == *known)
    }
}

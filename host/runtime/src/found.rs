//! Discovers language servers installed in a project, for those whose command the registry does not name. Like all
//! programs of a project, they start only after approval. Discovery runs when servers are requested, as most calls do
//! not need them.

use std::path::{Path, PathBuf};

use marquetry_model::servers::ServerWish;

use crate::{
    cache::Stamp,
    identity,
    registry::Registry,
    trust::{Offer, Said, Trust},
};

/// Maximum number of parent folders to search.
const MOST_ABOVE: usize = 16;

/// Returns the relative paths from a root to itself and to its parent folders in the same repository. The packages of a
/// monorepo share what is installed at its top.
fn folders_up(root: &Path) -> Vec<String> {
    let above = root.ancestors().take(MOST_ABOVE).position(|folder| folder.join(".git").exists()).unwrap_or(0);
    (0..=above).map(|steps| "../".repeat(steps)).collect()
}

/// Installed servers, and the state of the files when they were read.
pub(crate) struct Found {
    pub(crate) offers: Vec<Offer>,
    watched: Vec<(PathBuf, Option<Stamp>)>,
}

impl Found {
    /// Searches for servers whose command the registry does not name. The first command whose program exists wins, in
    /// the root first and then in its parents.
    pub(crate) fn look(registry: &Registry, root: &Path, trust: &Trust) -> Found {
        let mut found = Found { offers: Vec::new(), watched: Vec::new() };
        let folders = folders_up(root);
        let said = Said::of(trust, root);
        for wish in registry.servers.values().filter(|wish| wish.is_found()) {
            let mut places = folders.iter().flat_map(|up| wish.found_as.iter().map(move |command| (up, command)));
            let offer = places.find_map(|(up, command)| {
                let program = format!("{up}{}", command.first()?);
                // Taken before the file is read, so that concurrent changes trigger another search.
                found.watched.push((root.join(&program), Stamp::of(&root.join(&program)).ok()));
                let bytes = identity::read(&root.join(&program)).ok()?;
                let command = std::iter::once(program).chain(command.iter().skip(1).cloned()).collect();
                Some(Offer::new(ServerWish { command, ..wish.clone() }, &bytes, &said))
            });
            found.offers.extend(offer);
        }
        found
    }

    /// Returns whether the files are unchanged.
    pub(crate) fn is_current(&self) -> bool {
        self.watched.iter().all(|(path, known)| Stamp::of(path).ok() == *known)
    }
}

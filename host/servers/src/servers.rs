//! The servers of all roots: one per root and server name, started on first use.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use globset::Glob;
use marquetry_model::{
    Error, Kind, Result,
    ports::{Files, Packs},
    servers::{Server, ServerWish, Servers},
};

use crate::server::OneServer;

/// The language servers of a process. They end with it.
pub struct LanguageServers {
    packs: Arc<dyn Packs>,
    /// By root and server name.
    known: Mutex<HashMap<(String, String), Arc<OneServer>>>,
}

impl LanguageServers {
    /// Creates the servers that the registries of projects name. None of them is started yet.
    pub fn new(packs: Arc<dyn Packs>) -> LanguageServers {
        LanguageServers { packs, known: Mutex::default() }
    }
}

impl Servers for LanguageServers {
    fn for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Server>> {
        let wishes = self.packs.servers(files)?;
        let Some(wish) = wish_for(&wishes, path) else {
            let names: Vec<String> =
                wishes.iter().map(|wish| format!("{}: {}", wish.id, wish.files.join(", "))).collect();
            return Err(Error::new(Kind::Unsupported, format!("no language server is configured for {path}"))
                .hint("add `[servers.NAME]` with `command` and `files` to registry.toml, or leave out `engine`")
                .candidates(names));
        };
        self.of_wish(files, wish)
    }

    fn at_hand(&self, files: &Arc<dyn Files>, path: &str) -> Result<Option<Arc<dyn Server>>> {
        let wishes = self.packs.servers(files)?;
        // A server that is merely installed was not requested by the project, so a missing permission is not
        // reported.
        let wish = wish_for(&wishes, path).filter(|wish| !(wish.is_found() && wish.withheld.is_some()));
        wish.map(|wish| self.of_wish(files, wish)).transpose()
    }

    fn end(&self) {
        let known = std::mem::take(&mut *self.known.lock().unwrap_or_else(PoisonError::into_inner));
        // Stops them explicitly, since calls in progress may hold references.
        known.values().for_each(|server| server.end());
    }
}

impl LanguageServers {
    fn of_wish(&self, files: &Arc<dyn Files>, wish: &ServerWish) -> Result<Arc<dyn Server>> {
        if let Some(withheld) = &wish.withheld {
            return Err(withheld.clone());
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (files.root().to_owned(), wish.id.clone());
        if let Some(server) = known.get(&place).filter(|server| server.wish() == wish) {
            return Ok(Arc::<OneServer>::clone(server));
        }
        // The entry in the registry has changed, so this is a different server.
        let server = Arc::new(OneServer::new(wish.clone()));
        known.insert(place, Arc::clone(&server));
        Ok(server)
    }
}

/// Returns the server for a file. Servers named in the registry take precedence over installed ones.
fn wish_for<'a>(wishes: &'a [ServerWish], path: &str) -> Option<&'a ServerWish> {
    wishes.iter().filter(|wish| takes(wish, path)).min_by_key(|wish| wish.is_found())
}

/// Returns whether a server handles a file. Patterns with a slash match the path, others the file name.
fn takes(wish: &ServerWish, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    wish.files.iter().any(|pattern| {
        let matched = if pattern.contains('/') { path } else { name };
        Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(matched))
    })
}

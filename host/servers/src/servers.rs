//! The servers of all roots: one per root and server name, started on first use.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use globset::Glob;
use marquetry_model::{
    Error, Kind, Result,
    ports::{Files, Packs},
    servers::{RequestedServer, Server, Servers},
};

use crate::server::ManagedServer;

/// The language servers of this process. They are stopped when this is dropped.
pub struct LanguageServers {
    packs: Arc<dyn Packs>,
    /// The servers, by root and server name.
    started: Mutex<HashMap<(String, String), Arc<ManagedServer>>>,
}

impl LanguageServers {
    /// Creates an empty set of servers. A server is added when a file needs it; `packs` knows the registries of projects.
    pub fn new(packs: Arc<dyn Packs>) -> LanguageServers {
        LanguageServers { packs, started: Mutex::default() }
    }
}

impl Servers for LanguageServers {
    fn for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Server>> {
        let specs = self.packs.servers(files)?;
        let Some(spec) = find_spec(&specs, path) else {
            let names: Vec<String> =
                specs.iter().map(|spec| format!("{}: {}", spec.id, spec.files.join(", "))).collect();
            return Err(Error::new(Kind::Unsupported, format!("no language server is configured for {path}"))
                .hint("add `[servers.NAME]` with `command` and `files` to registry.toml, or leave out `engine`")
                .candidates(names));
        };
        self.server_for(files, spec)
    }

    fn available_for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Option<Arc<dyn Server>>> {
        let specs = self.packs.servers(files)?;
        // A server that is merely installed was not requested by the project, so a missing permission is not
        // reported.
        let spec = find_spec(&specs, path).filter(|spec| !(spec.is_detected() && spec.refusal.is_some()));
        spec.map(|spec| self.server_for(files, spec)).transpose()
    }

    fn stop_all(&self) {
        let known = std::mem::take(&mut *self.started.lock().unwrap_or_else(PoisonError::into_inner));
        // The servers are stopped explicitly, because calls in progress may hold references to them.
        known.values().for_each(|server| server.end());
    }
}

impl LanguageServers {
    fn server_for(&self, files: &Arc<dyn Files>, spec: &RequestedServer) -> Result<Arc<dyn Server>> {
        if let Some(withheld) = &spec.refusal {
            return Err(withheld.clone());
        }
        let mut known = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (files.root().to_owned(), spec.id.clone());
        if let Some(server) = known.get(&place).filter(|server| server.spec() == spec) {
            return Ok(Arc::<ManagedServer>::clone(server));
        }
        // No such server exists yet, or its entry in the registry has changed since.
        let server = Arc::new(ManagedServer::new(spec.clone()));
        known.insert(place, Arc::clone(&server));
        Ok(server)
    }
}

/// Returns the server for a file. Servers named in the registry take precedence over installed ones; among those,
/// approved ones come first, then those of the project.
fn find_spec<'a>(specs: &'a [RequestedServer], path: &str) -> Option<&'a RequestedServer> {
    let rank = |spec: &&RequestedServer| match spec.is_detected() {
        true => (true, spec.refusal.is_some(), spec.is_on_path()),
        false => (false, false, false),
    };
    specs.iter().filter(|spec| handles(spec, path)).min_by_key(rank)
}

/// Returns whether a server handles a file. Patterns with a slash match the path, others the file name.
fn handles(spec: &RequestedServer, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    spec.files.iter().any(|pattern| {
        let matched = if pattern.contains('/') { path } else { name };
        match plain_ending(pattern) {
            Some(ending) => matched.ends_with(ending),
            None => Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(matched)),
        }
    })
}

/// Returns the ending of a pattern such as `*.rb`. Most patterns are of this kind, and each text file is compared with
/// those of all servers, so they are not compiled.
fn plain_ending(pattern: &str) -> Option<&str> {
    pattern.strip_prefix('*').filter(|ending| !ending.contains(['*', '?', '[', '{', '\\', '/']))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, time::Duration};

    use super::*;

    /// Creates a server for `*.x` from `NAME`, or from `NAME PROGRAM` for a detected one; with `!` it is approved.
    fn spec(text: &str) -> RequestedServer {
        let (text, is_approved) = text.strip_suffix('!').map_or((text, false), |text| (text, true));
        let (id, program) = text.split_once(' ').unwrap_or((text, ""));
        let command = vec![if program.is_empty() { "named" } else { program }.to_owned()];
        RequestedServer {
            id: id.to_owned(),
            detection_commands: if program.is_empty() { Vec::new() } else { vec![command.clone()] },
            command,
            files: vec!["*.x".to_owned()],
            languages: BTreeMap::new(),
            settings: "null".to_owned(),
            memory: 0,
            idle: Duration::ZERO,
            time: Duration::ZERO,
            refusal: (!is_approved).then(|| Error::new(Kind::PermissionDenied, "not approved")),
        }
    }

    fn check(servers: &[&str], expected: &str) {
        let specs: Vec<RequestedServer> = servers.iter().map(|text| spec(text)).collect();
        assert_eq!(find_spec(&specs, "src/a.x").map(|spec| spec.id.as_str()), Some(expected), "{servers:?}");
    }

    #[test]
    fn configured_then_approved_then_project_server_is_used() {
        check(&["a bin/a"], "a");
        check(&["a bin/a", "b bin/b"], "a");
        check(&["a /usr/bin/a", "b bin/b"], "b");
        check(&["a bin/a", "b /usr/bin/b!"], "b");
        check(&["a /usr/bin/a!", "b bin/b!"], "b");
        // A project that configures a server wants that one, so its missing approval is reported.
        check(&["a /usr/bin/a!", "b bin/b!", "c"], "c");
        assert!(find_spec(&[spec("a!")], "a.y").is_none());
    }

    #[test]
    fn patterns_match_names_and_paths() {
        let check = |pattern: &str, path: &str| {
            handles(&RequestedServer { files: vec![pattern.to_owned()], ..spec("a") }, path)
        };
        assert!(check("*.x", "src/a.x") && check("*.x", ".x") && check("Make*", "b/Makefile") && check("*", "a"));
        assert!(check("src/*.x", "src/a.x") && check("*.{x,y}", "a.y") && check("*.[xy]", "a.x"));
        assert!(!check("*.x", "a.xx") && !check("src/*.x", "lib/a.x") && !check("*.x", "a.x/b"));
    }
}

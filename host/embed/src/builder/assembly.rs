//! Creates the parts of a host from its settings and connects them.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_catalog::Catalog;
use marquetry_files::DiskRoots;
use marquetry_graph::Graph;
use marquetry_model::{
    Error, Result,
    ports::{Packs, Roots},
    servers::Servers,
};
use marquetry_runtime::{Options, PackSet, TrustPolicy};
use marquetry_tools::Workbench;

use super::{DEFAULT_REGISTRY, HostBuilder};
use crate::{Host, folders, host::Parts, roots::OwnRoots};

impl HostBuilder {
    /// Creates the host. Packs are compiled, and roots opened, when a call first needs them.
    ///
    /// # Errors
    /// Fails if no root or files are given, if settings exclude each other, or if the environment names no folder for
    /// the history.
    ///
    /// # Examples
    ///
    /// ```
    /// let error = marquetry::Host::builder().build().err().expect("a root is missing");
    /// assert_eq!(error.content().hint.as_deref(), Some("give one with `root` or `files`"));
    /// ```
    pub fn build(mut self) -> Result<Host> {
        self.check()?;
        let listener = self.listener.take();
        let cache = match &self.cache {
            Some(cache) => cache.clone(),
            // Without a cache folder, each process compiles the packs again.
            None => folders::cache(&self.roots).unwrap_or_default(),
        };
        // The index identifies unchanged files by their times. The times of files of other implementations may be valid
        // in this process only, so their index is not stored.
        let index = cache.as_ref().filter(|_| self.files.is_empty()).map(|cache| cache.join("index"));
        let roots = self.make_roots()?;
        let (packs, sandbox): (Arc<dyn Packs>, Option<Arc<PackSet>>) = match self.packs.take() {
            Some(packs) => (packs, None),
            None => {
                let sandbox = Arc::new(self.sandboxed_packs(cache));
                (Arc::<PackSet>::clone(&sandbox), Some(sandbox))
            }
        };
        let servers = self.make_servers(&packs);
        let mut bench = Workbench::new(roots, packs, Graph::new(index));
        if let Some(editors) = self.editors {
            bench = bench.with_editors(editors);
        }
        if let Some(templates) = self.templates {
            bench = bench.with_templates(templates);
        }
        if let Some(servers) = &servers {
            bench = bench.with_servers(Arc::clone(servers));
        }
        if let Some(bytes) = self.max_bytes {
            bench = bench.with_max_bytes(bytes);
        }
        let bench = with_git(bench, self.git);
        let parts = Parts { catalog: Catalog::new(bench), packs: sandbox, servers, client: self.client };
        Ok(Host::new(parts, listener))
    }

    fn check(&self) -> Result<()> {
        if self.roots.is_empty() && self.files.is_empty() {
            return Err(Error::argument("a host needs a root").hint("give one with `root` or `files`"));
        }
        if !self.roots.is_empty() && !self.files.is_empty() {
            return Err(Error::argument("`root` and `files` exclude each other").hint("build two hosts"));
        }
        if !self.files.is_empty() {
            self.check_files()?;
        }
        if let TrustPolicy::Allowed(approvals) = &self.trust {
            folders::check_private(approvals)?;
        }
        let has_plugins = !self.embedded.is_empty() || !self.bundled.is_empty();
        let has_sandbox = has_plugins || !self.pack_folders.is_empty() || self.registry.is_some();
        if self.packs.is_some() && has_sandbox {
            return Err(Error::argument("`packs` excludes `pack`, `bundled`, `pack_folder` and `registry`")
                .hint("leave out `packs` to run packs in the sandbox"));
        }
        Ok(())
    }

    /// Refuses settings that need a folder on disk if the files are not on disk.
    fn check_files(&self) -> Result<()> {
        let roots: BTreeSet<&str> = self.files.iter().map(|files| files.root()).collect();
        if roots.len() < self.files.len() {
            return Err(Error::argument("two `files` have the same root").hint("build a host for each"));
        }
        let settings = [
            ("git", self.git),
            ("language_servers", self.servers),
            ("any_root", self.any_root),
            ("protected_writes", self.protected_writes),
            ("state", self.state.is_some()),
        ];
        match settings.iter().find(|(_, is_set)| *is_set) {
            Some((name, _)) => Err(Error::argument(format!("`{name}` needs a folder on disk, and `files` has none"))
                .hint("leave it out, or give the folder with `root`")),
            None => Ok(()),
        }
    }

    fn make_roots(&mut self) -> Result<Arc<dyn Roots>> {
        if !self.files.is_empty() {
            return Ok(Arc::new(OwnRoots(std::mem::take(&mut self.files))));
        }
        let roots = self.roots.iter().map(|root| absolute(root)).collect::<Result<Vec<PathBuf>>>()?;
        let state = match self.state.take() {
            Some(state) => state,
            None => folders::state().map_err(|error| error.hint("give a folder with `state`"))?,
        };
        folders::check_private(&state)?;
        let roots = DiskRoots::with_roots(roots, state).with_any_root(self.any_root);
        Ok(Arc::new(if self.protected_writes { roots.allow_protected_writes() } else { roots }))
    }

    fn sandboxed_packs(&mut self, cache: Option<PathBuf>) -> PackSet {
        let is_default = self.registry.is_none();
        let packs = PackSet::new(Options {
            default_registry: self.registry.take().unwrap_or_else(|| DEFAULT_REGISTRY.to_owned()),
            bundled: std::mem::take(&mut self.pack_folders),
            cache,
            trust: self.trust.clone(),
        });
        let mut packs = packs
            .with_bundled(self.bundled)
            .with_store(self.store.take())
            .with_program_folders(std::mem::take(&mut self.program_folders));
        if let Some(compiler) = self.compiler.take() {
            packs = packs.with_compiler(compiler);
        }
        if is_default {
            packs = packs.skip_missing_packs();
        }
        self.embedded.drain(..).fold(packs, |packs, (id, bytes)| packs.with_pack(&id, bytes))
    }

    #[cfg(feature = "servers")]
    fn make_servers(&self, packs: &Arc<dyn Packs>) -> Option<Arc<dyn Servers>> {
        let servers = || Arc::new(marquetry_servers::LanguageServers::new(Arc::clone(packs))) as Arc<dyn Servers>;
        self.servers.then(servers)
    }

    #[cfg(not(feature = "servers"))]
    fn make_servers(&self, _packs: &Arc<dyn Packs>) -> Option<Arc<dyn Servers>> {
        debug_assert!(!self.servers, "only `language_servers` sets it");
        None
    }
}

#[cfg(feature = "git")]
fn with_git(bench: Workbench, is_wanted: bool) -> Workbench {
    if is_wanted { bench.with_repositories(Arc::new(marquetry_git::Git)) } else { bench }
}

#[cfg(not(feature = "git"))]
fn with_git(bench: Workbench, is_wanted: bool) -> Workbench {
    debug_assert!(!is_wanted, "only `git` sets it");
    bench
}

fn absolute(folder: &Path) -> Result<PathBuf> {
    std::path::absolute(folder).map_err(|error| Error::argument(format!("the root `{}`: {error}", folder.display())))
}

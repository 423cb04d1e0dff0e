//! Context of one call: its root, the packs, the index, progress, and the lock for writing.

use std::sync::{Arc, OnceLock};

use marquetry_graph::{DetailLevel, Graph, Workspace};
use marquetry_model::{
    Error, Kind, Result, Work,
    editor::Editors,
    ports::{Files, Pack, Packs, Source, Templates},
    repository::Repositories,
    servers::{Server, Servers},
};

use crate::{
    change_queue::{ChangeQueue, Scope},
    document::OpenFile,
};

/// Context of one call.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) files: Arc<dyn Files>,
    pub(crate) packs: Arc<dyn Packs>,
    pub(crate) graph: Arc<Graph>,
    /// `None` if language servers are disabled.
    pub(crate) servers: Option<Arc<dyn Servers>>,
    pub(crate) turns: Arc<ChangeQueue>,
    pub(crate) editors: Arc<dyn Editors>,
    pub(crate) templates: Arc<dyn Templates>,
    pub(crate) repositories: Arc<dyn Repositories>,
    pub(crate) work: Work,
    /// All roots that are served.
    pub(crate) roots: Vec<String>,
    /// Default size limit of the answer in bytes; `None` if the front end sets no limit.
    pub(crate) max_bytes: Option<usize>,
}

/// Settings with which a call changes files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writing<'a> {
    pub(crate) scope: Scope<'a>,
    /// True to write nothing. No lock is needed then.
    pub(crate) dry_run: bool,
    /// True if the caller gave the expected hash. Then the call must fail if the file has changed.
    pub(crate) hash_expected: bool,
}

/// Maximum number of attempts when files change during a call.
const ATTEMPTS: usize = 4;

/// Warning for answers that did not use the permissions that a project requests.
const UNAPPROVED_WARNING: &str = "the project's registry.toml requests permissions that are not approved, and were not used; `marq trust` lists them";

impl Session {
    /// Returns the warnings to add to the answer.
    pub(crate) fn beside_the_answer(&self) -> Vec<String> {
        let waits = self.packs.approval_state(&self.files).as_deref() == Some("unasked");
        let unasked = waits.then(|| UNAPPROVED_WARNING.to_owned());
        self.work.take_notes().into_iter().chain(self.files.notices()).chain(unasked).collect()
    }

    /// Opens a file that the caller named, with its pack.
    pub(crate) fn open(&self, path: &str) -> Result<OpenFile> {
        let source = self.files.read(path)?;
        self.work.name_file(&source.path);
        self.open_source(source)
    }

    /// Opens a file that the caller did not name, but an answer or the index refers to. The pack receives it only if
    /// its permissions allow that.
    pub(crate) fn open_found(&self, path: &str) -> Result<OpenFile> {
        let file = self.open_source(self.files.read(path)?)?;
        if !file.may_be_read() {
            // The error says which permission is missing.
            file.ask(|_| Ok(()))?;
        }
        Ok(file)
    }

    /// Opens a text that was read already, whether the caller named the file or not.
    pub(crate) fn open_source(&self, source: Source) -> Result<OpenFile> {
        let pack = self.packs.for_path(&self.files, &source.path)?;
        let pack = self.pack_with_server(pack, &source.path);
        Ok(OpenFile::new(pack, source))
    }

    /// Returns the pack for an embedded language; `None` if no pack supports the language.
    pub(crate) fn pack_of_language(&self, language: &str) -> Result<Option<Arc<dyn Pack>>> {
        match self.packs.for_language(&self.files, language) {
            Ok(pack) => Ok(Some(pack)),
            Err(error) if error.kind() == Kind::Unsupported => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether a caller requests a language server.
    pub(crate) fn wants_server(engine: Option<&str>) -> Result<bool> {
        match engine {
            None | Some("plugin") => Ok(false),
            Some("server") => Ok(true),
            Some(other) => {
                let known = ["plugin", "server"].map(str::to_owned);
                Err(Error::argument(format!("unknown engine `{other}`")).candidates(known))
            }
        }
    }

    /// Returns the language server that the project configures for a file.
    pub(crate) fn server_for(&self, path: &str) -> Result<Arc<dyn Server>> {
        let servers = self.servers.as_ref().ok_or_else(|| {
            Error::new(Kind::Unsupported, "this process has no language servers").hint("leave out `engine`")
        })?;
        servers.for_path(&self.files, path)
    }

    /// Returns the language server of a file for a call that does not request a server; `None` if the file has no
    /// available server.
    pub(crate) fn optional_server(&self, path: &str) -> Result<Option<Arc<dyn Server>>> {
        self.servers.as_ref().map_or(Ok(None), |servers| servers.available_for_path(&self.files, path))
    }

    /// Returns instructions for approving the language server of a file, if the server is not approved.
    pub(crate) fn unapproved_server(&self, path: &str) -> Option<String> {
        let refusal = self.servers.as_ref()?.for_path(&self.files, path).err()?;
        let content = refusal.content();
        let how = content.hint.as_deref().map_or(String::new(), |hint| format!("; {hint}"));
        (refusal.kind() == Kind::PermissionDenied)
            .then(|| format!("with its language server, symbols of {path} are targets: {}{how}", content.message))
    }

    /// Returns the current index of the root.
    pub(crate) fn workspace(&self, need: DetailLevel) -> Result<Arc<Workspace>> {
        self.graph.workspace(&self.files, self.packs.as_ref(), need, &self.work)
    }

    /// Returns the index with the names of all files. The first call gets the index and stores it in `cell`.
    pub(crate) fn workspace_names(&self, cell: &OnceLock<Arc<Workspace>>) -> Result<Arc<Workspace>> {
        get_or_compute(cell, || self.workspace(DetailLevel::Names))
    }

    /// Computes and commits a change under the lock. `make` reads, computes and commits. It is called again if another
    /// program changed the files, or if a plugin instance was lost together with its nodes.
    pub(crate) fn run_change<R>(&self, writing: Writing<'_>, make: impl Fn() -> Result<R>) -> Result<R> {
        let may_repeat = |error: &marquetry_model::Error| {
            error.is_transient() || (error.kind() == Kind::Stale && !writing.hash_expected)
        };
        if writing.dry_run {
            return retry(ATTEMPTS, may_repeat, &make);
        }
        // A change of many files takes long to compute, so the first attempt runs without the lock.
        if writing.scope.is_wide() {
            let early = self.turns.early_attempt();
            let made = make();
            drop(early);
            match made {
                Err(error) if may_repeat(&error) => {}
                other => return other,
            }
        }
        let _turn = self.turns.wait_for_turn(self.files.root(), writing.scope, &self.work)?;
        match retry(ATTEMPTS - 1, may_repeat, &make) {
            Err(error) if may_repeat(&error) => {
                let _alone = self.turns.exclusive_attempt();
                make()
            }
            other => other,
        }
    }
}

/// Calls `make` until it succeeds or fails with an error that must not be repeated, at most `attempts` times.
pub(crate) fn retry<R>(
    attempts: usize,
    may_repeat: impl Fn(&marquetry_model::Error) -> bool,
    make: &impl Fn() -> Result<R>,
) -> Result<R> {
    for _ in 1..attempts {
        match make() {
            Err(error) if may_repeat(&error) => {}
            other => return other,
        }
    }
    make()
}

/// Returns the value of a cell, which the first call computes. Concurrent first calls may all compute a value, but only
/// one of these values is kept.
pub(crate) fn get_or_compute<T>(cell: &OnceLock<Arc<T>>, compute: impl FnOnce() -> Result<Arc<T>>) -> Result<Arc<T>> {
    if let Some(known) = cell.get() {
        return Ok(Arc::clone(known));
    }
    let value = compute()?;
    Ok(Arc::clone(cell.get_or_init(|| value)))
}

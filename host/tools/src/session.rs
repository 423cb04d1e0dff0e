//! One call from its start to its end: the root it works below, the packs, the index, its progress, and its turn to write.

use std::sync::Arc;

use marquetry_graph::{Graph, Need, Workspace};
use marquetry_model::{
    Error, Kind, Result, Work,
    editor::Editors,
    ports::{Files, Pack, Packs, Source, Templates},
    repository::Repositories,
    servers::{Server, Servers},
};

use crate::{
    document::OpenFile,
    turns::{Scope, Turns},
};

/// What one call works with.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) files: Arc<dyn Files>,
    pub(crate) packs: Arc<dyn Packs>,
    pub(crate) graph: Arc<Graph>,
    /// None where no language server is ever started.
    pub(crate) servers: Option<Arc<dyn Servers>>,
    pub(crate) turns: Arc<Turns>,
    pub(crate) editors: Arc<dyn Editors>,
    pub(crate) templates: Arc<dyn Templates>,
    pub(crate) repositories: Arc<dyn Repositories>,
    pub(crate) work: Work,
    /// All roots that are served.
    pub(crate) roots: Vec<String>,
    /// Bytes that the answer may have, unless the caller says otherwise; none where the front end sets no bound.
    pub(crate) most_bytes: Option<usize>,
}

/// How a call changes files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writing<'a> {
    pub(crate) scope: Scope<'a>,
    /// Nothing is written, so nobody has to wait.
    pub(crate) dry_run: bool,
    /// The caller said which text it means: what became of it since is not for us to decide.
    pub(crate) pinned: bool,
}

/// A change that other programs outdate is computed so many times.
const ATTEMPTS: usize = 4;

/// What an answer says that was given without what a project asks for.
const UNASKED: &str = "the project's registry.toml requests permissions that are not approved, and were not used; `marq trust` lists them";

impl Session {
    /// What the caller has to know beside the answer.
    pub(crate) fn beside_the_answer(&self) -> Vec<String> {
        let waits = self.packs.trust(&self.files).as_deref() == Some("unasked");
        let unasked = waits.then(|| UNASKED.to_owned());
        self.work.take_notes().into_iter().chain(self.files.notices()).chain(unasked).collect()
    }

    /// Open a file that the caller named with the pack that takes it.
    pub(crate) fn open(&self, path: &str) -> Result<OpenFile> {
        let source = self.files.read(path)?;
        self.work.name_file(&source.path);
        self.open_source(source)
    }

    /// The same for a file that the caller did not name: an answer or an index leads there. A pack is given it as far as its
    /// grants go.
    pub(crate) fn open_found(&self, path: &str) -> Result<OpenFile> {
        let file = self.open_source(self.files.read(path)?)?;
        if !file.is_given() {
            // The refusal names what is missing.
            file.ask(|_| Ok(()))?;
        }
        Ok(file)
    }

    /// Open a text that was read already, of a file that the caller named or not.
    pub(crate) fn open_source(&self, source: Source) -> Result<OpenFile> {
        let pack = self.packs.for_path(&self.files, &source.path)?;
        Ok(OpenFile::new(pack, source))
    }

    /// The pack of a part in another language; none where no pack takes it.
    pub(crate) fn pack_of_language(&self, language: &str) -> Result<Option<Arc<dyn Pack>>> {
        match self.packs.for_language(&self.files, language) {
            Ok(pack) => Ok(Some(pack)),
            Err(error) if error.kind() == Kind::Unsupported => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a caller wants the word of a language server.
    pub(crate) fn wants_server(engine: Option<&str>) -> Result<bool> {
        match engine {
            None | Some("plugin") => Ok(false),
            Some("server") => Ok(true),
            Some(other) => {
                Err(Error::argument(format!("no engine `{other}`")).candidates(["plugin", "server"].map(str::to_owned)))
            }
        }
    }

    /// The language server that the project names for a file.
    pub(crate) fn server_for(&self, path: &str) -> Result<Arc<dyn Server>> {
        let servers = self.servers.as_ref().ok_or_else(|| {
            Error::new(Kind::Unsupported, "no language servers are started here").hint("leave out `engine`")
        })?;
        servers.for_path(&self.files, path)
    }

    /// The server of a file, for a caller who did not ask for its word; none where there is none.
    pub(crate) fn server_at_hand(&self, path: &str) -> Result<Option<Arc<dyn Server>>> {
        self.servers.as_ref().map_or(Ok(None), |servers| servers.at_hand(&self.files, path))
    }

    /// The index of the root, up to date.
    pub(crate) fn workspace(&self, need: Need) -> Result<Arc<Workspace>> {
        self.graph.workspace(&self.files, self.packs.as_ref(), need, &self.work)
    }

    /// Compute and commit a change in its turn. `make` reads, computes and commits; it is called again on what is there
    /// then where another program was faster, or where a plugin's instance was lost with the nodes it had found.
    pub(crate) fn change<R>(&self, writing: Writing<'_>, make: impl Fn() -> Result<R>) -> Result<R> {
        let may_repeat =
            |error: &marquetry_model::Error| error.is_transient() || (error.kind() == Kind::Stale && !writing.pinned);
        if writing.dry_run {
            return repeated(ATTEMPTS, may_repeat, &make);
        }
        // What concerns many files takes long to compute: the first attempt lets the others work meanwhile.
        if writing.scope.is_wide() {
            let early = self.turns.early();
            let made = make();
            drop(early);
            match made {
                Err(error) if may_repeat(&error) => {}
                other => return other,
            }
        }
        let _turn = self.turns.wait(self.files.root(), writing.scope, &self.work)?;
        match repeated(ATTEMPTS - 1, may_repeat, &make) {
            Err(error) if may_repeat(&error) => {
                let _alone = self.turns.alone();
                make()
            }
            other => other,
        }
    }
}

/// Make the call again as long as that may help.
pub(crate) fn repeated<R>(
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

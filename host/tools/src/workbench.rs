//! What all calls share: the roots, the packs, the index, and whose turn it is. Every tool starts here, as a session.

use std::sync::Arc;

use marquetry_graph::Graph;
use marquetry_model::{
    Result, Work,
    editor::{Editors, NoEditors},
    ports::{Files, Packs, Roots, Templates},
    repository::{NoRepositories, Repositories},
    servers::Servers,
};

use crate::{
    CreateArgs, CreateResult, DeleteArgs, DeleteResult, DuplicateArgs, DuplicateResult, EditArgs, EditResult,
    HistoryArgs, HistoryResult, MoveArgs, MoveResult, OpenArgs, OpenResult, QueryArgs, QueryResult, ReadAnswer,
    ReadArgs, RenameArgs, RenameResult, ShowResult, UndoArgs, UndoResult, call_files, session::Session,
    template::Engine, turns::Turns,
};

/// The roots and packs that tools work with, and the call they work for.
#[derive(Clone)]
pub struct Workbench {
    roots: Arc<dyn Roots>,
    packs: Arc<dyn Packs>,
    graph: Arc<Graph>,
    servers: Option<Arc<dyn Servers>>,
    turns: Arc<Turns>,
    editors: Arc<dyn Editors>,
    templates: Arc<dyn Templates>,
    repositories: Arc<dyn Repositories>,
    work: Work,
    most_bytes: Option<usize>,
}

impl Workbench {
    /// A workbench over these ports, with no editor at hand.
    pub fn new(roots: Arc<dyn Roots>, packs: Arc<dyn Packs>, graph: Graph) -> Workbench {
        let (graph, turns) = (Arc::new(graph), Arc::default());
        let (servers, editors, repositories) = (None, Arc::new(NoEditors), Arc::new(NoRepositories));
        let (templates, work) = (Arc::new(Engine), Work::default());
        Workbench { roots, packs, graph, servers, turns, editors, templates, repositories, work, most_bytes: None }
    }

    /// The same with editors: what they hold unsaved is not changed behind their back.
    #[must_use]
    pub fn with_editors(&self, editors: Arc<dyn Editors>) -> Workbench {
        Workbench { editors, ..self.clone() }
    }

    /// The same with templates rendered elsewhere, such as in a process of their own.
    #[must_use]
    pub fn with_templates(&self, templates: Arc<dyn Templates>) -> Workbench {
        Workbench { templates, ..self.clone() }
    }

    /// The editors.
    pub fn editors(&self) -> &Arc<dyn Editors> {
        &self.editors
    }

    /// The same with repositories of version control.
    #[must_use]
    pub fn with_repositories(&self, repositories: Arc<dyn Repositories>) -> Workbench {
        Workbench { repositories, ..self.clone() }
    }

    /// The same with language servers, for callers that want their word.
    #[must_use]
    pub fn with_servers(self, servers: Arc<dyn Servers>) -> Workbench {
        Workbench { servers: Some(servers), ..self }
    }

    /// The same for one call: its progress is reported there, and it ends when that is cancelled.
    #[must_use]
    pub fn working(&self, work: &Work) -> Workbench {
        Workbench { work: work.clone(), ..self.clone() }
    }

    /// The same with answers of at most about so many bytes, unless a call gives `maxBytes`: what is left out is counted,
    /// and the answer says how to get it.
    #[must_use]
    pub fn answering_within(&self, bytes: usize) -> Workbench {
        Workbench { most_bytes: Some(bytes), ..self.clone() }
    }

    /// The files below a root; without one, below that of the process.
    ///
    /// # Errors
    /// Where the root is no directory, or not one that may be worked in.
    pub fn files(&self, root: Option<&str>) -> Result<Arc<dyn Files>> {
        self.roots.open(root)
    }

    /// The roots.
    pub fn roots(&self) -> &Arc<dyn Roots> {
        &self.roots
    }

    /// The same over other roots.
    #[must_use]
    pub fn over(&self, roots: Arc<dyn Roots>) -> Workbench {
        Workbench { roots, ..self.clone() }
    }

    /// The packs.
    pub fn packs(&self) -> &Arc<dyn Packs> {
        &self.packs
    }

    fn session(&self, root: Option<&str>) -> Result<Session> {
        Ok(Session {
            files: call_files::of_call(self.files(root)?, &self.editors, &self.work),
            packs: Arc::clone(&self.packs),
            graph: Arc::clone(&self.graph),
            servers: self.servers.clone(),
            turns: Arc::clone(&self.turns),
            editors: Arc::clone(&self.editors),
            templates: Arc::clone(&self.templates),
            repositories: Arc::clone(&self.repositories),
            work: self.work.clone(),
            roots: self.roots.served(),
            most_bytes: self.most_bytes,
        })
    }
}

/// The result of a tool, with a place for what is worth knowing of the files it worked with.
trait Remarked {
    fn warnings(&mut self) -> &mut Vec<String>;
}

/// The tools: each a method of the workbench that starts a session below the root that the arguments name, and tells what
/// the files have to say besides.
macro_rules! tools {
    ($($(#[$doc:meta])* $name:ident: $args:ty => $result:ty;)*) => {
        impl Workbench {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// Typed, with a hint and the nearest right answers; then nothing was written.
                pub fn $name(&self, args: &$args) -> Result<$result> {
                    let session = self.session(args.root.as_deref())?;
                    let mut result = session.$name(args)?;
                    result.warnings().extend(session.beside_the_answer());
                    Ok(result)
                }
            )*
        }

        $(
            impl Remarked for $result {
                fn warnings(&mut self) -> &mut Vec<String> {
                    &mut self.warnings
                }
            }
        )*
    };
}

tools! {
    /// Read a file, or what a target names in it.
    read: ReadArgs => ReadAnswer;
    /// Edit a file, or refactor.
    edit: EditArgs => EditResult;
    /// Make a file.
    create: CreateArgs => CreateResult;
    /// Delete files, and the imports of them.
    delete: DeleteArgs => DeleteResult;
    /// Move a file or directory.
    move_path: MoveArgs => MoveResult;
    /// Rename a file or directory.
    rename_path: RenameArgs => RenameResult;
    /// Copy a file.
    duplicate: DuplicateArgs => DuplicateResult;
    /// Ask what is in the workspace.
    query: QueryArgs => QueryResult;
    /// Open files, diffs and symbols in an editor.
    open_items: OpenArgs => OpenResult;
    /// Find the same, and tell what is in it.
    show_items: OpenArgs => ShowResult;
    /// Take a change back.
    undo: UndoArgs => UndoResult;
    /// The changes of a project.
    history: HistoryArgs => HistoryResult;
}

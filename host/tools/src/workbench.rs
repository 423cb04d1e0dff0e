//! Shared state of all calls: roots, packs, index and locks. Every tool call starts here and creates a session.

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
    FileSetArgs, FileSetResult, HistoryArgs, HistoryResult, MoveArgs, MoveResult, OpenArgs, OpenResult, QueryArgs,
    QueryResult, ReadAnswer, ReadArgs, RenameArgs, RenameResult, ShowResult, UndoArgs, UndoResult, call_files,
    change_queue::ChangeQueue, session::Session, template::Engine,
};

/// Shared state of tool calls, with the settings of the current call.
#[derive(Clone)]
pub struct Workbench {
    roots: Arc<dyn Roots>,
    packs: Arc<dyn Packs>,
    graph: Arc<Graph>,
    servers: Option<Arc<dyn Servers>>,
    turns: Arc<ChangeQueue>,
    editors: Arc<dyn Editors>,
    templates: Arc<dyn Templates>,
    repositories: Arc<dyn Repositories>,
    work: Work,
    max_bytes: Option<usize>,
}

impl Workbench {
    /// Creates a workbench with these ports and without editors.
    pub fn new(roots: Arc<dyn Roots>, packs: Arc<dyn Packs>, graph: Graph) -> Workbench {
        let (graph, turns) = (Arc::new(graph), Arc::default());
        let (servers, editors, repositories) = (None, Arc::new(NoEditors), Arc::new(NoRepositories));
        let (templates, work) = (Arc::new(Engine), Work::default());
        Workbench { roots, packs, graph, servers, turns, editors, templates, repositories, work, max_bytes: None }
    }

    /// Sets the editors. Calls read and edit the unsaved buffers of these editors instead of the files on disk.
    #[must_use]
    pub fn with_editors(&self, editors: Arc<dyn Editors>) -> Workbench {
        Workbench { editors, ..self.clone() }
    }

    /// Sets another template renderer, such as one in a separate process.
    #[must_use]
    pub fn with_templates(&self, templates: Arc<dyn Templates>) -> Workbench {
        Workbench { templates, ..self.clone() }
    }

    /// The editors.
    pub fn editors(&self) -> &Arc<dyn Editors> {
        &self.editors
    }

    /// Sets the version control repositories.
    #[must_use]
    pub fn with_repositories(&self, repositories: Arc<dyn Repositories>) -> Workbench {
        Workbench { repositories, ..self.clone() }
    }

    /// Sets the language servers, for callers that request them.
    #[must_use]
    pub fn with_servers(self, servers: Arc<dyn Servers>) -> Workbench {
        Workbench { servers: Some(servers), ..self }
    }

    /// Sets the work of one call, for progress and cancellation.
    #[must_use]
    pub fn with_progress(&self, work: &Work) -> Workbench {
        Workbench { work: work.clone(), ..self.clone() }
    }

    /// Sets the default size limit of answers in bytes, for calls without `maxBytes`. An answer describes what was
    /// omitted, and how to get it.
    #[must_use]
    pub fn with_max_bytes(&self, bytes: usize) -> Workbench {
        Workbench { max_bytes: Some(bytes), ..self.clone() }
    }

    /// Returns the files below a root. If `root` is `None`, the default root of the process is used.
    ///
    /// # Errors
    /// Fails if the root is not a directory, or if access to it is not allowed.
    pub fn files(&self, root: Option<&str>) -> Result<Arc<dyn Files>> {
        self.roots.open(root)
    }

    /// The roots.
    pub fn roots(&self) -> &Arc<dyn Roots> {
        &self.roots
    }

    /// Sets the roots.
    #[must_use]
    pub fn with_roots(&self, roots: Arc<dyn Roots>) -> Workbench {
        Workbench { roots, ..self.clone() }
    }

    /// The packs.
    pub fn packs(&self) -> &Arc<dyn Packs> {
        &self.packs
    }

    fn session(&self, root: Option<&str>) -> Result<Session> {
        Ok(Session {
            files: call_files::files_of_call(self.files(root)?, &self.editors, &self.work),
            packs: Arc::clone(&self.packs),
            graph: Arc::clone(&self.graph),
            servers: self.servers.clone(),
            turns: Arc::clone(&self.turns),
            editors: Arc::clone(&self.editors),
            templates: Arc::clone(&self.templates),
            repositories: Arc::clone(&self.repositories),
            work: self.work.clone(),
            roots: self.roots.served(),
            max_bytes: self.max_bytes,
        })
    }
}

/// A result with warnings.
trait Remarked {
    fn warnings(&mut self) -> &mut Vec<String>;
}

/// Generates the methods for the tools. Each method creates a session for the root in the arguments, and adds warnings
/// to the result.
macro_rules! tools {
    ($($(#[$doc:meta])* $name:ident: $args:ty => $result:ty $(, warnings in $report:ident)?;)*) => {
        impl Workbench {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// Fails with a typed error, with a hint and similar valid values. Nothing is written in that case.
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
                    &mut self.$($report.)?warnings
                }
            }
        )*
    };
}

tools! {
    /// Reads a file, or a target in it.
    read: ReadArgs => ReadAnswer;
    /// Edits a file, or runs a refactor.
    edit: EditArgs => EditResult, warnings in report;
    /// Applies edits, new files and deletions as one change.
    file_set: FileSetArgs => FileSetResult;
    /// Creates a file.
    create: CreateArgs => CreateResult, warnings in report;
    /// Deletes files and the imports of them.
    delete: DeleteArgs => DeleteResult, warnings in report;
    /// Moves a file or directory.
    move_path: MoveArgs => MoveResult, warnings in report;
    /// Renames a file or directory.
    rename_path: RenameArgs => RenameResult, warnings in report;
    /// Copies a file.
    duplicate: DuplicateArgs => DuplicateResult, warnings in report;
    /// Queries the workspace.
    query: QueryArgs => QueryResult;
    /// Opens files, diffs and symbols in an editor.
    open_items: OpenArgs => OpenResult;
    /// Resolves the same items and returns them as text.
    show_items: OpenArgs => ShowResult;
    /// Undoes a change.
    undo: UndoArgs => UndoResult;
    /// Lists the changes of a project.
    history: HistoryArgs => HistoryResult;
}

//! A machine with a user and a project, in a temporary folder.

use std::{fs, path::Path, path::PathBuf, sync::Arc};

use marquetry_clients::{Choice, Extras, Machine, Plan, Scope, Selection, System, plan, select};
use marquetry_files::DiskRoots;
use marquetry_model::Error;
use marquetry_native::{Project, Snapshot};
use marquetry_tools::{FileSetArgs, UndoArgs, Workbench};
use tempfile::TempDir;

/// A machine on which nothing is installed.
pub(crate) struct Desk {
    pub(crate) project: Project,
    pub(crate) machine: Machine,
    /// Holds the home folder.
    _folder: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Desk {
        let folder = tempfile::tempdir().expect("a folder");
        let (home, state) = (folder.path().join("home"), folder.path().join("state"));
        fs::create_dir(&home).expect("made");
        let project = Project::new("");
        let root = project.root();
        let project = project
            .with_components(|bench| bench.with_roots(Arc::new(DiskRoots::new(root, state).with_any_root(true))));
        let machine = Machine {
            system: System::Linux,
            home: Some(home.canonicalize().expect("real")),
            project: project.root().canonicalize().expect("real"),
            variable: Box::new(|_| None),
            path: Vec::new(),
            program: Some(PathBuf::from("/opt/marq/bin/marq")),
        };
        Desk { project, machine, _folder: folder }
    }

    pub(crate) fn bench(&self) -> &Workbench {
        self.project.catalog().bench()
    }

    /// The home folder.
    pub(crate) fn home(&self) -> PathBuf {
        self.machine.home.clone().expect("a home folder")
    }

    /// Writes a file like another program would.
    pub(crate) fn write(&self, file: &Path, text: &str) {
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, text).expect("written");
    }

    /// Selects one client.
    pub(crate) fn select(&self, client: &str, scope: Option<Scope>) -> Result<Selection, Error> {
        select(&self.machine, &[client.to_owned()], scope)
    }

    pub(crate) fn choice(&self, client: &str, scope: Scope) -> Choice {
        self.select(client, Some(scope)).expect("a client").chosen.remove(0)
    }

    pub(crate) fn plan(&self, selection: &Selection, extras: Extras, remove: bool) -> Result<Plan, Error> {
        let scope = selection.chosen.first().map_or(Scope::Project, |choice| choice.scope);
        plan((self.bench(), &self.machine), selection, (extras, scope), remove)
    }

    /// Writes the changes of a plan, and returns their ids.
    pub(crate) fn apply(&self, plan: &Plan) -> Vec<String> {
        let apply = |set: &FileSetArgs| self.bench().file_set(set).expect("applied").id.expect("an id");
        plan.changes.iter().map(|change| apply(&change.set)).collect()
    }

    pub(crate) fn undo(&self, root: &Path, id: &str) {
        let args = UndoArgs { root: Some(root.display().to_string()), id: Some(id.to_owned()), ..UndoArgs::default() };
        self.bench().undo(&args).expect("undone");
    }

    /// The files in the project and in the home folder.
    pub(crate) fn snapshot(&self) -> (Snapshot, Snapshot) {
        (self.project.snapshot(), Snapshot::take(&self.home()))
    }

    /// Replaces the folders of this desk in a text.
    pub(crate) fn neutral(&self, text: &str) -> String {
        let text = text.replace(&self.machine.project.display().to_string(), "/path/to/project");
        text.replace(&self.home().display().to_string(), "/path/to/home")
    }
}

//! A test project: a folder, its history, and the tools for it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_catalog::Catalog;
use marquetry_files::DiskRoots;
use marquetry_git::Git;
use marquetry_graph::Graph;
use marquetry_model::{Error, Work, ports::Packs, servers::Servers};
use marquetry_tools::Workbench;
use serde_json::Value;
use tempfile::TempDir;

use crate::{fixture, packs::NativePacks, snapshot::Snapshot};

/// A folder with files, and all tools.
pub struct Project {
    folder: TempDir,
    catalog: Catalog,
}

impl Project {
    /// Creates a project with the files of a fixture.
    pub fn new(fixture: &str) -> Project {
        Project::with_packs(fixture, Arc::new(NativePacks::default()))
    }

    /// Creates a project with the files of a fixture and these packs.
    pub fn with_packs(fixture: &str, packs: Arc<dyn Packs>) -> Project {
        Project::create(fixture, packs, |bench| bench)
    }

    /// Creates a project with the files of a fixture and language servers.
    pub fn with_servers(fixture: &str, servers: Arc<dyn Servers>) -> Project {
        Project::create(fixture, Arc::new(NativePacks::default()), |bench| bench.with_servers(servers))
    }

    fn create(fixture: &str, packs: Arc<dyn Packs>, more: impl FnOnce(Workbench) -> Workbench) -> Project {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("root")).expect("a root");
        for file in fixture::parse_files(fixture).0 {
            file.write(&at("root"));
        }
        let roots = DiskRoots::new(at("root"), at("state"));
        let bench = Workbench::new(Arc::new(roots), packs, Graph::new(at("index"))).with_repositories(Arc::new(Git));
        let bench = more(bench);
        Project { catalog: Catalog::new(bench), folder }
    }

    /// Adds further components, such as editors.
    #[must_use]
    pub fn with_components(self, equip: impl FnOnce(&Workbench) -> Workbench) -> Project {
        Project { catalog: Catalog::new(equip(self.catalog.bench())), folder: self.folder }
    }

    /// The folder with the files.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// Calls a tool with JSON text. Can be called from any thread.
    pub fn call(&self, tool: &str, arguments: &str) -> Result<Value, Error> {
        self.call_with_work(tool, arguments, &Work::default())
    }

    /// Like `call`, as part of the given work.
    pub fn call_with_work(&self, tool: &str, arguments: &str, work: &Work) -> Result<Value, Error> {
        let given = serde_json::from_str(arguments).expect("arguments are a JSON object");
        self.catalog.call(self.catalog.find(tool)?, given, work)?.to_json()
    }

    /// The catalog of tools.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns the current contents of the folder.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::take(&self.root())
    }

    /// Returns the text of a file.
    ///
    /// # Panics
    /// Panics if the file cannot be read.
    pub fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).expect("a file that can be read")
    }

    /// Writes a file like another program would.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("the folder is made");
        std::fs::write(path, text).expect("the file is written");
    }
}

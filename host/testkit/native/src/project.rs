//! A project of a test: a folder, its history, and the product over it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_files::DiskRoots;
use marquetry_git::Git;
use marquetry_graph::Graph;
use marquetry_model::{Error, Work, ports::Packs, servers::Servers};
use marquetry_tools::Workbench;
use marquetry_wire::Catalog;
use serde_json::Value;
use tempfile::TempDir;

use crate::{fixture, packs::NativePacks, snapshot::Snapshot};

/// A folder with files, and everything that the product keeps of it.
pub struct Project {
    folder: TempDir,
    catalog: Catalog,
}

impl Project {
    /// The files of a fixture.
    pub fn new(fixture: &str) -> Project {
        Project::with(fixture, Arc::new(NativePacks::default()))
    }

    /// The files of a fixture, and these packs.
    pub fn with(fixture: &str, packs: Arc<dyn Packs>) -> Project {
        Project::made(fixture, packs, |bench| bench)
    }

    /// The files of a fixture, and language servers.
    pub fn with_servers(fixture: &str, servers: Arc<dyn Servers>) -> Project {
        Project::made(fixture, Arc::new(NativePacks::default()), |bench| bench.with_servers(servers))
    }

    fn made(fixture: &str, packs: Arc<dyn Packs>, more: impl FnOnce(Workbench) -> Workbench) -> Project {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("root")).expect("a root");
        for file in fixture::files(fixture).0 {
            file.write(&at("root"));
        }
        let roots = DiskRoots::new(at("root"), at("state"));
        let bench = Workbench::new(Arc::new(roots), packs, Graph::new(at("index"))).with_repositories(Arc::new(Git));
        let bench = more(bench);
        Project { catalog: Catalog::new(bench), folder }
    }

    /// The same with something else at hand, such as editors.
    #[must_use]
    pub fn equipped(self, equip: impl FnOnce(&Workbench) -> Workbench) -> Project {
        Project { catalog: Catalog::new(equip(self.catalog.bench())), folder: self.folder }
    }

    /// Where the files are.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// Call a tool with JSON text. From any thread.
    pub fn call(&self, tool: &str, arguments: &str) -> Result<Value, Error> {
        self.call_for(tool, arguments, &Work::default())
    }

    /// The same, as a part of this work.
    pub fn call_for(&self, tool: &str, arguments: &str, work: &Work) -> Result<Value, Error> {
        let given = serde_json::from_str(arguments).expect("arguments are a JSON object");
        self.catalog.call(self.catalog.find(tool)?, given, work)?.value()
    }

    /// The tools.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// What is there now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.root())
    }

    /// The text of a file.
    ///
    /// # Panics
    /// Where there is none.
    pub fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).expect("a file that can be read")
    }

    /// Write a file as another program would.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("the folder is made");
        std::fs::write(path, text).expect("the file is written");
    }
}

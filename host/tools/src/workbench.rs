//! What every tool works with: the roots, the packs, and the way from a path to an open file.

use std::sync::Arc;

use marquetry_graph::{Graph, Need, Workspace};
use marquetry_model::{
    Result, Work,
    ports::{Files, Pack, Packs, Roots, Source},
};

/// The roots and packs that tools work with, and the call they work for.
#[derive(Clone)]
pub struct Workbench {
    pub(crate) roots: Arc<dyn Roots>,
    pub(crate) packs: Arc<dyn Packs>,
    graph: Arc<Graph>,
    pub(crate) work: Work,
}

/// A text file and the pack that takes it.
pub(crate) struct Opened {
    pub(crate) files: Arc<dyn Files>,
    pub(crate) pack: Arc<dyn Pack>,
    pub(crate) source: Source,
}

impl Workbench {
    /// A workbench over these ports.
    pub fn new(roots: Arc<dyn Roots>, packs: Arc<dyn Packs>, graph: Graph) -> Workbench {
        Workbench { roots, packs, graph: Arc::new(graph), work: Work::default() }
    }

    /// The same for one call: its progress is reported there, and it ends when that is cancelled.
    #[must_use]
    pub fn working(&self, work: &Work) -> Workbench {
        Workbench { work: work.clone(), ..self.clone() }
    }

    /// The index of a root, up to date.
    pub(crate) fn workspace(&self, files: &Arc<dyn Files>, need: Need) -> Result<Arc<Workspace>> {
        self.graph.workspace(files, self.packs.as_ref(), need, &self.work)
    }

    /// The files below a root; without one, below that of the process.
    pub fn files(&self, root: Option<&str>) -> Result<Arc<dyn Files>> {
        self.roots.open(root)
    }

    /// The packs.
    pub fn packs(&self) -> &Arc<dyn Packs> {
        &self.packs
    }

    /// Read a file and find its pack.
    pub(crate) fn open(&self, root: Option<&str>, path: &str) -> Result<Opened> {
        let files = self.files(root)?;
        self.open_in(&files, path)
    }

    /// The same, for files that are at hand.
    pub(crate) fn open_in(&self, files: &Arc<dyn Files>, path: &str) -> Result<Opened> {
        let files = Arc::clone(files);
        let source = files.read(path)?;
        let pack = self.packs.for_path(&files, &source.path)?;
        Ok(Opened { files, pack, source })
    }
}

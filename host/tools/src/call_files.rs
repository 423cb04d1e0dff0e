//! The files of a root as one call asks for them: whoever works on them for long, a pack above all, can see whether the call
//! is still wanted.

use std::sync::Arc;

use marquetry_model::{
    Applied, Change, Result, Work,
    ports::{EntryKind, FileStamp, Files, Past, Source, Survey, Unfinished},
};

/// Files, and the call that they are asked for.
struct CallFiles {
    files: Arc<dyn Files>,
    work: Work,
}

/// The files as one call asks for them.
pub(crate) fn of_call(files: Arc<dyn Files>, work: &Work) -> Arc<dyn Files> {
    Arc::new(CallFiles { files, work: work.clone() })
}

impl Files for CallFiles {
    fn work(&self) -> Option<&Work> {
        Some(&self.work)
    }

    fn root(&self) -> &str {
        self.files.root()
    }

    fn locate(&self, path: &str) -> Result<String> {
        self.files.locate(path)
    }

    fn read(&self, path: &str) -> Result<Source> {
        self.files.read(path)
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.files.read_bytes(path)
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        self.files.stat(path)
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        self.files.entries(path)
    }

    fn version(&self, path: &str) -> Option<u64> {
        self.files.version(path)
    }

    fn layout(&self) -> u64 {
        self.files.layout()
    }

    fn exporters(&self, name: &str) -> Vec<String> {
        self.files.exporters(name)
    }

    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        self.files.walk(below)
    }

    fn survey(&self, below: &str) -> Result<Survey> {
        self.files.survey(below)
    }

    fn damage(&self) -> Result<Vec<String>> {
        self.files.damage()
    }

    fn notices(&self) -> Vec<String> {
        self.files.notices()
    }

    fn unfinished(&self) -> Result<Vec<Unfinished>> {
        self.files.unfinished()
    }

    fn give_up(&self, id: &str) -> Result<Option<String>> {
        self.files.give_up(id)
    }

    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<Applied> {
        self.files.apply(change, dry_run, work)
    }

    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(Past, Applied)> {
        self.files.undo(id, dry_run, work)
    }

    fn history(&self, limit: usize) -> Result<Vec<Past>> {
        self.files.history(limit)
    }
}

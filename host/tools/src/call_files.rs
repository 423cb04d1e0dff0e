//! The files of a root for one call. Long-running work, in packs above all, can check whether the call is cancelled.
//! Unsaved buffers of editors are read and edited there.

use std::{borrow::Cow, sync::Arc};

use marquetry_model::{
    Applied, Change, Kind, Result, Step, Work,
    editor::{Editors, Unsaved},
    limits,
    lookups::Lookups,
    ports::{EntryKind, FileStamp, Files, Names, Past, Source, Survey, Unfinished, version},
    reader::Reader,
};

use crate::{
    call_texts::{self, CallTexts, Room},
    held::{About, Held},
};

/// Files with the call that uses them.
struct CallFiles {
    files: Arc<dyn Files>,
    held: Held,
    work: Work,
    texts: CallTexts,
}

/// Wraps the files of a root for one call.
pub(crate) fn of_call(files: Arc<dyn Files>, editors: &Arc<dyn Editors>, work: &Work) -> Arc<dyn Files> {
    let held = Held::new(editors, &files, work);
    let texts = CallTexts::of(&call_texts::OF_PROCESS);
    Arc::new(CallFiles { files, held, work: work.clone(), texts })
}

impl CallFiles {
    /// Reserves memory for a text that will be read.
    fn room(&self, path: &str) -> Result<Room<'_>> {
        self.texts.room(self.files.size(path).unwrap_or(0))
    }

    /// Refuses to change files with unsaved changes in an editor; a dry run only adds a note.
    fn check_saved(&self, unsaved: &[Unsaved], dry_run: bool) -> Result<()> {
        if unsaved.is_empty() {
            return Ok(());
        }
        let refusal = self.held.refusal(unsaved);
        if dry_run {
            self.work.note(format!("{}; without a dry run, the change would be refused", refusal.content().message));
            return Ok(());
        }
        Err(refusal)
    }

    /// Applies a change that includes unsaved buffers: their editors apply their parts.
    fn apply_with_editors(&self, change: &Change, unsaved: &[Unsaved], dry_run: bool, work: &Work) -> Result<Applied> {
        match self.held.parted(change, unsaved) {
            Ok(parted) => self.held.carry_out(&parted, dry_run, work),
            // A dry run can show a change that was computed from the text on disk, but not one of an outdated buffer.
            Err(error) if dry_run && error.kind() == Kind::OverwriteBlocked && !self.held.was_read(change) => {
                self.check_saved(unsaved, true)?;
                self.files.apply(change, true, work)
            }
            Err(error) => Err(error),
        }
    }
}

/// Reads many files, from unsaved buffers where there are any. Texts that count against the memory limit are left to
/// [`Files::text`].
struct CallReader<'a> {
    held: &'a Held,
    files: Box<dyn Reader + 'a>,
}

impl Reader for CallReader<'_> {
    fn text(&mut self, path: &str, most: u64) -> Result<Option<Cow<'_, str>>> {
        if let Some(source) = self.held.source_of_walk(path) {
            return Ok(Some(source.text.to_string().into()));
        }
        self.files.text(path, most.min(limits::LARGE_FILE - 1))
    }
}

/// The paths that a step writes or reads.
fn changed(step: &Step) -> Vec<About<'_>> {
    match step {
        Step::Edit { path, .. } | Step::Create { path, .. } => vec![About::Contents(path)],
        Step::Delete { path, .. } => vec![About::Entry(path)],
        Step::Move { from, to, .. } => vec![About::Entry(from), About::Entry(to)],
        // A copy would contain another text than the user sees.
        Step::Copy { from, to, .. } => vec![About::Contents(from), About::Entry(to)],
    }
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
        if let Some(source) = self.held.source(path) {
            return Ok(source);
        }
        let room = self.room(path)?;
        let source = self.files.read(path)?;
        room.taken_by(&source.text);
        Ok(source)
    }

    fn text(&self, path: &str) -> Result<Arc<str>> {
        if let Some(source) = self.held.source_of_walk(path) {
            return Ok(source.text);
        }
        let room = self.room(path)?;
        let text = self.files.text(path)?;
        room.taken_by(&text);
        Ok(text)
    }

    fn reader(&self) -> Box<dyn Reader + '_> {
        Box::new(CallReader { held: &self.held, files: self.files.reader() })
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.files.read_bytes(path)
    }

    fn hash(&self, bytes: &[u8]) -> String {
        self.files.hash(bytes)
    }

    fn decode(&self, path: &str, bytes: &[u8]) -> Result<String> {
        self.files.decode(path, bytes)
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        self.files.stat(path)
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        self.files.entries(path)
    }

    fn outdated(&self, lookups: &mut Lookups) -> Vec<String> {
        self.files.outdated(lookups)
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.files.size(path)
    }

    fn real(&self, path: &str) -> String {
        self.files.real(path)
    }

    fn is_ignored(&self, path: &str) -> bool {
        self.files.is_ignored(path)
    }

    fn version(&self, path: &str) -> Option<u64> {
        match self.held.source(path) {
            Some(source) => Some(version(&source.hash)),
            None => self.files.version(path),
        }
    }

    fn layout(&self) -> u64 {
        self.files.layout()
    }

    fn exporters(&self, name: &str) -> Vec<String> {
        self.files.exporters(name)
    }

    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        Ok(self.survey(below)?.files.to_vec())
    }

    fn survey(&self, below: &str) -> Result<Survey> {
        let survey = self.files.survey(below)?;
        Ok(Survey { files: self.held.stamped(survey.files), ..survey })
    }

    fn names(&self, below: &str) -> Result<Names> {
        self.files.names(below)
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

    fn take_back(&self, id: &str) -> Result<String> {
        self.files.take_back(id)
    }

    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<Applied> {
        match &self.held.unsaved(change.steps.iter().flat_map(changed))[..] {
            [] => self.files.apply(change, dry_run, work),
            unsaved => self.apply_with_editors(change, unsaved, dry_run, work),
        }
    }

    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(Past, Applied)> {
        if !self.held.unsaved([About::Contents("")].into_iter()).is_empty() {
            let (past, _) = self.files.undo(id, true, work)?;
            self.check_saved(&self.held.unsaved(past.files.iter().map(|path| About::Contents(path))), dry_run)?;
        }
        self.files.undo(id, dry_run, work)
    }

    fn history(&self, limit: usize) -> Result<Vec<Past>> {
        self.files.history(limit)
    }
}

//! The files of a root for one call. Long operations, mainly in packs, can check whether the call is cancelled. Unsaved
//! buffers are read from and edited in their editors.

use std::{borrow::Cow, sync::Arc};

use marquetry_model::{
    Change, ChangeEffects, Kind, Result, Step, Work,
    editor::{Editors, UnsavedFile},
    limits,
    lookups::Lookups,
    ports::{EntryKind, FileStamp, Files, PastChange, Source, UnfinishedChange, WalkedFiles, WalkedNames, version},
    reader::Reader,
};

use crate::{
    overlay::{ChangeKind, UnsavedBuffers},
    text_memory::{self, CallTexts, Reservation},
};

/// The files of a root, and the call that uses them.
struct CallFiles {
    files: Arc<dyn Files>,
    buffers: UnsavedBuffers,
    work: Work,
    texts: CallTexts,
}

/// Wraps the files of a root for one call.
pub(crate) fn files_of_call(files: Arc<dyn Files>, editors: &Arc<dyn Editors>, work: &Work) -> Arc<dyn Files> {
    let overlay = UnsavedBuffers::new(editors, &files, work);
    let texts = CallTexts::within(&text_memory::PROCESS_LIMIT);
    Arc::new(CallFiles { files, buffers: overlay, work: work.clone(), texts })
}

impl CallFiles {
    /// Reserves memory for a text that will be read.
    fn reserve_memory(&self, path: &str) -> Result<Reservation<'_>> {
        self.texts.reserve(self.files.size(path).unwrap_or(0))
    }

    /// Refuses to change files with unsaved changes in an editor; a dry run only adds a note.
    fn check_saved(&self, unsaved: &[UnsavedFile], dry_run: bool) -> Result<()> {
        if unsaved.is_empty() {
            return Ok(());
        }
        let refusal = self.buffers.unsaved_error(unsaved);
        if dry_run {
            self.work
                .add_note(format!("{}; without a dry run, the change would be refused", refusal.content().message));
            return Ok(());
        }
        Err(refusal)
    }

    /// Applies a change that includes unsaved buffers. The editors of these buffers apply the edits of the buffers.
    fn apply_with_editors(
        &self,
        change: &Change,
        unsaved: &[UnsavedFile],
        dry_run: bool,
        work: &Work,
    ) -> Result<ChangeEffects> {
        match self.buffers.split(change, unsaved) {
            Ok(parted) => self.buffers.apply_split(&parted, dry_run, work),
            // A dry run may show a change that was computed from the text on disk, but not one that was computed from
            // an outdated buffer.
            Err(error)
                if dry_run && error.kind() == Kind::OverwriteBlocked && !self.buffers.edits_read_buffers(change) =>
            {
                self.check_saved(unsaved, true)?;
                self.files.apply(change, true, work)
            }
            Err(error) => Err(error),
        }
    }
}

/// A reader of many files. It prefers unsaved buffers. Texts that count against the memory limit are read with
/// [`Files::text`] instead.
struct CallReader<'a> {
    buffers: &'a UnsavedBuffers,
    files: Box<dyn Reader + 'a>,
}

impl Reader for CallReader<'_> {
    fn text(&mut self, path: &str, most: u64) -> Result<Option<Cow<'_, str>>> {
        if let Some(source) = self.buffers.source_of_walk(path) {
            return Ok(Some(source.text.to_string().into()));
        }
        self.files.text(path, most.min(limits::LARGE_FILE - 1))
    }
}

/// The paths that a step writes or reads.
fn changed_entries(step: &Step) -> Vec<ChangeKind<'_>> {
    match step {
        Step::Edit { path, .. } | Step::Create { path, .. } => vec![ChangeKind::Contents(path)],
        Step::Delete { path, .. } => vec![ChangeKind::Entry(path)],
        Step::Move { from, to, .. } => vec![ChangeKind::Entry(from), ChangeKind::Entry(to)],
        // The copy is made from the file on disk, so its text would differ from the text that the user sees in the
        // editor.
        Step::Copy { from, to, .. } => vec![ChangeKind::Contents(from), ChangeKind::Entry(to)],
    }
}

impl Files for CallFiles {
    fn work(&self) -> Option<&Work> {
        Some(&self.work)
    }

    fn root(&self) -> &str {
        self.files.root()
    }

    fn is_on_disk(&self) -> bool {
        self.files.is_on_disk()
    }

    fn locate(&self, path: &str) -> Result<String> {
        self.files.locate(path)
    }

    fn read(&self, path: &str) -> Result<Source> {
        if let Some(source) = self.buffers.source(path) {
            return Ok(source);
        }
        let room = self.reserve_memory(path)?;
        let source = self.files.read(path)?;
        room.keep_for(&source.text);
        Ok(source)
    }

    fn text(&self, path: &str) -> Result<Arc<str>> {
        if let Some(source) = self.buffers.source_of_walk(path) {
            return Ok(source.text);
        }
        let room = self.reserve_memory(path)?;
        let text = self.files.text(path)?;
        room.keep_for(&text);
        Ok(text)
    }

    fn reader(&self) -> Box<dyn Reader + '_> {
        Box::new(CallReader { buffers: &self.buffers, files: self.files.reader() })
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

    fn changed_lookups(&self, lookups: &mut Lookups) -> Vec<String> {
        self.files.changed_lookups(lookups)
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.files.size(path)
    }

    fn resolve_links(&self, path: &str) -> String {
        self.files.resolve_links(path)
    }

    fn is_ignored(&self, path: &str) -> bool {
        self.files.is_ignored(path)
    }

    fn version(&self, path: &str) -> Option<u64> {
        match self.buffers.source(path) {
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
        Ok(self.walk_with_skipped(below)?.files.to_vec())
    }

    fn walk_with_skipped(&self, below: &str) -> Result<WalkedFiles> {
        let survey = self.files.walk_with_skipped(below)?;
        Ok(WalkedFiles { files: self.buffers.with_unsaved_stamps(survey.files), ..survey })
    }

    fn walk_names(&self, below: &str) -> Result<WalkedNames> {
        self.files.walk_names(below)
    }

    fn damaged_entries(&self) -> Result<Vec<String>> {
        self.files.damaged_entries()
    }

    fn notices(&self) -> Vec<String> {
        self.files.notices()
    }

    fn unfinished(&self) -> Result<Vec<UnfinishedChange>> {
        self.files.unfinished()
    }

    fn give_up(&self, id: &str) -> Result<Option<String>> {
        self.files.give_up(id)
    }

    fn roll_back_copy(&self, id: &str) -> Result<String> {
        self.files.roll_back_copy(id)
    }

    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<ChangeEffects> {
        match &self.buffers.unsaved(change.steps.iter().flat_map(changed_entries))[..] {
            [] => self.files.apply(change, dry_run, work),
            unsaved => self.apply_with_editors(change, unsaved, dry_run, work),
        }
    }

    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(PastChange, ChangeEffects)> {
        if !self.buffers.unsaved([ChangeKind::Contents("")].into_iter()).is_empty() {
            let (past, _) = self.files.undo(id, true, work)?;
            self.check_saved(&self.buffers.unsaved(past.files.iter().map(|path| ChangeKind::Contents(path))), dry_run)?;
        }
        self.files.undo(id, dry_run, work)
    }

    fn history(&self, limit: usize) -> Result<Vec<PastChange>> {
        self.files.history(limit)
    }
}

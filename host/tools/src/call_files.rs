//! The files of a root as one call asks for them: whoever works on them for long, a pack above all, can see whether the call
//! is still wanted, and what a person has unsaved in an editor is read there, and changed there or not at all.

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

/// Files, and the call that they are asked for.
struct CallFiles {
    files: Arc<dyn Files>,
    held: Held,
    work: Work,
    texts: CallTexts,
}

/// The files as one call asks for them.
pub(crate) fn of_call(files: Arc<dyn Files>, editors: &Arc<dyn Editors>, work: &Work) -> Arc<dyn Files> {
    let held = Held::new(editors, &files, work);
    let texts = CallTexts::of(&call_texts::OF_PROCESS);
    Arc::new(CallFiles { files, held, work: work.clone(), texts })
}

impl CallFiles {
    /// Room for a text that is about to be read.
    fn room(&self, path: &str) -> Result<Room<'_>> {
        self.texts.room(self.files.size(path).unwrap_or(0))
    }

    /// Refuse to change what an editor holds unsaved; a call that writes nothing is told.
    fn check_saved(&self, unsaved: &[Unsaved], dry_run: bool) -> Result<()> {
        if unsaved.is_empty() {
            return Ok(());
        }
        let refusal = self.held.refusal(unsaved);
        if dry_run {
            self.work.note(format!("{}: the change itself would be refused", refusal.content().message));
            return Ok(());
        }
        Err(refusal)
    }

    /// Change files of which some are unsaved in editors: these edit what is theirs.
    fn apply_with_editors(&self, change: &Change, unsaved: &[Unsaved], dry_run: bool, work: &Work) -> Result<Applied> {
        match self.held.parted(change, unsaved) {
            Ok(parted) => self.held.carry_out(&parted, dry_run, work),
            // What was computed on the disk can be shown; on another text nothing is left to show.
            Err(error) if dry_run && error.kind() == Kind::OverwriteBlocked && !self.held.was_read(change) => {
                self.check_saved(unsaved, true)?;
                self.files.apply(change, true, work)
            }
            Err(error) => Err(error),
        }
    }
}

/// Reads many files, those that are unsaved in an editor there. Texts that count are left to [`Files::text`].
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

/// What a step changes, or takes the bytes of.
fn changed(step: &Step) -> Vec<About<'_>> {
    match step {
        Step::Edit { path, .. } | Step::Create { path, .. } => vec![About::Contents(path)],
        Step::Delete { path, .. } => vec![About::Entry(path)],
        Step::Move { from, to, .. } => vec![About::Entry(from), About::Entry(to)],
        // It would be of another text than the person sees.
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

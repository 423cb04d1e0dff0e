//! Overlay of unsaved editor buffers for the files of one call. The call reads such files with the user's changes, and
//! edits them in the editor. Each editor gets its edits as one request, and either all requests succeed or none. The
//! user can undo the edits and must save them. This module does not depend on a particular editor.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use marquetry_model::{
    Change, ChangeEffects, Edit, EditSet, Error, FileEffect, Kind, Outcome, Result, Span, Step, Work,
    editor::{Answer, EditorCall, Editors, FileEdits, Point, Region, Request, TextEdit, UnsavedFile},
    ports::{EntryKind, FileStamp, Files, Source},
    text::Lines,
};

/// Maximum time that an editor may take to return a text that is only read.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// Unsaved buffers of the files of one call.
pub(crate) struct UnsavedBuffers {
    editors: Arc<dyn Editors>,
    files: Arc<dyn Files>,
    work: Work,
    seen: Mutex<AttemptState>,
}

/// State of one attempt of a call. The attempt sees a single version of each file, even if the user continues to type.
#[derive(Default)]
struct AttemptState {
    /// Unsaved files below the root.
    unsaved: Option<Arc<[OpenBuffer]>>,
    /// Texts of buffers, by the real path of the file.
    texts: BTreeMap<String, Source>,
}

/// An unsaved file, under the path that its editor uses.
struct OpenBuffer {
    by: UnsavedFile,
    /// Real path of the file.
    place: String,
}

/// The effect of a change on a path: on the file at the path, or on the directory entry.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ChangeKind<'a> {
    /// The file at a path, with symbolic links resolved.
    Contents(&'a str),
    /// The directory entry itself, even if it is a symbolic link.
    Entry(&'a str),
}

/// Edits of one file that its editor applies.
struct EditorEdits {
    by: UnsavedFile,
    path: String,
    /// Real path of the file.
    place: String,
    before: Arc<str>,
    edits: EditSet,
}

/// A change in two parts: edits in editors, and the rest on disk.
pub(crate) struct SplitChange {
    passed: Vec<EditorEdits>,
    rest: Change,
}

impl UnsavedBuffers {
    pub(crate) fn new(editors: &Arc<dyn Editors>, files: &Arc<dyn Files>, work: &Work) -> UnsavedBuffers {
        let (editors, files, work) = (Arc::clone(editors), Arc::clone(files), work.clone());
        UnsavedBuffers { editors, files, work, seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, AttemptState> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the unsaved files below the root, the same for the whole attempt.
    fn open_buffers(&self) -> Arc<[OpenBuffer]> {
        if let Some(known) = &self.seen().unsaved {
            return Arc::clone(known);
        }
        // The lock is not held here, because the call may wait for editors.
        let buffers = self.editors.unsaved_without_waiting(&[self.root().to_owned()]).into_iter();
        let all: Arc<[OpenBuffer]> = buffers.map(|by| OpenBuffer { place: self.real_path(&by.path), by }).collect();
        self.seen().unsaved = Some(Arc::clone(&all));
        all
    }

    fn root(&self) -> &str {
        self.files.root().trim_end_matches('/')
    }

    /// Absolute path of a file, as used by editors.
    fn absolute(&self, path: &str) -> String {
        if path.is_empty() { self.root().to_owned() } else { format!("{}/{path}", self.root()) }
    }

    /// Real path of a file: absolute, with symbolic links resolved.
    fn real_path(&self, path: &str) -> String {
        let real = self.files.resolve_links(path);
        if Path::new(&real).is_absolute() { real } else { self.absolute(&real) }
    }

    /// Path with symbolic links resolved in all components but the last.
    fn entry_path(&self, path: &str) -> String {
        let (above, last) = path.rsplit_once('/').unwrap_or(("", path));
        format!("{}/{last}", self.real_path(above).trim_end_matches('/'))
    }

    /// Returns the unsaved files at or below these paths. Looks for editors that were not attached yet.
    pub(crate) fn unsaved<'a>(&self, paths: impl Iterator<Item = ChangeKind<'a>>) -> Vec<UnsavedFile> {
        let mut unsaved = self.editors.unsaved(&[self.root().to_owned()]);
        if unsaved.is_empty() {
            return unsaved;
        }
        let places = paths.flat_map(|about| match about {
            ChangeKind::Contents(path) => [self.absolute(path), self.real_path(path)],
            ChangeKind::Entry(path) => [self.absolute(path), self.entry_path(path)],
        });
        let places: Vec<String> = places.collect();
        let is_meant = |at: &str| places.iter().any(|place| at == place || marquetry_model::is_below(at, place));
        let names = |path: &str| [path.to_owned(), self.entry_path(path), self.real_path(path)];
        unsaved.retain(|by| names(&by.path).iter().any(|name| is_meant(name)));
        unsaved
    }

    /// Returns the text of a file that is unsaved in exactly one editor; `None` if the file on disk is current.
    pub(crate) fn source(&self, path: &str) -> Option<Source> {
        if self.open_buffers().is_empty() {
            return None;
        }
        let path = self.files.locate(path).ok()?;
        self.source_at(&path, &self.real_path(&path))
    }

    /// Like `source`, for a file found by a walk, which does not follow symbolic links.
    pub(crate) fn source_of_walk(&self, path: &str) -> Option<Source> {
        if self.open_buffers().is_empty() { None } else { self.source_at(path, &self.absolute(path)) }
    }

    /// Like `source`, for the file with this real path.
    fn source_at(&self, path: &str, place: &str) -> Option<Source> {
        let all = self.open_buffers();
        let mut holders = all.iter().filter(|buffer| buffer.place == place).map(|buffer| &buffer.by);
        let by = holders.next()?;
        if let Some(other) = holders.next() {
            let (one, other) = (&by.editor, &other.editor);
            self.work.add_note(format!(
                "{path} has unsaved changes in both `{one}` and `{other}`: the version on disk was read"
            ));
            return None;
        }
        if let Some(known) = self.seen().texts.get(place) {
            return Some(Source { path: path.to_owned(), ..known.clone() });
        }
        if self.files.stat(path) != Some(EntryKind::File) {
            return None;
        }
        let (title, name) = (&by.title, &by.editor);
        if !by.can_edit {
            self.work.add_note(format!(
                "{path} has unsaved changes in {title} (`{name}`), which does not provide them: the version on disk \
                 was read"
            ));
            return None;
        }
        match self.text(by, &by.path, READ_TIMEOUT, &self.work) {
            Ok(text) => {
                let text = text?;
                let (hash, size) = (self.files.hash(text.as_bytes()), text.len() as u64);
                let source = Source { path: path.to_owned(), text, hash, size };
                self.seen().texts.insert(place.to_owned(), source.clone());
                self.work.add_note(format!("{path} was read with the unsaved changes in {title} (`{name}`)"));
                Some(source)
            }
            Err(error) => {
                let why = &error.content().message;
                self.work.add_note(format!(
                    "{path} has unsaved changes in {title} (`{name}`) that could not be read: {why}; the version on \
                     disk was read"
                ));
                None
            }
        }
    }

    /// Returns the text of a buffer; `None` if it is not open any more.
    fn text(&self, by: &UnsavedFile, absolute: &str, within: Duration, work: &Work) -> Result<Option<Arc<str>>> {
        match self.ask(by, Request::Text(absolute.to_owned()), within, work)? {
            Answer::Text(text) => Ok(text),
            _ => Err(Error::internal("the editor sent an answer that does not belong to the request")),
        }
    }

    fn ask(&self, by: &UnsavedFile, request: Request, within: Duration, work: &Work) -> Result<Answer> {
        let editor = Some(by.editor.clone());
        let call =
            EditorCall { editor, is_exact: true, timeout: Some(within), ..EditorCall::for_root(self.root(), work) };
        self.editors.send_request(&call, request)
    }

    /// Replaces the stamps of unsaved files in a walk, so that the index reads them again.
    pub(crate) fn with_unsaved_stamps(&self, stamps: Arc<[FileStamp]>) -> Arc<[FileStamp]> {
        let all = self.open_buffers();
        if all.is_empty() {
            return stamps;
        }
        let mut stamps = stamps.to_vec();
        for buffer in all.iter() {
            let Some(path) = buffer.place.strip_prefix(self.root()).map(|path| path.trim_start_matches('/')) else {
                continue;
            };
            let Ok(at) = stamps.binary_search_by(|stamp| stamp.path.as_str().cmp(path)) else { continue };
            if let Some(source) = self.source_at(path, &buffer.place) {
                stamps[at].size = source.size;
                stamps[at].modified = artificial_mtime(&source);
            }
        }
        stamps.into()
    }

    /// Splits a change into edits for editors and the rest. Fails with `OverwriteBlocked` if an unsaved file would be
    /// changed other than by edits, or if its editor does not support edits.
    pub(crate) fn split(&self, change: &Change, unsaved: &[UnsavedFile]) -> Result<SplitChange> {
        let mut by_place: BTreeMap<String, Vec<&UnsavedFile>> = BTreeMap::new();
        for by in unsaved {
            by_place.entry(self.real_path(&by.path)).or_default().push(by);
        }
        let mut parted =
            SplitChange { passed: Vec::new(), rest: Change { title: change.title.clone(), steps: Vec::new() } };
        for step in &change.steps {
            let Step::Edit { path, base, edits } = step else {
                parted.rest.steps.push(step.clone());
                continue;
            };
            let place = self.real_path(path);
            match by_place.remove(&place).as_deref() {
                // The file is already edited under another path.
                None if parted.passed.iter().any(|passed| passed.place == place) => {
                    return Err(self.unsaved_error(unsaved));
                }
                None => parted.rest.steps.push(step.clone()),
                Some([by]) if by.can_edit => parted.passed.push(self.editor_edits(by, path, base, edits)?),
                Some(_) => return Err(self.unsaved_error(unsaved)),
            }
        }
        // Unsaved files in `by_place` are moved, copied, created or deleted by the change. Unsaved files in `passed`
        // are edited and may be moved, too.
        let goes = |passed: &EditorEdits| {
            let steps = &parted.rest.steps;
            touches(steps, &passed.path) || touches(steps, &self.relative_path(&passed.place))
        };
        if by_place.is_empty() && !parted.passed.iter().any(goes) {
            Ok(parted)
        } else {
            Err(self.unsaved_error(unsaved))
        }
    }

    /// Prepares the edits of one file for the text that its editor currently shows. Fails if this text differs from the
    /// text for which the edits were computed.
    fn editor_edits(&self, by: &UnsavedFile, path: &str, base: &str, edits: &EditSet) -> Result<EditorEdits> {
        let text = self.text(by, &by.path, marquetry_model::limits::EDITOR_ANSWER_TIME, &self.work);
        let text = text.map_err(|error| self.edit_refused(by, &error.content().message))?;
        let text = text.ok_or_else(|| self.outdated(path))?;
        if self.files.hash(text.as_bytes()) != base {
            return Err(self.outdated(path));
        }
        if text.contains('\r') {
            return Err(self.edit_refused(by, "it has mixed line endings"));
        }
        let edits = before_final_line_break(&text, edits);
        Ok(EditorEdits { by: by.clone(), path: path.to_owned(), place: self.real_path(path), edits, before: text })
    }

    /// Error for a buffer that has changed. The next attempt reads it again.
    fn outdated(&self, path: &str) -> Error {
        *self.seen() = AttemptState::default();
        crate::draft::changed_meanwhile(path)
    }

    /// Error for unsaved files. Saving them in the editor would overwrite the change, or the change would overwrite the
    /// user's changes.
    pub(crate) fn unsaved_error(&self, unsaved: &[UnsavedFile]) -> Error {
        let first = &unsaved[0];
        let others = match unsaved.len() {
            1 => String::new(),
            many => format!("; also unsaved: {} more", many - 1),
        };
        let (path, title, name) = (self.relative_path(&first.path), &first.title, &first.editor);
        let message = format!("{path} has unsaved changes in {title} (`{name}`){others}");
        Error::new(Kind::OverwriteBlocked, message)
            .hint("nothing was written; ask the user to save or discard them in the editor, then repeat the call")
            .candidates(unsaved.iter().map(|buffer| self.relative_path(&buffer.path)))
    }

    /// Error for an editor that does not apply edits to an unsaved file.
    fn edit_refused(&self, by: &UnsavedFile, why: &str) -> Error {
        let (path, title, name) = (self.relative_path(&by.path), &by.title, &by.editor);
        let message = format!("{path} has unsaved changes in {title} (`{name}`), which did not apply the edit: {why}");
        Error::new(Kind::OverwriteBlocked, message)
            .hint("nothing was written; ask the user to save or discard them in the editor, then repeat the call")
            .candidates([path])
    }

    fn relative_path(&self, path: &str) -> String {
        path.strip_prefix(self.root()).unwrap_or(path).trim_start_matches('/').to_owned()
    }

    /// Applies a change: checks the part on disk, then edits in the editors, then writes to disk. Edits in editors are
    /// reverted on failure.
    pub(crate) fn apply_split(&self, parted: &SplitChange, dry_run: bool, work: &Work) -> Result<ChangeEffects> {
        let has_rest = !parted.rest.steps.is_empty();
        if dry_run {
            let rest = if has_rest { Some(self.files.apply(&parted.rest, true, work)?) } else { None };
            for EditorEdits { by, path, .. } in &parted.passed {
                let (title, name) = (&by.title, &by.editor);
                work.add_note(format!("{path} would be edited in {title} (`{name}`), where it has unsaved changes"));
            }
            return Ok(self.applied(rest, parted, Outcome::DryRun));
        }
        if has_rest {
            self.files.apply(&parted.rest, true, work)?;
        }
        work.check()?;
        self.send_to_editors(&parted.passed)?;
        let rest = has_rest.then(|| self.files.apply(&parted.rest, false, work)).transpose();
        let rest = rest.map_err(|error| self.revert(&parted.passed, error))?;
        for EditorEdits { by, path, .. } in &parted.passed {
            let (title, name) = (&by.title, &by.editor);
            work.add_note(format!(
                "{path} was edited in {title} (`{name}`), where it had unsaved changes: save or undo it in that editor"
            ));
        }
        Ok(self.applied(rest, parted, Outcome::Applied))
    }

    /// Sends the edits to the editors. Each editor applies all of its edits or none.
    fn send_to_editors(&self, passed: &[EditorEdits]) -> Result<()> {
        let mut by_editor: BTreeMap<&str, Vec<&EditorEdits>> = BTreeMap::new();
        for one in passed {
            by_editor.entry(one.by.editor.as_str()).or_default().push(one);
        }
        let mut done: Vec<&EditorEdits> = Vec::new();
        for files in by_editor.into_values() {
            if let Err(error) = self.edit(&files) {
                return Err(self.revert(done, error));
            }
            done.extend(files);
        }
        Ok(())
    }

    fn edit(&self, files: &[&EditorEdits]) -> Result<()> {
        let edits = files.iter().map(|one| to_editor_edits(&one.by.path, &one.before, &one.edits)).collect();
        // The requests cannot be cancelled from here on, because an editor may apply a cancelled request anyway.
        let within = marquetry_model::limits::EDITOR_ANSWER_TIME;
        let Err(error) = self.ask(&files[0].by, Request::Apply(edits), within, &Work::default()) else { return Ok(()) };
        if error.kind() == Kind::InvalidArgument {
            // The editor did not change anything. If the user has changed the text, the next attempt uses the new text.
            for one in files {
                let now = self.text(&one.by, &one.by.path, within, &self.work).ok().flatten();
                if now.as_deref() != Some(&*one.before) {
                    return Err(self.outdated(&one.path));
                }
            }
            return Err(self.edit_refused(&files[0].by, &error.content().message));
        }
        let (path, title, name) = (&files[0].path, &files[0].by.title, &files[0].by.editor);
        let message = format!(
            "it is not known whether {title} (`{name}`) edited {path}, which has unsaved changes there: {}",
            error.content().message
        );
        Err(Error::new(error.kind(), message).hint("nothing was written to disk; check the file in the editor"))
    }

    /// Reverts edits in editors after a failure and returns the error.
    fn revert<'a>(&self, done: impl IntoIterator<Item = &'a EditorEdits>, error: Error) -> Error {
        let mut error = error;
        for one in done {
            let after: Arc<str> = one.edits.apply(&one.before).into();
            let back = before_final_line_break(&after, &one.edits.invert(&one.before));
            let edits = vec![to_editor_edits(&one.by.path, &after, &back)];
            let reverted =
                self.ask(&one.by, Request::Apply(edits), marquetry_model::limits::EDITOR_ANSWER_TIME, &Work::default());
            if reverted.is_err() {
                error = error.context(&format!(
                    "{} is still edited in `{}`; undo the edit in that editor",
                    one.path, one.by.editor
                ));
            }
        }
        *self.seen() = AttemptState::default();
        error
    }

    /// Returns whether a change edits texts that were read from editors.
    pub(crate) fn edits_read_buffers(&self, change: &Change) -> bool {
        let seen = self.seen();
        let is =
            |path: &str, hash: &str| seen.texts.get(&self.real_path(path)).is_some_and(|source| source.hash == hash);
        let edited = |step: &Step| match step {
            Step::Edit { path, base, .. } => is(path, base),
            Step::Copy { from, edits: Some((base, _)), .. } => is(from, base),
            _ => false,
        };
        change.steps.iter().any(edited)
    }

    /// Combines the results of both parts.
    fn applied(&self, rest: Option<ChangeEffects>, parted: &SplitChange, outcome: Outcome) -> ChangeEffects {
        let none = ChangeEffects { id: None, outcome, files: Vec::new(), directories_created: Vec::new() };
        let mut applied = rest.unwrap_or(none);
        applied.outcome = outcome;
        for EditorEdits { path, before, edits, .. } in &parted.passed {
            let after = edits.apply(before);
            let (hash, size) = (Some(self.files.hash(after.as_bytes())), after.len() as u64);
            applied.files.push(FileEffect { before: Some(path.clone()), after: Some(path.clone()), hash, size });
        }
        applied
    }
}

/// Returns whether a step moves, copies, creates or deletes a file or one of its folders.
fn touches(steps: &[Step], path: &str) -> bool {
    let at = |above: &String| above == path || marquetry_model::is_below(path, above);
    steps.iter().any(|step| match step {
        Step::Edit { .. } => false,
        Step::Create { path, .. } | Step::Delete { path, .. } => at(path),
        Step::Move { from, to, .. } | Step::Copy { from, to, .. } => at(from) || at(to),
    })
}

/// Artificial modification time that no real file has, derived from the text. It is long before any real file.
fn artificial_mtime(source: &Source) -> u128 {
    // The time is an odd number of nanoseconds, so that it is not mistaken for the time of a coarse clock.
    u128::from(source.version() % 1_000_000_000_000_000) | 1
}

/// Converts edits to the form that editors use.
fn to_editor_edits(path: &str, text: &str, edits: &EditSet) -> FileEdits {
    let lines = Lines::new(text);
    let point = |offset: usize| {
        let at = lines.position(offset);
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Point { line: number(at.line.saturating_sub(1)), column: number(at.column) }
    };
    let edit = |edit: &Edit| TextEdit {
        region: Region { start: point(edit.span.start), end: point(edit.span.end) },
        old: edit.span.slice(text).to_owned(),
        new: edit.text.clone(),
    };
    FileEdits { path: path.to_owned(), edits: edits.as_slice().iter().map(edit).collect(), save: false }
}

/// Moves edits away from a final line break that the edits do not change, because some editors have no position after
/// it.
fn before_final_line_break(text: &str, edits: &EditSet) -> EditSet {
    let moved = edits.as_slice().iter().map(|edit| {
        let Edit { span, text: new } = edit;
        if span.end < text.len() || !text.ends_with('\n') {
            return edit.clone();
        }
        let end = text.len() - 1;
        if let Some(kept) = new.strip_suffix('\n').filter(|_| span.start <= end) {
            return Edit { span: Span::new(span.start, end), text: kept.to_owned() };
        }
        match new.strip_suffix('\n') {
            // The new text is inserted after the final line break. Insert it before this line break instead, with its
            // own line break at its start.
            Some(kept) => Edit { span: Span::new(end, end), text: format!("\n{kept}") },
            // Whole lines are deleted. Delete the line break before these lines instead of the final line break.
            None if new.is_empty() && span.start <= end && text[..span.start].ends_with('\n') => {
                Edit { span: Span::new(span.start - 1, end), text: String::new() }
            }
            // The text will end without a line break. An editor that requires a final line break then reports a
            // different text.
            None if span.start > end => Edit { span: Span::new(end, text.len()), text: format!("\n{new}") },
            None => edit.clone(),
        }
    });
    // If the moved edits overlap, the original edits are used.
    EditSet::new(text, moved.collect()).unwrap_or_else(|_| edits.clone())
}

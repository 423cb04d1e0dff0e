//! What editors hold unsaved of the files of one call: read as the person left it, and edited where it is. Edits go through the
//! editor as one request for each editor, all of them or none, and are the person's to undo and to save. It must not know how any
//! editor does that.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use marquetry_model::{
    Applied, Change, Edit, EditSet, Error, FileEffect, Kind, Outcome, Result, Span, Step, Work,
    editor::{Answer, Call, Editors, Edits, Point, Region, Request, TextEdit, Unsaved},
    ports::{EntryKind, FileStamp, Files, Source},
    text::Lines,
};

/// How long an editor has to hand a text over to whoever only reads it.
const READING: Duration = Duration::from_secs(2);

/// What editors hold of the files of one call.
pub(crate) struct Held {
    editors: Arc<dyn Editors>,
    files: Arc<dyn Files>,
    work: Work,
    seen: Mutex<Seen>,
}

/// What an attempt of a call knows: it sees one text of a file, whatever the person does meanwhile.
#[derive(Default)]
struct Seen {
    /// What is unsaved below the root.
    unsaved: Option<Arc<[HeldFile]>>,
    /// Texts that were handed over, by the place of their file.
    texts: BTreeMap<String, Source>,
}

/// A file that is unsaved, under whatever name its editor has it.
struct HeldFile {
    by: Unsaved,
    /// Where the file stands, with links followed.
    place: String,
}

/// What a change does something to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum About<'a> {
    /// What is in the file at a path; a link is followed.
    Contents(&'a str),
    /// What stands at the path itself, be it a link.
    Entry(&'a str),
}

/// The edits of one file that its editor carries out.
struct Passed {
    by: Unsaved,
    path: String,
    /// Where the file stands, with links followed.
    place: String,
    before: Arc<str>,
    edits: EditSet,
}

/// A change in two parts: what editors carry out, and what is done on disk.
pub(crate) struct Parted {
    passed: Vec<Passed>,
    rest: Change,
}

impl Held {
    pub(crate) fn new(editors: &Arc<dyn Editors>, files: &Arc<dyn Files>, work: &Work) -> Held {
        let (editors, files, work) = (Arc::clone(editors), Arc::clone(files), work.clone());
        Held { editors, files, work, seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is unsaved below the root, as this attempt sees it.
    fn all(&self) -> Arc<[HeldFile]> {
        if let Some(known) = &self.seen().unsaved {
            return Arc::clone(known);
        }
        // Not under the lock: the first one that asks may wait.
        let held = self.editors.held(&[self.root().to_owned()]).into_iter();
        let all: Arc<[HeldFile]> = held.map(|by| HeldFile { place: self.place(&by.path), by }).collect();
        self.seen().unsaved = Some(Arc::clone(&all));
        all
    }

    fn root(&self) -> &str {
        self.files.root().trim_end_matches('/')
    }

    /// The path of a file as editors name it.
    fn absolute(&self, path: &str) -> String {
        if path.is_empty() { self.root().to_owned() } else { format!("{}/{path}", self.root()) }
    }

    /// Where the file at a path stands, with links followed, as editors name places.
    fn place(&self, path: &str) -> String {
        let real = self.files.real(path);
        if Path::new(&real).is_absolute() { real } else { self.absolute(&real) }
    }

    /// Where a path itself stands, be it a link: with the links on the way to it followed.
    fn entry(&self, path: &str) -> String {
        let (above, last) = path.rsplit_once('/').unwrap_or(("", path));
        format!("{}/{last}", self.place(above).trim_end_matches('/'))
    }

    /// What is unsaved at or below these paths, after a look for editors that were not attached yet.
    pub(crate) fn unsaved<'a>(&self, paths: impl Iterator<Item = About<'a>>) -> Vec<Unsaved> {
        let mut unsaved = self.editors.unsaved(&[self.root().to_owned()]);
        if unsaved.is_empty() {
            return unsaved;
        }
        let places = paths.flat_map(|about| match about {
            About::Contents(path) => [self.absolute(path), self.place(path)],
            About::Entry(path) => [self.absolute(path), self.entry(path)],
        });
        let places: Vec<String> = places.collect();
        let is_meant = |at: &str| places.iter().any(|place| at == place || marquetry_model::is_below(at, place));
        let names = |path: &str| [path.to_owned(), self.entry(path), self.place(path)];
        unsaved.retain(|by| names(&by.path).iter().any(|name| is_meant(name)));
        unsaved
    }

    /// The text of a file that one editor holds unsaved; none where the file on disk is what there is to read.
    pub(crate) fn source(&self, path: &str) -> Option<Source> {
        if self.all().is_empty() {
            return None;
        }
        let path = self.files.locate(path).ok()?;
        self.source_at(&path, &self.place(&path))
    }

    /// The same for a file that a walk found: it followed no links.
    pub(crate) fn source_of_walk(&self, path: &str) -> Option<Source> {
        if self.all().is_empty() { None } else { self.source_at(path, &self.absolute(path)) }
    }

    /// The same for the file that stands at a place.
    fn source_at(&self, path: &str, place: &str) -> Option<Source> {
        let all = self.all();
        let mut holders = all.iter().filter(|held| held.place == place).map(|held| &held.by);
        let by = holders.next()?;
        if let Some(other) = holders.next() {
            let (one, other) = (&by.editor, &other.editor);
            self.work.note(format!("{path} is unsaved in `{one}` and in `{other}`: it was read as it is on disk"));
            return None;
        }
        if let Some(known) = self.seen().texts.get(place) {
            return Some(Source { path: path.to_owned(), ..known.clone() });
        }
        if self.files.stat(path) != Some(EntryKind::File) {
            return None;
        }
        let (title, name) = (&by.title, &by.editor);
        if !by.edits_itself {
            self.work.note(format!(
                "{path} has changes in {title} (`{name}`) that are not saved and that it does not hand over: it was read as it \
                 is on disk"
            ));
            return None;
        }
        match self.text(by, &by.path, READING, &self.work) {
            Ok(text) => {
                let text = text?;
                let (hash, size) = (self.files.hash(text.as_bytes()), text.len() as u64);
                let source = Source { path: path.to_owned(), text, hash, size };
                self.seen().texts.insert(place.to_owned(), source.clone());
                self.work.note(format!("{path} was read as it is in {title} (`{name}`), where it is not saved"));
                Some(source)
            }
            Err(error) => {
                let why = &error.content().message;
                self.work.note(format!(
                    "{path} has changes in {title} (`{name}`) that are not saved; it was read as it is on disk, for {why}"
                ));
                None
            }
        }
    }

    /// The text that an editor has of a file; none where it is not open there any more.
    fn text(&self, by: &Unsaved, absolute: &str, within: Duration, work: &Work) -> Result<Option<Arc<str>>> {
        match self.ask(by, Request::Text(absolute.to_owned()), within, work)? {
            Answer::Text(text) => Ok(text),
            other => Err(Error::internal(format!("a text was asked for and answered with {other:?}"))),
        }
    }

    fn ask(&self, by: &Unsaved, request: Request, within: Duration, work: &Work) -> Result<Answer> {
        let editor = Some(by.editor.clone());
        let call = Call { editor, exact: true, within: Some(within), ..Call::about(self.root(), work) };
        self.editors.ask(&call, request)
    }

    /// What a walk found, with the files that are held as those that they are: the index looks at them anew.
    pub(crate) fn stamped(&self, stamps: Arc<[FileStamp]>) -> Arc<[FileStamp]> {
        let all = self.all();
        if all.is_empty() {
            return stamps;
        }
        let mut stamps = stamps.to_vec();
        for held in all.iter() {
            let Some(path) = held.place.strip_prefix(self.root()).map(|path| path.trim_start_matches('/')) else {
                continue;
            };
            let Ok(at) = stamps.binary_search_by(|stamp| stamp.path.as_str().cmp(path)) else { continue };
            if let Some(source) = self.source_at(path, &held.place) {
                stamps[at].size = source.size;
                stamps[at].modified = moment_of(&source);
            }
        }
        stamps.into()
    }

    /// A change as those parts that editors carry out and the rest. Refused where something else than edits is to become of a file
    /// that is unsaved, or where its editor carries out none.
    pub(crate) fn parted(&self, change: &Change, unsaved: &[Unsaved]) -> Result<Parted> {
        let mut by_place: BTreeMap<String, Vec<&Unsaved>> = BTreeMap::new();
        for by in unsaved {
            by_place.entry(self.place(&by.path)).or_default().push(by);
        }
        let mut parted = Parted { passed: Vec::new(), rest: Change { title: change.title.clone(), steps: Vec::new() } };
        for step in &change.steps {
            let Step::Edit { path, base, edits } = step else {
                parted.rest.steps.push(step.clone());
                continue;
            };
            let place = self.place(path);
            match by_place.remove(&place).as_deref() {
                // By another name it is edited already.
                None if parted.passed.iter().any(|passed| passed.place == place) => return Err(self.refusal(unsaved)),
                None => parted.rest.steps.push(step.clone()),
                Some([by]) if by.edits_itself => parted.passed.push(self.passed(by, path, base, edits)?),
                Some(_) => return Err(self.refusal(unsaved)),
            }
        }
        // What is left is moved, copied, made or deleted; or it is edited, and goes elsewhere in the same change.
        let goes = |passed: &Passed| {
            let steps = &parted.rest.steps;
            touches(steps, &passed.path) || touches(steps, &self.shown(&passed.place))
        };
        if by_place.is_empty() && !parted.passed.iter().any(goes) { Ok(parted) } else { Err(self.refusal(unsaved)) }
    }

    /// The edits of one file, for the text that its editor has now.
    fn passed(&self, by: &Unsaved, path: &str, base: &str, edits: &EditSet) -> Result<Passed> {
        let text = self.text(by, &by.path, marquetry_model::limits::EDITOR_ANSWER, &self.work);
        let text = text.map_err(|error| self.refusal_of(by, &error.content().message))?;
        let text = text.ok_or_else(|| self.outdated(path))?;
        if self.files.hash(text.as_bytes()) != base {
            return Err(self.outdated(path));
        }
        if text.contains('\r') {
            return Err(self.refusal_of(by, "it has line breaks of several kinds"));
        }
        let edits = away_from_the_end(&text, edits);
        Ok(Passed { by: by.clone(), path: path.to_owned(), place: self.place(path), edits, before: text })
    }

    /// The text is not the one that the edits are for: the next attempt asks for it anew.
    fn outdated(&self, path: &str) -> Error {
        *self.seen() = Seen::default();
        crate::draft::outdated(path)
    }

    /// Why nothing is changed: it would be lost when the person saves, or what the person wrote would be.
    pub(crate) fn refusal(&self, unsaved: &[Unsaved]) -> Error {
        let first = &unsaved[0];
        let others = match unsaved.len() {
            1 => String::new(),
            many => format!(", as have {} more", many - 1),
        };
        let (path, title, name) = (self.shown(&first.path), &first.title, &first.editor);
        let message = format!("{path} has changes in {title} (`{name}`) that are not saved{others}");
        Error::new(Kind::OverwriteBlocked, message)
            .hint("nothing was written; have the person save or discard them in the editor, then repeat the call")
            .candidates(unsaved.iter().map(|held| self.shown(&held.path)))
    }

    /// Why an editor does not carry out the edits of a file that is unsaved in it.
    fn refusal_of(&self, by: &Unsaved, why: &str) -> Error {
        let (path, title, name) = (self.shown(&by.path), &by.title, &by.editor);
        let message =
            format!("{path} has changes in {title} (`{name}`) that are not saved, and it does not edit them: {why}");
        Error::new(Kind::OverwriteBlocked, message)
            .hint("nothing was written; have the person save or discard them in the editor, then repeat the call")
            .candidates([path])
    }

    fn shown(&self, path: &str) -> String {
        path.strip_prefix(self.root()).unwrap_or(path).trim_start_matches('/').to_owned()
    }

    /// Carry a change out: what is on disk is checked first, then editors edit, then the disk is written. What fails is taken back.
    pub(crate) fn carry_out(&self, parted: &Parted, dry_run: bool, work: &Work) -> Result<Applied> {
        let has_rest = !parted.rest.steps.is_empty();
        if dry_run {
            let rest = if has_rest { Some(self.files.apply(&parted.rest, true, work)?) } else { None };
            for Passed { by, path, .. } in &parted.passed {
                let (title, name) = (&by.title, &by.editor);
                work.note(format!("{path} would be edited in {title} (`{name}`), where it is not saved"));
            }
            return Ok(self.applied(rest, parted, Outcome::DryRun));
        }
        if has_rest {
            self.files.apply(&parted.rest, true, work)?;
        }
        work.check()?;
        self.pass_on(&parted.passed)?;
        let rest = has_rest.then(|| self.files.apply(&parted.rest, false, work)).transpose();
        let rest = rest.map_err(|error| self.taken_back(&parted.passed, error))?;
        for Passed { by, path, .. } in &parted.passed {
            let (title, name) = (&by.title, &by.editor);
            work.note(format!(
                "{path} was edited in {title} (`{name}`), where it was not saved: it still is not, and it is undone there"
            ));
        }
        Ok(self.applied(rest, parted, Outcome::Applied))
    }

    /// Have editors carry out their parts, each all of its own or nothing.
    fn pass_on(&self, passed: &[Passed]) -> Result<()> {
        let mut by_editor: BTreeMap<&str, Vec<&Passed>> = BTreeMap::new();
        for one in passed {
            by_editor.entry(one.by.editor.as_str()).or_default().push(one);
        }
        let mut done: Vec<&Passed> = Vec::new();
        for files in by_editor.into_values() {
            if let Err(error) = self.edit(&files) {
                return Err(self.taken_back(done, error));
            }
            done.extend(files);
        }
        Ok(())
    }

    fn edit(&self, files: &[&Passed]) -> Result<()> {
        let edits = files.iter().map(|one| edits_of(&one.by.path, &one.before, &one.edits)).collect();
        // From here on it is carried out whoever still waits: a request that is cancelled may be carried out all the same.
        let within = marquetry_model::limits::EDITOR_ANSWER;
        let Err(error) = self.ask(&files[0].by, Request::Apply(edits), within, &Work::default()) else { return Ok(()) };
        if error.kind() == Kind::InvalidArgument {
            // It edited nothing. Where the person was faster, the next attempt is on the new text.
            for one in files {
                let now = self.text(&one.by, &one.by.path, within, &self.work).ok().flatten();
                if now.as_deref() != Some(&*one.before) {
                    return Err(self.outdated(&one.path));
                }
            }
            return Err(self.refusal_of(&files[0].by, &error.content().message));
        }
        let (path, title, name) = (&files[0].path, &files[0].by.title, &files[0].by.editor);
        let message = format!(
            "whether {path} was edited in {title} (`{name}`), where it is not saved, is not known: {}",
            error.content().message
        );
        Err(Error::new(error.kind(), message).hint("nothing was written to disk; look at the file in the editor"))
    }

    /// An error, after the edits before it were taken back in their editors.
    fn taken_back<'a>(&self, done: impl IntoIterator<Item = &'a Passed>, error: Error) -> Error {
        let mut error = error;
        for one in done {
            let after: Arc<str> = one.edits.apply(&one.before).into();
            let back = away_from_the_end(&after, &one.edits.invert(&one.before));
            let edits = vec![edits_of(&one.by.path, &after, &back)];
            let asked =
                self.ask(&one.by, Request::Apply(edits), marquetry_model::limits::EDITOR_ANSWER, &Work::default());
            if asked.is_err() {
                error = error.context(&format!("{} stays edited in `{}`; undo it there", one.path, one.by.editor));
            }
        }
        *self.seen() = Seen::default();
        error
    }

    /// Whether a change is of texts that editors handed over.
    pub(crate) fn was_read(&self, change: &Change) -> bool {
        let seen = self.seen();
        let is = |path: &str, hash: &str| seen.texts.get(&self.place(path)).is_some_and(|source| source.hash == hash);
        let edited = |step: &Step| match step {
            Step::Edit { path, base, .. } => is(path, base),
            Step::Copy { from, edits: Some((base, _)), .. } => is(from, base),
            _ => false,
        };
        change.steps.iter().any(edited)
    }

    /// What became of both parts.
    fn applied(&self, rest: Option<Applied>, parted: &Parted, outcome: Outcome) -> Applied {
        let none = Applied { id: None, outcome, files: Vec::new(), directories_created: Vec::new() };
        let mut applied = rest.unwrap_or(none);
        applied.outcome = outcome;
        for Passed { path, before, edits, .. } in &parted.passed {
            let after = edits.apply(before);
            let (hash, size) = (Some(self.files.hash(after.as_bytes())), after.len() as u64);
            applied.files.push(FileEffect { before: Some(path.clone()), after: Some(path.clone()), hash, size });
        }
        applied
    }
}

/// Whether a step moves, copies, makes or deletes a file, or a folder around it.
fn touches(steps: &[Step], path: &str) -> bool {
    let at = |above: &String| above == path || marquetry_model::is_below(path, above);
    steps.iter().any(|step| match step {
        Step::Edit { .. } => false,
        Step::Create { path, .. } | Step::Delete { path, .. } => at(path),
        Step::Move { from, to, .. } | Step::Copy { from, to, .. } => at(from) || at(to),
    })
}

/// A time of change that no file has, the same for the same text: long before there were any.
fn moment_of(source: &Source) -> u128 {
    // An odd number of nanoseconds, so that it is not taken for that of a coarse clock.
    u128::from(source.version() % 1_000_000_000_000_000) | 1
}

/// Edits of a text in the words of editors.
fn edits_of(path: &str, text: &str, edits: &EditSet) -> Edits {
    let lines = Lines::new(text);
    let point = |offset: usize| {
        let at = lines.position(offset);
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Point { line: number(at.line.saturating_sub(1)), column: number(at.column) }
    };
    let edit = |edit: &Edit| TextEdit {
        region: Region { start: point(edit.span.start), end: point(edit.span.end) },
        old: edit.span.of(text).to_owned(),
        new: edit.text.clone(),
    };
    Edits { path: path.to_owned(), edits: edits.as_slice().iter().map(edit).collect(), save: false }
}

/// The same edits without the line break at the end of the text, as far as it stays: some editors have no place behind it.
fn away_from_the_end(text: &str, edits: &EditSet) -> EditSet {
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
            // Behind the last line break: the break before what is new is the one that was there.
            Some(kept) => Edit { span: Span::new(end, end), text: format!("\n{kept}") },
            // Whole lines go: the break before them takes the place of the last one.
            None if new.is_empty() && span.start <= end && text[..span.start].ends_with('\n') => {
                Edit { span: Span::new(span.start - 1, end), text: String::new() }
            }
            // The text is to end without one: an editor that cannot have that finds another text than it is told of.
            None if span.start > end => Edit { span: Span::new(end, text.len()), text: format!("\n{new}") },
            None => edit.clone(),
        }
    });
    // An edit that meets the one before it is left to the editor as it was.
    EditSet::new(text, moved.collect()).unwrap_or_else(|_| edits.clone())
}

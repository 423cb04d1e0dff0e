//! Questions about names that one call asks the files of a workspace.

use std::sync::Arc;

use marquetry_model::{
    Interface, Result, Span, Work,
    hover::{Inspection, SemanticDiagnostics},
    pack::{Member, RenameResult, Resolution, Severity, Subject},
    ports::{Document, Files, Pack, Packs, Source},
};

use crate::{
    answers::{Answer, Answers},
    counts::{Count, CountKey, Counts},
    snapshot::{RecordingFiles, Snapshot},
    types::Types,
};

/// The files of a workspace for the questions of one call. An earlier answer is reused as long as the file and
/// everything on which the answer depends are unchanged.
pub struct Survey {
    /// The files on disk.
    files: Arc<dyn Files>,
    /// `None` if nothing was walked.
    walked: Option<IndexedWalk>,
    packs: Arc<dyn Packs>,
    work: Work,
}

/// Snapshot of a walk, with cached answers.
struct IndexedWalk {
    moment: Arc<Snapshot>,
    answers: Arc<Answers>,
    counts: Arc<Counts>,
}

impl Survey {
    /// Creates a survey without an index, for questions to a few files.
    pub fn without_index(files: &Arc<dyn Files>, packs: &Arc<dyn Packs>, work: &Work) -> Survey {
        Survey { files: Arc::clone(files), walked: None, packs: Arc::clone(packs), work: work.clone() }
    }

    pub(crate) fn with_index(
        files: &Arc<dyn Files>,
        packs: &Arc<dyn Packs>,
        work: &Work,
        moment: Arc<Snapshot>,
        (answers, counts): (&Arc<Answers>, &Arc<Counts>),
    ) -> Survey {
        let walked = IndexedWalk { moment, answers: Arc::clone(answers), counts: Arc::clone(counts) };
        Survey { walked: Some(walked), ..Survey::without_index(files, packs, work) }
    }

    pub(crate) fn moment(&self) -> Option<&Snapshot> {
        self.walked.as_ref().map(|walked| walked.moment.as_ref())
    }

    pub(crate) fn packs(&self) -> &Arc<dyn Packs> {
        &self.packs
    }

    /// Returns the files in the snapshot of the walk, or the files on disk if nothing was walked.
    pub fn files(&self) -> Arc<dyn Files> {
        match &self.walked {
            Some(walked) => RecordingFiles::new(&walked.moment),
            None => Arc::clone(&self.files),
        }
    }

    /// Returns the cached usage count of a symbol if it is still valid.
    pub fn usage_count(&self, place: &CountKey) -> Option<Count> {
        let IndexedWalk { moment, counts, .. } = self.walked.as_ref()?;
        counts.recall(moment, place)
    }

    /// Caches a usage count that was computed with this survey.
    pub fn store_count(&self, place: CountKey, count: &Count) {
        if let Some(IndexedWalk { moment, counts, .. }) = &self.walked {
            counts.keep(moment, place, count);
        }
    }

    /// Resolves the subject in one file. `None` if the pack does not report names, or if the file cannot contain the
    /// member.
    ///
    /// # Errors
    /// Fails if the file or its pack fails; with `Cancelled` if the call is cancelled.
    pub fn resolve(&self, path: &str, subject: &Subject) -> Result<Option<Arc<Resolution>>> {
        self.ask_about_subject(path, subject, None, |document| {
            let mut answer = document.resolve_symbol(subject)?;
            if answer.incomplete.is_none() && first_syntax_error(document)?.is_some() {
                answer.incomplete = Some(format!("{path} has syntax errors"));
            }
            Ok(answer)
        })
    }

    /// Returns the edits in the file for a rename. `None` if the file is not involved.
    ///
    /// # Errors
    /// Fails if the file or its pack fails, also on a conflict in the file; with `Cancelled` if the call is cancelled.
    pub fn rename(&self, path: &str, subject: &Subject, new_name: &str) -> Result<Option<Arc<RenameResult>>> {
        self.ask_about_subject(path, subject, Some(new_name), |document| {
            let mut answer = document.rename(subject, new_name)?;
            if answer.unresolved.is_empty() && answer.elsewhere.is_none() {
                answer.unresolved.extend(first_syntax_error(document)?);
            }
            Ok(answer)
        })
    }

    /// Checks that a file accepts a new name for a member, even if the file does not contain the current name. Returns
    /// the answer of the pack, whose unresolved occurrences may conflict with the name; `None` if the pack has no
    /// symbols. The answer is not cached, because it depends on the new name.
    ///
    /// # Errors
    /// Fails if the file or its pack fails, also on a conflict in the file; with `Cancelled` if the call is cancelled.
    pub fn check_new_name(
        &self,
        path: &str,
        member: &Member,
        new_name: &str,
    ) -> Result<Option<(Source, RenameResult)>> {
        self.work.check()?;
        let files = self.files();
        let pack = self.packs.for_path(&files, path)?;
        if !pack.has_interface(Interface::Symbols) {
            return Ok(None);
        }
        let source = files.read(path)?;
        let answer = pack.open(path, &source.text)?.rename(&Subject::Member(member.clone()), new_name)?;
        Ok(Some((source, answer)))
    }

    /// Returns the diagnostics of a file.
    ///
    /// # Errors
    /// Fails if the file or its pack fails; with `Cancelled` if the call is cancelled.
    pub fn inspect(&self, path: &str) -> Result<Arc<Inspection>> {
        self.ask_about_file(path, |pack, source| {
            let looks_further = pack.has_interface(Interface::Hover);
            let mut document = pack.open(path, &source.text)?;
            let problems = document.diagnostics()?;
            let beyond = if looks_further { document.semantic_diagnostics()? } else { SemanticDiagnostics::default() };
            Ok(Inspection { syntax: problems, semantic: beyond })
        })
    }

    /// Returns the types of a file; empty if its pack does not report types.
    ///
    /// # Errors
    /// Fails if the file or its pack fails; with `Cancelled` if the call is cancelled.
    pub fn types(&self, path: &str) -> Result<Arc<Types>> {
        self.ask_about_file(path, |pack, source| {
            if !pack.has_interface(Interface::Hover) {
                return Ok(Types::default());
            }
            Types::collect(pack.open(path, &source.text)?.as_mut())
        })
    }

    /// Asks a question about the whole file, through the cache.
    fn ask_about_file<R: Answer>(
        &self,
        path: &str,
        look: impl Fn(Arc<dyn Pack>, &Source) -> Result<R>,
    ) -> Result<Arc<R>> {
        self.work.check()?;
        let Some(IndexedWalk { moment, answers, .. }) = &self.walked else {
            let pack = self.packs.for_path(&self.files, path)?;
            return look(pack, &self.files.read(path)?).map(Arc::new);
        };
        let asking = RecordingFiles::new(moment);
        let files: Arc<dyn Files> = Arc::<RecordingFiles>::clone(&asking);
        let pack = self.packs.for_path(&files, path)?;
        let description = Arc::clone(pack.description());
        // Questions about the whole file use offset 0 as the key.
        let about = (path, &Subject::At(0));
        if let Some(Some(known)) = answers.recall::<R>(moment, &description, about, None) {
            return Ok(known);
        }
        let answer = Arc::new(look(pack, &files.read(path)?)?);
        answers.keep(&asking, &description, about, None, Some(&answer));
        Ok(answer)
    }

    fn ask_about_subject<R: Answer>(
        &self,
        path: &str,
        subject: &Subject,
        new_name: Option<&str>,
        ask: impl FnOnce(&mut dyn Document) -> Result<R>,
    ) -> Result<Option<Arc<R>>> {
        self.work.check()?;
        let Some(IndexedWalk { moment, answers, .. }) = &self.walked else {
            let pack = self.packs.for_path(&self.files, path)?;
            let takes_part = is_asked(pack.as_ref(), path, subject);
            return if takes_part { ask_document(&self.files, pack, path, subject, ask) } else { Ok(None) };
        };
        let asking = RecordingFiles::new(moment);
        let files: Arc<dyn Files> = Arc::<RecordingFiles>::clone(&asking);
        let pack = self.packs.for_path(&files, path)?;
        if !is_asked(pack.as_ref(), path, subject) {
            return Ok(None);
        }
        let about = (path, subject);
        if let Some(known) = answers.recall(moment, pack.description(), about, new_name) {
            return Ok(known);
        }
        let description = Arc::clone(pack.description());
        let answer = ask_document(&files, pack, path, subject, ask)?;
        answers.keep(&asking, &description, about, new_name, answer.as_ref());
        Ok(answer)
    }
}

/// Returns the span of the first syntax error. The parser may have missed uses of a name near it, so no answer about
/// such a file is complete.
fn first_syntax_error(document: &mut dyn Document) -> Result<Option<Span>> {
    let problems = document.diagnostics()?;
    let errors = problems.into_iter().filter(|problem| problem.severity == Severity::Error);
    Ok(errors.map(|problem| problem.span).min())
}

/// Returns whether the pack of a file is asked about the subject. If the pack may not receive the text of the file, it
/// is not asked about members and global names, because these are found by text. A word search finds these names in the
/// file instead.
fn is_asked(pack: &dyn Pack, path: &str, subject: &Subject) -> bool {
    let by_text = matches!(subject, Subject::Member(_) | Subject::Shared(_));
    pack.has_interface(Interface::Symbols) && (!by_text || pack.may_receive(path))
}

fn ask_document<R: Answer>(
    files: &Arc<dyn Files>,
    pack: Arc<dyn Pack>,
    path: &str,
    subject: &Subject,
    ask: impl FnOnce(&mut dyn Document) -> Result<R>,
) -> Result<Option<Arc<R>>> {
    let source = files.read(path)?;
    if let Subject::Member(member) = subject
        && !may_name_member(path, &source.text, member)
    {
        return Ok(None);
    }
    let answer = ask(pack.open(path, &source.text)?.as_mut())?;
    Ok(if answer.has_no_occurrence(subject) { None } else { Some(Arc::new(answer)) })
}

/// Returns whether a text may name the member.
pub(crate) fn may_name_member(path: &str, text: &str, member: &Member) -> bool {
    let holds = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let declares = || member.locations.iter().any(|(declares, _)| declares == path);
    if member.forms.is_empty() || declares() {
        return holds(&member.name);
    }
    member.forms.iter().any(|form| holds(form))
}

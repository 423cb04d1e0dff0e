//! Effects of a refactor on other documents. Each question is sent to the documents that it concerns, once, including
//! questions that result from the answers.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use marquetry_model::{
    Error, Interface, Kind, Result,
    ports::Files,
    refactor::{Audience, Question, Rewrite},
    text::Lines,
};

use crate::{
    document::OpenFile,
    draft::{Draft, check_syntax},
    reference_search::SearchScope,
    result_types::completeness,
    session::Session,
};

/// Maximum number of questions of one refactor.
const MAX_QUESTIONS: usize = 100_000;

/// Result of a refactor in all files.
#[derive(Default)]
pub(super) struct RefactorResult {
    pub(super) draft: Draft,
    /// `file:line:column` of unresolved occurrences.
    pub(super) unresolved: Vec<String>,
    /// Reason why it may be incomplete.
    pub(super) partial: Option<String>,
}

/// A question with its sender and its payload, which only the pack interprets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct SentQuestion {
    from: String,
    payload: String,
}

impl RefactorResult {
    /// Applies the answer of one document, and sends its questions to others until none is left.
    ///
    /// # Errors
    /// Fails if a document fails to answer, if an edit breaks the syntax of a file without `force`, or if there are too
    /// many questions.
    pub(super) fn ask_affected_files(
        session: &Session,
        file: &OpenFile,
        rewrite: Rewrite,
        scope: &mut Option<SearchScope>,
        force: bool,
    ) -> Result<RefactorResult> {
        let mut talk = RefactorSession {
            session,
            asked: scope,
            force,
            open: Vec::new(),
            sent: HashSet::new(),
            done: RefactorResult::default(),
        };
        talk.apply_answer(file, rewrite)?;
        while let Some((path, sent)) = talk.open.pop() {
            session.work.check()?;
            let source = session.files.read(&path)?;
            let pack = session.packs.for_path(&talk.files(), &path)?;
            if !pack.has_interface(Interface::Refactors) || pack.description().id != file.engine() {
                let why = format!("{path} has another format and may need the same change");
                talk.done.partial.get_or_insert(why);
                continue;
            }
            let other = OpenFile::new(pack, source);
            // A file that the pack does not receive may need the same change: the answer is partial. The file is not
            // read.
            if !other.may_be_read() {
                let refused = other.ask(|_| Ok(())).err();
                talk.done.partial = talk.done.partial.take().or(refused.map(|error| error.content().message.clone()));
                continue;
            }
            let answer = other.ask(|document| document.answer_question(&sent.from, &sent.payload));
            talk.apply_answer(&other, answer.map_err(|error| error.context(&path))?)?;
        }
        Ok(talk.done)
    }

    /// `complete`, `syntactic` or `partial: reason`.
    pub(super) fn completeness(&self) -> String {
        completeness(self.partial.as_deref(), &self.unresolved)
    }
}

/// State of the exchange between the documents of one refactor.
struct RefactorSession<'a> {
    session: &'a Session,
    /// The index; set by the first question to importers.
    asked: &'a mut Option<SearchScope>,
    /// Accept edits that break the syntax of a file.
    force: bool,
    open: Vec<(String, SentQuestion)>,
    sent: HashSet<(String, SentQuestion)>,
    done: RefactorResult,
}

impl RefactorSession<'_> {
    /// The files, in the snapshot of the index if there is one.
    fn files(&self) -> Arc<dyn Files> {
        self.asked.as_ref().map_or_else(|| Arc::clone(&self.session.files), |scope| scope.survey.files())
    }

    /// Applies the answer of a document.
    fn apply_answer(&mut self, file: &OpenFile, rewrite: Rewrite) -> Result<()> {
        if !self.force {
            check_syntax(file, &rewrite.edits).map_err(|error| error.context(file.path()))?;
        }
        let lines = Lines::new(file.text());
        self.done.unresolved.extend(rewrite.unresolved.iter().map(|span| {
            let position = lines.position(span.start);
            format!("{}:{}:{}", file.path(), position.line, position.column)
        }));
        self.done.partial = self.done.partial.take().or(rewrite.incomplete);
        for (path, text) in rewrite.new_files {
            let path = self.session.files.locate(&path)?;
            self.done.draft.create(path, text);
        }
        for question in rewrite.questions {
            self.queue_question(file.path(), question)?;
        }
        self.done.draft.edit(&file.source, rewrite.edits)
    }

    /// Queues a question for the documents that it concerns.
    fn queue_question(&mut self, from: &str, question: Question) -> Result<()> {
        let sent = SentQuestion { from: from.to_owned(), payload: question.payload };
        let paths = match question.audience {
            Audience::File(path) => vec![self.session.files.locate(&path)?],
            Audience::Importers(names) => {
                if self.asked.is_none() {
                    *self.asked = Some(self.session.whole_workspace()?.require_all_read()?);
                }
                let importers = self.asked.as_ref().map(|scope| scope.importers(from, &names)).unwrap_or_default();
                let unread = self.asked.as_ref().and_then(SearchScope::unread);
                self.done.partial = self.done.partial.take().or(unread);
                importers.into_iter().collect()
            }
        };
        for path in paths {
            if self.sent.insert((path.clone(), sent.clone())) {
                self.open.push((path, sent.clone()));
            }
        }
        if self.sent.len() > MAX_QUESTIONS {
            let message = format!("the refactor needs more than {MAX_QUESTIONS} requests to plugins");
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        Ok(())
    }
}

impl SearchScope {
    /// Returns the files that import or re-export one of these exports of a file.
    fn importers(&self, file: &str, names: &[String]) -> BTreeSet<String> {
        let importers = self.workspace.iter().flat_map(|workspace| workspace.importers(file));
        let concerned = importers.filter(|importer| names.iter().any(|name| importer.may_carry(name)));
        concerned.map(|importer| importer.file.path.clone()).collect()
    }
}

//! What other documents have to do with a refactor: each question goes to whom it concerns, once, and so do those that the
//! answers lead to.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use marquetry_model::{
    Error, Kind, Result,
    ports::Files,
    refactor::{Audience, Question, Rewrite},
    text::Lines,
};

use crate::{
    document::OpenFile,
    draft::{Draft, check_syntax},
    session::Session,
    shape::completeness,
    spread::Asked,
};

/// Questions that one refactor may lead to.
const MOST_QUESTIONS: usize = 100_000;

/// What a refactor does in all files.
#[derive(Default)]
pub(super) struct Refactored {
    pub(super) draft: Draft,
    /// `file:line:column` of places that were left.
    pub(super) unresolved: Vec<String>,
    /// Why it may not be all.
    pub(super) partial: Option<String>,
}

/// A question on its way: who asks, and what only the pack reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Sent {
    from: String,
    payload: String,
}

impl Refactored {
    /// Take over what one document answers, and put its questions to the others until none is left.
    ///
    /// # Errors
    /// A document refuses to answer, an edit breaks the syntax of a file without `force`, or the questions have no end.
    pub(super) fn everywhere(
        session: &Session,
        file: &OpenFile,
        rewrite: Rewrite,
        asked: &mut Option<Asked>,
        force: bool,
    ) -> Result<Refactored> {
        let mut talk =
            Talk { session, asked, force, open: Vec::new(), sent: HashSet::new(), done: Refactored::default() };
        talk.take(file, rewrite)?;
        while let Some((path, sent)) = talk.open.pop() {
            session.work.check()?;
            let source = session.files.read(&path)?;
            let pack = session.packs.for_path(&talk.files(), &path)?;
            if !pack.has("refactors") || pack.description().id != file.engine() {
                let why = format!("{path} is of another format and may need the same change");
                talk.done.partial.get_or_insert(why);
                continue;
            }
            let other = OpenFile::new(pack, source);
            // What the pack is not given may need the same change: the answer says so, and nothing of it was read.
            if !other.is_given() {
                let refused = other.ask(|_| Ok(())).err();
                talk.done.partial = talk.done.partial.take().or(refused.map(|error| error.content().message.clone()));
                continue;
            }
            let answer = other.ask(|document| document.answer(&sent.from, &sent.payload));
            talk.take(&other, answer.map_err(|error| error.context(&path))?)?;
        }
        Ok(talk.done)
    }

    /// `complete`, `syntactic` or `partial: why`.
    pub(super) fn completeness(&self) -> String {
        completeness(self.partial.as_deref(), &self.unresolved)
    }
}

/// The talk of the documents that one refactor is about.
struct Talk<'a> {
    session: &'a Session,
    /// The index and what is asked of it, from the first question to importers on.
    asked: &'a mut Option<Asked>,
    /// Edits that break the syntax of a file are taken as well.
    force: bool,
    open: Vec<(String, Sent)>,
    sent: HashSet<(String, Sent)>,
    done: Refactored,
}

impl Talk<'_> {
    /// The files, as those see them who were asked before.
    fn files(&self) -> Arc<dyn Files> {
        self.asked.as_ref().map_or_else(|| Arc::clone(&self.session.files), |asked| asked.survey.files())
    }

    /// Take over what a document answers.
    fn take(&mut self, file: &OpenFile, rewrite: Rewrite) -> Result<()> {
        if !self.force {
            check_syntax(file, &rewrite.edits).map_err(|error| error.context(file.path()))?;
        }
        let lines = Lines::new(file.text());
        self.done.unresolved.extend(rewrite.unresolved.iter().map(|span| {
            let position = lines.position(span.start);
            format!("{}:{}:{}", file.path(), position.line, position.column)
        }));
        self.done.partial = self.done.partial.take().or(rewrite.incomplete);
        for (path, text) in rewrite.create {
            let path = self.session.files.locate(&path)?;
            self.done.draft.create(path, text);
        }
        for question in rewrite.ask {
            self.send(file.path(), question)?;
        }
        self.done.draft.edit(&file.source, rewrite.edits)
    }

    /// A question on its way to those that it concerns.
    fn send(&mut self, from: &str, question: Question) -> Result<()> {
        let sent = Sent { from: from.to_owned(), payload: question.payload };
        let paths = match question.audience {
            Audience::File(path) => vec![self.session.files.locate(&path)?],
            Audience::Importers(names) => {
                if self.asked.is_none() {
                    *self.asked = Some(self.session.all_asked()?.for_change()?);
                }
                let importers = self.asked.as_ref().map(|asked| asked.importers(from, &names)).unwrap_or_default();
                let unread = self.asked.as_ref().and_then(Asked::unread);
                self.done.partial = self.done.partial.take().or(unread);
                importers.into_iter().collect()
            }
        };
        for path in paths {
            if self.sent.insert((path.clone(), sent.clone())) {
                self.open.push((path, sent.clone()));
            }
        }
        if self.sent.len() > MOST_QUESTIONS {
            let message = format!("the refactor needs more than {MOST_QUESTIONS} questions");
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        Ok(())
    }
}

impl Asked {
    /// The files that import one of these exports of a file, or pass it on.
    fn importers(&self, file: &str, names: &[String]) -> BTreeSet<String> {
        let importers = self.workspace.iter().flat_map(|workspace| workspace.importers(file));
        let concerned = importers.filter(|importer| names.iter().any(|name| importer.may_carry(name)));
        concerned.map(|importer| importer.file.path.clone()).collect()
    }
}

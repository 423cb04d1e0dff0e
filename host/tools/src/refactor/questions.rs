//! What other documents have to do with a refactor: each question goes to whom it concerns, once, and so do those that the
//! answers lead to.

use std::collections::{BTreeSet, HashSet};

use marquetry_model::{
    Error, Kind, Result,
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
    pub(super) left: Vec<String>,
    /// Why it may not be all.
    pub(super) partial: Option<String>,
    open: Vec<(String, Sent)>,
    sent: HashSet<(String, Sent)>,
}

/// A question on its way: who asks, and what only the pack reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Sent {
    from: String,
    payload: String,
}

impl Refactored {
    /// `complete`, `syntactic` or `partial: why`.
    pub(super) fn completeness(&self) -> String {
        completeness(self.partial.as_deref(), &self.left)
    }
}

impl Session {
    /// Take over what one document answers, and put its questions to the others until none is left.
    pub(super) fn refactor_everywhere(
        &self,
        file: &OpenFile,
        rewrite: Rewrite,
        asked: &mut Option<Asked>,
        force: bool,
    ) -> Result<Refactored> {
        let mut done = Refactored::default();
        self.take(file, rewrite, asked, &mut done, force)?;
        while let Some((path, sent)) = done.open.pop() {
            self.work.check()?;
            let survey = match asked {
                Some(asked) => asked.survey.files(),
                None => std::sync::Arc::clone(&self.files),
            };
            let source = self.files.read(&path)?;
            let pack = self.packs.for_path(&survey, &path)?;
            if !pack.has("refactors") || pack.description().id != file.engine() {
                let why = format!("{path} is of another format and may need the same change");
                done.partial.get_or_insert(why);
                continue;
            }
            let other = OpenFile::new(pack, source);
            let answer = other.ask(|document| document.answer(&sent.from, &sent.payload));
            let answer = answer.map_err(|error| error.context(&path))?;
            self.take(&other, answer, asked, &mut done, force)?;
        }
        Ok(done)
    }

    fn take(
        &self,
        file: &OpenFile,
        rewrite: Rewrite,
        asked: &mut Option<Asked>,
        done: &mut Refactored,
        force: bool,
    ) -> Result<()> {
        if !force {
            check_syntax(file, &rewrite.edits).map_err(|error| error.context(file.path()))?;
        }
        let lines = Lines::new(file.text());
        done.left.extend(rewrite.left.iter().map(|span| {
            let position = lines.position(span.start);
            format!("{}:{}:{}", file.path(), position.line, position.column)
        }));
        done.partial = done.partial.take().or(rewrite.incomplete);
        for (path, text) in rewrite.create {
            let path = self.files.locate(&path)?;
            done.draft.create(path, text);
        }
        for question in rewrite.ask {
            self.send(file.path(), question, asked, done)?;
        }
        done.draft.edit(&file.source, rewrite.edits)
    }

    /// A question on its way to those that it concerns.
    fn send(&self, from: &str, question: Question, asked: &mut Option<Asked>, done: &mut Refactored) -> Result<()> {
        let sent = Sent { from: from.to_owned(), payload: question.payload };
        let paths = match question.audience {
            Audience::File(path) => vec![self.files.locate(&path)?],
            Audience::Importers(names) => {
                if asked.is_none() {
                    *asked = Some(self.all_asked()?);
                }
                let importers = asked.as_ref().map(|asked| asked.importers(from, &names)).unwrap_or_default();
                let unread = asked.as_ref().and_then(Asked::unread);
                done.partial = done.partial.take().or(unread);
                importers.into_iter().collect()
            }
        };
        for path in paths {
            if done.sent.insert((path.clone(), sent.clone())) {
                done.open.push((path, sent.clone()));
            }
        }
        if done.sent.len() > MOST_QUESTIONS {
            let message = format!("the refactor leads to more than {MOST_QUESTIONS} questions");
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

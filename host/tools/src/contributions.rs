//! Collects the rewrites that packs return for the documents of one refactor or move: edits, new files, and questions to
//! other documents. Sends each question once to each of its addressees, including questions that result from answers.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use marquetry_graph::{Entry, Workspace};
use marquetry_model::{
    Error, Interface, Kind, Result, Span,
    pack::TargetKind,
    ports::Files,
    refactor::{Audience, Question, Rewrite},
    text::{Lines, Position},
};

use crate::{
    document::OpenFile,
    draft::{Draft, check_syntax},
    reference_search::SearchScope,
    session::Session,
    target::default_kind,
};

/// Maximum number of questions of one change.
const MAX_QUESTIONS: usize = 100_000;

/// An occurrence that a document could not update.
#[derive(Debug)]
pub(crate) struct UnresolvedPlace {
    pub(crate) path: String,
    pub(crate) span: Span,
    pub(crate) position: Position,
    pub(crate) text: String,
}

impl UnresolvedPlace {
    /// `file:line:column`
    pub(crate) fn location(&self) -> String {
        format!("{}:{}:{}", self.path, self.position.line, self.position.column)
    }
}

/// A question with its sender and its payload, which only the pack interprets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct SentQuestion {
    from: String,
    payload: String,
}

/// Contributions of the documents to one change, and the questions that are not answered yet.
pub(crate) struct Contributions<'a> {
    session: &'a Session,
    /// The index; set by the first question to importers.
    scope: &'a mut Option<SearchScope>,
    /// Accept edits that break the syntax of a file.
    force: bool,
    open: Vec<(String, SentQuestion)>,
    sent: HashSet<(String, SentQuestion)>,
    /// Edits so far.
    pub(crate) draft: Draft,
    /// Files to create, by path after the change.
    pub(crate) new_files: BTreeMap<String, String>,
    /// Unresolved occurrences.
    pub(crate) unresolved: Vec<UnresolvedPlace>,
    /// Reason why the change may be incomplete.
    pub(crate) partial: Option<String>,
}

impl<'a> Contributions<'a> {
    /// Creates an empty collection. `scope` contains the index if it is already known.
    pub(crate) fn new(session: &'a Session, scope: &'a mut Option<SearchScope>, force: bool) -> Contributions<'a> {
        let (open, sent, draft, new_files, unresolved, partial) = Default::default();
        Contributions { session, scope, force, open, sent, draft, new_files, unresolved, partial }
    }

    /// Adds the contribution of a document, and queues its questions.
    ///
    /// # Errors
    /// Fails if an edit breaks the syntax of the file without `force`, if two documents create different files at one
    /// path, or if there are too many questions.
    pub(crate) fn add(&mut self, file: &OpenFile, rewrite: Rewrite) -> Result<()> {
        if !self.force {
            check_syntax(file, &rewrite.edits).map_err(|error| error.context(file.path()))?;
        }
        let lines = Lines::new(file.text());
        self.unresolved.extend(rewrite.unresolved.iter().map(|span| UnresolvedPlace {
            path: file.path().to_owned(),
            span: *span,
            position: lines.position(span.start),
            text: span.slice(file.text()).to_owned(),
        }));
        self.partial = self.partial.take().or(rewrite.incomplete);
        for (path, text) in rewrite.new_files {
            let path = self.session.files.locate(&path)?;
            match self.new_files.get(&path) {
                Some(known) if *known != text => {
                    let message = format!("plugin `{}` creates two different files at {path}", file.engine());
                    return Err(Error::new(Kind::PluginFailed, message));
                }
                Some(_) => {}
                None => _ = self.new_files.insert(path, text),
            }
        }
        for question in rewrite.questions {
            self.queue_question(file.path(), question)?;
        }
        self.draft.edit(&file.source, rewrite.edits)
    }

    /// Sends the questions to the documents that they concern, and repeats this for questions in the answers.
    ///
    /// # Errors
    /// Fails if a document fails to answer, and as [`Contributions::add`].
    pub(crate) fn ask_other_documents(&mut self) -> Result<()> {
        while let Some((path, sent)) = self.open.pop() {
            self.session.work.check()?;
            let source = self.session.files.read(&path)?;
            let pack = self.session.packs.for_path(&self.files(), &path)?;
            if !pack.has_interface(Interface::Refactors) {
                let why = format!("{path} has another format and may need the same change");
                self.partial.get_or_insert(why);
                continue;
            }
            let other = OpenFile::new(pack, source);
            // The pack may not receive this file, but the file may need the same change. It is not read, and the change
            // is reported as partial.
            if !other.may_be_read() {
                let refused = other.ask(|_| Ok(())).err();
                self.partial = self.partial.take().or(refused.map(|error| error.content().message.clone()));
                continue;
            }
            let answer = other.ask(|document| document.answer_question(&sent.from, &sent.payload));
            self.add(&other, answer.map_err(|error| error.context(&path))?)?;
        }
        Ok(())
    }

    /// The files of the project, if the change concerns importers.
    pub(crate) fn workspace(&self) -> Option<Arc<Workspace>> {
        self.scope.as_ref().and_then(|scope| scope.workspace.clone())
    }

    /// The files in the snapshot of the index. Without an index, the files of the session.
    fn files(&self) -> Arc<dyn Files> {
        self.scope.as_ref().map_or_else(|| Arc::clone(&self.session.files), |scope| scope.survey.files())
    }

    /// Makes the index available.
    fn require_scope(&mut self) -> Result<()> {
        if self.scope.is_none() {
            *self.scope = Some(self.session.whole_workspace()?.require_all_read()?);
        }
        Ok(())
    }

    /// Returns the files of the same pack whose text contains one of the texts. Code of the pack in files of other formats
    /// cannot be asked, so the change is partial if it contains one.
    fn files_containing(&mut self, from: &str, texts: &[String]) -> Result<Vec<String>> {
        self.require_scope()?;
        let Some((scope, workspace)) = self.scope.as_ref().zip(self.workspace()) else { return Ok(Vec::new()) };
        let own = self.session.packs.for_path(&self.session.files, from)?.identity();
        let wanted: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = workspace.files_containing(&scope.survey.files(), &wanted);
        let entries = found.iter().filter_map(|path| workspace.file(path));
        let (asked, others): (Vec<&Entry>, Vec<&Entry>) = entries.partition(|entry| entry.engine == own);
        let mut doubt = scope.unread();
        for entry in others.into_iter().filter(|entry| !entry.engine.is_empty()) {
            if doubt.is_none() && self.session.embeds_text(&entry.path, &own, &wanted)? {
                doubt = Some(format!("{} contains code that may need the same change", entry.path));
            }
        }
        let paths = asked.into_iter().map(|entry| entry.path.clone()).filter(|path| path != from).collect();
        self.partial = self.partial.take().or(doubt);
        Ok(paths)
    }

    /// Queues a question for the documents that it concerns. Only documents of the same pack can answer it.
    fn queue_question(&mut self, from: &str, question: Question) -> Result<()> {
        let sent = SentQuestion { from: from.to_owned(), payload: question.payload };
        let paths = match question.audience {
            Audience::File(path) => vec![self.session.files.locate(&path)?],
            Audience::Containing(texts) => self.files_containing(from, &texts)?,
            Audience::Importers(names) => {
                self.require_scope()?;
                let importers = self.scope.as_ref().map(|scope| scope.importers(from, &names)).unwrap_or_default();
                let unread = self.scope.as_ref().and_then(SearchScope::unread);
                self.partial = self.partial.take().or(unread);
                if let Some(workspace) = self.workspace() {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    let is_asked = |path: &str| importers.contains(path);
                    let doubts = self.session.unanalyzed_users(&workspace, from, &names, is_asked)?;
                    self.partial = self.partial.take().or(doubts.into_iter().next());
                }
                importers.into_iter().collect()
            }
        };
        let engine = |path: &str| self.session.packs.for_path(&self.session.files, path).map(|pack| pack.identity());
        let own = engine(from)?;
        for path in paths {
            if engine(&path).is_ok_and(|engine| engine != own) {
                self.partial.get_or_insert(format!("{path} has another format and may need the same change"));
            } else if self.sent.insert((path.clone(), sent.clone())) {
                self.open.push((path, sent.clone()));
            }
        }
        if self.sent.len() > MAX_QUESTIONS {
            let message = format!("the change needs more than {MAX_QUESTIONS} requests to plugins");
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        Ok(())
    }
}

impl Session {
    /// Returns whether the code of a pack that is embedded in a file contains one of the texts. Examples in prose do not
    /// count.
    fn embeds_text(&self, path: &str, pack: &str, texts: &[&str]) -> Result<bool> {
        let file = self.open_found(path)?;
        if default_kind(file.description()) == TargetKind::Heading || !file.may_be_read() {
            return Ok(false);
        }
        for part in file.ask(|document| document.embedded())? {
            let code = part.span.slice(file.text());
            if texts.iter().any(|text| code.contains(text))
                && self.pack_of_language(&part.language)?.is_some_and(|own| own.identity() == pack)
            {
                return Ok(true);
            }
        }
        Ok(false)
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

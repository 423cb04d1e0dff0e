//! A name spreads from file to file: which files to ask about it next. Renaming and finding references both go this way.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use marquetry_graph::{Names, Workspace, on_all_cores};
use marquetry_model::{
    Error, Kind, Result,
    pack::{Member, Subject},
    ports::{Document, Files, Source},
    text::{Lines, Position},
};

use crate::session::Session;

/// Questions that one name may lead to.
const MOST_QUESTIONS: usize = 200_000;

/// Where a symbol is, as a caller says it.
#[derive(Debug, Clone, Default)]
pub(crate) struct SymbolPlace<'a> {
    pub(crate) symbol: Option<&'a str>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
}

impl SymbolPlace<'_> {
    /// As a question to the file.
    pub(crate) fn subject(&self, text: &str) -> Result<Subject> {
        match (self.symbol, self.line) {
            // With a name, a line says which of the same name; a column says it all.
            (symbol, Some(line)) if symbol.is_none() || self.column.is_some() => {
                let lines = Lines::new(text);
                let position = Position { line, column: self.column.unwrap_or(0) };
                let offset = lines.offset(position).ok_or_else(|| {
                    Error::argument(format!("no line {line}"))
                        .hint(format!("the file has {} lines, counted from 1", lines.count()))
                })?;
                Ok(Subject::At(offset))
            }
            (Some(symbol), Some(line)) => {
                let span = Lines::new(text).line(line).ok_or_else(|| Error::argument(format!("no line {line}")))?;
                let last = symbol.rsplit(['.', '#', '/', ':']).next().unwrap_or(symbol);
                Ok(span
                    .of(text)
                    .find(last)
                    .map_or_else(|| Subject::Address(symbol.to_owned()), |at| Subject::At(span.start + at)))
            }
            (Some(symbol), None) => Ok(Subject::Address(symbol.to_owned())),
            _ => Err(Error::argument("`symbol` is missing").hint("name the symbol, or give `line` and `column`")),
        }
    }
}

/// The questions that are open, and those that were asked.
pub(crate) struct Spread {
    files: Arc<dyn Files>,
    /// None where only one file is asked.
    workspace: Option<Arc<Workspace>>,
    queue: Vec<(String, Subject)>,
    asked: HashSet<(String, Subject)>,
}

impl Spread {
    /// From one question on.
    pub(crate) fn new(
        files: &Arc<dyn Files>,
        workspace: Option<Arc<Workspace>>,
        file: &str,
        subject: Subject,
    ) -> Spread {
        let mut spread = Spread { files: Arc::clone(files), workspace, queue: Vec::new(), asked: HashSet::new() };
        spread.ask(file, subject);
        spread
    }

    /// Why other files may use the name all the same: some could not be read.
    pub(crate) fn unread(&self) -> Option<String> {
        let skipped = &self.workspace.as_ref()?.skipped;
        let (path, why) = skipped.first()?;
        Some(format!("{} files could not be read, the first: {path}: {why}", skipped.len()))
    }

    /// Whether other files are asked.
    pub(crate) fn is_wide(&self) -> bool {
        self.workspace.is_some()
    }

    /// The questions that are open. What they lead to comes with the next batch.
    fn batch(&mut self) -> Result<Vec<(String, Subject)>> {
        if self.asked.len() > MOST_QUESTIONS {
            return Err(Error::new(
                Kind::LimitExceeded,
                format!("the name leads to more than {MOST_QUESTIONS} questions"),
            ));
        }
        Ok(std::mem::take(&mut self.queue))
    }

    /// Ask a file, unless it was asked the same before.
    pub(crate) fn ask(&mut self, file: &str, subject: Subject) {
        if self.asked.insert((file.to_owned(), subject.clone())) {
            self.queue.push((file.to_owned(), subject));
        }
    }

    /// The thing leaves a file under a name: ask every file that links to it.
    pub(crate) fn exported(&mut self, file: &str, name: &str, called: &str) {
        let Some(workspace) = self.workspace.clone() else { return };
        let mut specifiers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for importer in workspace.importers(file) {
            if !importer.may_carry(name) {
                continue;
            }
            let list = specifiers.entry(importer.file.path.clone()).or_default();
            if !list.contains(&importer.link.specifier) {
                list.push(importer.link.specifier.clone());
            }
        }
        for (other, specifiers) in specifiers {
            let subject = if name == "default" {
                Subject::ImportedDefault { specifiers, called: called.to_owned() }
            } else {
                Subject::Imported { specifiers, name: name.to_owned() }
            };
            self.ask(&other, subject);
        }
    }

    /// The thing is a member: ask every file whose text has its name.
    pub(crate) fn member(&mut self, member: &Member, name: &str) {
        let Some(workspace) = self.workspace.clone() else { return };
        for other in workspace.mentioning(&self.files, name) {
            self.ask(&other, Subject::Declared(member.clone()));
        }
    }

    /// The name is shared by all files that are no modules.
    pub(crate) fn shared(&mut self, name: &str) {
        let Some(workspace) = self.workspace.clone() else { return };
        let sharing = |names: &Names| names.shared.iter().chain(&names.free).any(|known| known == name);
        let others = workspace.files().filter(|entry| entry.names.as_ref().is_some_and(sharing));
        for other in others {
            self.ask(&other.path, Subject::Shared(name.to_owned()));
        }
    }
}

impl Session {
    /// Put every question to its file, on all cores, and whatever the answers lead to, until no question is left. Files
    /// whose packs know no symbols are not asked.
    pub(crate) fn ask_all<R: Send>(
        &self,
        what: &'static str,
        spread: &mut Spread,
        ask: impl Fn(&mut dyn Document, &Subject) -> Result<R> + Sync,
        mut take: impl FnMut(&Source, R, &mut Spread) -> Result<()>,
    ) -> Result<()> {
        let answer = |(path, subject): &(String, Subject)| -> Result<Option<(Source, R)>> {
            let file = self.open(path)?;
            if !file.has("symbols") {
                return Ok(None);
            }
            let answer = file.ask(|document| ask(document, subject)).map_err(|error| error.context(path))?;
            Ok(Some((file.source, answer)))
        };
        loop {
            let questions = spread.batch()?;
            if questions.is_empty() {
                return Ok(());
            }
            let stage = self.work.stage(what, questions.len());
            for answer in on_all_cores(&questions, |question| stage.step().and_then(|()| answer(question))) {
                if let Some((source, answer)) = answer? {
                    take(&source, answer, spread)?;
                }
            }
        }
    }
}

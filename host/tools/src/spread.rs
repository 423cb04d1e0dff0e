//! Reference search: which files to ask about a name next. Used to rename symbols and to find references.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use marquetry_graph::{Naming, Need, Survey, Workspace, on_all_cores};
use marquetry_model::{
    Error, Kind, Result,
    pack::{Member, SharedName, Subject},
    ports::Source,
    text::{Lines, Position},
};

use crate::{
    document::OpenFile,
    redirect,
    relocate::must_be_read,
    session::Session,
    words::{whole_words, words},
};

/// Maximum number of questions about one name.
const MOST_QUESTIONS: usize = 200_000;

/// Arguments that describe a symbol.
#[derive(Debug, Clone, Default)]
pub(crate) struct SymbolPlace<'a> {
    pub(crate) symbol: Option<&'a str>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
}

impl SymbolPlace<'_> {
    /// Converts the arguments to a subject.
    pub(crate) fn subject(&self, text: &str) -> Result<Subject> {
        match (self.symbol, self.line) {
            // With a symbol, a line selects one of several with the same name; a column is sufficient alone.
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

    /// Refines the subject so that the file can resolve it: for a line alone, the first name on it; for a name that is
    /// only imported, its first occurrence.
    pub(crate) fn found_in(&self, file: &OpenFile, subject: Subject) -> Result<Subject> {
        let text = file.text();
        let offsets = match (self.symbol, self.line, self.column) {
            (None, Some(line), None) => {
                let Some(span) = Lines::new(text).line(line) else { return Ok(subject) };
                words(span.of(text)).map(|at| span.start + at).collect()
            }
            (Some(symbol), None, _) => whole_words(text, symbol),
            _ => return Ok(subject),
        };
        match file.ask(|document| document.resolve_symbol(&subject)) {
            Err(error) if matches!(error.kind(), Kind::TargetNotFound | Kind::RefactorFailed) => {
                let mut places = offsets.into_iter().take(MOST_TRIED).map(Subject::At);
                places
                    .find(|place| file.ask(|document| document.resolve_symbol(place)).is_ok())
                    .ok_or_else(|| error.context(file.path()))
            }
            Err(error) => Err(error),
            Ok(_) => Ok(subject),
        }
    }
}

/// Maximum number of offsets to try if the position is not exact.
const MOST_TRIED: usize = 50;

/// The files that one call asks, as a single snapshot.
pub(crate) struct Asked {
    pub(crate) survey: Arc<Survey>,
    /// `None` if only one file is asked.
    pub(crate) workspace: Option<Arc<Workspace>>,
}

impl Asked {
    /// Returns the reason why other files may be affected, too: some could not be read.
    pub(crate) fn unread(&self) -> Option<String> {
        unread(self.workspace.as_deref()?)
    }

    /// Fails if a file that may be affected by a change could not be read because of a transient failure.
    pub(crate) fn for_change(self) -> Result<Asked> {
        self.workspace.as_deref().map_or(Ok(()), must_be_read)?;
        Ok(self)
    }
}

fn unread(workspace: &Workspace) -> Option<String> {
    let skipped = &workspace.skipped;
    let (path, why) = skipped.first()?;
    Some(format!("{} files could not be read, the first: {path}: {why}", skipped.len()))
}

impl Session {
    /// Creates a snapshot of all files of the root.
    pub(crate) fn all_asked(&self) -> Result<Asked> {
        let workspace = self.workspace(Need::Names)?;
        let survey = Arc::new(self.graph.survey(&self.files, &self.packs, &workspace, &self.work));
        Ok(Asked { survey, workspace: Some(workspace) })
    }

    /// Creates one that asks a single file.
    pub(crate) fn one_asked(&self) -> Asked {
        Asked { survey: Arc::new(Survey::of_few(&self.files, &self.packs, &self.work)), workspace: None }
    }
}

/// State of a reference search: open questions and past ones.
pub(crate) struct Spread {
    survey: Arc<Survey>,
    /// `None` if only one file is asked.
    workspace: Option<Arc<Workspace>>,
    queue: Vec<(String, Subject)>,
    asked: HashSet<(String, Subject)>,
    /// File and subject of the first question.
    first: (String, Subject),
    /// Files with an answer.
    answered: HashSet<String>,
    /// The pack of the first file, which handles names of this kind.
    engine: String,
    /// The member with all declarations found so far: all files are asked for all of them.
    member: Option<Member>,
    /// More declarations were found than the files were asked for.
    grown: bool,
    /// The name is global: every file can use it without importing it.
    shared: bool,
    /// Follow default exports under other names, too.
    aliases: bool,
    /// Files that export the symbol, with the exported names.
    leaves: BTreeSet<(String, String)>,
}

/// Files without an answer, with the reason.
pub(crate) type Unasked = Vec<String>;

impl Spread {
    /// Starts a search with one question.
    pub(crate) fn new(asked: &Asked, file: &OpenFile, subject: Subject) -> Spread {
        let mut spread = Spread {
            survey: Arc::clone(&asked.survey),
            workspace: asked.workspace.clone(),
            queue: Vec::new(),
            asked: HashSet::new(),
            first: (file.path().to_owned(), subject.clone()),
            answered: HashSet::new(),
            engine: file.engine().to_owned(),
            member: None,
            grown: false,
            shared: false,
            aliases: false,
            leaves: BTreeSet::new(),
        };
        spread.ask(file.path(), subject);
        spread
    }

    /// The pack of the first file.
    pub(crate) fn engine(&self) -> &str {
        &self.engine
    }

    /// Returns whether the subject of a question to this file can have this name.
    pub(crate) fn may_be_called(&self, source: &Source, name: &str) -> bool {
        let is_asked = |subject: &Subject| redirect::names(subject, &source.text, name);
        if self.first.0 == source.path {
            return is_asked(&self.first.1);
        }
        self.asked.iter().any(|(path, subject)| *path == source.path && is_asked(subject))
    }

    /// Returns whether a file had an answer.
    pub(crate) fn has_answered(&self, path: &str) -> bool {
        self.answered.contains(path)
    }

    /// Follows the symbol under other names, too.
    pub(crate) fn with_aliases(mut self) -> Spread {
        self.aliases = true;
        self
    }

    /// The index, if other files are asked.
    pub(crate) fn workspace(&self) -> Option<Arc<Workspace>> {
        self.workspace.clone()
    }

    /// Returns whether other files can reference the symbol.
    pub(crate) fn is_seen_outside(&self) -> bool {
        self.shared || self.member.is_some() || !self.leaves.is_empty()
    }

    /// Returns whether it is a member or a global, which files can use without importing it.
    pub(crate) fn is_member(&self) -> bool {
        self.shared || self.member.is_some()
    }

    /// Files that declare or use the name, if it is global.
    pub(crate) fn sharers(&self) -> impl Iterator<Item = &str> {
        self.answered.iter().filter(|_| self.shared).map(String::as_str)
    }

    /// Files that export the symbol, with the exported name.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = (&str, &str)> {
        self.leaves.iter().map(|(file, name)| (file.as_str(), name.as_str()))
    }

    /// Returns the reason why other files may use the name, too: some could not be read.
    pub(crate) fn unread(&self) -> Option<String> {
        unread(self.workspace.as_deref()?)
    }

    /// Returns whether other files are asked.
    pub(crate) fn is_wide(&self) -> bool {
        self.workspace.is_some()
    }

    /// Takes the open questions. Questions from their answers are in the next batch.
    fn batch(&mut self) -> Result<Vec<(String, Subject)>> {
        // Last, because all other answers can add declarations.
        if self.queue.is_empty() && std::mem::take(&mut self.grown) {
            self.ask_for_member();
        }
        if self.asked.len() > MOST_QUESTIONS {
            return Err(Error::new(
                Kind::LimitExceeded,
                format!("the name needs more than {MOST_QUESTIONS} requests to plugins"),
            ));
        }
        Ok(std::mem::take(&mut self.queue))
    }

    /// Queues a question to a file, unless it was asked before.
    pub(crate) fn ask(&mut self, file: &str, subject: Subject) {
        if self.asked.insert((file.to_owned(), subject.clone())) {
            self.queue.push((file.to_owned(), subject));
        }
    }

    /// Handles an export of the symbol: asks every file that links to the exporting file.
    pub(crate) fn exported(&mut self, file: &str, name: &str, called: &str) {
        let Some(workspace) = self.workspace.clone() else { return };
        self.leaves.insert((file.to_owned(), name.to_owned()));
        for below in workspace.one_scope_below(file) {
            self.ask(&below, Subject::Exported(name.to_owned()));
        }
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
            if name != "default" || self.aliases {
                self.ask(&other, Subject::Imported { specifiers: specifiers.clone(), name: name.to_owned() });
            }
            if name == "default" {
                self.ask(&other, Subject::ImportedDefault { specifiers, called: called.to_owned() });
            }
        }
    }

    /// Handles a member: every file that contains its name will be asked, for all declarations known then.
    pub(crate) fn member(&mut self, member: &Member) {
        let known = self.member.get_or_insert_with(|| {
            self.grown = true;
            Member { places: Vec::new(), ..member.clone() }
        });
        for place in &member.places {
            if let Err(at) = known.places.binary_search(place) {
                known.places.insert(at, place.clone());
                self.grown = true;
            }
        }
    }

    /// Files that cannot be related to its declarations are asked only for uses of unknown owners. That question is the
    /// same for all members with this name, and is asked once.
    fn ask_for_member(&mut self) {
        let (Some(workspace), Some(member)) = (self.workspace.clone(), self.member.clone()) else { return };
        let Naming { near, far } = workspace.naming(&self.survey.files(), &member);
        let untold = Member { places: Vec::new(), ..member.clone() };
        for (others, member) in [(near, member), (far, untold)] {
            for other in others {
                self.ask(&other, Subject::Declared(member.clone()));
            }
        }
    }

    /// Files found so far that declare or re-export the symbol.
    pub(crate) fn declaring(&self) -> impl Iterator<Item = String> {
        let members = self.member.iter().flat_map(|member| &member.places).map(|(path, _)| path.clone());
        members.chain(self.leaves.iter().map(|(path, _)| path.clone()))
    }

    /// The member with all declarations found so far.
    pub(crate) fn declared_member(&self) -> Option<&Member> {
        self.member.as_ref()
    }

    /// Returns whether one of the exporting files declares the symbol. True if only one file is asked, or if the symbol
    /// is not exported.
    pub(crate) fn is_declared_on_its_way(&self) -> bool {
        let Some(workspace) = self.workspace.as_deref().filter(|_| !self.leaves.is_empty()) else { return true };
        self.leaves.iter().any(|(file, name)| workspace.file(file).is_some_and(|entry| entry.lets_out(name)))
    }

    /// Returns whether a file declares the name globally.
    pub(crate) fn is_declared_for_all(&self, shared: &SharedName) -> bool {
        let mut files = self.workspace.iter().flat_map(|workspace| workspace.files());
        files.any(|entry| entry.names.as_ref().is_some_and(|names| names.declares(shared)))
    }

    /// Handles a global name: asks the files that declare or use it.
    pub(crate) fn shared(&mut self, shared: &SharedName) {
        let Some(workspace) = self.workspace.clone() else { return };
        self.shared = true;
        let others = workspace.files().filter(|entry| entry.names.as_ref().is_some_and(|names| names.shares(shared)));
        for other in others {
            self.ask(&other.path, Subject::Shared(shared.clone()));
        }
    }
}

/// Returns whether an error means that the file cannot be read or understood, and not that the name is the problem.
pub(crate) fn is_of_file(error: &Error) -> bool {
    matches!(
        error.kind(),
        Kind::ParseError | Kind::PluginFailed | Kind::LimitExceeded | Kind::FileNotFound | Kind::Unsupported
    )
}

impl Session {
    /// Asks all questions, on all cores, and those that result from the answers, until none is left. Files whose packs
    /// do not report symbols are not asked. A file that cannot answer does not fail the search, unless it is the first
    /// one: these files are returned with the reason. A deliberate refusal by a pack fails the call.
    pub(crate) fn ask_all<R: Clone + Send + Sync>(
        &self,
        what: &'static str,
        spread: &mut Spread,
        ask: impl Fn(&Survey, &str, &Subject) -> Result<Option<Arc<R>>> + Sync,
        mut take: impl FnMut(&Source, R, &mut Spread) -> Result<()>,
    ) -> Result<Unasked> {
        let mut unasked = Unasked::new();
        let mut first = spread.answered.is_empty();
        let survey = Arc::clone(&spread.survey);
        let answer = |(path, subject): &(String, Subject)| -> Result<Option<(Source, R)>> {
            let answer = ask(&survey, path, subject).map_err(|error| error.context(path))?;
            let with_source = |answer| Ok((survey.files().read(path)?, Arc::unwrap_or_clone(answer)));
            answer.map(with_source).transpose()
        };
        loop {
            let questions = spread.batch()?;
            if questions.is_empty() {
                self.graph.keep_answers(&self.files, &survey);
                return Ok(unasked);
            }
            let stage = self.work.stage(what, questions.len());
            let answers = on_all_cores(&questions, |question| stage.step().and_then(|()| answer(question)));
            for ((path, _), answer) in questions.iter().zip(answers) {
                match answer {
                    Ok(Some((source, answer))) => {
                        spread.answered.insert(path.clone());
                        take(&source, answer, spread)?;
                    }
                    Ok(None) => {}
                    Err(error) if !first && is_of_file(&error) => unasked.push(format!("{path}: {error}")),
                    Err(error) => return Err(error),
                }
                first = false;
            }
        }
    }
}

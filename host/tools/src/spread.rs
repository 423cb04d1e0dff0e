//! A name spreads from file to file: which files to ask about it next. Renaming and finding references both go this way.

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

    /// The question as the file can answer it: of a line alone, the first name on it; of a name that the file only
    /// imports, the first place where it stands.
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

/// Places that are tried where a caller names none exactly.
const MOST_TRIED: usize = 50;

/// The files that the questions of one call are put to: seen once, for all of them.
pub(crate) struct Asked {
    pub(crate) survey: Arc<Survey>,
    /// None where only one file is asked.
    pub(crate) workspace: Option<Arc<Workspace>>,
}

impl Asked {
    /// Why other files may have to do with it all the same: some could not be read.
    pub(crate) fn unread(&self) -> Option<String> {
        unread(self.workspace.as_deref()?)
    }

    /// The same, refused where a file could not be read for now and a change may have to change it.
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
    /// All files of the root, as they are now.
    pub(crate) fn all_asked(&self) -> Result<Asked> {
        let workspace = self.workspace(Need::Names)?;
        let survey = Arc::new(self.graph.survey(&self.files, &self.packs, &workspace, &self.work));
        Ok(Asked { survey, workspace: Some(workspace) })
    }

    /// One file alone.
    pub(crate) fn one_asked(&self) -> Asked {
        Asked { survey: Arc::new(Survey::of_few(&self.files, &self.packs, &self.work)), workspace: None }
    }
}

/// The questions that are open, and those that were asked.
pub(crate) struct Spread {
    survey: Arc<Survey>,
    /// None where only one file is asked.
    workspace: Option<Arc<Workspace>>,
    queue: Vec<(String, Subject)>,
    asked: HashSet<(String, Subject)>,
    /// What the caller asked, and of which file.
    first: (String, Subject),
    /// The files that had something to say.
    answered: HashSet<String>,
    /// The pack of the file that was asked first: names of this kind are its own.
    engine: String,
    /// The declarations of the member it is, as far as they are known: what one file finds, all others are asked for.
    member: Option<Member>,
    /// More of them are known than the files were asked for.
    grown: bool,
    /// Every file may use the name without naming where it is declared.
    shared: bool,
    /// What a default is called elsewhere does not matter.
    aliases: bool,
    /// The files that the thing leaves, and the names under which it does.
    leaves: BTreeSet<(String, String)>,
}

/// The files that gave no answer, each with the reason.
pub(crate) type Unasked = Vec<String>;

impl Spread {
    /// From one question on.
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

    /// The pack of the file that was asked first.
    pub(crate) fn engine(&self) -> &str {
        &self.engine
    }

    /// Whether what a file was asked about can be called this.
    pub(crate) fn may_be_called(&self, source: &Source, name: &str) -> bool {
        let is_asked = |subject: &Subject| redirect::names(subject, &source.text, name);
        if self.first.0 == source.path {
            return is_asked(&self.first.1);
        }
        self.asked.iter().any(|(path, subject)| *path == source.path && is_asked(subject))
    }

    /// Whether a file had something to say of the thing.
    pub(crate) fn has_answered(&self, path: &str) -> bool {
        self.answered.contains(path)
    }

    /// Ask for the thing under whatever names other files have for it.
    pub(crate) fn with_aliases(mut self) -> Spread {
        self.aliases = true;
        self
    }

    /// The index, where other files are asked.
    pub(crate) fn workspace(&self) -> Option<Arc<Workspace>> {
        self.workspace.clone()
    }

    /// Whether other files can name the thing at all.
    pub(crate) fn is_seen_outside(&self) -> bool {
        self.shared || self.member.is_some() || !self.leaves.is_empty()
    }

    /// Whether it is a member, or known to all: who uses it need not say where it comes from.
    pub(crate) fn is_member(&self) -> bool {
        self.shared || self.member.is_some()
    }

    /// Where the name is known to all, the files that declare or use it.
    pub(crate) fn sharers(&self) -> impl Iterator<Item = &str> {
        self.answered.iter().filter(|_| self.shared).map(String::as_str)
    }

    /// The files that the thing leaves, each with a name under which it does.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = (&str, &str)> {
        self.leaves.iter().map(|(file, name)| (file.as_str(), name.as_str()))
    }

    /// Why other files may use the name all the same: some could not be read.
    pub(crate) fn unread(&self) -> Option<String> {
        unread(self.workspace.as_deref()?)
    }

    /// Whether other files are asked.
    pub(crate) fn is_wide(&self) -> bool {
        self.workspace.is_some()
    }

    /// The questions that are open. What they lead to comes with the next batch.
    fn batch(&mut self) -> Result<Vec<(String, Subject)>> {
        // Last, because every other answer may know of more declarations.
        if self.queue.is_empty() && std::mem::take(&mut self.grown) {
            self.ask_for_member();
        }
        if self.asked.len() > MOST_QUESTIONS {
            return Err(Error::new(
                Kind::LimitExceeded,
                format!("the name needs more than {MOST_QUESTIONS} questions"),
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

    /// The thing is a member: every file whose text has its name will be asked, for all declarations that are known then.
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

    /// Files that cannot have to do with its declarations are asked what of the name nobody can tell: that is the same for all
    /// members of the name, and asked once.
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

    /// The files that declare the thing or pass it on, as far as they were found.
    pub(crate) fn declaring(&self) -> impl Iterator<Item = String> {
        let members = self.member.iter().flat_map(|member| &member.places).map(|(path, _)| path.clone());
        members.chain(self.leaves.iter().map(|(path, _)| path.clone()))
    }

    /// The member that the thing is, with all declarations that were found.
    pub(crate) fn declared_member(&self) -> Option<&Member> {
        self.member.as_ref()
    }

    /// Whether a file that the thing leaves declares it; so it is where only one file is asked, or the thing leaves none.
    pub(crate) fn is_declared_on_its_way(&self) -> bool {
        let Some(workspace) = self.workspace.as_deref().filter(|_| !self.leaves.is_empty()) else { return true };
        self.leaves.iter().any(|(file, name)| workspace.file(file).is_some_and(|entry| entry.lets_out(name)))
    }

    /// Whether some file declares the name for all.
    pub(crate) fn is_declared_for_all(&self, shared: &SharedName) -> bool {
        let mut files = self.workspace.iter().flat_map(|workspace| workspace.files());
        files.any(|entry| entry.names.as_ref().is_some_and(|names| names.declares(shared)))
    }

    /// All files share the name: ask those that declare or use it.
    pub(crate) fn shared(&mut self, shared: &SharedName) {
        let Some(workspace) = self.workspace.clone() else { return };
        self.shared = true;
        let others = workspace.files().filter(|entry| entry.names.as_ref().is_some_and(|names| names.shares(shared)));
        for other in others {
            self.ask(&other.path, Subject::Shared(shared.clone()));
        }
    }
}

/// Whether an error says that a file cannot be read or understood, and nothing of the name.
pub(crate) fn is_of_file(error: &Error) -> bool {
    matches!(
        error.kind(),
        Kind::ParseError | Kind::PluginFailed | Kind::LimitExceeded | Kind::FileNotFound | Kind::Unsupported
    )
}

impl Session {
    /// Put every question to its file, on all cores, and whatever the answers lead to, until no question is left. Files
    /// whose packs know no symbols are not asked. No file that cannot answer fails the whole, but for the first: those are
    /// what is returned, each with its reason. What a pack refuses on purpose is the answer to the call.
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

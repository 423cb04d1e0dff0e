//! Reference search: determines which files to ask about a name next. It is used to rename symbols and to find
//! references.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use marquetry_graph::{DetailLevel, Entry, MemberFiles, Survey, Target, Workspace, parallel_map};
use marquetry_model::{
    Error, Kind, Result,
    pack::{ImportedName, Member, SharedName, Subject},
    ports::Source,
    text::{Lines, Position},
};

use crate::{
    document::OpenFile,
    line_numbers::line_count_hint,
    redirect_check,
    relocate::require_all_read,
    session::Session,
    words::{whole_word_offsets, word_offsets},
};

/// Maximum number of questions about one name.
const MAX_QUESTIONS: usize = 200_000;

/// Arguments that describe a symbol.
#[derive(Debug, Clone, Default)]
pub(crate) struct SymbolQuery<'a> {
    pub(crate) symbol: Option<&'a str>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
}

impl SymbolQuery<'_> {
    /// Converts the arguments to a subject.
    pub(crate) fn subject(&self, text: &str) -> Result<Subject> {
        match (self.symbol, self.line) {
            // With a column, or without a symbol, the position alone determines the subject.
            (symbol, Some(line)) if symbol.is_none() || self.column.is_some() => {
                let lines = Lines::new(text);
                let position = Position { line, column: self.column.unwrap_or(0) };
                let offset = lines
                    .offset(position)
                    .ok_or_else(|| Error::argument(format!("no line {line}")).hint(line_count_hint(text)))?;
                Ok(Subject::At(offset))
            }
            (Some(symbol), Some(line)) => {
                let span = Lines::new(text).line(line).ok_or_else(|| Error::argument(format!("no line {line}")))?;
                let last = last_name(symbol);
                Ok(span
                    .slice(text)
                    .find(last)
                    .map_or_else(|| Subject::Address(symbol.to_owned()), |at| Subject::At(span.start + at)))
            }
            (Some(symbol), None) => Ok(Subject::Address(symbol.to_owned())),
            _ => Err(Error::argument("`symbol` is missing").hint("name the symbol, or give `line` and `column`")),
        }
    }

    /// Refines the subject so that the file can resolve it. For a line without a column, the subject becomes the first
    /// name on the line. For a name that the file only imports, it becomes the first occurrence.
    pub(crate) fn refine_in(&self, file: &OpenFile, subject: Subject) -> Result<Subject> {
        let text = file.text();
        let offsets: Vec<usize> = match (self.symbol, self.line, self.column) {
            (None, Some(line), None) => {
                let Some(span) = Lines::new(text).line(line) else { return Ok(subject) };
                word_offsets(span.slice(text)).map(|at| span.start + at).collect()
            }
            (Some(symbol), None, _) => {
                // In `cart.New`, the position is that of the name after the dot.
                let before = symbol.len() - last_name(symbol).len();
                whole_word_offsets(text, symbol).into_iter().map(|at| at + before).collect()
            }
            _ => return Ok(subject),
        };
        match file.ask(|document| document.resolve_symbol(&subject)) {
            Err(error) if matches!(error.kind(), Kind::TargetNotFound | Kind::RefactorFailed) => {
                let mut places = offsets.into_iter().take(MAX_TRIED_OFFSETS).map(Subject::At);
                places
                    .find(|place| file.ask(|document| document.resolve_symbol(place)).is_ok())
                    .ok_or_else(|| error.context(file.path()))
            }
            Err(error) => Err(error),
            Ok(_) => Ok(subject),
        }
    }
}

/// The last name of an address.
fn last_name(symbol: &str) -> &str {
    symbol.rsplit(['.', '#', '/', ':']).next().unwrap_or(symbol)
}

/// Maximum number of offsets to try if the position is not exact.
const MAX_TRIED_OFFSETS: usize = 50;

/// The files that one call asks, from a single snapshot.
pub(crate) struct SearchScope {
    pub(crate) survey: Arc<Survey>,
    /// `None` if only one file is asked.
    pub(crate) workspace: Option<Arc<Workspace>>,
}

impl SearchScope {
    /// Returns the reason why other files may be affected, too: some files could not be read.
    pub(crate) fn unread(&self) -> Option<String> {
        unread(self.workspace.as_deref()?)
    }

    /// Fails if a file that may be affected by a change could not be read because of a transient failure.
    pub(crate) fn require_all_read(self) -> Result<SearchScope> {
        self.workspace.as_deref().map_or(Ok(()), require_all_read)?;
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
    pub(crate) fn whole_workspace(&self) -> Result<SearchScope> {
        let workspace = self.workspace(DetailLevel::Names)?;
        let survey = Arc::new(self.graph.survey(&self.files, &self.packs, &workspace, &self.work));
        Ok(SearchScope { survey, workspace: Some(workspace) })
    }

    /// Creates a scope that asks a single file.
    pub(crate) fn single_file(&self) -> SearchScope {
        SearchScope { survey: Arc::new(Survey::without_index(&self.files, &self.packs, &self.work)), workspace: None }
    }
}

/// State of a reference search: open questions and past ones.
pub(crate) struct ReferenceSearch {
    survey: Arc<Survey>,
    /// `None` if only one file is asked.
    workspace: Option<Arc<Workspace>>,
    queue: Vec<(String, Subject)>,
    asked: HashSet<(String, Subject)>,
    /// File and subject of the first question.
    first: (String, Subject),
    /// Files that have answered.
    answered: HashSet<String>,
    /// The pack of the first file, which handles names of this kind.
    engine: String,
    /// The member with all declarations found so far. Related files are asked about all of these declarations at once.
    member: Option<Member>,
    /// True if declarations were found that files have not been asked about yet.
    has_new_declarations: bool,
    /// True if the name is global: every file can use it without importing it.
    shared: bool,
    /// True to follow default exports under other names, too.
    follow_aliases: bool,
    /// Files that export the symbol, with the exported names.
    exporters: BTreeSet<(String, String)>,
}

/// Files that could not answer, with the reason.
pub(crate) type Unanswered = Vec<String>;

impl ReferenceSearch {
    /// Starts a search with one question.
    pub(crate) fn new(scope: &SearchScope, file: &OpenFile, subject: Subject) -> ReferenceSearch {
        let mut search = ReferenceSearch {
            survey: Arc::clone(&scope.survey),
            workspace: scope.workspace.clone(),
            queue: Vec::new(),
            asked: HashSet::new(),
            first: (file.path().to_owned(), subject.clone()),
            answered: HashSet::new(),
            engine: file.engine().to_owned(),
            member: None,
            has_new_declarations: false,
            shared: false,
            follow_aliases: false,
            exporters: BTreeSet::new(),
        };
        search.queue_question(file.path(), subject);
        search
    }

    /// The pack of the first file.
    pub(crate) fn engine(&self) -> &str {
        &self.engine
    }

    /// Returns whether the subject of a question to this file can have this name.
    pub(crate) fn may_have_name(&self, source: &Source, name: &str) -> bool {
        let is_asked = |subject: &Subject| redirect_check::may_have_name(subject, &source.text, name);
        if self.first.0 == source.path {
            return is_asked(&self.first.1);
        }
        self.asked.iter().any(|(path, subject)| *path == source.path && is_asked(subject))
    }

    /// Returns whether a file has answered.
    pub(crate) fn has_answered(&self, path: &str) -> bool {
        self.answered.contains(path)
    }

    /// Makes the search follow the symbol under other names, too.
    pub(crate) fn with_aliases(mut self) -> ReferenceSearch {
        self.follow_aliases = true;
        self
    }

    /// The index; `None` if only one file is asked.
    pub(crate) fn workspace(&self) -> Option<Arc<Workspace>> {
        self.workspace.clone()
    }

    /// Returns whether other files can reference the symbol.
    pub(crate) fn is_exported(&self) -> bool {
        self.shared || self.member.is_some() || !self.exporters.is_empty()
    }

    /// Returns whether the symbol is a member or a global, which files can use without importing it.
    pub(crate) fn is_member(&self) -> bool {
        self.shared || self.member.is_some()
    }

    /// Returns whether the symbol is a global, which all files share.
    pub(crate) fn is_global(&self) -> bool {
        self.shared
    }

    /// Files that declare or use the name, if it is global.
    pub(crate) fn global_users(&self) -> impl Iterator<Item = &str> {
        self.answered.iter().filter(|_| self.shared).map(String::as_str)
    }

    /// Files that export the symbol, with the exported name.
    pub(crate) fn exporters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.exporters.iter().map(|(file, name)| (file.as_str(), name.as_str()))
    }

    /// Returns the reason why other files may use the name, too: some files could not be read.
    pub(crate) fn unread(&self) -> Option<String> {
        unread(self.workspace.as_deref()?)
    }

    /// Returns whether other files are asked.
    pub(crate) fn asks_other_files(&self) -> bool {
        self.workspace.is_some()
    }

    /// Takes the open questions. Questions that result from their answers are in the next batch.
    fn take_questions(&mut self) -> Result<Vec<(String, Subject)>> {
        // Members come last, because all other answers can add declarations.
        if self.queue.is_empty() && std::mem::take(&mut self.has_new_declarations) {
            self.ask_for_member();
        }
        if self.asked.len() > MAX_QUESTIONS {
            return Err(Error::new(
                Kind::LimitExceeded,
                format!("the name needs more than {MAX_QUESTIONS} requests to plugins"),
            ));
        }
        Ok(std::mem::take(&mut self.queue))
    }

    /// Queues a question to a file, unless it was asked before.
    pub(crate) fn queue_question(&mut self, file: &str, subject: Subject) {
        if self.asked.insert((file.to_owned(), subject.clone())) {
            self.queue.push((file.to_owned(), subject));
        }
    }

    /// Handles an export of the symbol: asks every file that links to the exporting file.
    pub(crate) fn add_export(&mut self, file: &str, name: &str, called: &str) {
        let Some(workspace) = self.workspace.clone() else { return };
        self.exporters.insert((file.to_owned(), name.to_owned()));
        for below in workspace.joined_scope_files(file) {
            self.queue_question(&below, Subject::Exported(name.to_owned()));
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
            if name != "default" || self.follow_aliases {
                self.queue_question(
                    &other,
                    Subject::Imported { specifiers: specifiers.clone(), name: name.to_owned() },
                );
            }
            if name == "default" {
                self.queue_question(&other, Subject::ImportedDefault { specifiers, own_name: called.to_owned() });
            }
        }
    }

    /// Handles a name that a file imports although its declaration was not found: asks the other files that import it
    /// from the same module. Returns the reason why there may be more uses.
    pub(crate) fn add_undeclared_import(&mut self, file: &str, import: &ImportedName, called: &str) -> Option<String> {
        let (workspace, ImportedName { specifier, name, .. }) = (self.workspace.clone()?, import);
        // `*` stands for the whole module, to which this file gives a local name.
        if name == "*" {
            return None;
        }
        let targets = targets_of(workspace.file(file)?, specifier);
        let inside = files_among(&targets);
        if inside.is_empty() {
            let is_same = |entry: &Entry| targets_of(entry, specifier).iter().any(|target| targets.contains(target));
            for entry in workspace.files().filter(|entry| entry.may_hold(name) && is_same(entry)) {
                let subject = Subject::Imported { specifiers: vec![specifier.clone()], name: name.clone() };
                self.queue_question(&entry.path, subject);
            }
            return Some(format!("`{name}` is declared outside of the workspace, in `{specifier}`"));
        }
        self.add_undeclared_exports(&workspace, (inside, name), called)
    }

    /// Asks the importers of the files that a name is imported from, and of the files that these take it from. Returns
    /// the reason if one of them does not declare the name.
    fn add_undeclared_exports(
        &mut self,
        workspace: &Workspace,
        (files, name): (Vec<String>, &str),
        called: &str,
    ) -> Option<String> {
        let mut open: Vec<(String, String)> = files.into_iter().map(|path| (path, name.to_owned())).collect();
        let (mut seen, mut reasons) = (BTreeSet::new(), Vec::new());
        while let Some((path, name)) = open.pop() {
            if !seen.insert((path.clone(), name.clone())) {
                continue;
            }
            self.add_export(&path, &name, called);
            let Some(entry) = workspace.file(&path) else { continue };
            for (specifier, imported) in entry.names_passed_as(&name) {
                let targets = targets_of(entry, specifier);
                let next = files_among(&targets);
                if next.is_empty() {
                    reasons.push(format!("`{imported}` is declared outside of the workspace, in `{specifier}`"));
                }
                open.extend(next.into_iter().map(|file| (file, imported.to_owned())));
            }
            // A default import can be the file as a whole: an asset, a component, a CommonJS module.
            if name != "default" && !entry.provides(&name) {
                reasons.push(format!("no declaration of `{name}` was found in {path}"));
            }
        }
        reasons.into_iter().next()
    }

    /// Records the declarations of a member. Later, every file that contains its name is asked about all declarations.
    pub(crate) fn add_member(&mut self, member: &Member) {
        let known = self.member.get_or_insert_with(|| {
            self.has_new_declarations = true;
            Member { locations: Vec::new(), ..member.clone() }
        });
        for place in &member.locations {
            if let Err(at) = known.locations.binary_search(place) {
                known.locations.insert(at, place.clone());
                self.has_new_declarations = true;
            }
        }
    }

    /// Asks every file that contains the name of the member. A file that cannot be related to its declarations is only
    /// asked for uses whose owner is unknown. That question is the same for all members with this name, so it is asked
    /// once.
    fn ask_for_member(&mut self) {
        let (Some(workspace), Some(member)) = (self.workspace.clone(), self.member.clone()) else { return };
        let MemberFiles { related: near, unrelated: far } = workspace.member_files(&self.survey.files(), &member);
        let untold = Member { locations: Vec::new(), ..member.clone() };
        for (others, member) in [(near, member), (far, untold)] {
            for other in others {
                self.queue_question(&other, Subject::Member(member.clone()));
            }
        }
    }

    /// Files found so far that declare or re-export the symbol.
    pub(crate) fn declaring(&self) -> impl Iterator<Item = String> {
        let members = self.member.iter().flat_map(|member| &member.locations).map(|(path, _)| path.clone());
        members.chain(self.exporters.iter().map(|(path, _)| path.clone()))
    }

    /// The member with all declarations found so far.
    pub(crate) fn declared_member(&self) -> Option<&Member> {
        self.member.as_ref()
    }

    /// Returns whether one of the exporting files declares the symbol. Also returns true if only one file is asked, or
    /// if the symbol is not exported.
    pub(crate) fn is_declared_by_exporter(&self) -> bool {
        let Some(workspace) = self.workspace.as_deref().filter(|_| !self.exporters.is_empty()) else { return true };
        self.exporters.iter().any(|(file, name)| workspace.file(file).is_some_and(|entry| entry.provides(name)))
    }

    /// Returns whether a file declares the name globally.
    pub(crate) fn is_global_declared(&self, shared: &SharedName) -> bool {
        let mut files = self.workspace.iter().flat_map(|workspace| workspace.files());
        files.any(|entry| entry.names.as_ref().is_some_and(|names| names.declares(shared)))
    }

    /// Handles a global name: asks the files that declare or use it.
    pub(crate) fn add_global(&mut self, shared: &SharedName) {
        let Some(workspace) = self.workspace.clone() else { return };
        self.shared = true;
        let others = workspace.files().filter(|entry| entry.names.as_ref().is_some_and(|names| names.shares(shared)));
        for other in others {
            self.queue_question(&other.path, Subject::Shared(shared.clone()));
        }
    }
}

/// Targets of the links of a file that have this specifier.
fn targets_of(entry: &Entry, specifier: &str) -> Vec<Target> {
    let links = entry.links.iter().flatten().zip(entry.targets.iter().flatten());
    links.filter(|(link, _)| link.specifier == specifier).map(|(_, target)| target.clone()).collect()
}

/// Files of the workspace among targets, each once.
fn files_among(targets: &[Target]) -> Vec<String> {
    let inside = |target: &Target| if let Target::Inside(path) = target { Some(path.clone()) } else { None };
    targets.iter().filter_map(inside).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns whether an error is about the file: it cannot be read or analyzed. Other errors are about the name, or end
/// the call.
pub(crate) fn is_file_error(error: &Error) -> bool {
    let is_of_file = matches!(
        error.kind(),
        Kind::ParseError | Kind::PluginFailed | Kind::LimitExceeded | Kind::FileNotFound | Kind::Unsupported
    );
    is_of_file && !ends_call(error)
}

/// Returns whether an error is not about the file that was asked: the call was cancelled, or repeating it may succeed.
/// Such an error fails the call, because a skipped file may need a change.
pub(crate) fn ends_call(error: &Error) -> bool {
    error.is_transient() || error.kind() == Kind::Cancelled
}

impl Session {
    /// Asks all questions, on all cores, including those that result from the answers. Files whose packs do not report
    /// symbols are not asked. A file that cannot answer does not fail the search, unless it is the first file. Such
    /// files are returned with the reasons. A deliberate refusal by a pack fails the call.
    pub(crate) fn ask_all<R: Clone + Send + Sync>(
        &self,
        what: &'static str,
        search: &mut ReferenceSearch,
        ask: impl Fn(&Survey, &str, &Subject) -> Result<Option<Arc<R>>> + Sync,
        mut take: impl FnMut(&Source, R, &mut ReferenceSearch) -> Result<()>,
    ) -> Result<Unanswered> {
        let mut unasked = Unanswered::new();
        let mut first = search.answered.is_empty();
        let survey = Arc::clone(&search.survey);
        let answer = |(path, subject): &(String, Subject)| -> Result<Option<(Source, R)>> {
            let answer = ask(&survey, path, subject).map_err(|error| error.context(path))?;
            let with_source = |answer| Ok((survey.files().read(path)?, Arc::unwrap_or_clone(answer)));
            answer.map(with_source).transpose()
        };
        loop {
            let questions = search.take_questions()?;
            if questions.is_empty() {
                self.graph.keep_answers(&self.files, &survey);
                return Ok(unasked);
            }
            let stage = self.work.stage(what, questions.len());
            let answers = parallel_map(&questions, |question| stage.step().and_then(|()| answer(question)));
            for ((path, _), answer) in questions.iter().zip(answers) {
                match answer {
                    Ok(Some((source, answer))) => {
                        search.answered.insert(path.clone());
                        take(&source, answer, search)?;
                    }
                    Ok(None) => {}
                    Err(error) if !first && is_file_error(&error) => unasked.push(format!("{path}: {error}")),
                    Err(error) => return Err(error),
                }
                first = false;
            }
        }
    }
}

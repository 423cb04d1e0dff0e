//! Renaming a symbol in every file that can see it: the packs say what a name is in one file, and whom to ask next.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    sync::Arc,
};

use marquetry_graph::{Need, Workspace};
use marquetry_model::{
    Edit, Error, Kind, Result,
    pack::{Renaming, Subject},
    ports::Files,
    text::{Lines, Position},
};

use crate::{
    relink::FileLinks,
    workbench::{Opened, Workbench},
};

/// Files and questions that one rename may lead to.
const MOST_QUESTIONS: usize = 200_000;

/// Where a symbol is, as a caller says it.
#[derive(Debug, Clone, Default)]
pub(crate) struct SymbolPlace<'a> {
    pub(crate) symbol: Option<&'a str>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
}

/// What a rename does in all files.
#[derive(Debug, Default)]
pub(crate) struct Renamed {
    pub(crate) files: BTreeMap<String, FileLinks>,
    /// The old name.
    pub(crate) name: String,
    /// `file:line:column` of places with the same spelling that were left.
    pub(crate) left: Vec<String>,
    /// Why it may not be all.
    pub(crate) partial: Option<String>,
}

/// A rename under way.
struct Driver<'a> {
    bench: &'a Workbench,
    files: Arc<dyn Files>,
    workspace: Option<Arc<Workspace>>,
    new_name: &'a str,
    queue: VecDeque<(String, Subject)>,
    asked: HashSet<(String, Subject)>,
    done: Renamed,
}

impl SymbolPlace<'_> {
    /// As a question to the file.
    pub(crate) fn subject(&self, text: &str) -> Result<Subject> {
        match (self.symbol, self.line) {
            (_, Some(line)) => {
                let lines = Lines::new(text);
                let position = Position { line, column: self.column.unwrap_or(0) };
                let offset = lines.offset(position).ok_or_else(|| {
                    Error::argument(format!("no line {line}")).hint(format!("the file has {} lines, counted from 1", lines.count()))
                })?;
                Ok(Subject::At(offset))
            }
            (Some(symbol), None) => Ok(Subject::Address(symbol.to_owned())),
            (None, None) => Err(Error::argument("`symbol` is missing").hint("name the symbol, or give `line` and `column`")),
        }
    }
}

impl Workbench {
    /// The splices of a rename in all files; with `only_here` in the file alone.
    pub(crate) fn rename_everywhere(&self, opened: &Opened, subject: Subject, new_name: &str, only_here: bool) -> Result<Renamed> {
        if !opened.pack.has("symbols") {
            return Err(Error::new(Kind::Unsupported, format!("{} files have no symbols to rename", opened.pack.description().name))
                .hint("edit the places by their addresses"));
        }
        let workspace = if only_here { None } else { Some(self.workspace(&opened.files, Need::Names)?) };
        let mut driver = Driver {
            bench: self,
            files: Arc::clone(&opened.files),
            workspace,
            new_name,
            queue: VecDeque::new(),
            asked: HashSet::new(),
            done: Renamed::default(),
        };
        driver.ask(&opened.source.path, subject);
        driver.run()
    }
}

impl Driver<'_> {
    fn ask(&mut self, file: &str, subject: Subject) {
        if self.asked.insert((file.to_owned(), subject.clone())) {
            self.queue.push_back((file.to_owned(), subject));
        }
    }

    fn run(mut self) -> Result<Renamed> {
        while let Some((file, subject)) = self.queue.pop_front() {
            if self.asked.len() > MOST_QUESTIONS {
                return Err(Error::new(Kind::LimitExceeded, format!("the rename leads to more than {MOST_QUESTIONS} questions")));
            }
            let opened = self.bench.open_in(&self.files, &file)?;
            if !opened.pack.has("symbols") {
                continue;
            }
            let renaming = opened.pack.open(&file, &opened.source.text)?.rename(&subject, self.new_name);
            let renaming = renaming.map_err(|error| error.context(&file))?;
            self.follow(&opened, renaming)?;
        }
        for file in self.done.files.values_mut() {
            file.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
            file.edits.dedup();
        }
        self.done.left.sort();
        self.done.left.dedup();
        Ok(self.done)
    }

    fn follow(&mut self, opened: &Opened, renaming: Renaming) -> Result<()> {
        let file = opened.source.path.clone();
        if self.done.name.is_empty() {
            self.done.name.clone_from(&renaming.name);
        }
        let lines = Lines::new(&opened.source.text);
        for span in &renaming.left {
            let position = lines.position(span.start);
            self.done.left.push(format!("{file}:{}:{}", position.line, position.column));
        }
        if let Some((path, offset)) = &renaming.elsewhere {
            if self.workspace.is_none() {
                return Err(Error::new(Kind::RefactorFailed, format!("`{}` is declared in {path}, and `scope` is `file`", renaming.name))
                    .hint("rename it with `scope: \"workspace\"`, or in the file that declares it"));
            }
            self.ask(path, Subject::At(*offset));
            return Ok(());
        }
        self.splice(opened, &renaming.edits);
        let Some(workspace) = self.workspace.clone() else {
            if !renaming.exported.is_empty() || renaming.declared.is_some() || renaming.shared {
                self.done.partial = Some("`scope` is `file`, and other files can see the name".to_owned());
            }
            return Ok(());
        };
        for (old, _) in &renaming.exported {
            self.ask_importers(&workspace, &file, old, &renaming.name);
        }
        if let Some(member) = renaming.declared {
            for other in workspace.mentioning(&self.files, &renaming.name) {
                self.ask(&other, Subject::Declared(member.clone()));
            }
        }
        if renaming.shared {
            let uses = |names: &[String]| names.iter().any(|name| *name == renaming.name);
            let sharing = |names: &marquetry_graph::Names| uses(&names.shared) || uses(&names.free);
            let others = workspace.files().into_iter().filter(|entry| entry.names.as_ref().is_some_and(sharing));
            let others: Vec<String> = others.map(|entry| entry.path.clone()).collect();
            for other in others {
                self.ask(&other, Subject::Shared(renaming.name.clone()));
            }
        }
        Ok(())
    }

    /// Ask every file that links to this one about the name under which the thing leaves it.
    fn ask_importers(&mut self, workspace: &Workspace, file: &str, old: &str, called: &str) {
        let mut specifiers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for importer in workspace.importers(file) {
            let list = specifiers.entry(importer.file.path.clone()).or_default();
            if !list.contains(&importer.link.specifier) {
                list.push(importer.link.specifier.clone());
            }
        }
        for (other, specifiers) in specifiers {
            let subject = if old == "default" {
                Subject::ImportedDefault { specifiers, called: called.to_owned() }
            } else {
                Subject::Imported { specifiers, name: old.to_owned() }
            };
            self.ask(&other, subject);
        }
    }

    fn splice(&mut self, opened: &Opened, edits: &[Edit]) {
        if edits.is_empty() {
            return;
        }
        let source = &opened.source;
        let file = self.done.files.entry(source.path.clone()).or_insert_with(|| FileLinks {
            text: Arc::clone(&source.text),
            hash: source.hash.clone(),
            edits: Vec::new(),
            changes: Vec::new(),
        });
        file.edits.extend(edits.iter().cloned());
    }
}

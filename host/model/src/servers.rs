//! Language servers as the product sees them: what a project wishes to have started, and what can be asked of one.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crate::{
    Edit, Error, Kind, Result, Span, Work,
    files::{Files, Source},
    pack::Severity,
};

/// A language server that a project names, or has installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerWish {
    /// Its name in the registry.
    pub id: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The commands as which a project may have it installed, each with a program below the root; none where `command` was named.
    pub found_as: Vec<Vec<String>>,
    /// Globs over file names that lead to it.
    pub files: Vec<String>,
    /// What the protocol calls the language of a file, by its name or its ending.
    pub languages: BTreeMap<String, String>,
    /// Settings as JSON text: told at the start, and when it asks for its configuration.
    pub settings: String,
    /// Bytes that it and the processes it starts may have.
    pub memory: u64,
    /// It ends when nobody asked it for so long.
    pub idle: Duration,
    /// The time it has for one answer.
    pub time: Duration,
    /// Why it is not to be started: nobody allowed it.
    pub withheld: Option<Error>,
}

impl ServerWish {
    /// Whether nobody named its command: the project has it installed, and that is all.
    pub fn is_found(&self) -> bool {
        !self.found_as.is_empty()
    }
}

/// A place in a file, as a server means it: in the text that the file had when it answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPlace {
    /// The file.
    pub path: String,
    /// The place.
    pub span: Span,
}

/// What is wrong with a file, as a server says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerProblem {
    /// Where.
    pub span: Span,
    /// How bad.
    pub severity: Severity,
    /// What.
    pub message: String,
    /// Which part of the server says so: `ts`. Empty if the server does not say.
    pub source: String,
    /// The server's name or number for it: `2322`.
    pub code: Option<String>,
}

/// What was answered, and why it may not be all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told<T> {
    /// The answer.
    pub answer: T,
    /// Why it may not be all.
    pub partial: Option<String>,
}

/// A place that a server is asked about, for one call.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The files of the root.
    pub files: &'a Arc<dyn Files>,
    /// The file as it was read.
    pub source: &'a Source,
    /// The place in it.
    pub offset: usize,
    /// The call.
    pub work: &'a Work,
}

/// The edits of one file, and the text that they were computed for.
pub type ServerEdits = (Source, Vec<Edit>);

/// The language servers of all roots.
pub trait Servers: Send + Sync {
    /// The server that a project names or has installed for a file. It is not started before it is asked something.
    fn for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Server>>;

    /// The same for a caller who did not say that a server is wanted: none where there is none, or where nobody spoke of the one
    /// that is installed.
    fn at_hand(&self, files: &Arc<dyn Files>, path: &str) -> Result<Option<Arc<dyn Server>>> {
        match self.for_path(files, path) {
            Ok(server) => Ok(Some(server)),
            Err(error) if matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// End those that run.
    fn end(&self) {}
}

/// What a server says of a place, as Markdown, and of what exactly where it says so.
pub type ServerHover = (String, Option<Span>);

/// One language server of one root. What it answers is checked before anybody sees it: paths lie in the root, spans in the
/// text.
pub trait Server: Send + Sync {
    /// Its name.
    fn id(&self) -> &str;
    /// What there is to say of a place, if anything.
    fn hover(&self, place: Question<'_>) -> Result<Told<Option<ServerHover>>>;
    /// Where the thing at a place is used.
    fn references(&self, place: Question<'_>, declaration: bool) -> Result<Told<Vec<ServerPlace>>>;
    /// What is wrong with the file.
    fn problems(&self, place: Question<'_>) -> Result<Told<Vec<ServerProblem>>>;
    /// The edits that give the thing at a place another name.
    fn rename(&self, place: Question<'_>, new_name: &str) -> Result<Told<Vec<ServerEdits>>>;
}

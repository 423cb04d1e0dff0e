//! Port for language servers: the servers that a project requests, and the requests that a server answers.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use crate::{
    Edit, Error, Kind, Result, Span, Work,
    files::{Files, Source},
    pack::Severity,
};

/// A language server that a project configures or has installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedServer {
    /// The name in the registry.
    pub id: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Commands that start the server if it is installed. A program with a slash is below the root, any other is
    /// searched in `PATH`. Empty if `command` is configured.
    pub detection_commands: Vec<Vec<String>>,
    /// Globs over file names that select this server.
    pub files: Vec<String>,
    /// The LSP language id of a file, by file name or extension.
    pub languages: BTreeMap<String, String>,
    /// Settings as JSON text, sent at startup and in answer to `workspace/configuration`.
    pub settings: String,
    /// Memory limit in bytes for the server and its child processes.
    pub memory: u64,
    /// The server is stopped when it has been idle for this long.
    pub idle: Duration,
    /// The time limit for one answer.
    pub time: Duration,
    /// The reason why the server must not be started; `None` if it is approved.
    pub refusal: Option<Error>,
}

impl RequestedServer {
    /// Returns whether the server was detected as installed, not configured.
    pub fn is_detected(&self) -> bool {
        !self.detection_commands.is_empty()
    }

    /// Returns whether the server was detected on `PATH`: it belongs to the user's system, not to the project.
    pub fn is_on_path(&self) -> bool {
        self.is_detected() && self.command.first().is_some_and(|program| Path::new(program).is_absolute())
    }
}

/// A location in a file, as reported by a server. The span refers to the text at the time of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLocation {
    /// The file.
    pub path: String,
    /// The span in it.
    pub span: Span,
}

/// A definition of a symbol, as reported by a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerDefinition {
    /// The file.
    pub path: String,
    /// The span of the name, or of the declaration if the server reports nothing more precise.
    pub span: Span,
    /// The text of the span; empty if it is longer than a name.
    pub name: String,
}

/// The definitions of the symbol at one position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerDefinitions {
    /// The definitions in files of the root.
    pub inside: Vec<ServerDefinition>,
    /// The number of definitions in files outside of the root.
    pub outside: usize,
}

/// A diagnostic from a language server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerDiagnostic {
    /// Its location.
    pub span: Span,
    /// Its severity.
    pub severity: Severity,
    /// Its message.
    pub message: String,
    /// The part of the server that reports it, such as `ts`. Empty if unknown.
    pub source: String,
    /// The server's name or number for it, such as `2322`.
    pub code: Option<String>,
}

/// A declaration in a document, as reported by a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSymbol {
    /// Its name.
    pub name: String,
    /// Its kind, in the words of the protocol: `class`, `method`.
    pub kind: &'static str,
    /// Its range.
    pub span: Span,
    /// The range of its name, within the span.
    pub selection: Span,
    /// Index of the symbol that contains it; symbols follow their parents.
    pub parent: Option<usize>,
}

/// An answer that may be incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAnswer<T> {
    /// The answer.
    pub answer: T,
    /// The reason why the answer may be incomplete; `None` if it is complete.
    pub incomplete: Option<String>,
}

/// The position that a server is asked about, within one call.
#[derive(Clone, Copy)]
pub struct ServerQuestion<'a> {
    /// The files of the root.
    pub files: &'a Arc<dyn Files>,
    /// The file as it was read.
    pub source: &'a Source,
    /// The offset in the file.
    pub offset: usize,
    /// The call on whose behalf the server is asked.
    pub work: &'a Work,
}

/// Edits of one file, with the text that they apply to.
pub type ServerEdits = (Source, Vec<Edit>);

/// The language servers of all roots.
pub trait Servers: Send + Sync {
    /// Returns the server that is configured or installed for a file. It is started on the first request.
    ///
    /// # Errors
    /// Fails with `Unsupported` or `FileNotFound` if no server is configured or installed for the file, and with
    /// `PermissionDenied` if the server is not approved.
    fn for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Server>>;

    /// Like `for_path`, for callers that did not ask for a server explicitly: `None` if no server is configured or
    /// installed for the file, or if the server is only detected and not approved.
    ///
    /// # Errors
    /// Fails like [`Servers::for_path`], except that a missing server is not an error.
    fn available_for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Option<Arc<dyn Server>>> {
        match self.for_path(files, path) {
            Ok(server) => Ok(Some(server)),
            Err(error) if matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Stops all running servers.
    fn stop_all(&self) {}
}

/// Hover text in Markdown, and the range it applies to if the server reports one.
pub type ServerHover = (String, Option<Span>);

/// One language server of one root. Its answers are validated: paths are inside the root, spans inside the text.
///
/// # Errors
/// Each method fails if the server cannot be started, does not answer in time or answers with an error, and with
/// `Cancelled` if the call was cancelled.
pub trait Server: Send + Sync {
    /// The name of the server.
    fn id(&self) -> &str;
    /// Returns the hover text for a position.
    fn hover(&self, place: ServerQuestion<'_>) -> Result<ServerAnswer<Option<ServerHover>>>;
    /// Returns the references to the symbol at a position.
    fn references(&self, place: ServerQuestion<'_>, declaration: bool) -> Result<ServerAnswer<Vec<ServerLocation>>>;
    /// Returns the diagnostics of the file.
    fn diagnostics(&self, place: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerDiagnostic>>>;
    /// Returns the declarations in the file, in document order.
    fn symbols(&self, place: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerSymbol>>>;
    /// Returns the definitions of the symbols at several positions of one call, in the order of the positions. `None`
    /// for a position that the server did not answer, because it was loading, refused the request or ran out of time.
    /// The positions of one file must follow each other.
    fn definitions(&self, places: &[ServerQuestion<'_>]) -> Result<ServerAnswer<Vec<Option<ServerDefinitions>>>> {
        let message = format!("the server `{}` does not support definitions ({} positions)", self.id(), places.len());
        Err(Error::new(Kind::Unsupported, message))
    }
    /// Returns the edits that rename the symbol at a position.
    fn rename(&self, place: ServerQuestion<'_>, new_name: &str) -> Result<ServerAnswer<Vec<ServerEdits>>>;
}

//! Errors: a kind to branch on, a message, a hint that says how to fix it, and the nearest valid values.

use crate::escape::escape_line;

/// The kind of an error, for the caller to branch on. The names are those used on the wire.
///
/// # Examples
///
/// ```
/// use marquetry_model::{Error, Kind};
///
/// assert_eq!(Error::argument("no such tool").kind(), Kind::InvalidArgument);
/// assert_eq!(Kind::InvalidArgument.name(), "InvalidArgument");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The path does not exist.
    FileNotFound,
    /// The target matches nothing in the file.
    TargetNotFound,
    /// The file is not syntactically valid, or would not be after the edit.
    ParseError,
    /// The refactoring was refused.
    RefactorFailed,
    /// The destination already exists.
    OverwriteBlocked,
    /// The target matches more than one node.
    AmbiguousTarget,
    /// The target is not well formed.
    InvalidTarget,
    /// An argument is missing, unknown or invalid.
    InvalidArgument,
    /// The file changed since the caller read it.
    Stale,
    /// The path is outside the root.
    OutsideWorkspace,
    /// The request is not supported: by the format, by this build, or because no editor is attached.
    Unsupported,
    /// A plugin crashed or returned invalid data.
    PluginFailed,
    /// A limit was exceeded.
    LimitExceeded,
    /// The operating system, the project's grants or a missing approval forbid the operation.
    PermissionDenied,
    /// The caller cancelled the call.
    Cancelled,
    /// A bug in the host itself.
    Internal,
}

impl Kind {
    /// All kinds, in the order of their declaration; `Internal` is the last one.
    pub const ALL: [Kind; Kind::Internal as usize + 1] = [
        Kind::FileNotFound,
        Kind::TargetNotFound,
        Kind::ParseError,
        Kind::RefactorFailed,
        Kind::OverwriteBlocked,
        Kind::AmbiguousTarget,
        Kind::InvalidTarget,
        Kind::InvalidArgument,
        Kind::Stale,
        Kind::OutsideWorkspace,
        Kind::Unsupported,
        Kind::PluginFailed,
        Kind::LimitExceeded,
        Kind::PermissionDenied,
        Kind::Cancelled,
        Kind::Internal,
    ];

    /// The name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Kind::FileNotFound => "FileNotFound",
            Kind::TargetNotFound => "TargetNotFound",
            Kind::ParseError => "ParseError",
            Kind::RefactorFailed => "RefactorFailed",
            Kind::OverwriteBlocked => "OverwriteBlocked",
            Kind::AmbiguousTarget => "AmbiguousTarget",
            Kind::InvalidTarget => "InvalidTarget",
            Kind::InvalidArgument => "InvalidArgument",
            Kind::Stale => "Stale",
            Kind::OutsideWorkspace => "OutsideWorkspace",
            Kind::Unsupported => "Unsupported",
            Kind::PluginFailed => "PluginFailed",
            Kind::LimitExceeded => "LimitExceeded",
            Kind::PermissionDenied => "PermissionDenied",
            Kind::Cancelled => "Cancelled",
            Kind::Internal => "Internal",
        }
    }
}

/// The result type of every fallible operation in the host.
pub type Result<T> = std::result::Result<T, Error>;

/// The error of a call. Boxed, because errors are rare and the success case should stay small.
///
/// # Examples
///
/// ```
/// use marquetry_model::{Error, Kind, nearest::nearest_names};
///
/// let known = ["blue", "green"].map(str::to_owned);
/// let error = Error::new(Kind::InvalidArgument, "unknown color `bleu`")
///     .hint("use one of the candidates")
///     .candidates(nearest_names("bleu", known));
/// assert_eq!(error.kind(), Kind::InvalidArgument);
/// assert_eq!(error.content().candidates, ["blue"]);
/// assert_eq!(error.to_string(), "unknown color `bleu` (hint: use one of the candidates)");
/// assert_eq!(error.context("a.css").content().message, "a.css: unknown color `bleu`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Content>);

/// The contents of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The kind, for the caller to branch on.
    pub kind: Kind,
    /// The message: a lower-case fragment without a final period.
    pub message: String,
    /// Advice on how to fix it.
    pub hint: Option<String>,
    /// Valid values to use instead, nearest first.
    pub candidates: Vec<String>,
    /// True if repeating the whole call may succeed.
    pub transient: bool,
}

impl Error {
    /// Creates an error without a hint or candidates.
    pub fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error(Box::new(Content { kind, message: message.into(), hint: None, candidates: Vec::new(), transient: false }))
    }

    /// Sets another message.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Error {
        self.0.message = message.into();
        self
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.0.hint = Some(hint.into());
        self
    }

    /// Sets the valid values to use instead, nearest first.
    #[must_use]
    pub fn candidates(mut self, candidates: impl IntoIterator<Item = String>) -> Error {
        self.0.candidates = candidates.into_iter().collect();
        self
    }

    /// Replaces the kind.
    #[must_use]
    pub fn with_kind(mut self, kind: Kind) -> Error {
        self.0.kind = kind;
        self
    }

    /// Prefixes the message with a context: `context: message`.
    #[must_use]
    pub fn context(mut self, context: &str) -> Error {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// Escapes each text for one line, for an error whose texts come from a repository or plugin.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_model::Error;
    ///
    /// let error = Error::argument("unknown field `a\nb`").escaped();
    /// assert_eq!(error.content().message, "unknown field `a\\nb`");
    /// ```
    #[must_use]
    pub fn escaped(mut self) -> Error {
        let Content { message, hint, candidates, .. } = &mut *self.0;
        for text in std::iter::once(message).chain(hint).chain(candidates) {
            *text = escape_line(text);
        }
        self
    }

    /// Marks the error as transient: repeating the whole call may succeed.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_model::{Error, Kind};
    ///
    /// let error = Error::new(Kind::PluginFailed, "the instance was lost");
    /// assert!(!error.is_transient());
    /// assert!(error.transient().is_transient());
    /// ```
    #[must_use]
    pub fn transient(mut self) -> Error {
        self.0.transient = true;
        self
    }

    /// Returns whether repeating the whole call may succeed.
    pub fn is_transient(&self) -> bool {
        self.0.transient
    }

    /// The kind, for the caller to branch on.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The contents of the error.
    pub fn content(&self) -> &Content {
        &self.0
    }

    /// Creates an `InvalidArgument` error.
    pub fn argument(message: impl Into<String>) -> Error {
        Error::new(Kind::InvalidArgument, message)
    }

    /// Creates an `Internal` error, which asks the user to report the bug.
    pub fn internal(message: impl Into<String>) -> Error {
        Error::new(Kind::Internal, message).hint("this is a bug in marq; please report it")
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(hint) = &self.0.hint {
            write!(f, " (hint: {hint})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_is_shown_with_its_hint() {
        let error = Error::argument("no color `bleu`");
        for (error, expected) in [
            (error.clone(), "no color `bleu`"),
            (error.clone().hint("write `blue`"), "no color `bleu` (hint: write `blue`)"),
            (error.clone().context("a.css"), "a.css: no color `bleu`"),
            (Error::internal("oh"), "oh (hint: this is a bug in marq; please report it)"),
        ] {
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn error_keeps_its_details() {
        let error = Error::new(Kind::Stale, "changed").candidates(["a".to_owned(), "b".to_owned()]);
        assert_eq!((error.kind(), error.is_transient()), (Kind::Stale, false));
        assert_eq!(error.content().candidates, ["a", "b"]);
        let error = error.with_kind(Kind::Internal).transient();
        assert_eq!((error.kind(), error.is_transient()), (Kind::Internal, true));
    }

    #[test]
    fn all_texts_of_an_error_are_escaped() {
        let forged = "a\n\u{202e}b\u{1b}";
        let error = Error::argument(forged).hint(forged).candidates([forged.to_owned(), "c".to_owned()]).escaped();
        let line = "a\\n\\u{202e}b\\u{1b}";
        assert_eq!(error, Error::argument(line).hint(line).candidates([line.to_owned(), "c".to_owned()]));
    }
}

//! Errors: a kind to branch on, a message, a hint that says what to do, and the nearest right answers.

/// What went wrong, for the caller to branch on. The names are those of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The path does not exist.
    FileNotFound,
    /// The target names nothing in the file.
    TargetNotFound,
    /// The file, or what an edit would make of it, is not valid.
    ParseError,
    /// A refactoring was refused.
    RefactorFailed,
    /// The destination exists.
    OverwriteBlocked,
    /// The target names several things.
    AmbiguousTarget,
    /// The target is not well formed.
    InvalidTarget,
    /// An argument is missing, unknown or makes no sense.
    InvalidArgument,
    /// The file is not what the caller read.
    Stale,
    /// The path leads out of the root.
    OutsideWorkspace,
    /// Not done, on purpose.
    Unsupported,
    /// A plugin misbehaved.
    PluginFailed,
    /// A limit was reached.
    LimitExceeded,
    /// The system, or the project's grants, do not allow it.
    PermissionDenied,
    /// The caller no longer wants the answer.
    Cancelled,
    /// A fault of the host itself.
    Internal,
}

impl Kind {
    /// The name on the wire.
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

/// The result of everything that can fail in the host.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure of a call. Boxed inside: errors are rare, results are not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Content>);

/// What an error says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// For the caller to branch on.
    pub kind: Kind,
    /// What was wrong: a lower-case fragment without a final period.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Right answers, nearest first.
    pub candidates: Vec<String>,
    /// The same call, made again from its start, may succeed.
    pub transient: bool,
}

impl Error {
    /// An error of the kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error(Box::new(Content { kind, message: message.into(), hint: None, candidates: Vec::new(), transient: false }))
    }

    /// With what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.0.hint = Some(hint.into());
        self
    }

    /// With right answers, nearest first.
    #[must_use]
    pub fn candidates(mut self, candidates: impl IntoIterator<Item = String>) -> Error {
        self.0.candidates = candidates.into_iter().collect();
        self
    }

    /// The same of another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: Kind) -> Error {
        self.0.kind = kind;
        self
    }

    /// With the message behind a context: `context: message`.
    #[must_use]
    pub fn context(mut self, context: &str) -> Error {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// Something was lost on the way that a repetition of the whole call may have again.
    #[must_use]
    pub fn transient(mut self) -> Error {
        self.0.transient = true;
        self
    }

    /// Whether the same call, made again from its start, may succeed.
    pub fn is_transient(&self) -> bool {
        self.0.transient
    }

    /// For the caller to branch on.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// All it says.
    pub fn content(&self) -> &Content {
        &self.0
    }

    /// An argument that is missing or makes no sense.
    pub fn argument(message: impl Into<String>) -> Error {
        Error::new(Kind::InvalidArgument, message)
    }

    /// A fault of the host.
    pub fn internal(message: impl Into<String>) -> Error {
        Error::new(Kind::Internal, message).hint("this is a fault of marquetry itself; please report it")
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

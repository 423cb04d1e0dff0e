//! What the system refuses, said in the words of the host.

use std::io::{self, ErrorKind};

use marquetry_model::{Error, Kind};

use crate::system::is_loop;

/// The error for a failed system call on a path.
pub(crate) fn io_error(doing: &str, path: &str, error: &io::Error) -> Error {
    let kind = match error.kind() {
        ErrorKind::NotFound => Kind::FileNotFound,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Kind::PermissionDenied,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Kind::LimitExceeded,
        ErrorKind::InvalidData | ErrorKind::Unsupported => Kind::Unsupported,
        _ if is_loop(error) => Kind::Stale,
        ErrorKind::InvalidFilename | ErrorKind::InvalidInput | ErrorKind::NotADirectory => Kind::InvalidArgument,
        _ => Kind::Internal,
    };
    let reason = match error.kind() {
        ErrorKind::NotFound => "it does not exist".to_owned(),
        ErrorKind::PermissionDenied if error.get_ref().is_none() => "permission denied".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        ErrorKind::StorageFull => "no space is left".to_owned(),
        _ if is_loop(error) => "a symbolic link took its place meanwhile".to_owned(),
        _ => error.to_string(),
    };
    let failed = Error::new(kind, format!("cannot {doing} `{path}`: {reason}"));
    // Too many open files, a disk that did not answer: the same may succeed in a moment.
    if kind == Kind::Internal { failed.hint("repeat the call").transient() } else { failed }
}

/// Whether the same system call may succeed in a moment: nothing is known of what it was about.
pub(crate) fn is_transient(error: &io::Error) -> bool {
    io_error("", "", error).is_transient()
}

/// Something that changed between the check and the write.
pub(crate) fn stale(path: &str) -> Error {
    Error::new(Kind::Stale, format!("`{path}` changed after the change was computed"))
        .hint("read it again and repeat the call; nothing was written")
        .candidates([path.to_owned()])
}

/// A file or directory that the system lets nobody write.
pub(crate) fn read_only(path: &str, what: &str) -> Error {
    Error::new(Kind::PermissionDenied, format!("{what} `{path}` is read-only"))
        .hint(format!("allow writing (`chmod u+w {path}`) and repeat the call; nothing was written"))
}
